//! Rows clipped to the public bounds, block by block: what every method starts from.

use crate::{Bounds, Clip, Error, Result};
use faer::MatRef;

/// Rows that one block holds. Fixed, so that the sums do not depend on the number of threads.
pub(crate) const BLOCK_ROWS: usize = 1024;

/// A floating-point type that data may come in: `f32` or `f64`.
pub trait Real: Copy + Into<f64> + Sync + sealed::Sealed {
    /// The same numbers without a copy, where they are `f64` already.
    #[doc(hidden)]
    fn as_f64(x: MatRef<'_, Self>) -> Option<MatRef<'_, f64>>
    where
        Self: Sized;
}

impl Real for f32 {
    fn as_f64(_: MatRef<'_, Self>) -> Option<MatRef<'_, f64>> {
        None
    }
}

impl Real for f64 {
    fn as_f64(x: MatRef<'_, Self>) -> Option<MatRef<'_, f64>> {
        Some(x)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// Clipped rows of one block.
pub(crate) struct ClippedRows {
    d: usize,
    rows: usize,
    /// `rows × d`, column-major where the input's columns are contiguous, else row-major.
    x: Vec<f64>,
    y: Vec<f64>,
    /// What each row is multiplied by.
    scale: Vec<f64>,
    /// Rows whose squares overflow, and what they are divided by before `scale`.
    divisors: Vec<(usize, f64)>,
    column_major: bool,
}

impl ClippedRows {
    /// Room for `rows` rows of `d` features.
    pub(crate) fn new(d: usize, rows: usize) -> Self {
        Self {
            d,
            rows: 0,
            x: vec![0.0; rows * d],
            y: vec![0.0; rows],
            scale: vec![0.0; rows],
            divisors: Vec::new(),
            column_major: false,
        }
    }

    /// Copy and clip; returns how many rows and targets were clipped. `first` is the row number
    /// of the first row, for errors.
    pub(crate) fn load<T: Real>(
        &mut self,
        x: MatRef<'_, T>,
        y: &[T],
        bounds: Bounds,
        clip: Clip,
        first: u64,
    ) -> Result<(u64, u64)> {
        let clipped = self.measure(x, y, bounds, clip, first)?;
        self.copy(x);
        Ok(clipped)
    }

    /// The first half of [`load`](Self::load): everything but the copy of the features.
    pub(crate) fn measure<T: Real>(
        &mut self,
        x: MatRef<'_, T>,
        y: &[T],
        bounds: Bounds,
        clip: Clip,
        first: u64,
    ) -> Result<(u64, u64)> {
        let (n, d) = (x.nrows(), self.d);
        self.rows = n;
        self.column_major = x.row_stride() == 1;
        self.divisors.clear();
        let squares = &mut self.scale[..n];
        let by_columns = self.column_major;
        // At the vector width of the machine. Each sum has its fixed order of additions, so the
        // bits are the same everywhere.
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                if by_columns {
                    square_columns(x, squares);
                } else {
                    square_rows(x, squares);
                }
            },
        );

        let Bounds { x_norm, y_abs } = bounds;
        let mut clipped = (0, 0);
        for i in 0..n {
            let row = first + i as u64;
            let target: f64 = y[i].into();
            let mut norm = squares[i].sqrt();
            // Norm of the row once it is divided.
            let mut length = norm;
            // Squares that over- or underflow, and bad values, take the slow way.
            if !(1e-140..=1e140).contains(&norm) {
                let mut largest = 0.0f64;
                for j in 0..d {
                    let v: f64 = x[(i, j)].into();
                    if !v.is_finite() {
                        return Err(Error::NonFinite { row, col: j });
                    }
                    largest = largest.max(v.abs());
                }
                if largest > 0.0 {
                    let sum: f64 = (0..d).map(|j| (x[(i, j)].into() / largest).powi(2)).sum();
                    length = sum.sqrt();
                    norm = largest * length;
                    if norm > x_norm {
                        // `x_norm / norm` could be subnormal or 0: scale in two steps.
                        self.divisors.push((i, largest));
                    }
                }
            }
            if !target.is_finite() {
                return Err(Error::NonFinite { row, col: d });
            }
            for (what, value, limit) in [("norm", norm, x_norm), ("|y|", target.abs(), y_abs)] {
                if clip == Clip::Reject && value > limit {
                    return Err(Error::RowOutOfBounds {
                        row,
                        what,
                        value,
                        limit,
                    });
                }
            }
            squares[i] = if norm > x_norm {
                clipped.0 += 1;
                x_norm / length
            } else {
                1.0
            };
            clipped.1 += u64::from(target.abs() > y_abs);
            self.y[i] = target.clamp(-y_abs, y_abs);
        }
        Ok(clipped)
    }

    /// The second half of [`load`](Self::load): copy the features that were measured, and clip.
    pub(crate) fn copy<T: Real>(&mut self, x: MatRef<'_, T>) {
        let (n, d) = (self.rows, self.d);
        if self.column_major {
            for (j, to) in self.x[..n * d].chunks_exact_mut(n).enumerate() {
                for (i, to) in to.iter_mut().enumerate() {
                    *to = x[(i, j)].into();
                }
            }
        } else {
            for (i, to) in self.x[..n * d].chunks_exact_mut(d).enumerate() {
                for (j, to) in to.iter_mut().enumerate() {
                    *to = x[(i, j)].into();
                }
            }
        }
        let (row_step, column_step) = if self.column_major { (1, n) } else { (d, 1) };
        for &(i, largest) in &self.divisors {
            (0..d).for_each(|j| self.x[i * row_step + j * column_step] /= largest);
        }
        for (i, scale) in self.scale[..n].iter().enumerate().filter(|s| *s.1 != 1.0) {
            (0..d).for_each(|j| self.x[i * row_step + j * column_step] *= scale);
        }
    }

    /// The clipped features, `rows × d`.
    pub(crate) fn x(&self) -> MatRef<'_, f64> {
        let x = &self.x[..self.rows * self.d];
        if self.column_major {
            MatRef::from_column_major_slice(x, self.rows, self.d)
        } else {
            MatRef::from_row_major_slice(x, self.rows, self.d)
        }
    }

    /// The clamped targets, one a row.
    pub(crate) fn y(&self) -> &[f64] {
        &self.y[..self.rows]
    }
}

/// `Σ_j x_ij²` of a block with contiguous columns.
#[inline(always)]
fn square_columns<T: Real>(x: MatRef<'_, T>, squares: &mut [f64]) {
    squares.fill(0.0);
    for column in x.col_iter() {
        // The caller has seen that the stride is 1.
        let column = column.try_as_col_major().map_or(&[][..], |c| c.as_slice());
        for (square, v) in squares.iter_mut().zip(column) {
            let v: f64 = (*v).into();
            *square += v * v;
        }
    }
}

/// `Σ_j x_ij²` of a block of any strides.
#[inline(always)]
fn square_rows<T: Real>(x: MatRef<'_, T>, squares: &mut [f64]) {
    for (i, square) in squares.iter_mut().enumerate() {
        *square = match x.row(i).try_as_row_major() {
            Some(row) => {
                // Eight independent sums let additions overlap.
                let mut sums = [0.0; 8];
                let (blocks, rest) = row.as_slice().as_chunks::<8>();
                for block in blocks {
                    for lane in 0..8 {
                        let v: f64 = block[lane].into();
                        sums[lane] += v * v;
                    }
                }
                let rest = rest.iter().map(|v| (*v).into()).map(|v: f64| v * v);
                sums.iter().sum::<f64>() + rest.sum::<f64>()
            }
            None => (0..x.ncols())
                .map(|j| x[(i, j)].into())
                .map(|v: f64| v * v)
                .sum(),
        };
    }
}

/// The rows of `x` times their weights, in the layout of `rows`. `out` has room for the block.
pub(crate) fn weighted<'a>(
    rows: &ClippedRows,
    weights: &[f64],
    out: &'a mut [f64],
) -> MatRef<'a, f64> {
    let (n, d) = (rows.rows, rows.d);
    let x = &rows.x[..n * d];
    let out = &mut out[..n * d];
    if rows.column_major {
        for (to, from) in out.chunks_exact_mut(n).zip(x.chunks_exact(n)) {
            for ((to, v), w) in to.iter_mut().zip(from).zip(weights) {
                *to = v * w;
            }
        }
        MatRef::from_column_major_slice(out, n, d)
    } else {
        for ((to, from), w) in out.chunks_exact_mut(d).zip(x.chunks_exact(d)).zip(weights) {
            for (to, v) in to.iter_mut().zip(from) {
                *to = v * w;
            }
        }
        MatRef::from_row_major_slice(out, n, d)
    }
}

/// Refuse NaN and infinities, the target being column `d`. `x` and `y` have as many rows. O(nd).
pub(crate) fn check_finite(x: MatRef<'_, f64>, y: &[f64]) -> Result<()> {
    let d = x.ncols();
    for (row, target) in y.iter().enumerate() {
        let bad = (0..d).find(|&j| !x[(row, j)].is_finite());
        if let Some(col) = bad.or((!target.is_finite()).then_some(d)) {
            let row = row as u64;
            return Err(Error::NonFinite { row, col });
        }
    }
    Ok(())
}

/// All rows, clipped, in blocks of [`BLOCK_ROWS`]: for the methods that pass over them again and
/// again. Holds a copy of the data.
pub(crate) fn clipped_blocks(
    x: MatRef<'_, f64>,
    y: &[f64],
    bounds: Bounds,
) -> Result<Vec<ClippedRows>> {
    (0..x.nrows())
        .step_by(BLOCK_ROWS)
        .map(|start| {
            let rows = BLOCK_ROWS.min(x.nrows() - start);
            let mut block = ClippedRows::new(x.ncols(), rows);
            let (x, y) = (x.subrows(start, rows), &y[start..start + rows]);
            block.load(x, y, bounds, Clip::Clip, start as u64)?;
            Ok(block)
        })
        .collect()
}
