use std::fmt;

use crate::Estimate;
use crate::number::short;

/// A place in a figure, with an interval in y where one is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) band: Option<(f64, f64)>,
}

impl From<(f64, f64)> for Point {
    fn from((x, y): (f64, f64)) -> Self {
        Self { x, y, band: None }
    }
}

impl From<(f64, Estimate)> for Point {
    fn from((x, estimate): (f64, Estimate)) -> Self {
        Self {
            x,
            y: estimate.mean(),
            band: (!estimate.is_exact()).then(|| (estimate.low(), estimate.high())),
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", short(self.x), short(self.y))?;
        match self.band {
            Some((low, high)) => write!(f, " [{}, {}]", short(low), short(high)),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Line,
    Scatter,
    Bars,
}

/// Points of a figure that belong together. Items are `(x, y)` or `(x, Estimate)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub(super) name: String,
    pub(super) mark: Mark,
    pub(super) points: Vec<Point>,
}

impl Series {
    /// A line, with the intervals as a band around it.
    pub fn line<P: Into<Point>>(
        name: impl Into<String>,
        points: impl IntoIterator<Item = P>,
    ) -> Self {
        Self::with(
            name,
            Mark::Line,
            points.into_iter().map(Into::into).collect(),
        )
    }

    /// Single points, with the intervals as error bars.
    pub fn scatter<P: Into<Point>>(
        name: impl Into<String>,
        points: impl IntoIterator<Item = P>,
    ) -> Self {
        Self::with(
            name,
            Mark::Scatter,
            points.into_iter().map(Into::into).collect(),
        )
    }

    /// Bars, one for each named place of the x axis in turn, with the intervals as error bars.
    /// Items are numbers or estimates; `None` leaves a place empty.
    pub fn bars<V: Into<Bar>>(
        name: impl Into<String>,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        let points = values
            .into_iter()
            .enumerate()
            .filter_map(|(place, value)| {
                let Bar(bar) = value.into();
                bar.map(|(y, band)| Point {
                    x: place as f64,
                    y,
                    band,
                })
            })
            .collect();
        Self::with(name, Mark::Bars, points)
    }

    fn with(name: impl Into<String>, mark: Mark, points: Vec<Point>) -> Self {
        Self {
            name: name.into(),
            mark,
            points,
        }
    }
}

/// The height of a bar, with its interval where one is known; see [`Series::bars`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar(Option<(f64, Option<(f64, f64)>)>);

impl From<f64> for Bar {
    fn from(height: f64) -> Self {
        Self(Some((height, None)))
    }
}

impl From<Estimate> for Bar {
    fn from(estimate: Estimate) -> Self {
        let Point { y, band, .. } = (0.0, estimate).into();
        Self(Some((y, band)))
    }
}

impl<T: Into<Self>> From<Option<T>> for Bar {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self(None), Into::into)
    }
}
