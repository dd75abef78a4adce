//! CSV: numeric tables with or without a header, read whole or row by row.
//!
//! RFC 4180 quoting, any single-byte delimiter, `\n` or `\r\n` line ends, an optional UTF-8 byte
//! order mark. Lines without any character are skipped. Cells hold finite numbers or a token that
//! stands for a missing value; white space around them does not count.

mod cells;
mod options;

pub use options::{CsvOptions, Header, OnMissing};

use crate::{Error, Result, Rows, Table, files, names};
use cells::Cells;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reads a whole file. Peak memory is about twice the table's; to hold less use [`CsvRows`].
///
/// # Errors
/// Every way a file can be wrong, see [`Error`]; no rows is one of them ([`Error::NoRows`]).
pub fn read_table(path: impl AsRef<Path>, options: &CsvOptions) -> Result<Table> {
    table(CsvRows::open(path, options)?)
}

/// Reads a whole table from any source; `label` stands for the path in errors.
///
/// # Errors
/// As [`read_table`].
pub fn read_table_from(
    reader: impl Read,
    label: impl Into<PathBuf>,
    options: &CsvOptions,
) -> Result<Table> {
    table(CsvRows::new(reader, label, options)?)
}

fn table(mut rows: CsvRows<impl Read>) -> Result<Table> {
    let mut values = Vec::new();
    while let Some(row) = rows.next_row()? {
        values.extend_from_slice(row);
    }
    if values.is_empty() {
        return Err(Error::NoRows {
            path: rows.cells.into_path(),
            dropped: rows.dropped,
        });
    }
    Ok(Table::from_row_major(rows.names, &values))
}

/// A CSV file row by row, in memory of the order of one row whatever the size of the file.
///
/// A file with a header and no rows gives no rows; the caller decides whether that is an error.
#[derive(Debug)]
pub struct CsvRows<R> {
    cells: Cells<R>,
    /// Names of the columns read, in output order.
    names: Vec<String>,
    /// Output position of each column of the file; `None` is skipped unparsed.
    slots: Vec<Option<usize>>,
    values: Vec<f64>,
    missing: Vec<String>,
    /// Whether one of the tokens is a number, so that numbers must be compared with them.
    missing_numbers: bool,
    on_missing: OnMissing,
    /// The first line, when it turned out to be data and not a header.
    first: Option<cells::Record>,
    line: u64,
    read: u64,
    dropped: u64,
}

impl CsvRows<File> {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// File errors, an empty file, and everything that can be wrong with a header.
    pub fn open(path: impl AsRef<Path>, options: &CsvOptions) -> Result<Self> {
        let path = path.as_ref();
        Self::new(files::open(path)?, path, options)
    }
}

impl<R: Read> CsvRows<R> {
    /// Reads from any source (it is buffered here); `label` stands for the path in errors.
    ///
    /// # Errors
    /// As [`CsvRows::open`].
    pub fn new(reader: R, label: impl Into<PathBuf>, options: &CsvOptions) -> Result<Self> {
        options.check()?;
        let mut cells = Cells::new(reader, label.into(), options.delimiter)?;
        let Some(first) = cells.record()? else {
            return Err(Error::Empty {
                path: cells.into_path(),
            });
        };
        let is_header = match options.header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto => !first.iter().all(|(_, cell)| {
                let cell = cell.trim_ascii();
                is_missing(&options.missing, cell) || number(cell).is_some()
            }),
        };
        let mut all = Vec::with_capacity(first.len());
        for (column, (line, cell)) in first.iter().enumerate() {
            let name = if is_header { cell.trim_ascii() } else { b"" };
            all.push(match std::str::from_utf8(name) {
                Ok("") => format!("x{}", column + 1),
                Ok(name) => name.to_owned(),
                Err(_) => return Err(cells.not_utf8(line, column)),
            });
        }
        names::all_different(cells.path(), &all)?;
        let (names, slots) = match &options.columns {
            None => {
                let slots = (0..all.len()).map(Some).collect();
                (all, slots)
            }
            Some(wanted) => {
                names::all_different(Path::new("chosen columns"), wanted)?;
                let mut slots = vec![None; all.len()];
                for (slot, column) in names::positions(&all, wanted)?.into_iter().enumerate() {
                    slots[column] = Some(slot);
                }
                (wanted.clone(), slots)
            }
        };
        Ok(Self {
            values: vec![0.0; names.len()],
            names,
            slots,
            missing: options.missing.clone(),
            missing_numbers: (options.missing.iter())
                .any(|token| number(token.as_bytes()).is_some()),
            on_missing: options.on_missing,
            first: (!is_header).then_some(first),
            line: 0,
            read: 0,
            dropped: 0,
            cells,
        })
    }

    /// Line where the last row began, from 1; 0 before the first.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Rows returned so far.
    pub fn rows_read(&self) -> u64 {
        self.read
    }

    /// Reads one line into `values`; `None` at the end, `Some(false)` when it is to be dropped.
    fn read_line(&mut self) -> Result<Option<bool>> {
        let mut keep = true;
        let mut column = 0;
        if let Some(first) = self.first.take() {
            self.line = first.line();
            for (line, cell) in first.iter() {
                keep &= self.put(column, line, cell)?;
                column += 1;
            }
            return Ok(Some(keep));
        }
        loop {
            let Some(cell) = self.cells.next()? else {
                return Ok(None);
            };
            if column == 0 {
                self.line = cell.line;
            }
            let text = std::mem::take(&mut self.cells.text);
            let kept = self.put(column, cell.line, &text[..cell.len]);
            self.cells.text = text;
            keep &= kept?;
            column += 1;
            if cell.ends_record {
                break;
            }
        }
        if column != self.slots.len() {
            return Err(self.cells.ragged(self.line, self.slots.len(), column));
        }
        Ok(Some(keep))
    }

    /// Parses one cell into its place; false when it is missing and its row is to be dropped.
    fn put(&mut self, column: usize, line: u64, cell: &[u8]) -> Result<bool> {
        let Some(Some(slot)) = self.slots.get(column) else {
            return Ok(true);
        };
        let cell = cell.trim_ascii();
        let parsed = number(cell);
        let may_be_missing = parsed.is_none() || self.missing_numbers;
        let value = if may_be_missing && is_missing(&self.missing, cell) {
            match self.on_missing {
                OnMissing::Nan => f64::NAN,
                OnMissing::DropRow => return Ok(false),
                OnMissing::Error => {
                    return Err(Error::Missing {
                        path: self.cells.path().to_owned(),
                        line,
                        column: column + 1,
                        column_name: self.names[*slot].clone(),
                        cell: String::from_utf8_lossy(cell).into_owned(),
                    });
                }
            }
        } else {
            parsed.ok_or_else(|| self.cells.bad_cell(line, column, &self.names[*slot], cell))?
        };
        self.values[*slot] = value;
        Ok(true)
    }
}

impl<R: Read> Rows for CsvRows<R> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn next_row(&mut self) -> Result<Option<&[f64]>> {
        while let Some(keep) = self.read_line()? {
            if keep {
                self.read += 1;
                return Ok(Some(&self.values));
            }
            self.dropped += 1;
        }
        Ok(None)
    }

    fn rows_dropped(&self) -> u64 {
        self.dropped
    }
}

fn is_missing(tokens: &[String], cell: &[u8]) -> bool {
    tokens.iter().any(|token| token.as_bytes() == cell)
}

/// A finite decimal number. `inf` and `nan` are words here, not numbers, and so is `1e999`.
fn number(cell: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(cell).ok()?;
    text.parse().ok().filter(|value: &f64| value.is_finite())
}
