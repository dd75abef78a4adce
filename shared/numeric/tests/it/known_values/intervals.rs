use super::{X, Y};
use crate::assert_close;
use papercrates_numeric::stats::{
    Interval, bootstrap_bca, bootstrap_percentile, clopper_pearson, mean, mean_interval, median,
    median_interval, paired_bootstrap, quantile, quantile_interval, std_dev, variance, wilson,
};
use papercrates_numeric::streams::Streams;

#[track_caller]
fn assert_interval(actual: Interval, low: f64, high: f64, rel_tol: f64) {
    assert_close(actual.low, low, rel_tol);
    assert_close(actual.high, high, rel_tol);
}

/// numpy: mean, var(ddof=1), quantile (its default is type 7).
#[test]
fn summaries() {
    assert_close(mean(&X), 3.79, 1e-15);
    assert_close(variance(&X), 2.067_666_666_666_666, 1e-15);
    assert_close(std_dev(&X), 2.067_666_666_666_666_f64.sqrt(), 1e-15);
    for (q, expected) in [
        (0.0, 1.9),
        (0.1, 2.08),
        (0.25, 2.775),
        (0.33, 2.991),
        (0.5, 3.6),
        (0.9, 5.65),
        (1.0, 6.1),
    ] {
        assert_close(quantile(&X, q), expected, 1e-15);
    }
    assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
    // A large offset does not drown the spread.
    assert_close(variance(&[1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0]), 1.0, 1e-15);
    assert!(mean(&[]).is_nan() && median(&[]).is_nan() && variance(&[1.0]).is_nan());
    assert!(quantile(&[1.0, f64::NAN], 0.0).is_nan() && quantile(&X, 1.5).is_nan());
}

/// `stats.t.interval(level, 9, mean, stats.sem(X))`; `stats.t.ppf(0.975, 99999)`.
#[test]
fn t_intervals() {
    let at_95 = mean_interval(&X, 0.95).unwrap();
    assert_interval(at_95, 2.761_360_878_861_091_7, 4.818_639_121_138_908, 1e-13);
    assert_eq!((at_95.level, at_95.n), (0.95, 10));
    let at_90 = mean_interval(&X, 0.9).unwrap();
    assert_interval(at_90, 2.956_454_167_285_421, 4.623_545_832_714_579, 1e-13);
    // 100 000 values of plus and minus one: the standard error is 1 / sqrt(99999).
    let many: Vec<f64> = (0..100_000)
        .map(|i| if i % 2 == 0 { 1.0 } else { -1.0 })
        .collect();
    let high = mean_interval(&many, 0.95).unwrap().high;
    assert_close(high * 99_999_f64.sqrt(), 1.959_987_707_771_844_2, 1e-11);
}

/// Ranks of the exact binomial intervals, from `stats.binom.ppf`: n = 10 takes ranks 2 and 9,
/// n = 25 ranks 8 and 18, n = 3000 ranks 1446 and 1555, n = 6 the extremes; the 0.9 quantile of n = 100 ranks 84 and 96.
#[test]
fn order_statistic_intervals() {
    let ranks = |n: i32| (1..=n).rev().map(f64::from).collect::<Vec<_>>();
    for (n, low, high) in [
        (6, 1.0, 6.0),
        (10, 2.0, 9.0),
        (25, 8.0, 18.0),
        (3000, 1446.0, 1555.0),
    ] {
        let interval = median_interval(&ranks(n), 0.95).unwrap();
        assert_eq!((interval.low, interval.high), (low, high), "n = {n}");
        assert_eq!(interval.estimate, f64::from(n + 1) / 2.0);
    }
    let upper = quantile_interval(&ranks(100), 0.9, 0.95).unwrap();
    assert_eq!((upper.low, upper.high), (84.0, 96.0));
    let lower = quantile_interval(&ranks(100), 0.1, 0.95).unwrap();
    assert_eq!((lower.low, lower.high), (5.0, 17.0), "the mirror image");
}

/// Wilson: `stats.binomtest(successes, n).proportion_ci(0.95, 'wilson')`. Clopper-Pearson:
/// `scipy.special.betaincinv(s, n - s + 1, tail)` and `betainccinv(s + 1, n - s, tail)`, because
/// the search behind `proportion_ci(level, 'exact')` stops at 2e-12 absolute; of no and of all
/// successes the closed forms `1 - 0.025^(1/15)` and `0.025^(1/30)`.
#[test]
fn proportions() {
    for (successes, n, low, high) in [
        (7, 20, 0.181_191_824_101_082_1, 0.567_145_723_314_763_7),
        (0, 15, 0.0, 0.203_883_301_035_848_6),
        (30, 30, 0.886_486_606_826_031_2, 1.0),
        (480, 500, 0.939_026_404_165_149_2, 0.973_959_202_610_222_7),
        (
            3,
            100_000,
            1.020_275_854_451_734e-5,
            8.820_804_925_176_73e-5,
        ),
    ] {
        assert_interval(wilson(successes, n, 0.95).unwrap(), low, high, 1e-12);
    }
    for (successes, n, level, low, high) in [
        (
            7,
            20,
            0.95,
            0.153_909_204_784_541_2,
            0.592_188_534_532_828_2,
        ),
        (
            7,
            20,
            0.99,
            0.113_879_763_266_732_42,
            0.656_568_584_231_921_1,
        ),
        (0, 15, 0.95, 0.0, 0.218_019_360_910_534_06),
        (30, 30, 0.95, 0.884_296_691_777_972_2, 1.0),
        (
            480,
            500,
            0.95,
            0.938_897_390_611_755_3,
            0.975_398_687_914_454_6,
        ),
        (
            3,
            100_000,
            0.95,
            6.186_763_958_922_032e-6,
            8.767_020_256_636_2e-5,
        ),
        (
            500_000,
            1_000_000,
            0.95,
            0.499_019_519_195_311_84,
            0.500_980_480_804_688_2,
        ),
        (
            30_000_000,
            100_000_000,
            0.95,
            0.299_910_183_956_830_2,
            0.300_089_827_621_248_6,
        ),
        (
            100,
            100_000_000,
            0.95,
            8.136_399_842_560_572e-7,
            1.216_267_806_404_362e-6,
        ),
    ] {
        let interval = clopper_pearson(successes, n, level).unwrap();
        let tolerance = if n <= 1_000_000 { 1e-12 } else { 1e-10 };
        assert_interval(interval, low, high, tolerance);
    }
}

/// Spatial test data of Efron & Tibshirani (1993), table 14.1, statistic `var` with divisor n,
/// level 90 %. `stats.bootstrap((data,), np.var, n_resamples=200000, confidence_level=0.9,
/// method=...)` with three seeds gives BCa 115.4..115.9 and 260.7..261.8, percentile
/// 97.8..97.9 and 235.4..235.6 (the book: 115.8 and 259.6 from 2000 replicates).
#[test]
fn bootstrap_intervals() {
    let data = [
        48.0, 36.0, 20.0, 29.0, 42.0, 42.0, 20.0, 42.0, 22.0, 41.0, 45.0, 14.0, 6.0, 0.0, 33.0,
        28.0, 34.0, 4.0, 32.0, 24.0, 47.0, 41.0, 24.0, 26.0, 30.0, 41.0,
    ];
    let spread = |v: &[f64]| variance(v) * (v.len() - 1) as f64 / v.len() as f64;
    let streams = Streams::new(1993);
    let bca = bootstrap_bca(&data, spread, 100_000, 0.9, &streams).unwrap();
    assert_close(bca.estimate, 171.534_023_668_639_05, 1e-13);
    assert!(
        (bca.low - 115.7).abs() < 1.0 && (bca.high - 261.2).abs() < 1.5,
        "{bca:?}"
    );
    let plain = bootstrap_percentile(&data, spread, 100_000, 0.9, &streams).unwrap();
    assert!(
        (plain.low - 97.85).abs() < 0.6 && (plain.high - 235.5).abs() < 0.6,
        "{plain:?}"
    );
    assert_eq!((bca.n, bca.level), (26, 0.9));
    // stats.bootstrap((X, Y), difference of means, paired=True): (0.11, 0.74) with three seeds.
    // Drawn apart, the samples would give about (-0.5, 1.6).
    let gain = |a: &[f64], b: &[f64]| mean(a) - mean(b);
    let paired = paired_bootstrap(&X, &Y, gain, 100_000, 0.95, &streams).unwrap();
    assert_close(paired.estimate, 0.44, 1e-13);
    assert!(
        (paired.low - 0.11).abs() < 0.02 && (paired.high - 0.74).abs() < 0.02,
        "{paired:?}"
    );
}
