use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::number::{short, significant};
use crate::{Error, Estimate, Result};

/// One cell of a [`Table`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Words.
    Text(String),
    /// A whole number, printed in full.
    Integer(i64),
    /// A number, printed with four significant digits; the CSV and JSON forms keep all of them.
    Number(f64),
    /// A number with its interval.
    Estimate(Estimate),
    /// Nothing to show, printed as a dash.
    Missing,
}

impl Value {
    /// Whether the value is set flush right.
    pub(crate) fn is_numeric(&self) -> bool {
        !matches!(self, Self::Text(_))
    }

    /// As people read it.
    pub(crate) fn display(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(value) => value.to_string(),
            Self::Number(value) => short(*value),
            Self::Estimate(estimate) if estimate.is_exact() => short(estimate.mean()),
            Self::Estimate(estimate) => format!(
                "{} [{}, {}]",
                short(estimate.mean()),
                significant(estimate.low(), 3),
                significant(estimate.high(), 3)
            ),
            Self::Missing => "–".to_owned(),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        if value.is_finite() {
            Self::Number(value)
        } else {
            Self::Missing
        }
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or_else(|_| Self::Text(value.to_string()), Self::Integer)
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        i64::try_from(value).map_or_else(|_| Self::Text(value.to_string()), Self::Integer)
    }
}

impl From<Estimate> for Value {
    fn from(estimate: Estimate) -> Self {
        Self::Estimate(estimate)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Estimate(estimate) => estimate.serialize(serializer),
            Self::Missing => serializer.serialize_none(),
        }
    }
}

/// A table of results.
///
/// ```
/// use papercrates_experiment::Table;
/// let table = Table::new("risk", "Excess risk by sample size", ["n", "single", "decoupled"])
///     .row([1000.into(), 0.245.into(), 0.205.into()])
///     .row([10_000.into(), 0.0587.into(), 0.00727.into()]);
/// assert_eq!(table.to_csv()?.lines().next(), Some("n,single,decoupled"));
/// # Ok::<(), papercrates_experiment::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    id: String,
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
    note: Option<String>,
}

impl Table {
    /// A table with these column heads (with their units, where they have one).
    pub fn new<C: Into<String>>(
        id: impl Into<String>,
        title: impl Into<String>,
        columns: impl IntoIterator<Item = C>,
    ) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            columns: columns.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
            note: None,
        }
    }

    /// Adds a row, with one value a column (checked by [`check`](Self::check), which the runner
    /// calls).
    #[must_use]
    pub fn row(mut self, values: impl IntoIterator<Item = Value>) -> Self {
        self.rows.push(values.into_iter().collect());
        self
    }

    /// Adds a line below the table.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Name, unique within the paper: lower-case letters, digits, `-` and `_`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Heading.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Column heads.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Rows, each with one value a column.
    #[must_use]
    pub fn rows(&self) -> &[Vec<Value>] {
        &self.rows
    }

    /// Line below the table.
    #[must_use]
    pub fn note_text(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Checks that there is a column and that each row has one value a column.
    ///
    /// # Errors
    /// [`Error::BadTable`] with the first row that does not fit.
    pub fn check(&self) -> Result<()> {
        let bad = |reason| {
            Err(Error::BadTable {
                id: self.id.clone(),
                reason,
            })
        };
        if self.columns.is_empty() {
            return bad("it has no column; name at least one".to_owned());
        }
        let width = self.columns.len();
        match self.rows.iter().position(|row| row.len() != width) {
            Some(at) => bad(format!(
                "row {} has {} values for {width} columns; give one value a column",
                at + 1,
                self.rows[at].len()
            )),
            None => Ok(()),
        }
    }

    /// The table as CSV with a header line. A column that holds intervals becomes four: its
    /// estimate, `low`, `high` and `n`.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn to_csv(&self) -> Result<String> {
        self.check()?;
        let bad = |error: &dyn std::fmt::Display| Error::BadTable {
            id: self.id.clone(),
            reason: format!("cannot be written as CSV: {error}"),
        };
        let wide: Vec<bool> = (0..self.columns.len())
            .map(|c| {
                self.rows
                    .iter()
                    .any(|row| matches!(row[c], Value::Estimate(_)))
            })
            .collect();
        let mut out = csv::Writer::from_writer(Vec::new());
        let mut record: Vec<String> = Vec::new();
        for (name, &wide) in self.columns.iter().zip(&wide) {
            record.push(name.clone());
            if wide {
                record.extend(["low", "high", "n"].map(|end| format!("{name} {end}")));
            }
        }
        out.write_record(&record).map_err(|e| bad(&e))?;
        for row in &self.rows {
            record.clear();
            for (value, &wide) in row.iter().zip(&wide) {
                match value {
                    Value::Text(text) => record.push(text.clone()),
                    Value::Integer(value) => record.push(value.to_string()),
                    Value::Number(value) => record.push(value.to_string()),
                    Value::Missing => record.push(String::new()),
                    Value::Estimate(e) => {
                        record.push(e.mean().to_string());
                        record.extend([e.low(), e.high()].map(|end| end.to_string()));
                        record.push(e.n().to_string());
                        continue;
                    }
                }
                if wide {
                    record.extend([const { String::new() }; 3]);
                }
            }
            out.write_record(&record).map_err(|e| bad(&e))?;
        }
        let bytes = out.into_inner().map_err(|e| bad(&e))?;
        String::from_utf8(bytes).map_err(|e| bad(&e))
    }
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Table", 5)?;
        out.serialize_field("id", &self.id)?;
        out.serialize_field("title", &self.title)?;
        out.serialize_field("columns", &self.columns)?;
        out.serialize_field("rows", &self.rows)?;
        out.serialize_field("note", &self.note)?;
        out.end()
    }
}
