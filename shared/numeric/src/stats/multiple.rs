/// Holm's step-down adjustment (*Scandinavian Journal of Statistics* 6, 1979), in the order of
/// the input.
///
/// Rejecting where the adjusted value is at most `alpha` keeps the chance of any false rejection
/// at `alpha`, whatever the dependence between tests. A NaN stays NaN and counts as a test.
/// O(m log m).
///
/// ```
/// let adjusted = papercrates_numeric::stats::holm(&[0.01, 0.04, 0.03]);
/// assert_eq!(adjusted, [0.03, 0.06, 0.06]);
/// ```
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&i, &j| p_values[i].total_cmp(&p_values[j]));
    let mut adjusted = vec![f64::NAN; p_values.len()];
    let mut so_far = 0.0_f64;
    for (rank, &i) in order.iter().enumerate() {
        if p_values[i].is_nan() {
            continue;
        }
        let factor = (p_values.len() - rank) as f64;
        so_far = so_far.max((factor * p_values[i]).min(1.0));
        adjusted[i] = so_far;
    }
    adjusted
}
