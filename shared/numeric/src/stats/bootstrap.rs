use super::{Interval, mean, quantile, tail};
use crate::error::{Error, Position, Result, check_count, check_finite, check_lengths};
use crate::special::{normal_cdf, normal_quantile};
use crate::streams::{Streams, index};

/// Any statistic of one sample with its percentile bootstrap interval.
///
/// Resamples `data` with replacement `reps` times and takes quantiles of the statistic
/// (Efron & Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13). Deterministic
/// given `streams`. `reps` evaluations of `stat` on n values; memory O(n + reps).
///
/// ```
/// use papercrates_numeric::stats::{bootstrap_percentile, median};
/// use papercrates_numeric::streams::Streams;
///
/// let times = [1.2, 1.9, 1.4, 1.1, 5.0, 1.3, 1.6, 1.5];
/// let interval = bootstrap_percentile(&times, median, 2000, 0.95, &Streams::new(1))?;
/// assert!(interval.low <= 1.45 && 1.45 <= interval.high);
/// # Ok::<(), papercrates_numeric::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::OutOfRange`] unless `level` is in `(0, 1)`; [`Error::TooFew`] below two values, or
/// with fewer than `2 / (1 - level)` replicates, which leaves none beyond an end;
/// [`Error::NotFinite`] in the data or from `stat`.
pub fn bootstrap_percentile(
    data: &[f64],
    stat: impl Fn(&[f64]) -> f64,
    reps: usize,
    level: f64,
    streams: &Streams,
) -> Result<Interval> {
    let tail = check(data.len(), reps, level)?;
    check_finite("the data", data)?;
    let estimate = finite(stat(data), 0)?;
    let replicates = resample_one(data, &stat, reps, streams)?;
    Ok(Interval {
        estimate,
        low: quantile(&replicates, tail),
        high: quantile(&replicates, 1.0 - tail),
        level,
        n: data.len(),
    })
}

/// Any statistic of one sample with its bias-corrected and accelerated (BCa) bootstrap interval.
///
/// As [`bootstrap_percentile`], with the two levels moved for bias and skewness (Efron,
/// *JASA* 82, 1987): second-order accurate where the percentile interval is first-order. The
/// acceleration comes from the jackknife, so `stat` is evaluated `reps + n` times.
///
/// # Errors
///
/// Those of [`bootstrap_percentile`], and [`Error::Degenerate`] when all replicates lie on one
/// side of the estimate.
pub fn bootstrap_bca(
    data: &[f64],
    stat: impl Fn(&[f64]) -> f64,
    reps: usize,
    level: f64,
    streams: &Streams,
) -> Result<Interval> {
    let tail = check(data.len(), reps, level)?;
    check_finite("the data", data)?;
    let estimate = finite(stat(data), 0)?;
    let replicates = resample_one(data, &stat, reps, streams)?;

    // Replicates equal to the estimate count half, which discrete statistics need.
    let below = replicates.iter().filter(|r| **r < estimate).count() as f64;
    let equal = replicates.iter().filter(|r| **r == estimate).count() as f64;
    let bias = normal_quantile((below + 0.5 * equal) / reps as f64);
    let acceleration = acceleration(data, &stat)?;
    let moved = |z: f64| {
        let shifted = bias + z;
        let stretch = 1.0 - acceleration * shifted;
        (bias.is_finite() && stretch > 0.0).then(|| normal_cdf(bias + shifted / stretch))
    };
    let z = normal_quantile(tail);
    let (Some(low), Some(high)) = (moved(z), moved(-z)) else {
        return Err(Error::Degenerate {
            what: "the BCa interval",
            why: "the replicates lie on one side of the estimate or are too skewed",
            remedy: "use `bootstrap_percentile`, or a statistic that is less extreme",
        });
    };
    Ok(Interval {
        estimate,
        low: quantile(&replicates, low),
        high: quantile(&replicates, high),
        level,
        n: data.len(),
    })
}

/// Any statistic of two samples measured on the same cases, with its percentile bootstrap
/// interval over cases: `a[i]` and `b[i]` are drawn together.
///
/// ```
/// use papercrates_numeric::stats::{mean, paired_bootstrap};
/// use papercrates_numeric::streams::Streams;
///
/// let ours = [0.81, 0.77, 0.90, 0.69, 0.84, 0.75];
/// let theirs = [0.79, 0.74, 0.88, 0.70, 0.80, 0.71];
/// let gain = |a: &[f64], b: &[f64]| mean(a) - mean(b);
/// let interval = paired_bootstrap(&ours, &theirs, gain, 2000, 0.95, &Streams::new(1))?;
/// assert!(interval.low > 0.0);
/// # Ok::<(), papercrates_numeric::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`bootstrap_percentile`], and [`Error::LengthMismatch`].
pub fn paired_bootstrap(
    a: &[f64],
    b: &[f64],
    stat: impl Fn(&[f64], &[f64]) -> f64,
    reps: usize,
    level: f64,
    streams: &Streams,
) -> Result<Interval> {
    check_lengths("the paired samples", a.len(), b.len())?;
    let tail = check(a.len(), reps, level)?;
    check_finite("the first sample", a)?;
    check_finite("the second sample", b)?;
    let estimate = finite(stat(a, b), 0)?;
    let (mut left, mut right) = (a.to_vec(), b.to_vec());
    let replicates = replicate(a.len(), reps, streams, |draws| {
        for ((l, r), &i) in left.iter_mut().zip(&mut right).zip(draws) {
            (*l, *r) = (a[i], b[i]);
        }
        stat(&left, &right)
    })?;
    Ok(Interval {
        estimate,
        low: quantile(&replicates, tail),
        high: quantile(&replicates, 1.0 - tail),
        level,
        n: a.len(),
    })
}

fn check(n: usize, reps: usize, level: f64) -> Result<f64> {
    let tail = tail(level)?;
    check_count("the bootstrap", n, 2)?;
    // 1 / tail is 40.000000000000036 at 95 %, and means 40.
    let needed = (1.0 / tail - 1e-9).ceil() as usize;
    if reps < needed {
        return Err(Error::TooFew {
            what: "a bootstrap interval at this level",
            found: reps,
            needed,
            hint: ": raise `reps` or lower the level",
        });
    }
    Ok(tail)
}

fn resample_one(
    data: &[f64],
    stat: impl Fn(&[f64]) -> f64,
    reps: usize,
    streams: &Streams,
) -> Result<Vec<f64>> {
    let mut sample = data.to_vec();
    replicate(data.len(), reps, streams, |draws| {
        for (value, &i) in sample.iter_mut().zip(draws) {
            *value = data[i];
        }
        stat(&sample)
    })
}

/// The statistic on `reps` draws of `n` indices with replacement.
fn replicate(
    n: usize,
    reps: usize,
    streams: &Streams,
    mut stat_of: impl FnMut(&[usize]) -> f64,
) -> Result<Vec<f64>> {
    let mut rng = streams.child("bootstrap").rng();
    let mut draws = vec![0; n];
    (1..=reps)
        .map(|rep| {
            draws.fill_with(|| index(&mut rng, n));
            finite(stat_of(&draws), rep)
        })
        .collect()
}

/// Replicate 0 is the sample itself.
fn finite(value: f64, replicate: usize) -> Result<f64> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(Error::NotFinite {
        what: "the bootstrapped statistic",
        value,
        position: Position::Replicate(replicate),
    })
}

/// Skewness of the jackknife values over six; 0 when they do not vary.
fn acceleration(data: &[f64], stat: impl Fn(&[f64]) -> f64) -> Result<f64> {
    // The first element is left out, then each takes its turn outside.
    let mut rest = data[1..].to_vec();
    let mut values = Vec::with_capacity(data.len());
    values.push(finite(stat(&rest), 0)?);
    for out in 1..data.len() {
        rest[out - 1] = data[out - 1];
        values.push(finite(stat(&rest), 0)?);
    }
    let centre = mean(&values);
    let (mut squares, mut cubes) = (0.0, 0.0);
    for value in values {
        let away = centre - value;
        squares += away * away;
        cubes += away * away * away;
    }
    if squares == 0.0 {
        return Ok(0.0);
    }
    Ok(cubes / (6.0 * squares * squares.sqrt()))
}
