//! Empirical privacy audits: does a mechanism leak more than it says?

use crate::{Bounds, Budget, Error, Ledger, Noise, NoiseRng, Result, RidgeSpec, SuffStats};
use papercrates_numeric::stats::clopper_pearson;

/// Confidence of the limit that flags a mechanism.
const CONFIDENCE: f64 = 0.999;

/// What an audit found.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Audit {
    /// The claim.
    pub budget: Budget,
    /// Draws from each of the two neighbouring data sets.
    pub draws: usize,
    /// The threshold `τ` of the test `output > τ`.
    pub threshold: f64,
    /// `δ̂ = P̂(o > τ | D) − e^ε P̂(o > τ | D')`, an unbiased estimate of a lower bound on `δ`.
    pub delta: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// 99.9 % lower confidence limit of that bound (Clopper–Pearson on both frequencies).
    pub delta_low: f64,
    /// Whether that limit is above the claimed `δ`: the mechanism is broken.
    pub flagged: bool,
}

/// Compare the outputs of a mechanism on two neighbouring data sets at a threshold fixed
/// beforehand. `on_d` and `on_neighbor` draw one output each. O(draws).
///
/// # Errors
/// [`Error::BadBudget`], also for `ε` above 700, where `e^ε` overflows; [`Error::EmptyData`] for 0
/// draws.
pub fn compare(
    mut on_d: impl FnMut() -> f64,
    mut on_neighbor: impl FnMut() -> f64,
    threshold: f64,
    budget: Budget,
    draws: usize,
) -> Result<Audit> {
    budget.check()?;
    let factor = budget.epsilon.exp();
    if !factor.is_finite() {
        return Err(Error::BadBudget {
            name: "epsilon",
            value: budget.epsilon,
            range: "(0, 700]",
            suggestion: "1",
        });
    }
    if draws == 0 {
        return Err(Error::EmptyData);
    }
    let hits = (0..draws).filter(|_| on_d() > threshold).count();
    let neighbor_hits = (0..draws).filter(|_| on_neighbor() > threshold).count();
    let n = draws as f64;
    let (p, q) = (hits as f64 / n, neighbor_hits as f64 / n);
    let standard_error = ((p * (1.0 - p) + factor * factor * q * (1.0 - q)) / n).sqrt();
    // Each one-sided limit has half the error probability, which a two-sided interval of the same
    // level gives.
    let low = clopper_pearson(hits, draws, CONFIDENCE)?.low;
    let high = clopper_pearson(neighbor_hits, draws, CONFIDENCE)?.high;
    let delta_low = low - factor * high;
    Ok(Audit {
        budget,
        draws,
        threshold,
        delta: p - factor * q,
        standard_error,
        delta_low,
        flagged: delta_low > budget.delta,
    })
}

/// The threshold at which `draws` outputs of each data set differ most at `epsilon`, for mechanisms
/// whose law is not known. Judge it on fresh draws ([`compare`]): on its own it is biased upward.
/// Outputs that are NaN count as below every threshold; `f64::MAX` when no
/// threshold separates the two. O(draws log draws).
pub fn pilot_threshold(
    mut on_d: impl FnMut() -> f64,
    mut on_neighbor: impl FnMut() -> f64,
    epsilon: f64,
    draws: usize,
) -> f64 {
    let mut outputs: Vec<(f64, bool)> = (0..draws)
        .flat_map(|_| [(on_d(), true), (on_neighbor(), false)])
        .filter(|(output, _)| !output.is_nan())
        .collect();
    outputs.sort_by(|a, b| b.0.total_cmp(&a.0));
    let factor = epsilon.exp();
    let (mut excess, mut best) = (0.0, (0.0, f64::MAX));
    for (i, (output, from_d)) in outputs.iter().enumerate() {
        excess += if *from_d { 1.0 } else { -factor };
        let next = outputs.get(i + 1).map_or(f64::MIN, |o| o.0);
        // Only between two different outputs does a threshold separate them.
        if excess > best.0 && next < *output {
            best = (excess, next);
        }
    }
    best.1
}

/// The threshold at which two Gaussians of standard deviation `sigma` and means `low < high`
/// differ most at `ε`: `low + σ(ε/μ + μ/2)`, `μ = (high − low)/σ`.
#[must_use]
pub fn gaussian_threshold(low: f64, high: f64, sigma: f64, epsilon: f64) -> f64 {
    let mu = (high - low) / sigma;
    low + sigma * (epsilon / mu + mu / 2.0)
}

/// Audit a ridge release on a planted pair in one dimension: `n − 1` rows of zeros and one row
/// `x = B_x` whose target is `B_y` in one data set and `−B_y` in the other. The noise is scaled as
/// a release of the whole ledger would scale it, times `noise_factor`; a factor of ½ must be
/// caught. Replace-one. O(draws).
///
/// # Errors
/// As [`release`](crate::release) and [`compare`].
#[expect(
    clippy::too_many_arguments,
    reason = "each is a separate decision of the auditor"
)]
pub fn ridge(
    spec: &RidgeSpec,
    n: u64,
    bounds: Bounds,
    ledger: &Ledger,
    noise: Noise,
    noise_factor: f64,
    draws: usize,
    rng: &mut dyn NoiseRng,
) -> Result<Audit> {
    let spec = spec.checked()?;
    ledger.require_relation("this ledger", spec.neighbor.relation())?;
    noise.check(ledger)?;
    if !(noise_factor > 0.0 && noise_factor.is_finite()) {
        return Err(Error::NegativeParameter {
            name: "noise_factor",
            value: noise_factor,
            range: "above 0, finite",
        });
    }
    let fit = |y: f64| -> Result<f64> {
        // All other rows are zero: they only count.
        let x = bounds.x_norm;
        let gram = faer::Mat::from_fn(1, 1, |_, _| x * x);
        let stats = SuffStats::from_sums(bounds, n, gram.as_ref(), &[x * y], y * y, (0, 0))?;
        Ok(spec.solve(&stats)?.coef[0])
    };
    let (high, low) = (fit(bounds.y_abs)?, fit(-bounds.y_abs)?);
    let sensitivity = spec.sensitivity(n, &bounds)?.value;
    let mu = ledger.remaining();
    let scale = noise.scale(sensitivity * noise_factor, mu, 1)?;
    let threshold = gaussian_threshold(low, high, scale.sigma, ledger.budget().epsilon);
    let rng = std::cell::RefCell::new(rng);
    compare(
        || scale.perturb(high, &mut **rng.borrow_mut()),
        || scale.perturb(low, &mut **rng.borrow_mut()),
        threshold,
        ledger.budget(),
        draws,
    )
}
