//! Predicted risk of every method before any data are touched.
//!
//! Ridge methods have the closed form of [`risk`](crate::risk); methods that perturb the sums, the
//! objective or the gradients are predicted to first order in their noise. Clipping and balls are
//! not in the formulas.

use crate::baselines::{AdaSsp, AdaSspCalibration, DpGd, FunctionalMechanism, ObjPert, Ssp};
use crate::risk::{Metric, Problem, Tuned, decompose, optimal_alpha, optimum};
use crate::tune::{PrivateFloor, PublicGuess, plug_in};
use crate::{Bounds, Budget, Calibration, Floor, Ledger, Neighbor, Relation, Result, RidgeSpec};

/// How a prediction was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Basis {
    /// For reference; protects nobody.
    NotPrivate,
    /// Closed form, with the best parameters for this problem: nobody can know them, so no tuned
    /// method is better.
    BestCase,
    /// Closed form, with the parameters that the defaults choose without knowing the problem.
    Defaults,
    /// To first order in the noise.
    FirstOrder,
}

/// What one method is predicted to achieve.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Prediction {
    /// The method.
    pub method: &'static str,
    /// Expected squared error; `None` where the noise is expected to break the method.
    pub risk: Option<f64>,
    /// How it was predicted.
    pub basis: Basis,
    /// Penalty, averaged units, where the method has one.
    pub alpha: Option<f64>,
    /// Level of the floor, where the method has one.
    pub floor: Option<f64>,
}

/// Predict every method that is stated for this neighbour relation, best first.
///
/// Under add/remove `problem.n` must be the nominal size. O(10⁵ d).
///
/// # Errors
/// As [`decompose`] and [`Ledger::open`].
pub fn predict(
    problem: &Problem,
    budget: Budget,
    calibration: Calibration,
    neighbor: Neighbor,
    metric: Metric,
) -> Result<Vec<Prediction>> {
    let ledger = Ledger::open(budget, calibration, neighbor.relation())?;
    let mu = ledger.mu_total();
    let s = 1.0 / mu;
    let tuned = |method, basis, tuned: Tuned| Prediction {
        method,
        risk: Some(tuned.risk.total()),
        basis,
        alpha: Some(tuned.alpha),
        floor: (tuned.floor != Floor::None).then(|| tuned.floor.level()),
    };
    let best = |kind| optimum(problem, kind, neighbor, None, s, metric);
    let ridge = optimal_alpha(problem, Floor::None, neighbor, None, 0.0, metric)?;
    let weights = weights(problem, metric);
    let squares = problem.beta.iter().map(|b| b * b);
    let mut all = vec![
        tuned("ridge without privacy", Basis::NotPrivate, ridge),
        tuned("single ridge", Basis::BestCase, best(Floor::None)?),
        tuned(
            "decoupled, shift floor",
            Basis::BestCase,
            best(Floor::Shift(0.0))?,
        ),
        tuned(
            "decoupled, spectral floor",
            Basis::BestCase,
            best(Floor::Spectral(0.0))?,
        ),
        tuned(
            "decoupled, all defaults",
            Basis::Defaults,
            defaults(problem, neighbor, mu, metric)?,
        ),
        Prediction {
            method: "zero coefficients",
            risk: Some(squares.zip(&weights).map(|(b, w)| b * w).sum()),
            basis: Basis::Defaults,
            alpha: None,
            floor: None,
        },
    ];
    let first_order = |method, risk| Prediction {
        method,
        risk,
        basis: Basis::FirstOrder,
        alpha: None,
        floor: None,
    };
    let sums = Sums { problem, weights };
    match neighbor.relation() {
        Relation::AddRemove => {
            let paper = AdaSspCalibration::Paper;
            let adassp = |calibration| sums.adassp(calibration, &ledger);
            all.push(first_order("AdaSSP, paper", adassp(paper)?));
            all.push(first_order(
                "AdaSSP, Gaussian DP",
                adassp(AdaSspCalibration::Gdp)?,
            ));
            all.push(first_order("SSP without ridge", sums.ssp(&ledger)?));
            all.push(first_order(
                "objective perturbation",
                sums.objective(budget, neighbor)?,
            ));
        }
        Relation::ReplaceOne => {
            all.push(first_order(
                "functional mechanism",
                sums.functional(budget.epsilon)?,
            ));
            all.push(first_order(
                "noisy gradient descent",
                sums.gradient_descent(&ledger)?,
            ));
        }
    }
    let key = |p: &Prediction| p.risk.unwrap_or(f64::INFINITY);
    all.sort_by(|a, b| key(a).total_cmp(&key(b)));
    Ok(all)
}

fn weights(problem: &Problem, metric: Metric) -> Vec<f64> {
    match metric {
        Metric::Coefficients => vec![1.0; problem.beta.len()],
        Metric::Prediction => problem.eigenvalues.clone(),
    }
}

/// The decoupled method as it comes: a private floor at its expected level, then the penalty from
/// the guesses that the bounds give.
fn defaults(problem: &Problem, neighbor: Neighbor, mu: f64, metric: Metric) -> Result<Tuned> {
    const FLOOR_SHARE: f64 = 0.1;
    let bounds = problem.bounds;
    let d = problem.eigenvalues.len();
    let sd = bounds.x_norm.powi(2) / (problem.n as f64 * mu * FLOOR_SHARE.sqrt());
    let smallest = problem.eigenvalues.first().copied().unwrap_or(0.0);
    let level = (smallest - PrivateFloor::default().z * sd).max(0.0);
    let s = 1.0 / (mu * (1.0 - FLOOR_SHARE).sqrt());
    let floor = Floor::Spectral(level).normalised();
    let mut spec = RidgeSpec::new(0.0).floor(floor).neighbor(neighbor);
    let guess = PublicGuess::from_bounds(&bounds, d, floor);
    spec.alpha = plug_in(&guess, problem.n, d, bounds, &spec, s)?.alpha;
    Ok(Tuned {
        alpha: spec.alpha,
        floor,
        risk: decompose(problem, &spec, s, metric)?,
    })
}

/// First-order risk of methods with noise in the sums, in the eigenbasis.
struct Sums<'a> {
    problem: &'a Problem,
    weights: Vec<f64>,
}

impl Sums<'_> {
    fn n(&self) -> f64 {
        self.problem.n as f64
    }

    fn d(&self) -> f64 {
        self.problem.beta.len() as f64
    }

    fn smallest(&self) -> f64 {
        self.n() * self.problem.eigenvalues.first().copied().unwrap_or(0.0)
    }

    /// `(XᵀX + Z + λI)⁻¹(Xᵀy + z)` in sum units: the error is `(XᵀX + λI)⁻¹(z − Zβ_λ)` beside
    /// bias and variance. `z` has variance `var_z` in each entry, `Z` variance `diagonal` on and
    /// `off` beside the diagonal. `None` when `Z` is expected to outweigh the curvature.
    fn perturbed(&self, lambda: f64, var_z: f64, diagonal: f64, off: f64) -> Option<f64> {
        // Spectral norm of a symmetric matrix with independent entries: 2 √(d·off).
        let norm = (2.0 * (self.d() * off).sqrt()).max(diagonal.sqrt());
        if self.smallest() + lambda <= norm {
            return None;
        }
        let spectrum = || self.problem.eigenvalues.iter().map(|l| self.n() * l);
        let fitted: Vec<f64> = spectrum()
            .zip(&self.problem.beta)
            .map(|(l, b)| l / (l + lambda) * b)
            .collect();
        let square: f64 = fitted.iter().map(|b| b * b).sum();
        let terms = spectrum()
            .zip(&self.problem.beta)
            .zip(fitted.iter().zip(&self.weights));
        Some(
            terms
                .map(|((l, beta), (fit, weight))| {
                    let inverse = 1.0 / (l + lambda);
                    let bias = (lambda * inverse * beta).powi(2);
                    let noise = var_z + diagonal * fit * fit + off * (square - fit * fit);
                    let sampling = self.problem.noise_variance * l;
                    weight * (bias + (sampling + noise) * inverse * inverse)
                })
                .sum(),
        )
    }

    /// With the ridge that it chooses when the noise on the smallest eigenvalue is 0.
    fn adassp(&self, calibration: AdaSspCalibration, ledger: &Ledger) -> Result<Option<f64>> {
        let method = AdaSsp {
            calibration,
            ..AdaSsp::default()
        };
        let [first, gram, xty] = method.noise_scales(ledger, &self.problem.bounds)?;
        let margin = match calibration {
            // ln(6/δ)/(ε/3) in units of g = √ln(6/δ)/(ε/3).
            AdaSspCalibration::Paper => (6.0 / ledger.budget().delta).ln().sqrt(),
            AdaSspCalibration::Gdp => 2.0,
        };
        let seen = (self.smallest() - margin * first).max(0.0);
        let d = self.d();
        let needed = (d * (2.0 * d * d / method.rho).ln()).sqrt() * gram;
        let lambda = (needed - seen).max(0.0);
        Ok(self.perturbed(lambda, xty * xty, gram * gram, gram * gram / 2.0))
    }

    fn ssp(&self, ledger: &Ledger) -> Result<Option<f64>> {
        let sd = Ssp::default().noise_scale(ledger, &self.problem.bounds)?;
        Ok(self.perturbed(0.0, sd * sd / 2.0, sd * sd, sd * sd / 2.0))
    }

    /// On a ball of twice the true norm.
    fn objective(&self, budget: Budget, neighbor: Neighbor) -> Result<Option<f64>> {
        let bounds = self.problem.bounds;
        let norm = self.problem.beta.iter().map(|b| b * b).sum::<f64>().sqrt();
        if norm == 0.0 {
            return Ok(Some(0.0));
        }
        let sd = ObjPert::new(0.0, 2.0 * norm, neighbor).noise_scale(budget, &bounds)?;
        let ridge = 2.0 * bounds.x_norm.powi(2) / budget.epsilon;
        Ok(self.perturbed(ridge, sd * sd, 0.0, 0.0))
    }

    /// Features within `±B_x` each.
    fn functional(&self, epsilon: f64) -> Result<Option<f64>> {
        let Bounds { x_norm, y_abs } = self.problem.bounds;
        let features = vec![(-x_norm, x_norm); self.problem.beta.len()];
        let scales = FunctionalMechanism::new(features, (-y_abs, y_abs)).noise_scales(epsilon)?;
        // A Laplace law of scale b has variance 2b².
        let variance = |scale: f64| 2.0 * scale * scale;
        let off = if self.problem.beta.len() > 1 {
            scales.quadratic[(1, 0)]
        } else {
            0.0
        };
        Ok(self.perturbed(
            0.0,
            variance(scales.linear[0]),
            variance(scales.quadratic[(0, 0)]),
            variance(off),
        ))
    }

    /// Without penalty; gradients are taken as unclipped.
    fn gradient_descent(&self, ledger: &Ledger) -> Result<Option<f64>> {
        let bounds = self.problem.bounds;
        let method = DpGd::new(0.0);
        let steps = method.steps as i32;
        let step = 1.0 / bounds.x_norm.powi(2);
        let sd = method.noise_scale(self.problem.n, ledger, &bounds)?;
        let terms = self
            .problem
            .eigenvalues
            .iter()
            .zip(&self.problem.beta)
            .zip(&self.weights);
        Ok(Some(
            terms
                .map(|((lambda, beta), weight)| {
                    let shrink = 1.0 - step * lambda;
                    let left = shrink.powi(steps);
                    let draws: f64 = (0..steps).map(|t| shrink.powi(2 * t)).sum();
                    // (1 − left)/λ, which tends to steps·step as λ falls to 0.
                    let gain: f64 = (0..steps).map(|t| step * shrink.powi(t)).sum();
                    let sampling = gain * gain * lambda * self.problem.noise_variance / self.n();
                    weight * ((left * beta).powi(2) + sampling + (step * sd).powi(2) * draws)
                })
                .sum(),
        ))
    }
}
