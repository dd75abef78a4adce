use super::failure::Failure;
use super::method::MethodArgs;
use super::privacy::PrivacyArgs;
use super::publish::{OutputArgs, Publication};
use super::records::RecordArgs;
use clap::Args;
use dp_ridge::faer::Par;
use dp_ridge::io::{self, Rows};
use dp_ridge::{Clip, Training};
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "Examples:
  dp-ridge fit data.csv --target y --x-norm 1 --y-abs 1 --eps 1 --delta 1e-6 --out model.json
  dp-ridge fit people.csv --target income --target-limits 0,200000 --limits limits.json --intercept \\
      --eps 1 --delta 1e-7 --ledger people.ledger.json --share 0.5 --out model.json

Bounds and limits must be public knowledge. Errors about the data are for their holder: they tell
about single values, and so does the fact that there was one.")]
pub(crate) struct FitArgs {
    /// Table: .csv, .tsv, .jsonl, .npy, or .npz with arrays X and y (columns x1, x2, …; y)
    data: PathBuf,
    #[command(flatten)]
    records: RecordArgs,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &FitArgs) -> Result<(), Failure> {
    let records = &args.records;
    let named = records.named_features()?;
    args.method.check(&args.privacy)?;
    let columns = named.as_ref().map(|names| {
        let target = std::iter::once(&records.target);
        names.iter().chain(target).cloned().collect::<Vec<_>>()
    });
    let mut rows = io::open(&args.data, records.missing(), columns.as_deref())?;
    rows.column_index(&records.target)?;
    let features = named.unwrap_or_else(|| {
        let names = rows.names().iter();
        names
            .filter(|name| **name != records.target)
            .cloned()
            .collect()
    });
    if features.is_empty() {
        return Err(Failure::usage(format!(
            "{}: {:?} is the only column; a regression needs at least one feature",
            args.data.display(),
            records.target
        )));
    }
    let preparation = records.preparation(&features)?;
    let publication = Publication::open(&args.data, &args.privacy, &args.output)?;
    let target = &records.target;
    if args.method.needs_rows() {
        let (x, y) = io::collect(&mut rows, &features, target, &preparation)?;
        let bounds = preparation.bounds();
        let training = Training::from_rows(x.as_ref(), &y, bounds, Clip::Clip, Par::rayon(0))?;
        publication.publish(&training, &args.method, preparation, features, target)
    } else {
        let stats = io::summarize(&mut rows, &features, target, &preparation, Par::rayon(0))?;
        let training = Training::from_stats(stats);
        publication.publish(&training, &args.method, preparation, features, target)
    }
}
