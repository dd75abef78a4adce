//! Files: rows in, model cards, ledgers and coefficients out.
//!
//! Every output is written under a temporary name in the same folder, synced and renamed, so that
//! a reader sees a whole file or none.

mod coefficients;
mod ledger_file;
mod output;
mod rows;
mod sums;

pub use coefficients::write_coefficients;
pub use ledger_file::LedgerFile;
pub use output::{Draft, Output};
pub use papercrates_data as data;
pub use papercrates_data::Rows;
pub use rows::{collect, open, summarize};
pub use sums::{parse_sums, read_sums};

use crate::{Error, Result};
use std::path::Path;

fn failed(path: &Path, action: &str, error: &std::io::Error) -> Error {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let path = path.display().to_string();
    match error.kind() {
        StorageFull | QuotaExceeded | FileTooLarge => Error::Io {
            path,
            reason: format!(
                "no room to {action} ({error}); free some space, or choose another folder"
            ),
        },
        _ => Error::Io {
            path,
            reason: format!("cannot {action}: {error}"),
        },
    }
}

/// The text of a small file that the caller named.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    use std::io::ErrorKind::{InvalidData, NotFound};
    let refuse = |reason: &str| Error::Data {
        reason: format!("{}: {reason}", path.display()),
    };
    if path.is_dir() {
        return Err(refuse("is a folder; name a file inside it"));
    }
    std::fs::read_to_string(path).map_err(|error| match error.kind() {
        NotFound => refuse("no such file; check the path"),
        InvalidData => refuse("not UTF-8; save the file as UTF-8"),
        _ => failed(path, "read", &error),
    })
}

/// JSON with the place of an error.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| parse_error(path, &error))
}

fn parse_error(path: &Path, error: &serde_json::Error) -> Error {
    let (line, col) = (error.line(), error.column());
    let text = error.to_string();
    // The place is said once.
    let what = text
        .strip_suffix(&format!(" at line {line} column {col}"))
        .unwrap_or(&text);
    Error::Parse {
        line: line as u64,
        col: col as u64,
        reason: format!(
            "{} is not the JSON expected here ({what}); check that the right file is named",
            path.display()
        ),
    }
}
