//! How far one record can move the fitted vector: bounds that need no data.

use crate::{Bounds, Error, Floor, Neighbor, Result, RidgeSpec};

/// A proven bound on how far one record moves the fitted coefficients, in Euclidean norm.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sensitivity {
    /// `Δ`: the bound.
    pub value: f64,
    /// `R`: the bound on the norm of the fitted vector.
    pub norm_bound: f64,
    /// `K`: the constant in `K / (n (c + α))`.
    pub k: f64,
    /// `c + α`: the guaranteed curvature.
    pub curvature: f64,
    /// Whether the cap `2R` is what counts (too few records for these parameters).
    pub saturated: bool,
}

/// `R(α, c)`: bound on `‖β̂_{α,c}‖` for any data within the bounds (crate docs, "Norm bound").
///
/// With `x_i = s_i u_i` the singular directions of `X/√n`, `‖β̂‖ ≤ B_y max_i s_i/μ_i`, and also
/// `‖β̂‖ ≤ ‖b‖/(c + α)`. Returned as the pair (second, first) because add/remove scales them
/// differently.
fn norm_bounds(alpha: f64, c: f64, b: &Bounds) -> (f64, f64) {
    let by_curvature = b.x_norm * b.y_abs / (c + alpha);
    let by_spectrum = if c >= alpha {
        b.y_abs * c.sqrt() / (c + alpha)
    } else {
        b.y_abs / (2.0 * alpha.sqrt())
    };
    (by_curvature, by_spectrum)
}

/// `K₀(R) = max_a 2 B_x B_y sin a + B_x² R sin 2a`: the sharp constant without a floor, which
/// two records at opposite extremes attain.
#[must_use]
pub fn k_zero(b: &Bounds, norm_bound: f64) -> f64 {
    let Bounds {
        x_norm: bx,
        y_abs: by,
    } = *b;
    let r = norm_bound;
    // cos a* = (−B_y + √(B_y² + 8 B_x² R²)) / (4 B_x R), written without cancellation or overflow.
    let cos = 2.0 * bx * r / (by + by.hypot(8f64.sqrt() * bx * r));
    let sin = (1.0 - cos * cos).max(0.0).sqrt();
    2.0 * bx * by * sin + bx * bx * r * 2.0 * sin * cos
}

impl RidgeSpec {
    /// The sensitivity of the fitted vector for `n` records within `bounds`; under add/remove the
    /// nominal size counts and `n` is not used. No data needed. O(1).
    ///
    /// Replace-one: `Δ = min(2R, K / (n (c + α)))` with the constant `K` of the floor. Add/remove:
    /// `Δ = min(2R', (B_x B_y + B_x² R') / (n₀ (c + α)))`.
    ///
    /// # Errors
    /// [`Error::BadBounds`], [`Error::NegativeParameter`], [`Error::UnboundedSensitivity`],
    /// [`Error::EmptyData`] for `n = 0` under replace-one.
    pub fn sensitivity(&self, n: u64, bounds: &Bounds) -> Result<Sensitivity> {
        bounds.check()?;
        let spec = self.checked()?;
        let n = spec.neighbor.divisor(n)?;
        let Bounds {
            x_norm: bx,
            y_abs: by,
        } = *bounds;
        let c = spec.floor.level();
        let curvature = c + spec.alpha;
        let (by_curvature, by_spectrum) = norm_bounds(spec.alpha, c, bounds);
        let ball = spec.radius.unwrap_or(f64::INFINITY);
        let (norm_bound, k) = match spec.neighbor {
            Neighbor::ReplaceOne => {
                let r = by_curvature.min(by_spectrum).min(ball);
                let k = match spec.floor {
                    Floor::None => k_zero(bounds, r),
                    Floor::Shift(_) => 2.0 * bx * by + 2.0 * bx * bx * r,
                    Floor::Spectral(_) => 2.0 * bx * by + std::f64::consts::SQRT_2 * bx * bx * r,
                };
                (r, k)
            }
            Neighbor::AddRemove { n_nominal, n_max } => {
                let excess = n_max as f64 / n_nominal as f64;
                let r = (excess * by_curvature)
                    .min(excess.sqrt() * by_spectrum)
                    .min(ball);
                (r, bx * by + bx * bx * r)
            }
        };
        let free = k / (n * curvature);
        let cap = 2.0 * norm_bound;
        let value = free.min(cap);
        if !value.is_finite() {
            return Err(Error::UnboundedSensitivity);
        }
        Ok(Sensitivity {
            value,
            norm_bound,
            k,
            curvature,
            saturated: cap < free,
        })
    }
}
