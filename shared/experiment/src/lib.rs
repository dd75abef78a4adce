#![doc = include_str!("../README.md")]

mod claim;
#[cfg(feature = "cli")]
pub mod cli;
mod erased;
mod error;
mod escape;
mod estimate;
mod experiment;
mod figure;
mod findings;
mod journal;
mod merge;
mod number;
mod output;
mod page;
mod paper;
mod plan;
mod program;
mod progress;
mod provenance;
mod report;
mod reproduction;
mod study;
mod table;

pub use claim::{Claim, Criterion, Verdict};
pub use error::{Error, Result};
pub use estimate::Estimate;
pub use experiment::{CellContext, CellError, Experiment};
pub use figure::{Axis, Bar, Figure, Point, Series};
pub use findings::Findings;
pub use merge::merge;
pub use paper::Paper;
pub use papercrates_numeric as numeric;
pub use plan::{Plan, Scale, Shard};
pub use provenance::Provenance;
pub use report::{ExperimentReport, Failure, PaperReport, Report};
pub use reproduction::{Reproduction, Run};
pub use table::{Table, Value};
