//! The two synthetic designs of the experiments.

use crate::Bounds;
use crate::risk::Problem;
use crate::synthetic::{Synthetic, decay, decay_spectrum, sphere};
use rand::Rng;
use serde::Serialize;

/// Number of features.
pub(super) const D: usize = 10;
/// Bounds of both designs.
pub(super) const BOUNDS: Bounds = Bounds {
    x_norm: 1.0,
    y_abs: 1.0,
};

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Design {
    /// Rows on the sphere: well-conditioned.
    Sphere,
    /// Eigenvalues that halve: ill-conditioned.
    Decay,
}

impl Design {
    pub(super) fn draw(self, n: usize, rng: &mut impl Rng) -> Synthetic {
        match self {
            Self::Sphere => sphere(n, D, rng),
            Self::Decay => decay(n, D, rng),
        }
    }

    /// The problem that the formulas see: the population spectrum and the true coefficients.
    pub(super) fn problem(self, n: u64) -> Problem {
        let mut eigenvalues = match self {
            Self::Sphere => vec![1.0 / D as f64; D],
            Self::Decay => decay_spectrum(D),
        };
        eigenvalues.reverse();
        Problem {
            n,
            eigenvalues,
            beta: vec![1.0 / (2.0 * D as f64).sqrt(); D],
            noise_variance: 0.01,
            bounds: BOUNDS,
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Sphere => "well-conditioned design",
            Self::Decay => "ill-conditioned design",
        }
    }

    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Decay => "decay",
        }
    }
}
