//! The `papercrates` command: what this build holds, and reports on what it reproduces.

mod holdings;

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use papercrates_experiment::cli::{self, MergeArgs, ReproduceArgs};

/// Where reports go unless `--out` says otherwise.
const OUT: &str = "papercrates-report";

/// Reproduce the claims of machine-learning papers
///
/// Without a command, the quick study of every paper is run and reported in
/// papercrates-report/index.html.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    reproduce: ReproduceArgs,
}

const EXAMPLES: &str = "Examples:
  papercrates                                     every paper, quickly
  papercrates list                                what there is
  papercrates reproduce dp-ridge --full --out d   the real study of one paper
  papercrates reproduce --full --shard 2/8 --out part2
                                                  one of eight parts, for a cluster
  papercrates merge part1 part2 … --out whole     the report on all parts

Without --out, the report goes to papercrates-report/index.html.";

#[derive(Subcommand)]
enum Command {
    /// List the papers this program holds
    List(ListArgs),
    /// Run the experiments of papers and write a report
    #[command(after_help = EXAMPLES)]
    Reproduce(Selected),
    /// Join the parts of a run that was spread over machines, and write the report
    #[command(after_help = EXAMPLES)]
    Merge(MergeArgs),
}

#[derive(Args)]
struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Selected {
    /// Names of papers, as `list` prints them; all unless given
    #[arg(value_name = "PAPER")]
    papers: Vec<String>,
    #[command(flatten)]
    reproduce: ReproduceArgs,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {
        None => cli::reproduce(&holdings::papers(), &cli.reproduce, OUT),
        Some(Command::List(args)) => list(&args),
        Some(Command::Reproduce(args)) => {
            match cli::select(holdings::papers(), &args.papers) {
                Ok(papers) => cli::reproduce(&papers, &args.reproduce, OUT),
                Err(error) => {
                    // Where standard error is closed there is nobody to tell.
                    let _ = writeln!(std::io::stderr(), "error: {error}");
                    ExitCode::from(2)
                }
            }
        }
        Some(Command::Merge(args)) => cli::merge(holdings::papers(), &args, OUT),
    }
}

fn list(args: &ListArgs) -> ExitCode {
    let text = if args.json {
        holdings::json()
    } else {
        holdings::text()
    };
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(
                std::io::stderr(),
                "error: cannot write to standard output: {error}"
            );
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
