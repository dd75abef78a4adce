/// Arithmetic mean; NaN for an empty slice. O(n).
pub fn mean(data: &[f64]) -> f64 {
    let n = data.len() as f64;
    let first = data.iter().sum::<f64>() / n;
    // One correction removes the rounding that a long sum has gathered.
    let rest = data.iter().map(|x| x - first).sum::<f64>() / n;
    if rest.is_finite() {
        first + rest
    } else {
        first
    }
}

/// Unbiased sample variance (divisor `n - 1`); NaN for fewer than two values. O(n).
pub fn variance(data: &[f64]) -> f64 {
    if data.len() < 2 {
        return f64::NAN;
    }
    let centre = mean(data);
    let squares = data.iter().map(|x| (x - centre) * (x - centre));
    squares.sum::<f64>() / (data.len() - 1) as f64
}

/// Square root of [`variance`].
pub fn std_dev(data: &[f64]) -> f64 {
    variance(data).sqrt()
}

/// Median; NaN for an empty slice or one that holds NaN. O(n).
pub fn median(data: &[f64]) -> f64 {
    quantile(data, 0.5)
}

/// Quantile at `q` in `[0, 1]`, interpolated linearly between order statistics: type 7 of
/// Hyndman & Fan (*The American Statistician* 50, 1996), the default of R and NumPy.
///
/// NaN for an empty slice, one that holds NaN, and `q` outside `[0, 1]`. O(n).
pub fn quantile(data: &[f64], q: f64) -> f64 {
    if data.is_empty() || data.iter().any(|x| x.is_nan()) || !(0.0..=1.0).contains(&q) {
        return f64::NAN;
    }
    let mut values = data.to_vec();
    let at = q * (values.len() - 1) as f64;
    let below = at.floor() as usize;
    let (_, low, above) = values.select_nth_unstable_by(below, f64::total_cmp);
    let low = *low;
    let share = at - below as f64;
    if share == 0.0 {
        return low;
    }
    let high = above.iter().copied().fold(f64::INFINITY, f64::min);
    // Two products, because the difference of the ends may overflow; the clamp keeps equal ends
    // equal.
    (low * (1.0 - share) + high * share).clamp(low, high)
}
