//! Fits that can be checked by hand.
//! `X = diag(√2, √½)`, `y = (√2, √½)`: `G = diag(1, ¼)`, `b = (1, ¼)`; balls in 50-digit arithmetic.

use crate::support::{assert_close, distance, norm, stats_of};
use dp_ridge::{Bounds, Floor, Neighbor, RidgeSpec, Spectrum, SuffStats};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

fn hand() -> SuffStats {
    let records = [
        (vec![SQRT_2, 0.0], SQRT_2),
        (vec![0.0, FRAC_1_SQRT_2], FRAC_1_SQRT_2),
    ];
    stats_of(&records, 2, Bounds::new(2.0, 2.0).unwrap())
}

fn quarter(floor: Floor) -> RidgeSpec {
    RidgeSpec::new(0.25).floor(floor)
}

#[test]
fn the_three_floors() {
    for (floor, coef, active) in [
        (Floor::None, [0.8, 0.5], false),
        (Floor::Shift(0.5), [2.0 / 3.0, 1.0 / 3.0], true),
        (Floor::Spectral(0.5), [0.8, 1.0 / 3.0], true),
        // At and below λ₁ = ¼ a floor changes nothing.
        (Floor::Shift(0.25), [0.8, 0.5], false),
        (Floor::Spectral(0.25), [0.8, 0.5], false),
        (Floor::Shift(0.1), [0.8, 0.5], false),
        (Floor::Spectral(0.0), [0.8, 0.5], false),
    ] {
        let fit = quarter(floor).solve(&hand()).unwrap();
        assert!(distance(&fit.coef, &coef) < 1e-14, "{floor:?}");
        assert_eq!(fit.floor_active, active, "{floor:?}");
        assert!(!fit.ball_active);
        assert!(distance(fit.eigenvalues(), &[0.25, 1.0]) < 1e-15);
        assert_close(
            fit.predict(&[2.0, -1.0]).unwrap(),
            2.0 * coef[0] - coef[1],
            1e-13,
        );
    }
}

#[test]
fn the_ball() {
    for (floor, multiplier, coef) in [
        (
            Floor::None,
            0.89283079406279,
            [0.46667240491911, 0.17949057492531],
        ),
        (
            Floor::Shift(0.5),
            0.64283079406279,
            [0.46667240491911, 0.17949057492531],
        ),
        (
            Floor::Spectral(0.5),
            0.85476952809813,
            [0.4751114013436, 0.1557856100971],
        ),
    ] {
        let fit = quarter(floor).radius(0.5).solve(&hand()).unwrap();
        assert_close(fit.multiplier, multiplier, 1e-11);
        assert!(distance(&fit.coef, &coef) < 1e-12, "{floor:?}");
        assert!(fit.ball_active);
        assert_close(norm(&fit.coef), 0.5, 1e-12);
    }
    let fit = quarter(Floor::None).radius(1.0).solve(&hand()).unwrap();
    assert!(distance(&fit.coef, &[0.8, 0.5]) < 1e-14 && !fit.ball_active);
}

#[test]
fn a_path_is_the_single_fits() {
    let grid = [
        (0.25, Floor::None),
        (1e-3, Floor::Spectral(0.5)),
        (2.0, Floor::Shift(3.0)),
    ];
    let path = RidgeSpec::new(1.0)
        .radius(0.6)
        .path(&hand(), &grid)
        .unwrap();
    for (fit, (alpha, floor)) in path.iter().zip(grid) {
        let single = RidgeSpec::new(alpha)
            .floor(floor)
            .radius(0.6)
            .solve(&hand())
            .unwrap();
        assert_eq!(fit.coef, single.coef);
    }
}

/// Averaged units: scikit-learn's `Ridge(alpha)` is `n · alpha`, so with one feature
/// `β̂ = Σxy / (Σx² + nα)`. Under add/remove the nominal size takes the place of `n`.
#[test]
fn penalties_are_in_averaged_units() {
    let records = [(vec![0.5], 1.0), (vec![1.0], -0.25), (vec![-0.75], 0.5)];
    let stats = stats_of(&records, 1, Bounds::new(1.0, 1.0).unwrap());
    let (xy, xx) = (0.5 - 0.25 - 0.375, 0.25 + 1.0 + 0.5625);
    let fit = RidgeSpec::new(0.1).solve(&stats).unwrap();
    assert_close(fit.coef[0], xy / (xx + 0.3), 1e-14);
    let nominal = Neighbor::AddRemove {
        n_nominal: 10,
        n_max: 20,
    };
    let fit = RidgeSpec::new(0.1).neighbor(nominal).solve(&stats).unwrap();
    assert_close(fit.coef[0], xy / (xx + 1.0), 1e-14);
}

/// Under add/remove the ball of radius `R'` is always there: it binds when the caller's `n_max`
/// was wrong, and only then.
#[test]
fn a_wrong_n_max_cannot_be_seen() {
    let records = vec![(vec![1.0], 1.0); 50];
    let stats = stats_of(&records, 1, Bounds::new(1.0, 1.0).unwrap());
    for (n_max, binds) in [(2, true), (3, true), (49, false), (1000, false)] {
        let spec = RidgeSpec::new(0.5).neighbor(Neighbor::AddRemove {
            n_nominal: 2,
            n_max,
        });
        let bound = spec.sensitivity(0, &stats.bounds()).unwrap().norm_bound;
        let fit = spec.solve(&stats).unwrap();
        // Without the ball: G = b = 25.
        let free: f64 = 25.0 / 25.5;
        let want = free.min(bound);
        assert_close(fit.coef[0], want, 1e-11);
        assert_eq!(
            (fit.ball_active, want < free),
            (binds, binds),
            "n_max {n_max}"
        );
        // R' = min(2 n_max/n₀, √(n_max/n₀) / (2√½)).
        let excess = n_max as f64 / 2.0;
        assert_close(
            bound,
            (2.0 * excess).min(excess.sqrt() * FRAC_1_SQRT_2),
            1e-14,
        );
    }
    let empty = stats_of(&[], 3, Bounds::new(1.0, 1.0).unwrap());
    let spec = RidgeSpec::new(0.5).neighbor(Neighbor::AddRemove {
        n_nominal: 2,
        n_max: 4,
    });
    assert_eq!(spec.solve(&empty).unwrap().coef, [0.0; 3]);
}

/// A fit that attains its norm bound exactly (one record `x = y = 1`, c = 1: `1/(c + α)`) is left
/// alone by the ball that guards against rounding.
#[test]
fn an_attained_norm_bound_does_not_bind() {
    let stats = stats_of(&[(vec![1.0], 1.0)], 1, Bounds::new(1.0, 1.0).unwrap());
    for alpha in [1e-3, 0.1, 0.3, 0.7] {
        let spec = RidgeSpec::new(alpha).floor(Floor::Spectral(1.0));
        let fit = spec.solve(&stats).unwrap();
        assert_close(fit.coef[0], 1.0 / (1.0 + alpha), 1e-15);
        assert!(!fit.ball_active);
    }
}

/// A singular matrix with a penalty far below its rounding errors is still positive definite in
/// exact arithmetic; a refusal there would depend on the data.
#[test]
fn rounding_does_not_refuse_a_singular_matrix() {
    let x = vec![0.3, 0.1, 0.7];
    let records: Vec<_> = (0..7).map(|i| (x.clone(), f64::from(i) / 7.0)).collect();
    let stats = stats_of(&records, 3, Bounds::new(1.0, 1.0).unwrap());
    let spectrum = Spectrum::of(&stats, Neighbor::ReplaceOne).unwrap();
    for alpha in [1e-12, 1e-16, 1e-18, 1e-20, 1e-40, 1e-100, 1e-300] {
        for floor in [Floor::None, Floor::Shift(alpha), Floor::Spectral(alpha)] {
            let spec = RidgeSpec::new(alpha).floor(floor);
            let fit = spectrum.fit(&spec).unwrap();
            let bound = spec
                .sensitivity(stats.n(), &stats.bounds())
                .unwrap()
                .norm_bound;
            assert!(
                norm(&fit.coef) <= bound * (1.0 + 1e-9),
                "norm {} above {bound} at alpha {alpha:e}, {floor:?}",
                norm(&fit.coef)
            );
        }
    }
}
