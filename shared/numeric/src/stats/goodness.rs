use super::Test;
use crate::error::{Error, Position, Result, check_count, check_finite, check_lengths};
use crate::linalg::mat_t_vec;
use faer::Mat;

/// Up to this many values the body of the Kolmogorov distribution is exact.
const EXACT_UP_TO: usize = 140;
/// Above this `sqrt(n) D`, both one-sided deviations at once are rarer than 4e-9 of the p-value.
const TAIL_FROM: f64 = 1.8;

/// Kolmogorov-Smirnov test: does a sample follow the continuous distribution function `cdf`?
///
/// The statistic is `D`, the largest distance between empirical and given distribution function.
/// The p-value is exact to 1e-8 up to 140 values (Marsaglia, Tsang & Wang, *Journal of
/// Statistical Software* 8(18), 2003) and in the tail `sqrt(n) D >= 1.8` for any n (Birnbaum &
/// Tingey, *Annals of Mathematical Statistics* 22, 1951); elsewhere it takes Kolmogorov's limit
/// at the argument corrected by Vrbik (*Pioneer Journal of Theoretical and Applied Statistics*
/// 15, 2018), within 2e-4. O(n log n).
///
/// The p-value is too large when parameters of `cdf` were fitted to the same data.
///
/// # Errors
///
/// [`Error::TooFew`] for an empty sample, [`Error::NotFinite`] in the data or from `cdf`, and
/// [`Error::OutOfRange`] when `cdf` leaves `[0, 1]`.
pub fn ks_one_sample(data: &[f64], cdf: impl Fn(f64) -> f64) -> Result<Test> {
    check_count("the Kolmogorov-Smirnov test", data.len(), 1)?;
    check_finite("the data", data)?;
    let mut sorted = data.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let mut statistic = 0.0_f64;
    for (i, &x) in sorted.iter().enumerate() {
        let at = cdf(x);
        if at.is_nan() {
            return Err(Error::NotFinite {
                what: "the distribution function",
                value: at,
                position: Position::Argument(x),
            });
        }
        if !(0.0..=1.0).contains(&at) {
            return Err(Error::OutOfRange {
                name: "the distribution function",
                value: at,
                range: "[0, 1]",
            });
        }
        let i = i as f64;
        statistic = statistic.max(at - i / n).max((i + 1.0) / n - at);
    }
    Ok(Test {
        statistic,
        p_value: ks_p_value(data.len(), statistic).clamp(0.0, 1.0),
    })
}

fn ks_p_value(n: usize, d: f64) -> f64 {
    let root = (n as f64).sqrt();
    if root * d >= TAIL_FROM {
        2.0 * one_sided_tail(n, d)
    } else if n <= EXACT_UP_TO {
        1.0 - exact_cdf(n, d)
    } else {
        let x = root * d;
        kolmogorov_tail(x + 1.0 / (6.0 * root) + (x - 1.0) / (4.0 * n as f64))
    }
}

/// `P(D⁺ >= d)`, summed in logarithms because the factors leave the range of `f64`.
fn one_sided_tail(n: usize, d: f64) -> f64 {
    if d >= 1.0 {
        return 0.0;
    }
    let size = n as f64;
    let last = (size * (1.0 - d)).floor() as usize;
    let mut ln_choose = 0.0;
    let mut sum = 0.0;
    for j in 0..=last {
        let i = j as f64;
        if j > 0 {
            ln_choose += ((size - i + 1.0) / i).ln();
        }
        let above = d + i / size;
        let below = (1.0 - above).max(0.0);
        // 0⁰ is 1 where the last power vanishes.
        let ln_below = if j == n { 0.0 } else { (size - i) * below.ln() };
        sum += (ln_choose + (i - 1.0) * above.ln() + ln_below).exp();
    }
    d * sum
}

/// `P(sup |B(t)| >= x)` of the Brownian bridge, by whichever theta series converges fast.
fn kolmogorov_tail(x: f64) -> f64 {
    use std::f64::consts::PI;
    if x <= 0.0 {
        return 1.0;
    }
    if x < 1.0 {
        let exponent = PI * PI / (8.0 * x * x);
        let sum: f64 = [1.0_f64, 9.0, 25.0, 49.0]
            .iter()
            .map(|odd| (-odd * exponent).exp())
            .sum();
        return 1.0 - (2.0 * PI).sqrt() / x * sum;
    }
    let term = |k: f64| (-2.0 * k * k * x * x).exp();
    2.0 * (term(1.0) - term(2.0) + term(3.0) - term(4.0))
}

/// `P(D < d)` for `n` values: an entry of the n-th power of Durbin's matrix, times `n! / nⁿ`.
fn exact_cdf(n: usize, d: f64) -> f64 {
    let size = n as f64;
    let reach = (size * d).floor() as usize + 1;
    let h = reach as f64 - size * d;
    let m = 2 * reach - 1;
    let factorial = |k: usize| (1..=k).map(|i| i as f64).product::<f64>();
    let step = Mat::from_fn(m, m, |i, j| {
        if i + 1 < j {
            return 0.0;
        }
        let k = i + 1 - j;
        let (first_column, last_row) = (j == 0, i == m - 1);
        let mut entry = 1.0;
        if first_column {
            entry -= h.powi(k as i32);
        }
        if last_row {
            entry -= h.powi(k as i32);
        }
        if first_column && last_row && h > 0.5 {
            entry += (2.0 * h - 1.0).powi(k as i32);
        }
        entry / factorial(k)
    });
    // The factor n! / nⁿ goes in step by step to keep the range.
    let mut row = vec![0.0; m];
    row[reach - 1] = 1.0;
    for i in 1..=n {
        row = mat_t_vec(step.as_ref(), &row);
        row.iter_mut().for_each(|x| *x *= i as f64 / size);
    }
    row[reach - 1]
}

/// Pearson's chi-square test of counts against expected counts of the same total.
///
/// The statistic is the sum of `(observed - expected)² / expected`; the p-value is from the
/// chi-square distribution with one degree of freedom fewer than cells, good when every
/// expectation is at least about 5. O(cells).
///
/// # Errors
///
/// [`Error::LengthMismatch`], [`Error::TooFew`] below two cells, [`Error::NotFinite`], and
/// [`Error::OutOfRange`] for a negative count, an expectation that is not positive, or totals
/// that differ by more than 1e-8 relative.
pub fn chi_square(observed: &[f64], expected: &[f64]) -> Result<Test> {
    let lengths = "observed and expected counts";
    check_lengths(lengths, observed.len(), expected.len())?;
    check_count("the chi-square test", observed.len(), 2)?;
    check_finite("the observed counts", observed)?;
    check_finite("the expected counts", expected)?;
    if let Some(&value) = observed.iter().find(|o| **o < 0.0) {
        return Err(Error::OutOfRange {
            name: "an observed count",
            value,
            range: "[0, inf)",
        });
    }
    if let Some(&value) = expected.iter().find(|e| **e <= 0.0) {
        return Err(Error::OutOfRange {
            name: "an expected count",
            value,
            range: "(0, inf)",
        });
    }
    let ratio = observed.iter().sum::<f64>() / expected.iter().sum::<f64>();
    if (ratio - 1.0).abs() > 1e-8 {
        return Err(Error::OutOfRange {
            name: "the ratio of observed to expected total",
            value: ratio,
            range: "[1 - 1e-8, 1 + 1e-8]",
        });
    }
    let statistic: f64 = observed
        .iter()
        .zip(expected)
        .map(|(o, e)| (o - e) * (o - e) / e)
        .sum();
    let half_freedom = 0.5 * (observed.len() - 1) as f64;
    let p_value = if statistic == 0.0 {
        1.0
    } else if statistic.is_finite() {
        statrs::function::gamma::gamma_ur(half_freedom, 0.5 * statistic)
    } else {
        0.0
    };
    Ok(Test { statistic, p_value })
}
