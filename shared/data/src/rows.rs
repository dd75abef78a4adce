use crate::csv::{CsvOptions, CsvRows};
use crate::npy::NpyRows;
use crate::{Error, Result, Table, names};
use faer::Mat;
use std::path::Path;

/// A source of numeric rows, one at a time, in memory of the order of one row.
///
/// Readers of all formats implement it, so that a program streams a file of any size and kind
/// through the same loop.
pub trait Rows {
    /// Column names, in the order of the values.
    fn names(&self) -> &[String];

    /// The next row, or `None` at the end. After an error the source is spent.
    ///
    /// # Errors
    /// Whatever the format allows to go wrong; see [`Error`].
    fn next_row(&mut self) -> Result<Option<&[f64]>>;

    /// Rows left out so far for missing values.
    fn rows_dropped(&self) -> u64 {
        0
    }

    /// Position of a column.
    ///
    /// # Errors
    /// [`Error::ColumnNotFound`], with the names like it.
    fn column_index(&self, name: &str) -> Result<usize> {
        names::position(self.names(), name)
    }

    /// Reads what is left into a table; peak memory is about twice the table's.
    ///
    /// # Errors
    /// As [`next_row`](Rows::next_row).
    fn collect_table(mut self) -> Result<Table>
    where
        Self: Sized,
    {
        let names = self.names().to_vec();
        let mut values = Vec::new();
        while let Some(row) = self.next_row()? {
            values.extend_from_slice(row);
        }
        Ok(Table::from_row_major(names, &values))
    }

    /// Splits each row into features and the named target.
    ///
    /// # Errors
    /// [`Error::ColumnNotFound`], with the names like it.
    fn with_target(self, target: &str) -> Result<Examples<Self>>
    where
        Self: Sized,
    {
        let target = self.column_index(target)?;
        let features = (self.names().iter().enumerate())
            .filter(|(column, _)| *column != target)
            .map(|(_, name)| name.clone())
            .collect();
        Ok(Examples {
            rows: self,
            target,
            features,
            x: Vec::new(),
        })
    }
}

impl<R: Rows + ?Sized> Rows for Box<R> {
    fn names(&self) -> &[String] {
        (**self).names()
    }

    fn next_row(&mut self) -> Result<Option<&[f64]>> {
        (**self).next_row()
    }

    fn rows_dropped(&self) -> u64 {
        (**self).rows_dropped()
    }
}

/// Rows split into features and target; made by [`Rows::with_target`].
#[derive(Debug)]
pub struct Examples<R> {
    rows: R,
    target: usize,
    features: Vec<String>,
    x: Vec<f64>,
}

impl<R: Rows> Examples<R> {
    /// Names of the features: all columns but the target, in file order.
    pub fn feature_names(&self) -> &[String] {
        &self.features
    }

    /// The source, for what it counted.
    pub fn source(&self) -> &R {
        &self.rows
    }

    /// The next features and target, or `None` at the end.
    ///
    /// # Errors
    /// As [`Rows::next_row`].
    pub fn next_example(&mut self) -> Result<Option<(&[f64], f64)>> {
        let Some(row) = self.rows.next_row()? else {
            return Ok(None);
        };
        self.x.clear();
        self.x.extend_from_slice(&row[..self.target]);
        self.x.extend_from_slice(&row[self.target + 1..]);
        let y = row[self.target];
        Ok(Some((&self.x, y)))
    }

    /// Up to `max_rows` examples as a matrix (rows x features) and a target vector, or `None` at
    /// the end. Holds this block and nothing else.
    ///
    /// # Errors
    /// As [`Rows::next_row`].
    pub fn next_block(&mut self, max_rows: usize) -> Result<Option<(Mat<f64>, Vec<f64>)>> {
        let (mut values, mut y) = (Vec::new(), Vec::new());
        while y.len() < max_rows {
            let Some((x, target)) = self.next_example()? else {
                break;
            };
            values.extend_from_slice(x);
            y.push(target);
        }
        if y.is_empty() {
            return Ok(None);
        }
        let d = self.features.len();
        Ok(Some((
            Mat::from_fn(y.len(), d, |i, j| values[i * d + j]),
            y,
        )))
    }
}

/// Opens a file of rows by the ending of its name: `.jsonl` or `.ndjson` (feature `jsonl`), `.npy`,
/// `.tsv` (tab whatever the options say), and everything else as CSV. Of the options, NPY needs
/// none and JSON lines take `on_missing` and `columns`.
///
/// # Errors
/// As the reader of the format; [`Error::UnknownFormat`] for `.npz`, `.parquet` and other endings
/// that are known to be no table of text.
pub fn open_rows(path: impl AsRef<Path>, options: &CsvOptions) -> Result<Box<dyn Rows>> {
    let path = path.as_ref();
    let unknown = || {
        Err(Error::UnknownFormat {
            path: path.to_owned(),
            expected: FORMATS,
        })
    };
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    Ok(match ending.to_str().unwrap_or_default() {
        "npy" => Box::new(NpyRows::open(path)?),
        #[cfg(feature = "jsonl")]
        "jsonl" | "ndjson" => Box::new(crate::jsonl::JsonlRows::open(
            path,
            &crate::jsonl::JsonlOptions {
                on_missing: options.on_missing,
                columns: options.columns.clone(),
            },
        )?),
        #[cfg(not(feature = "jsonl"))]
        "jsonl" | "ndjson" => return unknown(),
        "json" | "npz" | "parquet" | "gz" | "zip" | "xlsx" => return unknown(),
        "tsv" => Box::new(CsvRows::open(path, &options.clone().delimiter(b'\t'))?),
        _ => Box::new(CsvRows::open(path, options)?),
    })
}

const FORMATS: &str = if cfg!(feature = "jsonl") {
    ".csv, .tsv, .jsonl, .ndjson or .npy"
} else {
    ".csv, .tsv or .npy (this program reads .jsonl only with the feature jsonl)"
};
