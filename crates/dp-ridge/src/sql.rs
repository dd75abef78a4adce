//! Clipped sufficient statistics as portable SQL, for data that one machine does not hold.
//!
//! [`statistics`] writes one `SELECT` that returns one row: `n`, `clipped_x`, `clipped_y`, `yy`,
//! `b_i = Σ x_i y` and `g_i_j = Σ x_i x_j` for `i ≥ j`, all over prepared records (indices from 0,
//! in the order of the features, the intercept last). It uses `CASE`, `SUM`, `COUNT`, `COALESCE`
//! and `SQRT`, and runs unchanged in SQLite (with its math functions, which
//! its shell has), DuckDB, Spark and PostgreSQL. Rows of several partitions may be added up.
//!
//! NULL, NaN, infinities and magnitudes above 1e150 become the centre of their public range
//! ([`Missing::Centre`](crate::Missing::Centre)). No row is left out, because that would make the
//! number of rows depend on values.

use crate::prepare::LARGEST_VALUE;
use crate::{Error, FeatureRange, Limits, Preparation, Result, TargetRange};
use sha2::{Digest, Sha256};

/// Name of the column that holds [`settings`], the last of the row.
pub const SETTINGS: &str = "settings";

/// A fingerprint of everything that decides the sums. The query returns it, so that sums are never
/// released under other features, bounds or constants than they were computed with: the noise, or
/// the names, would be wrong.
#[must_use]
pub fn settings(target: &str, features: &[String], preparation: &Preparation) -> u64 {
    let limits = |l: &Limits| format!("{:e} to {:e}", l.lower, l.upper);
    let x = match preparation.features() {
        FeatureRange::Norm(x_norm) => format!("norm {x_norm:e}"),
        FeatureRange::Limits(all) => all.iter().map(limits).collect::<Vec<_>>().join(", "),
    };
    let y = match preparation.target() {
        TargetRange::Abs(y_abs) => format!("abs {y_abs:e}"),
        TargetRange::Limits(l) => limits(&l),
    };
    let intercept = preparation.intercept();
    let text = format!("{x}; {y}; {intercept:?}; {target:?}; {features:?}");
    let digest = Sha256::digest(text.as_bytes());
    let start = digest
        .iter()
        .take(8)
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    // 52 bits: a double holds them, and so does every database and JSON reader.
    start >> 12
}

/// How names are quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Plain names stand bare, all others in double quotes.
    #[default]
    Ansi,
    /// Plain names stand bare, all others in back-quotes.
    Spark,
    /// Every name in double quotes, for tables created with mixed case.
    Postgres,
}

/// Sums in the row that [`statistics`] returns, for `d` prepared features; [`SETTINGS`] follows.
#[must_use]
pub fn columns(d: usize) -> Vec<String> {
    let mut names: Vec<String> = ["n", "clipped_x", "clipped_y", "yy"].map(Into::into).into();
    names.extend((0..d).map(|i| format!("b_{i}")));
    for i in 0..d {
        names.extend((0..=i).map(|j| format!("g_{i}_{j}")));
    }
    names
}

/// The query for the clipped sums of `features` and `target` in `table` (`schema.table` is two
/// names). `features` are the raw features of `preparation`, in order. O(d²) text.
///
/// # Errors
/// [`Error::DimensionMismatch`] for another number of features; [`Error::BadName`] for a name that
/// is empty or holds a NUL, which no database can quote.
pub fn statistics(
    table: &str,
    target: &str,
    features: &[String],
    preparation: &Preparation,
    dialect: Dialect,
) -> Result<String> {
    if features.len() != preparation.d_raw() {
        return Err(Error::DimensionMismatch {
            expected: preparation.d_raw(),
            got: features.len(),
            row: 0,
        });
    }
    let quote = |name: &str| quote(name, dialect);
    let table = table.split('.').map(quote).collect::<Result<Vec<_>>>()?;
    let column = |name: &str| -> Result<String> { Ok(format!("r.{}", quote(name)?)) };

    let mut raw = Vec::new();
    for (i, name) in features.iter().enumerate() {
        let centre = match preparation.features() {
            FeatureRange::Norm(_) => 0.0,
            FeatureRange::Limits(limits) => limits[i].centre(),
        };
        raw.push(format!("{} AS v_{i}", present(&column(name)?, centre)));
    }
    let centre = match preparation.target() {
        TargetRange::Abs(_) => 0.0,
        TargetRange::Limits(limits) => limits.centre(),
    };
    raw.push(format!("{} AS t", present(&column(target)?, centre)));
    let table = format!("{} AS r", table.join("."));
    let source = fenced(&raw, &table, "raw_rows");
    let prepared = prepared(preparation, &source);

    let mut sums = vec!["COUNT(*) AS n".to_owned()];
    let mut sum = |what: &str, name: &str| {
        sums.push(format!("COALESCE(SUM({what}), 0) AS {name}"));
    };
    sum("out_x", "clipped_x");
    sum("out_y", "clipped_y");
    sum("y * y", "yy");
    for i in 0..preparation.d() {
        sum(&format!("x_{i} * y"), &format!("b_{i}"));
    }
    for i in 0..preparation.d() {
        for j in 0..=i {
            sum(&format!("x_{i} * x_{j}"), &format!("g_{i}_{j}"));
        }
    }
    sums.push(format!(
        "{} AS {SETTINGS}",
        settings(target, features, preparation)
    ));
    Ok(format!(
        "SELECT\n  {}\nFROM {prepared};\n",
        sums.join(",\n  ")
    ))
}

/// A subquery whose expressions are computed once a row. SQLite and PostgreSQL would put them in
/// place of every name that refers to them, which makes the cost of the whole grow with d⁴; they
/// do not for a union, and its second half is empty.
fn fenced(expressions: &[String], source: &str, alias: &str) -> String {
    let constants = vec!["0e0"; expressions.len()].join(", ");
    format!(
        "(\nSELECT\n  {}\nFROM {source}\nUNION ALL SELECT {constants} WHERE 1 = 0\n) AS {alias}",
        expressions.join(",\n  ")
    )
}

/// The prepared records as a subquery of raw ones.
fn prepared(preparation: &Preparation, source: &str) -> String {
    let d = preparation.d_raw();
    let mut list = Vec::new();
    let source = match preparation.features() {
        FeatureRange::Norm(x_norm) => {
            let (bound, square) = (number(*x_norm), number(x_norm * x_norm));
            let outside = format!("q > {square}");
            for i in 0..d {
                list.push(format!(
                    "CASE WHEN {outside} THEN v_{i} * ({bound} / SQRT(q)) ELSE v_{i} END AS x_{i}"
                ));
            }
            list.push(format!("CASE WHEN {outside} THEN 1 ELSE 0 END AS out_x"));
            let squares: Vec<String> = (0..d).map(|i| format!("v_{i} * v_{i}")).collect();
            let mut measured: Vec<String> = (0..d).map(|i| format!("v_{i}")).collect();
            measured.push("t".into());
            measured.push(format!("{} AS q", squares.join(" + ")));
            fenced(&measured, source, "measured")
        }
        FeatureRange::Limits(limits) => {
            let root_d = (d as f64).sqrt();
            let mut outside = Vec::new();
            for (i, l) in limits.iter().enumerate() {
                let name = format!("v_{i}");
                list.push(format!("{} / {} AS x_{i}", unit(&name, *l), number(root_d)));
                let (lower, upper) = (number(l.lower), number(l.upper));
                outside.push(format!("{name} < {lower} OR {name} > {upper}"));
            }
            let outside = outside.join(" OR ");
            list.push(format!("CASE WHEN {outside} THEN 1 ELSE 0 END AS out_x"));
            source.to_owned()
        }
    };
    if let Some(scale) = preparation.intercept() {
        list.push(format!("{} AS x_{d}", number(scale)));
    }
    let (y, lower, upper) = match preparation.target() {
        TargetRange::Abs(y_abs) => (clamp("t", -y_abs, y_abs), -y_abs, y_abs),
        TargetRange::Limits(l) => (unit("t", l), l.lower, l.upper),
    };
    let (lower, upper) = (number(lower), number(upper));
    list.push(format!("{y} AS y"));
    list.push(format!(
        "CASE WHEN t < {lower} OR t > {upper} THEN 1 ELSE 0 END AS out_y"
    ));
    fenced(&list, &source, "prepared")
}

/// A column as a double, or the centre where it is NULL, NaN, infinite or too large to square.
/// `+ 0` makes SQLite compare text columns, which its `.import` creates, as the numbers they hold.
/// `SQRT(1)` is the one double constant that every database writes alike; it turns integers and
/// decimals into doubles.
fn present(column: &str, centre: f64) -> String {
    let (largest, centre) = (number(LARGEST_VALUE), number(centre));
    format!(
        "CASE WHEN {column} + 0 BETWEEN -{largest} AND {largest} THEN {column} * SQRT(1) ELSE {centre} END"
    )
}

fn clamp(name: &str, lower: f64, upper: f64) -> String {
    let (lower, upper) = (number(lower), number(upper));
    format!(
        "CASE WHEN {name} < {lower} THEN {lower} WHEN {name} > {upper} THEN {upper} ELSE {name} END"
    )
}

fn unit(name: &str, l: Limits) -> String {
    format!(
        "(2 * ({}) - {} - {}) / {}",
        clamp(name, l.lower, l.upper),
        number(l.lower),
        number(l.upper),
        number(l.upper - l.lower)
    )
}

/// A double literal that reads back as the same double.
fn number(value: f64) -> String {
    if value < 0.0 {
        format!("({value:e})")
    } else {
        format!("{value:e}")
    }
}

/// Quote a name so that it can be nothing else.
fn quote(name: &str, dialect: Dialect) -> Result<String> {
    if name.is_empty() || name.contains('\0') {
        return Err(Error::BadName { name: name.into() });
    }
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
        && !RESERVED.contains(&name.to_ascii_lowercase().as_str());
    Ok(match dialect {
        Dialect::Ansi | Dialect::Spark if plain => name.to_owned(),
        Dialect::Ansi | Dialect::Postgres => format!("\"{}\"", name.replace('"', "\"\"")),
        Dialect::Spark => format!("`{}`", name.replace('`', "``")),
    })
}

/// Words that one of the four databases does not take as a bare column name.
const RESERVED: &[&str] = &[
    "add",
    "all",
    "alter",
    "analyse",
    "analyze",
    "and",
    "anti",
    "any",
    "array",
    "as",
    "asc",
    "asymmetric",
    "authorization",
    "autoincrement",
    "begin",
    "between",
    "binary",
    "both",
    "by",
    "case",
    "cast",
    "check",
    "collate",
    "collation",
    "column",
    "columns",
    "commit",
    "concurrently",
    "constraint",
    "create",
    "cross",
    "cube",
    "current",
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "default",
    "deferrable",
    "delete",
    "desc",
    "describe",
    "distinct",
    "do",
    "drop",
    "else",
    "end",
    "escape",
    "except",
    "exists",
    "external",
    "false",
    "fetch",
    "filter",
    "for",
    "foreign",
    "freeze",
    "from",
    "full",
    "function",
    "global",
    "grant",
    "group",
    "grouping",
    "having",
    "ilike",
    "in",
    "index",
    "initially",
    "inner",
    "insert",
    "intersect",
    "interval",
    "into",
    "is",
    "isnull",
    "join",
    "lambda",
    "lateral",
    "leading",
    "left",
    "like",
    "limit",
    "local",
    "localtime",
    "localtimestamp",
    "map",
    "minus",
    "natural",
    "new",
    "no",
    "not",
    "nothing",
    "notnull",
    "null",
    "of",
    "off",
    "offset",
    "old",
    "on",
    "only",
    "or",
    "order",
    "out",
    "outer",
    "over",
    "overlaps",
    "partition",
    "pivot",
    "pivot_longer",
    "pivot_wider",
    "placing",
    "position",
    "primary",
    "qualify",
    "range",
    "references",
    "returning",
    "revoke",
    "right",
    "rollback",
    "rollup",
    "row",
    "rows",
    "select",
    "semi",
    "session_user",
    "set",
    "show",
    "similar",
    "some",
    "start",
    "summarize",
    "symmetric",
    "table",
    "tablesample",
    "then",
    "time",
    "timestamp",
    "to",
    "trailing",
    "transaction",
    "trigger",
    "true",
    "truncate",
    "union",
    "unique",
    "unknown",
    "unpivot",
    "update",
    "user",
    "using",
    "values",
    "variadic",
    "verbose",
    "view",
    "when",
    "where",
    "window",
    "with",
];
