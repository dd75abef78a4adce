//! Damped Newton on a strongly convex average loss in a ball, over blocks of clipped rows.

use crate::clip::{BLOCK_ROWS, ClippedRows, weighted};
use crate::ridge::quadratic_minimum;
use crate::{Error, GlmLoss, Result};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, ColMut, ColRef, Mat, Par};
use papercrates_numeric::linalg::{Eigen, dot, mat_t_vec, norm2, symmetric_eigen};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

/// Newton steps before giving up.
pub(crate) const MAX_ITERATIONS: usize = 200;

/// Contiguous runs of blocks with one accumulator each. Fixed, so that the order of additions
/// does not depend on the number of threads.
const STRIPES: usize = 16;

/// From this many features on, the products inside a block are split over threads instead.
const WIDE: usize = 512;

/// `F(θ) = (Σ ℓ(x_iᵀθ, y_i) + linearᵀθ)/n + (ridge/2)‖θ‖²` over clipped rows.
pub(crate) struct Objective<'a, L> {
    pub(crate) loss: &'a L,
    pub(crate) blocks: &'a [ClippedRows],
    /// The divisor of the sum; not the number of rows under add/remove.
    pub(crate) n: f64,
    pub(crate) ridge: f64,
    /// Length `d`.
    pub(crate) linear: &'a [f64],
    pub(crate) par: Par,
}

/// Value, gradient and Hessian (lower triangle).
struct Point {
    value: f64,
    gradient: Vec<f64>,
    hessian: Mat<f64>,
}

impl Point {
    fn zeros(d: usize) -> Self {
        Self {
            value: 0.0,
            gradient: vec![0.0; d],
            hessian: Mat::zeros(d, d),
        }
    }

    fn absorb(&mut self, other: &Self) {
        self.value += other.value;
        for (to, v) in self.gradient.iter_mut().zip(&other.gradient) {
            *to += v;
        }
        self.hessian += &other.hessian;
    }
}

/// Where the minimum is, and the multiplier of the ball.
pub(crate) struct Minimum {
    pub(crate) theta: Vec<f64>,
    pub(crate) multiplier: f64,
}

impl<L: GlmLoss> Objective<'_, L> {
    /// One pass over the rows: `n d² + 4 n d` flops and `n` evaluations of the loss.
    fn at(&self, theta: &[f64]) -> Point {
        let d = theta.len();
        let wide = d >= WIDE;
        let stripes = if wide { 1 } else { STRIPES };
        let inner = if wide { self.par } else { Par::Seq };
        let threads = self.par.degree().max(1);
        let length = self.blocks.len().div_ceil(stripes).max(1);
        let runs: Vec<&[ClippedRows]> = self.blocks.chunks(length).collect();
        let parts: Vec<Point> = if threads == 1 || wide {
            runs.iter().map(|run| self.sum(run, theta, inner)).collect()
        } else {
            runs.par_iter()
                .with_min_len(runs.len().div_ceil(threads))
                .map(|run| self.sum(run, theta, inner))
                .collect()
        };

        let mut point = Point::zeros(d);
        for part in &parts {
            point.absorb(part);
        }
        point.value =
            (point.value + dot(self.linear, theta)) / self.n + 0.5 * self.ridge * dot(theta, theta);
        for j in 0..d {
            point.gradient[j] =
                (point.gradient[j] + self.linear[j]) / self.n + self.ridge * theta[j];
            for i in j..d {
                point.hessian[(i, j)] /= self.n;
            }
            point.hessian[(j, j)] += self.ridge;
        }
        point
    }

    /// Sums over one run of blocks, in order.
    fn sum(&self, blocks: &[ClippedRows], theta: &[f64], par: Par) -> Point {
        let d = theta.len();
        let mut point = Point::zeros(d);
        let mut scores = vec![0.0; BLOCK_ROWS];
        let mut slopes = vec![0.0; BLOCK_ROWS];
        let mut copy = vec![0.0; BLOCK_ROWS * d];
        for block in blocks {
            let (x, y) = (block.x(), block.y());
            // First the scores, then the curvatures in the same place.
            let scores = &mut scores[..y.len()];
            let slopes = &mut slopes[..y.len()];
            let theta = ColRef::from_slice(theta);
            let to = ColMut::from_slice_mut(scores);
            matmul(to, Accum::Replace, x, theta, 1.0, par);
            let mut value = 0.0;
            for ((score, slope), y) in scores.iter_mut().zip(&mut *slopes).zip(y) {
                let (v, d1, d2) = self.loss.all(*score, *y);
                value += v;
                *slope = d1;
                *score = d2;
            }
            point.value += value;
            let to = ColMut::from_slice_mut(&mut point.gradient);
            let slopes = ColRef::from_slice(slopes);
            matmul(to, Accum::Add, x.transpose(), slopes, 1.0, par);
            triangular::matmul(
                point.hessian.as_mut(),
                BlockStructure::TriangularLower,
                Accum::Add,
                x.transpose(),
                BlockStructure::Rectangular,
                weighted(block, scores, &mut copy),
                BlockStructure::Rectangular,
                1.0,
                par,
            );
        }
        point
    }

    /// Minimise over the ball, to a gradient of the Lagrangian of at most `grad_tol`.
    ///
    /// Each step goes towards the minimiser *in the ball* of the quadratic model (its multiplier
    /// from the secular equation in the eigenbasis of the Hessian), with Armijo backtracking; all
    /// iterates are feasible. `curvature` is what `F` is known to have everywhere in the ball.
    ///
    /// # Errors
    /// [`Error::NoConvergence`] after [`MAX_ITERATIONS`], or when no step makes progress.
    pub(crate) fn minimise(&self, radius: f64, curvature: f64, grad_tol: f64) -> Result<Minimum> {
        let d = self.linear.len();
        let mut theta = vec![0.0; d];
        let mut point = self.at(&theta);
        let mut residual = f64::INFINITY;
        for iteration in 0..=MAX_ITERATIONS {
            let multiplier = ball_multiplier(&theta, &point.gradient, radius);
            let lagrangian: Vec<f64> = theta
                .iter()
                .zip(&point.gradient)
                .map(|(t, g)| g + multiplier * t)
                .collect();
            residual = norm2(&lagrangian);
            if residual <= grad_tol {
                return Ok(Minimum { theta, multiplier });
            }
            if iteration == MAX_ITERATIONS {
                break;
            }
            let target = model_minimum(&theta, &point, radius, curvature)?;
            let Some((next, there)) = self.backtrack(&theta, &point, &target, radius) else {
                return Err(Error::NoConvergence {
                    grad: residual,
                    iter: iteration,
                    target: grad_tol,
                });
            };
            (theta, point) = (next, there);
        }
        Err(Error::NoConvergence {
            grad: residual,
            iter: MAX_ITERATIONS,
            target: grad_tol,
        })
    }

    /// The first of the steps 1, ½, ¼, … towards `target` that decreases `F` enough.
    fn backtrack(
        &self,
        theta: &[f64],
        point: &Point,
        target: &[f64],
        radius: f64,
    ) -> Option<(Vec<f64>, Point)> {
        let direction: Vec<f64> = target.iter().zip(theta).map(|(z, t)| z - t).collect();
        let slope = dot(&direction, &point.gradient);
        // Near the minimum the decrease drowns in the rounding of the sum.
        let rounding = 1e-13 * (1.0 + point.value.abs());
        let mut step = 1.0;
        for _ in 0..50 {
            let mut trial: Vec<f64> = if step == 1.0 {
                target.to_vec()
            } else {
                theta
                    .iter()
                    .zip(&direction)
                    .map(|(t, p)| t + step * p)
                    .collect()
            };
            if norm2(&trial) > radius {
                to_sphere(&mut trial, radius);
            }
            let there = self.at(&trial);
            if there.value <= point.value + 1e-4 * step * slope + rounding {
                return Some((trial, there));
            }
            step *= 0.5;
        }
        None
    }
}

/// The minimiser in the ball of the quadratic model at `theta`. O(d³).
fn model_minimum(theta: &[f64], point: &Point, radius: f64, curvature: f64) -> Result<Vec<f64>> {
    let Eigen { values, vectors } = symmetric_eigen(point.hessian.as_ref())?;
    // Only rounding puts an eigenvalue below the known curvature.
    let values: Vec<f64> = values.iter().map(|v| v.max(curvature)).collect();
    let here = mat_t_vec(vectors.as_ref(), theta);
    let gradient = mat_t_vec(vectors.as_ref(), &point.gradient);
    let linear: Vec<f64> = (0..theta.len())
        .map(|j| values[j] * here[j] - gradient[j])
        .collect();
    let (mut z, multiplier) = quadratic_minimum(vectors.as_ref(), &values, &linear, Some(radius));
    if multiplier > 0.0 {
        to_sphere(&mut z, radius);
    }
    Ok(z)
}

/// Scale onto the sphere; rounding ends inside it.
fn to_sphere(theta: &mut [f64], radius: f64) {
    let scale = radius / norm2(theta);
    theta.iter_mut().for_each(|t| *t *= scale);
    if norm2(theta) > radius {
        theta
            .iter_mut()
            .for_each(|t| *t *= 1.0 - 4.0 * f64::EPSILON);
    }
}

/// `ν ≥ 0` that makes `‖∇F + νθ‖` least, 0 inside the ball.
fn ball_multiplier(theta: &[f64], gradient: &[f64], radius: f64) -> f64 {
    let norm = norm2(theta);
    if norm < radius * (1.0 - 16.0 * f64::EPSILON) {
        return 0.0;
    }
    (-dot(theta, gradient) / (norm * norm)).max(0.0)
}
