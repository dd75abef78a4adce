use super::{Interval, binomial, mean, quantile, std_dev, tail};
use crate::error::{Error, Result, check_count, check_finite};
use crate::special::normal_quantile;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Mean with Student's t interval.
///
/// Exact for normal data, approximate for others with finite variance. O(n).
///
/// # Errors
///
/// [`Error::OutOfRange`] unless `level` is in `(0, 1)` and the squares of the data stay finite,
/// [`Error::TooFew`] below two values, [`Error::NotFinite`].
pub fn mean_interval(data: &[f64], level: f64) -> Result<Interval> {
    let tail = tail(level)?;
    check_count("an interval for the mean", data.len(), 2)?;
    check_finite("the data", data)?;
    let n = data.len();
    let estimate = mean(data);
    let reach = t_upper((n - 1) as f64, tail)? * std_dev(data) / (n as f64).sqrt();
    if !reach.is_finite() {
        return Err(Error::OutOfRange {
            name: "the spread of the data",
            value: reach,
            range: "[0, 1e150)",
        });
    }
    Ok(Interval {
        estimate,
        low: estimate - reach,
        high: estimate + reach,
        level,
        n,
    })
}

/// The value that Student's t with `freedom` degrees exceeds with probability `tail`.
fn t_upper(freedom: f64, tail: f64) -> Result<f64> {
    if freedom < 1e4 {
        let t = StudentsT::new(0.0, 1.0, freedom).map_err(|_| Error::OutOfRange {
            name: "degrees of freedom",
            value: freedom,
            range: "(0, inf)",
        })?;
        return Ok(-t.inverse_cdf(tail));
    }
    // The library loses digits here. Fisher's expansion in 1/freedom (Abramowitz & Stegun
    // 26.7.5) is exact to about 1e-11.
    let z = -normal_quantile(tail);
    let z2 = z * z;
    let first = z * (z2 + 1.0) / 4.0;
    let second = z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
    Ok(z + (first + second / freedom) / freedom)
}

/// Median with a distribution-free interval: [`quantile_interval`] at one half.
///
/// # Errors
///
/// Those of [`quantile_interval`]; 95 % takes at least 6 values.
pub fn median_interval(data: &[f64], level: f64) -> Result<Interval> {
    quantile_interval(data, 0.5, level)
}

/// Quantile at `q` in `(0, 1)` with an interval between two order statistics.
///
/// The estimate is [`quantile`]; the ends are the closest order statistics that leave at most
/// `(1 - level) / 2` on each side by the binomial law of how many values lie below the true
/// quantile. So it covers at least `level` for every distribution, continuous or not.
/// O(n log n).
///
/// # Errors
///
/// [`Error::OutOfRange`] unless `q` and `level` are in `(0, 1)`, [`Error::NotFinite`], and
/// [`Error::TooFew`] (naming the number needed) where no order statistic lies far enough out.
pub fn quantile_interval(data: &[f64], q: f64, level: f64) -> Result<Interval> {
    let tail = tail(level)?;
    if !(q > 0.0 && q < 1.0) {
        return Err(Error::OutOfRange {
            name: "q",
            value: q,
            range: "(0, 1)",
        });
    }
    check_finite("the data", data)?;
    let n = data.len();
    // All values on one side of the quantile must be rarer than a tail.
    let needed = (tail.ln() / q.max(1.0 - q).ln()).ceil() as usize;
    if n < needed {
        return Err(Error::TooFew {
            what: "this order-statistic interval",
            found: n,
            needed,
            hint: ", lower the level, or take a quantile nearer the median",
        });
    }
    let mut sorted = data.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    // Counted from 0: the last rank that lies above the quantile rarely enough, and the first
    // that lies below it rarely enough.
    let low = partition(n, |k| binomial::cdf(k, n, q) <= tail).saturating_sub(1);
    let high = partition(n, |k| binomial::sf(k + 1, n, q) > tail).min(n - 1);
    Ok(Interval {
        estimate: quantile(data, q),
        low: sorted[low],
        high: sorted[high],
        level,
        n,
    })
}

/// How many of `0..n` satisfy `holds`, which holds up to some point and not after it.
fn partition(n: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut yes, mut no) = (0, n);
    while yes < no {
        let middle = yes + (no - yes) / 2;
        if holds(middle) {
            yes = middle + 1;
        } else {
            no = middle;
        }
    }
    yes
}
