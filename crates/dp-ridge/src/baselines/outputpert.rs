use crate::{
    DEFAULT_GRAD_TOL, DpRegressor, ErmSpec, GlmLoss, Ledger, Mu, Noise, NoiseRng, PrivateErm,
    Release, Result, Training,
};
use faer::Par;

/// Output perturbation of a regularised ERM without a floor: `alpha` both shrinks and keeps the
/// noise small. [`PrivateErm`] with `c = 0`: `Δ = min(2R₀, 2LB_x/(nα))`. Replace-one only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutputPertErm<L> {
    /// The loss.
    pub loss: L,
    /// Penalty on the average loss, above 0.
    pub alpha: f64,
    /// `R₀`, public bound on the norm of the coefficients.
    pub radius: f64,
    /// Gradient norm of the solver; the noise pays for it.
    pub grad_tol: f64,
    /// Share of the ledger.
    pub share: Mu,
    /// Noise; `Discrete` needs a zCDP ledger.
    pub noise: Noise,
    /// Threads of the solver; the result does not depend on it.
    pub par: Par,
}

impl<L: GlmLoss> OutputPertErm<L> {
    /// Penalty `alpha` in the ball `radius`, all that the ledger has left, floating-point noise.
    #[must_use]
    pub fn new(loss: L, alpha: f64, radius: f64) -> Self {
        Self {
            loss,
            alpha,
            radius,
            grad_tol: DEFAULT_GRAD_TOL,
            share: Mu::Rest,
            noise: Noise::Float,
            par: Par::Seq,
        }
    }
}

impl<L: GlmLoss> DpRegressor for OutputPertErm<L> {
    /// # Errors
    /// As [`PrivateErm`].
    fn fit(
        &self,
        training: &Training<'_>,
        ledger: &mut Ledger,
        rng: &mut dyn NoiseRng,
    ) -> Result<Release> {
        let spec = ErmSpec::new(&self.loss, self.alpha, self.radius).grad_tol(self.grad_tol);
        let erm = PrivateErm {
            spec,
            share: self.share,
            noise: self.noise,
            par: self.par,
        };
        erm.release("output-perturbation-erm", training, ledger, rng)
    }
}
