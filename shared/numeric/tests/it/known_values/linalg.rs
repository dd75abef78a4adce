use crate::assert_close;
use papercrates_numeric::faer::{Mat, mat};
use papercrates_numeric::linalg::{
    Cholesky, dot, log_det_spd, mat_t_vec, mat_vec, norm2, spd_solve, symmetric_eigen,
};

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
    let mut lower_only = a.to_owned();
    (0..4).for_each(|j| (0..j).for_each(|i| lower_only[(i, j)] = f64::NAN));
    let values = symmetric_eigen(lower_only.as_ref()).unwrap().values;
    assert_eq!(values, symmetric_eigen(a.as_ref()).unwrap().values);
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

/// The Laplacian of a path of n nodes has the eigenvalues 2 - 2 cos(pi k / n); large enough for
/// divide and conquer.
#[test]
fn eigenvalues_of_a_path() {
    let n = 200;
    let laplacian = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 if i == 0 || i == n - 1 => 1.0,
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    });
    let eigen = symmetric_eigen(laplacian.as_ref()).unwrap();
    for (k, value) in eigen.values.iter().enumerate() {
        let expected = 2.0 - 2.0 * (std::f64::consts::PI * k as f64 / n as f64).cos();
        assert!((value - expected).abs() < 1e-13, "{k}: {value}");
    }
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
