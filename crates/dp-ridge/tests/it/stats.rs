//! Sufficient statistics: sums, clipping, storage orders, threads, and what must stay private.

use crate::support::{assert_close, norm, stats_of, unit};
use dp_ridge::faer::{Mat, MatRef, Par};
use dp_ridge::{
    Bounds, Clip, Error, MAX_RECORDS, Neighbor, RidgeSpec, Spectrum, SuffStats, Training,
};
use papercrates_numeric::streams::{Streams, normal};

fn random(n: usize, d: usize, seed: u64) -> (Mat<f64>, Vec<f64>) {
    let mut rng = Streams::new(seed).child("stats").rng();
    let x = Mat::from_fn(n, d, |_, _| 0.5 * normal(&mut rng));
    (x, (0..n).map(|_| normal(&mut rng)).collect())
}

fn pushed(x: MatRef<'_, f64>, y: &[f64], bounds: Bounds, par: Par) -> SuffStats {
    let mut stats = SuffStats::new(x.ncols(), bounds, Clip::Clip).unwrap();
    stats.push_batch(x, y, par).unwrap();
    stats
}

/// All bits of the sums.
fn bytes(stats: &SuffStats) -> Vec<u64> {
    let gram = stats.non_private_gram();
    let (d, n, clipped) = (stats.d(), stats.n(), stats.non_private_clipped());
    (0..d)
        .flat_map(|i| (0..d).map(move |j| (i, j)))
        .map(|at| gram[at].to_bits())
        .chain(stats.non_private_xty().iter().map(|v| v.to_bits()))
        .chain([stats.non_private_yy().to_bits(), n, clipped.0, clipped.1])
        .collect()
}

/// The same bytes for every number of threads: narrow (whole blocks split over threads) and wide
/// (products split), block boundaries at 1024 rows on either side.
#[test]
fn threads_do_not_change_a_bit() {
    for (n, d) in [
        (1, 1),
        (1023, 7),
        (1024, 7),
        (1025, 7),
        (10_000, 12),
        (1500, 520),
    ] {
        let (x, y) = random(n, d, n as u64);
        let one = bytes(&pushed(x.as_ref(), &y, unit(), Par::Seq));
        for threads in [2, 3, 4] {
            let many = pushed(x.as_ref(), &y, unit(), Par::rayon(threads));
            assert!(bytes(&many) == one, "n {n}, d {d}, {threads} threads");
        }
    }
}

/// Column-major, row-major, transposed, reversed and strided views hold the same numbers.
#[test]
fn storage_order_does_not_matter() {
    let (n, d) = (3000, 5);
    let (x, y) = random(n, d, 1);
    let want = pushed(x.as_ref(), &y, unit(), Par::Seq);
    let flat: Vec<f64> = (0..n)
        .flat_map(|i| (0..d).map(move |j| (i, j)))
        .map(|at| x[at])
        .collect();
    let row_major = MatRef::from_row_major_slice(&flat, n, d);
    let wide = Mat::from_fn(2 * n, 2 * d, |i, j| {
        if i % 2 == 0 && j % 2 == 0 {
            x[(i / 2, j / 2)]
        } else {
            f64::NAN
        }
    });
    // Every second row and column of `wide`, without a copy.
    let rows: Vec<f64> = (0..n)
        .flat_map(|i| (0..2 * d).map(move |j| (2 * i, j)))
        .map(|at| wide[at])
        .collect();
    let padded = MatRef::from_row_major_slice(&rows, n, 2 * d);
    let columns = Mat::from_fn(d, n, |j, i| x[(i, j)]);
    let reversed = Mat::from_fn(n, d, |i, j| x[(n - 1 - i, d - 1 - j)]);
    let tight = |other: &SuffStats| {
        let (a, b) = (other.non_private_gram(), want.non_private_gram());
        for i in 0..d {
            for j in 0..d {
                assert!((a[(i, j)] - b[(i, j)]).abs() < 1e-10 * n as f64);
            }
        }
        assert_close(other.non_private_yy(), want.non_private_yy(), 1e-14);
        assert_eq!(other.non_private_clipped(), want.non_private_clipped());
    };
    tight(&pushed(row_major, &y, unit(), Par::Seq));
    tight(&pushed(columns.transpose(), &y, unit(), Par::rayon(2)));
    tight(&pushed(
        reversed.as_ref().reverse_rows_and_cols(),
        &y,
        unit(),
        Par::Seq,
    ));
    // A view whose rows are contiguous but longer than d.
    let view = padded.subcols(0, 1);
    let first = pushed(view, &y, unit(), Par::Seq);
    let column = pushed(x.as_ref().subcols(0, 1), &y, unit(), Par::Seq);
    assert_close(
        first.non_private_gram()[(0, 0)],
        column.non_private_gram()[(0, 0)],
        1e-13,
    );
}

/// Against plain sums of clipped records.
#[test]
fn sums_of_clipped_records() {
    let bounds = Bounds::new(0.8, 0.5).unwrap();
    let (x, y) = random(2500, 3, 9);
    let stats = pushed(x.as_ref(), &y, bounds, Par::rayon(2));
    let (mut gram, mut xty, mut yy) = ([[0.0; 3]; 3], [0.0; 3], 0.0);
    let mut clipped = (0, 0);
    for i in 0..2500 {
        let size = (0..3).map(|j| x[(i, j)].powi(2)).sum::<f64>().sqrt();
        let scale = (0.8 / size).min(1.0);
        let target = y[i].clamp(-0.5, 0.5);
        clipped.0 += u64::from(size > 0.8);
        clipped.1 += u64::from(y[i].abs() > 0.5);
        for j in 0..3 {
            for k in 0..3 {
                gram[j][k] += scale * scale * x[(i, j)] * x[(i, k)];
            }
            xty[j] += scale * x[(i, j)] * target;
        }
        yy += target * target;
    }
    let got = stats.non_private_gram();
    for j in 0..3 {
        for k in 0..3 {
            assert!((got[(j, k)] - gram[j][k]).abs() < 1e-10);
        }
        assert!((stats.non_private_xty()[j] - xty[j]).abs() < 1e-10);
    }
    assert_close(stats.non_private_yy(), yy, 1e-13);
    assert_eq!(stats.non_private_clipped(), clipped);
    assert!(clipped.0 > 500 && clipped.1 > 500 && clipped.0 < 2000);
    assert_eq!((stats.n(), stats.d(), stats.bounds()), (2500, 3, bounds));
}

/// Huge, tiny and subnormal entries are clipped to the ball like any other, by row and by batch.
#[test]
fn extreme_entries_are_clipped() {
    let big = f64::MAX;
    for (row, want) in [
        (vec![big, big], vec![0.5f64.sqrt(), 0.5f64.sqrt()]),
        (vec![1e308, 0.0], vec![1.0, 0.0]),
        (vec![-3e200, 4e200], vec![-0.6, 0.8]),
        (vec![1e-200, 0.0], vec![0.0, 0.0]),
        (vec![5e-324, 5e-324], vec![0.0, 0.0]),
        (vec![1e200, 1e-200], vec![1.0, 0.0]),
    ] {
        for batch in [false, true] {
            let mut stats = SuffStats::new(2, unit(), Clip::Clip).unwrap();
            if batch {
                let x = MatRef::from_row_major_slice(&row, 1, 2);
                stats.push_batch(x, &[big], Par::Seq).unwrap();
            } else {
                stats.push(&row, big).unwrap();
            }
            let (gram, xty) = (stats.non_private_gram(), stats.non_private_xty());
            for i in 0..2 {
                assert!((xty[i] - want[i]).abs() < 1e-15, "{row:?} gave {xty:?}");
                for j in 0..2 {
                    assert!((gram[(i, j)] - want[i] * want[j]).abs() < 1e-15);
                }
            }
            assert_eq!(stats.non_private_yy(), 1.0);
            let clipped = u64::from(norm(&want) > 0.0);
            assert_eq!(stats.non_private_clipped(), (clipped, 1));
        }
    }
}

/// A clipped row never exceeds the bound by more than rounding, so that the 1e-9 of the release
/// covers it: 3000 rows of wild scales.
#[test]
fn clipped_rows_stay_inside() {
    let mut rng = Streams::new(2).child("scales").rng();
    for i in 0..3000 {
        let scale = 10f64.powi(i % 600 - 300);
        let row: Vec<f64> = (0..3).map(|_| scale * normal(&mut rng)).collect();
        let stats = stats_of(&[(row, 1.0)], 3, unit());
        let gram = stats.non_private_gram();
        let trace: f64 = (0..3).map(|j| gram[(j, j)]).sum();
        assert!(trace <= 1.0 + 1e-14, "{trace} at scale {scale:e}");
    }
}

/// Sums keep their digits over a million records (one plain running sum is off by 1e-11).
#[test]
fn long_sums_keep_their_digits() {
    let n = 1_000_000;
    let x = Mat::from_fn(n, 1, |_, _| 0.1);
    let y = vec![0.3; n];
    let stats = pushed(x.as_ref(), &y, unit(), Par::Seq);
    // 0.1² · 10⁶ and 0.03 · 10⁶ with the doubles nearest to 0.1 and 0.3.
    assert_close(stats.non_private_gram()[(0, 0)], 1e4, 1e-13);
    assert_close(stats.non_private_xty()[0], 3e4, 1e-13);
}

#[test]
fn empty_batches_change_nothing() {
    let mut stats = stats_of(&[(vec![0.5, 0.1], 0.2)], 2, unit());
    let before = bytes(&stats);
    stats
        .push_batch(Mat::<f64>::zeros(0, 2).as_ref(), &[], Par::rayon(2))
        .unwrap();
    assert_eq!(bytes(&stats), before);
    let empty = SuffStats::new(2, unit(), Clip::Clip).unwrap();
    assert_eq!(bytes(&empty.merge(&stats).unwrap()), before);
}

/// Nothing of a batch is added when one of its rows is refused.
#[test]
fn a_refused_batch_leaves_no_trace() {
    let (mut x, y) = random(5000, 3, 4);
    let mut stats = stats_of(&[(vec![0.5, 0.1, 0.0], 0.2)], 3, unit());
    let before = bytes(&stats);
    for (row, value) in [
        (0, f64::NAN),
        (1024, f64::INFINITY),
        (4999, f64::NEG_INFINITY),
    ] {
        let kept = x[(row, 2)];
        x[(row, 2)] = value;
        for par in [Par::Seq, Par::rayon(2)] {
            let error = stats.push_batch(x.as_ref(), &y, par).unwrap_err();
            let row = row as u64;
            assert_eq!(error, Error::NonFinite { row, col: 2 });
            assert_eq!(bytes(&stats), before);
        }
        x[(row, 2)] = kept;
    }
}

/// Counts beyond 2^53 are refused, not wrapped.
#[test]
fn counts_do_not_wrap() {
    let zero = Mat::zeros(1, 1);
    let of = |n| SuffStats::from_sums(unit(), n, zero.as_ref(), &[0.0], 0.0, (0, 0));
    let mut full = of(MAX_RECORDS).unwrap();
    let one = Mat::from_fn(1, 1, |_, _| 0.5);
    for error in [
        of(MAX_RECORDS + 1).unwrap_err(),
        of(u64::MAX).unwrap_err(),
        full.clone().merge(&of(1).unwrap()).unwrap_err(),
        full.push(&[0.5], 0.5).unwrap_err(),
        full.push_batch(one.as_ref(), &[0.5], Par::Seq).unwrap_err(),
    ] {
        assert!(matches!(error, Error::BadStatistics { .. }), "{error:?}");
    }
    assert_eq!(full.n(), MAX_RECORDS);
    assert_eq!(full.non_private_yy(), 0.0);
}

#[test]
fn debug_output_shows_no_data() {
    let stats = stats_of(&[(vec![0.123456, 0.5], 0.654321)], 2, unit());
    let fit = RidgeSpec::new(0.1).solve(&stats).unwrap();
    let spectrum = Spectrum::of(&stats, Neighbor::ReplaceOne).unwrap();
    let training = Training::from_stats(stats.clone());
    for text in [
        format!("{stats:?}"),
        format!("{fit:?}"),
        format!("{spectrum:?}"),
        format!("{training:?}"),
        format!("{stats:#?}"),
    ] {
        assert!(text.contains("non-private"), "{text}");
        assert!(!text.contains("0.1") && !text.contains("0.0"), "{text}");
    }
}

/// What is not private has no `Serialize`, what is released has. Decided at compile time: the
/// inherent constant exists for serialisable types only and goes before the trait's.
#[cfg(feature = "serde")]
mod serialisable {
    use dp_ridge::{
        Ledger, LedgerSummary, NonPrivateFit, Release, RidgeSpec, Spectrum, SuffStats, Training,
    };
    use serde::Serialize;
    use std::marker::PhantomData;

    struct Probe<T>(PhantomData<T>);

    impl<T: Serialize> Probe<T> {
        const SERIALISES: bool = true;
    }

    trait Otherwise {
        const SERIALISES: bool = false;
    }

    impl<T> Otherwise for Probe<T> {}

    #[test]
    fn only_what_is_private() {
        const {
            assert!(!Probe::<SuffStats>::SERIALISES);
            assert!(!Probe::<NonPrivateFit>::SERIALISES);
            assert!(!Probe::<Spectrum>::SERIALISES);
            assert!(!Probe::<Training<'static>>::SERIALISES);
            assert!(Probe::<Release>::SERIALISES);
            assert!(Probe::<Ledger>::SERIALISES);
            assert!(Probe::<LedgerSummary>::SERIALISES);
            assert!(Probe::<RidgeSpec>::SERIALISES);
        }
    }
}

/// Panels, the library's triangular product and products split over threads: entry by entry
/// against the definition.
#[test]
fn every_width_gives_the_definition() {
    for d in [1, 7, 8, 9, 50, 199, 200, 513] {
        let n = 40;
        let x = Mat::from_fn(n, d, |i, j| ((i * 31 + j * 17) % 23) as f64 / 23.0 - 0.5);
        let y: Vec<f64> = (0..n).map(|i| (i % 5) as f64 / 5.0).collect();
        let bounds = Bounds::new(100.0, 1.0).unwrap();
        let mut stats = SuffStats::new(d, bounds, Clip::Reject).unwrap();
        stats.push_batch(x.as_ref(), &y, Par::rayon(2)).unwrap();
        let (gram, xty) = (stats.non_private_gram(), stats.non_private_xty());
        for j in 0..d {
            for k in 0..d {
                let sum: f64 = (0..n).map(|i| x[(i, j)] * x[(i, k)]).sum();
                assert!((gram[(j, k)] - sum).abs() < 1e-13, "d {d}, ({j}, {k})");
            }
            let sum: f64 = (0..n).map(|i| x[(i, j)] * y[i]).sum();
            assert!((xty[j] - sum).abs() < 1e-13, "d {d}, {j}");
        }
    }
}
