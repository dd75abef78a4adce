//! Choosing floor and penalty without leaking: privately, or from public guesses.

use crate::clip::{ClippedRows, clipped_blocks};
use crate::release::{release_with_mu, rounding_ulps};
use crate::risk::{Metric, Problem, Tuned, optimal_alpha};
use crate::{
    Bounds, Clip, Error, Floor, Ledger, Mu, Neighbor, Noise, NoiseRng, Relation, Release, Result,
    RidgeSpec, Spectrum, SuffStats,
};
use faer::{Mat, MatRef, Par};
use papercrates_numeric::linalg::mat_vec;
use papercrates_numeric::special::{ln_normal_cdf, normal_quantile};
use papercrates_numeric::streams::uniform;

/// How the floor level is chosen privately.
///
/// `|λ₁(G) − λ₁(G')| ≤ B_x²/n`, so `λ̂ = λ₁ + 𝒩(0, (B_x²/(nμ₁))²)` is `μ₁`-GDP, and
/// `c = max(c_min, λ̂ − z B_x²/(nμ₁))`. The floor is enforced whatever the data, so a bad draw
/// costs accuracy, never privacy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrivateFloor {
    /// Share of the ledger; default a tenth of `μ²`.
    pub share: Mu,
    /// Safety margin in standard deviations; default 2.
    pub z: f64,
    /// Smallest level, at least 0; default 0 (no floor when the estimate is not positive).
    pub c_min: f64,
    /// Discrete noise on its own grid instead of floating-point noise.
    pub discrete: bool,
}

impl Default for PrivateFloor {
    fn default() -> Self {
        Self {
            share: Mu::Fraction(0.1),
            z: 2.0,
            c_min: 0.0,
            discrete: false,
        }
    }
}

/// A privately chosen floor level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReleasedFloor {
    /// The noisy smallest eigenvalue `λ̂`. Private: may be published.
    pub estimate: f64,
    /// The level `c ≥ 0`; 0 means no floor.
    pub level: f64,
    /// The `μ₁` it cost.
    pub mu: f64,
}

/// Release the smallest eigenvalue of `G` and turn it into a floor level. O(d³).
///
/// # Errors
/// As [`release`](crate::release); [`Error::NegativeParameter`] for `z` or `c_min` out of range.
pub fn private_lambda_min(
    stats: &SuffStats,
    neighbor: Neighbor,
    settings: &PrivateFloor,
    ledger: &mut Ledger,
    rng: &mut dyn NoiseRng,
) -> Result<ReleasedFloor> {
    ledger.require_relation("this ledger", neighbor.relation())?;
    for (name, value) in [("z", settings.z), ("c_min", settings.c_min)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(Error::NegativeParameter {
                name,
                value,
                range: "at least 0, finite",
            });
        }
    }
    let mu = ledger.resolve(settings.share)?;
    let sensitivity = stats.bounds().x_norm.powi(2) / neighbor.divisor(stats.n())?;
    let rounding = 2.0 * rounding_ulps(stats, neighbor) * stats.bounds().x_norm.powi(2);
    let computed = sensitivity + rounding;
    let noise = if settings.discrete {
        Noise::default_grid(computed, mu)
    } else {
        Noise::Float
    };
    noise.check(ledger)?;
    let scale = noise.scale(computed, mu, 1)?;
    let smallest = Spectrum::of(stats, neighbor)?.eigenvalues()[0];
    ledger.spend_mu("smallest eigenvalue", Mu::Exact(mu))?;
    let estimate = scale.perturb(smallest, rng);
    let level = (estimate - settings.z * computed / mu).max(settings.c_min);
    Ok(ReleasedFloor {
        estimate,
        level,
        mu,
    })
}

/// What is known about a problem without looking at the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PublicGuess {
    /// `λ`: a typical eigenvalue of `G`, above 0.
    pub lambda: f64,
    /// `‖β*‖`, above 0.
    pub beta_norm: f64,
    /// `σ_ξ`: standard deviation of the errors, at least 0.
    pub noise_sd: f64,
}

impl PublicGuess {
    /// The defaults that the bounds give: `‖β*‖ = B_y/B_x`, `σ_ξ = B_y/4`, and `λ` the floor
    /// where there is one, else `B_x²/d`.
    #[must_use]
    pub fn from_bounds(bounds: &Bounds, d: usize, floor: Floor) -> Self {
        let level = floor.level();
        Self {
            lambda: if level > 0.0 {
                level
            } else {
                bounds.x_norm.powi(2) / d as f64
            },
            beta_norm: bounds.y_abs / bounds.x_norm,
            noise_sd: bounds.y_abs / 4.0,
        }
    }
}

/// The penalty that minimises the risk formula for a flat spectrum under public guesses, at this
/// floor. Costs no privacy. `n` is the number of records (the nominal size under add/remove),
/// `multiplier` is `s = 1/μ`.
///
/// # Errors
/// As [`decompose`](crate::risk::decompose).
pub fn plug_in(
    guess: &PublicGuess,
    n: u64,
    d: usize,
    bounds: Bounds,
    spec: &RidgeSpec,
    multiplier: f64,
) -> Result<Tuned> {
    let problem = Problem::isotropic(n, d, guess.lambda, guess.beta_norm, guess.noise_sd, bounds);
    let metric = Metric::Coefficients;
    optimal_alpha(
        &problem,
        spec.floor,
        spec.neighbor,
        spec.radius,
        multiplier,
        metric,
    )
}

/// What private selection from a grid gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Selected {
    /// Which candidate was picked.
    pub index: usize,
    /// Its release.
    pub release: Release,
    /// The pure `ε` of the selection.
    pub epsilon_selection: f64,
}

/// `μ` of a pure-`ε` mechanism in Gaussian DP: `−2 Φ⁻¹(1/(1 + e^ε))`.
#[must_use]
pub fn mu_of_pure(epsilon: f64) -> f64 {
    // 1/(1 + e^ε) in the form that keeps its digits for large ε.
    let tail = (-epsilon).exp() / (1.0 + (-epsilon).exp());
    -2.0 * normal_quantile(tail)
}

/// The pure `ε` that costs the same as `μ`: `ln Φ(μ/2)/Φ(−μ/2)`.
#[must_use]
pub fn pure_of_mu(mu: f64) -> f64 {
    ln_normal_cdf(mu / 2.0) - ln_normal_cdf(-mu / 2.0)
}

/// Release `k` candidates from disjoint parts of the rows, and pick one on a further part by the
/// exponential mechanism (Chaudhuri, Monteleoni and Sarwate 2011).
///
/// Row `i` belongs to part `i mod (k+1)`, whatever its values. Every record touches one part, so
/// the cost is `max(μ, μ_sel)`, charged once. The utility is minus the squared error with
/// predictions clipped to `±B_y` (sensitivity `4B_y²`). Without `epsilon_selection` the selection
/// uses the pure `ε` that costs `μ`. Scoring *non-private* candidates would not be private and is
/// not offered. `x` is `n × d`; `bounds` clip its rows. O(n d² / k + k d³).
///
/// # Errors
/// [`Error::NeighborMismatch`] under add/remove (a removed row would shift all indices);
/// [`Error::EmptyData`] when a part is empty, and those of [`release`](crate::release).
#[expect(
    clippy::too_many_arguments,
    reason = "each is a separate decision of the caller"
)]
pub fn exponential_grid(
    x: MatRef<'_, f64>,
    y: &[f64],
    bounds: Bounds,
    candidates: &[RidgeSpec],
    share: Mu,
    epsilon_selection: Option<f64>,
    noise: Noise,
    ledger: &mut Ledger,
    rng: &mut dyn NoiseRng,
) -> Result<Selected> {
    let what = "selection from a grid";
    for relation in candidates
        .iter()
        .map(|c| c.neighbor.relation())
        .chain([ledger.relation()])
    {
        if relation != Relation::ReplaceOne {
            let expected = Relation::ReplaceOne;
            return Err(Error::NeighborMismatch {
                what,
                expected,
                got: relation,
            });
        }
    }
    noise.check(ledger)?;
    if y.len() != x.nrows() {
        let row = y.len() as u64;
        return Err(Error::DimensionMismatch {
            expected: x.nrows(),
            got: y.len(),
            row,
        });
    }
    // All rows, with their own numbers: those of the last part are summed nowhere.
    crate::clip::check_finite(x, y)?;
    let parts = candidates.len() + 1;
    if candidates.is_empty() || x.nrows() < parts {
        return Err(Error::EmptyData);
    }
    let mu = ledger.resolve(share)?;
    let epsilon = epsilon_selection.unwrap_or_else(|| pure_of_mu(mu));
    if !(epsilon > 0.0 && epsilon.is_finite()) {
        return Err(Error::BadBudget {
            name: "epsilon_selection",
            value: epsilon,
            range: "(0, infinity)",
            suggestion: "1",
        });
    }
    let charge = Mu::Exact(mu.max(mu_of_pure(epsilon)));
    ledger.resolve(charge)?;

    let part = |k: usize| -> (Mat<f64>, Vec<f64>) {
        let rows: Vec<usize> = (k..x.nrows()).step_by(parts).collect();
        let part = Mat::from_fn(rows.len(), x.ncols(), |i, j| x[(rows[i], j)]);
        (part, rows.iter().map(|&i| y[i]).collect())
    };
    let mut fits = Vec::with_capacity(candidates.len());
    for (k, spec) in candidates.iter().enumerate() {
        let (x, y) = part(k);
        let mut stats = SuffStats::new(x.ncols(), bounds, Clip::Clip)?;
        stats.push_batch(x.as_ref(), &y, Par::Seq)?;
        fits.push((spec.prepare(&stats, mu, noise)?, stats));
    }
    let (holdout_x, holdout_y) = part(candidates.len());
    let holdout = clipped_blocks(holdout_x.as_ref(), &holdout_y, bounds)?;
    ledger.spend_mu(what, charge)?;

    let releases: Vec<Release> = fits
        .iter()
        .map(|(prepared, stats)| release_with_mu(prepared, stats, ledger, rng))
        .collect();
    // `max` and `min` turn a NaN into a number, so that one record moves a score by its bound only,
    // even where noisy coefficients overflow.
    let clamp = |v: f64| v.max(-bounds.y_abs).min(bounds.y_abs);
    let scores: Vec<f64> = releases
        .iter()
        .map(|r| {
            let loss = |block: &ClippedRows| -> f64 {
                mat_vec(block.x(), &r.coef)
                    .iter()
                    .zip(block.y())
                    .map(|(prediction, y)| (clamp(*prediction) - y).powi(2))
                    .sum()
            };
            let loss: f64 = holdout.iter().map(loss).sum();
            -epsilon * loss / (8.0 * bounds.y_abs * bounds.y_abs)
        })
        .collect();
    let index = sample_softmax(&scores, rng);
    let release = releases.into_iter().nth(index).ok_or(Error::EmptyData)?;
    Ok(Selected {
        index,
        release,
        epsilon_selection: epsilon,
    })
}

/// An index with probability proportional to `exp(score)`.
fn sample_softmax(scores: &[f64], rng: &mut dyn NoiseRng) -> usize {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|s| (s - largest).exp()).collect();
    let mut left = uniform(rng) * weights.iter().sum::<f64>();
    for (i, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return i;
        }
    }
    weights.len() - 1
}
