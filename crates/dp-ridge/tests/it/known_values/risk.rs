//! The risk formula at `λ = (¼, 1)`, `β* = (1, 1)`, `σ_ξ² = 0.04`, n = 100, budget (1, 1e-6),
//! `B_x = B_y = 1`, α = ¼, in 50-digit arithmetic; then against simulation.

use crate::support::{assert_close, unit};
use dp_ridge::risk::{Metric, Problem, decompose, isotropic, optimum, separation};
use dp_ridge::{Bounds, Floor, Neighbor, RidgeSpec};
use papercrates_numeric::streams::{Streams, normal};

/// Analytic multiplier at (1, 1e-6).
const S: f64 = 4.224678889326835;

fn problem() -> Problem {
    Problem {
        n: 100,
        eigenvalues: vec![0.25, 1.0],
        beta: vec![1.0, 1.0],
        noise_variance: 0.04,
        bounds: unit(),
    }
}

/// Floor; bias², variance and DP variance of the coefficients; the same of predictions; Δ.
const TABLE: [(Floor, [f64; 3], [f64; 3], f64); 3] = [
    (
        Floor::Spectral(0.5),
        [0.484444444444, 0.000433777777778, 0.0705102685153],
        [0.151111111111, 0.000300444444444, 0.044068917822],
        0.0444444444444,
    ),
    (
        Floor::Shift(0.5),
        [0.555555555556, 0.000355555555556, 0.0958109400404],
        [0.222222222222, 0.000222222222222, 0.0598818375252],
        0.0518082411089,
    ),
    (
        Floor::None,
        [0.29, 0.000656, 0.385514893107],
        [0.1025, 0.000356, 0.240946808192],
        0.103923048454,
    ),
];

#[test]
fn three_parts() {
    for (floor, coefficients, prediction, sensitivity) in TABLE {
        let spec = RidgeSpec::new(0.25).floor(floor);
        assert_close(
            spec.sensitivity(100, &unit()).unwrap().value,
            sensitivity,
            1e-11,
        );
        for (metric, want) in [
            (Metric::Coefficients, coefficients),
            (Metric::Prediction, prediction),
        ] {
            let got = decompose(&problem(), &spec, S, metric).unwrap();
            assert_close(got.bias_squared, want[0], 1e-11);
            assert_close(got.variance, want[1], 1e-11);
            assert_close(got.dp_variance, want[2], 1e-11);
            assert_close(got.total(), want.iter().sum(), 1e-11);
        }
    }
}

/// 10⁵ draws of ξ and of the privacy noise. The fit is linear in `Xᵀy`, so that two fits of the
/// library give the whole map. Within 1 % (standard error about 0.3 %).
#[test]
fn simulation_agrees() {
    // 50 rows (√½, 0) and 50 rows (0, √2): G = diag(¼, 1) with n = 100.
    let bounds = Bounds::new(2.0, 1e3).unwrap();
    let gram = dp_ridge::faer::Mat::from_fn(2, 2, |i, j| match (i, j) {
        (0, 0) => 25.0,
        (1, 1) => 100.0,
        _ => 0.0,
    });
    for (floor, ..) in TABLE {
        let spec = RidgeSpec::new(0.25).floor(floor);
        let column = |b: [f64; 2]| {
            let xty = b.map(|v| 100.0 * v);
            let stats =
                dp_ridge::SuffStats::from_sums(bounds, 100, gram.as_ref(), &xty, 1e5, (0, 0));
            spec.solve(&stats.unwrap()).unwrap().coef
        };
        let (first, second) = (column([1.0, 0.0]), column([0.0, 1.0]));
        let sigma = spec.sensitivity(100, &unit()).unwrap().value * S;
        let mut rng = Streams::new(4).child("risk").rng();
        let (mut coefficients, mut prediction) = (0.0, 0.0);
        let draws = 100_000;
        for _ in 0..draws {
            // b = Gβ* + Xᵀξ/n, and Xᵀξ/n ~ 𝒩(0, σ_ξ² G/n).
            let b = [
                0.25 + (0.04f64 * 0.25 / 100.0).sqrt() * normal(&mut rng),
                1.0 + (0.04f64 / 100.0).sqrt() * normal(&mut rng),
            ];
            for j in 0..2 {
                let fit = first[j] * b[0] + second[j] * b[1];
                let error = fit + sigma * normal(&mut rng) - 1.0;
                coefficients += error * error;
                prediction += [0.25, 1.0][j] * error * error;
            }
        }
        for (metric, total) in [
            (Metric::Coefficients, coefficients),
            (Metric::Prediction, prediction),
        ] {
            let formula = decompose(&problem(), &spec, S, metric).unwrap().total();
            assert_close(total / f64::from(draws), formula, 0.01);
        }
    }
}

/// d = 10, λ = 0.1, B = ½, σ_ξ² = 0.01, n = 10⁴, K = 2 + √2, budget (1, 1e-6).
#[test]
fn isotropic_optimum_in_closed_form() {
    let k = 2.0 + 2f64.sqrt();
    let best = isotropic(10_000, 10, 0.1, 0.5, 0.01, k, S);
    assert_close(best.v, 2.18050505554e-5, 1e-11);
    assert_close(best.kappa, 0.100436101011, 1e-11);
    assert_close(best.risk, 0.00217103714061, 1e-11);
    assert_close(best.floor, 0.1, 1e-15);
    assert_close(best.alpha, best.v / 0.05, 1e-14);
    // No privacy: the classical penalty dσ²/(nB). All privacy: the risk of answering 0.
    let classical = isotropic(10_000, 10, 0.1, 0.5, 0.01, k, 0.0);
    assert_close(classical.alpha, 10.0 * 0.01 / (10_000.0 * 0.5), 1e-12);
    assert_close(
        isotropic(10_000, 10, 0.1, 0.5, 0.01, k, 1e9).risk,
        0.5,
        1e-6,
    );

    let s = separation(10_000, 10, 0.1, 0.5, k, S);
    assert_close(s.single_alpha, 0.025398010171, 1e-10);
    assert_close(s.single, 0.0645058920648, 1e-11);
    assert_close(s.decoupled, 0.00208050505554, 1e-11);
    // The gain grows linearly in n.
    let t = separation(100_000, 10, 0.1, 0.5, k, S);
    assert_close(t.single / t.decoupled, 10.0 * s.single / s.decoupled, 1e-12);
}

/// "Free floor": up to λ₁ a floor changes neither bias nor variance, and the DP term falls.
#[test]
fn a_floor_below_the_spectrum_is_free() {
    let at = |c: f64| {
        let spec = RidgeSpec::new(0.25).floor(Floor::Spectral(c));
        decompose(&problem(), &spec, S, Metric::Coefficients).unwrap()
    };
    let mut before = at(1e-3);
    for i in 1..=25 {
        let here = at(f64::from(i) * 0.01);
        assert_eq!(here.bias_squared, before.bias_squared);
        assert_eq!(here.variance, before.variance);
        assert!(here.dp_variance < before.dp_variance);
        before = here;
    }
    assert!(at(0.3).bias_squared > before.bias_squared);
}

/// The search covers "no floor", so two parameters are never worse than one. An exact inequality.
#[test]
fn two_parameters_are_never_worse_than_one() {
    let mut rng = Streams::new(8).child("problems").rng();
    for i in 0..60 {
        let d = 1 + i % 5;
        let mut eigenvalues: Vec<f64> = (0..d)
            .map(|_| (3.0 * normal(&mut rng) - 4.0).exp().min(1.0) / d as f64)
            .collect();
        eigenvalues.sort_by(f64::total_cmp);
        let problem = Problem {
            n: 10u64.pow(1 + (i % 7) as u32),
            beta: (0..d).map(|_| normal(&mut rng)).collect(),
            eigenvalues,
            noise_variance: 0.1,
            bounds: unit(),
        };
        let metric = [Metric::Coefficients, Metric::Prediction][i % 2];
        let neighbor = [
            Neighbor::ReplaceOne,
            Neighbor::AddRemove {
                n_nominal: problem.n,
                n_max: 2 * problem.n,
            },
        ][i / 2 % 2];
        let best = |kind| {
            optimum(&problem, kind, neighbor, None, S, metric)
                .unwrap()
                .risk
                .total()
        };
        let single = best(Floor::None);
        for kind in [Floor::Spectral(0.0), Floor::Shift(0.0)] {
            let decoupled = best(kind);
            assert!(
                decoupled <= single,
                "{decoupled} above {single}: {problem:?}"
            );
        }
    }
}
