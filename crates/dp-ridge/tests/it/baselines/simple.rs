//! References, single-parameter ridge, sufficient statistics, output perturbation.

use super::{add_remove, empty, power};
use crate::support::{assert_close, ledger, stats_of, unit};
use dp_ridge::baselines::{NonPrivateOls, NonPrivateRidge, OutputPertErm, SingleRidge, Ssp};
use dp_ridge::faer::{Mat, Par};
use dp_ridge::{
    Bounds, Calibration, Clip, DpRegressor, ErmSpec, Error, Insecure, Logistic, Mu, Noise,
    RidgeSpec, Training, release,
};

/// Specification 7.3: `X = diag(√2, √½)`, `y` on its diagonal, so OLS is (1, 1) and ridge with
/// α = ¼ is (0.8, 0.5).
#[test]
fn references_on_the_hand_case() {
    let bounds = Bounds::new(2.0, 2.0).unwrap();
    let (a, b) = (2f64.sqrt(), 0.5f64.sqrt());
    let stats = stats_of(&[(vec![a, 0.0], a), (vec![0.0, b], b)], 2, bounds);
    let ols = NonPrivateOls.fit(&stats).unwrap();
    let ridge = NonPrivateRidge { alpha: 0.25 }.fit(&stats).unwrap();
    for (got, want) in ols.coef.iter().chain(&ridge.coef).zip([1.0, 1.0, 0.8, 0.5]) {
        assert_close(*got, want, 1e-12);
    }
    let flat = stats_of(&[(vec![a, 0.0], a)], 2, bounds);
    assert!(matches!(
        NonPrivateOls.fit(&flat),
        Err(Error::NotPositiveDefinite { .. })
    ));
}

/// One parameter is the family without a floor: the same draw from the same seed.
#[test]
fn single_ridge_is_the_family_without_a_floor() {
    let stats = stats_of(&[(vec![0.6, 0.8], 0.3), (vec![1.0, 0.0], -0.5)], 2, unit());
    let mut open = ledger(1.0, 1e-6, Calibration::Analytic);
    let direct = release(
        &RidgeSpec::new(0.5),
        &stats,
        Mu::Rest,
        Noise::Float,
        &mut open,
        &mut Insecure::seeded(3),
    )
    .unwrap();
    let mut open = ledger(1.0, 1e-6, Calibration::Analytic);
    let training = Training::from_stats(stats);
    let single = SingleRidge::new(0.5)
        .fit(&training, &mut open, &mut Insecure::seeded(3))
        .unwrap();
    assert_eq!((single.coef, single.sigma), (direct.coef, direct.sigma));
    assert_eq!(single.method, "single-ridge");
    assert_eq!(open.remaining(), 0.0);

    let mut wrong = add_remove(1.0, 1e-6);
    let refused = SingleRidge::new(0.5).fit(&training, &mut wrong, &mut Insecure::seeded(3));
    assert!(matches!(refused, Err(Error::NeighborMismatch { .. })));
}

/// Specification 7.4 at (1, 1e-6): σ = 2s = 8.4493577787.
#[test]
fn ssp_noise_scale() {
    let scale = Ssp::default()
        .noise_scale(&add_remove(1.0, 1e-6), &unit())
        .unwrap();
    assert_close(scale, 8.449_357_778_7, 1e-8);
}

/// With no rows and a ridge far above the noise, `ridge · θ̂` is the noise on `Xᵀy`, an
/// off-diagonal part of the symmetric matrix: variance `σ²/2`.
#[test]
fn ssp_noise_off_the_diagonal() {
    let ssp = Ssp {
        ridge: 1e6,
        ..Ssp::default()
    };
    let training = Training::from_stats(empty(4, unit()));
    let mut rng = Insecure::seeded(8);
    let mut noise = Vec::new();
    for _ in 0..1000 {
        let mut open = add_remove(1.0, 1e-6);
        let release = ssp.fit(&training, &mut open, &mut rng).unwrap();
        assert!(!release.indefinite && release.n.is_none() && release.sigma.is_none());
        assert_eq!(open.remaining(), 0.0);
        noise.extend(release.coef.iter().map(|c| c * 1e6));
    }
    // 4000 normals: the standard error of the variance is 2.2 %.
    assert_close(power(&noise), 8.449_357_778_7f64.powi(2) / 2.0, 0.1);
}

/// A noisy matrix that is not positive definite: an error without a ridge, after the budget was
/// spent; a marked release with one.
#[test]
fn ssp_names_an_indefinite_matrix() {
    let training = Training::from_stats(empty(4, unit()));
    let mut rng = Insecure::seeded(2);
    let mut open = add_remove(1.0, 1e-6);
    let refused = Ssp::default().fit(&training, &mut open, &mut rng);
    assert!(matches!(refused, Err(Error::NotPositiveDefinite { smallest }) if smallest < 0.0));
    assert_eq!(open.remaining(), 0.0);
    let ssp = Ssp {
        ridge: 1e-3,
        ..Ssp::default()
    };
    let release = ssp
        .fit(&training, &mut add_remove(1.0, 1e-6), &mut rng)
        .unwrap();
    assert!(release.indefinite);
    let refused = ssp.fit(
        &training,
        &mut ledger(1.0, 1e-6, Calibration::Analytic),
        &mut rng,
    );
    assert!(matches!(refused, Err(Error::NeighborMismatch { .. })));
}

/// Specification 7.4 with `c = 0`: Δ = 0.2 for logistic, α = 0.01, n = 1000.
#[test]
fn output_perturbation_of_an_erm() {
    let x = Mat::from_fn(1000, 2, |i, j| if i % 2 == j { 1.0 } else { 0.0 });
    let y: Vec<f64> = (0..1000).map(|i| f64::from(i % 3 == 0)).collect();
    let training = Training::from_rows(x.as_ref(), &y, unit(), Clip::Clip, Par::Seq).unwrap();
    let mut open = ledger(1.0, 1e-6, Calibration::Analytic);
    let method = OutputPertErm::new(Logistic, 0.01, 1.0);
    let release = method
        .fit(&training, &mut open, &mut Insecure::seeded(1))
        .unwrap();
    assert_eq!(release.method, "output-perturbation-erm");
    assert_close(
        release.sensitivity.unwrap().value,
        0.2 + 2e-10 / 0.01,
        1e-12,
    );
    assert_close(release.sigma.unwrap(), 0.2 * 4.224_678_889_326_84, 1e-6);
    let fit = ErmSpec::new(Logistic, 0.01, 1.0)
        .solve(&training, Par::Seq)
        .unwrap();
    let sigma = release.sigma.unwrap();
    assert!(
        release
            .coef
            .iter()
            .zip(&fit.coef)
            .all(|(a, b)| (a - b).abs() < 4.0 * sigma)
    );
}
