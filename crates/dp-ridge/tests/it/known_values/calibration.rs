//! Noise multipliers for unit sensitivity. Source: the defining equations of Balle and Wang (2018)
//! and of the classic Gaussian mechanism, solved in 50-digit arithmetic.

use crate::support::{assert_close, budget};
use dp_ridge::Error;
use dp_ridge::calibration::{analytic_multiplier, classic_multiplier, gdp_delta};

/// ε, δ, analytic `s`, classic `s` (`None`: must be refused).
const TABLE: [(f64, f64, f64, Option<f64>); 8] = [
    (0.01, 1e-6, 306.3503761538177, Some(529.880252685047)),
    (0.1, 1e-5, 30.74956613197745, Some(48.4480526260539)),
    (0.5, 1e-5, 7.031826675582491, Some(9.68961052521078)),
    (1.0, 1e-6, 4.224678889326835, Some(5.29880252685047)),
    (1.0, 1e-10, 5.867777749630526, Some(6.81894339047549)),
    (1.0, 0.01, 1.877875560907386, Some(3.10751146009224)),
    (2.0, 1e-6, 2.230476271186417, None),
    (10.0, 1e-6, 0.541086831818366, None),
];

#[test]
fn both_formulas_at_usual_budgets() {
    for (epsilon, delta, analytic, classic) in TABLE {
        let b = budget(epsilon, delta);
        assert_close(analytic_multiplier(b).unwrap(), analytic, 1e-12);
        match classic {
            Some(s) => assert_close(classic_multiplier(b).unwrap(), s, 1e-12),
            None => assert_eq!(
                classic_multiplier(b),
                Err(Error::ClassicNeedsEpsLe1 { epsilon })
            ),
        }
    }
}

/// Brackets of other libraries are too small here, or their loops do not end; and the difference
/// of two values of `ln Φ` keeps no digits.
#[test]
fn extreme_budgets() {
    for (epsilon, delta, s) in [
        (1e-8, 1e-6, 396_960.622_490_612_9),
        (1e-8, 1e-10, 172_409_436.332_932_1),
        (1e-10, 1e-14, 30_622_266_785.779_99),
        (1e-12, 1e-14, 1_724_094_361_682.642),
        (1e-15, 1e-16, 937_368_248_983_759.4),
        (1e-15, 1e-18, 2_436_407_769_078_395.0),
        (700.0, 1e-6, 0.030_313_470_312_055_81),
    ] {
        assert_close(
            analytic_multiplier(budget(epsilon, delta)).unwrap(),
            s,
            1e-10,
        );
    }
    for epsilon in [1e-300, 1e-30, 1e-3, 1.0, 1e3, 1e30, 1e300] {
        for delta in [1e-300, 1e-30, 1e-3, 0.999] {
            let s = analytic_multiplier(budget(epsilon, delta)).unwrap();
            assert!(
                s > 0.0 && s.is_finite(),
                "{s} at epsilon {epsilon}, delta {delta}"
            );
        }
    }
}

/// The multiplier is the upper end of its bracket: what is delivered never exceeds the target by
/// more than the rounding of the equation, and less noise would.
#[test]
fn the_delivered_delta_is_the_target_from_below() {
    for epsilon in [0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0] {
        for delta in [1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.9] {
            let s = analytic_multiplier(budget(epsilon, delta)).unwrap();
            assert!(gdp_delta(1.0 / s, epsilon) <= delta);
            assert!(
                gdp_delta(1.0 / (s * (1.0 - 1e-9)), epsilon) > delta,
                "at {epsilon}, {delta}"
            );
        }
    }
}

/// Source: the definition of Gaussian DP in 50-digit arithmetic.
#[test]
fn the_classic_formula_breaks_its_promise_at_large_epsilon() {
    let s = (2.0 * (1.25f64 / 1e-6).ln()).sqrt() / 10.0;
    assert_close(gdp_delta(1.0 / s, 10.0), 1.90216e-6, 1e-5);
    // … and keeps it, with room to spare, at 1.
    assert_close(gdp_delta(1.0 / (10.0 * s), 1.0), 3.19991e-9, 1e-5);
}

#[test]
fn impossible_budgets_are_refused_by_every_formula() {
    use dp_ridge::calibration::zcdp_rho;
    for (epsilon, delta, name) in [
        (0.0, 1e-6, "epsilon"),
        (-1.0, 1e-6, "epsilon"),
        (f64::NAN, 1e-6, "epsilon"),
        (f64::INFINITY, 1e-6, "epsilon"),
        (1.0, 0.0, "delta"),
        (1.0, 1.0, "delta"),
        (1.0, 1.5, "delta"),
        (1.0, f64::NAN, "delta"),
    ] {
        let b = dp_ridge::Budget { epsilon, delta };
        for result in [analytic_multiplier(b), classic_multiplier(b), zcdp_rho(b)] {
            assert!(
                matches!(result, Err(Error::BadBudget { name: n, .. }) if n == name),
                "{result:?} for {b:?}"
            );
        }
    }
}
