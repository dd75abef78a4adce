//! The papers compiled into this program.

use std::fmt::Write;

use papercrates_experiment::Paper;
use serde_json::json;

/// All of them, by name.
pub(crate) fn papers() -> Vec<Paper> {
    vec![
        #[cfg(feature = "dp-ridge")]
        dp_ridge::reproduce::paper(),
    ]
}

/// For people.
pub(crate) fn text() -> String {
    let mut out = String::new();
    for paper in papers() {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{} {} ({})  {}\n    experiments: {}",
            paper.crate_name(),
            paper.version(),
            state(&paper),
            paper.title(),
            paper.experiment_ids().collect::<Vec<_>>().join(", ")
        );
    }
    out
}

/// For machines.
pub(crate) fn json() -> String {
    let papers: Vec<_> = papers()
        .iter()
        .map(|paper| {
            json!({
                "crate": paper.crate_name(),
                "version": paper.version(),
                "state": state(paper),
                "title": paper.title(),
                "reference": paper.reference_text(),
                "experiments": paper.experiment_ids().collect::<Vec<_>>(),
            })
        })
        .collect();
    format!("{:#}\n", json!({ "schema": 1, "papers": papers }))
}

/// What can be done with a paper's crate.
fn state(paper: &Paper) -> &'static str {
    if paper.experiment_ids().next().is_some() {
        "reproducible"
    } else {
        "library only"
    }
}
