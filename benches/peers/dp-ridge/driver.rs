//! dp-ridge's side of the peer runs: tasks as JSON lines on standard input, one answer a line.
//!
//! `compare.py` keeps one driver open and lets peer and crate take turns on the same files, so
//! that both meet the same state of the machine. Times leave out reading and writing.

mod stream;

use dp_ridge::baselines::FunctionalMechanism;
use dp_ridge::faer::{Mat, MatRef, Par};
use dp_ridge::{
    Bounds, Budget, Calibration, Clip, DiscreteGaussian, DpRegressor, ErmSpec, Floor, Insecure,
    Ledger, Logistic, Neighbor, Relation, RidgeSpec, SecureRng, Spectrum, SuffStats, Training,
};
use papercrates_data::npy::{self, Array, Layout};
use papercrates_numeric::linalg::symmetric_eigen;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// One request.
#[derive(Deserialize)]
#[serde(tag = "task", rename_all = "snake_case")]
enum Task {
    /// Clipped `XᵀX` of a table.
    Gram {
        x: PathBuf,
        y: PathBuf,
        bounds: (f64, f64),
        threads: usize,
    },
    /// Eigenvalues and vectors of a symmetric matrix.
    Eigen { x: PathBuf },
    /// Exact discrete Gaussian draws.
    DiscreteGaussian { count: usize, variance: u64 },
    /// Ridge fits of many `(alpha, c)`, rows of `grid`; coefficients go to `out`.
    Path {
        x: PathBuf,
        y: PathBuf,
        bounds: (f64, f64),
        grid: PathBuf,
        out: PathBuf,
    },
    /// Logistic ERM from rows.
    Logistic {
        x: PathBuf,
        y: PathBuf,
        bounds: (f64, f64),
        alpha: f64,
        radius: f64,
        grad_tol: f64,
        threads: usize,
    },
    /// One release of the functional mechanism, the same limits for every feature.
    Functional {
        x: PathBuf,
        y: PathBuf,
        limits: (f64, f64),
        target: (f64, f64),
        epsilon: f64,
        seed: u64,
    },
    /// Coefficients of a spectral floor before noise, and last the noise they would get.
    Decoupled {
        x: PathBuf,
        y: PathBuf,
        bounds: (f64, f64),
        alpha: f64,
        floor: f64,
        budget: (f64, f64),
    },
}

/// One answer.
#[derive(Serialize)]
struct Answer {
    seconds: f64,
    /// What the task computes, flat.
    values: Vec<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        None => serve(),
        Some("stream") => stream::run(std::env::args().skip(2)),
        Some(other) => Err(format!("unknown command {other:?}; expected none or stream").into()),
    }
}

fn serve() -> Result<(), Box<dyn Error>> {
    let mut tables = Tables::default();
    for line in std::io::stdin().lock().lines() {
        let answer = tables.run(&serde_json::from_str(&line?)?)?;
        let mut out = std::io::stdout().lock();
        serde_json::to_writer(&mut out, &answer)?;
        writeln!(out)?;
        out.flush()?;
    }
    Ok(())
}

/// NPY files that were read.
#[derive(Default)]
struct Tables(HashMap<PathBuf, Array>);

impl Tables {
    fn read(&mut self, paths: &[&Path]) -> Result<(), Box<dyn Error>> {
        for path in paths {
            if !self.0.contains_key(*path) {
                self.0.insert(path.to_path_buf(), npy::read(path)?);
            }
        }
        Ok(())
    }

    /// The rows of a two-dimensional table as they lie in the file.
    fn matrix(&self, path: &Path) -> Result<MatRef<'_, f64>, Box<dyn Error>> {
        let array = &self.0[path];
        match *array.shape() {
            [n, d] => Ok(MatRef::from_row_major_slice(array.values(), n, d)),
            ref other => {
                Err(format!("{}: shape {other:?}, expected two axes", path.display()).into())
            }
        }
    }

    fn vector(&self, path: &Path) -> &[f64] {
        self.0[path].values()
    }

    fn run(&mut self, task: &Task) -> Result<Answer, Box<dyn Error>> {
        match task {
            Task::Gram {
                x,
                y,
                bounds,
                threads,
            } => {
                self.read(&[x, y])?;
                let (x, y) = (self.matrix(x)?, self.vector(y));
                let start = Instant::now();
                let mut stats = SuffStats::new(x.ncols(), bounds_of(*bounds), Clip::Clip)?;
                stats.push_batch(x, y, par(*threads))?;
                let seconds = start.elapsed().as_secs_f64();
                Ok(Answer {
                    seconds,
                    values: flat(stats.non_private_gram().as_ref()),
                })
            }
            Task::Eigen { x } => {
                self.read(&[x])?;
                let x = self.matrix(x)?;
                let start = Instant::now();
                let eigen = symmetric_eigen(x)?;
                let seconds = start.elapsed().as_secs_f64();
                Ok(Answer {
                    seconds,
                    values: eigen.values,
                })
            }
            Task::DiscreteGaussian { count, variance } => {
                let mut rng = SecureRng::from_os()?;
                let start = Instant::now();
                let law = DiscreteGaussian::new(*variance, 1)?;
                let draws: Vec<i64> = (0..*count).map(|_| law.sample(&mut rng)).collect();
                let seconds = start.elapsed().as_secs_f64();
                Ok(Answer {
                    seconds,
                    values: draws.into_iter().map(|v| v as f64).collect(),
                })
            }
            Task::Path {
                x,
                y,
                bounds,
                grid,
                out,
            } => {
                self.read(&[x, y, grid])?;
                let (x, y) = (self.matrix(x)?, self.vector(y));
                let mut stats = SuffStats::new(x.ncols(), bounds_of(*bounds), Clip::Clip)?;
                stats.push_batch(x, y, Par::Seq)?;
                let grid: Vec<(f64, Floor)> = self
                    .matrix(grid)?
                    .row_iter()
                    .map(|row| (row[0], Floor::Shift(row[1])))
                    .collect();
                let spectrum = Spectrum::of(&stats, Neighbor::ReplaceOne)?;
                let start = Instant::now();
                let fits = grid
                    .iter()
                    .map(|&(alpha, floor)| spectrum.fit(&RidgeSpec::new(alpha).floor(floor)))
                    .collect::<Result<Vec<_>, _>>()?;
                let seconds = start.elapsed().as_secs_f64();
                let coef = Mat::from_fn(fits.len(), x.ncols(), |i, j| fits[i].coef[j]);
                npy::write(out, &Array::from_mat(coef.as_ref()), Layout::default())?;
                Ok(Answer {
                    seconds,
                    values: vec![],
                })
            }
            Task::Logistic {
                x,
                y,
                bounds,
                alpha,
                radius,
                grad_tol,
                threads,
            } => {
                self.read(&[x, y])?;
                let (x, y) = (self.matrix(x)?, self.vector(y));
                let spec = ErmSpec::new(Logistic, *alpha, *radius).grad_tol(*grad_tol);
                let start = Instant::now();
                let par = par(*threads);
                let training = Training::from_rows(x, y, bounds_of(*bounds), Clip::Clip, par)?;
                let fit = spec.solve(&training, par)?;
                let seconds = start.elapsed().as_secs_f64();
                Ok(Answer {
                    seconds,
                    values: fit.coef,
                })
            }
            Task::Functional {
                x,
                y,
                limits,
                target,
                epsilon,
                seed,
            } => {
                self.read(&[x, y])?;
                let (x, y) = (self.matrix(x)?, self.vector(y));
                let mut rng = Insecure::seeded(*seed);
                let mut ledger = open((*epsilon, 1e-6))?;
                let method = FunctionalMechanism {
                    epsilon: Some(*epsilon),
                    ..FunctionalMechanism::new(vec![*limits; x.ncols()], *target)
                };
                let d = x.ncols() as f64;
                let largest = |(l, u): (f64, f64)| l.abs().max(u.abs());
                let bounds = bounds_of((largest(*limits) * d.sqrt(), largest(*target)));
                let start = Instant::now();
                let training = Training::from_rows(x, y, bounds, Clip::Clip, Par::Seq)?;
                let release = method.fit(&training, &mut ledger, &mut rng)?;
                let seconds = start.elapsed().as_secs_f64();
                Ok(Answer {
                    seconds,
                    values: release.coef,
                })
            }
            Task::Decoupled {
                x,
                y,
                bounds,
                alpha,
                floor,
                budget,
            } => {
                self.read(&[x, y])?;
                let (x, y) = (self.matrix(x)?, self.vector(y));
                let bounds = bounds_of(*bounds);
                let start = Instant::now();
                let training = Training::from_rows(x, y, bounds, Clip::Clip, Par::Seq)?;
                let spec = RidgeSpec::new(*alpha).floor(Floor::Spectral(*floor));
                let fit = spec.solve(training.stats())?;
                let seconds = start.elapsed().as_secs_f64();
                let sensitivity = spec.sensitivity(training.stats().n(), &bounds)?;
                let mut values = fit.coef;
                values.push(sensitivity.value / open(*budget)?.mu_total());
                Ok(Answer { seconds, values })
            }
        }
    }
}

fn par(threads: usize) -> Par {
    match threads {
        0 | 1 => Par::Seq,
        n => Par::rayon(n),
    }
}

fn open((epsilon, delta): (f64, f64)) -> dp_ridge::Result<Ledger> {
    let budget = Budget { epsilon, delta };
    Ledger::open(budget, Calibration::Analytic, Relation::ReplaceOne)
}

fn bounds_of((x_norm, y_abs): (f64, f64)) -> Bounds {
    Bounds { x_norm, y_abs }
}

/// Row by row.
fn flat(x: MatRef<'_, f64>) -> Vec<f64> {
    x.row_iter().flat_map(|r| r.iter().copied()).collect()
}
