//! From a budget `(ε, δ)` to a noise multiplier, and back: three calibrations of Gaussian noise.

use crate::{Error, Result};
use papercrates_numeric::roots::{bracketed_root, expand_bracket, golden_section};
use papercrates_numeric::special::{erfcx, ln_normal_cdf};

/// Relative width at which root brackets are good enough.
const BRACKET_TOLERANCE: f64 = 1e-13;

/// How a budget becomes noise. A property of the ledger.
///
/// | calibration | noise multiplier `s = σ/Δ` | range |
/// |---|---|---|
/// | `Classic` | `√(2 ln(1.25/δ))/ε` | ε ≤ 1 only |
/// | `Analytic` | the exact one (Balle and Wang 2018) | any |
/// | `Zcdp` | `1/√(2ρ)` through zero-concentrated privacy | any; the one for discrete noise |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Calibration {
    /// The textbook formula; proved for ε ≤ 1 only, and loose.
    Classic,
    /// Exact for one Gaussian and, through Gaussian DP, for any composition of them.
    #[default]
    Analytic,
    /// Zero-concentrated DP; needed by discrete noise.
    Zcdp,
}

/// A privacy budget: `(ε, δ)`-differential privacy.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Budget {
    /// `ε`, above 0 and finite. Privacy loss; below 1 is strong, above 10 weak.
    pub epsilon: f64,
    /// `δ` in (0, 1): probability that the loss is larger. No default; keep it well below `1/n`.
    pub delta: f64,
}

impl Budget {
    /// Both numbers, checked.
    ///
    /// # Errors
    /// [`Error::BadBudget`].
    pub fn new(epsilon: f64, delta: f64) -> Result<Self> {
        let budget = Self { epsilon, delta };
        budget.check()?;
        Ok(budget)
    }

    pub(crate) fn check(&self) -> Result<()> {
        if !(self.epsilon > 0.0 && self.epsilon.is_finite()) {
            return Err(Error::BadBudget {
                name: "epsilon",
                value: self.epsilon,
                range: "(0, infinity)",
                suggestion: "1",
            });
        }
        check_delta(self.delta)
    }
}

pub(crate) fn check_delta(delta: f64) -> Result<()> {
    if delta > 0.0 && delta < 1.0 {
        Ok(())
    } else {
        Err(Error::BadBudget {
            name: "delta",
            value: delta,
            range: "(0, 1)",
            suggestion: "1e-6",
        })
    }
}

/// `δ(ε)` of a `μ`-Gaussian-DP mechanism:
/// `Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2)`, the second term through `ln Φ`. In [0, 1].
#[must_use]
pub fn gdp_delta(mu: f64, epsilon: f64) -> f64 {
    if mu <= 0.0 {
        return 0.0;
    }
    let middle = -epsilon / mu;
    let first = ln_normal_cdf(middle + mu / 2.0);
    let log_ratio = if mu < 0.1 {
        epsilon - ln_cdf_step(middle, mu)
    } else {
        epsilon + ln_normal_cdf(middle - mu / 2.0) - first
    };
    // e^first − e^second, without cancellation in the common factor.
    (-(first.exp() * log_ratio.min(0.0).exp_m1())).clamp(0.0, 1.0)
}

/// `ln Φ(m + w/2) − ln Φ(m − w/2)` for `w < 0.1`, where the difference would cancel: the integral
/// of `φ/Φ = √(2/π) / erfcx(−t/√2)` by the five-point Gauss–Legendre rule.
fn ln_cdf_step(middle: f64, width: f64) -> f64 {
    const RULE: [(f64, f64); 5] = [
        (0.0, 0.568_888_888_888_888_9),
        (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
        (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
        (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
        (0.906_179_845_938_664, 0.236_926_885_056_189_1),
    ];
    let half = width / 2.0;
    let sum: f64 = RULE
        .iter()
        .map(|(node, weight)| {
            weight / erfcx(-(middle + node * half) * std::f64::consts::FRAC_1_SQRT_2)
        })
        .sum();
    half * (2.0 / std::f64::consts::PI).sqrt() * sum
}

/// The smallest `ε ≥ 0` with `δ(ε) ≤ δ` for a `μ`-Gaussian-DP mechanism.
///
/// # Errors
/// [`Error::BadBudget`] for `δ` outside (0, 1).
pub fn gdp_epsilon(mu: f64, delta: f64) -> Result<f64> {
    check_delta(delta)?;
    if gdp_delta(mu, 0.0) <= delta {
        return Ok(0.0);
    }
    let excess = |epsilon: f64| gdp_delta(mu, epsilon) - delta;
    let mut high = 1.0;
    while excess(high) > 0.0 {
        high *= 2.0;
    }
    Ok(bracketed_root(excess, 0.0, high, BRACKET_TOLERANCE)?.hi)
}

/// The exact noise multiplier: the smallest `s` for which a Gaussian of standard deviation `s·Δ`
/// is `(ε, δ)`-private (Balle and Wang 2018). The upper end of the root's bracket, so that the
/// delivered `δ` is never above the target.
///
/// # Errors
/// [`Error::BadBudget`].
pub fn analytic_multiplier(budget: Budget) -> Result<f64> {
    budget.check()?;
    // In ln s, where the root lies between ln 1e-4 and ln 1e6 for all but extreme budgets.
    let excess = |ln_s: f64| gdp_delta((-ln_s).exp(), budget.epsilon) - budget.delta;
    let decade = std::f64::consts::LN_10;
    let (mut low, mut high) = (-4.0 * decade, 6.0 * decade);
    while excess(low) < 0.0 {
        low -= decade;
    }
    while excess(high) > 0.0 {
        high += decade;
    }
    // An absolute width of 1e-13 in ln s is a relative width of 1e-13 in s.
    let scale = low.abs().max(high.abs()).max(1.0);
    Ok(
        bracketed_root(excess, low, high, BRACKET_TOLERANCE / scale)?
            .hi
            .exp(),
    )
}

/// The classic noise multiplier `√(2 ln(1.25/δ))/ε`.
///
/// # Errors
/// [`Error::BadBudget`]; [`Error::ClassicNeedsEpsLe1`] for `ε > 1`, where the formula does not
/// give the privacy it states.
pub fn classic_multiplier(budget: Budget) -> Result<f64> {
    budget.check()?;
    if budget.epsilon > 1.0 {
        return Err(Error::ClassicNeedsEpsLe1 {
            epsilon: budget.epsilon,
        });
    }
    Ok((2.0 * (1.25 / budget.delta).ln()).sqrt() / budget.epsilon)
}

/// `δ(ε)` of a `ρ`-zCDP mechanism (Canonne, Kamath and Steinke 2020):
/// the least of `e^{(a−1)(aρ−ε)}/(a−1) · (1−1/a)^a` over real `a > 1`. In [0, 1].
#[must_use]
pub fn zcdp_delta(rho: f64, epsilon: f64) -> f64 {
    if rho <= 0.0 {
        return 0.0;
    }
    let ln_delta = |t: f64| {
        let (a, spread) = order(t);
        (a - 1.0) * (a * rho - epsilon) - t + spread
    };
    least(ln_delta).exp().clamp(0.0, 1.0)
}

/// The smallest `ε ≥ 0` that `ρ`-zCDP gives at this `δ`.
///
/// # Errors
/// [`Error::BadBudget`] for `δ` outside (0, 1).
pub fn zcdp_epsilon(rho: f64, delta: f64) -> Result<f64> {
    check_delta(delta)?;
    if rho <= 0.0 {
        return Ok(0.0);
    }
    let epsilon = |t: f64| {
        let (a, spread) = order(t);
        a * rho + (spread - t - delta.ln()) / (a - 1.0)
    };
    Ok(least(epsilon).max(0.0))
}

/// The largest `ρ` whose `ε` at `δ` is at most the budget (lower end of the bracket).
///
/// # Errors
/// [`Error::BadBudget`].
pub fn zcdp_rho(budget: Budget) -> Result<f64> {
    budget.check()?;
    let excess = |ln_rho: f64| match zcdp_epsilon(ln_rho.exp(), budget.delta) {
        Ok(epsilon) => epsilon - budget.epsilon,
        Err(_) => f64::NAN,
    };
    // ln min(ε, ε²), which does not underflow.
    let start = budget.epsilon.ln().min(2.0 * budget.epsilon.ln());
    let (low, high) = expand_bracket(excess, start - 8.0, start + 1.0, 2.0, 60)?;
    let scale = low.abs().max(high.abs()).max(1.0);
    Ok(
        bracketed_root(excess, low, high, BRACKET_TOLERANCE / scale)?
            .lo
            .exp(),
    )
}

/// The Rényi order `a = 1 + e^t` and `a ln(1 − 1/a)`.
fn order(t: f64) -> (f64, f64) {
    let a = 1.0 + t.exp();
    (a, a * (t - t.exp().ln_1p()))
}

/// The least value of a function of `t = ln(a − 1)`: a scan, then golden section around its best.
fn least(f: impl Fn(f64) -> f64) -> f64 {
    const STEP: f64 = 0.5;
    let mut best = (0.0, f64::INFINITY);
    for i in -60..=80 {
        let t = f64::from(i) * STEP;
        let value = f(t);
        if value < best.1 {
            best = (t, value);
        }
    }
    golden_section(&f, best.0 - STEP, best.0 + STEP, 1e-10).map_or(best.1, |m| m.value.min(best.1))
}
