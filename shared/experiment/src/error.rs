use std::io;
use std::path::{Path, PathBuf};

use crate::Paper;

/// What can go wrong around experiments.
///
/// Each message names the value, the limit and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("cannot {action} {path}: {source}", path = .path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No room was left on the device, in the quota or under the file-size limit.
    #[error(
        "no room to {action} {path} ({source}); every finished cell is kept in the journal: free some space and run the same command again, or choose another --out",
        path = .path.display()
    )]
    DiskFull {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The output folder holds something that no earlier run wrote.
    #[error(
        "{path} exists and is not the folder of an earlier run (found {found:?}); choose another --out, or pass --force to write into it",
        path = .path.display()
    )]
    OutputExists {
        /// The output path.
        path: PathBuf,
        /// The entry that is not ours.
        found: String,
    },
    /// The output path is a file.
    #[error("{path} is a file, and a report is a folder; choose another --out", path = .path.display())]
    OutputIsFile {
        /// The output path.
        path: PathBuf,
    },
    /// Another process is writing this journal.
    #[error("{path} is being written by another run; wait for it, or choose another --out", path = .path.display())]
    Locked {
        /// The journal.
        path: PathBuf,
    },
    /// A line before the last one is damaged, so the file is not merely cut short.
    #[error(
        "{path}, line {line}: {reason}; only the last line of a journal may be damaged (a run that was killed), so restore the file from a copy, or pass --force to start over",
        path = .path.display()
    )]
    CorruptJournal {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The file does not begin as a journal does.
    #[error(
        "{path} does not begin with a journal header; move it away, or pass --force to replace it",
        path = .path.display()
    )]
    NotAJournal {
        /// The file.
        path: PathBuf,
    },
    /// The journal belongs to another plan.
    #[error(
        "{path} belongs to another plan ({found}), and this run is {wanted}; choose another --out, or pass --force to start over",
        path = .path.display()
    )]
    OtherPlan {
        /// The journal.
        path: PathBuf,
        /// The plan in the file.
        found: String,
        /// The plan asked for.
        wanted: String,
    },
    /// The journal was written by another build of the program.
    #[error(
        "{path} holds a full study by another build of this program ({found}; this one is {wanted}), and its results may differ; choose another --out, or pass --force to start over",
        path = .path.display()
    )]
    OtherBuild {
        /// The journal.
        path: PathBuf,
        /// Build digest in the file.
        found: String,
        /// Digest of this program.
        wanted: String,
    },
    /// Two cells of one experiment are equal, so they would be the same run counted twice.
    #[error(
        "experiment {experiment} lists the cell {cell} twice; give each repetition its own number in the cell"
    )]
    DuplicateCell {
        /// The experiment.
        experiment: String,
        /// The cell as JSON.
        cell: String,
    },
    /// A cell cannot be written as JSON.
    #[error("experiment {experiment}: cell {index} cannot be written as JSON: {reason}")]
    BadCell {
        /// The experiment.
        experiment: String,
        /// Place in the list, from 0.
        index: usize,
        /// What serde said.
        reason: String,
    },
    /// Two experiments of a paper have one id, or an id cannot be a file name.
    #[error("{what} {id:?}: {reason}")]
    BadId {
        /// What carries the id.
        what: &'static str,
        /// The id.
        id: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A shard is not `i/n` with 1 <= i <= n.
    #[error("shard {text:?} is not i/n with 1 <= i <= n; write 1/8 for the first of eight")]
    BadShard {
        /// What was given.
        text: String,
    },
    /// A count of threads that the machine cannot give.
    #[error("cannot start {threads} threads: {reason}; ask for fewer with --threads")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// An estimate is not finite, or its interval is upside down or empty.
    #[error("estimate {mean} [{low}, {high}] from {n} observations: {reason}")]
    BadEstimate {
        /// Point estimate.
        mean: f64,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
        /// Observations.
        n: usize,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// A table that does not hang together.
    #[error("table {id}: {reason}")]
    BadTable {
        /// The table.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A figure that cannot be drawn as it is described.
    #[error("figure {id}: {reason}")]
    BadFigure {
        /// The figure.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A paper that none of ours is called.
    #[error("there is no paper called {name:?}; known: {known}")]
    UnknownPaper {
        /// What was asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// Folders to merge hold no journal.
    #[error("{path} holds no journal; name the --out folders of `reproduce --shard i/n`", path = .path.display())]
    NothingToMerge {
        /// The folder.
        path: PathBuf,
    },
    /// Two journals give one cell different outcomes.
    #[error(
        "{first} and {second} give different outcomes for the cell {cell}; one of them was made by other code or on another plan: leave one out",
        first = .first.display(), second = .second.display()
    )]
    Overlap {
        /// A journal.
        first: PathBuf,
        /// Another one.
        second: PathBuf,
        /// The cell as JSON.
        cell: String,
    },
    /// A merge that would not be whole.
    #[error(
        "experiment {experiment} misses {missing} of {total} cells, the first being {first}; add the folder of the missing shard to the merge"
    )]
    MissingCells {
        /// The experiment.
        experiment: String,
        /// How many are missing.
        missing: usize,
        /// How many there are.
        total: usize,
        /// The first missing cell as JSON.
        first: String,
    },
    /// The report could not be written as JSON.
    #[error("cannot write the report as JSON: {reason}")]
    Json {
        /// What serde said.
        reason: String,
    },
}

/// Result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An [`Error::UnknownPaper`] that lists the papers there are.
    pub(crate) fn unknown_paper(name: &str, papers: &[Paper]) -> Self {
        let known: Vec<&str> = papers.iter().map(Paper::crate_name).collect();
        Self::UnknownPaper {
            name: name.to_owned(),
            known: known.join(", "),
        }
    }

    /// Wraps an I/O error, telling a full device from everything else.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::DiskFull {
                action,
                path,
                source,
            },
            _ => Self::Io {
                action,
                path,
                source,
            },
        }
    }
}
