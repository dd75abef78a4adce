use std::path::PathBuf;

use crate::{Paper, Plan, Report, Result};

/// Runs the experiments of papers under a plan.
#[derive(Clone, Debug)]
pub struct Reproduction {
    plan: Plan,
    out: Option<PathBuf>,
    force: bool,
    progress: bool,
}

/// What a [`Reproduction`] did.
#[derive(Clone, Debug)]
pub struct Run {
    report: Option<Report>,
    ran: usize,
    resumed: usize,
}

impl Reproduction {
    /// A run that keeps everything in memory; see [`out`](Self::out).
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        Self {
            plan,
            out: None,
            force: false,
            progress: false,
        }
    }

    /// Keeps a journal in this folder and writes the report there.
    #[must_use]
    pub fn out(mut self, folder: impl Into<PathBuf>) -> Self {
        self.out = Some(folder.into());
        self
    }

    /// Starts over in a folder that holds something else.
    #[must_use]
    pub fn force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// Shows a progress bar on standard error, if that is a terminal.
    #[must_use]
    pub fn progress(mut self, progress: bool) -> Self {
        self.progress = progress;
        self
    }

    /// Runs what is missing, concludes and writes the report.
    ///
    /// # Errors
    /// Any [`Error`](crate::Error); failed cells are no error but part of the report.
    pub fn run(&self, papers: &[Paper]) -> Result<Run> {
        let _ = papers;
        Ok(Run {
            report: None,
            ran: 0,
            resumed: 0,
        })
    }
}

impl Run {
    /// The report; `None` for one part of a run, whose report comes from the merge.
    #[must_use]
    pub fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// Cells that were run now.
    #[must_use]
    pub fn ran(&self) -> usize {
        self.ran
    }

    /// Cells that an earlier run had finished.
    #[must_use]
    pub fn resumed(&self) -> usize {
        self.resumed
    }
}
