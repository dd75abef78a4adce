use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::line::digest;
use crate::{CellError, Error, Plan, Result, Scale};

/// The first line: which plan of which experiment, by which build of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// Layout of the journal.
    journal: u32,
    #[serde(rename = "crate")]
    pub(crate) crate_name: String,
    version: String,
    pub(crate) experiment: String,
    pub(crate) scale: Scale,
    pub(crate) seed: u64,
    cells: usize,
    /// Digest of all cells in order.
    cells_digest: String,
    /// Digest of the program.
    pub(crate) build: String,
}

impl Header {
    pub(crate) fn new(
        crate_name: &str,
        version: &str,
        experiment: &str,
        plan: &Plan,
        keys: &[String],
        build: &str,
    ) -> Self {
        Self {
            journal: 1,
            crate_name: crate_name.to_owned(),
            version: version.to_owned(),
            experiment: experiment.to_owned(),
            scale: plan.scale(),
            seed: plan.seed(),
            cells: keys.len(),
            // JSON has no line ends outside strings, and inside they are escaped.
            cells_digest: digest(keys.join("\n").as_bytes()),
            build: build.to_owned(),
        }
    }

    /// Checks that both journals are of one plan, whatever program wrote them.
    pub(crate) fn expect_plan_of(&self, wanted: &Self, path: &Path) -> Result<()> {
        let same = Self {
            build: wanted.build.clone(),
            ..self.clone()
        } == *wanted;
        if same {
            return Ok(());
        }
        Err(Error::OtherPlan {
            path: path.to_owned(),
            found: self.to_string(),
            wanted: wanted.to_string(),
        })
    }

    pub(super) fn to_json(&self) -> Result<String> {
        to_json(self)
    }

    pub(super) fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("it is not a journal header ({error})"))
    }
}

impl std::fmt::Display for Header {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} {} {}, {}, seed {}, {} cells {}",
            self.crate_name,
            self.version,
            self.experiment,
            self.scale,
            self.seed,
            self.cells,
            self.cells_digest
        )
    }
}

/// A finished cell.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// The cell as JSON.
    pub(crate) cell: String,
    pub(crate) done: Done,
}

/// How a cell ended, and how long it took.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    /// The outcome as JSON.
    pub(crate) outcome: Result<String, CellError>,
    pub(crate) seconds: f64,
}

#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    #[serde(borrow)]
    cell: &'a RawValue,
    seconds: f64,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    outcome: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
}

impl Record {
    pub(super) fn to_json(&self) -> Result<String> {
        let mut stored = Stored {
            cell: raw(&self.cell)?,
            seconds: self.done.seconds,
            outcome: None,
            failed: None,
            skipped: None,
        };
        match &self.done.outcome {
            Ok(outcome) => stored.outcome = Some(raw(outcome)?),
            Err(e) if e.is_skipped() => stored.skipped = Some(e.message().to_owned()),
            Err(e) => stored.failed = Some(e.message().to_owned()),
        }
        to_json(&stored)
    }

    pub(super) fn from_json(text: &str) -> Result<Self, String> {
        let stored: Stored<'_> =
            serde_json::from_str(text).map_err(|error| format!("it is not a record ({error})"))?;
        let outcome = match stored {
            Stored {
                outcome: Some(outcome),
                ..
            } => Ok(outcome.get().to_owned()),
            Stored {
                skipped: Some(reason),
                ..
            } => Err(CellError::skipped(reason)),
            Stored {
                failed: Some(message),
                ..
            } => Err(CellError::failed(message)),
            _ => return Err("it has neither an outcome nor an error".to_owned()),
        };
        Ok(Self {
            cell: stored.cell.get().to_owned(),
            done: Done {
                outcome,
                seconds: stored.seconds,
            },
        })
    }
}

fn raw(json: &str) -> Result<&RawValue> {
    serde_json::from_str(json).map_err(|error| bad_json(&error))
}

fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| bad_json(&error))
}

fn bad_json(error: &serde_json::Error) -> Error {
    Error::Json {
        reason: error.to_string(),
    }
}
