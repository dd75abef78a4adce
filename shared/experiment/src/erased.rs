//! Experiments of any cell and outcome type, with both as JSON text.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{CellContext, CellError, Error, Experiment, Findings, Plan, Result};

/// An experiment whose types are hidden.
pub(crate) trait AnyExperiment: Send + Sync {
    fn id(&self) -> &'static str;
    fn title(&self) -> &str;
    fn cuts(&self, plan: &Plan) -> String;
    fn cells(&self, plan: &Plan) -> Result<Box<dyn AnyCells + '_>>;
}

/// The cells of an experiment under one plan.
pub(crate) trait AnyCells: Send + Sync {
    /// Each cell as JSON, which is its identity.
    fn keys(&self) -> &[String];
    /// Runs the cell at a position; its outcome is JSON that comes back as it went in.
    fn run(&self, position: usize, ctx: &CellContext) -> Result<String, CellError>;
    /// Concludes from the outcomes, with `None` for cells without one.
    fn conclude(self: Box<Self>, outcomes: &[Option<String>]) -> Result<Findings, CellError>;
}

pub(crate) struct Erased<E>(pub(crate) E);

impl<E: Experiment> AnyExperiment for Erased<E> {
    fn id(&self) -> &'static str {
        self.0.id()
    }

    fn title(&self) -> &str {
        self.0.title()
    }

    fn cuts(&self, plan: &Plan) -> String {
        self.0.cuts(plan)
    }

    fn cells(&self, plan: &Plan) -> Result<Box<dyn AnyCells + '_>> {
        let cells = self.0.cells(plan);
        let mut keys = Vec::with_capacity(cells.len());
        for (index, cell) in cells.iter().enumerate() {
            keys.push(serde_json::to_string(cell).map_err(|error| Error::BadCell {
                experiment: self.0.id().to_owned(),
                index,
                reason: error.to_string(),
            })?);
        }
        let mut seen = std::collections::HashSet::new();
        if let Some(twice) = keys.iter().find(|key| !seen.insert(key.as_str())) {
            return Err(Error::DuplicateCell {
                experiment: self.0.id().to_owned(),
                cell: twice.clone(),
            });
        }
        Ok(Box::new(Cells {
            experiment: &self.0,
            cells,
            keys,
        }))
    }
}

struct Cells<'a, E: Experiment> {
    experiment: &'a E,
    cells: Vec<E::Cell>,
    keys: Vec<String>,
}

impl<E: Experiment> AnyCells for Cells<'_, E> {
    fn keys(&self) -> &[String] {
        &self.keys
    }

    fn run(&self, position: usize, ctx: &CellContext) -> Result<String, CellError> {
        let cell = &self.cells[position];
        let outcome = guarded(|| self.experiment.run(cell, ctx))?;
        let text = serde_json::to_string(&outcome)?;
        // A NaN becomes null and would only be noticed when the run is resumed.
        let back: Result<E::Outcome, _> = serde_json::from_str(&text);
        match back.map(|outcome| serde_json::to_string(&outcome)) {
            Ok(Ok(again)) if again == text => Ok(text),
            Ok(_) => Err(CellError::failed(format!(
                "the outcome {} changes when it is read back from JSON",
                shortened(&text)
            ))),
            Err(error) => Err(CellError::failed(format!(
                "the outcome {} cannot be read back from JSON ({error}); a number that is not finite is written as null, so make it an Option",
                shortened(&text)
            ))),
        }
    }

    fn conclude(self: Box<Self>, outcomes: &[Option<String>]) -> Result<Findings, CellError> {
        let mut results = Vec::with_capacity(outcomes.len());
        for (cell, outcome) in self.cells.into_iter().zip(outcomes) {
            if let Some(text) = outcome {
                let outcome = serde_json::from_str(text).map_err(|error| {
                    CellError::failed(format!(
                        "the outcome {} in the journal does not fit this program: {error}",
                        shortened(text)
                    ))
                })?;
                results.push((cell, outcome));
            }
        }
        guarded(|| self.experiment.conclude(&results))
    }
}

/// Turns a panic of the experiment into a failure, so that the other cells go on.
fn guarded<T>(job: impl FnOnce() -> Result<T, CellError>) -> Result<T, CellError> {
    // The closure's captures are only read again after a panic, never a half-made outcome.
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|panic| {
        Err(CellError::failed(format!(
            "panicked: {}",
            panic_text(&*panic)
        )))
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let mut out: String = text.chars().take(MOST).collect();
    out.push('…');
    out
}
