//! What is drawn inside and around the frame.

use plotters::style::RGBColor;

use super::Figure;
use super::canvas::{Anchor, Canvas, Place};
use super::frame::{Frame, TEXT};
use super::palette::{GRID, INK, PAPER, SERIES, SOFT};
use super::series::{Mark, Point, Series};

type Drawn = Result<(), plotters::drawing::DrawingAreaErrorKind<std::io::Error>>;

/// More markers than these would hide the line.
const MOST_MARKERS: usize = 14;

pub(super) fn all(figure: &Figure, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    axes(figure, frame, canvas)?;
    let plot = Plot {
        figure,
        frame,
        canvas,
    };
    for (at, series) in figure.series.iter().enumerate() {
        if series.mark == Mark::Line {
            plot.band(at, series)?;
        }
    }
    for (y, label) in &figure.rules {
        plot.rule(*y, label)?;
    }
    for (at, series) in figure.series.iter().enumerate() {
        match series.mark {
            Mark::Bars => plot.bars(at, series)?,
            Mark::Line => plot.line(at, series)?,
            Mark::Scatter => plot.scatter(at, series)?,
        }
    }
    plot.legend()
}

fn axes(figure: &Figure, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    for tick in &frame.y_ticks {
        let y = frame.down(tick.at);
        canvas.line(&[(frame.left, y), (frame.right, y)], GRID.light, 1.0)?;
        canvas.text(
            &tick.label,
            (frame.left - 8.0, y),
            Anchor::End,
            TEXT,
            SOFT.light,
        )?;
    }
    canvas.line(
        &[(frame.left, frame.bottom), (frame.right, frame.bottom)],
        SOFT.light,
        1.2,
    )?;
    for (tick, lines) in &frame.x_ticks {
        let x = frame.across(tick.at);
        if figure.x.places().is_none() {
            canvas.line(
                &[(x, frame.bottom), (x, frame.bottom + 5.0)],
                SOFT.light,
                1.2,
            )?;
        }
        let mut y = frame.bottom + 8.0;
        for line in lines {
            let anchor = if frame.turned {
                Anchor::Upwards
            } else {
                Anchor::Below
            };
            canvas.text(line, (x, y), anchor, TEXT, SOFT.light)?;
            y += TEXT + 3.0;
        }
    }
    let middle = (frame.left + frame.right) / 2.0;
    canvas.text(
        figure.x.label(),
        (middle, frame.x_label_top()),
        Anchor::Below,
        TEXT,
        INK.light,
    )?;
    canvas.text(
        figure.y.label(),
        (0.0, frame.top - 20.0),
        Anchor::Start,
        TEXT,
        INK.light,
    )
}

struct Plot<'a, 'b> {
    figure: &'a Figure,
    frame: &'a Frame,
    canvas: &'a Canvas<'b>,
}

impl Plot<'_, '_> {
    fn place(&self, x: f64, y: f64) -> Place {
        (
            self.frame.across(self.figure.x.unit(x)),
            self.frame.down(self.figure.y.unit(y)),
        )
    }

    /// The band of a line, over each run of points that have one.
    fn band(&self, at: usize, series: &Series) -> Drawn {
        let colour = SERIES[at].light;
        for run in series.points.split(|point| point.band.is_none()) {
            let low = run.iter().filter_map(|p| Some(self.place(p.x, p.band?.0)));
            let high = run
                .iter()
                .rev()
                .filter_map(|p| Some(self.place(p.x, p.band?.1)));
            let outline: Vec<Place> = low.chain(high).collect();
            if run.len() > 1 {
                self.canvas.fill(&outline, colour, 0.18)?;
            }
        }
        Ok(())
    }

    fn line(&self, at: usize, series: &Series) -> Drawn {
        let colour = SERIES[at].light;
        let path: Vec<Place> = series.points.iter().map(|p| self.place(p.x, p.y)).collect();
        if path.len() > 1 {
            self.canvas.line(&path, colour, 2.2)?;
        }
        let stride = path.len().div_ceil(MOST_MARKERS).max(1);
        for place in path.iter().step_by(stride) {
            self.marker(at, *place, colour)?;
        }
        Ok(())
    }

    fn scatter(&self, at: usize, series: &Series) -> Drawn {
        let colour = SERIES[at].light;
        // At named places, points of several series stand side by side as bars do.
        let shift = if self.figure.x.places().is_some() {
            self.side_by_side(at, Mark::Scatter, 20.0).0
        } else {
            0.0
        };
        for point in &series.points {
            let (x, y) = self.place(point.x, point.y);
            self.error_bar(point, x + shift, colour)?;
            self.marker(at, (x + shift, y), colour)?;
        }
        Ok(())
    }

    /// How far a series of a mark stands from the middle of a named place, and how wide it may
    /// be: at most `most`.
    fn side_by_side(&self, at: usize, mark: Mark, most: f64) -> (f64, f64) {
        let alike = |series: &&Series| series.mark == mark;
        let before = self.figure.series[..at].iter().filter(alike).count() as f64;
        let all = self.figure.series.iter().filter(alike).count() as f64;
        let slot = self.frame.across(1.0) - self.frame.across(0.0);
        // Some air is left between the places.
        let width = (slot * 0.78 / all).min(most);
        ((before - (all - 1.0) / 2.0) * width, width)
    }

    fn bars(&self, at: usize, series: &Series) -> Drawn {
        let (shift, width) = self.side_by_side(at, Mark::Bars, 56.0);
        let base = if self.figure.y.is_log() {
            self.frame.down(self.frame.floor())
        } else {
            self.frame.down(0.0)
        };
        for point in &series.points {
            let (x, y) = self.place(point.x, point.y);
            let (left, right) = (x + shift - width * 0.46, x + shift + width * 0.46);
            let corners = [(left, base), (left, y), (right, y), (right, base)];
            self.canvas.fill(&corners, SERIES[at].light, 1.0)?;
            self.error_bar(point, x + shift, INK.light)?;
        }
        Ok(())
    }

    fn error_bar(&self, point: &Point, x: f64, colour: RGBColor) -> Drawn {
        let Some((low, high)) = point.band else {
            return Ok(());
        };
        let (low, high) = (self.place(point.x, low).1, self.place(point.x, high).1);
        self.canvas.line(&[(x, low), (x, high)], colour, 1.5)?;
        for end in [low, high] {
            self.canvas
                .line(&[(x - 4.0, end), (x + 4.0, end)], colour, 1.5)?;
        }
        Ok(())
    }

    fn rule(&self, y: f64, label: &str) -> Drawn {
        let y = self.frame.down(self.figure.y.unit(y));
        let (from, to) = ((self.frame.left, y), (self.frame.right, y));
        self.canvas.dashed(from, to, INK.light, 1.2)?;
        let at = (self.frame.right, y - 3.0);
        self.canvas
            .text(label, at, Anchor::AboveEnd, TEXT, INK.light)
    }

    /// The sign of a series, which tells it apart without its colour: four shapes, full and
    /// hollow.
    fn marker(&self, at: usize, centre: Place, colour: RGBColor) -> Drawn {
        self.shape(at % 4, centre, 4.0, colour)?;
        if at >= 4 {
            self.shape(at % 4, centre, 2.2, PAPER.light)?;
        }
        Ok(())
    }

    fn shape(&self, kind: usize, (x, y): Place, r: f64, colour: RGBColor) -> Drawn {
        match kind {
            0 => self.canvas.disc((x, y), r, colour),
            1 => {
                let r = r * 0.9;
                let corners = [
                    (x - r, y - r),
                    (x + r, y - r),
                    (x + r, y + r),
                    (x - r, y + r),
                ];
                self.canvas.fill(&corners, colour, 1.0)
            }
            2 => {
                let r = r * 1.25;
                let corners = [
                    (x, y - r),
                    (x + r * 0.87, y + r * 0.5),
                    (x - r * 0.87, y + r * 0.5),
                ];
                self.canvas.fill(&corners, colour, 1.0)
            }
            _ => {
                let r = r * 1.3;
                let corners = [(x, y - r), (x + r, y), (x, y + r), (x - r, y)];
                self.canvas.fill(&corners, colour, 1.0)
            }
        }
    }

    fn legend(&self) -> Drawn {
        for entry in &self.frame.legend {
            let series = &self.figure.series[entry.series];
            let colour = SERIES[entry.series].light;
            let (from, middle, to) = entry.swatch();
            match series.mark {
                Mark::Line => self.canvas.line(&[from, to], colour, 2.2)?,
                Mark::Scatter => {}
                Mark::Bars => {
                    let (x, y) = middle;
                    let corners = [
                        (x - 7.0, y - 7.0),
                        (x + 7.0, y - 7.0),
                        (x + 7.0, y + 7.0),
                        (x - 7.0, y + 7.0),
                    ];
                    self.canvas.fill(&corners, colour, 1.0)?;
                }
            }
            if series.mark != Mark::Bars {
                self.marker(entry.series, middle, colour)?;
            }
            self.canvas
                .text(&series.name, entry.name(), Anchor::Start, TEXT, INK.light)?;
        }
        Ok(())
    }
}
