//! Every refusal of the library names the value, the limit and the remedy, and spends nothing.

use crate::support::{budget, ledger, one_loud_record, stats_of, unit};
use dp_ridge::faer::{Mat, MatRef, Par};
use dp_ridge::risk::{Metric, Problem, decompose};
use dp_ridge::tune::{PrivateFloor, PublicGuess, exponential_grid, private_lambda_min};
use dp_ridge::{
    Bounds, Budget, Calibration, Clip, DecoupledRidge, DiscreteGaussian, Error, Floor, Insecure,
    Ledger, Limits, Mu, Neighbor, Noise, Relation, RidgeSpec, SuffStats, Training, release,
};

/// The message holds all of these.
#[track_caller]
fn says(error: &Error, parts: &[&str]) {
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}

fn data() -> SuffStats {
    stats_of(&[(vec![0.5, 0.2], 0.4), (vec![-0.1, 0.9], -0.3)], 2, unit())
}

fn nominal(n_nominal: u64, n_max: u64) -> Neighbor {
    Neighbor::AddRemove { n_nominal, n_max }
}

#[test]
fn bounds() {
    for (x_norm, y_abs, name) in [
        (0.0, 1.0, "x_norm"),
        (-1.0, 1.0, "x_norm"),
        (f64::NAN, 1.0, "x_norm"),
        (f64::INFINITY, 1.0, "x_norm"),
        (1.0, 0.0, "y_abs"),
        (1.0, f64::NAN, "y_abs"),
    ] {
        let error = Bounds::new(x_norm, y_abs).unwrap_err();
        let value = if name == "x_norm" { x_norm } else { y_abs };
        says(
            &error,
            &[
                name,
                &value.to_string(),
                "positive and finite",
                "public knowledge",
            ],
        );
        let raw = Bounds { x_norm, y_abs };
        assert!(SuffStats::new(1, raw, Clip::Clip).is_err());
        assert!(RidgeSpec::new(1.0).sensitivity(10, &raw).is_err());
    }
    for (lower, upper) in [(2.0, 2.0), (0.0, 1e-200), (-1e200, 0.0), (0.0, f64::NAN)] {
        let error = Limits::new(lower, upper).unwrap_err();
        assert!(matches!(error, Error::BadBounds { .. }));
    }
}

#[test]
fn shapes() {
    let error = SuffStats::new(0, unit(), Clip::Clip).unwrap_err();
    assert!(matches!(
        error,
        Error::DimensionMismatch {
            expected: 1,
            got: 0,
            ..
        }
    ));
    let error = SuffStats::new(20_001, unit(), Clip::Clip).unwrap_err();
    says(&error, &["20001", "20000", "select features"]);
    assert!(matches!(
        SuffStats::new(usize::MAX, unit(), Clip::Clip),
        Err(Error::TooManyFeatures { .. })
    ));

    let mut stats = data();
    let error = stats.push(&[0.1, 0.2, 0.3], 0.0).unwrap_err();
    says(&error, &["row 2", "3 values", "2 are expected"]);
    let x = Mat::<f64>::zeros(4, 3);
    let error = stats
        .push_batch(x.as_ref(), &[0.0; 4], Par::Seq)
        .unwrap_err();
    assert_eq!(
        error,
        Error::DimensionMismatch {
            expected: 2,
            got: 3,
            row: 0
        }
    );
    let x = Mat::<f64>::zeros(4, 2);
    let error = stats
        .push_batch(x.as_ref(), &[0.0; 3], Par::Seq)
        .unwrap_err();
    assert!(matches!(
        error,
        Error::DimensionMismatch {
            expected: 4,
            got: 3,
            ..
        }
    ));
    assert_eq!(stats.n(), 2);

    let other = stats_of(&[], 3, unit());
    assert!(matches!(
        stats.clone().merge(&other),
        Err(Error::DimensionMismatch {
            expected: 2,
            got: 3,
            ..
        })
    ));
    let wider = stats_of(&[], 2, Bounds::new(2.0, 1.0).unwrap());
    says(
        &stats.merge(&wider).unwrap_err(),
        &["x_norm", "2", "same bounds"],
    );

    let fit = RidgeSpec::new(1.0).solve(&data()).unwrap();
    assert!(matches!(
        fit.predict(&[1.0]),
        Err(Error::DimensionMismatch {
            expected: 2,
            got: 1,
            ..
        })
    ));
}

#[test]
fn records() {
    let mut stats = data();
    for (row, y, col) in [
        ([f64::NAN, 0.0], 0.0, 0),
        ([0.0, f64::INFINITY], 0.0, 1),
        ([0.0, 0.0], f64::NAN, 2),
        ([0.5, 0.5], f64::NEG_INFINITY, 2),
    ] {
        let error = stats.push(&row, y).unwrap_err();
        assert_eq!(error, Error::NonFinite { row: 2, col });
        says(
            &error,
            &["row 2", &format!("column {col}"), "remove or impute"],
        );
    }
    assert_eq!(stats.n(), 2);

    let mut strict = SuffStats::new(2, unit(), Clip::Reject).unwrap();
    strict.push(&[0.6, 0.8], 1.0).unwrap();
    let error = strict.push(&[3.0, 4.0], 0.0).unwrap_err();
    says(&error, &["row 1", "norm 5", "bound 1", "Clip::Clip"]);
    let error = strict.push(&[0.1, 0.1], -1.5).unwrap_err();
    says(&error, &["|y| 1.5", "bound 1"]);
    assert_eq!(strict.n(), 1);
}

#[test]
fn impossible_sums() {
    let sums = |n, gram: [[f64; 2]; 2], xty: [f64; 2], yy, clipped| {
        let gram = Mat::from_fn(2, 2, |i, j| gram[i][j]);
        SuffStats::from_sums(unit(), n, gram.as_ref(), &xty, yy, clipped)
    };
    let good = [[1.0, 0.1], [0.1, 1.0]];
    assert!(sums(4, good, [0.5, 0.0], 1.0, (1, 0)).is_ok());
    for (what, result) in [
        ("trace", sums(1, good, [0.5, 0.0], 1.0, (0, 0))),
        ("yᵀy", sums(4, good, [0.5, 0.0], 4.1, (0, 0))),
        ("minus yᵀy", sums(4, good, [0.0, 0.0], -1.0, (0, 0))),
        (
            "eigenvalue",
            sums(4, [[1.0, 1.5], [1.5, 1.0]], [0.0, 0.0], 1.0, (0, 0)),
        ),
        ("eigenvalue", sums(4, good, [3.0, 0.0], 1.0, (0, 0))),
        ("clipped rows", sums(4, good, [0.5, 0.0], 1.0, (5, 0))),
        ("clipped targets", sums(4, good, [0.5, 0.0], 1.0, (0, 5))),
    ] {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::BadStatistics { .. }));
        says(&error, &[what, "limit", "same bounds and clipping"]);
    }
    for result in [
        sums(4, [[f64::NAN, 0.0], [0.0, 1.0]], [0.0; 2], 1.0, (0, 0)),
        sums(4, good, [f64::INFINITY, 0.0], 1.0, (0, 0)),
        sums(4, good, [0.0; 2], f64::NAN, (0, 0)),
    ] {
        assert!(matches!(result, Err(Error::NonFinite { .. })));
    }
    let gram = Mat::<f64>::zeros(2, 3);
    assert!(matches!(
        SuffStats::from_sums(unit(), 1, gram.as_ref(), &[0.0; 2], 0.0, (0, 0)),
        Err(Error::DimensionMismatch { .. })
    ));
}

#[test]
fn specifications() {
    for (spec, name, value) in [
        (RidgeSpec::new(-1.0), "alpha", "-1"),
        (RidgeSpec::new(f64::NAN), "alpha", "NaN"),
        (RidgeSpec::new(f64::INFINITY), "alpha", "inf"),
        (
            RidgeSpec::new(1.0).floor(Floor::Shift(-0.5)),
            "floor",
            "-0.5",
        ),
        (
            RidgeSpec::new(1.0).floor(Floor::Spectral(f64::NAN)),
            "floor",
            "NaN",
        ),
        (RidgeSpec::new(1.0).radius(0.0), "radius", "0"),
        (RidgeSpec::new(1.0).radius(f64::INFINITY), "radius", "inf"),
        (
            RidgeSpec::new(1.0).neighbor(nominal(0, 5)),
            "n_nominal",
            "0",
        ),
        (RidgeSpec::new(1.0).neighbor(nominal(5, 4)), "n_max", "4"),
    ] {
        for error in [
            spec.sensitivity(100, &unit()).unwrap_err(),
            spec.solve(&data()).unwrap_err(),
        ] {
            assert!(
                matches!(error, Error::NegativeParameter { .. }),
                "{error:?}"
            );
            says(&error, &[name, value, "choose a value inside"]);
        }
    }
    for spec in [
        RidgeSpec::new(0.0),
        RidgeSpec::new(0.0).floor(Floor::Spectral(0.0)),
        RidgeSpec::new(0.0).floor(Floor::Shift(0.0)).radius(1.0),
    ] {
        let error = spec.solve(&data()).unwrap_err();
        assert_eq!(error, Error::UnboundedSensitivity);
        says(&error, &["alpha + c = 0", "alpha > 0 or a floor c > 0"]);
    }
}

#[test]
fn no_rows() {
    let empty = stats_of(&[], 2, unit());
    let spec = RidgeSpec::new(1.0);
    let error = spec.solve(&empty).unwrap_err();
    assert_eq!(error, Error::EmptyData);
    says(&error, &["no rows", "add/remove"]);
    assert_eq!(spec.sensitivity(0, &unit()), Err(Error::EmptyData));
    // Under add/remove an empty set is a data set like any other.
    let spec = spec.neighbor(nominal(5, 5));
    let mut l = Ledger::open(
        budget(1.0, 1e-6),
        Calibration::Analytic,
        Relation::AddRemove,
    )
    .unwrap();
    let mut rng = Insecure::seeded(1);
    let r = release(&spec, &empty, Mu::Rest, Noise::Float, &mut l, &mut rng).unwrap();
    assert_eq!((r.coef.len(), r.n), (2, None));
}

#[test]
fn budgets_and_shares() {
    let error = Budget::new(0.0, 1e-6).unwrap_err();
    says(&error, &["epsilon = 0", "(0, infinity)", "such as 1"]);
    let error = Budget::new(1.0, 1.0).unwrap_err();
    says(&error, &["delta = 1", "(0, 1)", "such as 1e-6"]);
    let error = Ledger::open(
        budget(2.0, 1e-6),
        Calibration::Classic,
        Relation::ReplaceOne,
    )
    .unwrap_err();
    says(&error, &["epsilon <= 1", "2", "Calibration::Analytic"]);

    let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
    for share in [
        Mu::Exact(0.0),
        Mu::Exact(-0.1),
        Mu::Exact(f64::NAN),
        Mu::Exact(f64::INFINITY),
        // Its square is 0: it would be free.
        Mu::Exact(1e-170),
        Mu::Fraction(0.0),
        Mu::Fraction(1.0 + 1e-12),
        Mu::Fraction(f64::NAN),
    ] {
        let error = l.spend_mu("x", share).unwrap_err();
        assert!(
            matches!(error, Error::NegativeParameter { .. }),
            "{share:?}"
        );
    }
    let error = l.spend_mu("x", Mu::Exact(0.5)).unwrap_err();
    says(&error, &["0.2367", "0.5", "mu", "smaller share"]);
    assert!(matches!(
        l.spend_mu("x", Mu::Exact(1e200)),
        Err(Error::BudgetExceeded { .. })
    ));
    for epsilon in [0.0, -0.5, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            l.spend_pure("x", epsilon),
            Err(Error::BadBudget { .. })
        ));
    }
    let error = l.spend_pure("x", 1.5).unwrap_err();
    says(&error, &["1 left in epsilon", "1.5"]);
    assert!(l.summary().entries.is_empty());
    assert!(matches!(l.epsilon_at(0.0), Err(Error::BadBudget { .. })));
}

/// A refused release leaves the ledger as it was.
#[test]
fn releases() {
    let spec = RidgeSpec::new(0.5);
    let mut rng = Insecure::seeded(1);
    let mut refuse = |spec: &RidgeSpec, share, noise, calibration| {
        let mut l = ledger(1.0, 1e-6, calibration);
        let before = l.clone();
        let error = release(spec, &data(), share, noise, &mut l, &mut rng).unwrap_err();
        assert_eq!(l, before);
        error
    };
    let discrete = |log2_grid| Noise::Discrete { log2_grid };
    let error = refuse(&spec, Mu::Rest, discrete(-20), Calibration::Analytic);
    says(&error, &["discrete noise", "Calibration::Zcdp"]);
    let error = refuse(
        &spec.neighbor(nominal(2, 2)),
        Mu::Rest,
        Noise::Float,
        Calibration::Analytic,
    );
    assert!(matches!(error, Error::NeighborMismatch { .. }));
    says(&error, &["ReplaceOne", "AddRemove", "one relation"]);
    let error = refuse(&spec, Mu::Exact(9.0), Noise::Float, Calibration::Analytic);
    assert!(matches!(error, Error::BudgetExceeded { .. }));
    for log2_grid in [-60, -2000, i32::MIN, 2000, i32::MAX] {
        let error = refuse(&spec, Mu::Rest, discrete(log2_grid), Calibration::Zcdp);
        assert!(matches!(error, Error::BadGrid { .. }), "{error:?}");
        says(&error, &[&format!("2^{log2_grid}"), "use a grid near 2^"]);
    }
    let error = refuse(
        &RidgeSpec::new(0.0),
        Mu::Rest,
        Noise::Float,
        Calibration::Analytic,
    );
    assert_eq!(error, Error::UnboundedSensitivity);

    // Noise that overflows would cost budget and give no coefficients.
    let wide = stats_of(&[(vec![1.0], 1.0)], 1, Bounds::new(1.0, 1e150).unwrap());
    let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
    let (tiny, share) = (RidgeSpec::new(1e-20), Mu::Exact(1e-149));
    let error = release(&tiny, &wide, share, Noise::Float, &mut l, &mut rng).unwrap_err();
    says(&error, &["mu", "finite noise"]);
    assert!(l.summary().entries.is_empty());

    let r = release(&spec, &data(), Mu::Rest, Noise::Float, &mut l, &mut rng).unwrap();
    for level in [0.0, 1.0, -0.1, f64::NAN] {
        assert!(matches!(
            r.ci_noise(level),
            Err(Error::NegativeParameter { .. })
        ));
    }
    assert!(r.predict(&[0.0; 5]).is_err());
}

#[test]
fn discrete_parameters() {
    for (numerator, denominator, name) in [
        (0, 1, "numerator"),
        ((1 << 52) + 1, 1, "numerator"),
        (u64::MAX, 1, "numerator"),
        (1, 0, "denominator"),
        (1, (1 << 20) + 1, "denominator"),
    ] {
        let error = DiscreteGaussian::new(numerator, denominator).unwrap_err();
        says(&error, &[name, "2^"]);
    }
    // The largest and the smallest one sample.
    let mut rng = Insecure::seeded(4);
    for law in [
        DiscreteGaussian::new(1 << 52, 1).unwrap(),
        DiscreteGaussian::new(1 << 52, 1 << 20).unwrap(),
        DiscreteGaussian::new(1, 1 << 20).unwrap(),
    ] {
        let largest = (0..1000).map(|_| law.sample(&mut rng).unsigned_abs()).max();
        assert!(largest.unwrap() < 1 << 30);
    }
}

#[test]
fn private_floors() {
    let mut rng = Insecure::seeded(1);
    let mut refuse = |settings: &PrivateFloor, neighbor| {
        let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
        let before = l.clone();
        let error = private_lambda_min(&data(), neighbor, settings, &mut l, &mut rng).unwrap_err();
        assert_eq!(l, before);
        error
    };
    let standard = PrivateFloor::default();
    for (z, c_min, name) in [(-1.0, 0.0, "z"), (f64::NAN, 0.0, "z"), (2.0, -1.0, "c_min")] {
        let error = refuse(
            &PrivateFloor {
                z,
                c_min,
                ..standard
            },
            Neighbor::ReplaceOne,
        );
        says(&error, &[name, "at least 0"]);
    }
    let error = refuse(&standard, nominal(2, 2));
    assert!(matches!(error, Error::NeighborMismatch { .. }));
    let error = refuse(
        &PrivateFloor {
            discrete: true,
            ..standard
        },
        Neighbor::ReplaceOne,
    );
    assert!(matches!(error, Error::CalibrationMismatch { .. }));
}

/// What the data do not decide is refused before the floor is paid for.
#[test]
fn decoupled_parameters() {
    let standard = DecoupledRidge::default();
    let guess = PublicGuess {
        lambda: f64::NAN,
        beta_norm: 1.0,
        noise_sd: 1.0,
    };
    for method in [
        DecoupledRidge {
            alpha: Some(-1.0),
            ..standard
        },
        DecoupledRidge {
            radius: Some(0.0),
            ..standard
        },
        DecoupledRidge {
            guess: Some(guess),
            ..standard
        },
        DecoupledRidge {
            kind: Floor::None,
            alpha: Some(0.0),
            ..standard
        },
        // The floor takes a tenth.
        DecoupledRidge {
            share: Mu::Fraction(0.95),
            ..standard
        },
    ] {
        let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
        let mut rng = Insecure::seeded(1);
        assert!(method.fit_stats(&data(), &mut l, &mut rng).is_err());
        assert!(l.summary().entries.is_empty(), "{method:?}");
    }
}

#[test]
fn selection_from_a_grid() {
    let x = Mat::from_fn(6, 2, |i, j| 0.1 * (i + j) as f64);
    let y = vec![0.1; 6];
    let specs = [RidgeSpec::new(0.5), RidgeSpec::new(1.0)];
    let mut rng = Insecure::seeded(1);
    let mut refuse = |x: MatRef<'_, f64>, y: &[f64], specs: &[RidgeSpec], epsilon| {
        let mut l = ledger(1.0, 1e-6, Calibration::Analytic);
        let before = l.clone();
        let (share, noise) = (Mu::Rest, Noise::Float);
        let result = exponential_grid(x, y, unit(), specs, share, epsilon, noise, &mut l, &mut rng);
        assert_eq!(l, before);
        result.unwrap_err()
    };
    let add_remove = [specs[0], specs[1].neighbor(nominal(3, 3))];
    let error = refuse(x.as_ref(), &y, &add_remove, None);
    assert!(matches!(error, Error::NeighborMismatch { .. }));
    assert_eq!(refuse(x.as_ref(), &y, &[], None), Error::EmptyData);
    assert_eq!(
        refuse(x.as_ref().subrows(0, 2), &y[..2], &specs, None),
        Error::EmptyData
    );
    assert!(matches!(
        refuse(x.as_ref(), &y[..5], &specs, None),
        Error::DimensionMismatch { .. }
    ));
    for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = refuse(x.as_ref(), &y, &specs, Some(epsilon));
        assert!(matches!(error, Error::BadBudget { .. }));
    }
    let error = refuse(x.as_ref(), &y, &specs, Some(50.0));
    assert!(matches!(error, Error::BudgetExceeded { .. }));
    // A bad record of the part that only scores is refused too, before anything is spent.
    let mut bad = x.clone();
    bad[(2, 0)] = f64::NAN;
    assert!(matches!(
        refuse(bad.as_ref(), &y, &specs, None),
        Error::NonFinite { row: 2, col: 0 }
    ));
}

#[test]
fn planning_problems() {
    let problem = Problem {
        n: 100,
        eigenvalues: vec![0.1, 0.5],
        beta: vec![1.0, 1.0],
        noise_variance: 0.1,
        bounds: unit(),
    };
    let run = |p: &Problem, s| decompose(p, &RidgeSpec::new(0.1), s, Metric::Coefficients);
    assert!(run(&problem, 1.0).is_ok());
    let with = |change: fn(&mut Problem)| {
        let mut p = problem.clone();
        change(&mut p);
        run(&p, 1.0).unwrap_err()
    };
    assert_eq!(with(|p| p.n = 0), Error::EmptyData);
    assert!(matches!(
        with(|p| p.beta.truncate(1)),
        Error::DimensionMismatch { .. }
    ));
    says(
        &with(|p| p.eigenvalues[0] = -0.1),
        &["eigenvalue", "-0.1", "at least 0"],
    );
    says(&with(|p| p.eigenvalues = vec![0.5, 0.1]), &["ascending"]);
    says(
        &with(|p| p.noise_variance = f64::NAN),
        &["noise_variance", "NaN"],
    );
    says(&with(|p| p.beta[0] = f64::INFINITY), &["beta", "inf"]);
    for s in [-1.0, f64::NAN, f64::INFINITY] {
        says(&run(&problem, s).unwrap_err(), &["multiplier"]);
    }
}

#[test]
fn methods_that_need_rows() {
    let training = Training::from_stats(one_loud_record(1.0, 1.0, 5, unit()));
    let error = training.rows("selection").unwrap_err();
    says(&error, &["selection", "sums", "Training::from_rows"]);
}
