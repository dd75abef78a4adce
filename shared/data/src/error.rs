use std::fmt;
use std::io;
use std::path::PathBuf;

/// What this crate's functions return.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong; each message names the value, the limit and the remedy.
///
/// Lines and columns count from 1, as editors show them. Text files are counted in lines and
/// cells, so the `column` of a CSV error is the number of the cell in its row.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No file is there.
    #[error("{}: no such file; check the path", path.display())]
    NotFound {
        /// The path asked for.
        path: PathBuf,
    },
    /// A folder stands where a file is needed.
    #[error("{}: is a folder; name a file inside it", path.display())]
    IsFolder {
        /// The path asked for.
        path: PathBuf,
    },
    /// The operating system refused to read or write.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file in question.
        path: PathBuf,
        /// What was being done: "open", "read", "write".
        action: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The file holds nothing.
    #[error("{}: the file is empty; expected at least a header or one row", path.display())]
    Empty {
        /// The file read.
        path: PathBuf,
    },
    /// A table was asked for, and no row is left.
    #[error("{}: no data rows ({dropped} dropped for missing values); expected at least one", path.display())]
    NoRows {
        /// The file read.
        path: PathBuf,
        /// Rows left out under [`OnMissing::DropRow`](crate::csv::OnMissing::DropRow).
        dropped: u64,
    },
    /// Bytes that are not UTF-8.
    #[error("{}:{line}:{column}: not UTF-8; save the file as UTF-8", path.display())]
    NotUtf8 {
        /// The file read.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// Cell in the row, from 1.
        column: usize,
    },
    /// A cell that is no finite number.
    #[error(
        "{}:{line}:{column}: column {column_name:?} holds {cell:?}, which is not a finite number; \
         correct it{}",
        path.display(),
        Remedy(cell)
    )]
    Parse {
        /// The file read.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// Cell in the row, from 1.
        column: usize,
        /// Name of the column.
        column_name: String,
        /// What stands there, cut to 40 characters.
        cell: String,
    },
    /// A missing value under [`OnMissing::Error`](crate::csv::OnMissing::Error).
    #[error(
        "{}:{line}:{column}: column {column_name:?} has a missing value ({cell:?}); fill it in, \
         leave the column out, or choose another treatment of missing values",
        path.display()
    )]
    Missing {
        /// The file read.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// Cell in the row, from 1.
        column: usize,
        /// Name of the column.
        column_name: String,
        /// The token that stands for "missing".
        cell: String,
    },
    /// A cell, or a line of JSON, longer than any number or name needs to be.
    #[error(
        "{}:{line}:{column}: longer than {limit} bytes; is a quote left open, or is this not a \
         text table?",
        path.display()
    )]
    TooLong {
        /// The file read.
        path: PathBuf,
        /// Line where it begins, from 1.
        line: u64,
        /// Cell in the row, from 1.
        column: usize,
        /// The most that is read.
        limit: usize,
    },
    /// A row with more or fewer cells than the first.
    #[error(
        "{}:{line}: {got} cells where the first row has {expected}; add or remove delimiters",
        path.display()
    )]
    Ragged {
        /// The file read.
        path: PathBuf,
        /// Line where the row begins, from 1.
        line: u64,
        /// Cells in the first row.
        expected: usize,
        /// Cells in this row.
        got: usize,
    },
    /// Two columns of one name.
    #[error(
        "{}: columns {first} and {second} are both named {name:?}; rename one",
        path.display()
    )]
    DuplicateColumn {
        /// The file read.
        path: PathBuf,
        /// The name they share.
        name: String,
        /// Position of the first, from 1.
        first: usize,
        /// Position of the second, from 1.
        second: usize,
    },
    /// A column that is not there.
    #[error("no column {name:?} among {count}{}", Close(close))]
    ColumnNotFound {
        /// The name asked for.
        name: String,
        /// How many columns there are.
        count: usize,
        /// Names like it, best first, at most five.
        close: Vec<String>,
    },
    /// A data set that was not fetched.
    #[error(
        "data set {name:?} is not in {}; run `python3 shared/data/fetch.py --only {name}` in a \
         checkout of papercrates, or let PAPERCRATES_DATA name the folder that holds {name}.csv",
        looked_in.display()
    )]
    NotFetched {
        /// The set asked for.
        name: String,
        /// Where it was expected first.
        looked_in: PathBuf,
    },
    /// A line of JSON that is no object of numbers.
    #[error("{}:{line}: {problem}; expected one object of numbers, like {{\"x\": 1.5}}", path.display())]
    BadLine {
        /// The file read.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// A file that is not what its format requires.
    #[error("{}: not a {format} file of numbers: {problem}", path.display())]
    Format {
        /// The file read.
        path: PathBuf,
        /// The format expected.
        format: &'static str,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// An array of a shape that does not serve.
    #[error("shape {shape:?} {problem}")]
    BadShape {
        /// The shape.
        shape: Vec<usize>,
        /// What is wrong with it, and what is expected.
        problem: &'static str,
    },
    /// An array that is not in the archive.
    #[error("{}: no array {name:?}{}", path.display(), Close(close))]
    ArrayNotFound {
        /// The archive.
        path: PathBuf,
        /// The name asked for.
        name: String,
        /// Names like it, best first, at most five.
        close: Vec<String>,
    },
    /// A number that the element type asked for cannot hold.
    #[error("{value} does not fit an element of type {element}; write f8 instead")]
    Unrepresentable {
        /// The number.
        value: f64,
        /// NumPy's code of the type.
        element: &'static str,
    },
    /// A file whose name does not tell its format.
    #[error("{}: unknown kind of file; expected {expected}", path.display())]
    UnknownFormat {
        /// The path asked for.
        path: PathBuf,
        /// The endings that are read.
        expected: &'static str,
    },
    /// An option outside its range.
    #[error("{option} is {value:?}; {remedy}")]
    BadOption {
        /// The option's name.
        option: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        remedy: &'static str,
    },
}

/// A cell cut to what an error shows.
pub(crate) fn shown(cell: &str) -> String {
    const CHARACTERS: usize = 40;
    let mut shown: String = cell.chars().take(CHARACTERS).collect();
    if shown.len() < cell.len() {
        shown.push('…');
    }
    shown
}

struct Close<'a>(&'a [String]);

impl fmt::Display for Close<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, name) in self.0.iter().enumerate() {
            f.write_str(if position == 0 { "; close: " } else { ", " })?;
            write!(f, "{name:?}")?;
        }
        Ok(())
    }
}

/// The two likely causes of a bad cell that the cell itself gives away.
struct Remedy<'a>(&'a str);

impl fmt::Display for Remedy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.contains(['\n', '\r']) {
            " (is a quote left open?)"
        } else if self.0.contains([';', '\t', '|']) {
            " (is another delimiter meant?)"
        } else {
            ", leave the column out, or count it among the missing values"
        })
    }
}
