//! Ridge regression on made-up data, over and over: how sure is its error on new data?
//!
//! `cargo run -p papercrates-numeric --example quickstart`

#![allow(clippy::print_stdout, reason = "an example prints")]

use papercrates_numeric::faer::Mat;
use papercrates_numeric::linalg::{dot, mat_t_vec, spd_solve};
use papercrates_numeric::stats::{bootstrap_bca, mean, median};
use papercrates_numeric::streams::{StreamRng, Streams, fill_normal};

const COEFFICIENTS: [f64; 3] = [1.0, -2.0, 0.5];

/// `rows` inputs and noisy outputs of a linear rule.
fn sample(rng: &mut StreamRng, rows: usize) -> (Mat<f64>, Vec<f64>) {
    let mut draws = vec![0.0; rows * 4];
    fill_normal(rng, &mut draws);
    let x = Mat::from_fn(rows, 3, |i, j| draws[4 * i + j]);
    let y = draws
        .chunks(4)
        .map(|row| dot(&row[..3], &COEFFICIENTS) + row[3]);
    (x, y.collect())
}

fn main() -> Result<(), papercrates_numeric::Error> {
    let study = Streams::new(42).child("quickstart");
    let mut errors = Vec::new();
    for repeat in 0..200_u64 {
        let mut rng = study.child(repeat).rng();
        let (x, y) = sample(&mut rng, 20);
        let ridge = x.transpose() * &x + Mat::<f64>::identity(3, 3);
        let fit = spd_solve(ridge.as_ref(), &mat_t_vec(x.as_ref(), &y))?;
        let (x_new, y_new) = sample(&mut rng, 100);
        let squares: Vec<f64> = (0..100)
            .map(|i| y_new[i] - (0..3).map(|j| x_new[(i, j)] * fit[j]).sum::<f64>())
            .map(|residual| residual * residual)
            .collect();
        errors.push(mean(&squares));
    }
    for (name, statistic) in [("mean", mean as fn(&[f64]) -> f64), ("median", median)] {
        let e = bootstrap_bca(&errors, statistic, 4000, 0.95, &study.child(name))?;
        println!(
            "{name} squared error {:.3}, 95 % in [{:.3}, {:.3}]",
            e.estimate, e.low, e.high
        );
    }
    Ok(())
}
