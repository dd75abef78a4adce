use crate::{Clip, Error, Missing, Preparation, Result, SuffStats};
use faer::{Mat, MatRef, Par};
use papercrates_data::csv::{CsvOptions, OnMissing};
use papercrates_data::{Rows, npz, open_rows};
use std::path::Path;

impl From<papercrates_data::Error> for Error {
    fn from(error: papercrates_data::Error) -> Self {
        let reason = match error {
            papercrates_data::Error::Missing { .. } => {
                format!("{error}, such as Missing::Centre (fit: --impute-missing)")
            }
            _ => error.to_string(),
        };
        Self::Data { reason }
    }
}

/// Open rows by the ending of the file's name: CSV, TSV, JSON lines, NPY, or NPZ with an array `X`
/// (its columns are named `x1`, `x2`, …) and, for training, `y`. Missing values are NaN under
/// [`Missing::Centre`] and an error otherwise. With `columns`, text in other columns is passed over
/// where the format has names.
///
/// # Errors
/// [`Error::Data`].
pub fn open(path: &Path, missing: Missing, columns: Option<&[String]>) -> Result<Box<dyn Rows>> {
    let is_npz = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("npz"));
    if is_npz {
        return Ok(Box::new(NpzRows::open(path)?));
    }
    let mut options = CsvOptions::default().on_missing(match missing {
        Missing::Refuse => OnMissing::Error,
        Missing::Centre => OnMissing::Nan,
    });
    options.columns = columns.map(<[String]>::to_vec);
    Ok(open_rows(path, &options)?)
}

/// The rows of an NPZ archive, whole in memory.
struct NpzRows {
    names: Vec<String>,
    x: Mat<f64>,
    y: Option<Vec<f64>>,
    next: usize,
    row: Vec<f64>,
}

impl NpzRows {
    fn open(path: &Path) -> Result<Self> {
        let mut archive = npz::Archive::open(path)?;
        let x = archive.read("X")?.to_mat()?;
        let y = if archive.names().iter().any(|name| name == "y") {
            let y = archive.read("y")?.into_values();
            if y.len() != x.nrows() {
                return Err(Error::Data {
                    reason: format!(
                        "{}: X has {} rows and y has {}; give one target a row",
                        path.display(),
                        x.nrows(),
                        y.len()
                    ),
                });
            }
            Some(y)
        } else {
            None
        };
        let mut names: Vec<String> = (1..=x.ncols()).map(|j| format!("x{j}")).collect();
        if y.is_some() {
            names.push("y".into());
        }
        Ok(Self {
            names,
            x,
            y,
            next: 0,
            row: Vec::new(),
        })
    }
}

impl Rows for NpzRows {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn next_row(&mut self) -> papercrates_data::Result<Option<&[f64]>> {
        let i = self.next;
        if i == self.x.nrows() {
            return Ok(None);
        }
        self.next += 1;
        self.row.clear();
        self.row.extend(self.x.row(i).iter());
        self.row.extend(self.y.as_ref().map(|y| y[i]));
        Ok(Some(&self.row))
    }
}

/// Rows taken apart into prepared features and target, block by block.
struct Blocks<'a> {
    rows: &'a mut dyn Rows,
    features: Vec<usize>,
    target: usize,
    preparation: &'a Preparation,
    read: u64,
    /// Rows and targets outside their public range so far.
    clipped: (u64, u64),
    raw: Vec<f64>,
    prepared: Vec<f64>,
}

impl<'a> Blocks<'a> {
    fn new(
        rows: &'a mut dyn Rows,
        features: &[String],
        target: &str,
        preparation: &'a Preparation,
    ) -> Result<Self> {
        let features = features
            .iter()
            .map(|name| rows.column_index(name))
            .collect::<Result<_, _>>()?;
        let target = rows.column_index(target)?;
        Ok(Self {
            rows,
            features,
            target,
            preparation,
            read: 0,
            clipped: (0, 0),
            raw: Vec::new(),
            prepared: Vec::new(),
        })
    }

    /// Append up to `most` prepared rows to `x` (row by row) and `y`; whether there may be more.
    fn read(&mut self, most: usize, x: &mut Vec<f64>, y: &mut Vec<f64>) -> Result<bool> {
        for _ in 0..most {
            let Some(row) = self.rows.next_row()? else {
                return Ok(false);
            };
            let at = |error| match error {
                Error::NonFinite { col, .. } => Error::NonFinite {
                    row: self.read,
                    col,
                },
                other => other,
            };
            self.raw.clear();
            self.raw.extend(self.features.iter().map(|&j| row[j]));
            let outside = self.preparation.apply(&self.raw, &mut self.prepared);
            self.clipped.0 += u64::from(outside.map_err(at)?);
            let (target, outside) = self
                .preparation
                .apply_target(row[self.target])
                .map_err(at)?;
            self.clipped.1 += u64::from(outside);
            x.extend_from_slice(&self.prepared);
            y.push(target);
            self.read += 1;
        }
        Ok(true)
    }
}

/// Stream rows through a preparation into sufficient statistics. Holds one block and O(d²); the
/// counts of clipped records are those of the preparation. `features` and `target` are names of
/// columns.
///
/// # Errors
/// [`Error::Data`] for rows that cannot be read, [`Error::NonFinite`], and those of
/// [`SuffStats::new`].
pub fn summarize(
    rows: &mut dyn Rows,
    features: &[String],
    target: &str,
    preparation: &Preparation,
    par: Par,
) -> Result<SuffStats> {
    let d = preparation.d();
    let mut stats = SuffStats::new(d, preparation.bounds(), Clip::Clip)?;
    let mut blocks = Blocks::new(rows, features, target, preparation)?;
    // Whole blocks of `push_batch`, so that the sums depend on nothing but the rows.
    let block = if d <= 512 { 8192 } else { 1024 };
    let (mut x, mut y) = (Vec::new(), Vec::new());
    loop {
        let more = blocks.read(block, &mut x, &mut y)?;
        stats.push_batch(MatRef::from_row_major_slice(&x, y.len(), d), &y, par)?;
        x.clear();
        y.clear();
        if !more {
            return Ok(stats.with_clipped(blocks.clipped));
        }
    }
}

/// All prepared rows (`n × d`) and targets in memory, for methods that look at single records.
///
/// # Errors
/// As [`summarize`].
pub fn collect(
    rows: &mut dyn Rows,
    features: &[String],
    target: &str,
    preparation: &Preparation,
) -> Result<(Mat<f64>, Vec<f64>)> {
    let d = preparation.d();
    let mut blocks = Blocks::new(rows, features, target, preparation)?;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    while blocks.read(1024, &mut x, &mut y)? {}
    let x = MatRef::from_row_major_slice(&x, y.len(), d).to_owned();
    Ok((x, y))
}
