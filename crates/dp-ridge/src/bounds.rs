//! Public bounds on a record, and who counts as a neighbour.

use crate::{Error, Result};

/// Public bounds on one record: `‖x‖₂ ≤ x_norm` and `|y| ≤ y_abs`.
///
/// They must come from public knowledge (units, a code book, the law), never from the data.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bounds {
    /// `B_x`: largest Euclidean norm of a feature row, in [1e-150, 1e150].
    pub x_norm: f64,
    /// `B_y`: largest absolute target, in [1e-150, 1e150].
    pub y_abs: f64,
}

impl Bounds {
    /// Both bounds, checked.
    ///
    /// # Errors
    /// [`Error::BadBounds`] unless both are in [1e-150, 1e150].
    pub fn new(x_norm: f64, y_abs: f64) -> Result<Self> {
        let bounds = Self { x_norm, y_abs };
        bounds.check()?;
        Ok(bounds)
    }

    pub(crate) fn check(&self) -> Result<()> {
        for (name, value) in [("x_norm", self.x_norm), ("y_abs", self.y_abs)] {
            // Squares and products of bounds must not over- or underflow.
            if !(1e-150..=1e150).contains(&value) {
                return Err(Error::BadBounds { name, value });
            }
        }
        Ok(())
    }
}

/// What happens to a record outside the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clip {
    /// Scale the row onto the ball and clamp the target (counted).
    #[default]
    Clip,
    /// Refuse it with [`Error::RowOutOfBounds`]. The error reveals something about the data: it is
    /// for checking pipelines, not for release.
    Reject,
}

/// Which data sets are neighbours, without sizes. All releases of one ledger use one relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Relation {
    /// One record replaced by another; the number of records is public.
    #[default]
    ReplaceOne,
    /// One record added or removed; the number of records is private.
    AddRemove,
}

/// Which data sets are neighbours, with the public sizes that add/remove needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Neighbor {
    /// Replace-one: `n` is public and divides the sums.
    #[default]
    ReplaceOne,
    /// Add/remove-one: a public nominal size divides the sums instead of the private `n`.
    AddRemove {
        /// `n₀ ≥ 1`, the divisor: a public guess of the number of rows.
        n_nominal: u64,
        /// `n_max ≥ n₀`, a public upper bound on the number of rows. Privacy holds even when it
        /// is wrong; accuracy may suffer then.
        n_max: u64,
    },
}

impl Neighbor {
    /// The relation without its sizes.
    #[must_use]
    pub fn relation(&self) -> Relation {
        match self {
            Self::ReplaceOne => Relation::ReplaceOne,
            Self::AddRemove { .. } => Relation::AddRemove,
        }
    }

    /// The number that divides the sums: `n`, or the nominal size.
    ///
    /// # Errors
    /// [`Error::EmptyData`] for `n = 0` under replace-one, [`Error::NegativeParameter`] for a
    /// nominal size of 0 or above `n_max`.
    pub fn divisor(&self, n: u64) -> Result<f64> {
        match *self {
            Self::ReplaceOne if n == 0 => Err(Error::EmptyData),
            Self::ReplaceOne => Ok(n as f64),
            Self::AddRemove { n_nominal: 0, .. } => Err(Error::NegativeParameter {
                name: "n_nominal",
                value: 0.0,
                range: "at least 1",
            }),
            Self::AddRemove { n_nominal, n_max } if n_max < n_nominal => {
                Err(Error::NegativeParameter {
                    name: "n_max",
                    value: n_max as f64,
                    range: "at least n_nominal",
                })
            }
            Self::AddRemove { n_nominal, .. } => Ok(n_nominal as f64),
        }
    }
}
