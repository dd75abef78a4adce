use super::{Test, binomial};
use crate::error::{Result, check_count, check_finite, check_lengths};
use crate::special::normal_cdf;
use crate::stats::correlation::ranks;

/// Up to this many differences the Wilcoxon p-value is exact.
const EXACT_UP_TO: usize = 50;

/// Exact McNemar test: two-sided p-value for paired yes/no outcomes.
///
/// `b` cases succeeded only under the first method, `c` only under the second; cases on which
/// both agree carry no information. Under the null, `b` is binomial with `b + c` trials and
/// probability one half. 1 when both are 0.
pub fn mcnemar_exact(b: usize, c: usize) -> f64 {
    if b == c {
        return 1.0;
    }
    // Different counts, so the smaller is below their sum.
    (2.0 * binomial::cdf(b.min(c), b + c, 0.5)).min(1.0)
}

/// Wilcoxon's signed-rank test of paired samples: are the differences `a[i] - b[i]` symmetric
/// about 0?
///
/// The statistic is the smaller of the two rank sums. Differences of 0 are dropped, as Wilcoxon
/// did. Up to 50 remaining differences the p-value is exact (given the ranks, hence also with
/// ties); above, the normal approximation with tie and continuity correction. When nothing
/// remains, the statistic is 0 and the p-value 1. O(n log n), exact O(n³).
///
/// # Errors
///
/// [`Error::LengthMismatch`](crate::Error::LengthMismatch),
/// [`Error::TooFew`](crate::Error::TooFew) for empty samples,
/// [`Error::NotFinite`](crate::Error::NotFinite).
pub fn wilcoxon_signed_rank(a: &[f64], b: &[f64]) -> Result<Test> {
    check_lengths("the paired samples", a.len(), b.len())?;
    check_count("the signed-rank test", a.len(), 1)?;
    check_finite("the first sample", a)?;
    check_finite("the second sample", b)?;
    let differences: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
    check_finite("a difference of the samples", &differences)?;
    let differences: Vec<f64> = differences.into_iter().filter(|d| *d != 0.0).collect();

    let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
    let (ranks, tie_sizes) = ranks(&sizes);
    let positive: f64 = ranks
        .iter()
        .zip(&differences)
        .filter(|(_, d)| **d > 0.0)
        .map(|(r, _)| r)
        .sum();
    let n = differences.len() as f64;
    let total = 0.5 * n * (n + 1.0);
    let statistic = positive.min(total - positive);
    let p_value = if differences.len() <= EXACT_UP_TO {
        exact_p(&ranks, statistic)
    } else {
        let ties: f64 = tie_sizes.iter().map(|t| t * (t * t - 1.0)).sum();
        let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - 0.5 * ties) / 24.0;
        let short = (0.5 * total - statistic - 0.5).max(0.0);
        2.0 * normal_cdf(-short / variance.sqrt())
    };
    Ok(Test { statistic, p_value })
}

/// `2 P(W <= statistic)`, capped at 1, over all equally likely choices of signs.
fn exact_p(ranks: &[f64], statistic: f64) -> f64 {
    // Average ranks are halves, so twice the sums are integers. Probabilities are multiples of
    // 2^-50 at most, hence exact.
    let doubled: Vec<usize> = ranks.iter().map(|r| (2.0 * r) as usize).collect();
    let total: usize = doubled.iter().sum();
    let mut probability = vec![0.0; total + 1];
    probability[0] = 1.0;
    for &rank in &doubled {
        for sum in (0..=total).rev() {
            let with = if sum >= rank {
                probability[sum - rank]
            } else {
                0.0
            };
            probability[sum] = 0.5 * (probability[sum] + with);
        }
    }
    let up_to = (2.0 * statistic) as usize;
    (2.0 * probability[..=up_to].iter().sum::<f64>()).min(1.0)
}
