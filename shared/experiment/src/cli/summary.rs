//! What the commands print.

use std::fmt::Write;
use std::path::Path;

use crate::number::{short, significant};
use crate::{Claim, Report, Run, Verdict};

/// Each claim in one line, by paper; no colour, so that it reads the same everywhere.
pub(super) fn text(report: &Report) -> String {
    let mut out = String::new();
    for paper in report.papers() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}: {}", paper.crate_name(), paper.title());
        for claim in paper.claims() {
            let _ = writeln!(
                out,
                "  {:<17}  {}{}",
                claim.verdict(),
                claim.statement(),
                measured(claim)
            );
        }
    }
    out
}

fn measured(claim: &Claim) -> String {
    let (Some(estimate), Some(criterion)) = (claim.estimate(), claim.criterion()) else {
        return format!(" ({})", claim.reason());
    };
    if estimate.is_exact() {
        return format!(": {} ({criterion})", short(estimate.mean()));
    }
    format!(
        ": {} [{}, {}] ({criterion})",
        short(estimate.mean()),
        significant(estimate.low(), 3),
        significant(estimate.high(), 3)
    )
}

/// The last line, for people.
pub(super) fn closing(run: &Run, report: &Report, page: &Path) -> String {
    let mut verdicts = Vec::new();
    for verdict in Verdict::ALL {
        let count: usize = report.papers().iter().map(|p| p.count(verdict)).sum();
        if count > 0 {
            verdicts.push(format!("{count} {verdict}"));
        }
    }
    let skipped = report
        .papers()
        .iter()
        .flat_map(|paper| paper.failures())
        .filter(|failure| failure.is_skipped())
        .count();
    let skipped = match skipped {
        0 => String::new(),
        n => format!(", {n} skipped"),
    };
    format!(
        "{} cells run, {} taken over{skipped}, in {:.1} s; {}; report: {}",
        run.ran(),
        run.resumed(),
        report.provenance().wall.as_secs_f64(),
        if verdicts.is_empty() {
            "no claims".to_owned()
        } else {
            verdicts.join(", ")
        },
        page.display()
    )
}
