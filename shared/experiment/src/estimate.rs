use papercrates_numeric::stats;
use serde::Serialize;

use crate::{Error, Result};

/// A measured number with its 95 % confidence interval and the number of observations.
///
/// ```
/// use papercrates_experiment::Estimate;
/// // Eight of ten seeds; Wilson's interval.
/// let share = Estimate::proportion(8, 10)?;
/// assert!((share.mean() - 0.8).abs() < 1e-12);
/// assert!((share.low() - 0.490_162_5).abs() < 1e-6);
/// # Ok::<(), papercrates_experiment::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    mean: f64,
    low: f64,
    high: f64,
    n: usize,
}

impl Estimate {
    /// An estimate whose 95 % interval `[low, high]` was worked out elsewhere, from `n`
    /// observations.
    ///
    /// The point estimate need not lie inside: bootstrap intervals of skew statistics can miss it.
    ///
    /// # Errors
    /// [`Error::BadEstimate`] when a number is not finite, `low > high` or `n` is 0.
    pub fn new(mean: f64, low: f64, high: f64, n: usize) -> Result<Self> {
        let bad = |reason: &str| {
            Err(Error::BadEstimate {
                mean,
                low,
                high,
                n,
                reason: reason.to_owned(),
            })
        };
        if !(mean.is_finite() && low.is_finite() && high.is_finite()) {
            return bad("all three numbers must be finite");
        }
        if low > high {
            return bad("the lower end must not exceed the upper end");
        }
        if n == 0 {
            return bad("at least one observation is needed");
        }
        Ok(Self { mean, low, high, n })
    }

    /// A number that is computed, not sampled: its interval is the number itself.
    ///
    /// # Errors
    /// [`Error::BadEstimate`] when it is not finite.
    pub fn exact(value: f64) -> Result<Self> {
        Self::new(value, value, value, 1)
    }

    /// Mean of independent observations with Student's t interval.
    ///
    /// # Errors
    /// [`Error::BadEstimate`] for fewer than two observations or one that is not finite.
    pub fn of_mean(values: &[f64]) -> Result<Self> {
        stats::mean_interval(values, 0.95)
            .map_err(|error| Self::unusable(values.len(), error))
            .and_then(Self::try_from)
    }

    /// Share of successes with Wilson's score interval.
    ///
    /// # Errors
    /// [`Error::BadEstimate`] when `trials` is 0 or less than `successes`.
    pub fn proportion(successes: usize, trials: usize) -> Result<Self> {
        stats::wilson(successes, trials, 0.95)
            .map_err(|error| Self::unusable(trials, error))
            .and_then(Self::try_from)
    }

    /// Mean of the paired differences `a[i] - b[i]`, with Student's t interval.
    ///
    /// # Errors
    /// [`Error::BadEstimate`] when the lengths differ, are below two, or a number is not finite.
    pub fn difference(a: &[f64], b: &[f64]) -> Result<Self> {
        Self::of_mean(&paired(a, b, |a, b| a - b)?)
    }

    /// Geometric mean of the paired ratios `a[i] / b[i]`, with Student's t interval on the
    /// logarithms.
    ///
    /// # Errors
    /// [`Error::BadEstimate`] when the lengths differ, are below two, or a number is not positive
    /// and finite.
    pub fn ratio(a: &[f64], b: &[f64]) -> Result<Self> {
        let logs = paired(a, b, |a, b| {
            if a > 0.0 && b > 0.0 {
                a.ln() - b.ln()
            } else {
                f64::NAN
            }
        })?;
        let Self { mean, low, high, n } = Self::of_mean(&logs)?;
        Self::new(mean.exp(), low.exp(), high.exp(), n)
    }

    /// The decisive gap of a claimed order: `series` are paired by index and claimed to increase
    /// from one to the next.
    ///
    /// Among the mean paired differences of neighbours it returns the one that is wholly below
    /// zero, if there is one, and else the one with the smallest lower end. So
    /// [`Criterion::above(0.0)`](crate::Criterion::above) is reproduced exactly when every gap is,
    /// and not reproduced exactly when some gap is reversed.
    ///
    /// # Errors
    /// [`Error::BadEstimate`] for fewer than two series, and as [`difference`](Self::difference).
    pub fn smallest_gap(series: &[&[f64]]) -> Result<Self> {
        let mut gaps = Vec::with_capacity(series.len());
        for pair in series.windows(2) {
            gaps.push(Self::difference(pair[1], pair[0])?);
        }
        let reversed = gaps.iter().find(|gap| gap.high <= 0.0);
        reversed
            .or_else(|| gaps.iter().min_by(|a, b| a.low.total_cmp(&b.low)))
            .copied()
            .ok_or_else(|| Self::unusable(0, "an order needs at least two series"))
    }

    /// Point estimate.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Lower end of the 95 % interval.
    #[must_use]
    pub fn low(&self) -> f64 {
        self.low
    }

    /// Upper end of the 95 % interval.
    #[must_use]
    pub fn high(&self) -> f64 {
        self.high
    }

    /// Number of observations.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// Whether the interval has width, that is, whether the number was sampled.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.low == self.high
    }

    fn unusable(n: usize, reason: impl std::fmt::Display) -> Error {
        Error::BadEstimate {
            mean: f64::NAN,
            low: f64::NAN,
            high: f64::NAN,
            n,
            reason: reason.to_string(),
        }
    }
}

/// Takes over an interval of `papercrates-numeric`; its level must be 0.95.
impl TryFrom<stats::Interval> for Estimate {
    type Error = Error;

    fn try_from(interval: stats::Interval) -> Result<Self> {
        if (interval.level - 0.95).abs() > 1e-9 {
            return Err(Self::unusable(
                interval.n,
                format!(
                    "its interval has level {}, and every interval of a report has level 0.95",
                    interval.level
                ),
            ));
        }
        Self::new(interval.estimate, interval.low, interval.high, interval.n)
    }
}

fn paired(a: &[f64], b: &[f64], of: impl Fn(f64, f64) -> f64) -> Result<Vec<f64>> {
    if a.len() != b.len() {
        return Err(Estimate::unusable(
            a.len().min(b.len()),
            format!(
                "{} observations cannot be paired with {}; give both the same length",
                a.len(),
                b.len()
            ),
        ));
    }
    Ok(a.iter().zip(b).map(|(&a, &b)| of(a, b)).collect())
}
