use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use crate::journal::{Content, Done, Header, Journal, Record};
use crate::output::{OutDir, journals_in};
use crate::reproduction::{conclude, finish, pool};
use crate::study::Study;
use crate::{Error, Paper, Plan, Provenance, Result, Run, program};

/// Joins the journals of runs that were spread over machines, and writes the report.
///
/// `papers` are those that the program knows; the report is about the ones that the folders hold.
/// `folders` are the `out` folders of runs with a [`Shard`](crate::Shard); `out` may be one of
/// them. `force` lets `out` hold another run or other files.
///
/// # Errors
/// [`Error::NothingToMerge`], [`Error::OtherPlan`] for journals of different plans,
/// [`Error::Overlap`] when two give one cell different outcomes, [`Error::MissingCells`] when some
/// cell has no record in any of them, [`Error::UnknownPaper`], and as
/// [`Reproduction::run`](crate::Reproduction::run).
pub fn merge(papers: Vec<Paper>, folders: &[PathBuf], out: &Path, force: bool) -> Result<Run> {
    let (started, clock) = (SystemTime::now(), Instant::now());
    let parts = read_parts(folders)?;
    // `journals_in` gives at least one file for each folder, and clap or the caller one folder.
    let Some(first) = parts.first() else {
        return Err(Error::NothingToMerge {
            path: folders.first().cloned().unwrap_or_default(),
        });
    };
    let plan = Plan::new(first.header.scale, first.header.seed);
    let papers = papers_of(papers, &parts)?;
    let mut studies = Study::all(&papers, &plan)?;
    let mut builds = Vec::new();
    for study in &mut studies {
        builds.push(collect(study, &plan, &parts)?);
    }
    let out = OutDir::prepare(out, force)?;
    let path = |study: &Study<'_>| out.journal(study.paper().crate_name(), study.id());
    if !force {
        for study in &studies {
            Journal::expect_plan(&path(study), &study.header(&plan, ""))?;
        }
    }
    let mut journals = Vec::new();
    let mut cells = 0;
    for (study, build) in studies.iter().zip(builds) {
        let path = path(study);
        // Everything was read above, so what the file held is part of the merge or not wanted.
        let (mut journal, _) = Journal::open(&path, &study.header(&plan, &build), true)?;
        for (cell, done) in study.keys().iter().zip(study.done()) {
            if let Some(done) = done {
                cells += 1;
                journal.append(&Record {
                    cell: cell.clone(),
                    done: done.clone(),
                })?;
            }
        }
        journal.sync()?;
        journals.push(journal);
    }
    let provenance = Provenance::new(&papers, &plan, started);
    let report = pool(plan.threads())?.install(|| conclude(&papers, studies, &plan, provenance));
    Ok(Run::merged(finish(report, clock, Some(&out))?, cells))
}

/// A journal to be merged.
struct Part {
    path: PathBuf,
    header: Header,
    records: Vec<Record>,
}

fn read_parts(folders: &[PathBuf]) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for folder in folders {
        for path in journals_in(folder)? {
            let content = Content::read(&path)?;
            // A run that was killed within its first line has finished nothing.
            if let Some(header) = content.header {
                parts.push(Part {
                    path,
                    header,
                    records: content.records,
                });
            }
        }
    }
    Ok(parts)
}

/// The papers that the journals name.
fn papers_of(papers: Vec<Paper>, parts: &[Part]) -> Result<Vec<Paper>> {
    for part in parts {
        let name = &part.header.crate_name;
        if !papers.iter().any(|paper| paper.crate_name() == name) {
            return Err(Error::unknown_paper(name, &papers));
        }
    }
    Ok(papers
        .into_iter()
        .filter(|paper| {
            parts
                .iter()
                .any(|p| p.header.crate_name == paper.crate_name())
        })
        .collect())
}

/// Takes every outcome of a study from the parts, and gives the build that made them.
fn collect(study: &mut Study<'_>, plan: &Plan, parts: &[Part]) -> Result<String> {
    let wanted = study.header(plan, program::digest());
    let positions = study.positions();
    let mut from: HashMap<usize, &Path> = HashMap::new();
    let mut build: Option<&str> = None;
    let mine = |part: &&Part| {
        part.header.crate_name == wanted.crate_name && part.header.experiment == wanted.experiment
    };
    for part in parts.iter().filter(mine) {
        part.header.expect_plan_of(&wanted, &part.path)?;
        build = match build {
            Some(build) if build != part.header.build => Some("mixed"),
            _ => Some(&part.header.build),
        };
        for (at, record) in part.records.iter().enumerate() {
            let position = *positions
                .get(&record.cell)
                .ok_or_else(|| Error::CorruptJournal {
                    path: part.path.clone(),
                    line: at + 2,
                    reason: format!("it is about {}, which is no cell of the plan", record.cell),
                })?;
            let slot = &mut study.done_mut()[position];
            match (&slot, &record.done) {
                // The same cell, run twice: the outcomes must agree.
                (Some(Done { outcome: Ok(a), .. }), Done { outcome: Ok(b), .. }) if a != b => {
                    return Err(Error::Overlap {
                        first: from
                            .get(&position)
                            .copied()
                            .unwrap_or(&part.path)
                            .to_owned(),
                        second: part.path.clone(),
                        cell: record.cell.clone(),
                    });
                }
                (Some(Done { outcome: Ok(_), .. }), _) => {}
                _ => {
                    *slot = Some(record.done.clone());
                    from.insert(position, &part.path);
                }
            }
        }
    }
    let missing = study.done().iter().filter(|done| done.is_none()).count();
    let first = study.done().iter().position(Option::is_none);
    if let Some(first) = first {
        return Err(Error::MissingCells {
            experiment: format!("{} {}", wanted.crate_name, wanted.experiment),
            missing,
            total: study.keys().len(),
            first: study.keys()[first].clone(),
        });
    }
    Ok(build.unwrap_or(&wanted.build).to_owned())
}
