//! Descriptive statistics, intervals and tests for comparing methods.
//!
//! | question | function |
//! |---|---|
//! | what is the mean, median, quantile, and how sure is it? | [`mean_interval`], [`median_interval`], [`quantile_interval`] |
//! | how often does it succeed? | [`wilson`], [`clopper_pearson`] |
//! | any other statistic? | [`bootstrap_bca`], [`bootstrap_percentile`] |
//! | two methods on the same cases? | [`paired_bootstrap`], [`wilcoxon_signed_rank`], [`mcnemar_exact`] |
//! | do two measures order cases alike? | [`spearman`], [`kendall`] |
//! | does a sample follow a distribution? | [`ks_one_sample`], [`chi_square`] |
//! | many p-values at once? | [`holm`] |
//!
//! Plain summaries ([`mean`], [`quantile`] and their like) return NaN where they are undefined,
//! so that they can serve as the statistic of a bootstrap; whatever carries an interval or a
//! p-value returns an [`Error`]. All tests are two-sided.

mod binomial;
mod bootstrap;
mod correlation;
mod describe;
mod goodness;
mod interval;
mod multiple;
mod paired;
mod proportion;

pub use bootstrap::{bootstrap_bca, bootstrap_percentile, paired_bootstrap};
pub use correlation::{kendall, spearman};
pub use describe::{mean, median, quantile, std_dev, variance};
pub use goodness::{chi_square, ks_one_sample};
pub use interval::{mean_interval, median_interval, quantile_interval};
pub use multiple::holm;
pub use paired::{mcnemar_exact, wilcoxon_signed_rank};
pub use proportion::{clopper_pearson, wilson};

use crate::error::{Error, Result};

/// An estimate with a confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The point estimate, in the units of the data.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The nominal confidence level that was asked for, in `(0, 1)`.
    pub level: f64,
    /// Number of observations (pairs, trials) behind it.
    pub n: usize,
}

/// The outcome of a hypothesis test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// The test statistic, as the test defines it.
    pub statistic: f64,
    /// Two-sided p-value in `[0, 1]`.
    pub p_value: f64,
}

/// The probability beyond each end of a two-sided interval.
fn tail(level: f64) -> Result<f64> {
    if level > 0.0 && level < 1.0 {
        Ok(0.5 * (1.0 - level))
    } else {
        Err(Error::OutOfRange {
            name: "level",
            value: level,
            range: "(0, 1)",
        })
    }
}
