use super::terminal;
use dp_ridge::Error;
use std::process::ExitCode;

/// Why a verb did not do what was asked, in one line.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command or its input must change: exit code 2.
    Usage(String),
    /// The run failed: exit code 1.
    Failed(String),
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn report(&self) -> ExitCode {
        let (message, code) = match self {
            Self::Usage(message) => (message, 2),
            Self::Failed(message) => (message, 1),
        };
        terminal::note("error", message);
        ExitCode::from(code)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Io { .. }
            | Error::NoEntropy { .. }
            | Error::NoConvergence { .. }
            | Error::NotPositiveDefinite { .. }
            | Error::BudgetExceeded { .. }
            | Error::Numeric(_) => Self::Failed(error.to_string()),
            _ => Self::Usage(error.to_string()),
        }
    }
}

impl From<papercrates_data::Error> for Failure {
    fn from(error: papercrates_data::Error) -> Self {
        Error::from(error).into()
    }
}
