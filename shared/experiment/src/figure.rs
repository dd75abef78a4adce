mod axis;
mod canvas;
mod draw;
mod frame;
pub(crate) mod palette;
mod plot;
mod series;

pub use axis::Axis;
pub use series::{Bar, Point, Series};

use crate::{Error, Result, Table, Value};

/// A figure: axes and series, drawn as SVG when the report is written.
///
/// The alternative text says what the figure shows to somebody who does not see it; it must not be
/// empty. Colours follow the order of the series and keep apart for colour-blind readers; each
/// series also has its own marker or dash.
///
/// ```
/// use papercrates_experiment::{Axis, Figure, Series};
/// let figure = Figure::new(
///     "risk", "Risk by sample size", "Risk falls as 1/n² with the floor, as 1/n without.",
///     Axis::log("samples n"), Axis::log("excess risk"),
/// )
/// .series(Series::line("decoupled", [(1e3, 0.205), (1e4, 0.00727), (1e5, 8.47e-5)]))
/// .series(Series::line("single", [(1e3, 0.245), (1e4, 0.0587), (1e5, 0.0102)]));
/// assert!(figure.to_svg()?.starts_with("<svg"));
/// # Ok::<(), papercrates_experiment::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    id: String,
    title: String,
    alt: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
    rules: Vec<(f64, String)>,
}

impl Figure {
    /// A figure without series yet.
    pub fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        alt: impl Into<String>,
        x: Axis,
        y: Axis,
    ) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            alt: alt.into(),
            x,
            y,
            series: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// Adds a series; its name must not have been taken.
    #[must_use]
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Adds a horizontal line with a label, such as a published value or a bound.
    #[must_use]
    pub fn rule(mut self, y: f64, label: impl Into<String>) -> Self {
        self.rules.push((y, label.into()));
        self
    }

    /// Name, unique within the paper: lower-case letters, digits, `-` and `_`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Heading.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Alternative text.
    #[must_use]
    pub fn alt(&self) -> &str {
        &self.alt
    }

    /// Checks that the figure can be drawn.
    ///
    /// # Errors
    /// [`Error::BadFigure`] for an empty alternative text, a figure without points, more series
    /// than there are colours, a number that is not finite, or one that is not positive on a
    /// logarithmic axis.
    pub fn check(&self) -> Result<()> {
        let bad = |reason: String| {
            Err(Error::BadFigure {
                id: self.id.clone(),
                reason,
            })
        };
        if self.alt.trim().is_empty() {
            return bad("it has no alternative text; say in a sentence what it shows".to_owned());
        }
        if self.series.iter().all(|series| series.points.is_empty()) {
            return bad(
                "it has no points; leave the figure out when nothing was measured".to_owned(),
            );
        }
        if self.series.len() > palette::SERIES.len() {
            return bad(format!(
                "{} series are more than the {} that can be told apart; split the figure",
                self.series.len(),
                palette::SERIES.len()
            ));
        }
        for (at, series) in self.series.iter().enumerate() {
            if self.series[..at]
                .iter()
                .any(|other| other.name == series.name)
            {
                return bad(format!("two series are called {:?}", series.name));
            }
            for point in &series.points {
                let heights = [
                    Some(point.y),
                    point.band.map(|b| b.0),
                    point.band.map(|b| b.1),
                ];
                let fits =
                    self.x.holds(point.x) && heights.into_iter().flatten().all(|y| self.y.holds(y));
                if !fits {
                    return bad(format!(
                        "series {:?} has the point {point}, which the axes cannot show: numbers must be finite, and positive on a logarithmic axis",
                        series.name
                    ));
                }
            }
        }
        if let Some((y, label)) = self.rules.iter().find(|(y, _)| !self.y.holds(*y)) {
            return bad(format!(
                "the rule {label:?} lies at {y}, which the axis cannot show"
            ));
        }
        Ok(())
    }

    /// The figure as a standalone SVG document, light or dark as its reader prefers.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn to_svg(&self) -> Result<String> {
        self.check()?;
        draw::standalone(self)
    }

    /// For a page: a wide and a narrow drawing, without styles of their own.
    pub(crate) fn inline_svgs(&self) -> Result<[String; 2]> {
        self.check()?;
        draw::inline(self)
    }

    /// Everything that is drawn, as numbers.
    #[must_use]
    pub fn data(&self) -> Table {
        let with_band = self
            .series
            .iter()
            .any(|s| s.points.iter().any(|p| p.band.is_some()));
        let mut columns = vec![
            "series".to_owned(),
            self.x.label().to_owned(),
            self.y.label().to_owned(),
        ];
        if with_band {
            columns.extend(["low", "high"].map(str::to_owned));
        }
        let mut table = Table::new(&self.id, &self.title, columns);
        for series in &self.series {
            for point in &series.points {
                let mut row = vec![
                    series.name.as_str().into(),
                    self.x.value(point.x),
                    Value::from(point.y),
                ];
                if with_band {
                    row.push(point.band.map(|band| band.0).into());
                    row.push(point.band.map(|band| band.1).into());
                }
                table = table.row(row);
            }
        }
        for (y, label) in &self.rules {
            let mut row = vec![label.as_str().into(), Value::Missing, Value::from(*y)];
            row.resize(table.columns().len(), Value::Missing);
            table = table.row(row);
        }
        table
    }
}
