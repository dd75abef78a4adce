//! Clipped sufficient statistics `XᵀX`, `Xᵀy`, `yᵀy`: streaming, blocked, mergeable.

use crate::clip::{BLOCK_ROWS, ClippedRows, Real};
use crate::{Bounds, Clip, Error, Result};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatRef, Par};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Largest number of features: the Gram matrix of 20 000 features takes 3.2 GB.
pub const MAX_FEATURES: usize = 20_000;

/// Rows that one thread sums by itself before its sums are added to the others', in order.
const RUN_ROWS: usize = 8 * BLOCK_ROWS;

/// Runs that are handed out at a time, a thread: enough for an uneven machine, few enough that
/// their sums stay small.
const RUNS_A_THREAD: usize = 4;

/// Columns of the upper triangle of a small product that are computed at a time: as many as a
/// vector register holds, so that little below the diagonal is computed. A third faster at 50
/// features than the library's triangular product, which does not split matrices as small.
const PANEL: usize = 8;

/// From this many features on the library's triangular product is as fast as panels.
const PANELS_BELOW: usize = 200;

/// From this many features on, one block's product is large enough to be split over threads
/// itself; below, whole blocks are.
const WIDE: usize = 512;

/// Largest number of records, `2^53`: counts divide sums as `f64`, which is exact up to there.
pub const MAX_RECORDS: u64 = 1 << 53;

/// Sufficient statistics of clipped records. **Not private**: they are what the noise must hide.
/// They cannot be serialised with serde, and `Debug` shows no sums.
///
/// Sums are kept in `f64` with compensated addition (about twice double precision), so that
/// order, blocking and merging move them by a few units in the last place only. Memory: `2 d²`
/// numbers, plus one block of 1024 rows a thread while a batch is pushed.
#[derive(Clone)]
pub struct SuffStats {
    n: u64,
    d: usize,
    bounds: Bounds,
    clip: Clip,
    /// Lower triangle of `XᵀX`, `d × d` column-major.
    gram: Compensated,
    xty: Compensated,
    yy: Compensated,
    n_clipped_x: u64,
    n_clipped_y: u64,
    /// Whether a part was added up elsewhere, perhaps one record after the other.
    summed_elsewhere: bool,
}

impl std::fmt::Debug for SuffStats {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SuffStats")
            .field("d", &self.d)
            .field("bounds", &self.bounds)
            .field("sums", &"non-private")
            .finish_non_exhaustive()
    }
}

impl SuffStats {
    /// Empty statistics for `d` features.
    ///
    /// # Errors
    /// [`Error::BadBounds`]; [`Error::TooManyFeatures`] for `d` above [`MAX_FEATURES`] or more
    /// than the memory holds; [`Error::DimensionMismatch`] for `d = 0`.
    pub fn new(d: usize, bounds: Bounds, clip: Clip) -> Result<Self> {
        bounds.check()?;
        if d == 0 {
            return Err(Error::DimensionMismatch {
                expected: 1,
                got: 0,
                row: 0,
            });
        }
        let too_many = || Error::TooManyFeatures {
            got: d,
            limit: MAX_FEATURES,
        };
        if d > MAX_FEATURES {
            return Err(too_many());
        }
        let square = d.checked_mul(d).ok_or_else(too_many)?;
        Ok(Self {
            n: 0,
            d,
            bounds,
            clip,
            gram: Compensated::zeros(square).ok_or_else(too_many)?,
            xty: Compensated::zeros(d).ok_or_else(too_many)?,
            yy: Compensated::zeros(1).ok_or_else(too_many)?,
            n_clipped_x: 0,
            n_clipped_y: 0,
            summed_elsewhere: false,
        })
    }

    /// Statistics from sums computed elsewhere (SQL, another machine) with the same clipping.
    /// `gram` is `XᵀX` (`d × d`, the lower triangle is read), `xty` is `Xᵀy`, `yy` is `yᵀy`.
    ///
    /// One record can change the rounding of every addition after it. So a ridge release from such
    /// sums has noise for `n` additions without compensation, in place of a block's: about 5 % more
    /// at 2·10⁷ records, twice as much at 10⁸.
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`], [`Error::NonFinite`], and [`Error::BadStatistics`] when no
    /// `n` records within the bounds have these sums.
    pub fn from_sums(
        bounds: Bounds,
        n: u64,
        gram: MatRef<'_, f64>,
        xty: &[f64],
        yy: f64,
        clipped: (u64, u64),
    ) -> Result<Self> {
        let d = xty.len();
        let mut stats = Self::new(d, bounds, Clip::Clip)?;
        if gram.nrows() != d || gram.ncols() != d {
            return Err(Error::DimensionMismatch {
                expected: d,
                got: gram.nrows(),
                row: 0,
            });
        }
        for i in 0..d {
            for j in 0..=i {
                if !gram[(i, j)].is_finite() {
                    return Err(Error::NonFinite {
                        row: i as u64,
                        col: j,
                    });
                }
                stats.gram.sum[j * d + i] = gram[(i, j)];
            }
            if !xty[i].is_finite() {
                return Err(Error::NonFinite {
                    row: i as u64,
                    col: d,
                });
            }
        }
        if !yy.is_finite() {
            return Err(Error::NonFinite {
                row: d as u64,
                col: d,
            });
        }
        stats.check_room(n)?;
        stats.xty.sum.copy_from_slice(xty);
        stats.yy.sum[0] = yy;
        (stats.n, stats.n_clipped_x, stats.n_clipped_y) = (n, clipped.0, clipped.1);
        stats.summed_elsewhere = true;
        stats.check_possible()?;
        Ok(stats)
    }

    /// What every data set within the bounds satisfies, to rounding.
    fn check_possible(&self) -> Result<()> {
        let n = self.n as f64;
        // Adding `n` numbers one after the other is off by up to `n` units in the last place.
        let tolerance = 1e-9 + n * f64::EPSILON;
        let slack = 1.0 + tolerance;
        let at_most = |what, value: f64, limit: f64| {
            if value > limit * slack {
                Err(Error::BadStatistics { what, value, limit })
            } else {
                Ok(())
            }
        };
        let Bounds { x_norm, y_abs } = self.bounds;
        let trace: f64 = (0..self.d).map(|j| self.gram.get(j * self.d + j)).sum();
        let yy = self.yy.get(0);
        at_most("the trace of XᵀX", trace, n * x_norm * x_norm)?;
        at_most("yᵀy", yy, n * y_abs * y_abs)?;
        at_most("minus yᵀy", -yy, 0.0)?;
        at_most("the number of clipped rows", self.n_clipped_x as f64, n)?;
        at_most("the number of clipped targets", self.n_clipped_y as f64, n)?;
        // [XᵀX Xᵀy; yᵀX yᵀy] is positive semi-definite for every data set.
        let d = self.d;
        let joint = Mat::from_fn(d + 1, d + 1, |i, j| match (i.max(j), i.min(j)) {
            (a, b) if a < d => self.gram.get(b * d + a),
            (_, b) if b < d => self.xty.get(b),
            _ => yy,
        });
        let smallest = papercrates_numeric::linalg::symmetric_eigen(joint.as_ref())?.values[0];
        at_most(
            "minus the smallest eigenvalue of [X y]ᵀ[X y]",
            -smallest,
            tolerance * (trace + yy).max(f64::MIN_POSITIVE),
        )
    }

    /// Add one record. O(d²).
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`], [`Error::NonFinite`], [`Error::RowOutOfBounds`] under
    /// [`Clip::Reject`], and [`Error::BadStatistics`] beyond [`MAX_RECORDS`]; the statistics are
    /// unchanged then.
    pub fn push(&mut self, x: &[f64], y: f64) -> Result<()> {
        if x.len() != self.d {
            return Err(Error::DimensionMismatch {
                expected: self.d,
                got: x.len(),
                row: self.n,
            });
        }
        self.check_room(1)?;
        let row = MatRef::from_row_major_slice(x, 1, self.d);
        let y = [y];
        let mut rows = ClippedRows::new(self.d, 1);
        let clipped = rows.load(row, &y, self.bounds, self.clip, self.n)?;
        let (x, y) = (rows.x(), rows.y()[0]);
        let d = self.d;
        for j in 0..d {
            let xj = x[(0, j)];
            for i in j..d {
                self.gram.add(j * d + i, x[(0, i)] * xj);
            }
            self.xty.add(j, xj * y);
        }
        self.yy.add(0, y * y);
        self.count(1, clipped);
        Ok(())
    }

    /// Add a batch: `x` is `n × d` (samples in rows, any strides), `y` has `n` targets, in `f32`
    /// or `f64`. One pass of `2 n d²` flops; holds one block of 1024 rows a thread besides `O(d²)`.
    /// The result does not depend on `par`.
    ///
    /// # Errors
    /// As [`push`](Self::push); rows are counted from the start of the batch. On an error nothing
    /// of the batch is added.
    pub fn push_batch<T: Real>(&mut self, x: MatRef<'_, T>, y: &[T], par: Par) -> Result<()> {
        if x.ncols() != self.d {
            return Err(Error::DimensionMismatch {
                expected: self.d,
                got: x.ncols(),
                row: 0,
            });
        }
        if y.len() != x.nrows() {
            return Err(Error::DimensionMismatch {
                expected: x.nrows(),
                got: y.len(),
                row: y.len() as u64,
            });
        }
        self.check_room(y.len() as u64)?;
        let mut batch = Self::new(self.d, self.bounds, self.clip)?;
        let starts: Vec<usize> = (0..x.nrows()).step_by(RUN_ROWS).collect();
        let wide = self.d >= WIDE;
        let threads = if wide { 1 } else { par.degree().max(1) };
        let inner = if wide { par } else { Par::Seq };
        let run = |start: &usize| {
            let rows = RUN_ROWS.min(x.nrows() - start);
            let mut sums = Self::new(self.d, self.bounds, self.clip)?;
            sums.push_run(
                x.subrows(*start, rows),
                &y[*start..start + rows],
                *start,
                inner,
            )?;
            Ok(sums)
        };
        for group in starts.chunks(threads * RUNS_A_THREAD) {
            let done: Vec<Result<Self>> = if threads == 1 {
                group.iter().map(run).collect()
            } else {
                group.into_par_iter().map(run).collect()
            };
            for sums in done {
                batch.absorb(&sums?);
            }
        }
        self.absorb(&batch);
        Ok(())
    }

    /// Add rows one block after the other; `first` is the number of the first, for errors.
    fn push_run<T: Real>(
        &mut self,
        x: MatRef<'_, T>,
        y: &[T],
        first: usize,
        par: Par,
    ) -> Result<()> {
        let mut block = Block::new(self.d, BLOCK_ROWS.min(x.nrows()));
        for start in (0..x.nrows()).step_by(BLOCK_ROWS) {
            let rows = BLOCK_ROWS.min(x.nrows() - start);
            let (x, y) = (x.subrows(start, rows), &y[start..start + rows]);
            let row = (first + start) as u64;
            let clipped = block.rows.measure(x, y, self.bounds, self.clip, row)?;
            match T::as_f64(x) {
                Some(x) if clipped.0 == 0 => block.multiply(x, par),
                _ => {
                    block.rows.copy(x);
                    block.multiply_copy(par);
                }
            }
            block.add_to(self);
            self.count(rows as u64, clipped);
        }
        Ok(())
    }

    /// Join statistics of disjoint records (other files, threads, machines). O(d²).
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`] for another `d`, [`Error::BadStatistics`] for other bounds or
    /// beyond [`MAX_RECORDS`].
    pub fn merge(mut self, other: &Self) -> Result<Self> {
        if other.d != self.d {
            return Err(Error::DimensionMismatch {
                expected: self.d,
                got: other.d,
                row: 0,
            });
        }
        for (what, value, limit) in [
            (
                "x_norm of the other part",
                other.bounds.x_norm,
                self.bounds.x_norm,
            ),
            (
                "y_abs of the other part",
                other.bounds.y_abs,
                self.bounds.y_abs,
            ),
        ] {
            if value != limit {
                return Err(Error::BadStatistics { what, value, limit });
            }
        }
        self.check_room(other.n)?;
        self.absorb(other);
        Ok(self)
    }

    fn absorb(&mut self, other: &Self) {
        self.gram.absorb(&other.gram);
        self.xty.absorb(&other.xty);
        self.yy.absorb(&other.yy);
        self.summed_elsewhere |= other.summed_elsewhere;
        self.count(other.n, (other.n_clipped_x, other.n_clipped_y));
    }

    /// Refuse more than [`MAX_RECORDS`] records.
    fn check_room(&self, more: u64) -> Result<()> {
        match self.n.checked_add(more) {
            Some(n) if n <= MAX_RECORDS => Ok(()),
            _ => Err(Error::BadStatistics {
                what: "the number of records",
                value: self.n as f64 + more as f64,
                limit: MAX_RECORDS as f64,
            }),
        }
    }

    fn count(&mut self, rows: u64, clipped: (u64, u64)) {
        self.n += rows;
        self.n_clipped_x += clipped.0;
        self.n_clipped_y += clipped.1;
    }

    /// With counts of clipped records that a preparation made before the rows came here.
    #[cfg(feature = "io")]
    pub(crate) fn with_clipped(mut self, clipped: (u64, u64)) -> Self {
        (self.n_clipped_x, self.n_clipped_y) = clipped;
        self
    }

    /// Whether the sums, or a part of them, came from [`from_sums`](Self::from_sums).
    pub(crate) fn summed_elsewhere(&self) -> bool {
        self.summed_elsewhere
    }

    /// Number of records. Public under replace-one only.
    #[must_use]
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Number of features.
    #[must_use]
    pub fn d(&self) -> usize {
        self.d
    }

    /// The public bounds the records were clipped to.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Records whose features and targets were clipped. Not private: do not publish.
    #[must_use]
    pub fn non_private_clipped(&self) -> (u64, u64) {
        (self.n_clipped_x, self.n_clipped_y)
    }

    /// `XᵀX`, `d × d`, symmetric. Not private. O(d²).
    #[must_use]
    pub fn non_private_gram(&self) -> Mat<f64> {
        let d = self.d;
        Mat::from_fn(d, d, |i, j| self.gram.get(i.min(j) * d + i.max(j)))
    }

    /// `Xᵀy`, length `d`. Not private.
    #[must_use]
    pub fn non_private_xty(&self) -> Vec<f64> {
        (0..self.d).map(|j| self.xty.get(j)).collect()
    }

    /// `yᵀy`. Not private.
    #[must_use]
    pub fn non_private_yy(&self) -> f64 {
        self.yy.get(0)
    }
}

/// Sums with the rounding errors of their additions beside them (Neumaier).
#[derive(Clone)]
struct Compensated {
    sum: Vec<f64>,
    error: Vec<f64>,
}

impl Compensated {
    /// `None` when the memory is not there.
    fn zeros(len: usize) -> Option<Self> {
        let zeros = || {
            let mut v = Vec::new();
            v.try_reserve_exact(len).ok()?;
            v.resize(len, 0.0);
            Some(v)
        };
        Some(Self {
            sum: zeros()?,
            error: zeros()?,
        })
    }

    #[inline]
    fn add(&mut self, i: usize, value: f64) {
        let sum = self.sum[i];
        let total = sum + value;
        let back = total - sum;
        self.error[i] += (sum - (total - back)) + (value - back);
        self.sum[i] = total;
    }

    fn absorb(&mut self, other: &Self) {
        for i in 0..self.sum.len() {
            self.add(i, other.sum[i]);
            self.error[i] += other.error[i];
        }
    }

    fn get(&self, i: usize) -> f64 {
        self.sum[i] + self.error[i]
    }
}

/// Clipped rows of one block, and their products.
struct Block {
    rows: ClippedRows,
    gram: Mat<f64>,
    xty: Vec<f64>,
}

impl Block {
    fn new(d: usize, rows: usize) -> Self {
        Self {
            rows: ClippedRows::new(d, rows),
            gram: Mat::zeros(d, d),
            xty: vec![0.0; d],
        }
    }

    /// `gram ← XᵀX` (upper triangle) and `xty ← Xᵀy` for these features and the block's targets.
    fn multiply(&mut self, x: MatRef<'_, f64>, par: Par) {
        multiply(&mut self.gram, &mut self.xty, x, self.rows.y(), par);
    }

    /// The same for the block's own copy of the features.
    fn multiply_copy(&mut self, par: Par) {
        let rows = &self.rows;
        multiply(&mut self.gram, &mut self.xty, rows.x(), rows.y(), par);
    }

    fn add_to(&self, stats: &mut SuffStats) {
        let d = self.xty.len();
        for j in 0..d {
            for i in j..d {
                stats.gram.add(j * d + i, self.gram[(j, i)]);
            }
            stats.xty.add(j, self.xty[j]);
        }
        for y in self.rows.y() {
            stats.yy.add(0, y * y);
        }
    }
}

fn multiply(gram: &mut Mat<f64>, xty: &mut Vec<f64>, x: MatRef<'_, f64>, y: &[f64], par: Par) {
    let d = xty.len();
    if d < PANELS_BELOW {
        for start in (0..d).step_by(PANEL) {
            let width = PANEL.min(d - start);
            matmul(
                gram.as_mut().submatrix_mut(0, start, start + width, width),
                Accum::Replace,
                x.subcols(0, start + width).transpose(),
                x.subcols(start, width),
                1.0,
                par,
            );
        }
    } else {
        triangular::matmul(
            gram.as_mut(),
            BlockStructure::TriangularUpper,
            Accum::Replace,
            x.transpose(),
            BlockStructure::Rectangular,
            x,
            BlockStructure::Rectangular,
            1.0,
            par,
        );
    }
    *xty = papercrates_numeric::linalg::mat_t_vec(x, y);
}
