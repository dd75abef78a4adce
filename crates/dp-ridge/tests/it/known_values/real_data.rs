//! Housing (506 × 13) and concrete (1030 × 8) in the preparation of the AdaSSP study (Wang 2018):
//! targets centred and divided by the largest magnitude, features z-scored and rows divided by
//! their norms. That preparation looks at the data and is not private; it is used to compare.
//! Values: an independent re-run of the study, NumPy, 4 × 10-fold cross-validation.

use crate::support::{assert_close, unit};
use dp_ridge::baselines::{AdaSsp, AdaSspCalibration};
use dp_ridge::faer::{Mat, Par};
use dp_ridge::{
    Calibration, Clip, DpRegressor, Floor, Insecure, Ledger, Neighbor, Relation, RidgeSpec,
    Spectrum, SuffStats, Training, non_private_standardize,
};
use papercrates_data::csv::{CsvOptions, read_table};
use papercrates_numeric::streams::{Streams, permutation};

type Record = (Vec<f64>, f64);

const REPEATS: usize = 4;
const FOLDS: usize = 10;

/// Training statistics and test rows of every fold of every repeat.
fn folds(x: &Mat<f64>, y: &[f64]) -> Vec<(SuffStats, Vec<Record>)> {
    let n = y.len();
    let record = |i: usize| (x.row(i).iter().copied().collect::<Vec<f64>>(), y[i]);
    let mut out = Vec::new();
    for repeat in 0..REPEATS {
        let order = permutation(&mut Streams::new(2018).child(repeat).rng(), n);
        for fold in 0..FOLDS {
            let mut stats = SuffStats::new(x.ncols(), unit(), Clip::Clip).unwrap();
            let mut test = Vec::new();
            for (k, &i) in order.iter().enumerate() {
                let (row, target) = record(i);
                if k % FOLDS == fold {
                    test.push((row, target));
                } else {
                    stats.push(&row, target).unwrap();
                }
            }
            out.push((stats, test));
        }
    }
    out
}

fn test_error(coef: &[f64], test: &[Record]) -> f64 {
    let loss = |(x, y): &Record| {
        let p: f64 = x.iter().zip(coef).map(|(x, c)| x * c).sum();
        (p - y).powi(2)
    };
    test.iter().map(loss).sum::<f64>() / test.len() as f64
}

struct Published {
    trivial: f64,
    non_private: f64,
    /// AdaSSP as published at (1, 1e-6), without the identity of its code, and the tolerance.
    adassp: (f64, f64),
    /// ε, single, decoupled: oracle-tuned, δ = 1e-6, noise in closed form.
    private: [(f64, f64, f64); 2],
}

fn check(x: &Mat<f64>, y: &[f64], published: &Published) {
    let (x, y) = non_private_standardize(x.as_ref(), y).unwrap();
    let trivial = y.iter().map(|y| y * y).sum::<f64>() / y.len() as f64;
    assert!((trivial - published.trivial).abs() < 1e-4, "{trivial}");

    let folds = folds(&x, &y);
    let mean = |f: &dyn Fn(&SuffStats, &[Record]) -> f64| {
        folds.iter().map(|(s, t)| f(s, t)).sum::<f64>() / folds.len() as f64
    };
    // The study's reference: ridge with λ = 1 on XᵀX, that is α = 1/n.
    let non_private = mean(&|s, t| {
        let fit = RidgeSpec::new(1.0 / s.n() as f64).solve(s).unwrap();
        test_error(&fit.coef, t)
    });
    assert!(
        (non_private - published.non_private).abs() < 0.002,
        "{non_private}"
    );

    let adassp = AdaSsp {
        calibration: AdaSspCalibration::Paper,
        ..AdaSsp::default()
    };
    let mut rng = Insecure::seeded(2018);
    let mut total = 0.0;
    for (stats, test) in &folds {
        let claim = crate::support::budget(1.0, 1e-6);
        let mut ledger = Ledger::open(claim, Calibration::Analytic, Relation::AddRemove).unwrap();
        let training = Training::from_stats(stats.clone());
        let release = adassp.fit(&training, &mut ledger, &mut rng).unwrap();
        total += test_error(&release.coef, test) / folds.len() as f64;
    }
    let (want, tolerance) = published.adassp;
    assert!((total - want).abs() < tolerance, "AdaSSP {total}");

    let spectra: Vec<Spectrum> = folds
        .iter()
        .map(|(s, _)| Spectrum::of(s, Neighbor::ReplaceOne).unwrap())
        .collect();
    for (epsilon, single, decoupled) in published.private {
        let s = dp_ridge::calibration::analytic_multiplier(crate::support::budget(epsilon, 1e-6))
            .unwrap();
        let (mut best_single, mut best) = (f64::INFINITY, f64::INFINITY);
        for alpha in [0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0] {
            for c in [0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0] {
                let spec = RidgeSpec::new(alpha).floor(Floor::Spectral(c));
                let mut total = 0.0;
                for ((stats, test), spectrum) in folds.iter().zip(&spectra) {
                    let delta = spec.sensitivity(stats.n(), &unit()).unwrap().value;
                    // Rows have norm 1: the noise adds Δ²s² to every prediction.
                    total +=
                        test_error(&spectrum.fit(&spec).unwrap().coef, test) + (delta * s).powi(2);
                }
                let error = total / folds.len() as f64;
                best = best.min(error);
                if c == 0.0 {
                    best_single = best_single.min(error);
                }
            }
        }
        assert_close(best_single, single, 0.03);
        assert_close(best, decoupled, 0.03);
        assert!(best <= best_single);
    }
}

#[test]
fn concrete() {
    let set = papercrates_data::sets::concrete().unwrap();
    let (x, y) = set.table.split_target(set.target).unwrap();
    let published = Published {
        trivial: 0.12739,
        non_private: 0.0444,
        adassp: (0.066, 0.005),
        private: [(1.0, 0.0833, 0.0744), (5.0, 0.0641, 0.0533)],
    };
    check(&x, &y, &published);
}

#[test]
fn housing() {
    let path = match papercrates_data::fetched::path("housing") {
        Ok(path) => path,
        Err(reason) => return eprintln!("skipped: {reason}"),
    };
    let table = read_table(path, &CsvOptions::default()).unwrap();
    let (x, y) = table.split_target("medv").unwrap();
    let published = Published {
        trivial: 0.11190,
        non_private: 0.0391,
        adassp: (0.0713, 0.006),
        private: [(1.0, 0.0749, 0.0730), (5.0, 0.0565, 0.0525)],
    };
    check(&x, &y, &published);
}

/// The sums of a real set agree whether pushed row by row or as one batch of any storage.
#[test]
fn concrete_sums_are_the_same_by_row_and_by_batch() {
    let set = papercrates_data::sets::concrete().unwrap();
    let (x, y) = set.table.split_target(set.target).unwrap();
    let (x, y) = non_private_standardize(x.as_ref(), &y).unwrap();
    let mut batch = SuffStats::new(8, unit(), Clip::Clip).unwrap();
    batch.push_batch(x.as_ref(), &y, Par::rayon(2)).unwrap();
    let mut rows = SuffStats::new(8, unit(), Clip::Clip).unwrap();
    for (i, target) in y.iter().enumerate() {
        let row: Vec<f64> = x.row(i).iter().copied().collect();
        rows.push(&row, *target).unwrap();
    }
    let (a, b) = (batch.non_private_gram(), rows.non_private_gram());
    for i in 0..8 {
        for j in 0..8 {
            assert!((a[(i, j)] - b[(i, j)]).abs() < 1e-10);
        }
    }
    // Unit rows: the trace counts them.
    let trace: f64 = (0..8).map(|j| a[(j, j)]).sum();
    assert_close(trace, 1030.0, 1e-12);
}
