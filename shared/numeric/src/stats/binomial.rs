//! Tails of the binomial law, for any number of trials. The library's incomplete beta function
//! stops short of convergence from about 10^7 trials on.

use std::f64::consts::PI;

/// `P(B <= k)` for `n` trials with probability `p` in `[0, 1]`; `k < n`.
pub(super) fn cdf(k: usize, n: usize, p: f64) -> f64 {
    if (k as f64) < n as f64 * p {
        lower_tail(k, n, p)
    } else {
        1.0 - upper_tail(k + 1, n, p)
    }
}

/// `P(B >= k)` of the same count; `1 <= k <= n`.
pub(super) fn sf(k: usize, n: usize, p: f64) -> f64 {
    if (k as f64) > n as f64 * p {
        upper_tail(k, n, p)
    } else {
        1.0 - lower_tail(k - 1, n, p)
    }
}

/// Sums from the largest term outwards; past the mean the terms fall, and after about ten
/// standard deviations they no longer matter.
fn upper_tail(k: usize, n: usize, p: f64) -> f64 {
    if p <= 0.0 {
        return 0.0;
    }
    let odds = p / (1.0 - p);
    let mut term = 1.0;
    let mut sum = 1.0;
    for i in k..n {
        term *= (n - i) as f64 / (i + 1) as f64 * odds;
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
    }
    probability(k, n, p) * sum
}

fn lower_tail(k: usize, n: usize, p: f64) -> f64 {
    if p >= 1.0 {
        return 0.0;
    }
    let odds = (1.0 - p) / p;
    let mut term = 1.0;
    let mut sum = 1.0;
    for i in (1..=k).rev() {
        term *= i as f64 / (n - i + 1) as f64 * odds;
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
    }
    probability(k, n, p) * sum
}

/// `P(B = k)` as a saddle point and its corrections (Loader, *Fast and Accurate Computation of
/// Binomial Probabilities*, 2000): no difference of large log-factorials.
fn probability(k: usize, n: usize, p: f64) -> f64 {
    let (hits, trials) = (k as f64, n as f64);
    let misses = trials - hits;
    if k == 0 {
        return (trials * (-p).ln_1p()).exp();
    }
    if k == n {
        return (trials * p.ln()).exp();
    }
    let corrections = stirling_error(n) - stirling_error(k) - stirling_error(n - k);
    let deviance = deviance(hits, trials * p) + deviance(misses, trials * (1.0 - p));
    (corrections - deviance).exp() * (trials / hits / misses / (2.0 * PI)).sqrt()
}

/// `ln m!` minus Stirling's formula.
fn stirling_error(m: usize) -> f64 {
    let x = m as f64;
    if m < 16 {
        let factorial: f64 = (1..=m).map(|i| i as f64).product();
        return factorial.ln() - (x + 0.5) * x.ln() + x - 0.5 * (2.0 * PI).ln();
    }
    // DLMF 5.11.1; the next term is below 2e-14.
    let square = x * x;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / 1680.0 / square) / square) / square) / x
}

/// `x ln(x / m) + m - x`: how far a count is from its expectation.
fn deviance(x: f64, m: f64) -> f64 {
    let excess = (x - m) / m;
    m * ((1.0 + excess) * excess.ln_1p() - excess)
}
