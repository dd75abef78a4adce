//! Rows clipped to the public bounds, block by block: what every method starts from.

use crate::{Bounds, Clip, Error, Result};
use faer::MatRef;

/// Rows that one block holds. Fixed, so that the sums do not depend on the number of threads.
pub(crate) const BLOCK_ROWS: usize = 1024;

/// Clipped rows of one block.
pub(crate) struct ClippedRows {
    d: usize,
    rows: usize,
    /// `rows × d`, column-major where the input's columns are contiguous, else row-major.
    x: Vec<f64>,
    y: Vec<f64>,
    scale: Vec<f64>,
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
            column_major: false,
        }
    }

    /// Copy and clip; returns how many rows and targets were clipped. `first` is the row number
    /// of the first row, for errors.
    pub(crate) fn load<T: Copy + Into<f64>>(
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
        let at = |i: usize, j: usize| {
            if self.column_major {
                j * n + i
            } else {
                i * d + j
            }
        };
        let squares = &mut self.scale[..n];
        squares.fill(0.0);
        if self.column_major {
            for j in 0..d {
                let to = &mut self.x[j * n..][..n];
                if let Some(column) = x.col(j).try_as_col_major() {
                    for ((to, square), v) in to.iter_mut().zip(&mut *squares).zip(column.as_slice())
                    {
                        *to = (*v).into();
                        *square += *to * *to;
                    }
                } else {
                    for i in 0..n {
                        to[i] = x[(i, j)].into();
                        squares[i] += to[i] * to[i];
                    }
                }
            }
        } else {
            for (i, to) in self.x[..n * d].chunks_exact_mut(d).enumerate() {
                if let Some(row) = x.row(i).try_as_row_major() {
                    for (to, v) in to.iter_mut().zip(row.as_slice()) {
                        *to = (*v).into();
                    }
                } else {
                    for j in 0..d {
                        to[j] = x[(i, j)].into();
                    }
                }
                squares[i] = to.iter().map(|v| v * v).sum();
            }
        }

        let Bounds { x_norm, y_abs } = bounds;
        let mut clipped = (0, 0);
        for i in 0..n {
            let row = first + i as u64;
            let target: f64 = y[i].into();
            let mut norm = squares[i].sqrt();
            // Norm of the row as it stands here.
            let mut length = norm;
            // Squares that over- or underflow, and bad values, take the slow way.
            if !(1e-140..=1e140).contains(&norm) {
                let mut largest = 0.0f64;
                for j in 0..d {
                    let v = self.x[at(i, j)];
                    if !v.is_finite() {
                        return Err(Error::NonFinite { row, col: j });
                    }
                    largest = largest.max(v.abs());
                }
                if largest > 0.0 {
                    let sum: f64 = (0..d).map(|j| (self.x[at(i, j)] / largest).powi(2)).sum();
                    length = sum.sqrt();
                    norm = largest * length;
                    if norm > x_norm {
                        // `x_norm / norm` could be subnormal or 0: scale in two steps.
                        (0..d).for_each(|j| self.x[at(i, j)] /= largest);
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
        if clipped.0 > 0 {
            for i in (0..n).filter(|&i| squares[i] != 1.0) {
                for j in 0..d {
                    self.x[at(i, j)] *= squares[i];
                }
            }
        }
        Ok(clipped)
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
