//! Choosing floor and penalty: the law of the private smallest eigenvalue, what selection from a
//! grid costs and picks, and the defaults of the decoupled method.

use crate::support::{assert_close, ledger, stats_of, unit};
use dp_ridge::faer::Mat;
use dp_ridge::risk::{Metric, Problem, decompose};
use dp_ridge::tune::{
    PrivateFloor, PublicGuess, exponential_grid, mu_of_pure, plug_in, private_lambda_min,
    pure_of_mu,
};
use dp_ridge::{
    Bounds, Calibration, Cost, DecoupledRidge, Floor, Insecure, Level, Mu, Neighbor, Noise,
    RidgeSpec, SuffStats,
};
use papercrates_numeric::special::normal_cdf;
use papercrates_numeric::stats::{clopper_pearson, ks_one_sample};

/// `G = diag(0.1, 0.4)` from 100 records, `B_x = 2`.
fn data() -> SuffStats {
    let records: Vec<_> = (0..100)
        .map(|i| {
            let sign = if i % 4 < 2 { 1.0 } else { -1.0 };
            if i % 2 == 0 {
                (vec![0.2f64.sqrt() * sign, 0.0], 0.3)
            } else {
                (vec![0.0, 0.8f64.sqrt() * sign], -0.2)
            }
        })
        .collect();
    stats_of(&records, 2, Bounds::new(2.0, 1.0).unwrap())
}

/// `λ̂ ~ 𝒩(λ₁, (B_x²/(n μ₁))²)` with `μ₁² = 0.1 μ²`, `c = max(c_min, λ̂ − 2 sd)`. The multiplier of
/// (1, 1e-6) is 4.2247: sd = 4/100 · √10 · 4.2247.
#[test]
fn the_smallest_eigenvalue_is_noisy_by_what_it_costs() {
    let sd = 0.04 * 10f64.sqrt() * 4.224678889326835;
    let mut rng = Insecure::seeded(12);
    for discrete in [false, true] {
        let (calibration, sd) = if discrete {
            (Calibration::Zcdp, 0.04 * 10f64.sqrt() / 0.2207078175305)
        } else {
            (Calibration::Analytic, sd)
        };
        let settings = PrivateFloor {
            discrete,
            c_min: 0.01,
            ..PrivateFloor::default()
        };
        let mut z = Vec::new();
        for _ in 0..3000 {
            let mut l = ledger(1.0, 1e-6, calibration);
            let total = l.mu_total();
            let floor =
                private_lambda_min(&data(), Neighbor::ReplaceOne, &settings, &mut l, &mut rng)
                    .unwrap();
            assert_close(floor.mu, total * 0.1f64.sqrt(), 1e-12);
            assert_close(l.remaining(), total * 0.9f64.sqrt(), 1e-12);
            let level = (floor.estimate - 2.0 * sd).max(0.01);
            assert!((floor.level - level).abs() < 1e-8);
            z.push((floor.estimate - 0.1) / sd);
        }
        let test = ks_one_sample(&z, normal_cdf).unwrap();
        assert!(test.p_value > 1e-3, "{test:?}");
    }
}

/// A pure ε in Gaussian DP: `−2Φ⁻¹(1/(1 + e^ε))`, 1.23203538534 at ε = 1 (50-digit arithmetic),
/// and back: `ln Φ(μ/2)/Φ(−μ/2)`.
#[test]
fn pure_epsilon_in_gaussian_dp() {
    assert_close(mu_of_pure(1.0), 1.23203538534, 1e-11);
    for epsilon in [1e-6, 0.1, 1.0, 5.0, 30.0] {
        assert_close(pure_of_mu(mu_of_pure(epsilon)), epsilon, 1e-9);
        // Φ(μ/2) = e^ε Φ(−μ/2).
        let mu = mu_of_pure(epsilon);
        assert_close(
            normal_cdf(mu / 2.0),
            epsilon.exp() * normal_cdf(-mu / 2.0),
            1e-8,
        );
    }
}

/// Two candidates whose fits hardly move: the pick follows `exp(ε u/(8 B_y²))`. One predicts the
/// hold-out exactly, the other 0, so that the utilities differ by the sum of squares of the
/// targets. Charged once, with the larger of both costs.
#[test]
fn selection_follows_the_exponential_mechanism() {
    // d = 1, x = 1, y = 1: α small gives β̂ ≈ 1/(1 + α), α huge gives 0.
    let n = 3 * 40;
    let x = Mat::from_fn(n, 1, |_, _| 1.0);
    let y = vec![1.0; n];
    let candidates = [RidgeSpec::new(1e-9).radius(1.0), RidgeSpec::new(1e9)];
    let draws = 4000;
    let epsilon = 0.3;
    let mut rng = Insecure::seeded(5);
    let mut first = 0;
    for _ in 0..draws {
        // A budget so large that the noise is far below 1.
        let mut l = ledger(2000.0, 0.5, Calibration::Analytic);
        let chosen = exponential_grid(
            x.as_ref(),
            &y,
            unit(),
            &candidates,
            Mu::Exact(60.0),
            Some(epsilon),
            Noise::Float,
            &mut l,
            &mut rng,
        )
        .unwrap();
        assert_eq!(l.summary().entries.len(), 1);
        assert!(matches!(l.summary().entries[0].cost, Cost::Mu(mu) if mu == 60.0));
        first += usize::from(chosen.index == 0);
    }
    // Noise of the first candidate: Δ = 2R = 2, σ = 1/30, so its mean loss is about 40 · σ²/2 … 40σ²
    // (predictions above 1 are clipped); the other loses 40. Probability 1/(1 + e^{−0.3·40/8}).
    let odds = |loss: f64| 1.0 / (1.0 + (-epsilon * (40.0 - loss) / 8.0).exp());
    let interval = clopper_pearson(first, draws, 0.999).unwrap();
    assert!(
        interval.low <= odds(0.0) && interval.high >= odds(40.0 / 900.0),
        "{interval:?} against {} … {}",
        odds(40.0 / 900.0),
        odds(0.0)
    );

    // A selection dearer than the fits is what is charged: μ of ε = 1 is 1.2320.
    let mut l = ledger(10.0, 1e-6, Calibration::Analytic);
    exponential_grid(
        x.as_ref(),
        &y,
        unit(),
        &candidates,
        Mu::Exact(0.1),
        Some(1.0),
        Noise::Float,
        &mut l,
        &mut rng,
    )
    .unwrap();
    let Cost::Mu(mu) = l.summary().entries[0].cost else {
        panic!("a selection is charged in Gaussian DP")
    };
    assert_close(mu, 1.23203538534, 1e-10);
}

/// One record that scores, however large, moves the choice by its bound only: at so small an `ε`
/// both candidates stay equally likely. Its products with noisy coefficients overflow both ways.
#[test]
fn a_huge_record_does_not_decide_the_selection() {
    let mut x = Mat::from_fn(6, 2, |_, _| 0.1);
    (x[(2, 0)], x[(2, 1)]) = (1.7e308, -1.7e308);
    let y = [0.1; 6];
    let candidates = [RidgeSpec::new(1e-4); 2];
    let mut rng = Insecure::seeded(8);
    let draws = 400;
    let mut first = 0;
    for _ in 0..draws {
        let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
        let chosen = exponential_grid(
            x.as_ref(),
            &y,
            unit(),
            &candidates,
            Mu::Rest,
            Some(1e-3),
            Noise::Float,
            &mut l,
            &mut rng,
        )
        .unwrap();
        first += usize::from(chosen.index == 0);
    }
    let interval = clopper_pearson(first, draws, 0.9999).unwrap();
    assert!(interval.low < 0.5 && interval.high > 0.5, "{interval:?}");
}

/// Each candidate is fitted on its own third, with that third's n.
#[test]
fn candidates_use_their_own_rows_only() {
    let n = 30;
    let x = Mat::from_fn(n, 1, |_, _| 1.0);
    // Part k holds targets k/4.
    let y: Vec<f64> = (0..n).map(|i| (i % 3) as f64 / 4.0).collect();
    let candidates = [RidgeSpec::new(1.0), RidgeSpec::new(1.0)];
    let mut seen = [false; 2];
    for seed in 0..40 {
        let mut l = ledger(2000.0, 0.5, Calibration::Analytic);
        let mut rng = Insecure::seeded(seed);
        let chosen = exponential_grid(
            x.as_ref(),
            &y,
            unit(),
            &candidates,
            Mu::Exact(60.0),
            Some(0.01),
            Noise::Float,
            &mut l,
            &mut rng,
        )
        .unwrap();
        seen[chosen.index] = true;
        assert_eq!(chosen.release.n, Some(10));
        let sigma = chosen.release.sigma.unwrap();
        // G = 1, b = k/4, α = 1.
        let want = chosen.index as f64 / 8.0;
        assert!((chosen.release.coef[0] - want).abs() < 6.0 * sigma);
        let value = RidgeSpec::new(1.0).sensitivity(10, &unit()).unwrap().value;
        assert_close(sigma, value / 60.0, 1e-8);
    }
    assert_eq!(seen, [true; 2], "both are picked at so small an epsilon");
}

/// The public guesses, and the penalty that they give: no penalty nearby has less risk.
#[test]
fn plug_in_minimises_the_formula() {
    let bounds = Bounds::new(2.0, 6.0).unwrap();
    let guess = PublicGuess::from_bounds(&bounds, 8, Floor::None);
    assert_eq!(
        (guess.lambda, guess.beta_norm, guess.noise_sd),
        (0.5, 3.0, 1.5)
    );
    let floor = Floor::Spectral(0.2);
    assert_eq!(PublicGuess::from_bounds(&bounds, 8, floor).lambda, 0.2);

    let s = 4.224678889326835;
    for floor in [Floor::None, floor, Floor::Shift(0.3)] {
        let spec = RidgeSpec::new(0.0).floor(floor);
        let tuned = plug_in(&guess, 5000, 8, bounds, &spec, s).unwrap();
        let problem = Problem::isotropic(5000, 8, 0.5, 3.0, 1.5, bounds);
        let risk = |alpha: f64| {
            let spec = RidgeSpec::new(alpha).floor(floor);
            let parts = decompose(&problem, &spec, s, Metric::Coefficients).unwrap();
            parts.total()
        };
        assert_close(tuned.risk.total(), risk(tuned.alpha), 1e-12);
        for i in -60..=60 {
            let other = tuned.alpha * 10f64.powf(f64::from(i) / 20.0);
            assert!(
                risk(other) >= tuned.risk.total() * (1.0 - 1e-9),
                "{floor:?}"
            );
        }
    }
}

/// The defaults: a spectral floor from a tenth of μ², the rest for the coefficients, nothing left.
#[test]
fn the_decoupled_method_spends_its_ledger_exactly() {
    let mut rng = Insecure::seeded(3);
    for (discrete, calibration) in [(false, Calibration::Analytic), (true, Calibration::Zcdp)] {
        let mut l = ledger(1.0, 1e-6, calibration);
        let total = l.mu_total();
        let method = DecoupledRidge {
            discrete,
            ..DecoupledRidge::default()
        };
        let r = method.fit_stats(&data(), &mut l, &mut rng).unwrap();
        let costs: Vec<f64> = l
            .summary()
            .entries
            .iter()
            .map(|e| match e.cost {
                Cost::Mu(mu) => mu,
                Cost::PureEpsilon(_) => f64::NAN,
            })
            .collect();
        assert_eq!(costs.len(), 2);
        assert_close(costs[0], total * 0.1f64.sqrt(), 1e-12);
        assert_close(costs[1], total * 0.9f64.sqrt(), 1e-12);
        assert!(l.remaining() < 1e-6 * total);
        // The release says what it did, and its sensitivity is that of its own specification.
        let spec = r.spec.unwrap();
        assert_eq!(
            r.sensitivity.unwrap(),
            spec.sensitivity(100, &data().bounds()).unwrap()
        );
        assert!(spec.alpha > 0.0);
    }
    // A public level needs no first release.
    let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
    let method = DecoupledRidge {
        level: Level::Public(0.05),
        alpha: Some(0.01),
        ..DecoupledRidge::default()
    };
    let r = method.fit_stats(&data(), &mut l, &mut rng).unwrap();
    assert_eq!(l.summary().entries.len(), 1);
    let spec = r.spec.unwrap();
    assert_eq!((spec.alpha, spec.floor), (0.01, Floor::Spectral(0.05)));
}
