use maud::{Markup, html};

use super::strip;
use crate::number::{short, significant};
use crate::{Claim, Estimate, PaperReport, Verdict};

/// Column heads, in order; the script makes them buttons.
const COLUMNS: [&str; 5] = ["Verdict", "Claim", "Published", "Measured", "Criterion"];

/// The claims of a paper. Roles are written out because narrow screens show rows as cards, and
/// browsers drop the meaning of a table whose boxes are not those of a table.
pub(super) fn table(paper: &PaperReport) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Claims of " (paper.title) } {
            table.claims data-sortable role="table" {
                thead role="rowgroup" {
                    tr role="row" {
                        @for column in COLUMNS { th scope="col" role="columnheader" { (column) } }
                    }
                }
                tbody role="rowgroup" {
                    @for claim in paper.claims() { (row(paper, claim)) }
                }
            }
        }
    }
}

fn row(paper: &PaperReport, claim: &Claim) -> Markup {
    let verdict = claim.verdict();
    let order = Verdict::ALL.iter().position(|v| *v == verdict).unwrap_or(0);
    html! {
        tr role="row" id={ (paper.crate_name) "-claim-" (claim.id()) } {
            td.verdict role="cell" data-key=(order) {
                span class={ "badge " (verdict.id()) } { (sign(verdict)) (verdict) }
            }
            td.statement role="cell" data-key=(claim.statement()) {
                p { (claim.statement()) }
                p.source { (claim.source()) }
            }
            td role="cell" data-label="Published" data-key=(claim.published_value().unwrap_or("")) {
                (claim.published_value().unwrap_or("–"))
            }
            @match (claim.estimate(), claim.criterion()) {
                (Some(estimate), Some(criterion)) => {
                    td.measured role="cell" data-label="Measured" data-key=(estimate.mean()) {
                        div { (number(estimate)) }
                    }
                    td.criterion role="cell" data-label="Criterion" data-key=(criterion) title=(claim.reason()) {
                        div { (criterion) (strip::drawing(estimate, criterion)) }
                    }
                }
                _ => {
                    td.measured role="cell" data-label="Measured" data-key="" { "–" }
                    td.criterion role="cell" data-label="Reason" data-key=(claim.reason()) { (claim.reason()) }
                }
            }
        }
    }
}

fn number(estimate: &Estimate) -> Markup {
    html! {
        b { (short(estimate.mean())) }
        @if !estimate.is_exact() {
            " " span.interval {
                "[" (significant(estimate.low(), 3)) ", " (significant(estimate.high(), 3)) "]"
            }
            " " span.n { "n = " (estimate.n()) }
        }
    }
}

/// The verdict's sign, so that colour is not all that tells.
pub(super) fn sign(verdict: Verdict) -> Markup {
    let sign = match verdict {
        Verdict::Reproduced => "✓",
        Verdict::NotReproduced => "✕",
        Verdict::Inconclusive => "?",
        Verdict::NotTestable => "–",
    };
    html! { span.sign aria-hidden="true" { (sign) } }
}
