use super::failure::Failure;
use super::records::RecordArgs;
use super::terminal::{note, print};
use clap::{Args, ValueEnum};
use dp_ridge::sql::{self, Dialect};

/// PostgreSQL returns at most 1664 columns, SQLite 2000.
const FEW_COLUMNS: usize = 1600;

#[derive(Args)]
#[command(after_help = "Examples:
  dp-ridge sql --table people --target y --features a,b --x-norm 1 --y-abs 1 > stats.sql
  sqlite3 -json people.db < stats.sql > stats.json

The query returns one row: n, clipped_x, clipped_y, yy, b_0 …, g_0_0 …, and settings,
a fingerprint by which `release` refuses sums made with other features or bounds. NULL, NaN, infinities and
magnitudes above 1e150 become 0, or the centre of their limits; no row is left out. Rows of several
partitions add up. `dp-ridge release --stats` goes on from the row as JSON.

The columns must have numeric types; in SQLite, text that holds numbers will do.")]
pub(crate) struct SqlArgs {
    #[command(flatten)]
    records: RecordArgs,
    /// Table or view to read; schema.table is two names
    #[arg(long, value_name = "NAME")]
    table: String,
    /// How names are quoted: ansi leaves plain names bare and runs in SQLite, DuckDB, Spark and
    /// PostgreSQL alike
    #[arg(long, value_enum, default_value = "ansi")]
    dialect: DialectName,
}

#[derive(Clone, Copy, ValueEnum)]
enum DialectName {
    /// Plain names bare, others in double quotes
    Ansi,
    /// Plain names bare, others in back-quotes
    Spark,
    /// Every name in double quotes
    Postgres,
}

pub(crate) fn run(args: &SqlArgs) -> Result<(), Failure> {
    let features = args.records.named_features()?.ok_or_else(|| {
        Failure::usage("--features is missing; a query must name its columns, like a,b,c")
    })?;
    let preparation = args.records.preparation(&features)?;
    let columns = sql::columns(preparation.d()).len();
    if columns > FEW_COLUMNS {
        note(
            "warning",
            &format!(
                "the query returns {columns} columns; PostgreSQL allows 1664 and SQLite 2000, DuckDB and Spark have no such limit"
            ),
        );
    }
    let dialect = match args.dialect {
        DialectName::Ansi => Dialect::Ansi,
        DialectName::Spark => Dialect::Spark,
        DialectName::Postgres => Dialect::Postgres,
    };
    let target = &args.records.target;
    print(&sql::statistics(
        &args.table,
        target,
        &features,
        &preparation,
        dialect,
    )?)
}
