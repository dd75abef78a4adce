//! The baselines: known noise scales, what they charge, and that they estimate what they claim.

mod adassp;
mod functional;
mod gradient_descent;
mod objective;
mod simple;

use crate::support::{budget, unit};
use dp_ridge::faer::Mat;
use dp_ridge::{Bounds, Calibration, Ledger, Neighbor, Relation, SuffStats};

/// An add/remove ledger.
fn add_remove(epsilon: f64, delta: f64) -> Ledger {
    Ledger::open(
        budget(epsilon, delta),
        Calibration::Analytic,
        Relation::AddRemove,
    )
    .unwrap()
}

fn nominal(n: u64) -> Neighbor {
    Neighbor::AddRemove {
        n_nominal: n,
        n_max: n,
    }
}

/// `2n` records: `n` each at `(e₁, y)` and `(e₂, 0)`, so `XᵀX = nI` and OLS gives `(y, 0)`.
fn two_axes(n: u64, y: f64) -> SuffStats {
    let count = n as f64;
    let gram = Mat::from_fn(2, 2, |i, j| if i == j { count } else { 0.0 });
    SuffStats::from_sums(
        unit(),
        2 * n,
        gram.as_ref(),
        &[count * y, 0.0],
        count * y * y,
        (0, 0),
    )
    .unwrap()
}

fn empty(d: usize, bounds: Bounds) -> SuffStats {
    SuffStats::new(d, bounds, dp_ridge::Clip::Clip).unwrap()
}

/// Mean of squares.
fn power(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64
}
