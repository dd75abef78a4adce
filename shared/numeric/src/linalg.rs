//! Dense symmetric linear algebra on [`faer`] that returns errors instead of NaN or a panic.
//!
//! Inputs are views of column- or row-major matrices; of a symmetric matrix only the lower
//! triangle is read. Everything runs on the calling thread, so results do not depend on how
//! many threads there are.
//!
//! Functions on vectors panic when lengths differ, as indexing does: a length is set by the
//! program, not by its data.

mod cholesky;

pub use cholesky::{Cholesky, log_det_spd, spd_solve};

use crate::error::{Error, Position, Result, check_finite};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::{Mat, MatRef, Par};

/// Eigenvalues and eigenvectors of a symmetric matrix: `A = V diag(values) Vᵀ`.
#[derive(Clone, Debug)]
pub struct Eigen {
    /// The eigenvalues, ascending.
    pub values: Vec<f64>,
    /// The orthonormal eigenvectors, one a column, in the order of `values`.
    pub vectors: Mat<f64>,
}

/// Eigendecomposition of the symmetric `d x d` matrix whose lower triangle is `a`.
///
/// Entries may be as large as 1e300 or as small as 1e-300. An empty matrix has an empty
/// decomposition. O(d³) time, O(d²) memory.
///
/// # Errors
///
/// [`Error::NotSquare`], [`Error::NotFinite`] (NaN or infinity in the lower triangle, or an
/// eigenvalue that overflows), and [`Error::NoConvergence`].
pub fn symmetric_eigen(a: MatRef<'_, f64>) -> Result<Eigen> {
    let d = check_lower(a)?;
    if d == 0 {
        return Ok(Eigen {
            values: Vec::new(),
            vectors: Mat::new(),
        });
    }
    let mut values = faer::diag::Diag::zeros(d);
    let mut vectors = Mat::zeros(d, d);
    let needs = evd::self_adjoint_evd_scratch::<f64>(
        d,
        ComputeEigenvectors::Yes,
        Par::Seq,
        Default::default(),
    );
    evd::self_adjoint_evd(
        a,
        values.as_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(needs)),
        Default::default(),
    )
    .map_err(|_| Error::NoConvergence {
        what: "the symmetric eigendecomposition",
        limit: d.saturating_mul(d).saturating_mul(30),
    })?;
    let values: Vec<f64> = values.column_vector().iter().copied().collect();
    check_finite("an eigenvalue", &values)?;
    Ok(Eigen { values, vectors })
}

/// The dimension of a square matrix with a finite lower triangle.
fn check_lower(a: MatRef<'_, f64>) -> Result<usize> {
    let (rows, cols) = a.shape();
    if rows != cols {
        return Err(Error::NotSquare { rows, cols });
    }
    for j in 0..cols {
        for i in j..rows {
            if !a[(i, j)].is_finite() {
                return Err(Error::NotFinite {
                    what: "the matrix",
                    value: a[(i, j)],
                    position: Position::Entry(i, j),
                });
            }
        }
    }
    Ok(rows)
}

/// The largest power of two that is no larger than `x`; 1 for zero and subnormal numbers.
fn power_of_two_below(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    if x < f64::MIN_POSITIVE {
        1.0
    } else {
        f64::from_bits(x.to_bits() & !MANTISSA)
    }
}

/// Inner product of two vectors of one length.
///
/// # Panics
///
/// When the lengths differ.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "dot: lengths differ");
    // Eight independent sums let the processor overlap additions; their order is fixed.
    let mut sums = [0.0; 8];
    let (a_blocks, a_rest) = a.as_chunks::<8>();
    let (b_blocks, b_rest) = b.as_chunks::<8>();
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

/// Euclidean norm, without overflow or underflow of the squares; NaN when an entry is NaN.
pub fn norm2(a: &[f64]) -> f64 {
    let square = dot(a, a);
    // Within this range no square that mattered has lost digits.
    if (1e-280..f64::INFINITY).contains(&square) || square.is_nan() {
        return square.sqrt();
    }
    let max = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if max == 0.0 || max.is_infinite() {
        return max;
    }
    let scale = power_of_two_below(max);
    let scaled: Vec<f64> = a.iter().map(|x| x / scale).collect();
    scale * dot(&scaled, &scaled).sqrt()
}

/// `A x` for an `m x n` matrix and `n` numbers: `m` numbers. O(m n).
///
/// # Panics
///
/// When `x` is not as long as `a` has columns.
pub fn mat_vec(a: MatRef<'_, f64>, x: &[f64]) -> Vec<f64> {
    assert_eq!(a.ncols(), x.len(), "mat_vec: columns and length differ");
    let mut out = vec![0.0; a.nrows()];
    faer::linalg::matmul::matmul(
        faer::ColMut::from_slice_mut(&mut out),
        faer::Accum::Replace,
        a,
        faer::ColRef::from_slice(x),
        1.0,
        Par::Seq,
    );
    out
}

/// `Aᵀ x` for an `m x n` matrix and `m` numbers: `n` numbers. O(m n).
///
/// # Panics
///
/// When `x` is not as long as `a` has rows.
pub fn mat_t_vec(a: MatRef<'_, f64>, x: &[f64]) -> Vec<f64> {
    mat_vec(a.transpose(), x)
}
