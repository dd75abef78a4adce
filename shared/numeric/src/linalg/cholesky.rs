use super::check_lower;
use crate::error::{Error, Result, check_finite, check_lengths};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::{ColMut, Mat, MatMut, MatRef, Par};

/// Cholesky factor of a symmetric positive definite matrix: `A = L Lᵀ`, `L` lower triangular.
///
/// ```
/// use papercrates_numeric::{faer::mat, linalg::Cholesky};
///
/// let gram = mat![[4.0, 2.0], [2.0, 3.0]];
/// let factor = Cholesky::new(gram.as_ref())?;
/// let x = factor.solve(&[8.0, 8.0]);
/// assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15);
/// assert!((factor.log_det() - 8_f64.ln()).abs() < 1e-15);
/// # Ok::<(), papercrates_numeric::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cholesky {
    lower: Mat<f64>,
}

impl Cholesky {
    /// Factors the `d x d` matrix whose lower triangle is `a`. O(d³).
    ///
    /// # Errors
    ///
    /// [`Error::NotSquare`], [`Error::NotFinite`], and [`Error::NotPositiveDefinite`] with the
    /// first pivot that is not above zero.
    pub fn new(a: MatRef<'_, f64>) -> Result<Self> {
        let d = check_lower(a)?;
        let mut lower = lower_of(a);
        let needs = llt::factor::cholesky_in_place_scratch::<f64>(d, Par::Seq, Default::default());
        llt::factor::cholesky_in_place(
            lower.as_mut(),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(needs)),
            Default::default(),
        )
        .map_err(|llt::factor::LltError::NonPositivePivot { index }| {
            let value = pivot_value(a, index);
            Error::NotPositiveDefinite {
                pivot: index,
                value,
            }
        })?;
        // The factorisation leaves its workspace above the diagonal.
        for j in 1..d {
            lower.col_mut(j).subrows_mut(0, j).fill(0.0);
        }
        Ok(Self { lower })
    }

    /// The dimension `d`.
    pub fn dim(&self) -> usize {
        self.lower.nrows()
    }

    /// The factor `L`; its upper triangle is zero.
    pub fn lower(&self) -> MatRef<'_, f64> {
        self.lower.as_ref()
    }

    /// `A⁻¹ b` for `d` numbers. O(d²).
    ///
    /// # Panics
    ///
    /// When `b` does not have `d` numbers.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        assert_eq!(b.len(), self.dim(), "solve: dimension and length differ");
        let mut x = b.to_vec();
        self.solve_in_place(ColMut::from_slice_mut(&mut x).as_mat_mut());
        x
    }

    /// `A⁻¹ B` for a `d x k` matrix. O(d² k).
    ///
    /// # Panics
    ///
    /// When `b` does not have `d` rows.
    pub fn solve_mat(&self, b: MatRef<'_, f64>) -> Mat<f64> {
        assert_eq!(
            b.nrows(),
            self.dim(),
            "solve_mat: dimension and rows differ"
        );
        let mut x = b.to_owned();
        self.solve_in_place(x.as_mut());
        x
    }

    fn solve_in_place(&self, mut x: MatMut<'_, f64>) {
        let (d, k) = x.shape();
        let needs = llt::solve::solve_in_place_scratch::<f64>(d, k, Par::Seq);
        llt::solve::solve_in_place(
            self.lower.as_ref(),
            x.as_mut(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(needs)),
        );
    }

    /// `ln det A`, which neither overflows nor underflows. O(d).
    pub fn log_det(&self) -> f64 {
        let logs = (0..self.dim()).map(|i| self.lower[(i, i)].ln());
        2.0 * logs.sum::<f64>()
    }

    /// Makes this the factor of `A + v vᵀ`. O(d²). On error the factor stays as it was.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`], [`Error::NotFinite`] (also when the sum overflows).
    pub fn rank_one_update(&mut self, v: &[f64]) -> Result<()> {
        self.rank_one(v, 1.0)
    }

    /// Makes this the factor of `A - v vᵀ`. O(d²). On error the factor stays as it was.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`], [`Error::NotFinite`], and [`Error::NotPositiveDefinite`] when
    /// nothing positive definite is left.
    pub fn rank_one_downdate(&mut self, v: &[f64]) -> Result<()> {
        self.rank_one(v, -1.0)
    }

    fn rank_one(&mut self, v: &[f64], sign: f64) -> Result<()> {
        check_lengths("the factor and the vector", self.dim(), v.len())?;
        check_finite("the vector", v)?;
        // The update works in place and stops half-way when it fails.
        let mut lower = self.lower.clone();
        let mut w = v.to_vec();
        let mut alpha = [sign];
        llt::update::rank_r_update_clobber(
            lower.as_mut(),
            ColMut::from_slice_mut(&mut w).as_mat_mut(),
            ColMut::from_slice_mut(&mut alpha).as_diagonal_mut(),
        )
        .map_err(|llt::factor::LltError::NonPositivePivot { index }| {
            let changed = Mat::from_fn(self.dim(), self.dim(), |i, j| {
                let row = (0..=i.min(j)).map(|k| self.lower[(i, k)] * self.lower[(j, k)]);
                row.sum::<f64>() + sign * v[i] * v[j]
            });
            let value = pivot_value(changed.as_ref(), index);
            Error::NotPositiveDefinite {
                pivot: index,
                value,
            }
        })?;
        // Squares of huge entries overflow.
        check_lower(lower.as_ref())?;
        self.lower = lower;
        Ok(())
    }
}

fn lower_of(a: MatRef<'_, f64>) -> Mat<f64> {
    let d = a.nrows();
    Mat::from_fn(d, d, |i, j| if i >= j { a[(i, j)] } else { 0.0 })
}

/// The value of pivot `index`, by plain elimination: only errors need it, and faer does not
/// report it.
fn pivot_value(a: MatRef<'_, f64>, index: usize) -> f64 {
    let mut rest = lower_of(a);
    for k in 0..index {
        let pivot = rest[(k, k)];
        for j in k + 1..=index {
            for i in j..=index {
                let change = rest[(i, k)] * rest[(j, k)] / pivot;
                rest[(i, j)] -= change;
            }
        }
    }
    rest[(index, index)]
}

/// `A⁻¹ b` for the symmetric positive definite matrix whose lower triangle is `a`. O(d³).
///
/// # Errors
///
/// Those of [`Cholesky::new`], and [`Error::LengthMismatch`] or [`Error::NotFinite`] for `b`.
pub fn spd_solve(a: MatRef<'_, f64>, b: &[f64]) -> Result<Vec<f64>> {
    check_lengths("the matrix and the right-hand side", a.nrows(), b.len())?;
    check_finite("the right-hand side", b)?;
    Ok(Cholesky::new(a)?.solve(b))
}

/// `ln det A` for the symmetric positive definite matrix whose lower triangle is `a`. O(d³).
///
/// # Errors
///
/// Those of [`Cholesky::new`].
pub fn log_det_spd(a: MatRef<'_, f64>) -> Result<f64> {
    Ok(Cholesky::new(a)?.log_det())
}
