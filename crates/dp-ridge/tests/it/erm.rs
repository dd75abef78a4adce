//! Regularised ERM: constants, solver, privacy of what is released.

mod losses;
mod separation;

use crate::support::{assert_close, budget, distance, ledger, norm, unit};
use dp_ridge::faer::{Mat, MatRef, Par};
use dp_ridge::{
    Bounds, Calibration, Clip, DpRegressor, ErmSpec, Error, Floor, GlmLoss, Huber, Insecure,
    Ledger, Logistic, Mu, Noise, PrivateErm, Relation, RidgeSpec, SmoothedHinge, Squared, Training,
};
use papercrates_numeric::streams::{Streams, normal, uniform};

fn training<'a>(x: MatRef<'a, f64>, y: &'a [f64], bounds: Bounds) -> Training<'a> {
    Training::from_rows(x, y, bounds, Clip::Clip, Par::Seq).unwrap()
}

/// `n` rows of the unit sphere, labels from a logistic model.
fn labels(n: usize, d: usize, seed: u64) -> (Mat<f64>, Vec<f64>) {
    let data = dp_ridge::synthetic::logistic_sphere(n, d, &mut Streams::new(seed).rng());
    (data.x, data.y)
}

/// Specification 7.4: `B_x = B_y = R₀ = 1`, α = 0.01.
#[test]
fn logistic_sensitivities() {
    let spec = ErmSpec::new(Logistic, 0.01, 1.0);
    let value = |spec: ErmSpec<Logistic>, n| spec.sensitivity(n, &unit()).unwrap();
    assert_close(
        value(spec.floor(0.02), 1000).value,
        0.073_220_397_774_7,
        1e-10,
    );
    assert_close(value(spec, 1000).value, 0.2, 1e-10);
    let capped = value(spec, 10);
    assert_close(capped.value, 2.0, 1e-10);
    assert!(capped.saturated && !value(spec, 1000).saturated);
}

/// Specification 7.8: `κ = σ(1)(1 − σ(1))`.
#[test]
fn logistic_curvature() {
    let spec = ErmSpec::new(Logistic, 0.01, 1.0);
    assert_close(spec.curvature(&unit()), 0.196_611_933_241, 1e-11);
}

/// Specification 2.8: squared-loss ERM is the ridge fit with `Shift(c)` and the ball, and its
/// sensitivity is never below the one that ridge proves.
#[test]
fn squared_loss_is_ridge_with_a_shift_and_a_ball() {
    let mut rng = Streams::new(1).rng();
    let (mut floors, mut balls) = (0, 0);
    for case in 0..200 {
        let (n, d) = (1 + case % 9, 1 + case % 4);
        let x = Mat::from_fn(n, d, |_, _| normal(&mut rng));
        let y: Vec<f64> = (0..n).map(|_| 2.0 * normal(&mut rng)).collect();
        let bounds = Bounds::new(1.5, 1.2).unwrap();
        let alpha = 0.01 + uniform(&mut rng);
        let c = 2.0 * uniform(&mut rng);
        let radius = 0.1 + uniform(&mut rng);
        let data = training(x.as_ref(), &y, bounds);
        let erm = ErmSpec::new(Squared, alpha, radius).floor(c);
        let ridge = RidgeSpec::new(alpha).floor(Floor::Shift(c)).radius(radius);
        let by_newton = erm.solve(&data, Par::Seq).unwrap();
        let by_eigen = ridge.solve(data.stats()).unwrap();
        assert!(distance(&by_newton.coef, &by_eigen.coef) < 1e-10);
        assert_eq!(by_newton.floor_active, by_eigen.floor_active);
        floors += usize::from(by_newton.floor_active);
        balls += usize::from(by_newton.ball_active);
        let loose = erm.sensitivity(n as u64, &bounds).unwrap().value;
        let tight = ridge.sensitivity(n as u64, &bounds).unwrap().value;
        assert!(loose >= tight * (1.0 - 1e-12), "{loose} < {tight}");
    }
    assert!((20..200).contains(&floors) && (20..200).contains(&balls));
}

/// One constant feature, a share `p` of ones: the minimiser solves `σ(θ) − p + (α + τ)θ = 0`, so
/// `α = (p − σ(θ))/θ − τ` puts it at a `θ` of our choice.
#[test]
fn logistic_minimiser_in_one_dimension() {
    let sigmoid = |t: f64| 1.0 / (1.0 + (-t).exp());
    let x = Mat::from_fn(4, 1, |_, _| 1.0);
    let y = [1.0, 1.0, 0.0, 1.0];
    let data = training(x.as_ref(), &y, unit());
    let theta = 0.5;
    let ridge = (0.75 - sigmoid(theta)) / theta;
    let fit = ErmSpec::new(Logistic, ridge, 1.0)
        .solve(&data, Par::Seq)
        .unwrap();
    assert_close(fit.coef[0], theta, 1e-9);
    assert!(!fit.ball_active && fit.multiplier == 0.0 && !fit.floor_active);

    // λ₁(G) = 1, so a floor of κ + 0.05 lifts the penalty by 0.05.
    let kappa = sigmoid(1.0) * (1.0 - sigmoid(1.0));
    let spec = ErmSpec::new(Logistic, ridge - 0.05, 1.0).floor(kappa + 0.05);
    let fit = spec.solve(&data, Par::Seq).unwrap();
    assert_close(fit.coef[0], theta, 1e-9);
    assert!(fit.floor_active);

    // In a ball that does not reach it, the multiplier balances the gradient there.
    let fit = ErmSpec::new(Logistic, ridge, 0.3)
        .solve(&data, Par::Seq)
        .unwrap();
    assert_close(fit.coef[0], 0.3, 1e-12);
    assert!(fit.ball_active);
    assert_close(fit.multiplier, (0.75 - sigmoid(0.3)) / 0.3 - ridge, 1e-9);
}

/// Karush, Kuhn and Tucker: feasible, `ν ≥ 0`, `ν = 0` inside, `‖∇F + νθ‖ ≤ g`, for each loss and
/// with gradients summed here row by row.
#[test]
fn minimisers_satisfy_the_optimality_conditions() {
    fn check<L: GlmLoss + Copy>(loss: L, alpha: f64, radius: f64, active: &mut usize) {
        let (x, y) = labels(700, 3, 5);
        let data = training(x.as_ref(), &y, unit());
        let fit = ErmSpec::new(loss, alpha, radius)
            .solve(&data, Par::Seq)
            .unwrap();
        let mut gradient: Vec<f64> = fit
            .coef
            .iter()
            .map(|t| (alpha + fit.multiplier) * t)
            .collect();
        for (i, y) in y.iter().enumerate() {
            let t: f64 = (0..3).map(|j| x[(i, j)] * fit.coef[j]).sum();
            for j in 0..3 {
                gradient[j] += loss.d1(t, *y) * x[(i, j)] / 700.0;
            }
        }
        assert!(norm(&gradient) <= 1.01e-10, "{}", norm(&gradient));
        assert!(norm(&fit.coef) <= radius && fit.multiplier >= 0.0);
        assert!(fit.multiplier == 0.0 || norm(&fit.coef) >= radius * (1.0 - 1e-14));
        *active += usize::from(fit.ball_active);
    }
    let mut active = 0;
    for (alpha, radius) in [(1e-3, 0.2), (1e-3, 20.0), (0.1, 0.05), (0.1, 2.0)] {
        check(Logistic, alpha, radius, &mut active);
        check(Huber { h: 0.3 }, alpha, radius, &mut active);
        check(SmoothedHinge { h: 0.5 }, alpha, radius, &mut active);
        check(Squared, alpha, radius, &mut active);
    }
    assert!((4..=12).contains(&active), "{active}");
}

/// Same bits on any number of threads; row-major input gives the same fit.
#[test]
fn solver_does_not_depend_on_threads() {
    let (x, y) = labels(20_000, 4, 9);
    let rows: Vec<f64> = (0..x.nrows())
        .flat_map(|i| (0..4).map(move |j| (i, j)))
        .map(|(i, j)| x[(i, j)])
        .collect();
    let spec = ErmSpec::new(Logistic, 1e-3, 5.0);
    let column_major = training(x.as_ref(), &y, unit());
    let sequential = spec.solve(&column_major, Par::Seq).unwrap().coef;
    for threads in [2, 3, 7] {
        let parallel = spec.solve(&column_major, Par::rayon(threads)).unwrap().coef;
        assert_eq!(sequential, parallel);
    }
    let row_major = MatRef::from_row_major_slice(&rows, x.nrows(), 4);
    let fit = spec
        .solve(&training(row_major, &y, unit()), Par::Seq)
        .unwrap();
    assert!(distance(&sequential, &fit.coef) < 1e-9);
}

/// Rows longer than `B_x` count as their projection, as in the sums.
#[test]
fn rows_are_clipped() {
    let x = Mat::from_fn(3, 2, |i, j| [[3.0, 4.0], [0.0, 0.5], [-6.0, 8.0]][i][j]);
    let clipped = Mat::from_fn(3, 2, |i, j| [[0.6, 0.8], [0.0, 0.5], [-0.6, 0.8]][i][j]);
    let y = [1.0, 0.0, 1.0];
    let spec = ErmSpec::new(Logistic, 0.1, 5.0);
    let a = spec
        .solve(&training(x.as_ref(), &y, unit()), Par::Seq)
        .unwrap();
    let b = spec
        .solve(&training(clipped.as_ref(), &y, unit()), Par::Seq)
        .unwrap();
    assert!(distance(&a.coef, &b.coef) < 1e-9);
}

/// No replace-one neighbour moves the exact minimiser by more than `Δ`, with the floor and
/// without; the worst pair comes close enough to show that the bound is not vacuous.
#[test]
fn no_neighbour_moves_the_minimiser_further_than_the_bound() {
    let mut rng = Streams::new(12).rng();
    let mut worst = [0.0f64; 2];
    for case in 0..1500 {
        let (n, d) = (1 + case % 4, 1 + case % 2);
        // Mostly rows at the bound or zero, so that one record counts.
        let mut record = || {
            let quiet = uniform(&mut rng) < 0.5;
            let mut row: Vec<f64> = (0..d).map(|_| normal(&mut rng)).collect();
            let scale = if quiet { 0.0 } else { 1.0 / norm(&row) };
            row.iter_mut().for_each(|v| *v *= scale);
            (row, f64::from(uniform(&mut rng) < 0.5))
        };
        let mut records: Vec<(Vec<f64>, f64)> = (0..n).map(|_| record()).collect();
        let other = record();
        let with_floor = case % 3 != 0;
        let spec = ErmSpec::new(
            Logistic,
            0.05 + 2.0 * uniform(&mut rng),
            0.5 + 4.0 * uniform(&mut rng),
        );
        let kappa = spec.curvature(&unit());
        let spec = if with_floor {
            spec.floor(kappa * uniform(&mut rng) + 1e-3)
        } else {
            spec
        };
        let solve = |records: &[(Vec<f64>, f64)]| {
            let x = Mat::from_fn(n, d, |i, j| records[i].0[j]);
            let y: Vec<f64> = records.iter().map(|r| r.1).collect();
            spec.solve(&training(x.as_ref(), &y, unit()), Par::Seq)
                .unwrap()
                .coef
        };
        let before = solve(&records);
        records[0] = other;
        let ratio = distance(&before, &solve(&records))
            / spec.sensitivity(n as u64, &unit()).unwrap().value;
        assert!(ratio <= 1.0 + 1e-8, "case {case}: {ratio}");
        worst[usize::from(with_floor)] = worst[usize::from(with_floor)].max(ratio);
    }
    assert!(worst.iter().all(|w| *w > 0.4), "{worst:?}");
}

/// The noise pays for the solver: `σ = (Δ + 2g/(c + α))/μ`, and the coefficients scatter by it.
#[test]
fn releases_pay_for_inexactness() {
    let (x, y) = labels(100, 2, 3);
    let data = training(x.as_ref(), &y, unit());
    let spec = ErmSpec::new(Logistic, 0.5, 1.0).floor(0.01).grad_tol(1e-2);
    let plain = spec.sensitivity(100, &unit()).unwrap().value;
    let paid = plain + 2.0 * 1e-2 / 0.51;
    assert_close(
        spec.solver_sensitivity(100, &unit()).unwrap().value,
        paid,
        1e-12,
    );

    let fit = spec.solve(&data, Par::Seq).unwrap().coef;
    let mut rng = Insecure::seeded(4);
    let draws = 3000;
    let mut squares = 0.0;
    for _ in 0..draws {
        let mut ledger = ledger(1.0, 1e-6, Calibration::Analytic);
        let mu = ledger.mu_total();
        let release = PrivateErm::new(spec)
            .fit(&data, &mut ledger, &mut rng)
            .unwrap();
        assert_close(release.sigma.unwrap(), paid / mu, 1e-8);
        assert_eq!(ledger.remaining(), 0.0);
        assert!(release.reproducible_not_private && release.n == Some(100));
        squares += distance(&release.coef, &fit).powi(2);
    }
    // 6000 normals: the standard error of the variance is 1.8 %.
    assert_close(
        squares / (2.0 * f64::from(draws)),
        (paid / 0.236_704_380_663).powi(2),
        0.08,
    );
}

/// Discrete noise goes through the same rounding as ridge: multiples of the grid, zCDP only.
#[test]
fn discrete_releases_need_zcdp() {
    let (x, y) = labels(100, 2, 3);
    let data = training(x.as_ref(), &y, unit());
    let erm = PrivateErm {
        noise: Noise::Discrete { log2_grid: -10 },
        share: Mu::Fraction(0.5),
        ..PrivateErm::new(ErmSpec::new(Logistic, 0.5, 1.0))
    };
    let mut rng = Insecure::seeded(4);
    let mut wrong = ledger(1.0, 1e-6, Calibration::Analytic);
    let refused = erm.fit(&data, &mut wrong, &mut rng);
    assert!(matches!(refused, Err(Error::CalibrationMismatch { .. })));
    assert!(wrong.summary().entries.is_empty());
    let mut right = ledger(1.0, 1e-6, Calibration::Zcdp);
    let release = erm.fit(&data, &mut right, &mut rng).unwrap();
    assert!(release.coef.iter().all(|c| (c * 1024.0).fract() == 0.0));
    assert_close(right.remaining(), right.mu_total() * 0.5f64.sqrt(), 1e-12);
}

#[test]
fn refusals_spend_nothing() {
    let (x, y) = labels(50, 2, 3);
    let data = training(x.as_ref(), &y, unit());
    let mut rng = Insecure::seeded(1);
    let mut open = ledger(1.0, 1e-6, Calibration::Analytic);
    let spec = ErmSpec::new(Logistic, 0.1, 1.0);
    let mut refuse = |spec: ErmSpec<Logistic>, data: &Training<'_>| {
        PrivateErm::new(spec)
            .fit(data, &mut open, &mut rng)
            .unwrap_err()
    };
    // A gradient that double precision cannot reach.
    let error = refuse(spec.grad_tol(1e-300), &data);
    assert!(
        matches!(error, Error::NoConvergence { target: 1e-300, .. }),
        "{error}"
    );
    let error = refuse(ErmSpec { alpha: 0.0, ..spec }, &data);
    assert_eq!(error, Error::UnboundedSensitivity);
    for bad in [
        ErmSpec {
            alpha: -1.0,
            ..spec
        },
        ErmSpec {
            alpha: f64::NAN,
            ..spec
        },
        ErmSpec {
            radius: 0.0,
            ..spec
        },
        ErmSpec {
            floor: f64::INFINITY,
            ..spec
        },
        ErmSpec {
            grad_tol: 0.0,
            ..spec
        },
    ] {
        assert!(matches!(
            refuse(bad, &data),
            Error::NegativeParameter { .. }
        ));
    }
    let sums_only = Training::from_stats(data.stats().clone());
    assert_eq!(
        refuse(spec, &sums_only),
        Error::RowsNeeded { method: "ERM" }
    );
    let signs: Vec<f64> = y.iter().map(|y| 2.0 * y - 1.0).collect();
    let first = signs.iter().position(|y| *y < 0.0).unwrap() as u64;
    let error = refuse(spec, &training(x.as_ref(), &signs, unit()));
    assert_eq!(
        error,
        Error::BadLabel {
            row: first,
            value: -1.0,
            y_abs: 1.0
        }
    );
    let narrow = Bounds::new(1.0, 0.5).unwrap();
    assert!(matches!(
        refuse(spec, &training(x.as_ref(), &y, narrow)),
        Error::BadLabel { value: 1.0, .. }
    ));
    assert!(open.summary().entries.is_empty());

    let mut add_remove = Ledger::open(
        budget(1.0, 1e-6),
        Calibration::Analytic,
        Relation::AddRemove,
    )
    .unwrap();
    let error = PrivateErm::new(spec)
        .fit(&data, &mut add_remove, &mut rng)
        .unwrap_err();
    let expected = Relation::ReplaceOne;
    assert!(
        matches!(error, Error::NeighborMismatch { expected: e, got: Relation::AddRemove, .. } if e == expected)
    );

    // Losses without curvature cannot have a floor.
    let flat = ErmSpec::new(SmoothedHinge { h: 0.5 }, 0.1, 1.0).floor(0.01);
    assert_eq!(
        flat.sensitivity(50, &unit()),
        Err(Error::CurvatureZero { floor: 0.01 })
    );
    let flat = ErmSpec::new(Huber { h: 1.0 }, 0.1, 1.0).floor(0.01);
    assert_eq!(
        flat.sensitivity(50, &unit()),
        Err(Error::CurvatureZero { floor: 0.01 })
    );
    let bad = ErmSpec::new(Huber { h: f64::NAN }, 0.1, 1.0);
    assert!(matches!(
        bad.sensitivity(50, &unit()),
        Err(Error::NegativeParameter { name: "h", .. })
    ));
}
