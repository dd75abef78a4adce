use super::{Interval, binomial, tail};
use crate::error::{Error, Result, check_count};
use crate::roots::bracketed_root;
use crate::special::normal_quantile;

/// Share of successes with Wilson's score interval (*JASA* 22, 1927), without continuity
/// correction: near the nominal coverage on average, also for few trials and rare events.
///
/// # Errors
///
/// [`Error::OutOfRange`] unless `level` is in `(0, 1)` and `successes <= n`,
/// [`Error::TooFew`] for no trials.
pub fn wilson(successes: usize, n: usize, level: f64) -> Result<Interval> {
    let tail = check(successes, n, level)?;
    let trials = n as f64;
    let share = successes as f64 / trials;
    let z = normal_quantile(1.0 - tail);
    let weight = z * z / trials;
    let centre = (share + 0.5 * weight) / (1.0 + weight);
    let reach =
        z * (share * (1.0 - share) / trials + weight / (4.0 * trials)).sqrt() / (1.0 + weight);
    // At the extremes the end is exactly 0 or 1; rounding must not move it.
    Ok(Interval {
        estimate: share,
        low: if successes == 0 { 0.0 } else { centre - reach },
        high: if successes == n { 1.0 } else { centre + reach },
        level,
        n,
    })
}

/// Share of successes with the exact interval of Clopper & Pearson (*Biometrika* 26, 1934):
/// covers at least `level` whatever the true share.
///
/// The ends are accurate to 1e-12 relative up to a million trials and to 1e-10 for a hundred
/// million. O(√n).
///
/// # Errors
///
/// Those of [`wilson`].
pub fn clopper_pearson(successes: usize, n: usize, level: f64) -> Result<Interval> {
    let tail = check(successes, n, level)?;
    let share = successes as f64 / n as f64;
    // The share itself is a median of its binomial law, so each tail is at least one half there
    // and falls to 0 at the far end. The outer ends of the brackets keep the coverage.
    let low = if successes == 0 {
        0.0
    } else {
        bracketed_root(|p| binomial::sf(successes, n, p) - tail, 0.0, share, 1e-13)?.lo
    };
    let high = if successes == n {
        1.0
    } else {
        bracketed_root(|p| binomial::cdf(successes, n, p) - tail, share, 1.0, 1e-13)?.hi
    };
    Ok(Interval {
        estimate: share,
        low,
        high,
        level,
        n,
    })
}

fn check(successes: usize, n: usize, level: f64) -> Result<f64> {
    let tail = tail(level)?;
    check_count("an interval for a proportion", n, 1)?;
    if successes > n {
        return Err(Error::OutOfRange {
            name: "successes",
            value: successes as f64,
            range: "[0, n]",
        });
    }
    Ok(tail)
}
