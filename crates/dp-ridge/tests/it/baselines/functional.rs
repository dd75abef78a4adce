//! The functional mechanism against its definition and against diffprivlib.

use super::add_remove;
use crate::support::{assert_close, distance, ledger};
use dp_ridge::baselines::FunctionalMechanism;
use dp_ridge::faer::{Mat, Par};
use dp_ridge::{
    Bounds, Calibration, Clip, Cost, DpRegressor, Error, Floor, Insecure, RidgeSpec, Training,
};
use papercrates_numeric::linalg::norm2;
use papercrates_numeric::stats::median;
use papercrates_numeric::streams::{Streams, normal};

/// `1 + d + d(d+1)/2 = 66` monomials for d = 10; corner products by hand.
#[test]
fn noise_scales() {
    let method = FunctionalMechanism::new(vec![(-4.0, 4.0); 10], (-2.0, 2.0));
    let scales = method.noise_scales(2.0).unwrap();
    assert_close(scales.linear[3], 16.0 * 66.0 / 2.0, 1e-14);
    assert_close(scales.quadratic[(3, 3)], 16.0 * 66.0 / 2.0, 1e-14);
    assert_close(scales.quadratic[(3, 4)], 32.0 * 66.0 / 2.0, 1e-14);
    let lopsided = FunctionalMechanism::new(vec![(-1.0, 3.0), (2.0, 5.0)], (-2.0, 1.0));
    let scales = lopsided.noise_scales(6.0).unwrap();
    // x₁y in [−6, 3], x₂y in [−10, 5], x₁x₂ in [−5, 15], squares up to 9 and 25; 6 monomials.
    assert_eq!(scales.linear, [9.0, 15.0]);
    assert_eq!(scales.quadratic[(0, 1)], 20.0);
    assert_eq!(scales.quadratic[(1, 0)], 20.0);
    assert_eq!(
        (scales.quadratic[(0, 0)], scales.quadratic[(1, 1)]),
        (9.0, 25.0)
    );
}

/// Specification 7.11: limits (0, 1) must not leave the squares without noise, as they do in the
/// peer.
#[test]
fn squares_of_one_sided_features_get_noise() {
    let method = FunctionalMechanism::new(vec![(0.0, 1.0); 3], (0.0, 1.0));
    let scales = method.noise_scales(10.0).unwrap();
    for j in 0..3 {
        assert_close(scales.quadratic[(j, j)], 1.0, 1e-14);
    }
}

/// With `x = 1` and `y = 0` in 10⁵ records the coefficient is the noise on `Σxy` over `Σx²`:
/// Laplace of scale 3/ε, whose mean absolute value is its scale and whose second moment is twice
/// its square.
#[test]
fn noise_is_laplace_of_that_scale() {
    let n = 100_000;
    let x = Mat::from_fn(n, 1, |_, _| 1.0);
    let y = vec![0.0; n];
    let bounds = Bounds::new(1.0, 1.0).unwrap();
    let training = Training::from_rows(x.as_ref(), &y, bounds, Clip::Clip, Par::Seq).unwrap();
    let method = FunctionalMechanism::new(vec![(0.0, 1.0)], (0.0, 1.0));
    let mut rng = Insecure::seeded(6);
    let draws = 2000;
    let (mut absolute, mut squares, mut sum) = (0.0, 0.0, 0.0);
    for _ in 0..draws {
        let mut open = ledger(1.0, 1e-6, Calibration::Analytic);
        let release = method.fit(&training, &mut open, &mut rng).unwrap();
        assert_eq!(open.summary().entries[0].cost, Cost::PureEpsilon(1.0));
        assert_eq!(open.mu_total(), 0.0);
        let noise = release.coef[0] * n as f64;
        absolute += noise.abs() / f64::from(draws);
        squares += noise * noise / f64::from(draws);
        sum += noise / f64::from(draws);
    }
    // Standard errors: 2.2 %, 5 %, and 0.095 for the mean.
    assert_close(absolute, 3.0, 0.09);
    assert_close(squares, 18.0, 0.2);
    assert!(sum.abs() < 0.4, "{sum}");
}

/// The data of specification 7.11.
fn normal_data(seed: u64) -> (Mat<f64>, Vec<f64>, Vec<f64>) {
    let mut rng = Streams::new(seed).child("functional").rng();
    let mut theta: Vec<f64> = (0..10).map(|_| normal(&mut rng)).collect();
    let length = norm2(&theta);
    theta.iter_mut().for_each(|t| *t *= 0.5 / length);
    let mut x = Mat::zeros(10_000, 10);
    let mut y = Vec::new();
    for i in 0..10_000 {
        let row: Vec<f64> = (0..10).map(|_| normal(&mut rng)).collect();
        let scale = (4.0 / norm2(&row)).min(1.0);
        let mut score = 0.0;
        for j in 0..10 {
            x[(i, j)] = row[j] * scale;
            score += x[(i, j)] * theta[j];
        }
        y.push((score + 0.1 * normal(&mut rng)).clamp(-2.0, 2.0));
    }
    (x, y, theta)
}

/// Specification 7.11: diffprivlib 0.6.6 has a median squared error of 0.0041 at ε = 10 and
/// 4.5e-5 at ε = 100 over 20 seeds; ours is within a factor 2. At ε = 1 its noisy quadratic is
/// usually indefinite, while the decoupled fit expects an error below 0.03.
#[test]
fn agrees_with_the_peer() {
    let bounds = Bounds::new(4.0, 2.0).unwrap();
    let method = FunctionalMechanism::new(vec![(-4.0, 4.0); 10], (-2.0, 2.0));
    let (mut at_10, mut at_100, mut decoupled, mut indefinite) =
        (Vec::new(), Vec::new(), Vec::new(), 0);
    for seed in 0..20 {
        let (x, y, theta) = normal_data(seed);
        let training = Training::from_rows(x.as_ref(), &y, bounds, Clip::Clip, Par::Seq).unwrap();
        let mut rng = Insecure::seeded(seed);
        let mut error = |epsilon: f64| {
            let mut open = ledger(epsilon, 1e-6, Calibration::Analytic);
            let release = method.fit(&training, &mut open, &mut rng).unwrap();
            (distance(&release.coef, &theta).powi(2), release.indefinite)
        };
        at_10.push(error(10.0).0);
        at_100.push(error(100.0).0);
        indefinite += usize::from(error(1.0).1);
        let spec = RidgeSpec::new(1e-3).floor(Floor::Spectral(0.8));
        let fit = spec.solve(training.stats()).unwrap();
        let s = 1.0 / ledger(1.0, 1e-6, Calibration::Analytic).mu_total();
        let noise = spec.sensitivity(10_000, &bounds).unwrap().value * s;
        decoupled.push(distance(&fit.coef, &theta).powi(2) + 10.0 * noise * noise);
    }
    let (at_10, at_100) = (median(&at_10), median(&at_100));
    assert!((0.0041 / 2.0..0.0041 * 2.0).contains(&at_10), "{at_10}");
    assert!((4.5e-5 / 2.0..4.5e-5 * 2.0).contains(&at_100), "{at_100}");
    assert!(indefinite > 10, "{indefinite}");
    let expected = decoupled.iter().sum::<f64>() / 20.0;
    assert!(expected < 0.03, "{expected}");
    assert_close(expected, 0.0123, 0.1);
}

#[test]
fn refusals() {
    let x = Mat::from_fn(4, 2, |i, j| (i + j) as f64 / 5.0);
    let y = [0.1, 0.2, 0.3, 0.4];
    let bounds = Bounds::new(2.0, 1.0).unwrap();
    let training = Training::from_rows(x.as_ref(), &y, bounds, Clip::Clip, Par::Seq).unwrap();
    let mut rng = Insecure::seeded(3);
    let method = FunctionalMechanism::new(vec![(0.0, 1.0); 2], (0.0, 1.0));
    let mut open = ledger(0.1, 1e-6, Calibration::Analytic);
    let short = FunctionalMechanism::new(vec![(0.0, 1.0)], (0.0, 1.0));
    assert!(matches!(
        short.fit(&training, &mut open, &mut rng),
        Err(Error::DimensionMismatch {
            expected: 2,
            got: 1,
            ..
        })
    ));
    let reversed = FunctionalMechanism::new(vec![(1.0, 0.0); 2], (0.0, 1.0));
    assert!(matches!(
        reversed.fit(&training, &mut open, &mut rng),
        Err(Error::NegativeParameter { .. })
    ));
    // Products of these limits overflow, and so would the noise.
    let huge = FunctionalMechanism::new(vec![(-1e200, 1e200); 2], (0.0, 1.0));
    assert!(matches!(
        huge.fit(&training, &mut open, &mut rng),
        Err(Error::BadBudget { .. })
    ));
    let sums = Training::from_stats(training.stats().clone());
    assert!(matches!(
        method.fit(&sums, &mut open, &mut rng),
        Err(Error::RowsNeeded { .. })
    ));
    assert!(matches!(
        method.fit(&training, &mut add_remove(0.1, 1e-6), &mut rng),
        Err(Error::NeighborMismatch { .. })
    ));
    let greedy = FunctionalMechanism {
        epsilon: Some(0.2),
        ..method.clone()
    };
    assert!(matches!(
        greedy.fit(&training, &mut open, &mut rng),
        Err(Error::BudgetExceeded { .. })
    ));
    assert!(open.summary().entries.is_empty());

    // Four records against noise of 60 and more: about half of the draws are indefinite, and
    // strict mode refuses exactly those.
    let strict = FunctionalMechanism {
        strict: true,
        ..method.clone()
    };
    let mut refused = 0;
    for seed in 0..40 {
        let mut open = ledger(0.1, 1e-6, Calibration::Analytic);
        let marked = method
            .fit(&training, &mut open, &mut Insecure::seeded(seed))
            .unwrap();
        let mut open = ledger(0.1, 1e-6, Calibration::Analytic);
        let result = strict.fit(&training, &mut open, &mut Insecure::seeded(seed));
        assert_eq!(
            marked.indefinite,
            matches!(result, Err(Error::NotPositiveDefinite { .. }))
        );
        refused += usize::from(result.is_err());
    }
    assert!((5..35).contains(&refused), "{refused}");
}
