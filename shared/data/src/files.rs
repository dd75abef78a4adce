//! Opening and reading files with errors that name them.

use crate::{Error, Result};
use std::fs::{self, File};
use std::io::{self, BufRead, ErrorKind};
use std::path::Path;

pub(crate) fn io(path: &Path, action: &'static str, source: io::Error) -> Error {
    Error::Io {
        path: path.to_owned(),
        action,
        source,
    }
}

/// Opens a file for reading. A folder opens like a file on some systems and fails at the first
/// read; it is told apart here.
pub(crate) fn open(path: &Path) -> Result<File> {
    let file = File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::NotFound {
            path: path.to_owned(),
        },
        _ if path.is_dir() => Error::IsFolder {
            path: path.to_owned(),
        },
        _ => io(path, "open", error),
    })?;
    let meta = file.metadata().map_err(|error| io(path, "read", error))?;
    if meta.is_dir() {
        return Err(Error::IsFolder {
            path: path.to_owned(),
        });
    }
    Ok(file)
}

/// The reader's buffer, refilled when it is empty; empty only at the end of the file.
pub(crate) fn fill<'a>(reader: &'a mut impl BufRead, path: &Path) -> Result<&'a [u8]> {
    // Ask twice, since the borrow checker does not let a loop return the buffer it tested.
    while let Err(error) = reader.fill_buf() {
        if error.kind() != ErrorKind::Interrupted {
            return Err(io(path, "read", error));
        }
    }
    reader.fill_buf().map_err(|error| io(path, "read", error))
}

/// Writes a file whole or not at all: under another name in the same folder, then renamed.
pub(crate) fn replace(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
        return Err(Error::IsFolder {
            path: path.to_owned(),
        });
    };
    let mut partial = name.to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let partial = path.with_file_name(partial);
    let written = File::create(&partial)
        .map_err(|error| io(path, "write", error))
        .and_then(|mut file| {
            write(&mut file)?;
            file.sync_all().map_err(|error| io(path, "write", error))
        })
        .and_then(|()| fs::rename(&partial, path).map_err(|error| io(path, "write", error)));
    if written.is_err() {
        // The first error is the one to report; a leftover under a name of its own harms nobody.
        let _ = fs::remove_file(&partial);
    }
    written
}
