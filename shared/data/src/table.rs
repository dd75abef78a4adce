use crate::{Result, names};
use faer::{Mat, MatRef};

/// Named numeric columns: one row a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    names: Vec<String>,
    values: Mat<f64>,
}

impl Table {
    /// `values` is row by row; its length is a multiple of the number of names.
    pub(crate) fn from_row_major(names: Vec<String>, values: &[f64]) -> Self {
        let columns = names.len();
        let rows = values.len().checked_div(columns).unwrap_or(0);
        Self {
            values: Mat::from_fn(rows, columns, |i, j| values[i * columns + j]),
            names,
        }
    }

    /// Column names, in file order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The numbers, rows x columns.
    pub fn values(&self) -> MatRef<'_, f64> {
        self.values.as_ref()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.nrows()
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.values.ncols()
    }

    /// One column by name; O(columns) to find it.
    ///
    /// # Errors
    /// [`Error::ColumnNotFound`](crate::Error::ColumnNotFound), with the names like it.
    pub fn column(&self, name: &str) -> Result<&[f64]> {
        let column = names::position(&self.names, name)?;
        Ok(self.values.col_as_slice(column))
    }

    /// Features (rows x (columns - 1), file order) and the named target (rows).
    ///
    /// # Errors
    /// [`Error::ColumnNotFound`](crate::Error::ColumnNotFound), with the names like it.
    pub fn split_target(&self, name: &str) -> Result<(Mat<f64>, Vec<f64>)> {
        let target = names::position(&self.names, name)?;
        let features = Mat::from_fn(self.rows(), self.columns() - 1, |i, j| {
            self.values[(i, j + usize::from(j >= target))]
        });
        Ok((features, self.values.col_as_slice(target).to_vec()))
    }

    /// Names of the features that [`split_target`](Table::split_target) returns.
    pub fn feature_names<'a>(&'a self, target: &'a str) -> impl Iterator<Item = &'a str> {
        (self.names.iter().map(String::as_str)).filter(move |name| *name != target)
    }
}
