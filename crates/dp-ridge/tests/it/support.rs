//! What several tests need.

use dp_ridge::faer::Mat;
use dp_ridge::{Bounds, Budget, Calibration, Clip, Ledger, Relation, SuffStats};

/// `|got − want| ≤ tolerance · |want|`.
#[track_caller]
pub(crate) fn assert_close(got: f64, want: f64, tolerance: f64) {
    assert!(
        (got - want).abs() <= tolerance * want.abs(),
        "got {got}, expected {want} to a relative {tolerance:e}"
    );
}

/// `B_x = B_y = 1`, the bounds of nearly all known values.
pub(crate) fn unit() -> Bounds {
    Bounds::new(1.0, 1.0).unwrap()
}

pub(crate) fn budget(epsilon: f64, delta: f64) -> Budget {
    Budget::new(epsilon, delta).unwrap()
}

/// A replace-one ledger.
pub(crate) fn ledger(epsilon: f64, delta: f64, calibration: Calibration) -> Ledger {
    Ledger::open(budget(epsilon, delta), calibration, Relation::ReplaceOne).unwrap()
}

/// Statistics of a few records.
pub(crate) fn stats_of(records: &[(Vec<f64>, f64)], d: usize, bounds: Bounds) -> SuffStats {
    let mut stats = SuffStats::new(d, bounds, Clip::Clip).unwrap();
    for (x, y) in records {
        stats.push(x, *y).unwrap();
    }
    stats
}

/// One feature, one record `(x, y)` and `n − 1` records of zeros.
pub(crate) fn one_loud_record(x: f64, y: f64, n: u64, bounds: Bounds) -> SuffStats {
    let gram = Mat::from_fn(1, 1, |_, _| x * x);
    SuffStats::from_sums(bounds, n, gram.as_ref(), &[x * y], y * y, (0, 0)).unwrap()
}

/// `‖a − b‖`.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).powi(2))
        .sum::<f64>()
        .sqrt()
}

pub(crate) fn norm(a: &[f64]) -> f64 {
    distance(a, &vec![0.0; a.len()])
}
