use std::fmt;

use papercrates_numeric::streams::Streams;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Findings, Plan};

/// One table or figure of a paper, as a list of independent jobs and what they show together.
///
/// Results reach [`conclude`](Experiment::conclude) in the order of [`cells`](Experiment::cells),
/// whatever the number of threads, machines and interruptions.
///
/// A cell should take between a millisecond and a few minutes: it is the unit of progress, of
/// resuming and of spreading over machines. Cells run side by side, so a cell should use one
/// thread.
pub trait Experiment: Send + Sync {
    /// A configuration with its repetition number. Its JSON is its identity: it names the cell in
    /// the journal and seeds its random streams, so no two cells may be equal.
    type Cell: Serialize + Send + Sync;
    /// What a cell gives. It must come back from JSON as it went in: numbers must be finite, and
    /// what may be missing is an `Option`.
    type Outcome: Serialize + DeserializeOwned + Send;

    /// Name in file names and streams: lower-case letters, digits, `-` and `_`.
    fn id(&self) -> &'static str;

    /// Heading on the report.
    fn title(&self) -> &str;

    /// What this plan leaves out against the paper, in one or two sentences.
    fn cuts(&self, plan: &Plan) -> String;

    /// All jobs of the plan. Must not depend on threads or part.
    fn cells(&self, plan: &Plan) -> Vec<Self::Cell>;

    /// Does one job.
    ///
    /// # Errors
    /// [`CellError::failed`] (also from any error, by `?`) when it could not be done, and
    /// [`CellError::skipped`] when something it needs is not here. The others go on.
    fn run(&self, cell: &Self::Cell, ctx: &CellContext) -> Result<Self::Outcome, CellError>;

    /// What the finished cells show: claims, tables and figures.
    ///
    /// `results` lacks the cells that failed or were skipped; it may be empty.
    ///
    /// # Errors
    /// Any error, by `?`; the report then names it in place of the findings.
    fn conclude(&self, results: &[(Self::Cell, Self::Outcome)]) -> Result<Findings, CellError>;
}

/// What a cell is given.
#[derive(Clone, Debug)]
pub struct CellContext {
    plan: Plan,
    experiment: Streams,
    streams: Streams,
}

impl CellContext {
    pub(crate) fn new(plan: Plan, crate_name: &str, experiment: &str, cell_key: &str) -> Self {
        let experiment = Streams::new(plan.seed())
            .child(crate_name)
            .child(experiment);
        let streams = experiment.child("cell").child(cell_key);
        Self {
            plan,
            experiment,
            streams,
        }
    }

    /// Random streams of this cell alone, fixed by the seed of the plan, the crate, the
    /// experiment and the cell, and never by the order of running.
    #[must_use]
    pub fn streams(&self) -> &Streams {
        &self.streams
    }

    /// Random streams that every cell of this experiment gets alike for the same `label`: for
    /// data that several cells must share, so that they can be compared pair by pair.
    #[must_use]
    pub fn shared_streams(&self, label: &str) -> Streams {
        self.experiment.child("shared").child(label)
    }

    /// The plan of the run.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}

/// Why a cell or a conclusion was not done.
///
/// Any error turns into a failure by `?`, which is why this type is not itself a
/// [`std::error::Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellError {
    skipped: bool,
    message: String,
}

impl CellError {
    /// The job went wrong.
    pub fn failed(message: impl fmt::Display) -> Self {
        Self {
            skipped: false,
            message: message.to_string(),
        }
    }

    /// The job needs something that is not here (data, a model); `reason` says what and how to
    /// get it.
    pub fn skipped(reason: impl fmt::Display) -> Self {
        Self {
            skipped: true,
            message: reason.to_string(),
        }
    }

    /// Whether the job was skipped rather than failed.
    #[must_use]
    pub fn is_skipped(&self) -> bool {
        self.skipped
    }

    /// What went wrong, or what was missing.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl<E: std::error::Error> From<E> for CellError {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            // Many errors already print their cause; say it once.
            if !message.contains(&cause_text) {
                message.push_str(": ");
                message.push_str(&cause_text);
            }
            source = cause.source();
        }
        Self::failed(message)
    }
}
