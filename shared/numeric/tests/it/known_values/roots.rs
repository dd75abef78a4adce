use crate::assert_close;
use papercrates_numeric::Result;
use papercrates_numeric::roots::{
    Minimum, bracketed_root, brent_min, expand_bracket, golden_section, root,
};

/// The fixed point of the cosine (OEIS A003957), Wallis's cubic (OEIS A007493), and functions
/// that defeat interpolation.
#[test]
fn roots() {
    let mut calls = 0;
    let dottie = bracketed_root(
        |x: f64| {
            calls += 1;
            x.cos() - x
        },
        0.0,
        1.0,
        1e-14,
    )
    .unwrap();
    assert!(dottie.lo <= 0.739_085_133_215_160_7 && 0.739_085_133_215_160_6 <= dottie.hi);
    assert!(dottie.hi - dottie.lo <= 1e-14 && dottie.f_lo >= 0.0 && dottie.f_hi <= 0.0);
    assert!(calls <= 12, "{calls} evaluations");

    let wallis = root(|x| x * x * x - 2.0 * x - 5.0, 2.0, 3.0, 1e-15).unwrap();
    assert_close(wallis, 2.094_551_481_542_326_5, 2e-15);
    let step = root(
        |x| if x < 1.0 / 3.0 { -1.0 } else { 1e9 },
        -7.0,
        11.0,
        1e-12,
    )
    .unwrap();
    assert_close(step, 1.0 / 3.0, 2e-12);
    let pole = root(
        |x| if x < 0.1 { f64::NEG_INFINITY } else { 1.0 },
        0.0,
        1.0,
        1e-12,
    )
    .unwrap();
    assert_close(pole, 0.1, 2e-12);
    let flat = root(|x| (x - 0.7_f64).powi(9), 0.0, 1.0, 1e-12).unwrap();
    assert_close(flat, 0.7, 2e-12);
    // An exact zero, and one at an end.
    let exact = bracketed_root(|x| x, -1.0, 1.0, 0.1).unwrap();
    assert_eq!((exact.lo, exact.hi, exact.f_lo), (0.0, 0.0, 0.0));
    assert_eq!(root(|x| x - 2.0, 0.0, 2.0, 0.0).unwrap(), 2.0);
    // A relative tolerance about a root at zero that is never hit exactly.
    let sign = |x: f64| if x > 0.0 { 1.0 } else { -1.0 };
    assert!(root(sign, -1.0, 1e300, 0.0).unwrap().abs() < 1e-300);
}

/// Halving takes 47 evaluations from a width of 18 to 1e-12 of 1/3, and convergence from one side
/// alone would never close the bracket.
#[test]
fn evaluations_stay_few() {
    let count = |f: fn(f64) -> f64, lo: f64, hi: f64| {
        let mut calls = 0;
        let counted = |x| {
            calls += 1;
            f(x)
        };
        bracketed_root(counted, lo, hi, 1e-12).unwrap();
        calls
    };
    let step = count(|x| if x < 1.0 / 3.0 { -1.0 } else { 1e9 }, -7.0, 11.0);
    let smooth = count(|x| x.exp() - 5.0, 0.0, 10.0);
    let flat = count(|x| (x - 0.7).powi(9), 0.0, 1.0);
    assert!(step <= 50, "{step}");
    assert!(smooth <= 15, "{smooth}");
    assert!(flat <= 48, "{flat}");
}

#[test]
fn brackets() {
    // ln x = 10 at 22026.47: a scale stays positive.
    let mut least = f64::INFINITY;
    let f = |x: f64| {
        least = least.min(x);
        x.ln() - 10.0
    };
    let (lo, hi) = expand_bracket(f, 1.0, 2.0, 10.0, 20).unwrap();
    assert!(lo <= 22_026.465_794 && 22_026.465_795 <= hi && lo > 0.0 && least > 0.0);
    // Downwards, through zero, and an interval that already does.
    let (lo, hi) = expand_bracket(|x| x + 1000.0, -1.0, 1.0, 2.0, 20).unwrap();
    assert!(lo <= -1000.0 && -1000.0 <= hi);
    let (lo, hi) = expand_bracket(|x: f64| x.ln() + 20.0, 0.5, 1.0, 4.0, 30).unwrap();
    assert!(0.0 < lo && lo <= (-20_f64).exp() && (-20_f64).exp() <= hi);
    assert_eq!(
        expand_bracket(|x| x, -1.0, 2.0, 2.0, 0).unwrap(),
        (-1.0, 2.0)
    );
}

/// `x exp(-x)` is largest at 1; `(x - 2)^4 - 3` is flat at 2; `|x + 0.3|` has a kink; `x` is
/// smallest at the end.
#[test]
fn minima() {
    type Search = fn(fn(f64) -> f64, f64, f64, f64) -> Result<Minimum>;
    for search in [golden_section as Search, brent_min] {
        let bump = search(|x: f64| -x * (-x).exp(), 0.0, 4.0, 1e-8).unwrap();
        assert!((bump.x - 1.0).abs() < 5e-8, "{bump:?}");
        assert_close(bump.value, -(-1_f64).exp(), 1e-14);
        let flat = search(|x: f64| (x - 2.0).powi(4) - 3.0, -5.0, 7.0, 1e-8).unwrap();
        assert!((flat.x - 2.0).abs() < 5e-4 && flat.value < -3.0 + 1e-13);
        let kink = search(|x: f64| (x + 0.3).abs(), -1.0, 1.0, 1e-7).unwrap();
        assert!((kink.x + 0.3).abs() < 3e-7, "{kink:?}");
        let end = search(|x| x, 2.0, 3.0, 1e-6).unwrap();
        assert!(end.x - 2.0 < 3e-6);
    }
    let mut calls = 0;
    let parabola = |x: f64| {
        calls += 1;
        (x - 0.25) * (x - 0.25)
    };
    brent_min(parabola, 0.0, 1.0, 1e-8).unwrap();
    assert!(calls <= 12, "{calls} evaluations of a parabola");
}
