//! What a fit will cost before any data is touched: bias, variance and privacy noise.

use crate::{Bounds, Error, Floor, Neighbor, Result, RidgeSpec};
use papercrates_numeric::roots::golden_section;

/// A regression problem as a planner sees it: spectrum, signal and noise.
///
/// The model is `y = Xβ* + ξ`, `ξ ~ 𝒩(0, σ_ξ² I)`, with a fixed design. Clipping and the ball are
/// not in the formulas.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Number of records (the nominal size under add/remove), at least 1.
    pub n: u64,
    /// `λ_j`: eigenvalues of `G = XᵀX/n`, ascending, at least 0.
    pub eigenvalues: Vec<f64>,
    /// `β*_j`: true coefficients in the eigenbasis, same length.
    pub beta: Vec<f64>,
    /// `σ_ξ²`: variance of the errors, at least 0.
    pub noise_variance: f64,
    /// Public bounds on the records.
    pub bounds: Bounds,
}

impl Problem {
    /// A flat spectrum: `d` eigenvalues `λ`, and `‖β*‖` spread evenly.
    #[must_use]
    pub fn isotropic(
        n: u64,
        d: usize,
        lambda: f64,
        beta_norm: f64,
        noise_sd: f64,
        bounds: Bounds,
    ) -> Self {
        Self {
            n,
            eigenvalues: vec![lambda; d],
            beta: vec![beta_norm / (d as f64).sqrt(); d],
            noise_variance: noise_sd * noise_sd,
            bounds,
        }
    }

    fn check(&self) -> Result<()> {
        self.bounds.check()?;
        if self.n == 0 {
            return Err(Error::EmptyData);
        }
        if self.beta.len() != self.eigenvalues.len() {
            return Err(Error::DimensionMismatch {
                expected: self.eigenvalues.len(),
                got: self.beta.len(),
                row: 0,
            });
        }
        let numbers = self
            .eigenvalues
            .iter()
            .map(|v| ("eigenvalue", *v))
            .chain(self.beta.iter().map(|v| ("beta", v.abs())))
            .chain([("noise_variance", self.noise_variance)]);
        for (name, value) in numbers {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::NegativeParameter {
                    name,
                    value,
                    range: "at least 0, finite",
                });
            }
        }
        if let Some(pair) = self.eigenvalues.windows(2).find(|w| w[0] > w[1]) {
            return Err(Error::NegativeParameter {
                name: "eigenvalue",
                value: pair[1],
                range: "at least its predecessor (give them in ascending order)",
            });
        }
        Ok(())
    }
}

/// The norm in which risk is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// `E‖β̃ − β*‖²`.
    #[default]
    Coefficients,
    /// `E (β̃ − β*)ᵀ G (β̃ − β*)`: mean squared error of predictions on the design.
    Prediction,
}

/// The three parts of the expected squared error.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RiskParts {
    /// From the penalty and the floor.
    pub bias_squared: f64,
    /// From the errors `ξ`.
    pub variance: f64,
    /// From the privacy noise.
    pub dp_variance: f64,
}

impl RiskParts {
    /// Their sum.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.bias_squared + self.variance + self.dp_variance
    }
}

/// Risk of the private estimator, in closed form. With `μ_j = λ̃_j + α`:
/// `Σ((μ_j−λ_j)/μ_j)² β_j² + σ_ξ²/n Σ λ_j/μ_j² + d Δ² s²`; the prediction metric weighs the first
/// two by `λ_j` and replaces `d` by `tr G`. `multiplier` is `s = σ/Δ`, that is `1/μ`. O(d).
///
/// # Errors
/// Those of [`RidgeSpec::sensitivity`], and [`Error::NegativeParameter`] for an impossible problem.
pub fn decompose(
    problem: &Problem,
    spec: &RidgeSpec,
    multiplier: f64,
    metric: Metric,
) -> Result<RiskParts> {
    problem.check()?;
    if !(multiplier >= 0.0 && multiplier.is_finite()) {
        return Err(Error::NegativeParameter {
            name: "multiplier",
            value: multiplier,
            range: "at least 0, finite",
        });
    }
    parts(problem, spec, multiplier, metric)
}

fn parts(problem: &Problem, spec: &RidgeSpec, s: f64, metric: Metric) -> Result<RiskParts> {
    let sensitivity = spec.sensitivity(problem.n, &problem.bounds)?.value;
    let n = problem.n as f64;
    let floored = spec.floor.apply(&problem.eigenvalues);
    let (mut bias_squared, mut variance, mut weights) = (0.0, 0.0, 0.0);
    for ((lambda, raised), beta) in problem.eigenvalues.iter().zip(&floored).zip(&problem.beta) {
        let mu = raised + spec.alpha;
        let weight = match metric {
            Metric::Coefficients => 1.0,
            Metric::Prediction => *lambda,
        };
        bias_squared += weight * ((mu - lambda) / mu * beta).powi(2);
        variance += weight * problem.noise_variance / n * lambda / (mu * mu);
        weights += weight;
    }
    Ok(RiskParts {
        bias_squared,
        variance,
        dp_variance: weights * (sensitivity * s).powi(2),
    })
}

/// A choice of penalty and floor, and the risk that the formula gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuned {
    /// Penalty, averaged units.
    pub alpha: f64,
    /// Floor.
    pub floor: Floor,
    /// Predicted risk.
    pub risk: RiskParts,
}

/// Penalties searched: 201 points, `B_x² · 10^[−8, 2]`.
fn alpha_grid(scale: f64) -> Vec<f64> {
    (0..=200)
        .map(|i| scale * 10f64.powf(-8.0 + f64::from(i) * 0.05))
        .collect()
}

/// The least risk over penalty and floor level with the full `Δ(α, c)`: a grid (201 penalties,
/// and for a floor 121 levels in `B_x² · 10^[−5, 1]`, `λ₁`, and no floor), then golden section in
/// `ln α`. Ties go to the larger penalty. `kind` gives the kind of floor, its level is not used;
/// `Floor::None` gives the single-parameter optimum. O(25 000 d).
///
/// # Errors
/// As [`decompose`].
pub fn optimum(
    problem: &Problem,
    kind: Floor,
    neighbor: Neighbor,
    radius: Option<f64>,
    multiplier: f64,
    metric: Metric,
) -> Result<Tuned> {
    let single = search(
        problem,
        &[Floor::None],
        neighbor,
        radius,
        multiplier,
        metric,
    )?;
    if kind == Floor::None {
        return Ok(single);
    }
    let scale = problem.bounds.x_norm.powi(2);
    let levels = (0..=120).map(|i| scale * 10f64.powf(-5.0 + f64::from(i) * 0.05));
    let smallest = problem.eigenvalues.first().copied().filter(|l| *l > 0.0);
    let floors: Vec<Floor> = levels.chain(smallest).map(|c| kind.with_level(c)).collect();
    let floored = search(problem, &floors, neighbor, radius, multiplier, metric)?;
    // Both are refined, so two parameters are never worse than one.
    Ok(if floored.risk.total() < single.risk.total() {
        floored
    } else {
        single
    })
}

/// As [`optimum`] with the floor given: the least risk over the penalty alone. O(200 d).
///
/// # Errors
/// As [`decompose`].
pub fn optimal_alpha(
    problem: &Problem,
    floor: Floor,
    neighbor: Neighbor,
    radius: Option<f64>,
    multiplier: f64,
    metric: Metric,
) -> Result<Tuned> {
    search(
        problem,
        &[floor.normalised()],
        neighbor,
        radius,
        multiplier,
        metric,
    )
}

fn search(
    problem: &Problem,
    floors: &[Floor],
    neighbor: Neighbor,
    radius: Option<f64>,
    multiplier: f64,
    metric: Metric,
) -> Result<Tuned> {
    let alphas = alpha_grid(problem.bounds.x_norm.powi(2));
    let at = |alpha: f64, floor: Floor| -> Result<Tuned> {
        let spec = RidgeSpec {
            alpha,
            floor,
            radius,
            neighbor,
        };
        Ok(Tuned {
            alpha,
            floor,
            risk: parts(problem, &spec, multiplier, metric)?,
        })
    };
    // The first point goes through the checks of `decompose`; later ones differ in scale only.
    let first = RidgeSpec {
        alpha: alphas[0],
        floor: floors[0],
        radius,
        neighbor,
    };
    decompose(problem, &first, multiplier, metric)?;
    let mut best = (at(alphas[0], floors[0])?, 0);
    for &floor in floors {
        for (i, &alpha) in alphas.iter().enumerate() {
            let here = at(alpha, floor)?;
            let (new, old) = (here.risk.total(), best.0.risk.total());
            if new < old || (new == old && alpha > best.0.alpha) {
                best = (here, i);
            }
        }
    }
    let (tuned, i) = best;
    let low = alphas[i.saturating_sub(1)].ln();
    let high = alphas[(i + 1).min(alphas.len() - 1)].ln();
    let risk = |t: f64| at(t.exp(), tuned.floor).map_or(f64::INFINITY, |t| t.risk.total());
    let refined = at(golden_section(risk, low, high, 1e-8)?.x.exp(), tuned.floor)?;
    Ok(if refined.risk.total() < tuned.risk.total() {
        refined
    } else {
        tuned
    })
}

/// The optimum for a flat spectrum with the constant `K` held fixed: risk depends on `κ = α + c`
/// only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Isotropic {
    /// `V = dσ_ξ²λ/n + dK²s²/n²`.
    pub v: f64,
    /// `κ* = λ + V/(λB)`.
    pub kappa: f64,
    /// `VB/(λ²B + V)`.
    pub risk: f64,
    /// The canonical split: floor `c = λ` …
    pub floor: f64,
    /// … and penalty `α = V/(λB)`.
    pub alpha: f64,
}

/// [`Isotropic`] for `d` eigenvalues `lambda`, `B = ‖β*‖²`, and constants `k` and `s` (the noise
/// multiplier). As `s → 0` the penalty is the classical `dσ_ξ²/(nB)`; as `s → ∞` the risk is `B`.
#[must_use]
pub fn isotropic(
    n: u64,
    d: usize,
    lambda: f64,
    beta_norm_squared: f64,
    noise_variance: f64,
    k: f64,
    s: f64,
) -> Isotropic {
    let (n, d) = (n as f64, d as f64);
    let v = d * noise_variance * lambda / n + d * (k * s / n).powi(2);
    let alpha = v / (lambda * beta_norm_squared);
    Isotropic {
        v,
        kappa: lambda + alpha,
        risk: v * beta_norm_squared / (lambda * lambda * beta_norm_squared + v),
        floor: lambda,
        alpha,
    }
}

/// Leading-order privacy cost of one and of two parameters as `n → ∞`, `K` held fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// The best single penalty `(dK²s²λ²/(n²B))^{1/4}`.
    pub single_alpha: f64,
    /// What it pays: `2√(dB) K s/(nλ)`.
    pub single: f64,
    /// What the decoupled method pays: `dK²s²/(n²λ²)`.
    pub decoupled: f64,
}

/// The separation of the paper's headline: the gain `single/decoupled` grows linearly in `n`.
/// (With `K` held fixed, which overstates the single-parameter method.)
#[must_use]
pub fn separation(
    n: u64,
    d: usize,
    lambda: f64,
    beta_norm_squared: f64,
    k: f64,
    s: f64,
) -> Separation {
    let (n, d) = (n as f64, d as f64);
    let noise = d * (k * s / n).powi(2);
    Separation {
        single_alpha: (noise * lambda * lambda / beta_norm_squared).powf(0.25),
        single: 2.0 * (noise * beta_norm_squared).sqrt() / lambda,
        decoupled: noise / (lambda * lambda),
    }
}
