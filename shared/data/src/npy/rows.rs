use super::array::{self, read_numbers, rows_and_columns};
use super::header::Header;
use crate::{Result, Rows, files};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// A matrix in a NPY file row by row; columns are named `x1`, `x2`, ... One dimension is one
/// column.
///
/// C order is streamed in memory of the order of one row. Fortran order has no rows to stream and
/// is read whole. NaN and infinities are passed on as they stand.
#[derive(Debug)]
pub struct NpyRows<R> {
    source: Source<R>,
    path: PathBuf,
    names: Vec<String>,
    rows: usize,
    read: usize,
    /// The row to return next, or last returned.
    row: Vec<f64>,
}

#[derive(Debug)]
enum Source<R> {
    Stream(Box<BufReader<R>>, super::Layout),
    Whole(Vec<f64>),
}

impl NpyRows<File> {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// As [`read`](super::read), and [`Error::BadShape`](crate::Error::BadShape) for what is no
    /// matrix with at least one row.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::new(files::open(path)?, path)
    }
}

impl<R: Read> NpyRows<R> {
    /// Reads from any source (it is buffered here); `label` stands for the path in errors.
    ///
    /// # Errors
    /// As [`NpyRows::open`].
    pub fn new(reader: R, label: impl Into<PathBuf>) -> Result<Self> {
        let path = label.into();
        let mut reader = Box::new(BufReader::with_capacity(1 << 16, reader));
        let header = Header::read(&mut reader, &path)?;
        header.count(&path)?;
        let (rows, columns) = rows_and_columns(&header.shape)?;
        let mut row = Vec::new();
        let source = if header.layout.fortran_order {
            let whole = array::read_values(reader, header, &path)?.into_values();
            row.extend_from_slice(&whole[..columns]);
            Source::Whole(whole)
        } else {
            // Names follow the first row, so that a header that claims columns which are not there
            // costs nothing.
            read_numbers(&mut reader, header.layout, 0, columns, &mut row, &path)?;
            Source::Stream(reader, header.layout)
        };
        Ok(Self {
            source,
            path,
            names: (1..=columns).map(|column| format!("x{column}")).collect(),
            rows,
            read: 0,
            row,
        })
    }

    /// Rows in the file.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

impl<R: Read> Rows for NpyRows<R> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn next_row(&mut self) -> Result<Option<&[f64]>> {
        if self.read == self.rows {
            return Ok(None);
        }
        let columns = self.names.len();
        let before = self.read * columns;
        if self.read > 0 {
            self.row.clear();
            match &mut self.source {
                Source::Whole(values) => {
                    self.row
                        .extend_from_slice(&values[before..before + columns]);
                }
                Source::Stream(reader, layout) => {
                    read_numbers(reader, *layout, before, columns, &mut self.row, &self.path)?;
                }
            }
        }
        self.read += 1;
        Ok(Some(&self.row))
    }
}
