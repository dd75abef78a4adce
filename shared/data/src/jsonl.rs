//! JSON lines: one object of numbers a line, read row by row.
//!
//! The keys of the first object name the columns, in its order. `null` and absent keys are missing
//! values. Lines of white space are skipped.

mod object;

use crate::csv::OnMissing;
use crate::{Error, Result, Rows, files, names};
use object::{Cell, Object};
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Longest line read: room for some millions of numbers.
const LINE_LIMIT: usize = 1 << 26;

/// How to read JSON lines.
///
/// | option | default | range |
/// |---|---|---|
/// | `on_missing` | [`OnMissing::Error`] | |
/// | `columns` | keys of the first object; others are an error | keys to read, in that order; others are ignored and may hold anything |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonlOptions {
    /// What a missing value does.
    pub on_missing: OnMissing,
    /// Keys to read, in this order; `None` is those of the first object.
    pub columns: Option<Vec<String>>,
}

/// JSON lines row by row, in memory of the order of one line.
pub struct JsonlRows<R> {
    input: BufReader<R>,
    path: PathBuf,
    names: Vec<String>,
    positions: HashMap<String, usize>,
    /// Whether keys that are no column are passed over.
    chosen: bool,
    on_missing: OnMissing,
    text: Vec<u8>,
    values: Vec<f64>,
    /// The row in which each column was last seen.
    seen: Vec<u64>,
    first: Option<Object>,
    line: u64,
    tried: u64,
    dropped: u64,
}

impl<R> fmt::Debug for JsonlRows<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (f.debug_struct("JsonlRows"))
            .field("path", &self.path)
            .field("names", &self.names)
            .field("line", &self.line)
            .finish_non_exhaustive()
    }
}

impl JsonlRows<File> {
    /// Opens a file and reads its first object.
    ///
    /// # Errors
    /// File errors, an empty file, and everything that can be wrong with a line.
    pub fn open(path: impl AsRef<Path>, options: &JsonlOptions) -> Result<Self> {
        let path = path.as_ref();
        Self::new(files::open(path)?, path, options)
    }
}

impl<R: Read> JsonlRows<R> {
    /// Reads from any source (it is buffered here); `label` stands for the path in errors.
    ///
    /// # Errors
    /// As [`JsonlRows::open`].
    pub fn new(reader: R, label: impl Into<PathBuf>, options: &JsonlOptions) -> Result<Self> {
        let mut rows = Self {
            input: BufReader::with_capacity(1 << 16, reader),
            path: label.into(),
            names: Vec::new(),
            positions: HashMap::new(),
            chosen: options.columns.is_some(),
            on_missing: options.on_missing,
            text: Vec::new(),
            values: Vec::new(),
            seen: Vec::new(),
            first: None,
            line: 0,
            tried: 0,
            dropped: 0,
        };
        let Some(first) = rows.object()? else {
            return Err(Error::Empty { path: rows.path });
        };
        rows.names = match &options.columns {
            Some(columns) => columns.clone(),
            None => first.0.iter().map(|(key, _)| key.clone()).collect(),
        };
        if rows.names.is_empty() {
            return Err(rows.bad_line("no keys; expected at least one number".to_owned()));
        }
        names::all_different(&rows.path, &rows.names)?;
        if rows.chosen {
            let keys: Vec<String> = first.0.iter().map(|(key, _)| key.clone()).collect();
            names::positions(&keys, &rows.names)?;
        }
        rows.positions = (rows.names.iter().cloned()).zip(0..).collect();
        rows.values = vec![0.0; rows.names.len()];
        rows.seen = vec![0; rows.names.len()];
        rows.first = Some(first);
        Ok(rows)
    }

    /// Line of the last row, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next object, or `None` at the end of the file.
    fn object(&mut self) -> Result<Option<Object>> {
        loop {
            self.text.clear();
            let mut limited = (&mut self.input).take(LINE_LIMIT as u64 + 1);
            (limited.read_until(b'\n', &mut self.text))
                .map_err(|error| files::io(&self.path, "read", error))?;
            if self.text.is_empty() {
                return Ok(None);
            }
            self.line += 1;
            if self.text.len() > LINE_LIMIT {
                return Err(Error::TooLong {
                    path: self.path.clone(),
                    line: self.line,
                    column: 1,
                    limit: LINE_LIMIT,
                });
            }
            let text = match self.text.strip_prefix(b"\xEF\xBB\xBF") {
                Some(text) if self.line == 1 => text,
                _ => &self.text,
            };
            let text = match std::str::from_utf8(text) {
                Ok(text) => text.trim_ascii(),
                Err(error) => {
                    return Err(Error::NotUtf8 {
                        path: self.path.clone(),
                        line: self.line,
                        column: error.valid_up_to() + 1,
                    });
                }
            };
            if !text.is_empty() {
                let parsed = serde_json::from_str(text);
                return (parsed.map(Some)).map_err(|error| self.bad_line(plain(&error)));
            }
        }
    }

    /// Puts an object's numbers in their places; false when its row is to be dropped.
    fn put(&mut self, object: Object) -> Result<bool> {
        self.tried += 1;
        let mut keep = true;
        for (key, cell) in object.0 {
            let Some(&position) = self.positions.get(&key) else {
                if self.chosen {
                    continue;
                }
                return Err(self.bad_line(format!("key {key:?} is not in the first object")));
            };
            if std::mem::replace(&mut self.seen[position], self.tried) == self.tried {
                return Err(self.bad_line(format!("key {key:?} stands there twice")));
            }
            match cell {
                Cell::Number(value) => self.values[position] = value,
                Cell::Missing => keep &= self.missing(position, "null")?,
                Cell::Other(cell) => {
                    return Err(Error::Parse {
                        path: self.path.clone(),
                        line: self.line,
                        column: position + 1,
                        column_name: key,
                        cell,
                    });
                }
            }
        }
        for position in 0..self.names.len() {
            if self.seen[position] != self.tried {
                keep &= self.missing(position, "absent")?;
            }
        }
        Ok(keep)
    }

    fn missing(&mut self, position: usize, cell: &str) -> Result<bool> {
        match self.on_missing {
            OnMissing::Nan => {
                self.values[position] = f64::NAN;
                Ok(true)
            }
            OnMissing::DropRow => Ok(false),
            OnMissing::Error => Err(Error::Missing {
                path: self.path.clone(),
                line: self.line,
                column: position + 1,
                column_name: self.names[position].clone(),
                cell: cell.to_owned(),
            }),
        }
    }

    fn bad_line(&self, problem: String) -> Error {
        Error::BadLine {
            path: self.path.clone(),
            line: self.line,
            problem,
        }
    }
}

/// The parser's words with the place in this line; it counts lines within the text it was given.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(words) => format!("{words} at byte {}", error.column()),
        None => text,
    }
}

impl<R: Read> Rows for JsonlRows<R> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn next_row(&mut self) -> Result<Option<&[f64]>> {
        loop {
            let object = match self.first.take() {
                Some(first) => first,
                None => match self.object()? {
                    Some(object) => object,
                    None => return Ok(None),
                },
            };
            if self.put(object)? {
                return Ok(Some(&self.values));
            }
            self.dropped += 1;
        }
    }

    fn rows_dropped(&self) -> u64 {
        self.dropped
    }
}
