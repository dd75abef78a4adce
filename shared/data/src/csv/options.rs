use crate::{Error, Result};

/// Whether the first line names the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// It does unless every cell of it is a number or missing.
    #[default]
    Auto,
    /// It does.
    Yes,
    /// It is data; columns are named `x1`, `x2`, ...
    No,
}

/// What a missing value does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMissing {
    /// It is an error that names the place.
    #[default]
    Error,
    /// It becomes NaN.
    Nan,
    /// Its row is left out and counted.
    ///
    /// **Privacy:** which rows go depends on their values, so the number of rows that remain, and
    /// anything computed from them, tells about the people left out. Under differential privacy
    /// this is a leak unless the analysis treats "has no missing value" as part of the row's
    /// public definition.
    DropRow,
}

/// How to read a CSV file.
///
/// | option | default | range |
/// |---|---|---|
/// | `header` | [`Header::Auto`] | |
/// | `delimiter` | `,` | one ASCII byte that cannot be part of a number, a name or a line end |
/// | `missing` | empty cell, `NA`, `N/A`, `NaN`, `nan`, `null`, `NULL`, `?` | exact tokens, white space around them ignored |
/// | `on_missing` | [`OnMissing::Error`] | |
/// | `columns` | all | names to read, in that order; the others are not parsed and may hold text |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// Whether the first line names the columns.
    pub header: Header,
    /// What stands between cells.
    pub delimiter: u8,
    /// Tokens that stand for a missing value.
    pub missing: Vec<String>,
    /// What a missing value does.
    pub on_missing: OnMissing,
    /// Columns to read, in this order; `None` is all.
    pub columns: Option<Vec<String>>,
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self {
            header: Header::Auto,
            delimiter: b',',
            missing: ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"]
                .map(str::to_owned)
                .to_vec(),
            on_missing: OnMissing::Error,
            columns: None,
        }
    }
}

impl CsvOptions {
    /// Sets [`header`](Self::header).
    #[must_use]
    pub fn header(mut self, header: Header) -> Self {
        self.header = header;
        self
    }

    /// Sets [`delimiter`](Self::delimiter).
    #[must_use]
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = delimiter;
        self
    }

    /// Sets [`missing`](Self::missing).
    #[must_use]
    pub fn missing<T: Into<String>>(mut self, tokens: impl IntoIterator<Item = T>) -> Self {
        self.missing = tokens.into_iter().map(Into::into).collect();
        self
    }

    /// Sets [`on_missing`](Self::on_missing).
    #[must_use]
    pub fn on_missing(mut self, on_missing: OnMissing) -> Self {
        self.on_missing = on_missing;
        self
    }

    /// Sets [`columns`](Self::columns).
    #[must_use]
    pub fn columns<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.columns = Some(names.into_iter().map(Into::into).collect());
        self
    }

    pub(super) fn check(&self) -> Result<()> {
        let delimiter = self.delimiter;
        if !delimiter.is_ascii()
            || delimiter.is_ascii_alphanumeric()
            || b"\0\r\n\"+-._".contains(&delimiter)
        {
            return Err(Error::BadOption {
                option: "delimiter",
                value: delimiter.escape_ascii().to_string(),
                remedy: "use an ASCII character that is no letter, digit, quote, line end, NUL or \
                         one of + - . _",
            });
        }
        if self.columns.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::BadOption {
                option: "columns",
                value: "[]".to_owned(),
                remedy: "name at least one column, or leave the option out to read all",
            });
        }
        Ok(())
    }
}
