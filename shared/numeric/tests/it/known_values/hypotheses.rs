use super::{X, Y};
use crate::assert_close;
use papercrates_numeric::special::normal_cdf;
use papercrates_numeric::stats::{
    chi_square, holm, kendall, ks_one_sample, mcnemar_exact, spearman, wilcoxon_signed_rank,
};

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
    // Ties of three in both.
    let x = [
        1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 4.0, 5.0, 5.0, 5.0, 6.0,
    ];
    let y = [
        2.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 2.0, 4.0, 4.0, 5.0, 5.0, 5.0,
    ];
    let tied = kendall(&x, &y).unwrap();
    assert_close(tied.statistic, 0.800_021_948_777_045_7, 1e-13);
    assert_close(tied.p_value, 0.000_562_157_734_099_296_2, 1e-11);
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
    assert_close(
        ks_one_sample(&[0.6, 0.9], |u| u).unwrap().p_value,
        0.32,
        1e-14,
    );
    // Both boundaries at once, where the corner of the matrix counts.
    let three = ks_one_sample(&[0.4, 0.5, 0.8], |u| u).unwrap();
    assert_close(three.p_value, 0.594_666_666_666_666_5, 1e-13);
    let five = ks_one_sample(&[0.45, 0.6, 0.7, 0.85, 0.9], |u| u).unwrap();
    assert_close(five.p_value, 0.193_993_75, 1e-13);
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
