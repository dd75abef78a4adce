use super::failure::Failure;
use super::terminal::print;
use clap::Args;
use dp_ridge::io::{self, Output, Rows};
use dp_ridge::{Error, ModelCard};
use std::io::Write;
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "Example:
  dp-ridge predict model.json new.csv --out predictions.csv

Writes one column, `prediction`, one line a row.")]
pub(crate) struct PredictArgs {
    /// Model card that `fit` or `release` wrote
    model: PathBuf,
    /// Table that holds the features by name
    data: PathBuf,
    /// File for the predictions [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// One JSON object a line instead of CSV
    #[arg(long)]
    json: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &PredictArgs) -> Result<(), Failure> {
    let card = ModelCard::read(&args.model)?;
    let output = args
        .out
        .as_ref()
        .map(|path| Output::plan(path, args.force))
        .transpose()?;
    let missing = card.preparation.missing();
    let mut rows = io::open(&args.data, missing, Some(&card.features))?;
    let places: Vec<usize> = card
        .features
        .iter()
        .map(|name| rows.column_index(name))
        .collect::<Result<_, _>>()?;
    let mut sink = match &output {
        Some(output) => Sink::File(std::io::BufWriter::new(output.draft()?), output),
        None => Sink::Standard(String::new()),
    };
    if !args.json {
        sink.line("prediction")?;
    }
    let (mut raw, mut buffer) = (Vec::new(), Vec::new());
    let mut read = 0u64;
    while let Some(row) = rows.next_row()? {
        raw.clear();
        raw.extend(places.iter().map(|&j| row[j]));
        let value = card
            .predict(&raw, &mut buffer)
            .map_err(|error| match error {
                Error::NonFinite { col, .. } => Error::NonFinite { row: read, col },
                other => other,
            })?;
        read += 1;
        if args.json {
            sink.line(&format!("{{\"prediction\":{}}}", json_number(value)))?;
        } else {
            sink.line(&value.to_string())?;
        }
    }
    sink.finish()
}

fn json_number(value: f64) -> String {
    serde_json::Value::from(value).to_string()
}

/// Where predictions go, a line at a time.
enum Sink<'a> {
    File(std::io::BufWriter<io::Draft>, &'a Output),
    Standard(String),
}

/// Standard output is written in pieces of this size.
const PIECE: usize = 1 << 16;

impl Sink<'_> {
    fn line(&mut self, line: &str) -> Result<(), Failure> {
        match self {
            Self::File(draft, output) => {
                writeln!(draft, "{line}").map_err(|error| failed(output, &error))
            }
            Self::Standard(text) => {
                text.push_str(line);
                text.push('\n');
                if text.len() > PIECE {
                    print(text)?;
                    text.clear();
                }
                Ok(())
            }
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::File(draft, output) => {
                let draft = draft.into_inner().map_err(|e| failed(output, e.error()))?;
                Ok(draft.finish()?)
            }
            Self::Standard(text) => print(&text),
        }
    }
}

fn failed(output: &Output, error: &std::io::Error) -> Failure {
    Failure::Failed(format!(
        "{}: cannot write: {error}; free some space, or choose another folder",
        output.path().display()
    ))
}
