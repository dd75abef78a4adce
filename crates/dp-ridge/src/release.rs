//! Private releases: the exact fit plus noise that the ledger has paid for.

use crate::discrete::DiscreteGaussian;
use crate::{
    Bounds, Calibration, Error, Ledger, LedgerSummary, Mu, Neighbor, NoiseRng, NonPrivateFit,
    Relation, Result, RidgeSpec, Sensitivity, SuffStats,
};
use papercrates_numeric::linalg::{dot, norm2};
use papercrates_numeric::special::normal_quantile;

/// Relative margin added to every sensitivity, for rounding in the fit.
const SENSITIVITY_MARGIN: f64 = 1e-9;

/// What the noise is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Noise {
    /// Floating-point Gaussian noise. Its low bits can leak (Mironov 2012); prefer `Discrete`
    /// for publication.
    #[default]
    Float,
    /// Coefficients rounded to multiples of `2^log2_grid` plus exact discrete Gaussian noise.
    /// Needs a ledger opened with [`Calibration::Zcdp`].
    Discrete {
        /// Base-2 logarithm of the grid; [`default_grid`](Self::default_grid) suits.
        log2_grid: i32,
    },
}

impl Noise {
    /// Discrete noise on the grid `2^⌊log₂(2⁻²⁰ Δ/μ)⌋`, about a millionth of the noise.
    #[must_use]
    pub fn default_grid(sensitivity: f64, mu: f64) -> Self {
        let log2 = (sensitivity / mu).log2() - 20.0;
        Self::Discrete {
            log2_grid: log2.floor().clamp(-1000.0, 1000.0) as i32,
        }
    }

    /// `γ`: the grid; 0 for `Float`.
    #[must_use]
    pub fn grid(&self) -> f64 {
        match *self {
            Self::Float => 0.0,
            Self::Discrete { log2_grid } => f64::from(log2_grid).exp2(),
        }
    }

    /// Check that the ledger's accounting covers this noise.
    pub(crate) fn check(&self, ledger: &Ledger) -> Result<()> {
        match self {
            Self::Discrete { .. } if ledger.calibration() != Calibration::Zcdp => {
                Err(Error::CalibrationMismatch {
                    what: "discrete noise",
                    expected: "Zcdp",
                })
            }
            _ => Ok(()),
        }
    }

    /// The noise scale for `dim` numbers of joint sensitivity `Δ`: `σ = Δ'/μ`, rounded up, where
    /// rounding to the grid has added `γ√dim` to `Δ`.
    ///
    /// # Errors
    /// [`Error::BadGrid`] for a grid so fine or so coarse that exact sampling is impossible;
    /// [`Error::NegativeParameter`] for a `μ` so small that the scale overflows.
    pub(crate) fn scale(&self, sensitivity: f64, mu: f64, dim: usize) -> Result<Scale> {
        let total = sensitivity + self.grid() * (dim as f64).sqrt();
        let sigma = (total * (1.0 + SENSITIVITY_MARGIN) / mu).next_up();
        let Self::Discrete { log2_grid } = *self else {
            if !sigma.is_finite() {
                return Err(Error::NegativeParameter {
                    name: "mu",
                    value: mu,
                    range: "large enough for a finite noise scale",
                });
            }
            return Ok(Scale {
                sigma,
                grid: 0.0,
                law: None,
            });
        };
        let grid = self.grid();
        let suggested = ((sensitivity / mu).log2() - 20.0)
            .floor()
            .clamp(-1000.0, 1000.0) as i32;
        let bad = |why| Error::BadGrid {
            log2_grid,
            sigma,
            why,
            suggested,
        };
        let variance = (sigma / grid).powi(2).ceil().max(1.0);
        if !(grid.is_normal() && variance.is_finite()) {
            return Err(bad("the grid is not a normal number"));
        }
        if variance > (1u64 << 52) as f64 {
            return Err(bad("the grid is finer than 2^-26 of the noise"));
        }
        let law = DiscreteGaussian::new(variance as u64, 1)?;
        // The parameter was rounded up to an integer: report the noise that is really added.
        Ok(Scale {
            sigma: grid * variance.sqrt(),
            grid,
            law: Some(law),
        })
    }
}

/// A noise scale that can be sampled.
pub(crate) struct Scale {
    /// Standard deviation per coordinate.
    pub(crate) sigma: f64,
    grid: f64,
    law: Option<DiscreteGaussian>,
}

impl Scale {
    /// Add noise to one number, rounding it to the grid first where there is one. A number more
    /// than 2^63 steps from 0 is clamped, which moves no two neighbours further apart.
    pub(crate) fn perturb(&self, value: f64, rng: &mut dyn NoiseRng) -> f64 {
        match self.law {
            None => value + self.sigma * papercrates_numeric::streams::normal(rng),
            Some(law) => {
                let steps = (value / self.grid).round_ties_even() as i64;
                steps.saturating_add(law.sample(rng)) as f64 * self.grid
            }
        }
    }

    pub(crate) fn perturb_all(&self, values: &[f64], rng: &mut dyn NoiseRng) -> Vec<f64> {
        values.iter().map(|v| self.perturb(*v, rng)).collect()
    }
}

/// A private fit, with everything a reader needs to judge it and nothing that is not private.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Release {
    /// Which method made it.
    pub method: String,
    /// The noisy coefficients, length `d`.
    pub coef: Vec<f64>,
    /// Standard deviation of the noise on each coefficient; `None` where the method does not add
    /// Gaussian noise of one scale to the coefficients themselves.
    pub sigma: Option<f64>,
    /// The noise that was added.
    pub noise: Noise,
    /// The sensitivity it was scaled to; `None` as for `sigma`.
    pub sensitivity: Option<Sensitivity>,
    /// The specification of a ridge release.
    pub spec: Option<RidgeSpec>,
    /// Number of records; `None` under add/remove, where it is private.
    pub n: Option<u64>,
    /// True when the noise came from a known seed: nobody is protected by it.
    pub reproducible_not_private: bool,
    /// The noisy quadratic form was indefinite and the coefficients are unreliable (baselines on
    /// noisy sums only).
    pub indefinite: bool,
    /// What the ledger holds after this release.
    pub ledger: LedgerSummary,
}

/// Fit, add noise, and charge the ledger.
///
/// Noise is `𝒩(0, σ²I)` with `σ = Δ/μ`, `Δ` from [`RidgeSpec::sensitivity`] and `μ` from the
/// share. The ledger is charged before noise is drawn. O(d³).
///
/// # Errors
/// Those of [`RidgeSpec::solve`]; [`Error::NeighborMismatch`] when ledger and specification use
/// different relations; [`Error::CalibrationMismatch`] for discrete noise without zCDP;
/// [`Error::BadGrid`]; [`Error::BudgetExceeded`]. Nothing is spent then.
pub fn release(
    spec: &RidgeSpec,
    stats: &SuffStats,
    share: Mu,
    noise: Noise,
    ledger: &mut Ledger,
    rng: &mut dyn NoiseRng,
) -> Result<Release> {
    ledger.require_relation("this ledger", spec.neighbor.relation())?;
    noise.check(ledger)?;
    let mu = ledger.resolve(share)?;
    let prepared = spec.prepare(stats, mu, noise)?;
    ledger.spend_mu("ridge coefficients", Mu::Exact(mu))?;
    Ok(release_with_mu(&prepared, stats, ledger, rng))
}

/// Everything of a release that can fail, done before the ledger is charged.
pub(crate) struct Prepared {
    spec: RidgeSpec,
    fit: NonPrivateFit,
    sensitivity: Sensitivity,
    noise: Noise,
    scale: Scale,
}

impl RidgeSpec {
    /// The sensitivity of the fit as it is computed, with its rounding.
    pub(crate) fn computed_sensitivity(&self, stats: &SuffStats) -> Result<f64> {
        let exact = self.sensitivity(stats.n(), &stats.bounds())?;
        let ulps = rounding_ulps(stats, self.neighbor);
        Ok(exact.value + rounding(&exact, &stats.bounds(), ulps))
    }

    pub(crate) fn prepare(&self, stats: &SuffStats, mu: f64, noise: Noise) -> Result<Prepared> {
        let spec = self.checked()?;
        let sensitivity = spec.sensitivity(stats.n(), &stats.bounds())?;
        let scale = noise.scale(spec.computed_sensitivity(stats)?, mu, stats.d())?;
        Ok(Prepared {
            fit: spec.solve(stats)?,
            spec,
            sensitivity,
            noise,
            scale,
        })
    }
}

/// How many units in the last place of `B_x²` the computed Gram matrix can be off by, and `b` of
/// `B_x B_y`: products within a block of 1024 rows, then the eigendecomposition. Sums that a
/// database made by additions without compensation are off by half a unit for each of them; as
/// many are counted as are publicly known.
pub(crate) fn rounding_ulps(stats: &SuffStats, neighbor: Neighbor) -> f64 {
    let additions = match (stats.summed_elsewhere(), neighbor) {
        (false, _) => 0,
        (true, Neighbor::ReplaceOne) => stats.n(),
        (true, Neighbor::AddRemove { n_max, .. }) => n_max,
    };
    let products = (0.5 * additions as f64).max(1024.0);
    (products + 16.0 * stats.d() as f64) * f64::EPSILON
}

/// How far rounding can move the difference of two fits: that of `G` and `b`, which the inverse
/// magnifies by `1/(c + α)`. Against `Δ ∝ 1/n` it counts from a million records on.
fn rounding(sensitivity: &Sensitivity, bounds: &Bounds, ulps: f64) -> f64 {
    let Bounds { x_norm, y_abs } = *bounds;
    let r = sensitivity.norm_bound;
    let free = 2.0 * ulps * (r + x_norm * (y_abs + x_norm * r) / sensitivity.curvature);
    // The cap 2R holds whatever the rounding, because the fit is projected onto the ball.
    free.min((2.0 * sensitivity.norm_bound - sensitivity.value).max(0.0))
}

/// Draw the noise. The ledger has been charged.
pub(crate) fn release_with_mu(
    prepared: &Prepared,
    stats: &SuffStats,
    ledger: &Ledger,
    rng: &mut dyn NoiseRng,
) -> Release {
    let Prepared {
        spec,
        fit,
        sensitivity,
        noise,
        scale,
    } = prepared;
    let n_is_public = spec.neighbor.relation() == Relation::ReplaceOne;
    Release {
        method: "ridge".into(),
        coef: scale.perturb_all(&fit.coef, rng),
        sigma: Some(scale.sigma),
        noise: *noise,
        sensitivity: Some(*sensitivity),
        spec: Some(*spec),
        n: n_is_public.then(|| stats.n()),
        reproducible_not_private: !rng.is_private(),
        indefinite: false,
        ledger: ledger.summary().clone(),
    }
}

impl Release {
    /// Intervals that cover the coefficients of the *non-private* fit with probability at least
    /// `level` each: `coef ± (z σ + γ/2)`. Exact, because the law of the noise is public; they do
    /// not cover sampling error. `None` when the method's noise is not of this form.
    ///
    /// # Errors
    /// [`Error::NegativeParameter`] for a level outside (0, 1).
    pub fn ci_noise(&self, level: f64) -> Result<Option<Vec<(f64, f64)>>> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::NegativeParameter {
                name: "level",
                value: level,
                range: "in (0, 1)",
            });
        }
        let Some(sigma) = self.sigma else {
            return Ok(None);
        };
        let half = normal_quantile(0.5 + level / 2.0) * sigma + self.noise.grid() / 2.0;
        Ok(Some(
            self.coef.iter().map(|c| (c - half, c + half)).collect(),
        ))
    }

    /// The coefficients projected onto the ball of this radius: post-processing, costs nothing.
    #[must_use]
    pub fn project(&self, radius: f64) -> Vec<f64> {
        let norm = norm2(&self.coef);
        let scale = if norm > radius { radius / norm } else { 1.0 };
        self.coef.iter().map(|c| c * scale).collect()
    }

    /// Positive-part James–Stein: `(1 − (d−2)σ²/‖coef‖²)₊ coef`, the identity for `d < 3` or
    /// without `sigma`. Post-processing, costs nothing.
    #[must_use]
    pub fn shrink(&self) -> Vec<f64> {
        let d = self.coef.len() as f64;
        let sigma = self.sigma.unwrap_or(0.0);
        let norm = norm2(&self.coef);
        if d < 3.0 || norm == 0.0 {
            return self.coef.clone();
        }
        let scale = (1.0 - (d - 2.0) * (sigma / norm).powi(2)).max(0.0);
        self.coef.iter().map(|c| c * scale).collect()
    }

    /// `x · coef` for one row of `d` prepared features.
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`].
    pub fn predict(&self, x: &[f64]) -> Result<f64> {
        linear(&self.coef, x)
    }
}

pub(crate) fn linear(coef: &[f64], x: &[f64]) -> Result<f64> {
    if x.len() == coef.len() {
        Ok(dot(coef, x))
    } else {
        Err(Error::DimensionMismatch {
            expected: coef.len(),
            got: x.len(),
            row: 0,
        })
    }
}
