//! The estimator family `β̂_{α,c} = (G_c + αI)⁻¹ b`, with an optional ball constraint.

use crate::{Error, Floor, Neighbor, Result, Sensitivity, SuffStats};
use faer::{Mat, MatRef};
use papercrates_numeric::linalg::{Eigen, mat_t_vec, mat_vec, norm2, symmetric_eigen};
use std::sync::Arc;

/// What is fitted: penalty, floor, ball and neighbour relation, in *averaged* units.
///
/// | field | meaning | range | default |
/// |---|---|---|---|
/// | `alpha` | ridge penalty on `G = XᵀX/n`; scikit-learn's `Ridge(alpha)` is `n · alpha` | ≥ 0 | given |
/// | `floor` | lower bound `c` on the curvature, by raising eigenvalues of `G` | `c ≥ 0` | `None` |
/// | `radius` | public bound on `‖β‖`; the fit is constrained to the ball | > 0 | `None` |
/// | `neighbor` | who counts as a neighbour | | replace-one |
///
/// `alpha + c` must be positive.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RidgeSpec {
    /// Ridge penalty in averaged units, at least 0.
    pub alpha: f64,
    /// Curvature floor.
    pub floor: Floor,
    /// Public bound on the norm of the coefficients.
    pub radius: Option<f64>,
    /// Neighbour relation.
    pub neighbor: Neighbor,
}

impl RidgeSpec {
    /// Penalty `alpha`, no floor, no ball, replace-one.
    #[must_use]
    pub fn new(alpha: f64) -> Self {
        Self {
            alpha,
            floor: Floor::None,
            radius: None,
            neighbor: Neighbor::ReplaceOne,
        }
    }

    /// With this floor.
    #[must_use]
    pub fn floor(mut self, floor: Floor) -> Self {
        self.floor = floor;
        self
    }

    /// With `‖β‖ ≤ radius`.
    #[must_use]
    pub fn radius(mut self, radius: f64) -> Self {
        self.radius = Some(radius);
        self
    }

    /// With this neighbour relation.
    #[must_use]
    pub fn neighbor(mut self, neighbor: Neighbor) -> Self {
        self.neighbor = neighbor;
        self
    }

    /// The specification with a floor of level 0 written as `None`, after the checks.
    ///
    /// # Errors
    /// [`Error::NegativeParameter`], [`Error::UnboundedSensitivity`].
    pub fn checked(&self) -> Result<Self> {
        let not_negative = [("alpha", self.alpha), ("floor", self.floor.level())];
        for (name, value) in not_negative {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::NegativeParameter {
                    name,
                    value,
                    range: "at least 0, finite",
                });
            }
        }
        if let Some(value) = self.radius
            && !(value > 0.0 && value.is_finite())
        {
            return Err(Error::NegativeParameter {
                name: "radius",
                value,
                range: "above 0, finite",
            });
        }
        self.neighbor.divisor(1)?;
        if self.alpha + self.floor.level() <= 0.0 {
            return Err(Error::UnboundedSensitivity);
        }
        Ok(Self {
            floor: self.floor.normalised(),
            ..*self
        })
    }

    /// The exact, non-private fit. O(d³).
    ///
    /// The ball of radius `min(R, radius)` is always there. Without `radius` it binds only when
    /// there are more rows than `n_max` under add/remove, or when a tiny `alpha` magnifies
    /// rounding; it keeps the sensitivity valid then.
    ///
    /// # Errors
    /// As [`sensitivity`](Self::sensitivity), and [`Error::Numeric`] when the eigensolver fails.
    pub fn solve(&self, stats: &SuffStats) -> Result<NonPrivateFit> {
        Spectrum::of(stats, self.neighbor)?.fit(self)
    }

    /// The fits of many `(alpha, floor)` pairs after one eigendecomposition: O(d³) once, then
    /// O(d²) each. `alpha` and `floor` of `self` are not used.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn path(&self, stats: &SuffStats, grid: &[(f64, Floor)]) -> Result<Vec<NonPrivateFit>> {
        let spectrum = Spectrum::of(stats, self.neighbor)?;
        grid.iter()
            .map(|&(alpha, floor)| {
                spectrum.fit(&Self {
                    alpha,
                    floor,
                    ..*self
                })
            })
            .collect()
    }
}

/// Room for rounding in the norm bound, so that a fit that attains it is left alone.
const ROUNDING: f64 = 1.0 + 1e-12;

/// The eigendecomposition of `G` and `Uᵀb`: what all fits of one data set share. Not private.
#[derive(Clone)]
pub struct Spectrum {
    eigenvalues: Arc<[f64]>,
    vectors: Mat<f64>,
    rotated: Vec<f64>,
    n: u64,
    bounds: crate::Bounds,
    neighbor: Neighbor,
}

impl std::fmt::Debug for Spectrum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Spectrum(non-private)")
    }
}

impl Spectrum {
    /// Decompose `G = XᵀX/n` (or `/n₀` under add/remove). O(d³).
    ///
    /// # Errors
    /// [`Error::EmptyData`] under replace-one, [`Error::Numeric`].
    pub fn of(stats: &SuffStats, neighbor: Neighbor) -> Result<Self> {
        let n = neighbor.divisor(stats.n())?;
        let mut gram = stats.non_private_gram();
        gram.col_iter_mut()
            .for_each(|c| c.iter_mut().for_each(|v| *v /= n));
        let b: Vec<f64> = stats.non_private_xty().iter().map(|v| v / n).collect();
        let Eigen { values, vectors } = symmetric_eigen(gram.as_ref())?;
        let rotated = mat_t_vec(vectors.as_ref(), &b);
        Ok(Self {
            eigenvalues: values.into(),
            vectors,
            rotated,
            n: stats.n(),
            bounds: stats.bounds(),
            neighbor,
        })
    }

    /// Eigenvalues of `G`, ascending; rounding can make the smallest slightly negative.
    #[must_use]
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// Solve one specification. O(d²).
    ///
    /// # Errors
    /// As [`RidgeSpec::solve`]; [`Error::NeighborMismatch`] when the sums were divided for another
    /// relation or other public sizes than the specification has.
    pub fn fit(&self, spec: &RidgeSpec) -> Result<NonPrivateFit> {
        let spec = spec.checked()?;
        if spec.neighbor != self.neighbor {
            return Err(Error::NeighborMismatch {
                what: "this decomposition (with its sizes)",
                expected: self.neighbor.relation(),
                got: spec.neighbor.relation(),
            });
        }
        let Sensitivity {
            norm_bound,
            curvature,
            ..
        } = spec.sensitivity(self.n, &self.bounds)?;
        // The norm bound holds by itself in exact arithmetic while there are at most `n_max` rows.
        // As a ball it holds after rounding too, where a tiny `alpha` magnifies it.
        let radius = match spec.radius {
            Some(radius) if radius <= norm_bound => radius,
            _ => norm_bound * ROUNDING,
        };
        // So does the curvature: rounding can leave eigenvalues of `G` slightly negative.
        let mut mu = spec.floor.apply(&self.eigenvalues);
        mu.iter_mut()
            .for_each(|m| *m = (*m + spec.alpha).max(curvature));
        Ok(self.minimise(
            &mu,
            &self.rotated,
            Some(radius),
            spec.floor.is_active(&self.eigenvalues),
        ))
    }

    /// `Uᵀ v` for a vector in the coordinates of the data.
    pub(crate) fn rotate(&self, v: &[f64]) -> Vec<f64> {
        mat_t_vec(self.vectors.as_ref(), v)
    }

    /// `Uᵀ b`.
    pub(crate) fn rotated(&self) -> &[f64] {
        &self.rotated
    }

    /// The least `½ βᵀ U diag(mu) Uᵀ β − (U b)ᵀ β` over the ball: `mu` all positive, `b` rotated.
    /// O(d²).
    pub(crate) fn minimise(
        &self,
        mu: &[f64],
        b: &[f64],
        radius: Option<f64>,
        floor_active: bool,
    ) -> NonPrivateFit {
        let (coef, multiplier) = quadratic_minimum(self.vectors.as_ref(), mu, b, radius);
        NonPrivateFit {
            coef,
            floor_active,
            ball_active: multiplier > 0.0,
            multiplier,
            eigenvalues: self.eigenvalues.clone(),
        }
    }
}

/// The least `½ βᵀ U diag(mu) Uᵀ β − (U b)ᵀ β` over the ball (everywhere without a radius), and
/// the multiplier `ν ≥ 0` of the ball. O(d²).
pub(crate) fn quadratic_minimum(
    vectors: MatRef<'_, f64>,
    mu: &[f64],
    b: &[f64],
    radius: Option<f64>,
) -> (Vec<f64>, f64) {
    let multiplier = radius.map_or(0.0, |r| ball_multiplier(mu, b, r));
    let scaled: Vec<f64> = b
        .iter()
        .zip(mu)
        .map(|(b, m)| b / (m + multiplier))
        .collect();
    (mat_vec(vectors, &scaled), multiplier)
}

/// `ν ≥ 0` with `‖(μ + ν)⁻¹ b‖ = radius`, 0 when the unconstrained solution is inside: the
/// secular equation, by Newton on `1/‖·‖ − 1/radius` (concave and increasing in `ν`) inside a
/// bisection bracket, to a relative 1e-12.
fn ball_multiplier(mu: &[f64], b: &[f64], radius: f64) -> f64 {
    let norm = |nu: f64| {
        norm2(
            &b.iter()
                .zip(mu)
                .map(|(b, m)| b / (m + nu))
                .collect::<Vec<_>>(),
        )
    };
    if norm(0.0) <= radius {
        return 0.0;
    }
    // ‖(μ + ν)⁻¹ b‖ ≤ ‖b‖/ν, so the root is below ‖b‖/radius.
    let (mut low, mut high) = (0.0, norm2(b) / radius);
    let mut nu = 0.0;
    for _ in 0..200 {
        let size = norm(nu);
        if size > radius {
            low = nu;
        } else {
            high = nu;
        }
        if (size - radius).abs() <= 1e-13 * radius || high - low <= 1e-15 * high {
            break;
        }
        let slope: f64 = b
            .iter()
            .zip(mu)
            .map(|(b, m)| b * b / (m + nu).powi(3))
            .sum();
        let newton = nu + (size / radius - 1.0) * size * size / slope;
        nu = if newton > low && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
    }
    nu
}

/// An exact fit. **Not private**: it has no `Serialize`, and its `Debug` says so.
#[derive(Clone)]
pub struct NonPrivateFit {
    /// `β̂_{α,c}`, length `d`.
    pub coef: Vec<f64>,
    /// Whether the floor changed the spectrum.
    pub floor_active: bool,
    /// Whether the ball constraint binds.
    pub ball_active: bool,
    /// The multiplier `ν ≥ 0` of the ball constraint.
    pub multiplier: f64,
    pub(crate) eigenvalues: Arc<[f64]>,
}

impl NonPrivateFit {
    /// Eigenvalues of `G`, ascending, before the floor.
    #[must_use]
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// `x · β̂` for one row of `d` features.
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`].
    pub fn predict(&self, x: &[f64]) -> Result<f64> {
        crate::release::linear(&self.coef, x)
    }
}

impl std::fmt::Debug for NonPrivateFit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NonPrivateFit(non-private: coefficients are not shown)")
    }
}
