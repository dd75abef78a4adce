use super::{check_parameter, derived_release};
use crate::erm::loss_rows;
use crate::newton::Objective;
use crate::{
    Bounds, Budget, DEFAULT_GRAD_TOL, DpRegressor, Error, GlmLoss, Ledger, Mu, Neighbor, Noise,
    NoiseRng, Relation, Release, Result, Spectrum, Squared, Training,
};
use faer::Par;
use papercrates_numeric::streams::normal;

const METHOD: &str = "objective perturbation";

/// Standard deviation of the linear term, `ζ √(8 ln(2/δ) + 4ε)/ε`, for records whose gradients
/// are at most `ζ` long (Kifer, Smith and Thakurta 2012, algorithm 1).
fn perturbation_sd(zeta: f64, budget: Budget) -> Result<f64> {
    let Budget { epsilon, delta } = budget;
    let multiplier = (8.0 * (2.0 / delta).ln() + 4.0 * epsilon).sqrt() / epsilon;
    Ok(Noise::Float.scale(zeta * multiplier, 1.0, 1)?.sigma)
}

/// The whole budget of a fresh ledger, which the theorem is stated for: `(ε, δ)` as such, not
/// Gaussian DP, so that nothing else can be composed with it.
fn require_whole_budget(ledger: &Ledger) -> Result<Budget> {
    let budget = ledger.budget();
    if ledger.summary().entries.is_empty() {
        return Ok(budget);
    }
    Err(Error::BudgetExceeded {
        asked: budget.epsilon,
        left: (budget.epsilon - ledger.epsilon_at(budget.delta)?).max(0.0),
        unit: "epsilon",
    })
}

/// The nominal size; replace-one is refused.
fn nominal(neighbor: Neighbor) -> Result<f64> {
    match neighbor.relation() {
        Relation::AddRemove => neighbor.divisor(0),
        got @ Relation::ReplaceOne => Err(Error::NeighborMismatch {
            what: METHOD,
            expected: Relation::AddRemove,
            got,
        }),
    }
}

/// `Λ`: what was asked, if it is enough, else the least that the theorem allows, `2λ_H/ε`.
fn extra_ridge(asked: Option<f64>, hessian: f64, epsilon: f64) -> Result<f64> {
    let least = 2.0 * hessian / epsilon;
    match asked {
        None => Ok(least),
        Some(value) if value >= least && value.is_finite() => Ok(value),
        Some(value) => Err(Error::NegativeParameter {
            name: "lambda",
            value,
            range: "at least 2 B_x^2 max l'' / epsilon, finite",
        }),
    }
}

fn draw(d: usize, sd: f64, rng: &mut dyn NoiseRng) -> Vec<f64> {
    (0..d).map(|_| sd * normal(rng)).collect()
}

/// Objective perturbation of ridge regression in a ball (Kifer, Smith and Thakurta 2012,
/// algorithm 1): the exact minimiser of
/// `(1/2n₀)‖y − Xθ‖² + (α/2)‖θ‖² + (Λ/2n₀)‖θ‖² + bᵀθ/n₀`, `b` Gaussian, over `‖θ‖ ≤ R₀`.
/// Add/remove only.
///
/// `ζ = B_x(B_y + B_x R₀)` bounds a record's gradient on the ball and `λ_H = B_x²` its Hessian.
/// The published code of the AdaSSP study divides by `ε²` where the theorem has `ε`, so its
/// curves of this method are too noisy below `ε = 1`.
///
/// The theorem gives `(ε, δ)`, not Gaussian DP: it takes the *whole* budget of a fresh ledger,
/// and the ledger's curve is proven at the budget's own `(ε, δ)` only. O(d³).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObjPert {
    /// Penalty in averaged units (of the nominal size), at least 0.
    pub alpha: f64,
    /// `R₀`, public bound on the norm of the coefficients, above 0.
    pub radius: f64,
    /// `Λ`, penalty in sum units that privacy needs; default the least allowed, `2B_x²/ε`.
    pub lambda: Option<f64>,
    /// Add/remove with its sizes.
    pub neighbor: Neighbor,
}

impl ObjPert {
    /// Penalty `alpha` in the ball `radius`, for a public nominal number of rows.
    #[must_use]
    pub fn new(alpha: f64, radius: f64, neighbor: Neighbor) -> Self {
        Self {
            alpha,
            radius,
            lambda: None,
            neighbor,
        }
    }

    /// Standard deviation of the linear term `b`. No data needed.
    ///
    /// # Errors
    /// [`Error::BadBounds`], [`Error::BadBudget`], [`Error::NegativeParameter`].
    pub fn noise_scale(&self, budget: Budget, bounds: &Bounds) -> Result<f64> {
        bounds.check()?;
        budget.check()?;
        check_parameter("radius", self.radius, false)?;
        let zeta = bounds.x_norm * Squared.lipschitz(bounds.x_norm * self.radius, bounds);
        perturbation_sd(zeta, budget)
    }
}

impl DpRegressor for ObjPert {
    /// # Errors
    /// [`Error::NeighborMismatch`] under replace-one, [`Error::NegativeParameter`],
    /// [`Error::BudgetExceeded`] unless the ledger is fresh. Nothing is spent then.
    fn fit(
        &self,
        training: &Training<'_>,
        ledger: &mut Ledger,
        rng: &mut dyn NoiseRng,
    ) -> Result<Release> {
        ledger.require_method(METHOD, Relation::AddRemove)?;
        check_parameter("alpha", self.alpha, true)?;
        let n = nominal(self.neighbor)?;
        let budget = require_whole_budget(ledger)?;
        let stats = training.stats();
        let bounds = stats.bounds();
        let sd = self.noise_scale(budget, &bounds)?;
        let lambda = extra_ridge(self.lambda, bounds.x_norm.powi(2), budget.epsilon)?;
        let spectrum = Spectrum::of(stats, self.neighbor)?;
        ledger.spend_mu("objective perturbation, whole budget", Mu::Rest)?;

        let noise = spectrum.rotate(&draw(stats.d(), sd, rng));
        let linear: Vec<f64> = spectrum
            .rotated()
            .iter()
            .zip(noise)
            .map(|(b, noise)| b - noise / n)
            .collect();
        let mu: Vec<f64> = spectrum
            .eigenvalues()
            .iter()
            .map(|v| v.max(0.0) + self.alpha + lambda / n)
            .collect();
        let fit = spectrum.minimise(&mu, &linear, Some(self.radius), false);
        Ok(derived_release(
            "objective-perturbation",
            fit.coef,
            false,
            training,
            ledger,
            rng,
        ))
    }
}

/// Objective perturbation of a regularised ERM in a ball: as [`ObjPert`] with
/// `(1/n₀) Σ ℓ(x_iᵀθ, y_i)` for the squared error, `ζ = L B_x` and `λ_H = B_x² max ℓ''`.
/// Add/remove only.
///
/// A loss whose second derivative jumps is covered too: its gradient is Lipschitz, so the
/// change of variables from `b` to `θ` holds almost everywhere (area formula). The theorem is
/// about the exact minimiser; the solver stops at a gradient of `grad_tol`, and that difference
/// is **not** paid for. `O(n d²)` a Newton step; holds a clipped copy of the rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObjPertErm<L> {
    /// The loss.
    pub loss: L,
    /// Penalty on the average loss (of the nominal size), at least 0.
    pub alpha: f64,
    /// `R₀`, public bound on the norm of the coefficients, above 0.
    pub radius: f64,
    /// `Λ`, penalty in sum units that privacy needs; default the least allowed, `2λ_H/ε`.
    pub lambda: Option<f64>,
    /// Add/remove with its sizes.
    pub neighbor: Neighbor,
    /// Gradient norm of the solver.
    pub grad_tol: f64,
    /// Threads of the solver; the result does not depend on it.
    pub par: Par,
}

impl<L: GlmLoss> ObjPertErm<L> {
    /// Penalty `alpha` in the ball `radius`, for a public nominal number of rows.
    #[must_use]
    pub fn new(loss: L, alpha: f64, radius: f64, neighbor: Neighbor) -> Self {
        Self {
            loss,
            alpha,
            radius,
            lambda: None,
            neighbor,
            grad_tol: DEFAULT_GRAD_TOL,
            par: Par::Seq,
        }
    }

    /// Standard deviation of the linear term `b`. No data needed.
    ///
    /// # Errors
    /// [`Error::BadBounds`], [`Error::BadBudget`], [`Error::NegativeParameter`].
    pub fn noise_scale(&self, budget: Budget, bounds: &Bounds) -> Result<f64> {
        bounds.check()?;
        budget.check()?;
        self.loss.check()?;
        check_parameter("radius", self.radius, false)?;
        let lipschitz = self.loss.lipschitz(bounds.x_norm * self.radius, bounds);
        check_parameter("the Lipschitz constant of the loss", lipschitz, true)?;
        perturbation_sd(lipschitz * bounds.x_norm, budget)
    }
}

impl<L: GlmLoss> DpRegressor for ObjPertErm<L> {
    /// # Errors
    /// As [`ObjPert`], and [`Error::RowsNeeded`], [`Error::BadLabel`]: nothing is spent then.
    /// [`Error::NoConvergence`] comes only after the noise was paid for.
    fn fit(
        &self,
        training: &Training<'_>,
        ledger: &mut Ledger,
        rng: &mut dyn NoiseRng,
    ) -> Result<Release> {
        ledger.require_method(METHOD, Relation::AddRemove)?;
        check_parameter("alpha", self.alpha, true)?;
        check_parameter("grad_tol", self.grad_tol, false)?;
        let n = nominal(self.neighbor)?;
        let budget = require_whole_budget(ledger)?;
        let stats = training.stats();
        let bounds = stats.bounds();
        let sd = self.noise_scale(budget, &bounds)?;
        let curvature_max = self
            .loss
            .curvature_max(bounds.x_norm * self.radius, &bounds);
        check_parameter("the largest curvature of the loss", curvature_max, false)?;
        let hessian = bounds.x_norm.powi(2) * curvature_max;
        let lambda = extra_ridge(self.lambda, hessian, budget.epsilon)?;
        let blocks = loss_rows(&self.loss, training, METHOD)?;
        ledger.spend_mu("objective perturbation, whole budget", Mu::Rest)?;

        let linear = draw(stats.d(), sd, rng);
        let objective = Objective {
            loss: &self.loss,
            blocks: &blocks,
            n,
            ridge: self.alpha + lambda / n,
            linear: &linear,
            par: self.par,
        };
        let minimum = objective.minimise(self.radius, objective.ridge, self.grad_tol)?;
        Ok(derived_release(
            "objective-perturbation-erm",
            minimum.theta,
            false,
            training,
            ledger,
            rng,
        ))
    }
}
