//! The report as one HTML page that needs nothing else: no font, script, style or image from
//! elsewhere.

mod claims;
mod provenance;
mod results;
mod strip;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::figure::palette;
use crate::{PaperReport, Report, Result, Scale, Verdict};

const STYLE: &str = include_str!("page/style.css");
const SORT: &str = include_str!("page/sort.js");

/// What the page may load: nothing but what stands in it. `data:` is for the empty icon, which
/// keeps browsers from asking for one.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

pub(crate) fn render(report: &Report) -> Result<String> {
    let title = title(report);
    let mut papers = Vec::new();
    let alone = report.papers.len() == 1;
    for paper in &report.papers {
        papers.push(section(paper, alone)?);
    }
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { (title) @if alone { " – reproduction report" } }
                style { (PreEscaped(STYLE)) (PreEscaped(palette::dark_rules(".plot "))) }
            }
            body {
                header.top {
                    p.kicker { "Reproduction report · " (report.provenance.scale) " · seed " (report.provenance.seed) }
                    h1 { (title) }
                    (lede(report))
                    (tally(|verdict| report.papers.iter().map(|p| p.count(verdict)).sum()))
                    @if report.papers.len() > 1 { (contents(report)) }
                }
                main {
                    @for paper in &papers { (paper) }
                    (provenance::section(report.provenance()))
                }
                script { (PreEscaped(SORT)) }
            }
        }
    };
    let mut text = page.into_string();
    text.push('\n');
    Ok(text)
}

fn title(report: &Report) -> String {
    match report.papers.as_slice() {
        [paper] => paper.title.clone(),
        papers => format!("Reproduction of {} papers", papers.len()),
    }
}

/// What the reader holds in their hands, in two sentences.
fn lede(report: &Report) -> Markup {
    let study = match report.provenance.scale {
        Scale::Quick => "a quick, reduced study",
        Scale::Full => "the full study",
    };
    html! {
        p.lede {
            "What "
            @if report.papers.len() == 1 { "the paper claims" } @else { "the papers claim" }
            " and what we measured, side by side, in " (study) ". "
            "Each verdict is computed: a claim is reproduced when the whole 95 % interval of the measurement satisfies its criterion, not reproduced when the whole interval violates it, and inconclusive otherwise."
        }
    }
}

/// How many claims came out how: a bar and the numbers.
fn tally(count: impl Fn(Verdict) -> usize) -> Markup {
    let counts = Verdict::ALL.map(|verdict| (verdict, count(verdict)));
    let any = counts.iter().any(|(_, n)| *n > 0);
    html! {
        @if any {
            div.tally {
                div.bar aria-hidden="true" {
                    @for (verdict, n) in counts {
                        @if n > 0 { span class=(verdict.id()) style=(format!("flex-grow:{n}")) {} }
                    }
                }
                ul {
                    @for (verdict, n) in counts {
                        @if n > 0 {
                            li class=(verdict.id()) { (claims::sign(verdict)) b { (n) } " " (verdict) }
                        }
                    }
                }
            }
        }
    }
}

fn contents(report: &Report) -> Markup {
    html! {
        nav aria-label="Papers" {
            ol {
                @for paper in &report.papers {
                    li {
                        a href={ "#" (paper.crate_name) } { (paper.crate_name) }
                        " " span { (paper.title) }
                    }
                }
            }
        }
    }
}

/// One paper. When it is `alone`, title and tally stand at the top of the page and not here again.
fn section(paper: &PaperReport, alone: bool) -> Result<Markup> {
    let mut experiments = Vec::new();
    for experiment in &paper.experiments {
        experiments.push(results::experiment(paper, experiment)?);
    }
    let count = paper.claims().count();
    let heading = format!("{}-heading", paper.crate_name);
    Ok(html! {
        section.paper id=(paper.crate_name) aria-labelledby=(heading) {
            header {
                @if alone {
                    h2 id=(heading) { (paper.crate_name) " " (paper.version) }
                    @if let Some(reference) = &paper.reference { p.meta { (reference) } }
                } @else {
                    h2 id=(heading) { (paper.title) }
                    p.meta {
                        code { (paper.crate_name) " " (paper.version) }
                        @if let Some(reference) = &paper.reference { " · " (reference) }
                    }
                }
            }
            @if count > 0 {
                h3 { "Claims" }
                @if !alone { (tally(|verdict| paper.count(verdict))) }
                (claims::table(paper))
            }
            @for experiment in &experiments { (experiment) }
        }
    })
}
