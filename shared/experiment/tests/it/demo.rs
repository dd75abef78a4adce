//! A small experiment that counts its runs and can be told to misbehave.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use papercrates_experiment::numeric::streams;
use papercrates_experiment::{
    CellContext, CellError, Claim, Criterion, Estimate, Experiment, Findings, Paper, Plan,
    Reproduction, Run, Table,
};
use serde_json::Value as Json;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    None,
    Fails,
    Skips,
    Panics,
}

/// Uniform numbers, one a cell.
#[derive(Clone)]
pub(crate) struct Demo {
    pub(crate) id: &'static str,
    pub(crate) cells: u32,
    pub(crate) trouble: (u32, Trouble),
    /// Added to each outcome: other code, as it were.
    pub(crate) shift: f64,
    pub(crate) runs: Arc<AtomicUsize>,
}

#[derive(serde::Serialize)]
pub(crate) struct Cell {
    k: u32,
}

impl Demo {
    pub(crate) fn new(cells: u32) -> Self {
        Self {
            id: "demo",
            cells,
            trouble: (0, Trouble::None),
            shift: 0.0,
            runs: Arc::default(),
        }
    }

    pub(crate) fn with_trouble(mut self, cell: u32, trouble: Trouble) -> Self {
        self.trouble = (cell, trouble);
        self
    }

    /// How many cells were run since the last call.
    pub(crate) fn take_runs(&self) -> usize {
        self.runs.swap(0, Ordering::SeqCst)
    }

    pub(crate) fn paper(&self) -> Paper {
        Paper::new("demo-crate", "1.2.3", "A demonstration").experiment(self.clone())
    }
}

impl Experiment for Demo {
    type Cell = Cell;
    type Outcome = f64;

    fn id(&self) -> &'static str {
        self.id
    }

    fn title(&self) -> &str {
        "Uniform numbers"
    }

    fn cuts(&self, plan: &Plan) -> String {
        format!("{} cut.", plan.scale())
    }

    fn cells(&self, _: &Plan) -> Vec<Cell> {
        (0..self.cells).map(|k| Cell { k }).collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext) -> Result<f64, CellError> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        if cell.k == self.trouble.0 {
            match self.trouble.1 {
                Trouble::None => {}
                Trouble::Fails => return Err(CellError::failed("out of luck")),
                Trouble::Skips => return Err(CellError::skipped("no data; fetch them")),
                Trouble::Panics => panic!("lost my head"),
            }
        }
        Ok(streams::uniform(&mut ctx.streams().rng()) + self.shift)
    }

    fn conclude(&self, results: &[(Cell, f64)]) -> Result<Findings, CellError> {
        let values: Vec<f64> = results.iter().map(|(_, value)| *value).collect();
        let table = results.iter().fold(
            Table::new("values", "Values", ["k", "value"]),
            |table, (cell, value)| table.row([i64::from(cell.k).into(), (*value).into()]),
        );
        Ok(Findings::new()
            .claim(Claim::measured(
                "mean",
                "The mean is moderate",
                "hand",
                Estimate::of_mean(&values)?,
                Criterion::within(-5.0, 6.0),
            ))
            .table(table))
    }
}

pub(crate) fn run_in(folder: &Path, papers: &[Paper], plan: Plan) -> Run {
    Reproduction::new(plan).out(folder).run(papers).unwrap()
}

/// The findings in the report of a folder: all but where they come from.
pub(crate) fn findings_in(folder: &Path) -> Json {
    let text = std::fs::read_to_string(folder.join("report.json")).unwrap();
    let mut report: Json = serde_json::from_str(&text).unwrap();
    report
        .as_object_mut()
        .unwrap()
        .remove("provenance")
        .unwrap();
    report
}

pub(crate) fn journal_of(folder: &Path) -> std::path::PathBuf {
    folder.join("journal/demo-crate--demo.jsonl")
}
