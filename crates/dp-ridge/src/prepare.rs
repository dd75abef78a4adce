//! Bringing raw records into the public bounds with public constants only.
//!
//! Everything here is a fixed function of one record, so it costs no privacy. What looks at the
//! data first (z-scores, maxima, means) is a leak; it is offered under names that contain
//! `non_private` only, for comparison with studies that did it.

use crate::{Bounds, Error, Result};
use faer::{Mat, MatRef};
use papercrates_numeric::linalg::norm2;

/// Largest magnitude that counts as a value under [`Missing::Centre`]: squares of larger ones
/// overflow in a database.
pub const LARGEST_VALUE: f64 = 1e150;

/// A public lower and upper limit of one quantity, `lower < upper`, both finite.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Limits {
    /// Smallest value; smaller ones are raised to it.
    pub lower: f64,
    /// Largest value; larger ones are lowered to it.
    pub upper: f64,
}

impl Limits {
    /// Both limits, checked.
    ///
    /// # Errors
    /// [`Error::BadBounds`] unless `lower < upper`, at least 1e-150 apart and both at most 1e150 in
    /// magnitude.
    pub fn new(lower: f64, upper: f64) -> Result<Self> {
        let limits = Self { lower, upper };
        limits.check()?;
        Ok(limits)
    }

    fn check(&self) -> Result<()> {
        let within = |v: f64| v.abs() <= LARGEST_VALUE;
        if !within(self.lower) {
            return Err(Error::BadBounds {
                name: "lower limit",
                value: self.lower,
            });
        }
        // Slopes in raw units divide by the width.
        if !(within(self.upper) && self.upper - self.lower >= 1e-150) {
            return Err(Error::BadBounds {
                name: "upper limit minus lower limit",
                value: self.upper - self.lower,
            });
        }
        Ok(())
    }

    /// The middle.
    #[must_use]
    pub fn centre(&self) -> f64 {
        0.5 * self.lower + 0.5 * self.upper
    }

    fn contains(&self, value: f64) -> bool {
        (self.lower..=self.upper).contains(&value)
    }

    /// Clamp, then map to [−1, 1].
    fn to_unit(self, value: f64) -> f64 {
        let value = value.clamp(self.lower, self.upper);
        (2.0 * value - self.lower - self.upper) / (self.upper - self.lower)
    }
}

/// What is publicly known about the size of the features.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum FeatureRange {
    /// `‖x‖ ≤ B_x`: longer rows are scaled onto the ball.
    Norm(f64),
    /// Limits of each feature: values are clamped and mapped to
    /// `(2x_j − l_j − u_j)/((u_j − l_j)√d)`, so that `‖x‖ ≤ 1`.
    Limits(Vec<Limits>),
}

/// What is publicly known about the size of the target.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum TargetRange {
    /// `|y| ≤ B_y`: larger targets are clamped.
    Abs(f64),
    /// Limits: the target is clamped and mapped to [−1, 1]; predictions are mapped back.
    Limits(Limits),
}

/// What a value that is missing or not finite does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Missing {
    /// It is an error that names the place.
    #[default]
    Refuse,
    /// It becomes a public constant: 0, or the centre of its limits. (Leaving the row out instead
    /// would make the number of rows depend on values, which is a leak under replace-one.)
    /// Magnitudes above [`LARGEST_VALUE`] count as missing, as in the SQL.
    Centre,
}

/// How raw records become records within [`bounds`](Self::bounds): public constants only, so it
/// can be published and applied to new rows.
///
/// ```
/// use dp_ridge::{FeatureRange, Limits, Preparation, TargetRange};
/// let age_and_income = vec![Limits::new(18.0, 90.0)?, Limits::new(0.0, 200_000.0)?];
/// let preparation = Preparation::new(2, FeatureRange::Limits(age_and_income), TargetRange::Abs(1.0))?
///     .with_intercept(1.0)?;
/// assert_eq!(preparation.bounds().x_norm, 2f64.sqrt());
/// let mut row = Vec::new();
/// preparation.apply(&[54.0, 300_000.0], &mut row)?;
/// assert_eq!(row, [0.0, 1.0 / 2f64.sqrt(), 1.0]);
/// # Ok::<(), dp_ridge::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct Preparation {
    stored: Stored,
}

/// The fields as they are stored; [`Preparation`] holds a checked one.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Stored {
    d: usize,
    features: FeatureRange,
    target: TargetRange,
    intercept: Option<f64>,
    missing: Missing,
}

impl Preparation {
    /// For rows of `d ≥ 1` raw features.
    ///
    /// # Errors
    /// [`Error::BadBounds`]; [`Error::DimensionMismatch`] for `d = 0` or another number of limits.
    pub fn new(d: usize, features: FeatureRange, target: TargetRange) -> Result<Self> {
        Stored {
            d,
            features,
            target,
            intercept: None,
            missing: Missing::Refuse,
        }
        .try_into()
    }

    /// Append the public constant feature `scale > 0`; its coefficient times `scale` is the
    /// intercept, which is penalised like any other. `B_x` becomes `√(B_x² + scale²)`.
    ///
    /// # Errors
    /// [`Error::BadBounds`].
    pub fn with_intercept(mut self, scale: f64) -> Result<Self> {
        self.stored.intercept = Some(scale);
        self.stored.try_into()
    }

    /// What a missing value does.
    #[must_use]
    pub fn with_missing(mut self, missing: Missing) -> Self {
        self.stored.missing = missing;
        self
    }

    /// Number of raw features.
    #[must_use]
    pub fn d_raw(&self) -> usize {
        self.stored.d
    }

    /// Number of prepared features: one more with an intercept.
    #[must_use]
    pub fn d(&self) -> usize {
        self.stored.d + usize::from(self.stored.intercept.is_some())
    }

    /// What is known about the features.
    #[must_use]
    pub fn features(&self) -> &FeatureRange {
        &self.stored.features
    }

    /// What is known about the target.
    #[must_use]
    pub fn target(&self) -> TargetRange {
        self.stored.target
    }

    /// The constant feature.
    #[must_use]
    pub fn intercept(&self) -> Option<f64> {
        self.stored.intercept
    }

    /// What a missing value does.
    #[must_use]
    pub fn missing(&self) -> Missing {
        self.stored.missing
    }

    /// The bounds that every prepared record satisfies (to rounding, which
    /// [`SuffStats`](crate::SuffStats) clips away).
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        let x_norm = match self.stored.features {
            FeatureRange::Norm(x_norm) => x_norm,
            FeatureRange::Limits(_) => 1.0,
        };
        Bounds {
            x_norm: x_norm.hypot(self.stored.intercept.unwrap_or(0.0)),
            y_abs: match self.stored.target {
                TargetRange::Abs(y_abs) => y_abs,
                TargetRange::Limits(_) => 1.0,
            },
        }
    }

    /// Prepare one row of raw features into `out` (cleared first). Returns whether the row was
    /// outside its public range. O(d).
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`]; [`Error::NonFinite`] under [`Missing::Refuse`] (row 0).
    pub fn apply(&self, x: &[f64], out: &mut Vec<f64>) -> Result<bool> {
        let stored = &self.stored;
        if x.len() != stored.d {
            return Err(Error::DimensionMismatch {
                expected: stored.d,
                got: x.len(),
                row: 0,
            });
        }
        out.clear();
        for (col, &value) in x.iter().enumerate() {
            let centre = match &stored.features {
                FeatureRange::Norm(_) => 0.0,
                FeatureRange::Limits(limits) => limits[col].centre(),
            };
            out.push(self.present(value, centre, col)?);
        }
        let outside = match &stored.features {
            FeatureRange::Norm(x_norm) => clip(out, *x_norm),
            FeatureRange::Limits(limits) => {
                let root_d = (stored.d as f64).sqrt();
                let mut outside = false;
                for (value, limits) in out.iter_mut().zip(limits) {
                    outside |= !limits.contains(*value);
                    *value = limits.to_unit(*value) / root_d;
                }
                outside
            }
        };
        out.extend(stored.intercept);
        Ok(outside)
    }

    /// Prepare one raw target. Returns it with whether it was outside its public range.
    ///
    /// # Errors
    /// [`Error::NonFinite`] under [`Missing::Refuse`] (row 0, column `d`).
    pub fn apply_target(&self, y: f64) -> Result<(f64, bool)> {
        let col = self.stored.d;
        Ok(match self.stored.target {
            TargetRange::Abs(y_abs) => {
                let y = self.present(y, 0.0, col)?;
                (y.clamp(-y_abs, y_abs), y.abs() > y_abs)
            }
            TargetRange::Limits(limits) => {
                let y = self.present(y, limits.centre(), col)?;
                (limits.to_unit(y), !limits.contains(y))
            }
        })
    }

    /// A prediction in units of the raw target.
    #[must_use]
    pub fn restore_target(&self, prediction: f64) -> f64 {
        match self.stored.target {
            TargetRange::Abs(_) => prediction,
            TargetRange::Limits(l) => l.centre() + 0.5 * (l.upper - l.lower) * prediction,
        }
    }

    /// The same linear function on raw features in raw units: intercept and one slope a raw
    /// feature. It agrees with the prepared one for rows inside the public range. `coef` has
    /// length [`d`](Self::d).
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`].
    pub fn in_raw_units(&self, coef: &[f64]) -> Result<(f64, Vec<f64>)> {
        if coef.len() != self.d() {
            return Err(Error::DimensionMismatch {
                expected: self.d(),
                got: coef.len(),
                row: 0,
            });
        }
        let (slopes, constant) = coef.split_at(self.stored.d);
        let mut intercept =
            constant.first().copied().unwrap_or(0.0) * self.stored.intercept.unwrap_or(0.0);
        let mut slopes = slopes.to_vec();
        if let FeatureRange::Limits(limits) = &self.stored.features {
            let root_d = (self.stored.d as f64).sqrt();
            for (slope, l) in slopes.iter_mut().zip(limits) {
                *slope *= 2.0 / ((l.upper - l.lower) * root_d);
                intercept -= *slope * l.centre();
            }
        }
        let unit = match self.stored.target {
            TargetRange::Abs(_) => 1.0,
            TargetRange::Limits(l) => 0.5 * (l.upper - l.lower),
        };
        slopes.iter_mut().for_each(|slope| *slope *= unit);
        Ok((self.restore_target(intercept), slopes))
    }

    fn present(&self, value: f64, centre: f64, col: usize) -> Result<f64> {
        match self.stored.missing {
            Missing::Refuse if value.is_finite() => Ok(value),
            Missing::Refuse => Err(Error::NonFinite { row: 0, col }),
            Missing::Centre if value.abs() <= LARGEST_VALUE => Ok(value),
            Missing::Centre => Ok(centre),
        }
    }
}

/// Scale a row onto the ball of this radius; whether it was outside.
fn clip(row: &mut [f64], radius: f64) -> bool {
    let norm = norm2(row);
    let outside = norm > radius;
    if outside {
        row.iter_mut().for_each(|v| *v *= radius / norm);
    }
    outside
}

impl TryFrom<Stored> for Preparation {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let limits = match &stored.features {
            FeatureRange::Norm(_) => stored.d.max(1),
            FeatureRange::Limits(limits) => limits.len(),
        };
        if limits != stored.d || limits == 0 {
            return Err(Error::DimensionMismatch {
                expected: stored.d.max(1),
                got: limits,
                row: 0,
            });
        }
        let mut positive = vec![];
        match &stored.features {
            FeatureRange::Norm(x_norm) => positive.push(("x_norm", *x_norm)),
            FeatureRange::Limits(limits) => limits.iter().try_for_each(Limits::check)?,
        }
        match &stored.target {
            TargetRange::Abs(y_abs) => positive.push(("y_abs", *y_abs)),
            TargetRange::Limits(limits) => limits.check()?,
        }
        positive.extend(stored.intercept.map(|scale| ("intercept", scale)));
        for (name, value) in positive {
            if !(value > 0.0 && value <= LARGEST_VALUE) {
                return Err(Error::BadBounds { name, value });
            }
        }
        Ok(Self { stored })
    }
}

impl From<Preparation> for Stored {
    fn from(preparation: Preparation) -> Self {
        preparation.stored
    }
}

/// The preparation of the AdaSSP study (Wang 2018): targets centred and divided by `max|y|`,
/// features z-scored and each row divided by its norm, so that `B_x = B_y = 1` holds.
/// **Not private:** all constants are read from the data. For comparison with published numbers
/// only. `x` is `n × d`. A constant column becomes 0, and so does a row of zeros. O(nd).
///
/// # Errors
/// [`Error::EmptyData`], [`Error::DimensionMismatch`], [`Error::NonFinite`].
pub fn non_private_standardize(x: MatRef<'_, f64>, y: &[f64]) -> Result<(Mat<f64>, Vec<f64>)> {
    let (n, d) = (x.nrows(), x.ncols());
    if n == 0 {
        return Err(Error::EmptyData);
    }
    if y.len() != n {
        return Err(Error::DimensionMismatch {
            expected: n,
            got: y.len(),
            row: y.len() as u64,
        });
    }
    crate::clip::check_finite(x, y)?;
    let mean_y = y.iter().sum::<f64>() / n as f64;
    let largest = y.iter().map(|y| (y - mean_y).abs()).fold(0.0, f64::max);
    let divisor = if largest > 0.0 { largest } else { 1.0 };
    let y = y.iter().map(|y| (y - mean_y) / divisor).collect();

    let mut scaled = Mat::zeros(n, d);
    for j in 0..d {
        let mean = (0..n).map(|i| x[(i, j)]).sum::<f64>() / n as f64;
        let square: f64 = (0..n).map(|i| (x[(i, j)] - mean).powi(2)).sum();
        let sd = (square / n as f64).sqrt();
        // A column that is constant to rounding has no scale.
        if sd > 1e-12 * mean.abs() {
            for i in 0..n {
                scaled[(i, j)] = (x[(i, j)] - mean) / sd;
            }
        }
    }
    for i in 0..n {
        let row: Vec<f64> = scaled.row(i).iter().copied().collect();
        let norm = norm2(&row);
        if norm > 0.0 {
            for j in 0..d {
                scaled[(i, j)] /= norm;
            }
        }
    }
    Ok((scaled, y))
}
