/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong. Each message names the value, the limit and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter lies outside its documented range.
    #[error("{name} is {value:?}, but must lie in {range}; pass a value in that range")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// What was passed.
        value: f64,
        /// The range in the usual notation, such as `(0, 1)`.
        range: &'static str,
    },
    /// Fewer values than the method can work with.
    #[error("{what} needs at least {needed} values, but got {found}; collect more data{hint}")]
    TooFew {
        /// The method.
        what: &'static str,
        /// How many values came.
        found: usize,
        /// How many are needed.
        needed: usize,
        /// A further remedy, with its own leading text, or nothing.
        hint: &'static str,
    },
    /// Two inputs that belong together differ in length.
    #[error("{what}: lengths {left} and {right} differ; pass inputs of one length")]
    LengthMismatch {
        /// Which two inputs.
        what: &'static str,
        /// Length of the first.
        left: usize,
        /// Length of the second.
        right: usize,
    },
    /// A value is NaN or infinite.
    #[error(
        "{what} has the value {value:?} at {position}; remove or impute values that are not finite"
    )]
    NotFinite {
        /// Which input or function.
        what: &'static str,
        /// The value found.
        value: f64,
        /// Where: an index, a matrix entry, or an argument.
        position: Position,
    },
    /// A matrix that must be square is not.
    #[error("the matrix is {rows} x {cols}, but must be square; pass as many rows as columns")]
    NotSquare {
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
    },
    /// A matrix that must be positive definite is not.
    #[error(
        "the matrix is not positive definite: pivot {pivot} is {value:?}, but must be above 0; \
         add a ridge to the diagonal or drop dependent columns"
    )]
    NotPositiveDefinite {
        /// Index (from 0) of the first pivot that failed.
        pivot: usize,
        /// Its value, in the units of the matrix.
        value: f64,
    },
    /// An iteration reached its limit.
    #[error(
        "{what} did not converge within {limit} steps; loosen the tolerance or rescale the problem"
    )]
    NoConvergence {
        /// The iteration.
        what: &'static str,
        /// Its limit of steps.
        limit: usize,
    },
    /// The ends of an interval do not bracket a root.
    #[error(
        "the function has one sign on both ends, f({lo:?}) = {f_lo:?} and f({hi:?}) = {f_hi:?}; \
         pass an interval over which it changes sign, or widen it with `expand_bracket`"
    )]
    NoSignChange {
        /// Lower end.
        lo: f64,
        /// Upper end.
        hi: f64,
        /// Function value at the lower end.
        f_lo: f64,
        /// Function value at the upper end.
        f_hi: f64,
    },
    /// The data leave the statistic undefined.
    #[error("{what} is undefined: {why}; {remedy}")]
    Degenerate {
        /// The statistic.
        what: &'static str,
        /// What about the data makes it so.
        why: &'static str,
        /// What to do instead.
        remedy: &'static str,
    },
}

/// Where a value that is not finite was met.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Position {
    /// Index from 0 into a slice.
    Index(usize),
    /// Row and column from 0.
    Entry(usize, usize),
    /// Argument of a function.
    Argument(f64),
    /// Bootstrap replicate, counted from 1; 0 is the sample itself (or its jackknife).
    Replicate(usize),
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index(i) => write!(f, "index {i}"),
            Self::Entry(i, j) => write!(f, "row {i}, column {j}"),
            Self::Argument(x) => write!(f, "argument {x:?}"),
            Self::Replicate(0) => write!(f, "the sample itself"),
            Self::Replicate(i) => write!(f, "replicate {i}"),
        }
    }
}

/// Refuses NaN and infinities, so that no library below has to define what they mean.
pub(crate) fn check_finite(what: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(i) => Err(Error::NotFinite {
            what,
            value: values[i],
            position: Position::Index(i),
        }),
        None => Ok(()),
    }
}

/// Refuses two inputs of different length.
pub(crate) fn check_lengths(what: &'static str, left: usize, right: usize) -> Result<()> {
    if left == right {
        Ok(())
    } else {
        Err(Error::LengthMismatch { what, left, right })
    }
}

/// Refuses a sample that is too small.
pub(crate) fn check_count(what: &'static str, found: usize, needed: usize) -> Result<()> {
    if found >= needed {
        Ok(())
    } else {
        Err(Error::TooFew {
            what,
            found,
            needed,
            hint: "",
        })
    }
}
