use super::{check_parameter, derived_release, solve_symmetric, symmetric_noise};
use crate::{
    Bounds, DpRegressor, Error, Ledger, Mu, Noise, NoiseRng, Relation, Release, Result, Training,
};
use papercrates_numeric::streams::normal;

/// Sufficient statistics perturbation: `[X y]ᵀ[X y]` plus a symmetric Gaussian matrix of density
/// `∝ exp(−‖Z‖_F²/(2σ²))`, `σ = (B_x² + B_y²)/μ`, then the normal equations. Add/remove only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ssp {
    /// Ridge added to the *sum* `XᵀX` (scikit-learn's `alpha`), at least 0. Without one, a noisy
    /// matrix that is not positive definite is an error; with one it is solved as it is and the
    /// release is marked `indefinite`.
    pub ridge: f64,
    /// Share of the ledger.
    pub share: Mu,
}

impl Default for Ssp {
    /// No ridge, all that the ledger has left.
    fn default() -> Self {
        Self {
            ridge: 0.0,
            share: Mu::Rest,
        }
    }
}

impl Ssp {
    /// `σ`: standard deviation of the noise on the diagonal; off the diagonal, which includes
    /// `Xᵀy`, it is `σ/√2`. No data needed.
    ///
    /// # Errors
    /// [`Error::BadBounds`], [`Error::NegativeParameter`], [`Error::BudgetExceeded`].
    pub fn noise_scale(&self, ledger: &Ledger, bounds: &Bounds) -> Result<f64> {
        bounds.check()?;
        let sensitivity = bounds.x_norm.powi(2) + bounds.y_abs.powi(2);
        let mu = ledger.resolve(self.share)?;
        Ok(Noise::Float.scale(sensitivity, mu, 1)?.sigma)
    }
}

impl DpRegressor for Ssp {
    /// # Errors
    /// [`Error::NeighborMismatch`] unless the ledger is for add/remove, [`Error::BudgetExceeded`],
    /// and [`Error::NotPositiveDefinite`]; the last only after the noise was paid for.
    fn fit(
        &self,
        training: &Training<'_>,
        ledger: &mut Ledger,
        rng: &mut dyn NoiseRng,
    ) -> Result<Release> {
        ledger.require_method("sufficient statistics perturbation", Relation::AddRemove)?;
        check_parameter("ridge", self.ridge, true)?;
        let stats = training.stats();
        let d = stats.d();
        let sigma = self.noise_scale(ledger, &stats.bounds())?;
        let mut gram = stats.non_private_gram();
        let mut xty = stats.non_private_xty();
        ledger.spend_mu("sufficient statistics", self.share)?;
        gram += symmetric_noise(d, sigma, rng);
        for (j, v) in xty.iter_mut().enumerate() {
            *v += sigma * std::f64::consts::FRAC_1_SQRT_2 * normal(rng);
            gram[(j, j)] += self.ridge;
        }
        let (coef, smallest) = solve_symmetric(gram.as_ref(), &xty)?;
        let indefinite = smallest <= 0.0;
        if indefinite && self.ridge == 0.0 {
            return Err(Error::NotPositiveDefinite { smallest });
        }
        Ok(derived_release(
            "ssp", coef, indefinite, training, ledger, rng,
        ))
    }
}
