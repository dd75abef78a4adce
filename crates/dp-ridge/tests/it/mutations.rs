//! Wrong formulas that have been published, shipped or nearly written, and the check that catches
//! each. The library's own formula passes every check; a mutant must fail the one named for it.

use crate::support::{budget, one_loud_record, unit};
use dp_ridge::calibration::{analytic_multiplier, gdp_delta};
use dp_ridge::{Bounds, Floor, RidgeSpec};

/// What a noise scale is computed from.
type Sensitivity = fn(&RidgeSpec, u64) -> f64;

fn library(spec: &RidgeSpec, n: u64) -> f64 {
    spec.sensitivity(n, &unit()).unwrap().value
}

/// The largest distance of the two fits of a planted pair: one record `x = 1`, `y = ±1`, all
/// others zero, d = 1.
fn planted(fit: impl Fn(&dp_ridge::SuffStats) -> f64, n: u64, bounds: Bounds) -> f64 {
    let at = |y| fit(&one_loud_record(1.0, y, n, bounds));
    (at(1.0) - at(-1.0)).abs()
}

fn fitted(spec: RidgeSpec) -> impl Fn(&dp_ridge::SuffStats) -> f64 {
    move |stats| spec.solve(stats).unwrap().coef[0]
}

/// Exact sensitivities (50-digit arithmetic) that a formula must give.
fn gives_known_values(formula: Sensitivity) -> bool {
    use Floor::{None, Shift, Spectral};
    [
        (1000, 0.01, Shift(0.1), 0.0704508704160063),
        (1000, 0.01, Spectral(0.1), 0.0551416194628064),
        (1000, 0.1, Spectral(0.01), 0.0385097088863617),
        (1000, 1.0, None, 0.00220183473752081),
    ]
    .iter()
    .all(|&(n, alpha, floor, want)| {
        let got = formula(&RidgeSpec::new(alpha).floor(floor), n);
        (got - want).abs() <= 1e-10 * want
    })
}

/// No planted pair may be further apart than the formula says: decoupled at n = 100, and single
/// at n = 1000, where the difference is `2/1001`.
fn covers_planted_pairs(formula: Sensitivity) -> bool {
    let decoupled = RidgeSpec::new(0.01).floor(Floor::Spectral(0.1));
    let single = RidgeSpec::new(1.0);
    [(decoupled, 100), (single, 1000)]
        .into_iter()
        .all(|(spec, n)| planted(fitted(spec), n, unit()) <= formula(&spec, n) * (1.0 + 1e-12))
}

#[test]
fn the_library_passes_all_checks() {
    assert!(gives_known_values(library));
    assert!(covers_planted_pairs(library));
}

/// Noise scaled for the floor `c`, but the fit made without it: the unfloored fits differ by
/// exactly 1.0, more than either Δ; the floored ones stay within.
#[test]
fn noise_for_a_floor_that_was_not_applied() {
    for (floor, delta) in [
        (Floor::Spectral(0.1), 0.5514161946),
        (Floor::Shift(0.1), 0.7045087042),
    ] {
        let spec = RidgeSpec::new(0.01).floor(floor);
        assert!((library(&spec, 100) - delta).abs() < 1e-9);
        let mutant = planted(fitted(RidgeSpec::new(0.01)), 100, unit());
        assert!((mutant - 1.0).abs() < 1e-12);
        assert!(mutant > delta);
        assert!(planted(fitted(spec), 100, unit()) <= delta);
    }
}

#[test]
fn factor_one_instead_of_root_two() {
    fn mutant(spec: &RidgeSpec, n: u64) -> f64 {
        let s = spec.sensitivity(n, &unit()).unwrap();
        match spec.floor {
            Floor::Spectral(_) => (2.0 + s.norm_bound) / (n as f64 * s.curvature),
            _ => s.value,
        }
    }
    assert!(!gives_known_values(mutant));
}

#[test]
fn curvature_of_the_penalty_alone() {
    fn mutant(spec: &RidgeSpec, n: u64) -> f64 {
        let s = spec.sensitivity(n, &unit()).unwrap();
        (s.k / (n as f64 * spec.alpha)).min(2.0 * s.norm_bound)
    }
    assert!(!gives_known_values(mutant));
}

#[test]
fn curvature_of_the_floor_alone() {
    fn mutant(spec: &RidgeSpec, n: u64) -> f64 {
        let s = spec.sensitivity(n, &unit()).unwrap();
        (s.k / (n as f64 * spec.floor.level())).min(2.0 * s.norm_bound)
    }
    assert!(!gives_known_values(mutant));
}

/// The constant of add/remove under replace-one: 1.5/1000 where the planted pair moves 2/1001.
#[test]
fn add_remove_constant_under_replace_one() {
    fn mutant(spec: &RidgeSpec, n: u64) -> f64 {
        let s = spec.sensitivity(n, &unit()).unwrap();
        ((1.0 + s.norm_bound) / (n as f64 * s.curvature)).min(2.0 * s.norm_bound)
    }
    let single = RidgeSpec::new(1.0);
    assert!((mutant(&single, 1000) - 1.5e-3).abs() < 1e-15);
    assert!((planted(fitted(single), 1000, unit()) - 2.0 / 1001.0).abs() < 1e-15);
    assert!(!covers_planted_pairs(mutant));
    assert!(!gives_known_values(mutant));
}

/// The single-parameter constant used with a floor: what is sharp for `None` is too small for
/// either floor.
#[test]
fn sharp_constant_with_a_floor() {
    fn mutant(spec: &RidgeSpec, n: u64) -> f64 {
        let s = spec.sensitivity(n, &unit()).unwrap();
        let k = dp_ridge::k_zero(&unit(), s.norm_bound);
        (k / (n as f64 * s.curvature)).min(2.0 * s.norm_bound)
    }
    assert!(!gives_known_values(mutant));
}

/// One record may move both sums: forgetting the Gram matrix (`K = 2B_xB_y`) is a factor 3 here.
#[test]
fn a_constant_without_the_gram_matrix() {
    fn mutant(spec: &RidgeSpec, n: u64) -> f64 {
        2.0 / (n as f64 * (spec.alpha + spec.floor.level()))
    }
    assert!(!gives_known_values(mutant));
}

/// The norm bound halves at `c < α`, not below: with the wrong branch `R` is too small.
#[test]
fn norm_bound_of_the_other_branch() {
    fn mutant(spec: &RidgeSpec, n: u64) -> f64 {
        let c = spec.floor.level();
        let r = (c.sqrt() / (c + spec.alpha)).min(1.0 / (c + spec.alpha));
        (2.0 + 2f64.sqrt() * r) / (n as f64 * (c + spec.alpha))
    }
    assert!(!gives_known_values(mutant));
}

/// The classic formula beyond ε = 1 delivers less than it states: 1.90e-6 instead of 1e-6.
#[test]
fn classic_formula_at_epsilon_ten() {
    let delivers = |s: f64| gdp_delta(1.0 / s, 10.0);
    let mutant = (2.0 * (1.25f64 / 1e-6).ln()).sqrt() / 10.0;
    assert!(delivers(mutant) > 1.9e-6);
    assert!(delivers(analytic_multiplier(budget(10.0, 1e-6)).unwrap()) <= 1e-6);
}
