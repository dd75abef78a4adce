//! Ridge-regularised empirical risk minimisation with a curvature floor.

use crate::clip::{ClippedRows, clipped_blocks};
use crate::newton::Objective;
use crate::{
    Bounds, DpRegressor, Error, GlmLoss, Ledger, Mu, Neighbor, Noise, NoiseRng, NonPrivateFit,
    Relation, Release, Result, Sensitivity, Spectrum, Training,
};
use faer::Par;

/// Gradient norm to which the solver goes unless another is asked.
pub const DEFAULT_GRAD_TOL: f64 = 1e-10;

/// What is fitted: `argmin (1/n) Σ ℓ(x_iᵀθ, y_i) + (α + τ)/2 ‖θ‖²` over `‖θ‖ ≤ R₀`, where
/// `τ = (c − κ λ₁(G))₊` raises the curvature to `c + α` on the whole ball.
///
/// | field | meaning | range | default |
/// |---|---|---|---|
/// | `loss` | the loss | | given |
/// | `alpha` | ridge penalty on the *average* loss; scikit-learn's `C` is `1/(n · alpha)` | ≥ 0 | given |
/// | `floor` | `c`, curvature floor in the same units; needs a loss with `κ > 0` | ≥ 0 | 0 |
/// | `radius` | `R₀`, public bound on `‖θ‖` | > 0 | given |
/// | `grad_tol` | gradient norm of the solver; the noise pays for it | > 0 | 1e-10 |
///
/// `alpha + floor` must be positive. Replace-one only. A private level for the floor is `κ` times
/// the one that [`private_lambda_min`](crate::tune::private_lambda_min) releases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErmSpec<L> {
    /// The loss.
    pub loss: L,
    /// Ridge penalty, averaged units.
    pub alpha: f64,
    /// Curvature floor `c`, averaged units.
    pub floor: f64,
    /// Public bound on the norm of the coefficients.
    pub radius: f64,
    /// Gradient norm at which the solver stops.
    pub grad_tol: f64,
}

impl<L: GlmLoss> ErmSpec<L> {
    /// Penalty `alpha` in the ball `radius`, no floor.
    #[must_use]
    pub fn new(loss: L, alpha: f64, radius: f64) -> Self {
        Self {
            loss,
            alpha,
            floor: 0.0,
            radius,
            grad_tol: DEFAULT_GRAD_TOL,
        }
    }

    /// With the curvature floor `c`.
    #[must_use]
    pub fn floor(mut self, floor: f64) -> Self {
        self.floor = floor;
        self
    }

    /// With another gradient tolerance.
    #[must_use]
    pub fn grad_tol(mut self, grad_tol: f64) -> Self {
        self.grad_tol = grad_tol;
        self
    }

    /// `κ`: the loss's least curvature in the ball, at these bounds. 0 means that a floor cannot
    /// help.
    #[must_use]
    pub fn curvature(&self, bounds: &Bounds) -> f64 {
        self.loss.curvature(bounds.x_norm * self.radius, bounds)
    }

    /// The sensitivity of the exact minimiser for `n` records within `bounds`:
    /// `min(2R₀, (2LB_x + κB_x²R₀)/(n(c + α)))` with a floor, `min(2R₀, 2LB_x/(nα))` without.
    /// No data needed. O(1).
    ///
    /// Proof: `F` is `(c + α)`-strongly convex on the ball because `∇² ⪰ κG`, and one record
    /// moves its gradient at any `θ` of the ball by at most `2LB_x/n + |τ − τ'| R₀` with
    /// `|τ − τ'| ≤ κB_x²/n` (Weyl).
    ///
    /// # Errors
    /// [`Error::BadBounds`], [`Error::NegativeParameter`], [`Error::UnboundedSensitivity`],
    /// [`Error::CurvatureZero`], [`Error::EmptyData`] for `n = 0`.
    pub fn sensitivity(&self, n: u64, bounds: &Bounds) -> Result<Sensitivity> {
        let (lipschitz, kappa) = self.constants(bounds)?;
        let n = Neighbor::ReplaceOne.divisor(n)?;
        let bx = bounds.x_norm;
        let shift = if self.floor > 0.0 {
            kappa * bx * bx * self.radius
        } else {
            0.0
        };
        let k = 2.0 * lipschitz * bx + shift;
        let curvature = self.floor + self.alpha;
        let free = k / (n * curvature);
        let cap = 2.0 * self.radius;
        Ok(Sensitivity {
            value: free.min(cap),
            norm_bound: self.radius,
            k,
            curvature,
            saturated: cap < free,
        })
    }

    /// The sensitivity of what the solver returns: `Δ + 2g/(c + α)`, because a point of the ball
    /// whose Lagrangian has a gradient of at most `g` is within `g/(c + α)` of the minimiser. At
    /// most `2R₀` still. This is what the noise is scaled to.
    ///
    /// # Errors
    /// As [`sensitivity`](Self::sensitivity).
    pub fn solver_sensitivity(&self, n: u64, bounds: &Bounds) -> Result<Sensitivity> {
        let exact = self.sensitivity(n, bounds)?;
        let value = exact.value + 2.0 * self.grad_tol / exact.curvature;
        Ok(Sensitivity {
            value: value.min(2.0 * self.radius),
            ..exact
        })
    }

    /// `L` and `κ`, after all checks that need no data.
    fn constants(&self, bounds: &Bounds) -> Result<(f64, f64)> {
        bounds.check()?;
        self.loss.check()?;
        let t_max = bounds.x_norm * self.radius;
        let lipschitz = self.loss.lipschitz(t_max, bounds);
        let kappa = self.curvature(bounds);
        for (name, value, zero_allowed) in [
            ("alpha", self.alpha, true),
            ("floor", self.floor, true),
            ("radius", self.radius, false),
            ("grad_tol", self.grad_tol, false),
            ("the Lipschitz constant of the loss", lipschitz, true),
            ("the curvature of the loss", kappa, true),
        ] {
            let large_enough = value > 0.0 || (zero_allowed && value == 0.0);
            if !(large_enough && value.is_finite()) {
                let range = if zero_allowed {
                    "at least 0, finite"
                } else {
                    "above 0, finite"
                };
                return Err(Error::NegativeParameter { name, value, range });
            }
        }
        if self.alpha + self.floor <= 0.0 {
            return Err(Error::UnboundedSensitivity);
        }
        if self.floor > 0.0 && kappa == 0.0 {
            return Err(Error::CurvatureZero { floor: self.floor });
        }
        Ok((lipschitz, kappa))
    }

    /// The minimiser, not private, by damped Newton. `O(n d²)` a step, about six steps; holds a
    /// clipped copy of the rows. The result does not depend on `par`.
    ///
    /// # Errors
    /// As [`sensitivity`](Self::sensitivity); [`Error::RowsNeeded`] without rows;
    /// [`Error::BadLabel`]; [`Error::NoConvergence`] when `grad_tol` is not reached in 200 steps.
    pub fn solve(&self, training: &Training<'_>, par: Par) -> Result<NonPrivateFit> {
        let stats = training.stats();
        let bounds = stats.bounds();
        let (_, kappa) = self.constants(&bounds)?;
        let n = Neighbor::ReplaceOne.divisor(stats.n())?;
        let blocks = loss_rows(&self.loss, training, "ERM")?;
        let spectrum = Spectrum::of(stats, Neighbor::ReplaceOne)?;
        let smallest = spectrum.eigenvalues()[0];
        let tau = if self.floor > 0.0 {
            (self.floor - kappa * smallest).max(0.0)
        } else {
            0.0
        };
        let objective = Objective {
            loss: &self.loss,
            blocks: &blocks,
            n,
            ridge: self.alpha + tau,
            linear: &vec![0.0; stats.d()],
            par,
        };
        let curvature = self.alpha + self.floor;
        let minimum = objective.minimise(self.radius, curvature, self.grad_tol)?;
        Ok(NonPrivateFit {
            coef: minimum.theta,
            floor_active: tau > 0.0,
            ball_active: minimum.multiplier > 0.0,
            multiplier: minimum.multiplier,
            eigenvalues: spectrum.eigenvalues().into(),
        })
    }
}

/// The clipped rows, with targets that the loss takes.
pub(crate) fn loss_rows<L: GlmLoss>(
    loss: &L,
    training: &Training<'_>,
    method: &'static str,
) -> Result<Vec<ClippedRows>> {
    let (x, y) = training.rows(method)?;
    let bounds = training.stats().bounds();
    let y_abs = bounds.y_abs;
    // Labels that the bound would clamp are refused whether or not the data have one.
    if loss.accepts(1.0) && !loss.accepts(y_abs.min(1.0)) {
        let (row, value) = (0, 1.0);
        return Err(Error::BadLabel { row, value, y_abs });
    }
    for (row, &value) in y.iter().enumerate() {
        if !(loss.accepts(value) && loss.accepts(value.clamp(-y_abs, y_abs))) {
            let row = row as u64;
            return Err(Error::BadLabel { row, value, y_abs });
        }
    }
    clipped_blocks(x, y, bounds)
}

/// Private ERM by output perturbation: the minimiser of [`ErmSpec`] plus Gaussian noise of
/// `σ = (Δ + 2g/(c + α))/μ`. The paper's method when the specification has a floor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrivateErm<L> {
    /// What is fitted.
    pub spec: ErmSpec<L>,
    /// Share of the ledger.
    pub share: Mu,
    /// Noise; `Discrete` needs a zCDP ledger.
    pub noise: Noise,
    /// Threads of the solver; the result does not depend on it.
    pub par: Par,
}

impl<L: GlmLoss> PrivateErm<L> {
    /// All that the ledger has left, floating-point noise, one thread.
    #[must_use]
    pub fn new(spec: ErmSpec<L>) -> Self {
        Self {
            spec,
            share: Mu::Rest,
            noise: Noise::Float,
            par: Par::Seq,
        }
    }

    pub(crate) fn release(
        &self,
        method: &'static str,
        training: &Training<'_>,
        ledger: &mut Ledger,
        rng: &mut dyn NoiseRng,
    ) -> Result<Release> {
        ledger.require_method("ERM by output perturbation", Relation::ReplaceOne)?;
        self.noise.check(ledger)?;
        let mu = ledger.resolve(self.share)?;
        let stats = training.stats();
        let sensitivity = self.spec.solver_sensitivity(stats.n(), &stats.bounds())?;
        let scale = self.noise.scale(sensitivity.value, mu, stats.d())?;
        let fit = self.spec.solve(training, self.par)?;
        ledger.spend_mu("ERM coefficients", Mu::Exact(mu))?;
        Ok(Release {
            method: method.into(),
            coef: scale.perturb_all(&fit.coef, rng),
            sigma: Some(scale.sigma),
            noise: self.noise,
            sensitivity: Some(sensitivity),
            spec: None,
            n: Some(stats.n()),
            reproducible_not_private: !rng.is_private(),
            indefinite: false,
            ledger: ledger.summary().clone(),
        })
    }
}

impl<L: GlmLoss> DpRegressor for PrivateErm<L> {
    /// # Errors
    /// As [`ErmSpec::solve`]; [`Error::NeighborMismatch`] unless the ledger is for replace-one;
    /// [`Error::CalibrationMismatch`], [`Error::BadGrid`], [`Error::BudgetExceeded`]. Nothing is
    /// spent then.
    fn fit(
        &self,
        training: &Training<'_>,
        ledger: &mut Ledger,
        rng: &mut dyn NoiseRng,
    ) -> Result<Release> {
        self.release("erm", training, ledger, rng)
    }
}
