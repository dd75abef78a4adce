//! The methods that decoupled ridge is compared with, behind the same trait and ledger.
//!
//! | type | private | neighbours | method |
//! |---|---|---|---|
//! | [`NonPrivateOls`], [`NonPrivateRidge`] | **no** | | reference fits |
//! | [`SingleRidge`] | yes | both | output perturbation with `alpha` alone |
//! | [`Ssp`] | yes | add/remove | noisy sufficient statistics |
//! | [`AdaSsp`] | yes | add/remove | the same with an adaptive ridge (Wang 2018) |
//! | [`ObjPert`] | yes | add/remove | objective perturbation, squared loss |
//! | [`FunctionalMechanism`] | yes, pure `ε` | replace-one | Laplace noise on monomials |
//! | [`DpGd`] | yes | replace-one | noisy gradient descent |
//! | [`OutputPertErm`] | yes | replace-one | output perturbation of an ERM |
//! | [`ObjPertErm`] | yes | add/remove | objective perturbation of an ERM |
//!
//! A ledger has one relation, so a comparison of methods of both kinds needs two ledgers. The
//! noise of these methods is floating-point Gaussian or Laplace (see [`Noise::Float`]).

mod adassp;
mod dpgd;
mod functional;
mod objpert;
mod ols;
mod outputpert;
mod single;
mod ssp;

pub use adassp::{AdaSsp, AdaSspCalibration};
pub use dpgd::DpGd;
pub use functional::{FunctionalMechanism, FunctionalScales};
pub use objpert::{ObjPert, ObjPertErm};
pub use ols::{NonPrivateOls, NonPrivateRidge};
pub use outputpert::OutputPertErm;
pub use single::SingleRidge;
pub use ssp::Ssp;

use crate::{Error, Ledger, Noise, NoiseRng, Relation, Release, Result, Training};
use faer::{Mat, MatRef};
use papercrates_numeric::linalg::{Eigen, mat_t_vec, mat_vec, symmetric_eigen};
use papercrates_numeric::streams::normal;

/// A symmetric Gaussian matrix with density `∝ exp(−‖Z‖_F²/(2σ²))`: standard deviation `σ` on the
/// diagonal, `σ/√2` off it. The right noise for a matrix of Frobenius sensitivity `σ μ`.
fn symmetric_noise(d: usize, sigma: f64, rng: &mut dyn NoiseRng) -> Mat<f64> {
    let mut z = Mat::zeros(d, d);
    for j in 0..d {
        z[(j, j)] = sigma * normal(rng);
        for i in 0..j {
            let draw = sigma * std::f64::consts::FRAC_1_SQRT_2 * normal(rng);
            (z[(i, j)], z[(j, i)]) = (draw, draw);
        }
    }
    z
}

/// The solution of a noisy symmetric system, definite or not, and the smallest eigenvalue. O(d³).
fn solve_symmetric(a: MatRef<'_, f64>, b: &[f64]) -> Result<(Vec<f64>, f64)> {
    let Eigen { values, vectors } = symmetric_eigen(a)?;
    let scaled: Vec<f64> = mat_t_vec(vectors.as_ref(), b)
        .iter()
        .zip(&values)
        .map(|(b, v)| b / v)
        .collect();
    let coef = mat_vec(vectors.as_ref(), &scaled);
    let smallest = values[0];
    if coef.iter().all(|c| c.is_finite()) {
        Ok((coef, smallest))
    } else {
        Err(Error::NotPositiveDefinite { smallest })
    }
}

/// A release of coefficients that carry no Gaussian noise of their own.
fn derived_release(
    method: &'static str,
    coef: Vec<f64>,
    indefinite: bool,
    training: &Training<'_>,
    ledger: &Ledger,
    rng: &dyn NoiseRng,
) -> Release {
    let n_is_public = ledger.relation() == Relation::ReplaceOne;
    Release {
        method: method.into(),
        coef,
        sigma: None,
        noise: Noise::Float,
        sensitivity: None,
        spec: None,
        n: n_is_public.then(|| training.stats().n()),
        reproducible_not_private: !rng.is_private(),
        indefinite,
        ledger: ledger.summary().clone(),
    }
}

/// Refuse a parameter that is negative or not finite, and 0 unless it is allowed.
fn check_parameter(name: &'static str, value: f64, zero_allowed: bool) -> Result<()> {
    if value.is_finite() && (value > 0.0 || (zero_allowed && value == 0.0)) {
        return Ok(());
    }
    let range = if zero_allowed {
        "at least 0, finite"
    } else {
        "above 0, finite"
    };
    Err(Error::NegativeParameter { name, value, range })
}
