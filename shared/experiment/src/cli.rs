//! The `reproduce` and `merge` commands, for the binary of any paper and for the umbrella.
//!
//! ```no_run
//! use std::process::ExitCode;
//! use clap::Parser;
//! use papercrates_experiment::{Paper, cli::{ReproduceArgs, reproduce}};
//!
//! #[derive(Parser)]
//! enum Command {
//!     /// Run the paper's experiments and write a report
//!     Reproduce(ReproduceArgs),
//! }
//!
//! # fn paper() -> Paper { Paper::new("x", "0.1.0", "x") }
//! fn main() -> ExitCode {
//!     match Command::parse() {
//!         Command::Reproduce(args) => reproduce(&[paper()], &args, "dp-ridge-report"),
//!     }
//! }
//! ```

mod summary;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::{Error, Paper, Plan, Report, Reproduction, Run, Shard};

/// Options of `reproduce`.
#[derive(Args, Clone, Debug)]
pub struct ReproduceArgs {
    /// Run the small version, at most about 30 s a paper (the default)
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Run the real study
    #[arg(long)]
    pub full: bool,
    /// Seed of everything random; results do not depend on the number of threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Folder for the report; an interrupted run in it is resumed
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Run part i of n only (1/8 to 8/8), to be joined by `papercrates merge`
    #[arg(long, value_name = "i/n")]
    pub shard: Option<Shard>,
    /// Threads that run cells; all the machine has unless given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Start over in a folder that holds another run or other files
    #[arg(long)]
    pub force: bool,
    /// Print report.json instead of the list of claims
    #[arg(long)]
    pub json: bool,
}

/// Options of `merge`.
#[derive(Args, Clone, Debug)]
pub struct MergeArgs {
    /// Folders that `reproduce --shard i/n --out DIR` wrote
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Folder for the joined journals and the report
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Start over in a folder that holds another run or other files
    #[arg(long)]
    pub force: bool,
    /// Print report.json instead of the list of claims
    #[arg(long)]
    pub json: bool,
}

impl ReproduceArgs {
    fn plan(&self) -> Plan {
        let mut plan = if self.full {
            Plan::full(self.seed)
        } else {
            Plan::quick(self.seed)
        };
        if let Some(threads) = self.threads {
            plan = plan.with_threads(threads.into());
        }
        if let Some(shard) = self.shard {
            plan = plan.with_shard(shard);
        }
        plan
    }
}

/// Carries out `reproduce` for these papers: the claims on standard output, the rest on standard
/// error; exit code 0 when done, whatever the verdicts, and 1 when a cell or the run failed.
///
/// Without `--out` the report goes to `default_out`.
pub fn reproduce(
    papers: &[Paper],
    args: &ReproduceArgs,
    default_out: impl AsRef<Path>,
) -> ExitCode {
    let out = args.out.as_deref().unwrap_or(default_out.as_ref());
    let run = Reproduction::new(args.plan())
        .out(out)
        .force(args.force)
        .progress(true)
        .run(papers);
    finish(run, out, args.json)
}

/// Carries out `merge` over the papers that the folders hold, with exit codes as [`reproduce`].
///
/// Without `--out` the report goes to `default_out`.
pub fn merge(papers: Vec<Paper>, args: &MergeArgs, default_out: impl AsRef<Path>) -> ExitCode {
    let out = args.out.as_deref().unwrap_or(default_out.as_ref());
    finish(
        crate::merge(papers, &args.folders, out, args.force),
        out,
        args.json,
    )
}

/// Picks papers by the names of their crates; all of them for no names.
///
/// # Errors
/// [`Error::UnknownPaper`], which is wrong usage: exit code 2.
pub fn select(papers: Vec<Paper>, names: &[String]) -> Result<Vec<Paper>, Error> {
    if let Some(name) = names
        .iter()
        .find(|name| !papers.iter().any(|paper| paper.crate_name() == **name))
    {
        return Err(Error::unknown_paper(name, &papers));
    }
    Ok(papers
        .into_iter()
        .filter(|paper| names.is_empty() || names.iter().any(|name| name == paper.crate_name()))
        .collect())
}

/// Prints what a command has to say and turns it into an exit code.
fn finish(run: Result<Run, Error>, out: &Path, json: bool) -> ExitCode {
    let run = match run {
        Ok(run) => run,
        Err(error) => {
            complain(&format!("error: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let Some(report) = run.report() else {
        complain(&format!(
            "{} cells run, {} taken over; the journals are in {}, and `merge` joins them with those of the other parts",
            run.ran(),
            run.resumed(),
            out.display()
        ));
        return ExitCode::SUCCESS;
    };
    let data = if json {
        report.to_json()
    } else {
        Ok(summary::text(report))
    };
    let written = data.map_err(|error| error.to_string()).and_then(|data| {
        let mut stdout = io::stdout().lock();
        match stdout
            .write_all(data.as_bytes())
            .and_then(|()| stdout.flush())
        {
            // Who reads no further (`| head`) has what they wanted.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(format!("cannot write to standard output: {error}"))
            }
            _ => Ok(()),
        }
    });
    if let Err(error) = written {
        complain(&format!("error: {error}"));
        return ExitCode::FAILURE;
    }
    complain(&summary::closing(&run, report, &out.join("index.html")));
    if report.is_sound() {
        ExitCode::SUCCESS
    } else {
        complain(&failures(report));
        ExitCode::FAILURE
    }
}

fn failures(report: &Report) -> String {
    let failed: Vec<_> = report
        .papers()
        .iter()
        .flat_map(|paper| paper.failures())
        .filter(|failure| !failure.is_skipped())
        .collect();
    let what = match failed.as_slice() {
        [] => return String::new(),
        [only] => format!(
            "a cell or conclusion failed, in {}: {}",
            only.experiment(),
            only.message()
        ),
        [first, ..] => format!(
            "{} cells or conclusions failed; the first, in {}: {}",
            failed.len(),
            first.experiment(),
            first.message()
        ),
    };
    format!("error: {what}; the report lists all, and the same command tries them again")
}

fn complain(message: &str) {
    // Where standard error is closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "{message}");
}
