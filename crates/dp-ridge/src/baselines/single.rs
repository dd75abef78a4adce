use crate::{
    DpRegressor, Floor, Ledger, Mu, Neighbor, Noise, NoiseRng, Release, Result, RidgeSpec,
    Training, release,
};

/// Output perturbation of ridge regression with one parameter: `alpha` both shrinks and keeps the
/// noise small. The estimator family with `Floor::None`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SingleRidge {
    /// Penalty in averaged units, above 0; scikit-learn's `Ridge(alpha)` is `n · alpha`.
    pub alpha: f64,
    /// Public bound on the norm of the coefficients.
    pub radius: Option<f64>,
    /// Neighbour relation.
    pub neighbor: Neighbor,
    /// Share of the ledger.
    pub share: Mu,
    /// Noise; `Discrete` needs a zCDP ledger.
    pub noise: Noise,
}

impl SingleRidge {
    /// Penalty `alpha`, no ball, replace-one, the rest of the ledger, floating-point noise.
    #[must_use]
    pub fn new(alpha: f64) -> Self {
        Self {
            alpha,
            radius: None,
            neighbor: Neighbor::ReplaceOne,
            share: Mu::Rest,
            noise: Noise::Float,
        }
    }
}

impl DpRegressor for SingleRidge {
    /// # Errors
    /// As [`release`].
    fn fit(
        &self,
        training: &Training<'_>,
        ledger: &mut Ledger,
        rng: &mut dyn NoiseRng,
    ) -> Result<Release> {
        let spec = RidgeSpec {
            alpha: self.alpha,
            floor: Floor::None,
            radius: self.radius,
            neighbor: self.neighbor,
        };
        let release = release(&spec, training.stats(), self.share, self.noise, ledger, rng)?;
        Ok(Release {
            method: "single-ridge".into(),
            ..release
        })
    }
}
