//! The synthetic designs on which methods of this field are compared, with known truth.

use faer::Mat;
use papercrates_numeric::linalg::{dot, norm2};
use papercrates_numeric::streams::{normal, uniform};
use rand::Rng;

/// A drawn data set with the coefficients that made it.
#[derive(Debug, Clone)]
pub struct Synthetic {
    /// `n × d`, samples in rows, row norms at most 1.
    pub x: Mat<f64>,
    /// `n` targets in [−1, 1], or labels in {0, 1}.
    pub y: Vec<f64>,
    /// `β*`, length `d`.
    pub beta: Vec<f64>,
}

/// Well-conditioned: rows uniform on the unit sphere (`E G = I/d`), `β* = 1/√(2d)` in every
/// coordinate, `y = clip(xᵀβ* + 0.1 𝒩(0,1), ±1)`. O(nd).
#[must_use]
pub fn sphere(n: usize, d: usize, rng: &mut (impl Rng + ?Sized)) -> Synthetic {
    let x = rows(n, d, |row| {
        fill_sphere(row, rng);
    });
    with_targets(x, rng)
}

/// Ill-conditioned: Gaussian rows with covariance `Σ = diag(2^{-j}) / Σ 2^{-j}`, clipped to norm
/// 1; coefficients and targets as in [`sphere`]. O(nd).
#[must_use]
pub fn decay(n: usize, d: usize, rng: &mut (impl Rng + ?Sized)) -> Synthetic {
    let sd: Vec<f64> = decay_spectrum(d).iter().map(|v| v.sqrt()).collect();
    let x = rows(n, d, |row| {
        for (v, sd) in row.iter_mut().zip(&sd) {
            *v = sd * normal(rng);
        }
        let norm = norm2(row);
        if norm > 1.0 {
            row.iter_mut().for_each(|v| *v /= norm);
        }
    });
    with_targets(x, rng)
}

/// The eigenvalues of `Σ` in [`decay`], in the order of the columns (descending).
#[must_use]
pub fn decay_spectrum(d: usize) -> Vec<f64> {
    let weights: Vec<f64> = (0..d).map(|j| 0.5f64.powi(j as i32)).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|w| w / total).collect()
}

/// The simulation of the AdaSSP study (Wang 2018): unit-norm rows, `θ` random of norm `1/√2`,
/// `y = Xθ + 0.1 (U − ½)`. O(nd).
#[must_use]
pub fn adassp_simulation(n: usize, d: usize, rng: &mut (impl Rng + ?Sized)) -> Synthetic {
    let mut beta = vec![0.0; d];
    fill_sphere(&mut beta, rng);
    beta.iter_mut()
        .for_each(|b| *b *= std::f64::consts::FRAC_1_SQRT_2);
    let x = rows(n, d, |row| fill_sphere(row, rng));
    let y = (0..n)
        .map(|i| {
            let row: Vec<f64> = x.row(i).iter().copied().collect();
            dot(&row, &beta) + 0.1 * (uniform(rng) - 0.5)
        })
        .collect();
    Synthetic { x, y, beta }
}

/// Logistic: rows uniform on the unit sphere, `θ = 0.9/√d` in every coordinate, labels 1 with
/// probability `1/(1 + e^{−xᵀθ})`. O(nd).
#[must_use]
pub fn logistic_sphere(n: usize, d: usize, rng: &mut (impl Rng + ?Sized)) -> Synthetic {
    let beta = vec![0.9 / (d as f64).sqrt(); d];
    let x = rows(n, d, |row| fill_sphere(row, rng));
    let y = (0..n)
        .map(|i| {
            let row: Vec<f64> = x.row(i).iter().copied().collect();
            let p = 1.0 / (1.0 + (-dot(&row, &beta)).exp());
            f64::from(uniform(rng) < p)
        })
        .collect();
    Synthetic { x, y, beta }
}

fn rows(n: usize, d: usize, mut fill: impl FnMut(&mut [f64])) -> Mat<f64> {
    let mut row = vec![0.0; d];
    let mut x = Mat::zeros(n, d);
    for i in 0..n {
        fill(&mut row);
        for (j, v) in row.iter().enumerate() {
            x[(i, j)] = *v;
        }
    }
    x
}

fn fill_sphere(row: &mut [f64], rng: &mut (impl Rng + ?Sized)) {
    loop {
        row.iter_mut().for_each(|v| *v = normal(rng));
        let norm = norm2(row);
        if norm > 0.0 {
            row.iter_mut().for_each(|v| *v /= norm);
            return;
        }
    }
}

fn with_targets(x: Mat<f64>, rng: &mut (impl Rng + ?Sized)) -> Synthetic {
    let d = x.ncols();
    let beta = vec![1.0 / (2.0 * d as f64).sqrt(); d];
    let y = (0..x.nrows())
        .map(|i| {
            let row: Vec<f64> = x.row(i).iter().copied().collect();
            (dot(&row, &beta) + 0.1 * normal(rng)).clamp(-1.0, 1.0)
        })
        .collect();
    Synthetic { x, y, beta }
}
