use std::path::PathBuf;
use std::time::{Instant, SystemTime};

use rayon::prelude::*;

use crate::output::OutDir;
use crate::report::PaperReport;
use crate::study::{Journaled, Study, run_missing};
use crate::{Error, Paper, Plan, Provenance, Report, Result, page, progress};

/// Runs the experiments of papers under a plan.
///
/// With a folder ([`out`](Self::out)) each finished cell goes into a journal there, a run that was
/// interrupted goes on where it stopped when it is started again, and the report is written as
/// `index.html`, `report.json`, `figures/*.svg` and `tables/*.csv`. A plan with a
/// [`Shard`](crate::Shard) writes its journal only; [`merge`](crate::merge) makes the report.
///
/// ```no_run
/// use papercrates_experiment::{Paper, Plan, Reproduction};
/// # fn papers() -> Vec<Paper> { vec![] }
/// let run = Reproduction::new(Plan::quick(1)).out("report").progress(true).run(&papers())?;
/// println!("{} cells run, {} taken over", run.ran(), run.resumed());
/// # Ok::<(), papercrates_experiment::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reproduction {
    plan: Plan,
    out: Option<PathBuf>,
    force: bool,
    progress: bool,
}

/// What a [`Reproduction`] or a [`merge`](crate::merge) did.
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

    /// Keeps the journals in this folder and writes the report there.
    #[must_use]
    pub fn out(mut self, folder: impl Into<PathBuf>) -> Self {
        self.out = Some(folder.into());
        self
    }

    /// Starts over, also in a folder that holds another run or other files. Files that are not
    /// of a report stay.
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
    /// Whatever keeps the run from its end: a folder or journal that is not of this plan, a
    /// damaged or locked journal, a full disk, cells that are listed twice. A cell that fails is
    /// no error but part of the report.
    pub fn run(&self, papers: &[Paper]) -> Result<Run> {
        let (started, clock) = (SystemTime::now(), Instant::now());
        let plan = &self.plan;
        let studies = Study::all(papers, plan)?;
        let out = match &self.out {
            Some(path) => Some(OutDir::prepare(path, self.force)?),
            None => None,
        };
        let mut studies = studies
            .into_iter()
            .map(|study| study.journaled(plan, out.as_ref(), self.force))
            .collect::<Result<Vec<_>>>()?;
        let pool = pool(plan.threads())?;
        let ran = pool.install(|| {
            run_missing(&mut studies, plan, |cells| {
                progress::bar(cells, self.progress)
            })
        })?;
        let finished: usize = studies
            .iter()
            .map(|study| study.study.done().iter().flatten().count())
            .sum();
        let mut run = Run {
            report: None,
            ran,
            resumed: finished - ran,
        };
        if plan.shard().is_none() {
            let provenance = Provenance::new(papers, plan, started);
            // The journals stay locked until the report is written.
            let (studies, _journals): (Vec<_>, Vec<_>) =
                studies.into_iter().map(Journaled::split).unzip();
            let report = pool.install(|| conclude(papers, studies, plan, provenance));
            run.report = Some(finish(report, clock, out.as_ref())?);
        }
        Ok(run)
    }
}

pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Error::Threads {
            threads,
            reason: error.to_string(),
        })
}

/// Concludes every study and gathers them by paper.
pub(crate) fn conclude(
    papers: &[Paper],
    studies: Vec<Study<'_>>,
    plan: &Plan,
    mut provenance: Provenance,
) -> Report {
    provenance.cell_seconds = studies.iter().map(Study::seconds).sum();
    let crates: Vec<&str> = studies.iter().map(|s| s.paper().crate_name()).collect();
    let concluded: Vec<_> = studies
        .into_par_iter()
        .with_max_len(1)
        .map(|study| study.conclude(plan))
        .collect();
    let mut concluded: Vec<_> = crates.into_iter().zip(concluded).collect();
    let papers = papers
        .iter()
        .map(|paper| {
            let (mine, others) = concluded
                .drain(..)
                .partition(|(name, _)| *name == paper.crate_name());
            concluded = others;
            let mine: Vec<_> = mine;
            PaperReport {
                crate_name: paper.crate_name().to_owned(),
                version: paper.version().to_owned(),
                title: paper.title().to_owned(),
                reference: paper.reference_text().map(str::to_owned),
                experiments: mine.into_iter().map(|(_, experiment)| experiment).collect(),
                own_claims: paper.own_claims().to_vec(),
            }
        })
        .collect();
    Report { provenance, papers }
}

/// Stops the clock and writes the report, the page last.
pub(crate) fn finish(mut report: Report, clock: Instant, out: Option<&OutDir>) -> Result<Report> {
    report.provenance.wall = clock.elapsed();
    let Some(out) = out else {
        return Ok(report);
    };
    let (mut figures, mut tables) = (Vec::new(), Vec::new());
    for paper in &report.papers {
        for figure in paper.figures() {
            let path = paper.figure_path(figure);
            out.write(&path, figure.to_svg()?.as_bytes())?;
            figures.push(path);
        }
        for table in paper.tables() {
            let path = paper.table_path(table);
            out.write(&path, table.to_csv()?.as_bytes())?;
            tables.push(path);
        }
    }
    let crates: Vec<&str> = report.papers.iter().map(PaperReport::crate_name).collect();
    out.tidy("", &[], &[])?;
    out.tidy("figures", &crates, &figures)?;
    out.tidy("tables", &crates, &tables)?;
    out.write("report.json", report.to_json()?.as_bytes())?;
    out.write("index.html", page::render(&report)?.as_bytes())?;
    Ok(report)
}

impl Run {
    pub(crate) fn merged(report: Report, resumed: usize) -> Self {
        Self {
            report: Some(report),
            ran: 0,
            resumed,
        }
    }

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
