//! Sensitivities in 50-digit arithmetic from the formulas of the crate documentation, `K₀` by
//! direct maximisation over the angle. `B_x = B_y = 1` unless said otherwise.

use crate::support::{assert_close, unit};
use dp_ridge::{Bounds, Floor, Neighbor, RidgeSpec, k_zero};
use std::f64::consts::SQRT_2;

const TOLERANCE: f64 = 1e-12;

struct Case {
    n: u64,
    alpha: f64,
    floor: Floor,
    radius: Option<f64>,
    norm_bound: f64,
    value: f64,
    saturated: bool,
}

const fn case(n: u64, alpha: f64, floor: Floor, norm_bound: f64, value: f64) -> Case {
    Case {
        n,
        alpha,
        floor,
        radius: None,
        norm_bound,
        value,
        saturated: false,
    }
}

const fn ball(n: u64, alpha: f64, floor: Floor, value: f64) -> Case {
    Case {
        radius: Some(1.0),
        ..case(n, alpha, floor, 1.0, value)
    }
}

const fn saturated(n: u64, alpha: f64, floor: Floor, norm_bound: f64, value: f64) -> Case {
    Case {
        saturated: true,
        ..case(n, alpha, floor, norm_bound, value)
    }
}

#[test]
fn replace_one() {
    use Floor::{None, Shift, Spectral};
    let r = 2.87479787288034;
    let r2 = 1.58113883008419;
    let r3 = 9.09090909090909;
    for c in [
        case(1000, 0.01, Shift(0.1), r, 0.0704508704160063),
        case(1000, 0.01, Spectral(0.1), r, 0.0551416194628064),
        case(1000, 0.1, Shift(0.01), r2, 0.0469297969106216),
        case(1000, 0.1, Spectral(0.01), r2, 0.0385097088863617),
        case(1000, 0.01, None, 5.0, 0.646090814925825),
        case(1000, 1.0, None, 0.5, 0.00220183473752081),
        // A floor of level 0 is no floor and gets the sharp constant.
        case(1000, 1.0, Shift(0.0), 0.5, 0.00220183473752081),
        case(1000, 1.0, Spectral(0.0), 0.5, 0.00220183473752081),
        saturated(50, 1e-3, Shift(1e-2), r3, 18.1818181818182),
        saturated(50, 1e-3, Spectral(1e-2), r3, 18.1818181818182),
        ball(1000, 0.01, Shift(0.1), 4.0 / 110.0),
        ball(1000, 0.01, Spectral(0.1), (2.0 + SQRT_2) / 110.0),
        ball(1000, 0.01, None, 0.259807621135332),
        // No penalty at all: R = min(1/c, 1/√c).
        case(1000, 0.0, Spectral(0.25), 2.0, (2.0 + 2.0 * SQRT_2) / 250.0),
        // A floor above B_x² = 1 acts as more penalty: R = 1/(c + α).
        case(1000, 1.0, Spectral(4.0), 0.2, (2.0 + 0.2 * SQRT_2) / 5000.0),
    ] {
        let spec = RidgeSpec {
            alpha: c.alpha,
            floor: c.floor,
            radius: c.radius,
            neighbor: Neighbor::ReplaceOne,
        };
        let s = spec.sensitivity(c.n, &unit()).unwrap();
        assert_close(s.norm_bound, c.norm_bound, TOLERANCE);
        assert_close(s.value, c.value, TOLERANCE);
        assert_eq!(s.saturated, c.saturated, "{spec:?}");
        assert_close(s.curvature, c.alpha + c.floor.level(), 1e-15);
        // The parts reported give the value reported.
        let parts = (s.k / (c.n as f64 * s.curvature)).min(2.0 * s.norm_bound);
        assert_close(s.value, parts, 1e-15);
    }
}

/// `B_x = 2`, `B_y = 3`, n = 1000, α = ½, c = 0.2 (`None`: α = ½), by the same independent script:
/// catches a factor of a bound that is lost when both are 1.
#[test]
fn bounds_that_differ() {
    let bounds = Bounds::new(2.0, 3.0).unwrap();
    for (floor, value) in [
        (Floor::Spectral(0.2), 0.0342857142857143),
        (Floor::Shift(0.2), 0.0413865182121102),
        (Floor::None, 0.0356347465364846),
    ] {
        let s = RidgeSpec::new(0.5)
            .floor(floor)
            .sensitivity(1000, &bounds)
            .unwrap();
        assert_close(s.norm_bound, 2.12132034355964, TOLERANCE);
        assert_close(s.value, value, TOLERANCE);
    }
}

#[test]
fn add_remove() {
    // n₀ = n_max = 1000, and n_max = 4 n₀ where R' = min(4/(c + α), 2 √c/(c + α)).
    for (n_max, norm_bound, value) in [
        (1000, 2.87479787288034, 0.0352254352080031),
        (4000, 5.74959574576069, 0.0613599613250972),
    ] {
        for floor in [Floor::Shift(0.1), Floor::Spectral(0.1)] {
            let spec = RidgeSpec::new(0.01)
                .floor(floor)
                .neighbor(Neighbor::AddRemove {
                    n_nominal: 1000,
                    n_max,
                });
            // The private number of records must not matter.
            for n in [0, 1, 1000, u64::MAX] {
                let s = spec.sensitivity(n, &unit()).unwrap();
                assert_close(s.norm_bound, norm_bound, TOLERANCE);
                assert_close(s.value, value, TOLERANCE);
            }
        }
    }
    // Without a floor: R = 5, Δ = (1 + 5)/(1000 · 0.01).
    let spec = RidgeSpec::new(0.01).neighbor(Neighbor::AddRemove {
        n_nominal: 1000,
        n_max: 1000,
    });
    assert_close(spec.sensitivity(7, &unit()).unwrap().value, 0.6, TOLERANCE);
}

#[test]
fn the_sharp_constant() {
    assert_close(k_zero(&unit(), 1.0), 1.5 * 3f64.sqrt(), 1e-14);
    assert_close(k_zero(&unit(), 5.0), 6.46090814925825, 1e-14);
    assert_close(k_zero(&unit(), 0.5), 2.20183473752081, 1e-14);
    assert_close(k_zero(&unit(), 0.0), 2.0, 1e-15);
    // It scales with the units of the target, also where squares overflow.
    let huge = Bounds::new(1.0, 1e150).unwrap();
    assert_close(k_zero(&huge, 1e156), 1e150 * k_zero(&unit(), 1e6), 1e-12);
    // It is the maximum over the angle, for any bounds.
    for (x_norm, y_abs, r) in [(2.0, 3.0, 0.7), (0.1, 5.0, 40.0), (3.0, 1e-3, 2.0)] {
        let bounds = Bounds::new(x_norm, y_abs).unwrap();
        let at = |a: f64| 2.0 * x_norm * y_abs * a.sin() + x_norm * x_norm * r * (2.0 * a).sin();
        let most = (0..=100_000)
            .map(|i| at(std::f64::consts::FRAC_PI_2 * f64::from(i) / 1e5))
            .fold(0.0, f64::max);
        assert_close(k_zero(&bounds, r), most, 1e-9);
        assert!(k_zero(&bounds, r) <= 2.0 * x_norm * y_abs + x_norm * x_norm * r);
    }
}

/// Extreme parameters give a finite bound or a named error, never NaN.
#[test]
fn extreme_parameters() {
    for alpha in [0.0, 5e-324, 1e-300, 1e-30, 1.0, 1e30, 1e300, f64::MAX] {
        for c in [0.0, 5e-324, 1e-300, 1e-30, 1.0, 1e30, 1e300, f64::MAX] {
            for radius in [None, Some(1e-300), Some(1e300)] {
                for n in [1, 1000, u64::MAX] {
                    for floor in [Floor::None, Floor::Shift(c), Floor::Spectral(c)] {
                        let spec = RidgeSpec {
                            alpha,
                            floor,
                            radius,
                            neighbor: Neighbor::ReplaceOne,
                        };
                        match spec.sensitivity(n, &unit()) {
                            Ok(s) => assert!(
                                s.value >= 0.0 && s.value.is_finite() && s.norm_bound.is_finite(),
                                "{s:?} for {spec:?}"
                            ),
                            Err(e) => assert_eq!(e, dp_ridge::Error::UnboundedSensitivity),
                        }
                    }
                }
            }
        }
    }
}
