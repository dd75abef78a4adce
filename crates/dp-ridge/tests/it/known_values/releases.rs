//! The law of a release: coefficients plus Gaussian noise of the stated scale, and what follows
//! from it. Seeds are fixed.

use crate::support::{assert_close, distance, ledger, norm, stats_of, unit};
use dp_ridge::faer::Mat;
use dp_ridge::{
    Bounds, Budget, Calibration, Clip, DecoupledRidge, Floor, Insecure, Ledger, Mu, Neighbor,
    Noise, Release, RidgeSpec, SecureRng, SuffStats, release,
};
use papercrates_numeric::special::normal_cdf;
use papercrates_numeric::stats::{clopper_pearson, ks_one_sample};

fn data() -> SuffStats {
    let records: Vec<_> = (0..60)
        .map(|i| {
            let t = f64::from(i);
            (
                vec![0.5 * t.sin(), 0.5 * t.cos(), 0.5, 0.1 * (3.0 * t).cos()],
                0.4 * t.sin() + 0.2,
            )
        })
        .collect();
    stats_of(&records, 4, unit())
}

fn spec() -> RidgeSpec {
    RidgeSpec::new(0.05).floor(Floor::Spectral(0.1))
}

fn many(noise: Noise, calibration: Calibration) -> Vec<Release> {
    let mut rng = Insecure::seeded(11);
    (0..2000)
        .map(|_| {
            let mut l = ledger(1.0, 1e-6, calibration);
            release(&spec(), &data(), Mu::Rest, noise, &mut l, &mut rng).unwrap()
        })
        .collect()
}

/// `σ = Δ/μ`, rounded up by the margin 1e-9 at most twice; the reported sensitivity stays the
/// plain formula.
#[test]
fn the_scale_is_sensitivity_over_mu() {
    for (share, mu) in [
        (Mu::Rest, 0.23670438066344),
        (Mu::Fraction(0.25), 0.23670438066344 / 2.0),
        (Mu::Exact(0.1), 0.1),
    ] {
        let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
        let mut rng = Insecure::seeded(1);
        let r = release(&spec(), &data(), share, Noise::Float, &mut l, &mut rng).unwrap();
        let s = r.sensitivity.unwrap();
        assert_eq!(s, spec().sensitivity(60, &unit()).unwrap());
        let ratio = r.sigma.unwrap() / (s.value / mu);
        assert!((1.0..=1.0 + 2e-9).contains(&ratio), "{ratio}");
        assert_eq!(r.ledger, *l.summary());
        assert_eq!(r.ledger.entries.len(), 1);
    }
}

/// A sum over `n` records is off by up to 1024 units in the last place of `n B_x B_y`; in a small
/// ball with many records this exceeds the sensitivity's own margin.
#[test]
fn the_noise_covers_rounding_of_the_targets() {
    let bounds = Bounds::new(1.0, 1e6).unwrap();
    let n = 10_000_000_000;
    let gram = Mat::from_fn(1, 1, |_, _| 0.0);
    let stats = SuffStats::from_sums(bounds, n, gram.as_ref(), &[0.0], 0.0, (0, 0)).unwrap();
    let spec = RidgeSpec::new(1.0).radius(1e-3);
    let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
    let mut rng = Insecure::seeded(1);
    let r = release(
        &spec,
        &stats,
        Mu::Exact(0.1),
        Noise::Float,
        &mut l,
        &mut rng,
    )
    .unwrap();
    let covered = r.sigma.unwrap() * 0.1 - r.sensitivity.unwrap().value;
    assert!(covered >= 2.0 * 1024.0 * f64::EPSILON * 1e6, "{covered}");
}

/// Kolmogorov–Smirnov on 8000 standardised deviations: a scale off by 3 %, a Laplace law, or a
/// shifted centre is seen.
#[test]
fn the_noise_is_gaussian_around_the_fit() {
    let fit = spec().solve(&data()).unwrap();
    let grid = Noise::Discrete { log2_grid: -18 };
    for (noise, calibration) in [
        (Noise::Float, Calibration::Analytic),
        (grid, Calibration::Zcdp),
    ] {
        let z: Vec<f64> = many(noise, calibration)
            .iter()
            .flat_map(|r| {
                let sigma = r.sigma.unwrap();
                let pairs = r.coef.iter().zip(&fit.coef);
                pairs.map(|(c, f)| (c - f) / sigma).collect::<Vec<_>>()
            })
            .collect();
        let test = ks_one_sample(&z, normal_cdf).unwrap();
        assert!(test.p_value > 1e-3, "{noise:?}: {test:?}");
        // Coordinates are independent: the mean product of neighbours has standard error 1/√6000.
        let product: f64 = z
            .chunks(4)
            .map(|c| c[0] * c[1] + c[1] * c[2] + c[2] * c[3])
            .sum();
        assert!((product / 6000.0).abs() < 4.0 / 6000f64.sqrt());
    }
}

#[test]
fn intervals_cover_the_non_private_fit() {
    let fit = spec().solve(&data()).unwrap();
    for level in [0.5, 0.9] {
        let mut covered = 0;
        for r in many(Noise::Float, Calibration::Analytic) {
            let ci = r.ci_noise(level).unwrap().unwrap();
            covered += usize::from(ci[0].0 <= fit.coef[0] && fit.coef[0] <= ci[0].1);
        }
        let interval = clopper_pearson(covered, 2000, 0.999).unwrap();
        assert!(
            interval.low <= level && level <= interval.high,
            "{covered} of 2000 at {level}"
        );
    }
    // Known half width: z = 1.959963984540054 at 95 %, plus half the grid.
    let r = &many(Noise::Discrete { log2_grid: 2 }, Calibration::Zcdp)[0];
    let (low, high) = r.ci_noise(0.95).unwrap().unwrap()[2];
    let half = 1.959963984540054 * r.sigma.unwrap() + 2.0;
    assert_close(high - low, 2.0 * half, 1e-12);
}

/// A seed protects nobody and says so; operating-system entropy does not repeat.
#[test]
fn seeded_releases_are_marked_and_repeat() {
    let draw = |seed| {
        let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
        release(
            &spec(),
            &data(),
            Mu::Rest,
            Noise::Float,
            &mut l,
            &mut Insecure::seeded(seed),
        )
        .unwrap()
    };
    assert!(draw(5).reproducible_not_private);
    assert_eq!(draw(5), draw(5));
    assert_ne!(draw(5).coef, draw(6).coef);
    let real = || {
        let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
        let mut rng = SecureRng::from_os().unwrap();
        release(&spec(), &data(), Mu::Rest, Noise::Float, &mut l, &mut rng).unwrap()
    };
    let (a, b) = (real(), real());
    assert!(!a.reproducible_not_private);
    assert_ne!(a.coef, b.coef);
}

/// Under add/remove the number of records is private.
#[test]
fn n_is_shown_under_replace_one_only() {
    let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
    let mut rng = Insecure::seeded(1);
    let r = release(&spec(), &data(), Mu::Rest, Noise::Float, &mut l, &mut rng).unwrap();
    assert_eq!(r.n, Some(60));
    let nominal = spec().neighbor(Neighbor::AddRemove {
        n_nominal: 50,
        n_max: 100,
    });
    let mut l = dp_ridge::Ledger::open(
        crate::support::budget(1.0, 1e-6),
        Calibration::Analytic,
        dp_ridge::Relation::AddRemove,
    )
    .unwrap();
    let r = release(&nominal, &data(), Mu::Rest, Noise::Float, &mut l, &mut rng).unwrap();
    assert_eq!(r.n, None);
}

#[test]
fn post_processing() {
    let mut r = many(Noise::Float, Calibration::Analytic).swap_remove(0);
    r.coef = vec![3.0, 0.0, 4.0];
    assert!(distance(&r.project(2.5), &[1.5, 0.0, 2.0]) < 1e-15);
    assert_eq!(r.project(6.0), r.coef);
    // 1 − (3 − 2) σ²/25.
    r.sigma = Some(3.0);
    assert!(distance(&r.shrink(), &[1.92, 0.0, 2.56]) < 1e-15);
    r.sigma = Some(6.0);
    assert_eq!(norm(&r.shrink()), 0.0);
    r.coef = vec![3.0, 4.0];
    assert_eq!(r.shrink(), r.coef);
    assert_close(r.predict(&[1.0, 0.5]).unwrap(), 5.0, 1e-15);
}

/// Adding `n` numbers one after the other is off by up to `n/2` units in the last place, and one
/// record moves all of them: sums from elsewhere get noise for that, our own do not need it. Under
/// add/remove the public largest size counts.
#[test]
fn the_noise_covers_rounding_of_sums_made_elsewhere() {
    let n = 100_000_000_u64;
    let gram = Mat::from_fn(1, 1, |_, _| 0.0);
    let stats = SuffStats::from_sums(unit(), n, gram.as_ref(), &[0.0], 0.0, (0, 0)).unwrap();
    let covered = |stats: &SuffStats, neighbor| {
        let spec = RidgeSpec::new(1.0).radius(1.0).neighbor(neighbor);
        let budget = Budget::new(1.0, 1e-6).unwrap();
        let mut l = Ledger::open(budget, Calibration::Analytic, neighbor.relation()).unwrap();
        let mut rng = Insecure::seeded(1);
        let r = release(&spec, stats, Mu::Exact(0.1), Noise::Float, &mut l, &mut rng).unwrap();
        r.sigma.unwrap() * 0.1 - r.sensitivity.unwrap().value
    };
    // Two fits, each with n units of 2^-53 in G (times R = 1) and in b, at curvature 1.
    let least = 2.0 * n as f64 * 2f64.powi(-53) * 2.0;
    assert!(covered(&stats, Neighbor::ReplaceOne) >= least);
    let (n_nominal, n_max) = (n, 2 * n);
    let sizes = Neighbor::AddRemove { n_nominal, n_max };
    assert!(covered(&stats, sizes) >= 2.0 * least);
    let merged = SuffStats::new(1, unit(), Clip::Clip).unwrap().merge(&stats);
    assert!(covered(&merged.unwrap(), Neighbor::ReplaceOne) >= least);
    // The default grid follows, so that so many records can be released with discrete noise too.
    let gram = Mat::from_fn(1, 1, |_, _| 0.0);
    let many = SuffStats::from_sums(unit(), 1 << 40, gram.as_ref(), &[0.0], 0.0, (0, 0)).unwrap();
    let mut l = ledger(1.0, 1e-6, Calibration::Zcdp);
    let method = DecoupledRidge {
        discrete: true,
        ..DecoupledRidge::default()
    };
    assert!(
        method
            .fit_stats(&many, &mut l, &mut Insecure::seeded(1))
            .is_ok()
    );

    let own = stats_of(&[(vec![0.5], 0.5)], 1, unit());
    assert!(covered(&own, sizes) < 1e-3 * least);
}

/// JSON has no NaN: a card that could not be read again is not written.
#[cfg(feature = "io")]
#[test]
fn a_card_with_numbers_that_are_not_finite_is_refused() {
    use dp_ridge::{Error, FeatureRange, ModelCard, Preparation, TargetRange};
    let mut rng = Insecure::seeded(1);
    let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
    let r = release(&spec(), &data(), Mu::Rest, Noise::Float, &mut l, &mut rng).unwrap();
    let d = r.coef.len();
    let card = |r: Release| {
        let range = FeatureRange::Norm(1.0);
        let preparation = Preparation::new(d, range, TargetRange::Abs(1.0)).unwrap();
        let names = (0..d).map(|j| format!("x{j}")).collect();
        ModelCard::new(r, preparation, names, "y".into()).unwrap()
    };
    assert!(card(r.clone()).to_json().is_ok());
    for bad in [f64::NAN, f64::INFINITY] {
        let mut broken = r.clone();
        broken.coef[0] = bad;
        let error = card(broken).to_json().unwrap_err();
        assert!(matches!(error, Error::Data { .. }), "{error:?}");
    }
}
