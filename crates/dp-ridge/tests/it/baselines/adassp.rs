//! AdaSSP: noise scales, charges, adaptive ridge.

use super::{add_remove, power, two_axes};
use crate::support::{assert_close, ledger, unit};
use dp_ridge::baselines::{AdaSsp, AdaSspCalibration};
use dp_ridge::{Calibration, Cost, DpRegressor, Error, Insecure, Training};

fn paper() -> AdaSsp {
    AdaSsp {
        calibration: AdaSspCalibration::Paper,
        ..AdaSsp::default()
    }
}

/// Specification 7.4 at (1, 1e-6): g = 11.851811264 three times; with exact accounting
/// 13.3596076731, 6.2977794531, 6.2977794531.
#[test]
fn noise_scales() {
    let open = add_remove(1.0, 1e-6);
    for scale in paper().noise_scales(&open, &unit()).unwrap() {
        assert_close(scale, 11.851_811_264, 1e-8);
    }
    let gdp = AdaSsp::default().noise_scales(&open, &unit()).unwrap();
    for (got, want) in gdp
        .into_iter()
        .zip([13.359_607_673_1, 6.297_779_453_1, 6.297_779_453_1])
    {
        assert_close(got, want, 1e-8);
    }
}

/// `Paper` is charged `μ = 1/g` three times and leaves the rest; `Gdp` spends everything.
#[test]
fn charges() {
    let training = Training::from_stats(two_axes(1000, 0.5));
    let mut rng = Insecure::seeded(1);
    let mut open = add_remove(1.0, 1e-6);
    let release = paper().fit(&training, &mut open, &mut rng).unwrap();
    let third = 1.0 / 11.851_811_264;
    assert_eq!(open.summary().entries.len(), 3);
    for entry in &open.summary().entries {
        let Cost::Mu(mu) = entry.cost else {
            panic!("{entry:?}")
        };
        assert_close(mu, third, 1e-9);
    }
    let total = 0.236_704_380_663f64;
    assert_close(
        open.remaining(),
        (total * total - 3.0 * third * third).sqrt(),
        1e-8,
    );
    assert_eq!(
        (release.method.as_str(), release.n, release.sigma),
        ("adassp-paper", None, None)
    );
    // The budget pays for it twice, 6/g² = 0.0427 of 0.0560, but not three times.
    paper().fit(&training, &mut open, &mut rng).unwrap();
    let before = open.clone();
    let refused = paper().fit(&training, &mut open, &mut rng);
    assert!(matches!(refused, Err(Error::BudgetExceeded { .. })));
    assert_eq!(open, before);

    // At a large ε a third of it costs more than a third of the budget in Gaussian DP.
    let mut large = add_remove(100.0, 1e-6);
    let refused = paper().fit(&training, &mut large, &mut rng);
    assert!(matches!(refused, Err(Error::BudgetExceeded { .. })));
    assert!(large.summary().entries.is_empty());

    let mut open = add_remove(1.0, 1e-6);
    AdaSsp::default()
        .fit(&training, &mut open, &mut rng)
        .unwrap();
    assert!(open.remaining() < 1e-7);
    let refused = AdaSsp::default().fit(
        &training,
        &mut ledger(1.0, 1e-6, Calibration::Analytic),
        &mut rng,
    );
    assert!(matches!(refused, Err(Error::NeighborMismatch { .. })));
    let bad = AdaSsp {
        rho: 1.0,
        ..AdaSsp::default()
    };
    let refused = bad.fit(&training, &mut add_remove(1.0, 1e-6), &mut rng);
    assert!(matches!(refused, Err(Error::NegativeParameter { .. })));
}

/// On `XᵀX = NI` with `N` far above the noise no ridge is added, and to first order
/// `N(θ̂ − θ) = g₃z − g₂Zθ` with `θ = (1, 0)`: variance `g₃² + g₂²` in the first coordinate and,
/// off the diagonal of `Z`, `g₃² + g₂²/2` in the second.
#[test]
fn noise_reaches_the_coefficients() {
    let n = 1_000_000;
    let training = Training::from_stats(two_axes(n, 1.0));
    let mut rng = Insecure::seeded(77);
    for (method, g2) in [
        (paper(), 11.851_811_264f64),
        (AdaSsp::default(), 6.297_779_453_1),
    ] {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for _ in 0..4000 {
            let release = method
                .fit(&training, &mut add_remove(1.0, 1e-6), &mut rng)
                .unwrap();
            first.push((release.coef[0] - 1.0) * n as f64);
            second.push(release.coef[1] * n as f64);
        }
        // The standard error of a variance is 2.2 %.
        assert_close(power(&first), 2.0 * g2 * g2, 0.09);
        assert_close(power(&second), 1.5 * g2 * g2, 0.09);
    }
}

/// On `XᵀX = NI` with an `N` well below the ridge's target `√(d ln(2d²/ρ)) g₂`, the ridge tops
/// the eigenvalue up to it, so coefficients shrink by about `N` over the target.
#[test]
fn ridge_adapts_to_the_smallest_eigenvalue() {
    // Noise of 1 on the Gram matrix: μ = 1/√0.45 at this ε, found by the analytic calibration.
    let mut rng = Insecure::seeded(5);
    let open = add_remove(5.0, 1e-6);
    let [g1, g2, _] = AdaSsp::default().noise_scales(&open, &unit()).unwrap();
    let target = (2.0 * (8.0f64 / 0.05).ln()).sqrt() * g2;
    let n = 12;
    // Unless the noisy eigenvalue passes its margin of two deviations, λ̃ is 0 (97.7 %).
    assert!(n as f64 <= 12.0 * g1);
    let training = Training::from_stats(two_axes(n, 1.0));
    let draws = 4000;
    let mut coefs: Vec<f64> = (0..draws)
        .map(|_| {
            AdaSsp::default()
                .fit(&training, &mut add_remove(5.0, 1e-6), &mut rng)
                .unwrap()
                .coef[0]
        })
        .collect();
    coefs.sort_by(f64::total_cmp);
    // Unaffected by the few draws with another ridge.
    let median = coefs[draws / 2];
    let eigenvalue = n as f64;
    let ridge = (target - (eigenvalue - 2.0 * g1).max(0.0)).max(0.0);
    assert_close(median, eigenvalue / (eigenvalue + ridge), 0.2);
}

/// The published code adds the identity first: with almost no noise the fit is
/// `(XᵀX + I)⁻¹Xᵀy` instead of OLS.
#[test]
fn identity_of_the_published_code() {
    let training = Training::from_stats(two_axes(100, 1.0));
    for (code_identity, want) in [(false, 1.0), (true, 100.0 / 101.0)] {
        let method = AdaSsp {
            code_identity,
            ..AdaSsp::default()
        };
        let mut open = add_remove(1e7, 1e-6);
        let release = method
            .fit(&training, &mut open, &mut Insecure::seeded(1))
            .unwrap();
        assert_close(release.coef[0], want, 1e-4);
    }
}
