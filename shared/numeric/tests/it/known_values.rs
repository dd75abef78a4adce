//! Values from closed forms, mpmath 1.3 (60 digits), SciPy 1.17.1, NumPy 2.4.6 and statsmodels
//! 0.15.0; the call stands beside each. `stats` is `scipy.stats`.

#![allow(
    clippy::approx_constant,
    clippy::excessive_precision,
    reason = "published values stand as their source prints them"
)]

use crate::assert_close;
use papercrates_numeric::Result;
use papercrates_numeric::faer::{Mat, mat};
use papercrates_numeric::linalg::{
    Cholesky, dot, log_det_spd, mat_t_vec, mat_vec, norm2, spd_solve, symmetric_eigen,
};
use papercrates_numeric::roots::{
    Minimum, bracketed_root, brent_min, expand_bracket, golden_section, root,
};
use papercrates_numeric::special::{
    erfcx, ln_normal_cdf, ln_normal_sf, normal_cdf, normal_pdf, normal_quantile, normal_sf,
};
use papercrates_numeric::stats::{
    Interval, bootstrap_bca, bootstrap_percentile, chi_square, clopper_pearson, holm, kendall,
    ks_one_sample, mcnemar_exact, mean, mean_interval, median, median_interval, paired_bootstrap,
    quantile, quantile_interval, spearman, std_dev, variance, wilcoxon_signed_rank, wilson,
};
use papercrates_numeric::streams::Streams;

const X: [f64; 10] = [2.1, 3.4, 1.9, 5.6, 4.4, 3.8, 2.7, 6.1, 4.9, 3.0];
const Y: [f64; 10] = [1.8, 3.9, 1.2, 5.0, 4.6, 2.9, 2.8, 5.1, 4.0, 2.2];
/// With ties within and between.
const X_TIED: [f64; 11] = [5.0, 7.0, 3.0, 9.0, 6.0, 8.0, 4.0, 6.0, 7.0, 5.0, 9.0];
const Y_TIED: [f64; 11] = [4.0, 5.0, 3.0, 7.0, 6.0, 9.0, 2.0, 4.0, 8.0, 5.0, 6.0];

/// Sixty pairs: `((i*37) % 61) / 10` and `((i*23) % 59) / 10 + 0.2`.
fn sixty() -> (Vec<f64>, Vec<f64>) {
    (0..60)
        .map(|i| {
            let (u, v) = (f64::from((i * 37) % 61), f64::from((i * 23) % 59));
            (u / 10.0, v / 10.0 + 0.2)
        })
        .unzip()
}

/// The first `n` of forty pairs: `(i*17) % 41` and `((i*29) % 43) / pi`.
fn forty(n: i32) -> (Vec<f64>, Vec<f64>) {
    (0..n)
        .map(|i| {
            let (u, v) = (f64::from((i * 17) % 41), f64::from((i * 29) % 43));
            (u, v / std::f64::consts::PI)
        })
        .unzip()
}

#[track_caller]
fn assert_interval(actual: Interval, low: f64, high: f64, rel_tol: f64) {
    assert_close(actual.low, low, rel_tol);
    assert_close(actual.high, high, rel_tol);
}

/// mpmath: `exp(x**2) * erfc(x)`.
#[test]
fn scaled_complementary_error_function() {
    for (x, expected) in [
        (-5.0, 144009798674.66104),
        (-0.75, 3.003_171_663_627_452),
        (0.0, 1.0),
        (0.3, 0.734_599_334_567_655_1),
        (1.0, 0.427_583_576_155_807),
        (2.5, 0.210_806_364_061_143_58),
        (7.0, 0.079_800_054_329_152_93),
        (24.0, 0.023_487_546_063_682_64),
        (25.0, 0.022_549_572_432_641_36),
        (26.0, 0.021_683_584_850_562_907),
        (100.0, 0.005_641_613_782_989_433),
        (1e8, 5.641_895_835_477_563e-9),
    ] {
        assert_close(erfcx(x), expected, 1e-15);
    }
    assert_eq!(erfcx(-30.0), f64::INFINITY);
    assert_eq!(erfcx(f64::INFINITY), 0.0);
}

/// mpmath: `ncdf(z)`, and `log(ncdf(z))` (below -1e4 by its asymptotic series).
#[test]
fn normal_distribution() {
    for (z, expected) in [
        (-37.0, 5.725_571_222_524_577e-300),
        (-20.0, 2.753_624_118_606_233_7e-89),
        (-6.3, 1.488_228_221_762_312_7e-10),
        (-1.5, 0.066_807_201_268_858_07),
        (-1.0, 0.158_655_253_931_457_05),
        (-0.4, 0.344_578_258_389_675_83),
        (0.0, 0.5),
        (0.7, 0.758_036_347_776_927),
        (2.0, 0.977_249_868_051_820_8),
        (5.0, 0.999_999_713_348_428_1),
    ] {
        assert_close(normal_cdf(z), expected, 2e-15);
        assert_close(normal_sf(-z), expected, 2e-15);
    }
    for (z, expected) in [
        (-1e8, -5_000_000_000_000_019.0),
        (-1e5, -5_000_000_012.431_864),
        (-1e3, -500_007.826_694_812_2),
        (-40.0, -804.608_442_013_753_8),
        (-20.0, -203.917_155_371_097_26),
        (-6.3, -22.628_264_630_450_01),
        (-1.5, -2.705_944_400_823_89),
        (-1.0, -1.841_021_645_009_263_6),
        (-0.4, -1.065_434_049_189_576_7),
        (0.0, -0.693_147_180_559_945_3),
        (0.7, -0.277_023_942_277_131_26),
        (2.0, -0.023_012_909_328_963_488),
        (5.0, -2.866_516_129_637_634e-7),
        (9.0, -1.128_588_405_953_840_6e-19),
    ] {
        assert_close(ln_normal_cdf(z), expected, 2e-15);
        assert_close(ln_normal_sf(-z), expected, 2e-15);
    }
    assert_eq!(normal_cdf(f64::NEG_INFINITY), 0.0);
    assert_eq!(normal_cdf(f64::INFINITY), 1.0);
    assert!(normal_cdf(f64::NAN).is_nan());
    // exp(-2) / sqrt(2 pi)
    assert_close(normal_pdf(2.0), 0.053_990_966_513_188_06, 1e-15);
}

/// mpmath: Newton's method on `ncdf(z) = p`, for the double nearest to `p`.
#[test]
fn normal_quantiles() {
    for (p, expected) in [
        (1e-300, -37.047_096_299_361_2),
        (1e-100, -21.273_453_560_965_325),
        (1e-16, -8.222_082_216_130_436),
        (1e-9, -5.997_807_015_007_687),
        (0.001, -3.090_232_306_167_813_5),
        (0.025, -1.959_963_984_540_054_2),
        (0.2, -0.841_621_233_572_914_2),
        (0.3, -0.524_400_512_708_040_8),
        (0.4999, -0.000_250_662_830_088_007_5),
        (0.6, 0.253_347_103_135_799_74),
        (0.975, 1.959_963_984_540_053_9),
        (0.999999, 4.753_424_308_817_088),
    ] {
        assert_close(normal_quantile(p), expected, 1e-15);
    }
    assert_eq!(normal_quantile(0.5), 0.0);
    assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
    assert_eq!(normal_quantile(1.0), f64::INFINITY);
    assert!(normal_quantile(-0.1).is_nan() && normal_quantile(f64::NAN).is_nan());
}

/// numpy.linalg.eigvalsh, and a diagonal matrix beyond the range of squares.
#[test]
fn eigenvalues() {
    let a = mat![
        [4.0, 1.0, -2.0, 2.0],
        [1.0, 2.0, 0.0, 1.0],
        [-2.0, 0.0, 3.0, -2.0],
        [2.0, 1.0, -2.0, -1.0],
    ];
    let expected = [
        -2.197_516_977_439_427,
        1.084_364_463_773_217_7,
        2.268_531_406_431_242_3,
        6.844_621_107_234_966,
    ];
    for (value, expected) in symmetric_eigen(a.as_ref())
        .unwrap()
        .values
        .iter()
        .zip(expected)
    {
        assert_close(*value, expected, 1e-14);
    }
    for scale in [1e-290, 1e300] {
        let extreme = mat![[2.0 * scale, scale], [scale, 2.0 * scale]];
        let values = symmetric_eigen(extreme.as_ref()).unwrap().values;
        assert_close(values[0], scale, 1e-14);
        assert_close(values[1], 3.0 * scale, 1e-14);
    }
    let zero = symmetric_eigen(Mat::zeros(3, 3).as_ref()).unwrap();
    assert_eq!(zero.values, [0.0; 3]);
    assert!(
        symmetric_eigen(Mat::new().as_ref())
            .unwrap()
            .values
            .is_empty()
    );
}

/// Hand computation: A = [[4, 2], [2, 3]] has L = [[2, 0], [1, sqrt 2]] and determinant 8.
#[test]
fn cholesky_by_hand() {
    // The upper triangle is not read.
    let a = mat![[4.0, f64::NAN], [2.0, 3.0]];
    let factor = Cholesky::new(a.as_ref()).unwrap();
    assert_eq!(factor.dim(), 2);
    assert_eq!(factor.lower()[(0, 0)], 2.0);
    assert_eq!(factor.lower()[(1, 0)], 1.0);
    assert_eq!(factor.lower()[(0, 1)], 0.0);
    assert_close(factor.lower()[(1, 1)], 2_f64.sqrt(), 1e-15);
    assert_close(factor.log_det(), 8_f64.ln(), 1e-15);
    let x = spd_solve(a.as_ref(), &[8.0, 8.0]).unwrap();
    assert_close(x[0], 1.0, 1e-15);
    assert_close(x[1], 2.0, 1e-15);
    let inverse = factor.solve_mat(Mat::<f64>::identity(2, 2).as_ref());
    assert_close(inverse[(0, 1)], -0.25, 1e-15);
    assert_close(inverse[(1, 1)], 0.5, 1e-15);
    assert!(
        Cholesky::new(Mat::new().as_ref())
            .unwrap()
            .solve(&[])
            .is_empty()
    );
}

/// The determinant of the 5 x 5 Hilbert matrix is 1 / 266716800000 (OEIS A005249).
#[test]
fn log_determinant_of_hilbert() {
    let hilbert = Mat::from_fn(5, 5, |i, j| 1.0 / (i + j + 1) as f64);
    assert_close(
        log_det_spd(hilbert.as_ref()).unwrap(),
        -26.309_453_258_276_443,
        1e-11,
    );
    // exp(-1382) underflows, its logarithm does not.
    let tiny = Mat::from_fn(3, 3, |i, j| if i == j { 1e-200 } else { 0.0 });
    assert_close(
        log_det_spd(tiny.as_ref()).unwrap(),
        -600.0 * 10_f64.ln(),
        1e-15,
    );
}

#[test]
fn vectors_by_hand() {
    let a = mat![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    assert_eq!(mat_vec(a.as_ref(), &[1.0, 0.0, -1.0]), [-2.0, -2.0]);
    assert_eq!(mat_t_vec(a.as_ref(), &[1.0, -1.0]), [-3.0, -3.0, -3.0]);
    // 1 + 4 + ... + 400, over more than two blocks and a rest.
    let counting: Vec<f64> = (1..=20).map(f64::from).collect();
    assert_eq!(dot(&counting, &counting), 2870.0);
    assert_eq!(dot(&[], &[]), 0.0);
    assert_eq!(norm2(&[3.0, 4.0]), 5.0);
    assert_close(norm2(&[3e300, -4e300]), 5e300, 1e-15);
    assert_close(norm2(&[3e-300, 4e-300]), 5e-300, 1e-15);
    assert_eq!(norm2(&[0.0, -0.0]), 0.0);
    assert_eq!(norm2(&[f64::NEG_INFINITY, 1.0]), f64::INFINITY);
    assert!(norm2(&[f64::NAN, f64::INFINITY]).is_nan());
}

/// The fixed point of the cosine (OEIS A003957), Wallis's cubic (OEIS A007493), and functions
/// that defeat interpolation.
#[test]
fn roots() {
    let mut calls = 0;
    let dottie = bracketed_root(
        |x: f64| {
            calls += 1;
            x.cos() - x
        },
        0.0,
        1.0,
        1e-14,
    )
    .unwrap();
    assert!(dottie.lo <= 0.739_085_133_215_160_7 && 0.739_085_133_215_160_6 <= dottie.hi);
    assert!(dottie.hi - dottie.lo <= 1e-14 && dottie.f_lo >= 0.0 && dottie.f_hi <= 0.0);
    assert!(calls <= 12, "{calls} evaluations");

    let wallis = root(|x| x * x * x - 2.0 * x - 5.0, 2.0, 3.0, 1e-15).unwrap();
    assert_close(wallis, 2.094_551_481_542_326_5, 2e-15);
    let step = root(
        |x| if x < 1.0 / 3.0 { -1.0 } else { 1e9 },
        -7.0,
        11.0,
        1e-12,
    )
    .unwrap();
    assert_close(step, 1.0 / 3.0, 2e-12);
    let pole = root(
        |x| if x < 0.1 { f64::NEG_INFINITY } else { 1.0 },
        0.0,
        1.0,
        1e-12,
    )
    .unwrap();
    assert_close(pole, 0.1, 2e-12);
    let flat = root(|x| (x - 0.7_f64).powi(9), 0.0, 1.0, 1e-12).unwrap();
    assert_close(flat, 0.7, 2e-12);
    // An exact zero, and one at an end.
    let exact = bracketed_root(|x| x, -1.0, 1.0, 0.1).unwrap();
    assert_eq!((exact.lo, exact.hi, exact.f_lo), (0.0, 0.0, 0.0));
    assert_eq!(root(|x| x - 2.0, 0.0, 2.0, 0.0).unwrap(), 2.0);
    // A relative tolerance about a root at zero that is never hit exactly.
    let sign = |x: f64| if x > 0.0 { 1.0 } else { -1.0 };
    assert!(root(sign, -1.0, 1e300, 0.0).unwrap().abs() < 1e-300);
}

#[test]
fn brackets() {
    // ln x = 10 at 22026.47: a scale stays positive.
    let mut least = f64::INFINITY;
    let f = |x: f64| {
        least = least.min(x);
        x.ln() - 10.0
    };
    let (lo, hi) = expand_bracket(f, 1.0, 2.0, 10.0, 20).unwrap();
    assert!(lo <= 22_026.465_794 && 22_026.465_795 <= hi && lo > 0.0 && least > 0.0);
    // Downwards, through zero, and an interval that already does.
    let (lo, hi) = expand_bracket(|x| x + 1000.0, -1.0, 1.0, 2.0, 20).unwrap();
    assert!(lo <= -1000.0 && -1000.0 <= hi);
    let (lo, hi) = expand_bracket(|x: f64| x.ln() + 20.0, 0.5, 1.0, 4.0, 30).unwrap();
    assert!(0.0 < lo && lo <= (-20_f64).exp() && (-20_f64).exp() <= hi);
    assert_eq!(
        expand_bracket(|x| x, -1.0, 2.0, 2.0, 0).unwrap(),
        (-1.0, 2.0)
    );
}

/// `x exp(-x)` is largest at 1; `(x - 2)^4 - 3` is flat at 2; `|x + 0.3|` has a kink; `x` is
/// smallest at the end.
#[test]
fn minima() {
    type Search = fn(fn(f64) -> f64, f64, f64, f64) -> Result<Minimum>;
    for search in [golden_section as Search, brent_min] {
        let bump = search(|x: f64| -x * (-x).exp(), 0.0, 4.0, 1e-8).unwrap();
        assert!((bump.x - 1.0).abs() < 5e-8, "{bump:?}");
        assert_close(bump.value, -(-1_f64).exp(), 1e-14);
        let flat = search(|x: f64| (x - 2.0).powi(4) - 3.0, -5.0, 7.0, 1e-8).unwrap();
        assert!((flat.x - 2.0).abs() < 5e-4 && flat.value < -3.0 + 1e-13);
        let kink = search(|x: f64| (x + 0.3).abs(), -1.0, 1.0, 1e-7).unwrap();
        assert!((kink.x + 0.3).abs() < 3e-7, "{kink:?}");
        let end = search(|x| x, 2.0, 3.0, 1e-6).unwrap();
        assert!(end.x - 2.0 < 3e-6);
    }
    let mut calls = 0;
    let parabola = |x: f64| {
        calls += 1;
        (x - 0.25) * (x - 0.25)
    };
    brent_min(parabola, 0.0, 1.0, 1e-8).unwrap();
    assert!(calls <= 12, "{calls} evaluations of a parabola");
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
/// n = 25 ranks 8 and 18, n = 6 the extremes; the 0.9 quantile of n = 100 ranks 84 and 96.
#[test]
fn order_statistic_intervals() {
    let ranks = |n: i32| (1..=n).rev().map(f64::from).collect::<Vec<_>>();
    for (n, low, high) in [(6, 1.0, 6.0), (10, 2.0, 9.0), (25, 8.0, 18.0)] {
        let interval = median_interval(&ranks(n), 0.95).unwrap();
        assert_eq!((interval.low, interval.high), (low, high), "n = {n}");
        assert_eq!(interval.estimate, f64::from(n + 1) / 2.0);
    }
    let upper = quantile_interval(&ranks(100), 0.9, 0.95).unwrap();
    assert_eq!((upper.low, upper.high), (84.0, 96.0));
    let lower = quantile_interval(&ranks(100), 0.1, 0.95).unwrap();
    assert_eq!((lower.low, lower.high), (5.0, 17.0), "the mirror image");
}

/// `stats.binomtest(successes, n).proportion_ci(level, method)`, methods `wilson` and `exact`.
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
            0.592_188_534_532_832_8,
        ),
        (
            7,
            20,
            0.99,
            0.113_879_763_266_732_15,
            0.656_568_584_231_921_3,
        ),
        (0, 15, 0.95, 0.0, 0.218_019_360_910_838_8),
        (30, 30, 0.95, 0.884_296_691_777_972_5, 1.0),
        (
            480,
            500,
            0.95,
            0.938_897_390_611_754_1,
            0.975_398_687_914_454_7,
        ),
        (
            3,
            100_000,
            0.95,
            6.186_763_915_927_223e-6,
            8.767_020_256_784_099e-5,
        ),
    ] {
        let interval = clopper_pearson(successes, n, level).unwrap();
        let tolerance = if n < 1000 { 1e-11 } else { 1e-7 };
        assert_interval(interval, low, high, tolerance);
    }
}

/// `statsmodels.stats.contingency_tables.mcnemar(table, exact=True)`, and the equal two-sided
/// `stats.binomtest(b, b + c, 0.5)`.
#[test]
fn mcnemar() {
    for (b, c, expected) in [
        (3, 12, 0.035_156_25),
        (0, 6, 0.031_25),
        (5, 5, 1.0),
        (1, 0, 1.0),
        (40, 61, 0.046_044_066_929_342_785),
        (0, 0, 1.0),
    ] {
        assert_close(mcnemar_exact(b, c), expected, 1e-12);
        assert_close(mcnemar_exact(c, b), expected, 1e-12);
    }
}

/// `stats.wilcoxon(a, b)`; above 50 pairs with `correction=True, method='asymptotic'`.
#[test]
fn wilcoxon() {
    let check = |a: &[f64], b: &[f64], statistic: f64, p_value: f64| {
        let test = wilcoxon_signed_rank(a, b).unwrap();
        assert_eq!(test.statistic, statistic);
        assert_close(test.p_value, p_value, 1e-12);
    };
    check(&X, &Y, 7.0, 0.037_109_375);
    check(&Y, &X, 7.0, 0.037_109_375);
    // Depression scores of Hollander & Wolfe, the example of R's wilcox.test.
    let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
    let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    check(&before, &after, 5.0, 0.039_062_5);
    // Ties and zeros: SciPy then enumerates all signs, up to 13 pairs.
    check(&X_TIED, &Y_TIED, 4.0, 0.054_687_5);
    // stats.wilcoxon(a, b, method='exact')
    let (a, b) = forty(40);
    check(&a, &b, 54.0, 1.841_362_973_209_470_5e-7);
    // One zero is dropped, and several differences tie.
    let (a, b) = sixty();
    check(&a, &b, 874.0, 0.936_829_447_687_112);
    check(&[1.0, 2.0], &[1.0, 2.0], 0.0, 1.0);
}

/// `stats.spearmanr`, `stats.kendalltau`.
#[test]
fn rank_correlations() {
    let (a60, b60) = sixty();
    let (a40, b40) = forty(40);
    let (a30, b30) = forty(30);
    let cases: [(&[f64], &[f64], [f64; 4]); 5] = [
        (
            &X,
            &Y,
            [
                0.963_636_363_636_363_5,
                7.320_974_809_529_918_5e-6,
                0.866_666_666_666_666_6,
                0.000_115_189_594_356_261_02,
            ],
        ),
        (
            &X_TIED,
            &Y_TIED,
            [
                0.817_554_143_323_697_4,
                0.002_113_664_409_941_067,
                0.660_225_291_773_524_7,
                0.006_871_072_915_625_423,
            ],
        ),
        (
            &a60,
            &b60,
            [
                -0.396_421_178_437_512_73,
                0.001_714_894_144_339_788_6,
                -0.476_405_783_359_131_8,
                7.586_228_523_983_21e-8,
            ],
        ),
        (
            &a40,
            &b40,
            [
                -0.018_949_343_339_587_248,
                0.907_608_038_702_277_7,
                -0.025_641_025_641_025_64,
                0.815_745_338_713_113_7,
            ],
        ),
        (
            &a30,
            &b30,
            [
                0.027_363_737_486_095_66,
                0.885_867_311_252_135_2,
                0.016_091_954_022_988_506,
                0.915_513_464_623_358,
            ],
        ),
    ];
    for (x, y, [rho, rho_p, tau, tau_p]) in cases {
        let test = spearman(x, y).unwrap();
        assert_close(test.statistic, rho, 1e-13);
        assert_close(test.p_value, rho_p, 1e-11);
        let test = kendall(x, y).unwrap();
        assert_close(test.statistic, tau, 1e-13);
        assert_close(test.p_value, tau_p, 1e-11);
    }
    let reversed = kendall(&[1.0, 2.0, 3.0, 4.0], &[4.0, 3.0, 2.0, 1.0]).unwrap();
    assert_eq!(reversed.statistic, -1.0);
    assert_close(reversed.p_value, 1.0 / 12.0, 1e-15);
    assert_eq!(kendall(&[1.0, 2.0], &[2.0, 1.0]).unwrap().p_value, 1.0);
    // Zeros of both signs are one value.
    let signed = kendall(&[-0.0, 0.0, 1.0], &[0.0, 1.0, 2.0]).unwrap();
    assert_close(signed.statistic, 2.0 / 6_f64.sqrt(), 1e-15);
    let perfect = spearman(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]).unwrap();
    assert_eq!((perfect.statistic, perfect.p_value), (1.0, 0.0));
}

/// `statsmodels.stats.multitest.multipletests(p, method='holm')`.
#[test]
fn holm_adjustment() {
    let adjusted = holm(&[0.01, 0.04, 0.03, 0.005, 0.7, 0.04]);
    for (value, expected) in adjusted.iter().zip([0.05, 0.12, 0.12, 0.03, 0.7, 0.12]) {
        assert_close(*value, expected, 1e-15);
    }
    let with_nan = holm(&[0.02, f64::NAN]);
    assert_eq!(with_nan[0], 0.04);
    assert!(with_nan[1].is_nan());
    assert!(holm(&[]).is_empty());
}

/// `stats.kstest(data, 'uniform')` and `'norm'`; the spread-out samples are
/// `(((i*61) % (n+1)) + 0.5) / (n+1)` to a power.
#[test]
fn kolmogorov_smirnov() {
    let nine = [0.05, 0.12, 0.31, 0.36, 0.48, 0.61, 0.77, 0.83, 0.98];
    let test = ks_one_sample(&nine, |u| u).unwrap();
    assert_close(test.statistic, 0.103_333_333_333_333_39, 1e-14);
    assert_close(test.p_value, 0.999_758_972_548_315_5, 1e-12);
    let test = ks_one_sample(&nine, normal_cdf).unwrap();
    assert_close(test.statistic, 0.519_938_805_838_372_5, 1e-14);
    assert_close(test.p_value, 0.008_667_933_921_255_146, 1e-11);
    assert_close(ks_one_sample(&[0.3], |u| u).unwrap().p_value, 0.6, 1e-14);
    // Far in the tail, where P(D >= d) = 2 (1 - d)^n once n d > n - 1.
    let far = ks_one_sample(&[0.999; 20], |u| u).unwrap();
    assert_close(far.p_value, 2e-60, 1e-11);
    assert_eq!(ks_one_sample(&[2.0; 20], |_| 1.0).unwrap().p_value, 0.0);

    let spread = |n: u32, power: f64| -> Vec<f64> {
        let unit = |i| (f64::from((i * 61) % (n + 1)) + 0.5) / f64::from(n + 1);
        (0..n).map(|i| unit(i).powf(power)).collect()
    };
    // The last number is the absolute error that the documentation allows.
    for (n, power, statistic, p_value, tolerance) in [
        (
            100,
            1.1,
            0.043_956_309_461_139_986,
            0.985_842_703_759_272,
            1e-10,
        ),
        (
            100,
            1.3,
            0.104_907_318_796_832_13,
            0.206_060_385_430_520_83,
            1e-10,
        ),
        (
            100,
            2.0,
            0.250_000_980_296_049_4,
            5.408_323_590_509_744e-6,
            1e-13,
        ),
        (
            400,
            1.05,
            0.020_163_220_390_724_1,
            0.995_867_505_006_614_1,
            2e-4,
        ),
        (
            400,
            1.1,
            0.037_275_387_106_589_175,
            0.621_006_544_989_405_6,
            2e-4,
        ),
        (
            400,
            1.2,
            0.069_240_430_228_180_1,
            0.041_154_332_974_551_844,
            2e-4,
        ),
        (
            400,
            1.5,
            0.150_511_520_836_804_7,
            2.242_674_064_660_524_8e-8,
            1e-15,
        ),
    ] {
        let test = ks_one_sample(&spread(n, power), |u| u).unwrap();
        assert_close(test.statistic, statistic, 1e-13);
        assert!(
            (test.p_value - p_value).abs() < tolerance,
            "n {n}, power {power}: {} for {p_value}",
            test.p_value
        );
    }
}

/// `stats.chisquare(observed, expected)`.
#[test]
fn chi_square_counts() {
    let observed = [16.0, 18.0, 16.0, 14.0, 12.0, 12.0];
    let test = chi_square(&observed, &[16.0, 16.0, 16.0, 16.0, 16.0, 8.0]).unwrap();
    assert_close(test.statistic, 3.5, 1e-15);
    assert_close(test.p_value, 0.623_387_627_749_582_2, 1e-12);
    let far = chi_square(&[100.0, 300.0, 50.0], &[150.0; 3]).unwrap();
    assert_close(far.statistic, 233.333_333_333_333_3, 1e-15);
    assert_close(far.p_value, 2.149_366_346_258_140_2e-51, 1e-11);
    assert_eq!(chi_square(&[5.0, 5.0], &[5.0, 5.0]).unwrap().p_value, 1.0);
    let beyond = chi_square(&[1e300, 0.0], &[1.0, 1e300]).unwrap();
    assert_eq!(beyond.p_value, 0.0);
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
