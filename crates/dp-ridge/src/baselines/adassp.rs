use super::{check_parameter, derived_release, solve_symmetric, symmetric_noise};
use crate::{
    Bounds, DpRegressor, Ledger, Mu, Noise, NoiseRng, Relation, Release, Result, Training,
};
use papercrates_numeric::linalg::symmetric_eigen;
use papercrates_numeric::streams::normal;

/// Shares of `μ²` for the smallest eigenvalue, `XᵀX` and `Xᵀy` under
/// [`AdaSspCalibration::Gdp`].
const GDP_SHARES: [f64; 3] = [0.1, 0.45, 0.45];

/// How [`AdaSsp`] turns the budget into noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AdaSspCalibration {
    /// As published (Wang 2018): a third of `ε` for each of three Gaussians, noise multiplier
    /// `g = √(ln(6/δ))/(ε/3)`. The ledger is charged `μ = 1/g` three times, which is less than
    /// the budget unless `ε` is large; the rest stays on the ledger.
    Paper,
    /// The same algorithm with exact accounting: the share `μ²` split 0.1 / 0.45 / 0.45.
    #[default]
    Gdp,
}

/// AdaSSP (Wang, UAI 2018): noisy `XᵀX` and `Xᵀy` with a ridge adapted to a noisy smallest
/// eigenvalue. Add/remove only.
///
/// With noise scales `g₁, g₂, g₃` from [`noise_scales`](Self::noise_scales),
/// `λ̃ = max(0, λ₁(XᵀX) + g₁𝒩 − margin)`, `λ = max(0, √(d ln(2d²/ρ)) g₂ − λ̃)`, and
/// `θ̂ = (XᵀX + g₂Z + λI)⁻¹(Xᵀy + g₃z)` with `Z` symmetric Gaussian. The margin is
/// `ln(6/δ) B_x²/(ε/3)` for `Paper` and two standard deviations for `Gdp`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaSsp {
    /// How the budget becomes noise.
    pub calibration: AdaSspCalibration,
    /// Add `B_x² I` to `XᵀX` first, as the authors' published code does (with `B_x = 1`) and the
    /// paper does not.
    pub code_identity: bool,
    /// `ρ` in (0, 1): probability with which the ridge may be too small.
    pub rho: f64,
    /// Share of the ledger under `Gdp`. `Paper` does not use it: its noise comes from the whole
    /// budget.
    pub share: Mu,
}

impl Default for AdaSsp {
    /// `Gdp`, no identity, `ρ = 0.05`, all that the ledger has left.
    fn default() -> Self {
        Self {
            calibration: AdaSspCalibration::default(),
            code_identity: false,
            rho: 0.05,
            share: Mu::Rest,
        }
    }
}

impl AdaSsp {
    /// Standard deviations of the noise on the smallest eigenvalue, on the diagonal of `XᵀX` (off
    /// it `1/√2` of that) and on `Xᵀy`. No data needed.
    ///
    /// # Errors
    /// [`Error::BadBounds`](crate::Error::BadBounds),
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded).
    pub fn noise_scales(&self, ledger: &Ledger, bounds: &Bounds) -> Result<[f64; 3]> {
        bounds.check()?;
        let mu = self.shares(ledger)?;
        let (x2, xy) = (bounds.x_norm.powi(2), bounds.x_norm * bounds.y_abs);
        let mut scales = [0.0; 3];
        for ((scale, mu), sensitivity) in scales.iter_mut().zip(mu).zip([x2, x2, xy]) {
            *scale = Noise::Float.scale(sensitivity, mu, 1)?.sigma;
        }
        Ok(scales)
    }

    /// What each of the three Gaussians is charged, after checking that the ledger can pay all.
    fn shares(&self, ledger: &Ledger) -> Result<[f64; 3]> {
        match self.calibration {
            AdaSspCalibration::Paper => {
                let third = ledger.budget().epsilon / 3.0;
                let mu = third / log_term(ledger).sqrt();
                ledger.resolve(Mu::Exact(3.0f64.sqrt() * mu))?;
                Ok([mu; 3])
            }
            AdaSspCalibration::Gdp => {
                let mu = ledger.resolve(self.share)?;
                Ok(GDP_SHARES.map(|share| share.sqrt() * mu))
            }
        }
    }
}

/// `ln(6/δ)`.
fn log_term(ledger: &Ledger) -> f64 {
    (6.0 / ledger.budget().delta).ln()
}

impl DpRegressor for AdaSsp {
    /// # Errors
    /// [`Error::NeighborMismatch`](crate::Error::NeighborMismatch) unless the ledger is for
    /// add/remove, [`Error::NegativeParameter`](crate::Error::NegativeParameter) for `rho`,
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded). Nothing is spent then.
    fn fit(
        &self,
        training: &Training<'_>,
        ledger: &mut Ledger,
        rng: &mut dyn NoiseRng,
    ) -> Result<Release> {
        ledger.require_method("AdaSSP", Relation::AddRemove)?;
        check_parameter("rho", self.rho, false)?;
        check_parameter("1 - rho", 1.0 - self.rho, false)?;
        let stats = training.stats();
        let d = stats.d();
        let bounds = stats.bounds();
        let x2 = bounds.x_norm.powi(2);
        let [for_eigenvalue, for_gram, for_xty] = self.noise_scales(ledger, &bounds)?;
        let (method, margin) = match self.calibration {
            AdaSspCalibration::Paper => {
                let third = ledger.budget().epsilon / 3.0;
                ("adassp-paper", log_term(ledger) / third * x2)
            }
            AdaSspCalibration::Gdp => ("adassp-gdp", 2.0 * for_eigenvalue),
        };
        let mut gram = stats.non_private_gram();
        if self.code_identity {
            for j in 0..d {
                gram[(j, j)] += x2;
            }
        }
        let smallest = symmetric_eigen(gram.as_ref())?.values[0];
        let labels = ["smallest eigenvalue", "XᵀX", "Xᵀy"];
        for (label, mu) in labels.into_iter().zip(self.shares(ledger)?) {
            ledger.spend_mu(label, Mu::Exact(mu))?;
        }

        let noisy_smallest = (smallest + for_eigenvalue * normal(rng) - margin).max(0.0);
        let dim = d as f64;
        let spread = (dim * (2.0 * dim * dim / self.rho).ln()).sqrt() * for_gram;
        let ridge = (spread - noisy_smallest).max(0.0);
        gram += symmetric_noise(d, for_gram, rng);
        for j in 0..d {
            gram[(j, j)] += ridge;
        }
        let xty: Vec<f64> = stats
            .non_private_xty()
            .iter()
            .map(|v| v + for_xty * normal(rng))
            .collect();
        let (coef, smallest) = solve_symmetric(gram.as_ref(), &xty)?;
        let indefinite = smallest <= 0.0;
        Ok(derived_release(
            method, coef, indefinite, training, ledger, rng,
        ))
    }
}
