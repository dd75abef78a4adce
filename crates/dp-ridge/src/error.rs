//! Everything that can go wrong, with the value, the limit and the remedy.

use crate::Relation;

/// The result of a fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call of this crate was refused. Unless the call's documentation says otherwise, nothing
/// is spent from a ledger and no noise is drawn then.
///
/// Errors about records ([`NonFinite`](Self::NonFinite), [`BadLabel`](Self::BadLabel),
/// [`RowOutOfBounds`](Self::RowOutOfBounds), [`BadStatistics`](Self::BadStatistics),
/// [`NoConvergence`](Self::NoConvergence), [`Numeric`](Self::Numeric)) are facts about the data that
/// no ledger pays for: they are for the holder of the data, not for publication.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No rows under replace-one, where the number of rows is public and must be positive.
    #[error(
        "there are no rows: replace-one needs at least one; pass data, or use add/remove with a nominal size"
    )]
    EmptyData,
    /// A vector or matrix of the wrong size.
    #[error(
        "row {row} has {got} values where {expected} are expected; give every row the same {expected} features"
    )]
    DimensionMismatch {
        /// Length that was expected.
        expected: usize,
        /// Length that came.
        got: usize,
        /// Row (from 0), or the index of the item.
        row: u64,
    },
    /// A NaN or an infinity in the data. The target counts as column `d`.
    #[error(
        "row {row}, column {col} is not finite (the target counts as the last column); remove or impute it before pushing"
    )]
    NonFinite {
        /// Row, from 0.
        row: u64,
        /// Column, from 0; the target is column `d`.
        col: usize,
    },
    /// A target that a classification loss does not take.
    #[error(
        "row {row} has the target {value}; this loss takes the labels 0 and 1 within the bound {y_abs}: recode the labels, and give |y| a bound of at least 1"
    )]
    BadLabel {
        /// Row, from 0.
        row: u64,
        /// The target given.
        value: f64,
        /// The public bound on targets.
        y_abs: f64,
    },
    /// A record outside the public bounds under [`Clip::Reject`](crate::Clip::Reject).
    #[error(
        "row {row} has {what} {value}, above the public bound {limit}; use Clip::Clip, or a larger public bound"
    )]
    RowOutOfBounds {
        /// Row, from 0.
        row: u64,
        /// `norm` or `|y|`.
        what: &'static str,
        /// The value found.
        value: f64,
        /// The bound.
        limit: f64,
    },
    /// A public bound that is not positive and finite.
    #[error(
        "the bound {name} = {value} must be positive and finite, in [1e-150, 1e150]; state the largest value a record may have, from public knowledge"
    )]
    BadBounds {
        /// Name of the bound.
        name: &'static str,
        /// The value given.
        value: f64,
    },
    /// Sums that no data set within the bounds can have.
    #[error(
        "the statistics are impossible: {what} is {value}, the limit is {limit}; check that they were computed with the same bounds and clipping"
    )]
    BadStatistics {
        /// What is wrong.
        what: &'static str,
        /// The value found.
        value: f64,
        /// The limit for these bounds.
        limit: f64,
    },
    /// More features than a Gram matrix is made for.
    #[error(
        "{got} features: the Gram matrix needs d^2 numbers, and at most {limit} features are supported; select features by public knowledge first"
    )]
    TooManyFeatures {
        /// Number of features.
        got: usize,
        /// Largest number supported.
        limit: usize,
    },
    /// Epsilon not positive and finite, or delta outside (0, 1).
    #[error(
        "the budget {name} = {value} is outside {range}; choose a value inside it, such as {suggestion}"
    )]
    BadBudget {
        /// `epsilon` or `delta`.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The range allowed.
        range: &'static str,
        /// A usual value.
        suggestion: &'static str,
    },
    /// More was asked of a ledger than it has left.
    #[error("{}", exceeded(*asked, *left, unit))]
    BudgetExceeded {
        /// What was asked.
        asked: f64,
        /// What is left.
        left: f64,
        /// `mu` (Gaussian DP) or `epsilon` (pure).
        unit: &'static str,
    },
    /// The classic Gaussian formula is proved for epsilon at most 1 only.
    #[error(
        "the classic Gaussian formula holds for epsilon <= 1, not for {epsilon}; use Calibration::Analytic"
    )]
    ClassicNeedsEpsLe1 {
        /// The epsilon asked.
        epsilon: f64,
    },
    /// `alpha + c = 0`: no finite sensitivity.
    #[error("alpha + c = 0 leaves the sensitivity unbounded; choose alpha > 0 or a floor c > 0")]
    UnboundedSensitivity,
    /// A parameter that is negative, NaN or infinite, or not in its range.
    #[error("{name} = {value} must be {range}; choose a value inside it")]
    NegativeParameter {
        /// Name of the parameter.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The range allowed.
        range: &'static str,
    },
    /// A noisy Gram matrix that cannot be solved.
    #[error(
        "the noisy Gram matrix is not positive definite (smallest eigenvalue {smallest}, must be above 0); give a ridge or a larger budget"
    )]
    NotPositiveDefinite {
        /// Its smallest eigenvalue.
        smallest: f64,
    },
    /// The solver did not reach the gradient norm that the noise was to pay for. It depends on the
    /// data: do not publish it.
    #[error(
        "no convergence: gradient norm {grad} after {iter} iterations, the target was {target}; nothing was released, and this message is about the data: keep it to yourself; loosen grad_tol or raise alpha"
    )]
    NoConvergence {
        /// Gradient norm reached.
        grad: f64,
        /// Iterations made.
        iter: usize,
        /// Gradient norm asked.
        target: f64,
    },
    /// An ERM floor with a loss that has no curvature on the ball.
    #[error(
        "the floor c = {floor} cannot help: this loss has curvature 0 on the ball; set the floor to 0 and use alpha"
    )]
    CurvatureZero {
        /// The floor asked.
        floor: f64,
    },
    /// A neighbour relation that the method does not support, or a second one in a ledger.
    #[error(
        "{what} is stated for {expected:?}, not for {got:?}; use one relation for all methods of a ledger"
    )]
    NeighborMismatch {
        /// The method or ledger.
        what: &'static str,
        /// The relation needed.
        expected: Relation,
        /// The relation given.
        got: Relation,
    },
    /// A mechanism that needs another calibration of the ledger.
    #[error(
        "{what} needs a ledger opened with Calibration::{expected}; open one, or use another noise"
    )]
    CalibrationMismatch {
        /// The mechanism.
        what: &'static str,
        /// The calibration needed.
        expected: &'static str,
    },
    /// A grid of discrete noise that is too fine or too coarse to sample exactly.
    #[error(
        "the grid 2^{log2_grid} does not suit the noise scale {sigma}: {why}; use a grid near 2^{suggested}"
    )]
    BadGrid {
        /// Base-2 logarithm of the grid.
        log2_grid: i32,
        /// The noise scale.
        sigma: f64,
        /// What is wrong.
        why: &'static str,
        /// A grid that works.
        suggested: i32,
    },
    /// A method that looks at single records was given sums only.
    #[error(
        "{method} looks at single records and cannot work from sums; pass the rows with Training::from_rows"
    )]
    RowsNeeded {
        /// The method.
        method: &'static str,
    },
    /// The operating system gave no random bytes.
    #[error(
        "the operating system gave no random bytes ({reason}); nothing was released; private noise needs a working entropy source"
    )]
    NoEntropy {
        /// What the system said.
        reason: String,
    },
    /// Text that could not be read.
    #[error("line {line}, column {col}: {reason}")]
    Parse {
        /// Line, from 1.
        line: u64,
        /// Column, from 1.
        col: u64,
        /// What was found and what was expected.
        reason: String,
    },
    /// A file that could not be read or written.
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: String,
        /// What happened, and the remedy.
        reason: String,
    },
    /// A path that nothing can be written to, or that would be overwritten.
    #[error("{path}: {reason}")]
    Output {
        /// The path.
        path: String,
        /// Why not, and the remedy.
        reason: String,
    },
    /// A file whose contents cannot be used.
    #[error("{reason}")]
    Data {
        /// The file, the place in it, what stands there and the remedy.
        reason: String,
    },
    /// A table or column name that SQL cannot express.
    #[error("{name:?} cannot be a name in SQL: it is empty or holds a NUL; rename it")]
    BadName {
        /// The name.
        name: String,
    },
    /// A numerical routine failed.
    #[error(transparent)]
    Numeric(#[from] papercrates_numeric::Error),
}

fn exceeded(asked: f64, left: f64, unit: &str) -> String {
    if left > 0.0 {
        format!(
            "the ledger has {left} left in {unit}, {asked} was asked; ask for a smaller share, or open a ledger for new data"
        )
    } else {
        format!(
            "the budget is spent: the ledger has 0 left in {unit}, and no more can be released about these data; open a ledger for new data"
        )
    }
}
