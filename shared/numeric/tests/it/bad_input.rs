//! Every error is reached, and says the value, the limit and the remedy.

use papercrates_numeric::faer::{Mat, mat};
use papercrates_numeric::linalg::{Cholesky, log_det_spd, spd_solve, symmetric_eigen};
use papercrates_numeric::roots::{bracketed_root, brent_min, expand_bracket, golden_section};
use papercrates_numeric::stats::{
    bootstrap_bca, bootstrap_percentile, chi_square, clopper_pearson, kendall, ks_one_sample, mean,
    mean_interval, median_interval, paired_bootstrap, quantile_interval, spearman,
    wilcoxon_signed_rank, wilson,
};
use papercrates_numeric::streams::Streams;
use papercrates_numeric::{Error, Result};

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// Asserts the message of an error in full or in its telling parts.
#[track_caller]
fn refuses<T: std::fmt::Debug>(result: Result<T>, parts: &[&str]) {
    let message = result.map_err(|error| error.to_string());
    let message = message.err().unwrap_or_default();
    for part in parts {
        assert!(
            message.contains(part),
            "`{part}` is missing from: {message}"
        );
    }
}

#[test]
fn levels_and_parameters_out_of_range() {
    let data = [1.0, 2.0, 3.0];
    for level in [0.0, 1.0, -0.5, 95.0, NAN, INF] {
        let value =
            format!("level is {level:?}, but must lie in (0, 1); pass a value in that range");
        let value = [value.as_str()];
        let streams = Streams::new(0);
        refuses(mean_interval(&data, level), &value);
        refuses(median_interval(&data, level), &value);
        refuses(wilson(1, 2, level), &value);
        refuses(clopper_pearson(1, 2, level), &value);
        refuses(
            bootstrap_percentile(&data, mean, 99, level, &streams),
            &value,
        );
        refuses(bootstrap_bca(&data, mean, 99, level, &streams), &value);
    }
    for q in [0.0, 1.0, NAN] {
        refuses(
            quantile_interval(&data, q, 0.9),
            &[&format!("q is {q:?}"), "(0, 1)"],
        );
    }
    refuses(
        mean_interval(&[1e200, -1e200], 0.9),
        &["spread of the data is inf", "[0, 1e150)"],
    );
    refuses(
        mean_interval(&[1e308; 3], 0.9),
        &["spread of the data is inf"],
    );
    refuses(wilson(3, 2, 0.9), &["successes is 3.0", "[0, n]"]);
    refuses(
        bracketed_root(|x| x, -1.0, 1.0, -0.1),
        &["rel_tol is -0.1", "[0, 1)"],
    );
    refuses(
        bracketed_root(|x| x, NAN, 1.0, 0.1),
        &["lo is NaN", "finite"],
    );
    refuses(
        bracketed_root(|x| x, -1.0, INF, 0.1),
        &["hi is inf", "finite"],
    );
    refuses(
        bracketed_root(|x| x, 1.0, -1.0, 0.1),
        &["hi - lo is -2.0", "(0, 1.8e308)"],
    );
    refuses(
        bracketed_root(|x| x, -1.7e308, 1.7e308, 0.1),
        &["hi - lo is inf"],
    );
    for factor in [1.0, INF, NAN] {
        let part = format!("factor is {factor:?}");
        refuses(
            expand_bracket(|x| x, 1.0, 2.0, factor, 3),
            &[&part, "(1, inf)"],
        );
    }
    refuses(
        golden_section(|x| x, 0.0, 1.0, NAN),
        &["tol is NaN", "[0, inf)"],
    );
    refuses(
        brent_min(|x| x, 0.0, 1.0, -1.0),
        &["tol is -1.0", "[0, inf)"],
    );
    refuses(
        ks_one_sample(&data, |x| x),
        &["distribution function is 2.0", "[0, 1]"],
    );
    refuses(
        chi_square(&[-1.0, 3.0], &[1.0, 1.0]),
        &["observed count is -1.0", "[0, inf)"],
    );
    refuses(
        chi_square(&[0.0, 2.0], &[0.0, 2.0]),
        &["expected count is 0.0", "(0, inf)"],
    );
    refuses(
        chi_square(&[1.0, 3.0], &[1.0, 1.0]),
        &["total is 2.0", "[1 - 1e-8, 1 + 1e-8]"],
    );
}

#[test]
fn too_few_values() {
    let streams = Streams::new(0);
    refuses(
        mean_interval(&[1.0], 0.9),
        &["mean needs at least 2 values, but got 1; collect more data"],
    );
    refuses(
        median_interval(&[1.0; 5], 0.95),
        &[
            "at least 6 values, but got 5",
            "collect more data, lower the level",
        ],
    );
    refuses(
        median_interval(&[], 0.95),
        &["at least 6 values, but got 0"],
    );
    // 0.99^367 = 0.02501 and 0.99^368 = 0.0248.
    refuses(
        quantile_interval(&[0.0; 367], 0.99, 0.95),
        &["at least 368", "got 367"],
    );
    assert!(quantile_interval(&[0.0; 368], 0.99, 0.95).is_ok());
    refuses(wilson(0, 0, 0.9), &["at least 1", "got 0"]);
    refuses(
        bootstrap_percentile(&[1.0, 2.0], mean, 39, 0.95, &streams),
        &["at least 40", "got 39", "raise `reps`"],
    );
    assert!(bootstrap_percentile(&[1.0, 2.0], mean, 40, 0.95, &streams).is_ok());
    refuses(
        bootstrap_bca(&[1.0], mean, 100, 0.9, &streams),
        &["at least 2", "got 1"],
    );
    refuses(wilcoxon_signed_rank(&[], &[]), &["signed-rank", "got 0"]);
    refuses(
        spearman(&[1.0, 2.0], &[1.0, 2.0]),
        &["Spearman", "at least 3", "got 2"],
    );
    refuses(kendall(&[1.0], &[1.0]), &["Kendall", "at least 2", "got 1"]);
    refuses(ks_one_sample(&[], |x| x), &["Kolmogorov-Smirnov", "got 0"]);
    refuses(
        chi_square(&[1.0], &[1.0]),
        &["chi-square", "at least 2", "got 1"],
    );
}

#[test]
fn lengths_differ() {
    let (two, three) = ([1.0, 2.0], [1.0, 2.0, 3.0]);
    let parts = ["lengths 2 and 3 differ; pass inputs of one length"];
    refuses(wilcoxon_signed_rank(&two, &three), &parts);
    refuses(spearman(&two, &three), &parts);
    refuses(kendall(&two, &three), &parts);
    refuses(chi_square(&two, &three), &parts);
    let stat = |_: &[f64], _: &[f64]| 0.0;
    refuses(
        paired_bootstrap(&two, &three, stat, 100, 0.9, &Streams::new(0)),
        &parts,
    );
    let identity = Mat::<f64>::identity(2, 2);
    refuses(spd_solve(identity.as_ref(), &three), &parts);
    let mut factor = Cholesky::new(identity.as_ref()).unwrap();
    refuses(factor.rank_one_update(&three), &parts);
    refuses(factor.rank_one_downdate(&three), &parts);
}

#[test]
fn values_that_are_not_finite() {
    let streams = Streams::new(0);
    let good = [1.0, 2.0, 3.0];
    for bad in [NAN, INF, -INF] {
        let data = [1.0, 2.0, bad];
        let value = format!("has the value {bad:?} at index 2; remove or impute");
        let value = [value.as_str()];
        refuses(mean_interval(&data, 0.9), &value);
        refuses(median_interval(&data, 0.9), &value);
        refuses(
            bootstrap_percentile(&data, mean, 100, 0.9, &streams),
            &value,
        );
        refuses(bootstrap_bca(&data, mean, 100, 0.9, &streams), &value);
        refuses(wilcoxon_signed_rank(&good, &data), &value);
        refuses(spearman(&data, &good), &value);
        refuses(kendall(&good, &data), &value);
        refuses(ks_one_sample(&data, |_| 0.5), &value);
        refuses(chi_square(&data, &good), &value);

        let entry = format!("the matrix has the value {bad:?} at row 1, column 0");
        let matrix = mat![[1.0, 0.0], [bad, 1.0]];
        refuses(symmetric_eigen(matrix.as_ref()), &[&entry]);
        refuses(Cholesky::new(matrix.as_ref()), &[&entry]);
        let identity = Mat::<f64>::identity(3, 3);
        refuses(spd_solve(identity.as_ref(), &data), &value);
        let mut factor = Cholesky::new(identity.as_ref()).unwrap();
        refuses(factor.rank_one_update(&data), &value);
    }
    let mut factor = Cholesky::new(Mat::<f64>::identity(2, 2).as_ref()).unwrap();
    refuses(
        factor.rank_one_update(&[1e200, 1.0]),
        &["the matrix has the value"],
    );
    assert_eq!(
        factor.solve(&[1.0, 1.0]),
        [1.0, 1.0],
        "the factor is as before"
    );

    let huge = [1e308, 1.0];
    let opposite = [-1e308, 2.0];
    refuses(
        wilcoxon_signed_rank(&huge, &opposite),
        &["a difference", "inf at index 0"],
    );
    let function = ["the function has the value NaN at argument 1.0"];
    refuses(bracketed_root(|_| NAN, 0.0, 1.0, 0.1), &function);
    refuses(
        golden_section(|_| NAN, 0.0, 1.0, 0.1),
        &["the function has the value NaN"],
    );
    refuses(
        ks_one_sample(&good, |_| NAN),
        &["distribution function", "at argument 1.0"],
    );
    refuses(
        bootstrap_percentile(&good, |_| NAN, 100, 0.9, &streams),
        &["bootstrapped statistic", "the sample itself"],
    );
    // Some resample holds only twos, which the sample itself does not.
    let ratio =
        |v: &[f64]| 1.0 / (mean(v) - 2.0).abs().min(1.0) * if v == good { 0.0 } else { 1.0 };
    refuses(
        bootstrap_percentile(&[1.0, 2.0, 3.1], ratio, 1000, 0.9, &streams),
        &["inf at replicate"],
    );
}

#[test]
fn matrices_without_a_factor() {
    let wide = Mat::<f64>::zeros(2, 3);
    let parts = ["the matrix is 2 x 3, but must be square"];
    refuses(symmetric_eigen(wide.as_ref()), &parts);
    refuses(Cholesky::new(wide.as_ref()), &parts);
    refuses(log_det_spd(wide.as_ref()), &parts);

    let indefinite = mat![[1.0, 2.0], [2.0, 1.0]];
    refuses(
        Cholesky::new(indefinite.as_ref()),
        &["pivot 1 is -3.0, but must be above 0; add a ridge to the diagonal"],
    );
    let zero = Mat::<f64>::zeros(2, 2);
    refuses(log_det_spd(zero.as_ref()), &["pivot 0 is 0.0"]);
    let mut factor = Cholesky::new(Mat::<f64>::identity(2, 2).as_ref()).unwrap();
    refuses(factor.rank_one_downdate(&[0.0, 2.0]), &["pivot 1 is -3.0"]);
    assert_eq!(
        factor.solve(&[1.0, 1.0]),
        [1.0, 1.0],
        "the factor is as before"
    );
}

#[test]
fn roots_that_are_not_bracketed() {
    let parts = [
        "one sign on both ends, f(-1.0) = 2.0 and f(2.0) = 5.0",
        "widen it with `expand_bracket`",
    ];
    refuses(bracketed_root(|x| x * x + 1.0, -1.0, 2.0, 0.1), &parts);
    refuses(expand_bracket(|x| x * x + 1.0, -1.0, 2.0, 2.0, 0), &parts);
    // Widening a positive interval stops before its lower end is 0.
    let positive = |x: f64| if x > 0.0 { 1.0 } else { -1.0 };
    refuses(
        expand_bracket(positive, 1e-300, 1.0, 10.0, 1000),
        &["f(1e-323) = 1.0"],
    );
    // Widening stops at the largest numbers.
    refuses(
        expand_bracket(|_| 1.0, 1.0, 2.0, 1e200, 1000),
        &["f(2e200) = 1.0"],
    );
}

#[test]
fn data_that_leave_a_statistic_undefined() {
    let (constant, rising) = ([2.0; 4], [1.0, 2.0, 3.0, 4.0]);
    let parts = ["is undefined: a sample is constant; compare samples that vary"];
    refuses(spearman(&constant, &rising), &parts);
    refuses(kendall(&rising, &constant), &parts);
    // Resamples of distinct values always hold fewer distinct ones, except by chance 4!/4^4; a
    // statistic that only the sample itself attains leaves every replicate on one side.
    let untouched = |v: &[f64]| if v == rising { 1.0 } else { 0.0 };
    refuses(
        bootstrap_bca(&rising, untouched, 100, 0.9, &Streams::new(3)),
        &[
            "BCa",
            "one side of the estimate",
            "use `bootstrap_percentile`",
        ],
    );
}

/// No input is known on which these iterations run out of steps, so only the message is checked.
#[test]
fn iterations_that_end() {
    let error = Error::NoConvergence {
        what: "the search for a root",
        limit: 4096,
    };
    assert_eq!(
        error.to_string(),
        "the search for a root did not converge within 4096 steps; loosen the tolerance or \
         rescale the problem"
    );
}
