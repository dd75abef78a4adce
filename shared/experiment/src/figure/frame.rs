//! Where things are in a drawing.

use super::axis::Tick;
use super::canvas::{Place, text_width};
use super::series::Mark;
use super::{Axis, Figure};

pub(super) const TEXT: f64 = 13.0;
const LINE: f64 = 20.0;
const SWATCH: f64 = 26.0;

/// The plotted rectangle, its ticks, and what stands around it.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x_ticks: Vec<(Tick, Vec<String>)>,
    pub(super) y_ticks: Vec<Tick>,
    pub(super) legend: Vec<LegendEntry>,
    /// Category names that do not fit are turned to read upwards.
    pub(super) turned: bool,
    x_range: (f64, f64),
    y_range: (f64, f64),
    x_labels: f64,
}

/// A name in the legend: which series and where its swatch begins.
pub(super) struct LegendEntry {
    pub(super) series: usize,
    pub(super) at: Place,
}

impl Frame {
    pub(super) fn new(figure: &Figure, (width, height): (f64, f64)) -> Self {
        let narrow = width < 500.0;
        let (x, y) = ranges(figure);
        let (y_range, y_ticks) = figure.y.layout(y.0, y.1, if narrow { 5 } else { 6 });
        let (x_range, x_ticks) = figure.x.layout(x.0, x.1, if narrow { 4 } else { 8 });
        let widest = y_ticks
            .iter()
            .map(|tick| text_width(&tick.label, TEXT))
            .fold(0.0, f64::max);
        let left = widest + 12.0;
        let right = width - 16.0;
        let (legend, legend_height) = legend(figure, width);
        // The label of the y axis stands level above it, where it reads without turning.
        let top = legend_height + LINE + 12.0;
        let slot = (right - left) / x_ticks.len().max(1) as f64;
        let turned = figure.x.places().is_some()
            && x_ticks.iter().any(|tick| {
                let words = tick.label.split(' ');
                words.map(|word| text_width(word, TEXT)).any(|w| w > slot)
            });
        let x_ticks: Vec<(Tick, Vec<String>)> = x_ticks
            .into_iter()
            .map(|tick| {
                let lines = if figure.x.places().is_some() && !turned {
                    wrapped(&tick.label, slot * 0.92)
                } else {
                    vec![tick.label.clone()]
                };
                (tick, lines)
            })
            .collect();
        let labels = x_ticks.iter().map(|(tick, lines)| {
            if turned {
                text_width(&tick.label, TEXT)
            } else {
                lines.len() as f64 * (TEXT + 3.0)
            }
        });
        let x_labels = labels.fold(0.0, f64::max);
        Self {
            left,
            right,
            top,
            // The plot keeps its height, so a figure with long names grows.
            bottom: top + height - 110.0,
            x_ticks,
            y_ticks,
            legend,
            turned,
            x_range,
            y_range,
            x_labels,
        }
    }

    /// Height of the drawing in pixels.
    pub(super) fn height(&self) -> f64 {
        (self.x_label_top() + LINE + 2.0).ceil()
    }

    /// Where the label of the x axis begins.
    pub(super) fn x_label_top(&self) -> f64 {
        self.bottom + 8.0 + self.x_labels + 6.0
    }

    /// Across, from drawing units.
    pub(super) fn across(&self, x: f64) -> f64 {
        let (low, high) = self.x_range;
        self.left + (x - low) / (high - low) * (self.right - self.left)
    }

    /// Down, from drawing units.
    pub(super) fn down(&self, y: f64) -> f64 {
        let (low, high) = self.y_range;
        self.bottom - (y - low) / (high - low) * (self.bottom - self.top)
    }

    /// The lower end of the y axis in drawing units, where bars on a logarithmic axis stand.
    pub(super) fn floor(&self) -> f64 {
        self.y_range.0
    }
}

/// The ranges of everything drawn, in drawing units.
fn ranges(figure: &Figure) -> ((f64, f64), (f64, f64)) {
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut x, mut y) = (none, none);
    let grow = |range: &mut (f64, f64), axis: &Axis, value: f64| {
        let at = axis.unit(value);
        *range = (range.0.min(at), range.1.max(at));
    };
    for series in &figure.series {
        for point in &series.points {
            grow(&mut x, &figure.x, point.x);
            grow(&mut y, &figure.y, point.y);
            for end in point.band.into_iter().flat_map(|band| [band.0, band.1]) {
                grow(&mut y, &figure.y, end);
            }
        }
        // A bar is read from zero.
        if series.mark == Mark::Bars && !figure.y.is_log() {
            grow(&mut y, &figure.y, 0.0);
        }
    }
    for (rule, _) in &figure.rules {
        grow(&mut y, &figure.y, *rule);
    }
    (x, y)
}

/// Places of the names, in rows; a single series needs no name.
fn legend(figure: &Figure, width: f64) -> (Vec<LegendEntry>, f64) {
    let mut entries = Vec::new();
    if figure.series.len() < 2 {
        return (entries, 0.0);
    }
    let (mut x, mut y) = (0.0, LINE / 2.0);
    for (series, s) in figure.series.iter().enumerate() {
        let needs = SWATCH + 8.0 + text_width(&s.name, TEXT);
        if x > 0.0 && x + needs > width {
            (x, y) = (0.0, y + LINE);
        }
        entries.push(LegendEntry { series, at: (x, y) });
        x += needs + 18.0;
    }
    (entries, y + LINE / 2.0 + 8.0)
}

impl LegendEntry {
    /// Middle of the swatch.
    pub(super) fn swatch(&self) -> (Place, Place, Place) {
        let (x, y) = self.at;
        ((x, y), (x + SWATCH / 2.0, y), (x + SWATCH, y))
    }

    /// Where the name begins.
    pub(super) fn name(&self) -> Place {
        (self.at.0 + SWATCH + 8.0, self.at.1)
    }
}

/// Lines of whole words, each at most about `width` pixels.
fn wrapped(text: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(line, TEXT) + text_width(word, TEXT) + 4.0 <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
