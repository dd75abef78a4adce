//! Objective perturbation.

use super::{add_remove, empty, nominal, power};
use crate::support::{assert_close, budget, distance, ledger, unit};
use dp_ridge::baselines::{ObjPert, ObjPertErm};
use dp_ridge::faer::{Mat, Par};
use dp_ridge::{
    Bounds, Calibration, Clip, DpRegressor, Error, Insecure, Logistic, Mu, Neighbor, Relation,
    Squared, Training,
};
use papercrates_numeric::streams::{Streams, normal};

/// Specification 7.4 at (1, 1e-6): ζ = 1 gives 10.957612053. Here ζ = B_x(B_y + B_x R₀) with
/// B_y = R₀ = ½; for logistic loss ζ = L B_x = 1.
#[test]
fn noise_scales() {
    let half = Bounds::new(1.0, 0.5).unwrap();
    let scale = ObjPert::new(0.1, 0.5, nominal(100))
        .noise_scale(budget(1.0, 1e-6), &half)
        .unwrap();
    assert_close(scale, 10.957_612_053, 1e-8);
    let logistic = ObjPertErm::new(Logistic, 0.1, 3.0, nominal(100));
    assert_close(
        logistic.noise_scale(budget(1.0, 1e-6), &unit()).unwrap(),
        10.957_612_053,
        1e-8,
    );
}

/// Without rows and `n₀ = 1` the minimiser is `−b/(α + Λ)`, so `α + Λ` times it is the noise;
/// Λ is at least 2 B_x²/ε for the squared loss.
#[test]
fn noise_reaches_the_coefficients() {
    let training = Training::from_stats(empty(3, unit()));
    let method = ObjPert {
        lambda: Some(7.0),
        ..ObjPert::new(1e4, 1.0, nominal(1))
    };
    let mut rng = Insecure::seeded(4);
    let mut noise = Vec::new();
    for _ in 0..1000 {
        let mut open = add_remove(1.0, 1e-6);
        let release = method.fit(&training, &mut open, &mut rng).unwrap();
        assert_eq!(
            (open.remaining(), release.n, release.sigma),
            (0.0, None, None)
        );
        noise.extend(release.coef.iter().map(|c| c * 10_007.0));
    }
    // ζ = 2; 3000 normals: the standard error of the variance is 2.6 %.
    assert_close(power(&noise), (2.0 * 10.957_612_053f64).powi(2), 0.1);
}

/// The closed form of the squared loss and Newton give the same minimiser from the same seed,
/// inside the ball and on it.
#[test]
fn closed_form_agrees_with_newton() {
    let mut rng = Streams::new(2).rng();
    let x = Mat::from_fn(200, 3, |_, _| normal(&mut rng));
    let y: Vec<f64> = (0..200).map(|_| normal(&mut rng)).collect();
    let training = Training::from_rows(x.as_ref(), &y, unit(), Clip::Clip, Par::Seq).unwrap();
    let mut on_the_ball = 0;
    for (seed, radius) in (0..20).flat_map(|s| [(s, 0.1), (s, 1.0)]) {
        let neighbor = Neighbor::AddRemove {
            n_nominal: 150,
            n_max: 300,
        };
        let closed = ObjPert::new(0.2, radius, neighbor);
        let newton = ObjPertErm::new(Squared, 0.2, radius, neighbor);
        let fit = |method: &dyn DpRegressor| {
            let mut open = add_remove(1.0, 1e-6);
            method
                .fit(&training, &mut open, &mut Insecure::seeded(seed))
                .unwrap()
                .coef
        };
        let (a, b) = (fit(&closed), fit(&newton));
        assert!(distance(&a, &b) < 1e-8, "{a:?} {b:?}");
        on_the_ball += usize::from(distance(&a, &[0.0; 3]) > radius * (1.0 - 1e-9));
    }
    assert!((1..40).contains(&on_the_ball), "{on_the_ball}");
}

/// Λ of the theorem, 2λ_H/ε with λ_H = B_x²/4 for logistic loss, cannot be undercut.
#[test]
fn the_extra_ridge_has_a_least_value() {
    let x = Mat::from_fn(4, 1, |_, _| 1.0);
    let y = [1.0, 0.0, 1.0, 1.0];
    let training = Training::from_rows(x.as_ref(), &y, unit(), Clip::Clip, Par::Seq).unwrap();
    let fit = |lambda| {
        let method = ObjPertErm {
            lambda,
            ..ObjPertErm::new(Logistic, 0.1, 1.0, nominal(4))
        };
        let mut open = add_remove(2.0, 1e-6);
        method
            .fit(&training, &mut open, &mut Insecure::seeded(1))
            .map(|r| r.coef)
    };
    assert!(matches!(
        fit(Some(0.249)),
        Err(Error::NegativeParameter { name: "lambda", .. })
    ));
    assert_eq!(fit(Some(0.25)).unwrap(), fit(None).unwrap());
    assert_ne!(fit(Some(40.0)).unwrap(), fit(None).unwrap());
}

/// It is stated for add/remove and for the whole budget of a fresh ledger.
#[test]
fn refusals() {
    let training = Training::from_stats(empty(2, unit()));
    let mut rng = Insecure::seeded(1);
    let method = ObjPert::new(0.1, 1.0, nominal(10));
    let mut replace_one = ledger(1.0, 1e-6, Calibration::Analytic);
    let error = method
        .fit(&training, &mut replace_one, &mut rng)
        .unwrap_err();
    assert!(matches!(
        error,
        Error::NeighborMismatch {
            expected: Relation::AddRemove,
            got: Relation::ReplaceOne,
            ..
        }
    ));
    let mut open = add_remove(1.0, 1e-6);
    let wrong = ObjPert {
        neighbor: Neighbor::ReplaceOne,
        ..method
    };
    assert!(matches!(
        wrong.fit(&training, &mut open, &mut rng),
        Err(Error::NeighborMismatch { .. })
    ));
    let erm = ObjPertErm::new(Logistic, 0.1, 1.0, Neighbor::ReplaceOne);
    assert!(matches!(
        erm.fit(&training, &mut open, &mut rng),
        Err(Error::NeighborMismatch { .. })
    ));
    let erm = ObjPertErm::new(Logistic, 0.1, 1.0, nominal(10));
    assert!(matches!(
        erm.fit(&training, &mut open, &mut rng),
        Err(Error::RowsNeeded { .. })
    ));
    assert!(open.summary().entries.is_empty());

    open.spend_mu("something else", Mu::Fraction(0.01)).unwrap();
    let error = method.fit(&training, &mut open, &mut rng).unwrap_err();
    assert!(
        matches!(
            error,
            Error::BudgetExceeded {
                asked: 1.0,
                unit: "epsilon",
                ..
            }
        ),
        "{error}"
    );
}
