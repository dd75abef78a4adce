use super::{check_parameter, derived_release};
use crate::clip::{ClippedRows, clipped_blocks};
use crate::{
    Bounds, DpRegressor, Error, Ledger, Mu, Neighbor, Noise, NoiseRng, Relation, Release, Result,
    Training,
};
use papercrates_numeric::linalg::{mat_t_vec, mat_vec};

/// Full-batch noisy gradient descent on the ridge objective, from `β = 0`. Replace-one only.
///
/// Each record's loss gradient `(xᵀβ − y)x` is clipped to norm `C`, so a step's average moves by
/// at most `2C/n`; each of the `T` steps costs `μ/√T` and adds noise of `2C√T/(nμ)` to every
/// coordinate. The penalty's gradient `αβ` is added without clipping. The last iterate is
/// released. `O(T n d)`; holds a clipped copy of the rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DpGd {
    /// Penalty in averaged units, at least 0; scikit-learn's `Ridge(alpha)` is `n · alpha`.
    pub alpha: f64,
    /// `T ≥ 1`, default 50.
    pub steps: u32,
    /// `C`, above 0; default `B_x B_y`.
    pub clip: Option<f64>,
    /// Step size, above 0; default `1/(B_x² + α)`.
    pub step_size: Option<f64>,
    /// Share of the ledger for all steps together.
    pub share: Mu,
}

impl DpGd {
    /// Penalty `alpha` and the defaults.
    #[must_use]
    pub fn new(alpha: f64) -> Self {
        Self {
            alpha,
            steps: 50,
            clip: None,
            step_size: None,
            share: Mu::Rest,
        }
    }

    /// Standard deviation of the noise on each coordinate of each step's average gradient. No
    /// data needed.
    ///
    /// # Errors
    /// [`Error::BadBounds`], [`Error::EmptyData`], [`Error::NegativeParameter`],
    /// [`Error::BudgetExceeded`].
    pub fn noise_scale(&self, n: u64, ledger: &Ledger, bounds: &Bounds) -> Result<f64> {
        bounds.check()?;
        check_parameter("steps", f64::from(self.steps), false)?;
        let n = Neighbor::ReplaceOne.divisor(n)?;
        let mu = ledger.resolve(self.share)? / f64::from(self.steps).sqrt();
        Ok(Noise::Float
            .scale(2.0 * self.clip(bounds)? / n, mu, 1)?
            .sigma)
    }

    fn clip(&self, bounds: &Bounds) -> Result<f64> {
        let clip = self.clip.unwrap_or(bounds.x_norm * bounds.y_abs);
        check_parameter("clip", clip, false)?;
        Ok(clip)
    }
}

/// A block's rows and the norm of each.
struct Rows {
    block: ClippedRows,
    norms: Vec<f64>,
}

impl Rows {
    fn new(block: ClippedRows) -> Self {
        let norms = block.x().row_iter().map(|row| row.norm_l2()).collect();
        Self { block, norms }
    }

    /// The sum of the clipped gradients at `beta`.
    fn gradient(&self, beta: &[f64], clip: f64) -> Vec<f64> {
        let x = self.block.x();
        let mut residuals = mat_vec(x, beta);
        for ((r, y), norm) in residuals.iter_mut().zip(self.block.y()).zip(&self.norms) {
            // ‖r x‖ ≤ C where |r| ≤ C/‖x‖; a row of zeros has no gradient.
            let limit = if *norm > 0.0 { clip / norm } else { 0.0 };
            *r = (*r - y).clamp(-limit, limit);
        }
        mat_t_vec(x, &residuals)
    }
}

impl DpRegressor for DpGd {
    /// # Errors
    /// [`Error::RowsNeeded`] without rows, [`Error::NeighborMismatch`] unless the ledger is for
    /// replace-one, [`Error::NegativeParameter`], [`Error::EmptyData`],
    /// [`Error::BudgetExceeded`]. Nothing is spent then, unless a `step_size` that is too large
    /// lets the descent diverge: that shows only in noisy iterates that were paid for.
    fn fit(
        &self,
        training: &Training<'_>,
        ledger: &mut Ledger,
        rng: &mut dyn NoiseRng,
    ) -> Result<Release> {
        ledger.require_method("noisy gradient descent", Relation::ReplaceOne)?;
        check_parameter("alpha", self.alpha, true)?;
        let stats = training.stats();
        let bounds = stats.bounds();
        let step = self
            .step_size
            .unwrap_or(1.0 / (bounds.x_norm.powi(2) + self.alpha));
        check_parameter("step_size", step, false)?;
        let sigma = self.noise_scale(stats.n(), ledger, &bounds)?;
        let clip = self.clip(&bounds)?;
        let (x, y) = training.rows("noisy gradient descent")?;
        let blocks: Vec<Rows> = clipped_blocks(x, y, bounds)?
            .into_iter()
            .map(Rows::new)
            .collect();
        ledger.spend_mu(
            format!("gradient descent, {} steps", self.steps),
            self.share,
        )?;

        let n = stats.n() as f64;
        let mut beta = vec![0.0; stats.d()];
        for _ in 0..self.steps {
            let mut sum = vec![0.0; stats.d()];
            for rows in &blocks {
                for (sum, g) in sum.iter_mut().zip(rows.gradient(&beta, clip)) {
                    *sum += g;
                }
            }
            for (b, g) in beta.iter_mut().zip(sum) {
                let noisy = g / n + sigma * papercrates_numeric::streams::normal(rng);
                *b -= step * (noisy + self.alpha * *b);
            }
        }
        if beta.iter().all(|b| b.is_finite()) {
            Ok(derived_release("dp-gd", beta, false, training, ledger, rng))
        } else {
            Err(Error::NegativeParameter {
                name: "step_size",
                value: step,
                range: "small enough for the descent to stay finite",
            })
        }
    }
}
