use super::{check_interval, value_at};
use crate::error::{Error, Result};

/// `(3 - √5) / 2`: a golden step keeps this share of an interval on the near side.
const GOLDEN: f64 = 0.381_966_011_250_105_15;
const MAX_STEPS: usize = 1024;

/// A minimum that a search has found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// Where.
    pub x: f64,
    /// The function there.
    pub value: f64,
}

/// Minimum of a unimodal `f` on `[lo, hi]` by golden section, to within `tol` in `x`.
///
/// One evaluation a step, about `4.8 log10((hi - lo) / tol)` in all, whatever `f` looks like.
/// Near a smooth minimum rounding hides differences in `x` below about `1.5e-8 |x|`; a `tol`
/// below `1e-8` of the interval's largest end counts as that. Where `f` has several minima, one
/// of them is found.
///
/// # Errors
///
/// [`Error::OutOfRange`] unless `lo < hi` are finite and `tol` is finite and not negative, and
/// [`Error::NotFinite`] when `f` gives NaN.
pub fn golden_section(
    mut f: impl FnMut(f64) -> f64,
    lo: f64,
    hi: f64,
    tol: f64,
) -> Result<Minimum> {
    let tol = check(lo, hi, tol)?;
    let (mut lo, mut hi) = (lo, hi);
    let mut left = lo + GOLDEN * (hi - lo);
    let mut right = hi - GOLDEN * (hi - lo);
    let (mut f_left, mut f_right) = (value_at(&mut f, left)?, value_at(&mut f, right)?);
    while hi - lo > 2.0 * tol {
        if f_left <= f_right {
            (hi, right, f_right) = (right, left, f_left);
            left = lo + GOLDEN * (hi - lo);
            f_left = value_at(&mut f, left)?;
        } else {
            (lo, left, f_left) = (left, right, f_right);
            right = hi - GOLDEN * (hi - lo);
            f_right = value_at(&mut f, right)?;
        }
    }
    let (x, value) = if f_left <= f_right {
        (left, f_left)
    } else {
        (right, f_right)
    };
    Ok(Minimum { x, value })
}

/// Minimum of `f` on `[lo, hi]` by Brent's method, to within about `tol` in `x`.
///
/// Parabolic steps where `f` is smooth, golden section where it is not (Brent, *Algorithms for
/// Minimization without Derivatives*, 1973, chapter 5): usually some 10 to 30 evaluations. `tol`
/// as in [`golden_section`].
///
/// # Errors
///
/// Those of [`golden_section`], and [`Error::NoConvergence`].
pub fn brent_min(mut f: impl FnMut(f64) -> f64, lo: f64, hi: f64, tol: f64) -> Result<Minimum> {
    let tol = check(lo, hi, tol)?;
    let (mut lo, mut hi) = (lo, hi);
    let mut best = lo + GOLDEN * (hi - lo);
    let mut f_best = value_at(&mut f, best)?;
    // The second and third best points so far carry the parabola.
    let (mut second, mut f_second) = (best, f_best);
    let (mut third, mut f_third) = (best, f_best);
    let (mut step, mut step_before) = (0.0_f64, 0.0_f64);
    for _ in 0..MAX_STEPS {
        let middle = lo + 0.5 * (hi - lo);
        if (best - middle).abs() + 0.5 * (hi - lo) <= 2.0 * tol {
            return Ok(Minimum {
                x: best,
                value: f_best,
            });
        }
        let parabola = (step_before.abs() > tol)
            .then(|| vertex(best, f_best, second, f_second, third, f_third))
            .flatten()
            // Steps must halve every second time and stay inside.
            .filter(|s| s.abs() < 0.5 * step_before.abs() && best + s > lo && best + s < hi);
        step_before = step;
        step = match parabola {
            Some(s) if best + s - lo < 2.0 * tol || hi - (best + s) < 2.0 * tol => {
                tol.copysign(middle - best)
            }
            Some(s) => s,
            None => {
                step_before = if best < middle { hi - best } else { lo - best };
                GOLDEN * step_before
            }
        };
        let x = if step.abs() >= tol {
            best + step
        } else {
            best + tol.copysign(step)
        };
        let f_x = value_at(&mut f, x)?;
        if f_x <= f_best {
            if x < best {
                hi = best;
            } else {
                lo = best;
            }
            (third, f_third) = (second, f_second);
            (second, f_second) = (best, f_best);
            (best, f_best) = (x, f_x);
        } else {
            if x < best {
                lo = x;
            } else {
                hi = x;
            }
            if f_x <= f_second || second == best {
                (third, f_third) = (second, f_second);
                (second, f_second) = (x, f_x);
            } else if f_x <= f_third || third == best || third == second {
                (third, f_third) = (x, f_x);
            }
        }
    }
    Err(Error::NoConvergence {
        what: "the search for a minimum",
        limit: MAX_STEPS,
    })
}

/// The step from `x` to the vertex of the parabola through three points; nothing when they are
/// not distinct or lie on a line.
fn vertex(x: f64, f_x: f64, w: f64, f_w: f64, v: f64, f_v: f64) -> Option<f64> {
    let r = (x - w) * (f_x - f_v);
    let q = (x - v) * (f_x - f_w);
    let step = ((x - w) * r - (x - v) * q) / (2.0 * (q - r));
    step.is_finite().then_some(step)
}

fn check(lo: f64, hi: f64, tol: f64) -> Result<f64> {
    check_interval(lo, hi)?;
    if !(tol >= 0.0 && tol.is_finite()) {
        return Err(Error::OutOfRange {
            name: "tol",
            value: tol,
            range: "[0, inf)",
        });
    }
    Ok(tol.max(1e-8 * lo.abs().max(hi.abs())))
}
