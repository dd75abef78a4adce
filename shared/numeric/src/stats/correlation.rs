use super::{Test, mean};
use crate::error::{Error, Result, check_count, check_finite, check_lengths};
use crate::special::normal_cdf;
use statrs::function::beta::beta_reg;
use std::cmp::Ordering;

/// Up to this many pairs without ties, Kendall's p-value is exact.
const EXACT_UP_TO: usize = 33;

/// Spearman's rank correlation, ties by average ranks.
///
/// The statistic is rho in `[-1, 1]`; the p-value takes `rho sqrt((n - 2) / (1 - rho²))` for
/// Student's t with `n - 2` degrees of freedom, an approximation that is good from about 20
/// pairs on. O(n log n).
///
/// # Errors
///
/// [`Error::LengthMismatch`], [`Error::TooFew`] below three pairs, [`Error::NotFinite`], and
/// [`Error::Degenerate`] when a sample is constant.
pub fn spearman(x: &[f64], y: &[f64]) -> Result<Test> {
    check_pairs("Spearman's correlation", x, y, 3)?;
    let (x_ranks, _) = ranks(x);
    let (y_ranks, _) = ranks(y);
    let centre = mean(&x_ranks);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (u, v) in x_ranks.iter().zip(&y_ranks) {
        let (u, v) = (u - centre, v - centre);
        xx += u * u;
        yy += v * v;
        xy += u * v;
    }
    let rho = (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0);
    // Both tails of Student's t at once, as an incomplete beta function of 1 - rho².
    let p_value = beta_reg(0.5 * (x.len() - 2) as f64, 0.5, (1.0 - rho) * (1.0 + rho));
    Ok(Test {
        statistic: rho,
        p_value,
    })
}

/// Kendall's tau-b, which corrects for ties.
///
/// The statistic is tau in `[-1, 1]`. The p-value is exact up to 33 pairs without ties, and
/// otherwise from the normal approximation with the variance under ties (Kendall, *Rank
/// Correlation Methods*, 1970). O(n log n) (Knight, *JASA* 61, 1966).
///
/// # Errors
///
/// [`Error::LengthMismatch`], [`Error::TooFew`] below two pairs, [`Error::NotFinite`], and
/// [`Error::Degenerate`] when a sample is constant.
pub fn kendall(x: &[f64], y: &[f64]) -> Result<Test> {
    check_pairs("Kendall's tau", x, y, 2)?;
    let mut pairs: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    pairs.sort_unstable_by(|a, b| compare(a.0, b.0).then(compare(a.1, b.1)));
    let tied_in_both: f64 = runs(&pairs, |a, b| a == b)
        .map(|t| t * (t - 1.0) / 2.0)
        .sum();
    let x_ties: Vec<f64> = runs(&pairs, |a, b| a.0 == b.0).collect();
    let mut ordered: Vec<f64> = pairs.iter().map(|p| p.1).collect();
    let discordant = count_inversions(&mut ordered);
    let y_ties: Vec<f64> = runs(&ordered, |a, b| a == b).collect();

    let n = pairs.len() as f64;
    let all = n * (n - 1.0) / 2.0;
    let tied = |ties: &[f64]| ties.iter().map(|t| t * (t - 1.0) / 2.0).sum::<f64>();
    let (x_tied, y_tied) = (tied(&x_ties), tied(&y_ties));
    let difference = all - x_tied - y_tied + tied_in_both - 2.0 * discordant;
    // Two square roots, because the product of counts may pass 2^53.
    let statistic = (difference / (all - x_tied).sqrt() / (all - y_tied).sqrt()).clamp(-1.0, 1.0);

    let p_value = if x_tied == 0.0 && y_tied == 0.0 && pairs.len() <= EXACT_UP_TO {
        exact_p(pairs.len(), discordant.min(all - discordant) as usize)
    } else {
        let sum = |ties: &[f64], term: fn(f64) -> f64| ties.iter().map(|t| term(*t)).sum::<f64>();
        let third: fn(f64) -> f64 = |t| t * (t - 1.0) * (t - 2.0);
        let spread: fn(f64) -> f64 = |t| t * (t - 1.0) * (2.0 * t + 5.0);
        let m = n * (n - 1.0);
        let base = (m * (2.0 * n + 5.0) - sum(&x_ties, spread) - sum(&y_ties, spread)) / 18.0;
        // A tie of three takes three pairs, so below them the product is 0 and so is its share.
        let triples = sum(&x_ties, third) * sum(&y_ties, third) / (9.0 * m * (n - 2.0).max(1.0));
        let variance = base + 2.0 * x_tied * y_tied / m + triples;
        2.0 * normal_cdf(-difference.abs() / variance.sqrt())
    };
    Ok(Test { statistic, p_value })
}

/// Twice the probability that a random permutation of `n` has at most `inversions`, capped at 1.
fn exact_p(n: usize, inversions: usize) -> f64 {
    let mut probability = vec![0.0; inversions + 1];
    probability[0] = 1.0;
    for size in 2..=n {
        // The element put in last adds 0 to size - 1 inversions, equally likely.
        let previous = probability.clone();
        for (k, p) in probability.iter_mut().enumerate() {
            let from = (k + 1).saturating_sub(size);
            *p = previous[from..=k].iter().sum::<f64>() / size as f64;
        }
    }
    (2.0 * probability.iter().sum::<f64>()).min(1.0)
}

/// Average ranks from 1, and the sizes of all groups of equal values.
pub(super) fn ranks(values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&i, &j| compare(values[i], values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut sizes = Vec::new();
    let mut before = 0;
    for group in order.chunk_by(|&i, &j| values[i] == values[j]) {
        let rank = before as f64 + 0.5 * (group.len() as f64 + 1.0);
        for &i in group {
            ranks[i] = rank;
        }
        before += group.len();
        sizes.push(group.len() as f64);
    }
    (ranks, sizes)
}

/// Order of finite numbers, in which -0 equals 0.
fn compare(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

/// Lengths of the runs of equal neighbours.
fn runs<'a, T>(
    sorted: &'a [T],
    equal: impl FnMut(&T, &T) -> bool + 'a,
) -> impl Iterator<Item = f64> + 'a {
    sorted.chunk_by(equal).map(|run| run.len() as f64)
}

/// Sorts `values` and counts the pairs that stood in the wrong order.
fn count_inversions(values: &mut [f64]) -> f64 {
    let n = values.len();
    let mut count = 0.0;
    let mut merged = values.to_vec();
    let mut width = 1;
    while width < n {
        for start in (0..n).step_by(2 * width) {
            let (middle, end) = ((start + width).min(n), (start + 2 * width).min(n));
            let (mut left, mut right) = (start, middle);
            for slot in &mut merged[start..end] {
                if left < middle && (right == end || values[left] <= values[right]) {
                    *slot = values[left];
                    left += 1;
                } else {
                    *slot = values[right];
                    right += 1;
                    count += (middle - left) as f64;
                }
            }
        }
        values.copy_from_slice(&merged);
        width *= 2;
    }
    count
}

fn check_pairs(what: &'static str, x: &[f64], y: &[f64], needed: usize) -> Result<()> {
    check_lengths("the paired samples", x.len(), y.len())?;
    check_count(what, x.len(), needed)?;
    for (name, sample) in [("the first sample", x), ("the second sample", y)] {
        check_finite(name, sample)?;
        if sample.iter().all(|v| *v == sample[0]) {
            return Err(Error::Degenerate {
                what,
                why: "a sample is constant",
                remedy: "compare samples that vary",
            });
        }
    }
    Ok(())
}
