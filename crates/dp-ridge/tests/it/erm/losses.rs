//! The losses and the constants that privacy rests on.

use crate::support::assert_close;
use dp_ridge::{Bounds, GlmLoss, Huber, Logistic, SmoothedHinge, Squared};

/// Derivatives agree with central differences, `all` with the parts, and the constants hold on a
/// grid of the ball that includes its ends.
fn check(loss: impl GlmLoss, targets: &[f64]) {
    let bounds = Bounds::new(2.0, 1.5).unwrap();
    for radius in [0.05, 0.7, 3.0] {
        let t_max = bounds.x_norm * radius;
        let lipschitz = loss.lipschitz(t_max, &bounds);
        let (least, most) = (
            loss.curvature(t_max, &bounds),
            loss.curvature_max(t_max, &bounds),
        );
        for &y in targets {
            assert!(loss.accepts(y));
            for i in -500..=500 {
                let t = t_max * f64::from(i) / 500.0;
                let (value, d1, d2) = loss.all(t, y);
                assert_eq!(
                    (value, d1, d2),
                    (loss.value(t, y), loss.d1(t, y), loss.d2(t, y))
                );
                assert!(d1.abs() <= lipschitz * (1.0 + 1e-15));
                assert!(d2 >= least * (1.0 - 1e-15) && d2 <= most * (1.0 + 1e-15));
                let h = 1e-6;
                let slope = (loss.value(t + h, y) - loss.value(t - h, y)) / (2.0 * h);
                assert!((slope - d1).abs() < 1e-6, "{t} {y}: {slope} {d1}");
                let bend = (loss.d1(t + h, y) - loss.d1(t - h, y)) / (2.0 * h);
                // The second derivative may jump within the difference.
                let around = [loss.d2(t - h, y), loss.d2(t + h, y)];
                let (low, high) = (around[0].min(around[1]), around[0].max(around[1]));
                assert!(
                    bend > low - 1e-6 && bend < high + 1e-6,
                    "{t} {y}: {bend} {around:?}"
                );
            }
        }
    }
}

#[test]
fn derivatives_and_constants() {
    check(Logistic, &[0.0, 1.0]);
    check(SmoothedHinge { h: 0.5 }, &[0.0, 1.0]);
    for y in [-1.5, 0.2, 1.5] {
        check(Squared, &[y]);
        check(Huber { h: 0.4 }, &[y]);
        check(Huber { h: 5.0 }, &[y]);
    }
}

/// Specification 2.8, with `B_x = 2`, `B_y = 1.5`, `R₀ = 1`.
#[test]
fn constants() {
    let bounds = Bounds::new(2.0, 1.5).unwrap();
    let e2 = 2.0f64.exp();
    assert_close(
        Logistic.curvature(2.0, &bounds),
        e2 / (1.0 + e2).powi(2),
        1e-14,
    );
    assert_eq!(Logistic.lipschitz(2.0, &bounds), 1.0);
    assert_eq!(Logistic.curvature_max(2.0, &bounds), 0.25);
    assert_eq!(Huber { h: 0.4 }.lipschitz(2.0, &bounds), 0.4);
    assert_eq!(Huber { h: 0.4 }.curvature(2.0, &bounds), 0.0);
    // Never out of its quadratic part, it is the squared loss.
    assert_eq!(Huber { h: 3.5 }.curvature(2.0, &bounds), 1.0);
    assert_eq!(Squared.lipschitz(2.0, &bounds), 3.5);
    assert_eq!(Squared.curvature(2.0, &bounds), 1.0);
    assert_eq!(SmoothedHinge { h: 0.5 }.curvature(2.0, &bounds), 0.0);
    assert_eq!(SmoothedHinge { h: 0.5 }.curvature_max(2.0, &bounds), 2.0);
}

/// Scores far out neither overflow nor lose the tail.
#[test]
fn logistic_is_stable() {
    assert_eq!(Logistic.value(800.0, 1.0), 0.0);
    assert_eq!(Logistic.value(800.0, 0.0), 800.0);
    assert_close(Logistic.value(-40.0, 0.0), (-40.0f64).exp(), 1e-14);
    assert_close(Logistic.d1(-700.0, 0.0), (-700.0f64).exp(), 1e-12);
}
