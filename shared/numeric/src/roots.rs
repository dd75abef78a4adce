//! Roots and minima of functions of one variable.

mod minimum;

pub use minimum::{Minimum, brent_min, golden_section};

use crate::error::{Error, Position, Result};

/// Evaluations after which a root is given up. Halving needs about 1100 to come from the widest
/// interval of `f64` down to the smallest.
const MAX_STEPS: usize = 4096;

/// An interval over which a function changes sign, with its values at the ends.
///
/// Both ends are at hand so that a caller can round in the safe direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bracket {
    /// Lower end.
    pub lo: f64,
    /// Upper end; equal to `lo` when the function is exactly 0 there.
    pub hi: f64,
    /// Value at `lo`.
    pub f_lo: f64,
    /// Value at `hi`.
    pub f_hi: f64,
}

impl Bracket {
    /// The middle of the interval.
    pub fn midpoint(&self) -> f64 {
        self.lo + 0.5 * (self.hi - self.lo)
    }
}

/// Narrows `[lo, hi]`, over which `f` changes sign, to `hi - lo <= rel_tol max(|lo|, |hi|)`.
///
/// Chandrupatla's method (*Advances in Engineering Software* 28, 1997): inverse quadratic steps
/// where they are safe, halving where not; usually 5 to 15 evaluations. `rel_tol` below
/// 4 machine epsilons counts as that. Infinite values of `f` have a sign and are allowed.
///
/// ```
/// use papercrates_numeric::roots::bracketed_root;
///
/// let b = bracketed_root(|x| x * x - 2.0, 0.0, 2.0, 1e-12)?;
/// assert!(b.lo <= 2_f64.sqrt() && 2_f64.sqrt() <= b.hi && b.hi - b.lo <= 2e-12);
/// # Ok::<(), papercrates_numeric::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::OutOfRange`] unless `lo < hi` are finite and `rel_tol` is in `[0, 1)`,
/// [`Error::NoSignChange`], [`Error::NotFinite`] when `f` gives NaN, and
/// [`Error::NoConvergence`].
pub fn bracketed_root(
    mut f: impl FnMut(f64) -> f64,
    lo: f64,
    hi: f64,
    rel_tol: f64,
) -> Result<Bracket> {
    check_interval(lo, hi)?;
    if !(0.0..1.0).contains(&rel_tol) {
        return Err(Error::OutOfRange {
            name: "rel_tol",
            value: rel_tol,
            range: "[0, 1)",
        });
    }
    let rel_tol = rel_tol.max(4.0 * f64::EPSILON);
    // `a` is the newest point, `b` the end on the other side of the root, `c` the point that
    // `a` or `b` replaced.
    let (mut a, mut f_a) = (hi, value_at(&mut f, hi)?);
    let (mut b, mut f_b) = (lo, value_at(&mut f, lo)?);
    if let Some(exact) = exact_root(b, f_b).or_else(|| exact_root(a, f_a)) {
        return Ok(exact);
    }
    if (f_a < 0.0) == (f_b < 0.0) {
        return Err(Error::NoSignChange {
            lo,
            hi,
            f_lo: f_b,
            f_hi: f_a,
        });
    }
    let mut t = 0.5;
    for _ in 0..MAX_STEPS {
        let x = a + t * (b - a);
        let f_x = value_at(&mut f, x)?;
        if let Some(exact) = exact_root(x, f_x) {
            return Ok(exact);
        }
        let (c, f_c);
        if (f_x < 0.0) == (f_a < 0.0) {
            (c, f_c) = (a, f_a);
        } else {
            (c, f_c) = (b, f_b);
            (b, f_b) = (a, f_a);
        }
        (a, f_a) = (x, f_x);

        let tol = (rel_tol * a.abs().max(b.abs())).max(f64::MIN_POSITIVE);
        let width = (b - a).abs();
        if width <= tol {
            return Ok(ordered(a, f_a, b, f_b));
        }
        // Stepping at least half a tolerance past the estimate puts the root between the last
        // two points, so that both ends close in.
        let least = 0.5 * tol / width;
        t = inverse_quadratic(a, f_a, b, f_b, c, f_c)
            .unwrap_or(0.5)
            .clamp(least, 1.0 - least);
    }
    Err(Error::NoConvergence {
        what: "the search for a root",
        limit: MAX_STEPS,
    })
}

/// The root as a fraction of the way from `a` to `b`, if the parabola through the three points
/// (as a function of the value) is monotone between them; otherwise nothing.
fn inverse_quadratic(a: f64, f_a: f64, b: f64, f_b: f64, c: f64, f_c: f64) -> Option<f64> {
    let xi = (a - b) / (c - b);
    let phi = (f_a - f_b) / (f_c - f_b);
    if !(phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi) {
        return None;
    }
    let t = f_a / (f_b - f_a) * f_c / (f_b - f_c)
        + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b);
    t.is_finite().then_some(t)
}

/// The root that [`bracketed_root`] encloses, as the middle of its bracket.
///
/// # Errors
///
/// Those of [`bracketed_root`].
pub fn root(f: impl FnMut(f64) -> f64, lo: f64, hi: f64, rel_tol: f64) -> Result<f64> {
    Ok(bracketed_root(f, lo, hi, rel_tol)?.midpoint())
}

/// Widens `[lo, hi]` until `f` changes sign over it.
///
/// Each of at most `max` rounds moves both ends: for `lo > 0` to `lo / factor` and
/// `hi factor`, which stays positive, as scales and budgets must; otherwise the width is
/// multiplied by `factor` about the middle. Returns the newest stretch that holds a change of
/// sign, not the whole interval.
///
/// # Errors
///
/// [`Error::OutOfRange`] unless `lo < hi` are finite and `factor` is finite and above 1,
/// [`Error::NotFinite`] when `f` gives NaN, and [`Error::NoSignChange`] with the widest
/// interval tried.
pub fn expand_bracket(
    mut f: impl FnMut(f64) -> f64,
    lo: f64,
    hi: f64,
    factor: f64,
    max: usize,
) -> Result<(f64, f64)> {
    check_interval(lo, hi)?;
    if !(factor > 1.0 && factor.is_finite()) {
        return Err(Error::OutOfRange {
            name: "factor",
            value: factor,
            range: "(1, inf)",
        });
    }
    let positive = lo > 0.0;
    let (mut lo, mut hi) = (lo, hi);
    let (mut f_lo, mut f_hi) = (value_at(&mut f, lo)?, value_at(&mut f, hi)?);
    let differ = |u: f64, v: f64| u == 0.0 || v == 0.0 || (u < 0.0) != (v < 0.0);
    if differ(f_lo, f_hi) {
        return Ok((lo, hi));
    }
    for _ in 0..max {
        let (next_lo, next_hi) = if positive {
            (lo / factor, hi * factor)
        } else {
            let reach = 0.5 * (factor - 1.0) * (hi - lo);
            (lo - reach, hi + reach)
        };
        let left_range = positive && next_lo == 0.0;
        if left_range || !(next_lo.is_finite() && next_hi.is_finite()) {
            break;
        }
        let f_next = value_at(&mut f, next_hi)?;
        if differ(f_hi, f_next) {
            return Ok((hi, next_hi));
        }
        (hi, f_hi) = (next_hi, f_next);
        let f_next = value_at(&mut f, next_lo)?;
        if differ(f_next, f_lo) {
            return Ok((next_lo, lo));
        }
        (lo, f_lo) = (next_lo, f_next);
    }
    Err(Error::NoSignChange { lo, hi, f_lo, f_hi })
}

fn check_interval(lo: f64, hi: f64) -> Result<()> {
    for (name, value) in [("lo", lo), ("hi", hi)] {
        if !value.is_finite() {
            return Err(Error::OutOfRange {
                name,
                value,
                range: "the finite numbers",
            });
        }
    }
    // The width is divided by later, so it must not overflow either.
    if lo < hi && (hi - lo).is_finite() {
        Ok(())
    } else {
        Err(Error::OutOfRange {
            name: "hi - lo",
            value: hi - lo,
            range: "(0, 1.8e308)",
        })
    }
}

fn value_at(f: &mut impl FnMut(f64) -> f64, x: f64) -> Result<f64> {
    let value = f(x);
    if value.is_nan() {
        return Err(Error::NotFinite {
            what: "the function",
            value,
            position: Position::Argument(x),
        });
    }
    Ok(value)
}

fn exact_root(x: f64, f_x: f64) -> Option<Bracket> {
    (f_x == 0.0).then_some(Bracket {
        lo: x,
        hi: x,
        f_lo: f_x,
        f_hi: f_x,
    })
}

fn ordered(a: f64, f_a: f64, b: f64, f_b: f64) -> Bracket {
    let ((lo, f_lo), (hi, f_hi)) = if a < b {
        ((a, f_a), (b, f_b))
    } else {
        ((b, f_b), (a, f_a))
    };
    Bracket { lo, hi, f_lo, f_hi }
}
