use super::read_text;
use crate::{Bounds, Error, Result, SuffStats, sql};
use faer::Mat;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::Path;

/// Read the row that the SQL of [`sql::statistics`] returned, as JSON. See [`parse_sums`].
///
/// # Errors
/// As [`parse_sums`], and [`Error::Data`] or [`Error::Io`] for the file.
pub fn read_sums(
    path: impl AsRef<Path>,
    d: usize,
    bounds: Bounds,
    settings: u64,
) -> Result<SuffStats> {
    let path = path.as_ref();
    let label = path.display().to_string();
    parse_sums(&read_text(path)?, &label, d, bounds, settings)
}

/// Sums of `d` prepared features from JSON: one object with exactly the columns of
/// [`sql::columns`], an array of such objects, or one a line. Several are partitions and are added
/// up. `label` stands for the file in errors, `settings` is what [`sql::settings`] gives for the
/// features and bounds meant; sums that were computed with others are refused. (Sums of another
/// program may leave that column out; then it is their maker who answers for the bounds.)
///
/// # Errors
/// [`Error::Parse`] for what is no JSON; [`Error::Data`] for a column that is missing, unknown or
/// no number; those of [`SuffStats::from_sums`].
pub fn parse_sums(
    text: &str,
    label: &str,
    d: usize,
    bounds: Bounds,
    settings: u64,
) -> Result<SuffStats> {
    // Refuses a d whose Gram matrix has no room before its columns are named.
    SuffStats::new(d, bounds, crate::Clip::Clip)?;
    let names = sql::columns(d);
    let places: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
    let bad = |reason: String| Error::Data {
        reason: format!("{label}: {reason}"),
    };
    let mut totals = vec![0.0; names.len()];
    let mut parts = 0u64;
    let mut add = |row: &Map<String, Value>| -> Result<()> {
        parts += 1;
        for (key, value) in row {
            if key == sql::SETTINGS {
                if value.as_f64() != Some(settings as f64) {
                    return Err(bad(format!(
                        "these sums were computed with other settings (fingerprint {value}, not {settings}); give the same --target, --features in the same order, bounds, limits and --intercept as to `dp-ridge sql`"
                    )));
                }
            } else if !places.contains_key(key.as_str()) {
                return Err(bad(format!(
                    "column {key:?} is none of the {} of `dp-ridge sql` for {d} prepared features; give the same features and --intercept as there",
                    names.len()
                )));
            }
        }
        for (name, total) in names.iter().zip(&mut totals) {
            let value = row.get(name).ok_or_else(|| {
                bad(format!(
                    "no column {name:?}, which `dp-ridge sql` gives for {d} prepared features; give the same features and --intercept as there"
                ))
            })?;
            let number = value
                .as_f64()
                .ok_or_else(|| bad(format!("column {name:?} holds {value}; expected a number")))?;
            *total += number;
        }
        Ok(())
    };
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let value = value.map_err(|error| super::parse_error(Path::new(label), &error))?;
        match &value {
            Value::Object(row) => add(row)?,
            Value::Array(rows) => {
                for row in rows {
                    let row = row.as_object().ok_or_else(|| {
                        bad(format!("expected objects in the array, found {row}"))
                    })?;
                    add(row)?;
                }
            }
            other => return Err(bad(format!("expected an object, found {other}"))),
        }
    }
    if parts == 0 {
        return Err(bad("no row of sums; expected one object".into()));
    }
    let count = |place: usize| -> Result<u64> {
        let value = totals[place];
        // Counts above 2^53 are no longer exact, and no table has them.
        if value >= 0.0 && value.fract() == 0.0 && value <= (1u64 << 53) as f64 {
            Ok(value as u64)
        } else {
            Err(bad(format!(
                "column {:?} is {value}; expected a whole number, at least 0",
                names[place]
            )))
        }
    };
    let (counts, sums) = totals.split_at(4);
    let (xty, lower) = sums.split_at(d);
    let gram = Mat::from_fn(d, d, |i, j| {
        let (i, j) = (i.max(j), i.min(j));
        lower[i * (i + 1) / 2 + j]
    });
    let clipped = (count(1)?, count(2)?);
    SuffStats::from_sums(bounds, count(0)?, gram.as_ref(), xty, counts[3], clipped)
}
