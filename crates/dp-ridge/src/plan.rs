//! Predicted risk of every method before any data are touched.
//!
//! Ridge methods have the closed form of [`risk`](crate::risk); methods that perturb the sums, the
//! objective or the gradients are predicted to first order in their noise. Clipping and balls are
//! not in the formulas.

use crate::risk::{Metric, Problem, Tuned, decompose, optimal_alpha, optimum};
use crate::tune::{PrivateFloor, PublicGuess, plug_in};
use crate::{Budget, Calibration, Floor, Ledger, Neighbor, Relation, Result, RidgeSpec};

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
    let mu = Ledger::open(budget, calibration, neighbor.relation())?.mu_total();
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
            all.push(first_order("AdaSSP, paper", sums.adassp_paper(budget)));
            all.push(first_order("AdaSSP, Gaussian DP", sums.adassp_gdp(mu)));
            all.push(first_order("SSP without ridge", sums.ssp(mu)));
            all.push(first_order(
                "objective perturbation",
                sums.objective(budget),
            ));
        }
        Relation::ReplaceOne => {
            all.push(first_order(
                "functional mechanism",
                sums.functional(budget.epsilon),
            ));
            all.push(first_order(
                "noisy gradient descent",
                sums.gradient_descent(mu),
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

    /// AdaSSP's ridge, from the eigenvalue it expects to see.
    fn adassp(&self, noisy_smallest: f64, sd: f64) -> f64 {
        const RHO: f64 = 0.05;
        let d = self.d();
        let needed = (d * (2.0 * d * d / RHO).ln()).sqrt() * sd;
        (needed - noisy_smallest.max(0.0)).max(0.0)
    }

    fn adassp_paper(&self, budget: Budget) -> Option<f64> {
        let bounds = self.problem.bounds;
        let (bx2, third) = (bounds.x_norm.powi(2), budget.epsilon / 3.0);
        let l = (6.0 / budget.delta).ln();
        let g = l.sqrt() / third;
        let lambda = self.adassp(self.smallest() - l / third * bx2, g * bx2);
        let sd = g * bx2;
        let var_z = (g * bounds.x_norm * bounds.y_abs).powi(2);
        self.perturbed(lambda, var_z, sd * sd, sd * sd / 2.0)
    }

    fn adassp_gdp(&self, mu: f64) -> Option<f64> {
        let bounds = self.problem.bounds;
        let bx2 = bounds.x_norm.powi(2);
        let (floor, sums) = (mu * 0.1f64.sqrt(), mu * 0.45f64.sqrt());
        let lambda = self.adassp(self.smallest() - 2.0 * bx2 / floor, bx2 / sums);
        let sd = bx2 / sums;
        let var_z = (bounds.x_norm * bounds.y_abs / sums).powi(2);
        self.perturbed(lambda, var_z, sd * sd, sd * sd / 2.0)
    }

    fn ssp(&self, mu: f64) -> Option<f64> {
        let bounds = self.problem.bounds;
        let variance = ((bounds.x_norm.powi(2) + bounds.y_abs.powi(2)) / mu).powi(2);
        self.perturbed(0.0, variance / 2.0, variance, variance / 2.0)
    }

    /// Objective perturbation on a ball of twice the true norm.
    fn objective(&self, budget: Budget) -> Option<f64> {
        let bounds = self.problem.bounds;
        let Budget { epsilon, delta } = budget;
        let radius = 2.0 * self.problem.beta.iter().map(|b| b * b).sum::<f64>().sqrt();
        let gradient = bounds.x_norm * (bounds.y_abs + bounds.x_norm * radius);
        let ridge = 2.0 * bounds.x_norm.powi(2) / epsilon;
        let factor = (8.0 * (2.0 / delta).ln() + 4.0 * epsilon) / (epsilon * epsilon);
        self.perturbed(ridge, gradient * gradient * factor, 0.0, 0.0)
    }

    /// Laplace noise on every monomial, features within `±B_x` each.
    fn functional(&self, epsilon: f64) -> Option<f64> {
        let bounds = self.problem.bounds;
        let (d, bx2) = (self.d(), bounds.x_norm.powi(2));
        let local = epsilon / (1.0 + d + d * (d + 1.0) / 2.0);
        let variance = |sensitivity: f64| 2.0 * (sensitivity / local).powi(2);
        self.perturbed(
            0.0,
            variance(2.0 * bounds.x_norm * bounds.y_abs),
            variance(bx2),
            variance(2.0 * bx2),
        )
    }

    /// 50 full steps with clipping at `B_x B_y`, no penalty; gradients are taken as unclipped.
    fn gradient_descent(&self, mu: f64) -> Option<f64> {
        const STEPS: i32 = 50;
        let bounds = self.problem.bounds;
        let step = 1.0 / bounds.x_norm.powi(2);
        let clip = bounds.x_norm * bounds.y_abs;
        let sd = 2.0 * clip * f64::from(STEPS).sqrt() / (self.n() * mu);
        let terms = self
            .problem
            .eigenvalues
            .iter()
            .zip(&self.problem.beta)
            .zip(&self.weights);
        Some(
            terms
                .map(|((lambda, beta), weight)| {
                    let shrink = 1.0 - step * lambda;
                    let left = shrink.powi(STEPS);
                    let draws: f64 = (0..STEPS).map(|t| shrink.powi(2 * t)).sum();
                    // (1 − left)/λ, which tends to STEPS·step as λ falls to 0.
                    let gain: f64 = (0..STEPS).map(|t| step * shrink.powi(t)).sum();
                    let sampling = gain * gain * lambda * self.problem.noise_variance / self.n();
                    weight * ((left * beta).powi(2) + sampling + (step * sd).powi(2) * draws)
                })
                .sum(),
        )
    }
}
