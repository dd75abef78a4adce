//! Audits on the saturated pair d = 1, n = 1, x = 1, y = ±1, α = 10⁻³, c = 1: outputs ±1/1.001,
//! Δ = 2/1.001, so that the mechanism spends exactly its budget. Source of δ at half the noise:
//! the Gaussian privacy curve at 2μ, in 50-digit arithmetic.

use crate::support::{assert_close, budget, ledger, unit};
use dp_ridge::audit::{compare, gaussian_threshold, ridge};
use dp_ridge::{Calibration, Error, Floor, Insecure, Noise, RidgeSpec};
use papercrates_numeric::streams::{Streams, normal};

const DRAWS: usize = 1_000_000;

fn spec() -> RidgeSpec {
    RidgeSpec::new(1e-3).floor(Floor::Spectral(1.0))
}

fn audit(noise_factor: f64) -> dp_ridge::audit::Audit {
    let l = ledger(1.0, 0.01, Calibration::Analytic);
    let mut rng = Insecure::seeded(99);
    ridge(
        &spec(),
        1,
        unit(),
        &l,
        Noise::Float,
        noise_factor,
        DRAWS,
        &mut rng,
    )
    .unwrap()
}

#[test]
fn an_honest_release_spends_its_delta_and_is_not_flagged() {
    let s = spec().sensitivity(1, &unit()).unwrap();
    assert!(s.saturated);
    assert_close(s.value, 2.0 / 1.001, 1e-14);
    let a = audit(1.0);
    assert!((a.delta - 0.010).abs() <= 0.002, "{a:?}");
    assert!((2e-4..8e-4).contains(&a.standard_error), "{a:?}");
    assert!(!a.flagged && a.delta_low < a.delta, "{a:?}");
    // τ* = −1/1.001 + σ(ε/μ + μ/2) at σ = s Δ, s = 1.8778755609, μ = 1/s.
    let multiplier = 1.877875560907386;
    let want = -1.0 / 1.001 + multiplier * 2.0 / 1.001 * (multiplier + 0.5 / multiplier);
    assert_close(a.threshold, want, 1e-8);
}

#[test]
fn half_the_noise_is_flagged() {
    let a = audit(0.5);
    assert!((a.delta - 0.1503).abs() <= 0.004, "{a:?}");
    assert!(a.flagged && a.delta_low > 0.14, "{a:?}");
}

#[test]
fn discrete_noise_passes_too() {
    let l = ledger(1.0, 0.01, Calibration::Zcdp);
    let mut rng = Insecure::seeded(3);
    let noise = Noise::Discrete { log2_grid: -6 };
    let a = ridge(&spec(), 1, unit(), &l, noise, 1.0, 200_000, &mut rng).unwrap();
    assert!(!a.flagged && a.delta > 0.0, "{a:?}");
    let a = ridge(&spec(), 1, unit(), &l, noise, 0.5, 200_000, &mut rng).unwrap();
    assert!(a.flagged, "{a:?}");
}

/// A broken mechanism of the caller's own: noise scaled to the add/remove constant under
/// replace-one, half of what it should be.
#[test]
fn any_mechanism_can_be_audited() {
    let claim = budget(1.0, 0.01);
    let sigma = 1.877875560907386;
    for (scale, broken) in [(2.0 * sigma, false), (sigma, true)] {
        let (mut a, mut b) = (Insecure::seeded(1), Insecure::seeded(2));
        let threshold = gaussian_threshold(-1.0, 1.0, scale, 1.0);
        let found = compare(
            || 1.0 + scale * normal(&mut a),
            || -1.0 + scale * normal(&mut b),
            threshold,
            claim,
            200_000,
        )
        .unwrap();
        assert_eq!(found.flagged, broken, "{found:?}");
    }
    assert_eq!(
        compare(|| 0.0, || 0.0, 0.0, claim, 0),
        Err(Error::EmptyData)
    );
    // e^800 is infinite: no frequency could be compared with it.
    assert!(matches!(
        compare(|| 0.0, || 0.0, 0.0, budget(800.0, 0.01), 10),
        Err(Error::BadBudget { .. })
    ));
}

/// Two unit Gaussians one apart: the threshold of most difference at ε is `ε + ½` (closed form), and
/// the pilot finds it within the flat top of the curve.
#[test]
fn a_pilot_finds_the_threshold_of_two_gaussians() {
    let mut rng = Streams::new(5).child("pilot").rng();
    let mut other = Streams::new(6).child("pilot").rng();
    let (high, low) = (|| 1.0 + normal(&mut rng), || normal(&mut other));
    let found = dp_ridge::audit::pilot_threshold(high, low, 0.5, 400_000);
    assert!((found - 1.0).abs() < 0.15, "{found}");
    // Never above what the neighbour reaches when nothing separates the two.
    assert_eq!(
        dp_ridge::audit::pilot_threshold(|| 0.0, || 0.0, 1.0, 10),
        f64::MAX
    );
}
