//! Ledgers. Sources: Dong, Roth and Su (2022) for Gaussian DP, Canonne, Kamath and Steinke (2020)
//! for the conversion of zCDP, both in 50-digit arithmetic.

use crate::support::{assert_close, ledger};
use dp_ridge::calibration::{
    analytic_multiplier, gdp_delta, gdp_epsilon, zcdp_delta, zcdp_epsilon,
};
use dp_ridge::{Calibration, Error, Mu};

#[test]
fn two_gaussians_compose_exactly() {
    let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
    assert_close(l.mu_total(), 0.23670438066344, 1e-12);
    l.spend_mu("first", Mu::Exact(1.0 / 10.0)).unwrap();
    l.spend_mu("second", Mu::Exact(1.0 / 5.0)).unwrap();
    assert_close(l.epsilon_at(1e-6).unwrap(), 0.94051552653078, 1e-10);
    assert_close(l.delta_at(0.94051552653078), 1e-6, 1e-9);
    // √(0.01 + 0.04), so that this much of the total is left:
    let left = (0.23670438066344f64.powi(2) - 0.05).sqrt();
    assert_close(l.remaining(), left, 1e-10);
}

#[test]
fn a_spent_ledger_reports_its_own_budget() {
    for (epsilon, delta) in [(1.0, 1e-6), (0.1, 1e-5), (5.0, 1e-9)] {
        let mut l = ledger(epsilon, delta, Calibration::Analytic);
        l.spend_mu("all", Mu::Rest).unwrap();
        assert_close(l.epsilon_at(delta).unwrap(), epsilon, 1e-9);
        assert_close(l.delta_at(epsilon), delta, 1e-9);
        assert!(l.remaining() <= 1e-6 * l.mu_total());
        let mut l = ledger(epsilon, delta, Calibration::Zcdp);
        l.spend_mu("all", Mu::Rest).unwrap();
        assert_close(l.epsilon_at(delta).unwrap(), epsilon, 1e-9);
        assert!(l.epsilon_at(delta).unwrap() <= epsilon * (1.0 + 1e-12));
        assert_close(l.delta_at(epsilon), delta, 1e-7);
    }
}

/// ρ, ε of the conversion at δ = 1e-6, exact ε of a Gaussian with that ρ.
const ZCDP: [(f64, f64, f64); 3] = [
    (0.01, 0.6216926545596, 0.5750551858),
    (0.1, 2.1419389283855, 1.994526901),
    (0.5, 5.2215344445302, 4.886554117),
];

#[test]
fn conversion_of_zcdp() {
    for (rho, epsilon, exact) in ZCDP {
        assert_close(zcdp_epsilon(rho, 1e-6).unwrap(), epsilon, 1e-9);
        assert_close(zcdp_delta(rho, epsilon), 1e-6, 1e-7);
        assert_close(gdp_epsilon((2.0 * rho).sqrt(), 1e-6).unwrap(), exact, 1e-9);
    }
    let l = ledger(1.0, 1e-6, Calibration::Zcdp);
    assert_close(l.mu_total(), 0.2207078175305, 1e-10);
    assert_close(l.mu_total().powi(2) / 2.0, 0.024355970359538, 1e-10);
}

/// Never better than the exact value, never worse than the simple bound `ρ + 2√(ρ ln(1/δ))`
/// (Bun and Steinke 2016); the same at a δ for an ε.
#[test]
fn the_conversion_lies_between_the_exact_value_and_the_simple_bound() {
    for i in -12..=8 {
        let rho = 10f64.powf(f64::from(i) / 3.0);
        for delta in [1e-12, 1e-6, 1e-3] {
            let epsilon = zcdp_epsilon(rho, delta).unwrap();
            let exact = gdp_epsilon((2.0 * rho).sqrt(), delta).unwrap();
            assert!(epsilon >= exact, "{epsilon} below {exact} at {rho}");
            let simple = rho + 2.0 * (rho * (1.0 / delta).ln()).sqrt();
            assert!(epsilon <= simple, "{epsilon} above {simple} at {rho}");
            let back = zcdp_delta(rho, exact);
            assert!(back >= gdp_delta((2.0 * rho).sqrt(), exact) * (1.0 - 1e-9));
        }
    }
}

/// Pure ε moves the Gaussian curve: `δ_tot(ε) = δ_μ(ε − ε_pure)`, and 1 below `ε_pure`. What
/// remains for Gaussians is the total at `ε − ε_pure`.
#[test]
fn pure_epsilon_adds() {
    let mut l = ledger(1.5, 1e-6, Calibration::Analytic);
    l.spend_pure("selection", 0.5).unwrap();
    // Analytic multiplier at (1, 1e-6).
    assert_close(l.mu_total(), 0.23670438066344, 1e-12);
    l.spend_mu("fit", Mu::Exact(0.05f64.sqrt())).unwrap();
    assert_close(l.epsilon_at(1e-6).unwrap(), 0.5 + 0.94051552653078, 1e-10);
    assert_eq!(l.delta_at(0.499), 1.0);
    assert_close(l.delta_at(0.5 + 0.94051552653078), 1e-6, 1e-8);
    // More pure ε would take what the Gaussian holds.
    let before = l.clone();
    assert!(matches!(
        l.spend_pure("more", 0.5),
        Err(Error::BudgetExceeded {
            unit: "epsilon",
            ..
        })
    ));
    assert_eq!(l, before, "a refused request spends nothing");
    // All of ε as pure, when nothing else was spent.
    let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
    l.spend_pure("a", 0.3).unwrap();
    l.spend_pure("b", 0.7).unwrap();
    assert_eq!(l.remaining(), 0.0);
    assert!(l.spend_mu("nothing is left", Mu::Rest).is_err());
    assert!(l.spend_pure("nothing is left", 1e-3).is_err());
}

#[test]
fn shares_add_in_squares_and_stop_at_the_total() {
    for calibration in [
        Calibration::Analytic,
        Calibration::Zcdp,
        Calibration::Classic,
    ] {
        let mut l = ledger(1.0, 1e-6, calibration);
        let total = l.mu_total();
        assert_close(
            l.spend_mu("tenth", Mu::Fraction(0.1)).unwrap(),
            total * 0.1f64.sqrt(),
            1e-14,
        );
        assert_close(l.remaining(), total * 0.9f64.sqrt(), 1e-14);
        for _ in 0..9 {
            l.spend_mu("another tenth", Mu::Fraction(0.1)).unwrap();
        }
        let before = l.clone();
        for share in [Mu::Fraction(0.1), Mu::Fraction(1e-9), Mu::Exact(1e-3)] {
            assert!(matches!(
                l.spend_mu("too much", share),
                Err(Error::BudgetExceeded { unit: "mu", .. })
            ));
        }
        assert_eq!(l, before);
        assert_eq!(l.summary().entries.len(), 10);
    }
    // Adding μ instead of μ² would have refused the second of these.
    let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
    let half = l.mu_total() * 0.5f64.sqrt();
    l.spend_mu("a", Mu::Exact(half)).unwrap();
    l.spend_mu("b", Mu::Exact(half)).unwrap();
}

#[test]
fn totals_of_the_calibrations() {
    let l = ledger(1.0, 1e-6, Calibration::Classic);
    assert_close(l.mu_total(), 1.0 / 5.29880252685047, 1e-12);
    assert_close(
        ledger(1.0, 1e-6, Calibration::Analytic).mu_total(),
        1.0 / analytic_multiplier(l.budget()).unwrap(),
        1e-15,
    );
}

#[cfg(feature = "serde")]
mod stored {
    use super::*;
    use dp_ridge::Ledger;

    #[test]
    fn a_ledger_survives_storage() {
        let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
        l.spend_pure("selection", 0.25).unwrap();
        l.spend_mu("fit", Mu::Fraction(0.5)).unwrap();
        let text = serde_json::to_string(&l).unwrap();
        let back: Ledger = serde_json::from_str(&text).unwrap();
        assert_eq!(back, l);
        // A full one as well: rounding must not make it look overspent.
        l.spend_mu("rest", Mu::Rest).unwrap();
        let text = serde_json::to_string(&l).unwrap();
        assert_eq!(serde_json::from_str::<Ledger>(&text).unwrap(), l);
    }

    #[test]
    fn a_stored_ledger_that_overspends_does_not_load() {
        let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
        l.spend_mu("fit", Mu::Rest).unwrap();
        let mut json = serde_json::to_value(&l).unwrap();
        // Edited to look as if twice as much had been allowed, and as if two had been made.
        let edits: [fn(&mut serde_json::Value); 4] = [
            |j| j["budget"]["epsilon"] = 0.9.into(),
            |j| j["budget"]["delta"] = 1e-7.into(),
            |j| {
                let again = j["entries"][0].clone();
                j["entries"].as_array_mut().unwrap().push(again);
            },
            |j| {
                let pure = serde_json::json!({"label": "more", "cost": {"pure_epsilon": 0.1}});
                j["entries"].as_array_mut().unwrap().push(pure);
            },
        ];
        for edit in edits {
            let mut edited = json.clone();
            edit(&mut edited);
            assert_ne!(edited, json);
            let error = serde_json::from_value::<Ledger>(edited.clone()).unwrap_err();
            assert!(
                error.to_string().contains("open a ledger for new data"),
                "{error} for {edited}"
            );
        }
        json["budget"]["epsilon"] = 0.0.into();
        assert!(serde_json::from_value::<Ledger>(json).is_err());
    }
}
