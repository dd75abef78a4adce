use crate::assert_close;
use papercrates_numeric::special::{
    erfcx, ln_normal_cdf, ln_normal_sf, normal_cdf, normal_pdf, normal_quantile, normal_sf,
};

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
        (-30.1, 2.422_667_217_985_758_8e-199),
        (-20.0, 2.753_624_118_606_233_7e-89),
        (-12.7, 2.956_485_364_852_05e-37),
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
    assert!(normal_quantile(1e-320) < -38.0 && normal_quantile(1e-320) > -39.0);
    assert_eq!(normal_quantile(0.5), 0.0);
    assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
    assert_eq!(normal_quantile(1.0), f64::INFINITY);
    assert!(normal_quantile(-0.1).is_nan() && normal_quantile(f64::NAN).is_nan());
}
