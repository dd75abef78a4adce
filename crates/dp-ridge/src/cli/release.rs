use super::failure::Failure;
use super::method::MethodArgs;
use super::privacy::PrivacyArgs;
use super::publish::{OutputArgs, Publication};
use super::records::RecordArgs;
use clap::Args;
use dp_ridge::{Training, io, sql};
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "Example:
  dp-ridge sql --table people --target y --features a,b --x-norm 1 --y-abs 1 > stats.sql
  sqlite3 -json people.db < stats.sql > stats.json
  dp-ridge release --stats stats.json --target y --features a,b --x-norm 1 --y-abs 1 \\
      --eps 1 --delta 1e-6 --out model.json

Give the same features in the same order, and the same bounds and --intercept, as to
`dp-ridge sql`: other sums are refused. The statistics are as secret as the data.")]
pub(crate) struct ReleaseArgs {
    /// The row that the SQL of `dp-ridge sql` returned, as JSON: one object, an array of objects,
    /// or one object a line; several are partitions and are added up
    #[arg(long, value_name = "FILE")]
    stats: PathBuf,
    #[command(flatten)]
    records: RecordArgs,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &ReleaseArgs) -> Result<(), Failure> {
    args.method.check(&args.privacy)?;
    if args.method.needs_rows() {
        return Err(Failure::usage(
            "this --method looks at single records and cannot work from sums; use `dp-ridge fit`",
        ));
    }
    let features = args.records.named_features()?.ok_or_else(|| {
        Failure::usage("--features is missing; name the features that were given to `dp-ridge sql`, in that order")
    })?;
    let preparation = args.records.preparation(&features)?;
    // The SQL always replaces what is missing.
    let preparation = preparation.with_missing(dp_ridge::Missing::Centre);
    let publication = Publication::open(&args.stats, &args.privacy, &args.output)?;
    let settings = sql::settings(&args.records.target, &features, &preparation);
    let bounds = preparation.bounds();
    let stats = io::read_sums(&args.stats, preparation.d(), bounds, settings)?;
    let training = Training::from_stats(stats);
    publication.publish(
        &training,
        &args.method,
        preparation,
        features,
        &args.records.target,
    )
}
