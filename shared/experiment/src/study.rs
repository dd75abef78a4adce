//! The experiments of a run: their cells, their journals and what is done of them.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use indicatif::ProgressBar;
use rayon::prelude::*;

use crate::erased::{AnyCells, AnyExperiment};
use crate::journal::{Done, Header, Journal, Record};
use crate::output::OutDir;
use crate::report::FailureKind;
use crate::{
    CellContext, CellError, Error, ExperimentReport, Failure, Findings, Paper, Plan, Result,
    program,
};

/// One experiment of one paper under a plan.
pub(crate) struct Study<'a> {
    paper: &'a Paper,
    experiment: &'a dyn AnyExperiment,
    cells: Box<dyn AnyCells + 'a>,
    done: Vec<Option<Done>>,
}

/// A study and, when the run keeps one, its journal.
pub(crate) struct Journaled<'a> {
    pub(crate) study: Study<'a>,
    journal: Option<Journal>,
}

impl<'a> Journaled<'a> {
    /// The study, and the journal that keeps its lock.
    pub(crate) fn split(self) -> (Study<'a>, Option<Journal>) {
        (self.study, self.journal)
    }
}

/// A cell to run: which study, which cell.
#[derive(Clone, Copy)]
struct Job {
    study: usize,
    cell: usize,
}

impl<'a> Study<'a> {
    /// Lists the cells of every experiment of these papers.
    pub(crate) fn all(papers: &'a [Paper], plan: &Plan) -> Result<Vec<Self>> {
        let mut studies = Vec::new();
        for paper in papers {
            check_id("paper", paper.crate_name())?;
            let mut seen = HashSet::new();
            for experiment in paper.experiments() {
                check_id("experiment", experiment.id())?;
                if !seen.insert(experiment.id()) {
                    return Err(Error::BadId {
                        what: "experiment",
                        id: experiment.id().to_owned(),
                        reason: "its paper has two of that name; rename one",
                    });
                }
                let cells = experiment.cells(plan)?;
                studies.push(Self {
                    paper,
                    experiment: &**experiment,
                    done: vec![None; cells.keys().len()],
                    cells,
                });
            }
        }
        Ok(studies)
    }

    pub(crate) fn paper(&self) -> &'a Paper {
        self.paper
    }

    pub(crate) fn id(&self) -> &'static str {
        self.experiment.id()
    }

    pub(crate) fn header(&self, plan: &Plan, build: &str) -> Header {
        Header::new(
            self.paper.crate_name(),
            self.paper.version(),
            self.experiment.id(),
            plan,
            self.cells.keys(),
            build,
        )
    }

    pub(crate) fn done(&self) -> &[Option<Done>] {
        &self.done
    }

    pub(crate) fn done_mut(&mut self) -> &mut [Option<Done>] {
        &mut self.done
    }

    pub(crate) fn keys(&self) -> &[String] {
        self.cells.keys()
    }

    /// Where each cell stands in the list.
    pub(crate) fn positions(&self) -> HashMap<String, usize> {
        let keys = self.cells.keys().iter().cloned();
        keys.zip(0..).collect()
    }

    /// Opens the journal and takes over what it holds; without a folder, the study stays in
    /// memory.
    pub(crate) fn journaled(
        mut self,
        plan: &Plan,
        out: Option<&OutDir>,
        force: bool,
    ) -> Result<Journaled<'a>> {
        let Some(out) = out else {
            return Ok(Journaled {
                study: self,
                journal: None,
            });
        };
        let path = out.journal(self.paper.crate_name(), self.experiment.id());
        let header = self.header(plan, program::digest());
        let (journal, records) = Journal::open(&path, &header, force)?;
        let positions = self.positions();
        for (at, record) in records.into_iter().enumerate() {
            let position = positions
                .get(&record.cell)
                .ok_or_else(|| Error::CorruptJournal {
                    path: path.clone(),
                    line: at + 2,
                    reason: format!("it is about {}, which is no cell of the plan", record.cell),
                })?;
            self.done[*position] = Some(record.done);
        }
        Ok(Journaled {
            study: self,
            journal: Some(journal),
        })
    }

    /// Whether a cell has an outcome. One that failed or was skipped is tried again, as the cause
    /// often lies outside it: missing data, memory.
    fn has_outcome(&self, cell: usize) -> bool {
        matches!(&self.done[cell], Some(Done { outcome: Ok(_), .. }))
    }

    fn run(&self, cell: usize, plan: &Plan) -> Done {
        let ctx = CellContext::new(
            *plan,
            self.paper.crate_name(),
            self.experiment.id(),
            &self.cells.keys()[cell],
        );
        let start = Instant::now();
        let outcome = self.cells.run(cell, &ctx);
        Done {
            outcome,
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    /// Time of all finished cells, in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.done.iter().flatten().map(|done| done.seconds).sum()
    }

    /// Concludes from what is done.
    pub(crate) fn conclude(self, plan: &Plan) -> ExperimentReport {
        let id = self.experiment.id();
        let mut failures = Vec::new();
        let mut outcomes = Vec::with_capacity(self.done.len());
        for (key, done) in self.cells.keys().iter().zip(self.done) {
            outcomes.push(match done.map(|done| done.outcome) {
                Some(Ok(outcome)) => Some(outcome),
                Some(Err(error)) => {
                    failures.push(failure(id, Some(key.clone()), &error));
                    None
                }
                None => None,
            });
        }
        let finished = outcomes.iter().flatten().count();
        let concluded = if finished == 0 && !outcomes.is_empty() {
            // Nothing to conclude from; the failures say why.
            Ok(Findings::new())
        } else {
            self.cells.conclude(&outcomes).and_then(checked)
        };
        let findings = concluded.unwrap_or_else(|error| {
            failures.push(failure(id, None, &error));
            Findings::new()
        });
        ExperimentReport {
            id: id.to_owned(),
            title: self.experiment.title().to_owned(),
            cuts: self.experiment.cuts(plan),
            cells: outcomes.len(),
            finished,
            findings,
            failures,
        }
    }
}

/// Runs the cells that miss an outcome, over the threads of the current rayon pool, and gives how
/// many there were.
///
/// # Errors
/// The first journal that could not be written; running cells are finished, no more are started.
pub(crate) fn run_missing(
    studies: &mut [Journaled<'_>],
    plan: &Plan,
    bar: impl FnOnce(usize) -> ProgressBar,
) -> Result<usize> {
    let mut jobs = Vec::new();
    for (study, Journaled { study: s, .. }) in studies.iter().enumerate() {
        let mine = |cell: &usize| plan.shard().is_none_or(|shard| shard.holds(*cell));
        let missing = (0..s.done.len()).filter(|cell| !s.has_outcome(*cell));
        jobs.extend(missing.filter(mine).map(|cell| Job { study, cell }));
    }
    let bar = bar(jobs.len());
    let journals: Vec<Mutex<Option<Journal>>> = studies
        .iter_mut()
        .map(|study| Mutex::new(study.journal.take()))
        .collect();
    let stop = AtomicBool::new(false);
    let failed = AtomicUsize::new(0);
    let shared: &[Journaled<'_>] = studies;
    let run = |job: &Job| -> Result<Option<(Job, Done)>> {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let study = &shared[job.study].study;
        let record = Record {
            cell: study.cells.keys()[job.cell].clone(),
            done: study.run(job.cell, plan),
        };
        {
            // A panic while the lock was held left whole lines only, so the journal is good.
            let mut journal = journals[job.study]
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if let Some(journal) = journal.as_mut() {
                journal
                    .append(&record)
                    .inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
            }
        }
        if record.done.outcome.is_err() {
            let failed = failed.fetch_add(1, Ordering::Relaxed) + 1;
            bar.set_message(format!("({failed} without outcome)"));
        }
        bar.inc(1);
        Ok(Some((*job, record.done)))
    };
    // One job at a time, so that long ones do not wait behind each other.
    let results: Vec<Result<Option<(Job, Done)>>> =
        jobs.par_iter().with_max_len(1).map(run).collect();
    bar.finish_and_clear();
    for (study, journal) in studies.iter_mut().zip(journals) {
        study.journal = journal.into_inner().unwrap_or_else(PoisonError::into_inner);
    }
    let mut first_error = None;
    for result in results {
        match result {
            Ok(Some((job, done))) => studies[job.study].study.done[job.cell] = Some(done),
            Ok(None) => {}
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    for journal in studies
        .iter_mut()
        .filter_map(|study| study.journal.as_mut())
    {
        let synced = journal.sync();
        first_error = first_error.or(synced.err());
    }
    first_error.map_or(Ok(jobs.len()), Err)
}

/// Findings that can be shown, or why not.
fn checked(findings: Findings) -> Result<Findings, CellError> {
    for table in findings.tables() {
        check_id("table", table.id())?;
        table.check()?;
    }
    for figure in findings.figures() {
        check_id("figure", figure.id())?;
        figure.check()?;
    }
    Ok(findings)
}

fn check_id(what: &'static str, id: &str) -> Result<()> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    // Two dashes part the crate from the rest in file names.
    if !id.is_empty() && id.chars().all(fits) && !id.contains("--") {
        return Ok(());
    }
    Err(Error::BadId {
        what,
        id: id.to_owned(),
        reason: "it becomes a file name; use lower-case letters, digits, single - and _",
    })
}

fn failure(experiment: &str, cell: Option<String>, error: &CellError) -> Failure {
    Failure {
        experiment: experiment.to_owned(),
        cell,
        kind: if error.is_skipped() {
            FailureKind::Skipped
        } else {
            FailureKind::Failed
        },
        message: error.message().to_owned(),
    }
}
