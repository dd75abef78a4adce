//! Bounds and invariances that must hold for every data set. All generators are seeded, so that a
//! run can be repeated; `n ≤ 8`, `d ≤ 4`, because small data sets are where one record moves most.

use crate::support::{distance, norm, stats_of};
use dp_ridge::faer::{Mat, MatRef, Par};
use dp_ridge::{Bounds, Clip, Floor, Neighbor, RidgeSpec, Spectrum, SuffStats};
use papercrates_numeric::linalg::symmetric_eigen;
use papercrates_numeric::streams::{Streams, normal};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;

type Record = (Vec<f64>, f64);

/// Rounding of fits, relative to the bounds; the release adds 1e-9 to every sensitivity.
const MARGIN: f64 = 1.0 + 1e-9;

fn runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// A record within `‖x‖ ≤ 1`, `|y| ≤ 1`: rows of zeros, rows and targets at the bound, and rows
/// along one axis come often, because sensitivities are attained there.
fn record(d: usize) -> impl Strategy<Value = Record> {
    let direction = proptest::collection::vec(-1.0..1.0f64, d);
    let y = prop_oneof![Just(1.0), Just(-1.0), Just(0.0), -1.0..1.0f64];
    (0u8..6, direction, 0..d, any::<bool>(), 0.0..1.0f64, y).prop_map(
        move |(kind, mut x, axis, sign, length, y)| {
            let size = norm(&x);
            match kind {
                0 | 1 => x.fill(0.0),
                2 => {
                    x.fill(0.0);
                    x[axis] = if sign { 1.0 } else { -1.0 };
                }
                3 | 4 if size > 0.0 => x.iter_mut().for_each(|v| *v /= size),
                _ if size > 0.0 => x.iter_mut().for_each(|v| *v *= length / size),
                _ => {}
            }
            (x, y)
        },
    )
}

fn records() -> impl Strategy<Value = (usize, Vec<Record>)> {
    (1usize..=4, 1usize..=8)
        .prop_flat_map(|(d, n)| (Just(d), proptest::collection::vec(record(d), n)))
}

/// `(α, c)` with `α + c` often in [0.3, 3]: far below, small `n` saturates the bound at `2R` and
/// proves little.
fn penalties() -> impl Strategy<Value = (f64, f64)> {
    let total = prop_oneof![3 => 0.3..3.0f64, 1 => (-4.0..2.0f64).prop_map(|e| 10f64.powf(e))];
    (total, prop_oneof![Just(0.1), Just(0.9), 0.001..1.0f64])
        .prop_map(|(total, share)| (total * share, total * (1.0 - share)))
}

fn floors(c: f64) -> [Floor; 3] {
    [Floor::None, Floor::Shift(c), Floor::Spectral(c)]
}

fn matrix(records: &[Record], d: usize) -> (Mat<f64>, Vec<f64>) {
    let x = Mat::from_fn(records.len(), d, |i, j| records[i].0[j]);
    (x, records.iter().map(|r| r.1).collect())
}

/// "No neighbour pair exceeds Δ, no fit exceeds R", for every floor, with and without a ball, both
/// relations, and any public bounds: 10 000 data sets, 12 specifications each.
#[test]
fn no_neighbours_are_further_apart_than_the_sensitivity() {
    let (unsaturated, all) = (Cell::new(0u32), Cell::new(0u32));
    let closest = Cell::new(0.0f64);
    let strategy = (1usize..=4, 1usize..=8).prop_flat_map(|(d, n)| {
        (
            Just(d),
            proptest::collection::vec(record(d), n),
            record(d),
            0..n,
            penalties(),
            prop_oneof![Just(None), (0.05..2.0f64).prop_map(Some)],
            1u64..=10,
            1u64..=4,
            (-1.0..1.0f64, -1.0..1.0f64),
        )
    });
    let outcome = runner(10_000).run(
        &strategy,
        |(d, mut data, other, at, (alpha, c), radius, nominal, excess, (bx, by))| {
            // Records are drawn for the unit bounds and scaled to others.
            let bounds = Bounds::new(10f64.powf(bx), 10f64.powf(by)).unwrap();
            let scale = |(x, y): &Record| -> Record {
                (
                    x.iter().map(|v| v * bounds.x_norm).collect(),
                    y * bounds.y_abs,
                )
            };
            data.iter_mut().for_each(|r| *r = scale(r));
            let other = scale(&other);
            let (unit_x, unit_b) = (bounds.x_norm.powi(2), bounds.y_abs / bounds.x_norm);
            let (alpha, c) = (alpha * unit_x, c * unit_x);
            let radius = radius.map(|r| r * unit_b);

            let before = stats_of(&data, d, bounds);
            let mut replaced = data.clone();
            replaced[at] = other;
            let replaced = stats_of(&replaced, d, bounds);
            let mut removed = data.clone();
            removed.remove(at);
            let removed = stats_of(&removed, d, bounds);
            let nominal = Neighbor::AddRemove {
                n_nominal: nominal,
                n_max: nominal * excess,
            };
            for (neighbor, after) in [(Neighbor::ReplaceOne, &replaced), (nominal, &removed)] {
                let one = Spectrum::of(&before, neighbor).unwrap();
                let two = Spectrum::of(after, neighbor).unwrap();
                for floor in floors(c) {
                    for radius in [None, radius] {
                        let spec = RidgeSpec {
                            alpha,
                            floor,
                            radius,
                            neighbor,
                        };
                        let s = spec.sensitivity(before.n(), &bounds).unwrap();
                        let (a, b) = (one.fit(&spec).unwrap(), two.fit(&spec).unwrap());
                        let moved = distance(&a.coef, &b.coef);
                        prop_assert!(moved <= s.value * MARGIN, "{} > {:?}: {:?}", moved, s, spec);
                        prop_assert!(norm(&a.coef) <= s.norm_bound * MARGIN);
                        prop_assert!(norm(&b.coef) <= s.norm_bound * MARGIN);
                        if let Some(r) = radius {
                            prop_assert!(norm(&a.coef) <= r * MARGIN);
                        }
                        all.set(all.get() + 1);
                        if !s.saturated {
                            unsaturated.set(unsaturated.get() + 1);
                            closest.set(closest.get().max(moved / s.value));
                        }
                    }
                }
            }
            Ok(())
        },
    );
    outcome.unwrap();
    let share = f64::from(unsaturated.get()) / f64::from(all.get());
    eprintln!(
        "{} checks, {:.0} % unsaturated, closest {:.3} of the bound",
        all.get(),
        100.0 * share,
        closest.get()
    );
    assert!(share >= 0.3, "only {share} of the checks were unsaturated");
    // The search comes close to the bound, so that a bound a third lower would have failed.
    assert!(closest.get() > 0.67, "closest pair at {}", closest.get());
}

/// Δ never grows with `n`, with `α`, or with `c` within one kind of floor, and falls strictly where
/// it is not saturated. (Between `None` and an arbitrarily small floor it jumps, by design.)
#[test]
fn monotone_in_n_penalty_and_level() {
    runner(2_000)
        .run(
            &(penalties(), 1u64..2000, 1.01..3.0f64, 0u8..3, any::<bool>()),
            |((alpha, c), n, factor, kind, add_remove)| {
                let bounds = Bounds::new(1.0, 1.0).unwrap();
                let floor = floors(c)[usize::from(kind)];
                let at = |n: u64, alpha: f64, floor: Floor| {
                    let neighbor = if add_remove {
                        Neighbor::AddRemove {
                            n_nominal: n,
                            n_max: n,
                        }
                    } else {
                        Neighbor::ReplaceOne
                    };
                    let spec = RidgeSpec {
                        alpha,
                        floor,
                        radius: None,
                        neighbor,
                    };
                    spec.sensitivity(n, &bounds).unwrap()
                };
                let here = at(n, alpha, floor);
                for (what, there) in [
                    ("n", at(n + 1, alpha, floor)),
                    ("alpha", at(n, alpha * factor, floor)),
                    ("c", at(n, alpha, floor.with_level(c * factor))),
                ] {
                    prop_assert!(there.value <= here.value * (1.0 + 1e-14), "in {}", what);
                    let changes = what != "c" || floor != Floor::None;
                    if !here.saturated && changes {
                        prop_assert!(there.value < here.value, "not strictly in {}", what);
                    }
                }
                Ok(())
            },
        )
        .unwrap();
}

/// `x → tx`, `B_x → tB_x`, `(α, c) → t²(α, c)`: `β̂ → β̂/t`, `Δ → Δ/t`. `y → ty`, `B_y → tB_y`: both
/// times `t`.
#[test]
fn units_of_features_and_targets() {
    let strategy = (records(), penalties(), 0.01..100.0f64, 0.1..2.0f64);
    runner(1_000)
        .run(&strategy, |((d, data), (alpha, c), t, radius)| {
            let map = |tx: f64, ty: f64| {
                let bounds = Bounds::new(tx, ty).unwrap();
                let scaled: Vec<Record> = data
                    .iter()
                    .map(|(x, y)| (x.iter().map(|v| v * tx).collect(), y * ty))
                    .collect();
                (stats_of(&scaled, d, bounds), tx, ty)
            };
            for floor in floors(c) {
                for radius in [None, Some(radius)] {
                    let run = |(stats, tx, ty): &(SuffStats, f64, f64)| {
                        let spec = RidgeSpec {
                            alpha: alpha * tx * tx,
                            floor: floor.with_level(floor.level() * tx * tx),
                            radius: radius.map(|r| r * ty / tx),
                            neighbor: Neighbor::ReplaceOne,
                        };
                        let fit = spec.solve(stats).unwrap().coef;
                        let delta = spec.sensitivity(stats.n(), &stats.bounds()).unwrap();
                        let back = tx / ty;
                        let fit: Vec<f64> = fit.iter().map(|v| v * back).collect();
                        (fit, delta.value * back)
                    };
                    let (fit, delta) = run(&map(1.0, 1.0));
                    for (other, value) in [run(&map(t, 1.0)), run(&map(1.0, t))] {
                        prop_assert!(distance(&fit, &other) <= 1e-8 * (1.0 + norm(&fit)));
                        prop_assert!((value - delta).abs() <= 1e-12 * delta);
                    }
                }
            }
            Ok(())
        })
        .unwrap();
}

/// `β̂(XQ) = Qᵀβ̂(X)` for rotations `Q` (a product of Givens rotations), duplicating the data set
/// and reordering its rows leave `β̂` alone, in all floors and with a ball.
#[test]
fn rotation_duplication_and_order() {
    let angles = proptest::collection::vec(0.0..6.3f64, 6);
    let strategy = (records(), penalties(), angles, 0usize..8, 0.1..2.0f64);
    runner(1_000)
        .run(
            &strategy,
            |((d, data), (alpha, c), angles, turn, radius)| {
                let bounds = Bounds::new(1.0 + 1e-12, 1.0).unwrap();
                let rotate = |x: &[f64]| {
                    let mut x = x.to_vec();
                    let mut angle = angles.iter();
                    for i in 0..d {
                        for j in i + 1..d {
                            let (sin, cos) = angle.next().unwrap().sin_cos();
                            (x[i], x[j]) = (cos * x[i] - sin * x[j], sin * x[i] + cos * x[j]);
                        }
                    }
                    x
                };
                let rotated: Vec<Record> = data.iter().map(|(x, y)| (rotate(x), *y)).collect();
                let mut reordered = data.clone();
                reordered.rotate_left(turn % data.len());
                reordered.reverse();
                let twice: Vec<Record> = data.iter().chain(&data).cloned().collect();
                for floor in floors(c) {
                    for radius in [None, Some(radius)] {
                        let neighbor = Neighbor::ReplaceOne;
                        let spec = RidgeSpec {
                            alpha,
                            floor,
                            radius,
                            neighbor,
                        };
                        let fit = |r: &[Record]| spec.solve(&stats_of(r, d, bounds)).unwrap().coef;
                        let plain = fit(&data);
                        let tolerance = 1e-9 * (1.0 + norm(&plain));
                        prop_assert!(distance(&fit(&rotated), &rotate(&plain)) <= tolerance);
                        prop_assert!(distance(&fit(&reordered), &plain) <= tolerance);
                        prop_assert!(distance(&fit(&twice), &plain) <= tolerance);
                    }
                }
                Ok(())
            },
        )
        .unwrap();
}

/// Merging is associative to 1e-12, and `f32` input is the same as its values in `f64`.
#[test]
fn merging_and_single_precision() {
    let strategy = (1usize..=4).prop_flat_map(|d| {
        let part = || proptest::collection::vec(record(d), 0..8);
        (Just(d), part(), part(), part())
    });
    runner(1_000)
        .run(&strategy, |(d, a, b, c)| {
            let bounds = Bounds::new(1.0, 1.0).unwrap();
            let stats = |r: &[Record]| stats_of(r, d, bounds);
            let all: Vec<Record> = [&a[..], &b, &c].concat();
            let left = stats(&a)
                .merge(&stats(&b))
                .unwrap()
                .merge(&stats(&c))
                .unwrap();
            let right = stats(&a)
                .merge(&stats(&b).merge(&stats(&c)).unwrap())
                .unwrap();
            let whole = stats(&all);
            let (x, y) = matrix(&all, d);
            let mut batch = SuffStats::new(d, bounds, Clip::Clip).unwrap();
            batch.push_batch(x.as_ref(), &y, Par::Seq).unwrap();
            for other in [&left, &right, &batch] {
                prop_assert_eq!(other.n(), whole.n());
                prop_assert!(apart(other, &whole) <= 1e-12 * (1.0 + whole.n() as f64));
            }
            prop_assert!(apart(&left, &right) <= 1e-12);

            let short = Mat::from_fn(x.nrows(), d, |i, j| x[(i, j)] as f32);
            let long = Mat::from_fn(x.nrows(), d, |i, j| f64::from(short[(i, j)]));
            let y32: Vec<f32> = y.iter().map(|v| *v as f32).collect();
            let y64: Vec<f64> = y32.iter().map(|v| f64::from(*v)).collect();
            let mut single = SuffStats::new(d, bounds, Clip::Clip).unwrap();
            single.push_batch(short.as_ref(), &y32, Par::Seq).unwrap();
            let mut double = SuffStats::new(d, bounds, Clip::Clip).unwrap();
            double.push_batch(long.as_ref(), &y64, Par::Seq).unwrap();
            prop_assert!(apart(&single, &double) == 0.0);
            prop_assert!(apart(&single, &whole) <= 1e-6 * (1.0 + whole.n() as f64));
            Ok(())
        })
        .unwrap();
}

fn apart(a: &SuffStats, b: &SuffStats) -> f64 {
    let (g, h) = (a.non_private_gram(), b.non_private_gram());
    let gram = (0..a.d())
        .flat_map(|i| (0..a.d()).map(move |j| (i, j)))
        .map(|at| (g[at] - h[at]).abs())
        .fold(0.0, f64::max);
    gram.max(distance(&a.non_private_xty(), &b.non_private_xty()))
        .max((a.non_private_yy() - b.non_private_yy()).abs())
}

#[test]
fn one_feature_knows_one_floor() {
    let strategy = (proptest::collection::vec(record(1), 1..8), penalties());
    runner(500)
        .run(&strategy, |(data, (alpha, c))| {
            let stats = stats_of(&data, 1, Bounds::new(1.0, 1.0).unwrap());
            let fit = |floor| RidgeSpec::new(alpha).floor(floor).solve(&stats).unwrap();
            let (shift, spectral) = (fit(Floor::Shift(c)), fit(Floor::Spectral(c)));
            prop_assert!(distance(&shift.coef, &spectral.coef) <= 1e-12);
            prop_assert_eq!(shift.floor_active, spectral.floor_active);
            Ok(())
        })
        .unwrap();
}

/// `Σ max(λ_j, c) u_j u_jᵀ` of a symmetric matrix.
fn floored(a: MatRef<'_, f64>, c: f64) -> Mat<f64> {
    let eigen = symmetric_eigen(a).unwrap();
    let raised = Floor::Spectral(c).apply(&eigen.values);
    let u = &eigen.vectors;
    Mat::from_fn(a.nrows(), a.nrows(), |i, j| {
        (0..a.nrows())
            .map(|k| u[(i, k)] * raised[k] * u[(j, k)])
            .sum()
    })
}

/// Operator norm and Frobenius norm of `A − B`.
fn norms(a: &Mat<f64>, b: &Mat<f64>) -> (f64, f64) {
    let values = symmetric_eigen((a - b).as_ref()).unwrap().values;
    let operator = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    (operator, norm(&values))
}

/// The spectral floor is 1-Lipschitz in Frobenius norm, which gives its √2 …
#[test]
fn the_spectral_floor_is_lipschitz_in_frobenius_norm() {
    let mut rng = Streams::new(3).child("frobenius").rng();
    for _ in 0..3_000 {
        let mut draw = || {
            let half = Mat::from_fn(3, 3, |_, _| normal(&mut rng));
            &half + half.transpose()
        };
        let (a, b) = (draw(), draw());
        let c = normal(&mut rng);
        let moved = norms(&floored(a.as_ref(), c), &floored(b.as_ref(), c)).1;
        assert!(moved <= norms(&a, &b).1 * (1.0 + 1e-12) + 1e-13);
    }
}

/// … and not in operator norm, not even for replacing one record: a hill climb over pairs finds a
/// ratio above 1.1, so that the constant 1 would not be private.
#[test]
fn the_spectral_floor_is_not_lipschitz_in_operator_norm() {
    let ratio = |p: &[f64; 7]| {
        let outer = |x: &[f64]| Mat::from_fn(2, 2, |i, j| x[i] * x[j]);
        let (kept, old, new) = (outer(&p[0..2]), outer(&p[2..4]), outer(&p[4..6]));
        let (a, b) = (&kept + &old, &kept + &new);
        let before = norms(&a, &b).0;
        if before < 1e-9 {
            return 0.0;
        }
        let c = p[6].abs();
        norms(&floored(a.as_ref(), c), &floored(b.as_ref(), c)).0 / before
    };
    let mut rng = Streams::new(5).child("operator").rng();
    let mut best = 0.0f64;
    for _ in 0..20 {
        let mut at = [0.0; 7].map(|_| normal(&mut rng));
        let (mut here, mut step) = (ratio(&at), 0.5);
        for _ in 0..600 {
            let next = at.map(|v| v + step * normal(&mut rng));
            let there = ratio(&next);
            if there > here {
                (at, here, step) = (next, there, (step * 1.3f64).min(1.0));
            } else {
                step = (step * 0.99).max(1e-3);
            }
        }
        best = best.max(here);
        if best > 1.1 {
            break;
        }
    }
    // A pair found in NumPy, derived apart from this code.
    let planted = ratio(&[0.1959, -1.0, 0.0445, -0.0496, -0.0546, -0.0382, 0.0317]);
    assert!((planted - 1.13304798).abs() < 1e-5, "{planted}");
    assert!(best > 1.1, "the climb reached {best} only");
}
