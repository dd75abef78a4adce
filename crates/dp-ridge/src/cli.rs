//! Verbs, exit codes and where output goes: data to standard output, everything else to standard
//! error; 0 done, 1 failed, 2 wrong usage or bad input.

mod audit;
mod failure;
mod fit;
mod method;
mod plan;
mod predict;
mod privacy;
mod publish;
mod records;
mod release;
mod sensitivity;
mod sql;
mod terminal;

use clap::{Parser, Subcommand};
use papercrates_experiment::cli::ReproduceArgs;
use std::process::ExitCode;

#[derive(Parser)]
#[command(version, about, max_term_width = 100)]
#[command(after_help = "Examples:
  dp-ridge fit data.csv --target y --x-norm 1 --y-abs 1 --eps 1 --delta 1e-6 --out model.json
  dp-ridge predict model.json new.csv --out predictions.csv
  dp-ridge plan --n 100000 --d 10 --eps 1 --delta 1e-6

Exit code: 0 done, 1 failed, 2 wrong usage or bad input.")]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Fit a private model to a table and write its model card
    Fit(fit::FitArgs),
    /// Predict with a model card
    Predict(predict::PredictArgs),
    /// How far one record can move the coefficients; needs no data
    Sensitivity(sensitivity::SensitivityArgs),
    /// Predicted risk of every method; needs no data
    Plan(plan::PlanArgs),
    /// Draw from a mechanism on two neighbouring data sets and compare with its claim
    Audit(audit::AuditArgs),
    /// Write the SQL that computes clipped statistics in a database
    Sql(sql::SqlArgs),
    /// Go on from the statistics that the SQL gave: release a private model
    Release(release::ReleaseArgs),
    /// Run the paper's experiments and write a report
    #[command(after_help = "Examples:
  dp-ridge reproduce                       quickly, into dp-ridge-report/index.html
  dp-ridge reproduce --full --out study    the real study")]
    Reproduce(ReproduceArgs),
}

pub(crate) fn main() -> ExitCode {
    let done = match Cli::parse().verb {
        Verb::Fit(args) => fit::run(&args),
        Verb::Predict(args) => predict::run(&args),
        Verb::Sensitivity(args) => sensitivity::run(&args),
        Verb::Plan(args) => plan::run(&args),
        Verb::Audit(args) => audit::run(&args),
        Verb::Sql(args) => sql::run(&args),
        Verb::Release(args) => release::run(&args),
        Verb::Reproduce(args) => {
            let paper = dp_ridge::reproduce::paper();
            return papercrates_experiment::cli::reproduce(&[paper], &args, "dp-ridge-report");
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
