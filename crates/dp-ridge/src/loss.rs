//! Convex losses of a linear score, with the constants that their privacy rests on.

use crate::{Bounds, Error, Result};

/// A convex loss `ℓ(t, y)` of the score `t = xᵀθ` with a Lipschitz derivative in `t`.
///
/// The three constants are over `|t| ≤ t_max = B_x R₀` and every target that
/// [`accepts`](Self::accepts) lets through after clamping to `±B_y`. The noise is scaled to them:
/// a constant that is too small breaks the privacy of every release with this loss.
pub trait GlmLoss: Sync {
    /// `ℓ(t, y)`.
    fn value(&self, t: f64, y: f64) -> f64;

    /// `∂ℓ/∂t`.
    fn d1(&self, t: f64, y: f64) -> f64;

    /// `∂²ℓ/∂t²`, at least 0; either limit where it jumps.
    fn d2(&self, t: f64, y: f64) -> f64;

    /// `L`: upper bound on `|∂ℓ/∂t|`.
    fn lipschitz(&self, t_max: f64, bounds: &Bounds) -> f64;

    /// `κ`: lower bound on `∂²ℓ/∂t²`. A curvature floor helps only when it is above 0.
    fn curvature(&self, t_max: f64, bounds: &Bounds) -> f64;

    /// Upper bound on `∂²ℓ/∂t²`, which objective perturbation needs.
    fn curvature_max(&self, t_max: f64, bounds: &Bounds) -> f64;

    /// Whether `y` is a target of this loss. Classification losses take 0 and 1 only.
    fn accepts(&self, y: f64) -> bool {
        y.is_finite()
    }

    /// Refuse parameters out of range; called before anything else.
    ///
    /// # Errors
    /// [`Error::NegativeParameter`].
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// `(ℓ, ∂ℓ/∂t, ∂²ℓ/∂t²)` at once, for losses whose parts share work.
    fn all(&self, t: f64, y: f64) -> (f64, f64, f64) {
        (self.value(t, y), self.d1(t, y), self.d2(t, y))
    }
}

impl<L: GlmLoss + ?Sized> GlmLoss for &L {
    fn value(&self, t: f64, y: f64) -> f64 {
        (**self).value(t, y)
    }

    fn d1(&self, t: f64, y: f64) -> f64 {
        (**self).d1(t, y)
    }

    fn d2(&self, t: f64, y: f64) -> f64 {
        (**self).d2(t, y)
    }

    fn lipschitz(&self, t_max: f64, bounds: &Bounds) -> f64 {
        (**self).lipschitz(t_max, bounds)
    }

    fn curvature(&self, t_max: f64, bounds: &Bounds) -> f64 {
        (**self).curvature(t_max, bounds)
    }

    fn curvature_max(&self, t_max: f64, bounds: &Bounds) -> f64 {
        (**self).curvature_max(t_max, bounds)
    }

    fn accepts(&self, y: f64) -> bool {
        (**self).accepts(y)
    }

    fn check(&self) -> Result<()> {
        (**self).check()
    }

    fn all(&self, t: f64, y: f64) -> (f64, f64, f64) {
        (**self).all(t, y)
    }
}

fn check_width(h: f64) -> Result<()> {
    if h > 0.0 && h.is_finite() {
        Ok(())
    } else {
        Err(Error::NegativeParameter {
            name: "h",
            value: h,
            range: "above 0, finite",
        })
    }
}

fn is_label(y: f64) -> bool {
    y == 0.0 || y == 1.0
}

/// Logistic loss `ln(1 + e^t) − y t`, labels 0 and 1.
///
/// `L = 1`, `κ = σ(B_x R₀)(1 − σ(B_x R₀))`, largest second derivative `1/4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Logistic;

impl GlmLoss for Logistic {
    fn value(&self, t: f64, y: f64) -> f64 {
        self.all(t, y).0
    }

    fn d1(&self, t: f64, y: f64) -> f64 {
        self.all(t, y).1
    }

    fn d2(&self, t: f64, y: f64) -> f64 {
        self.all(t, y).2
    }

    fn lipschitz(&self, _: f64, _: &Bounds) -> f64 {
        1.0
    }

    fn curvature(&self, t_max: f64, _: &Bounds) -> f64 {
        self.d2(t_max, 0.0)
    }

    fn curvature_max(&self, _: f64, _: &Bounds) -> f64 {
        0.25
    }

    fn accepts(&self, y: f64) -> bool {
        is_label(y)
    }

    fn all(&self, t: f64, y: f64) -> (f64, f64, f64) {
        // Everything from e^{-|t|}, which never overflows.
        let tail = (-t.abs()).exp();
        let larger = 1.0 / (1.0 + tail);
        let smaller = tail * larger;
        let sigmoid = if t >= 0.0 { larger } else { smaller };
        (
            t.max(0.0) + tail.ln_1p() - y * t,
            sigmoid - y,
            larger * smaller,
        )
    }
}

/// Huber loss of the residual `r = t − y`: `r²/2` up to `|r| = h`, then `h|r| − h²/2`.
///
/// `L = min(h, B_y + B_x R₀)`. `κ = 0` unless `B_y + B_x R₀ ≤ h`, where it is the squared loss
/// and `κ = 1`: **the floor cannot help** a Huber loss that ever leaves its quadratic part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Huber {
    /// `h`: half width of the quadratic part, above 0.
    pub h: f64,
}

impl GlmLoss for Huber {
    fn value(&self, t: f64, y: f64) -> f64 {
        let r = (t - y).abs();
        if r <= self.h {
            0.5 * r * r
        } else {
            self.h * (r - 0.5 * self.h)
        }
    }

    fn d1(&self, t: f64, y: f64) -> f64 {
        (t - y).clamp(-self.h, self.h)
    }

    fn d2(&self, t: f64, y: f64) -> f64 {
        f64::from((t - y).abs() <= self.h)
    }

    fn lipschitz(&self, t_max: f64, bounds: &Bounds) -> f64 {
        self.h.min(bounds.y_abs + t_max)
    }

    fn curvature(&self, t_max: f64, bounds: &Bounds) -> f64 {
        f64::from(bounds.y_abs + t_max <= self.h)
    }

    fn curvature_max(&self, _: f64, _: &Bounds) -> f64 {
        1.0
    }

    fn check(&self) -> Result<()> {
        check_width(self.h)
    }
}

/// Hinge loss smoothed over a width `h`, labels 0 and 1 (a linear support vector machine).
///
/// With the margin `z = (2y − 1) t`: `0` for `z ≥ 1`, `(1 − z)²/(2h)` down to `z = 1 − h`, and
/// `1 − z − h/2` below. `L = 1`, `κ = 0` (**the floor cannot help**), largest second derivative
/// `1/h`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmoothedHinge {
    /// `h`: width of the quadratic part, above 0.
    pub h: f64,
}

impl SmoothedHinge {
    /// The sign of the label and the slack `1 − z`.
    fn slack(t: f64, y: f64) -> (f64, f64) {
        let sign = 2.0 * y - 1.0;
        (sign, 1.0 - sign * t)
    }
}

impl GlmLoss for SmoothedHinge {
    fn value(&self, t: f64, y: f64) -> f64 {
        let (_, slack) = Self::slack(t, y);
        if slack <= self.h {
            slack.max(0.0).powi(2) / (2.0 * self.h)
        } else {
            slack - 0.5 * self.h
        }
    }

    fn d1(&self, t: f64, y: f64) -> f64 {
        let (sign, slack) = Self::slack(t, y);
        -sign * (slack / self.h).clamp(0.0, 1.0)
    }

    fn d2(&self, t: f64, y: f64) -> f64 {
        let (_, slack) = Self::slack(t, y);
        f64::from((0.0..=self.h).contains(&slack)) / self.h
    }

    fn lipschitz(&self, _: f64, _: &Bounds) -> f64 {
        1.0
    }

    fn curvature(&self, _: f64, _: &Bounds) -> f64 {
        0.0
    }

    fn curvature_max(&self, _: f64, _: &Bounds) -> f64 {
        1.0 / self.h
    }

    fn accepts(&self, y: f64) -> bool {
        is_label(y)
    }

    fn check(&self) -> Result<()> {
        check_width(self.h)
    }
}

/// Squared loss `(t − y)²/2`.
///
/// `L = B_y + B_x R₀`, `κ = 1`. Its minimiser is the ridge fit with the floor `Shift(c)` and the
/// ball `R₀`; [`RidgeSpec`](crate::RidgeSpec) proves a tighter sensitivity for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Squared;

impl GlmLoss for Squared {
    fn value(&self, t: f64, y: f64) -> f64 {
        0.5 * (t - y).powi(2)
    }

    fn d1(&self, t: f64, y: f64) -> f64 {
        t - y
    }

    fn d2(&self, _: f64, _: f64) -> f64 {
        1.0
    }

    fn lipschitz(&self, t_max: f64, bounds: &Bounds) -> f64 {
        bounds.y_abs + t_max
    }

    fn curvature(&self, _: f64, _: &Bounds) -> f64 {
        1.0
    }

    fn curvature_max(&self, _: f64, _: &Bounds) -> f64 {
        1.0
    }
}
