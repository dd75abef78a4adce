//! Column names: looking one up, suggesting what was meant, refusing doubles.

use crate::{Error, Result};
use std::collections::HashMap;
use std::path::Path;

/// Similarity (0..=1) from which a name counts as a likely misspelling.
const CLOSE: f64 = 0.7;
const SUGGESTIONS: usize = 5;

/// Position of `name`, or an error that lists the names like it.
pub(crate) fn position(names: &[String], name: &str) -> Result<usize> {
    (names.iter().position(|candidate| candidate == name)).ok_or_else(|| Error::ColumnNotFound {
        name: name.to_owned(),
        count: names.len(),
        close: close(names, name),
    })
}

/// Position of each of `wanted`; one pass over the names however many are wanted.
pub(crate) fn positions(names: &[String], wanted: &[String]) -> Result<Vec<usize>> {
    let known: HashMap<&str, usize> = (names.iter().map(String::as_str)).zip(0..).collect();
    (wanted.iter())
        .map(|name| {
            known
                .get(name.as_str())
                .map_or_else(|| position(names, name), |at| Ok(*at))
        })
        .collect()
}

/// Names like `name`, best first: a table with few columns is listed whole, so that the error
/// always helps.
pub(crate) fn close(names: &[String], name: &str) -> Vec<String> {
    let wanted = name.to_lowercase();
    let mut scored: Vec<(f64, &String)> = (names.iter())
        .map(|candidate| {
            (
                strsim::jaro_winkler(&candidate.to_lowercase(), &wanted),
                candidate,
            )
        })
        .filter(|(score, _)| names.len() <= SUGGESTIONS || *score >= CLOSE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.truncate(SUGGESTIONS);
    scored.into_iter().map(|(_, name)| name.clone()).collect()
}

/// Refuses two columns of one name.
pub(crate) fn all_different(path: &Path, names: &[String]) -> Result<()> {
    let mut seen = HashMap::with_capacity(names.len());
    for (second, name) in names.iter().enumerate() {
        if let Some(first) = seen.insert(name.as_str(), second) {
            return Err(Error::DuplicateColumn {
                path: path.to_owned(),
                name: name.clone(),
                first: first + 1,
                second: second + 1,
            });
        }
    }
    Ok(())
}
