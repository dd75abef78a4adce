//! Noisy gradient descent.

use super::{add_remove, power};
use crate::support::{assert_close, distance, ledger, unit};
use dp_ridge::baselines::{DpGd, NonPrivateRidge};
use dp_ridge::faer::{Mat, Par};
use dp_ridge::{Bounds, Calibration, Clip, DpRegressor, Error, Insecure, Mu, Training};

fn one_record(x: f64, y: f64, bounds: Bounds) -> (Mat<f64>, Vec<f64>, Bounds) {
    (Mat::from_fn(1, 1, |_, _| x), vec![y], bounds)
}

/// Specification 7.4 at (1, 1e-6): n = 1000, C = 1, T = 50 gives 0.0597459820.
#[test]
fn noise_scale() {
    let open = ledger(1.0, 1e-6, Calibration::Analytic);
    let scale = DpGd::new(0.1).noise_scale(1000, &open, &unit()).unwrap();
    assert_close(scale, 0.059_745_982_0, 1e-8);
    // The default C is B_x B_y.
    let wide = Bounds::new(3.0, 2.0).unwrap();
    let scale = DpGd::new(0.1).noise_scale(1000, &open, &wide).unwrap();
    assert_close(scale, 6.0 * 0.059_745_982_0, 1e-8);
}

/// Rows of zeros and one step of size 1: the coefficients are the noise, of scale
/// `2C/(nμ) = 2 · 4.22467888932684/10`.
#[test]
fn noise_of_one_step() {
    let x = Mat::zeros(10, 3);
    let y = vec![1.0; 10];
    let training = Training::from_rows(x.as_ref(), &y, unit(), Clip::Clip, Par::Seq).unwrap();
    let method = DpGd {
        steps: 1,
        ..DpGd::new(0.0)
    };
    let mut rng = Insecure::seeded(9);
    let mut noise = Vec::new();
    for _ in 0..1000 {
        let mut open = ledger(1.0, 1e-6, Calibration::Analytic);
        let release = method.fit(&training, &mut open, &mut rng).unwrap();
        assert_eq!(
            (open.remaining(), release.n, release.sigma),
            (0.0, Some(10), None)
        );
        noise.extend(release.coef);
    }
    // 3000 normals: the standard error of the variance is 2.6 %.
    assert_close(power(&noise), (0.2 * 4.224_678_889_326_84f64).powi(2), 0.1);
}

/// With next to no noise: a gradient of −1 is clipped to −C while the penalty's is not, and many
/// steps without clipping reach the ridge fit.
#[test]
fn descends_on_clipped_gradients() {
    let plenty = 1e9;
    let mut rng = Insecure::seeded(1);
    let (x, y, bounds) = one_record(1.0, 1.0, unit());
    let training = Training::from_rows(x.as_ref(), &y, bounds, Clip::Clip, Par::Seq).unwrap();
    let mut fit = |method: DpGd| {
        let mut open = ledger(plenty, 1e-6, Calibration::Analytic);
        method.fit(&training, &mut open, &mut rng).unwrap().coef[0]
    };
    let method = DpGd {
        clip: Some(0.25),
        step_size: Some(1.0),
        steps: 1,
        ..DpGd::new(0.5)
    };
    assert_close(fit(method), 0.25, 1e-3);
    // From 0.25: 0.25 − (−0.25 + 0.5 · 0.25).
    assert_close(fit(DpGd { steps: 2, ..method }), 0.375, 1e-3);

    let x = Mat::from_fn(3, 2, |i, j| [[0.6, 0.8], [1.0, 0.0], [0.3, -0.4]][i][j]);
    let y = [0.5, -0.2, 0.9];
    let training = Training::from_rows(x.as_ref(), &y, unit(), Clip::Clip, Par::Seq).unwrap();
    let method = DpGd {
        steps: 2000,
        clip: Some(10.0),
        ..DpGd::new(0.1)
    };
    let mut open = ledger(1e12, 1e-6, Calibration::Analytic);
    let release = method.fit(&training, &mut open, &mut rng).unwrap();
    let ridge = NonPrivateRidge { alpha: 0.1 }
        .fit(training.stats())
        .unwrap();
    assert!(distance(&release.coef, &ridge.coef) < 5e-3);
}

#[test]
fn refusals() {
    let (x, y, bounds) = one_record(1.0, 1.0, unit());
    let training = Training::from_rows(x.as_ref(), &y, bounds, Clip::Clip, Par::Seq).unwrap();
    let sums = Training::from_stats(training.stats().clone());
    let mut rng = Insecure::seeded(1);
    let mut open = ledger(1.0, 1e-6, Calibration::Analytic);
    let method = DpGd::new(0.1);
    assert!(matches!(
        method.fit(&sums, &mut open, &mut rng),
        Err(Error::RowsNeeded { .. })
    ));
    assert!(matches!(
        method.fit(&training, &mut add_remove(1.0, 1e-6), &mut rng),
        Err(Error::NeighborMismatch { .. })
    ));
    for bad in [
        DpGd { steps: 0, ..method },
        DpGd {
            clip: Some(0.0),
            ..method
        },
        DpGd {
            step_size: Some(f64::NAN),
            ..method
        },
        DpGd {
            alpha: -1.0,
            ..method
        },
    ] {
        assert!(matches!(
            bad.fit(&training, &mut open, &mut rng),
            Err(Error::NegativeParameter { .. })
        ));
    }
    let greedy = DpGd {
        share: Mu::Exact(1.0),
        ..method
    };
    assert!(matches!(
        greedy.fit(&training, &mut open, &mut rng),
        Err(Error::BudgetExceeded { .. })
    ));
    assert!(open.summary().entries.is_empty());
}
