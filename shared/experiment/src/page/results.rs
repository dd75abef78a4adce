use std::fmt::Write;

use maud::{Markup, PreEscaped, html};

use crate::{ExperimentReport, Failure, Figure, PaperReport, Result, Table};

/// What one experiment shows.
pub(super) fn experiment(paper: &PaperReport, experiment: &ExperimentReport) -> Result<Markup> {
    let findings = &experiment.findings;
    let mut figures = Vec::new();
    for figure in findings.figures() {
        figures.push(drawn(paper, figure)?);
    }
    let mut tables = Vec::new();
    for table in findings.tables() {
        tables.push(listed(paper, table)?);
    }
    let id = format!("{}-{}", paper.crate_name, experiment.id);
    Ok(html! {
        section.experiment id=(id) aria-labelledby={ (id) "-heading" } {
            h3 id={ (id) "-heading" } { (experiment.title) }
            p.meta {
                code { (experiment.id) }
                " · "
                @if experiment.finished == experiment.cells {
                    (experiment.cells) " cells"
                } @else {
                    (experiment.finished) " of " (experiment.cells) " cells finished"
                }
            }
            @if !experiment.cuts.trim().is_empty() {
                p.cuts { b { "Left out here" } " " (experiment.cuts) }
            }
            (failures(&experiment.failures))
            @for note in findings.notes() { p { (note) } }
            @for figure in &figures { (figure) }
            @for table in &tables { (table) }
        }
    })
}

fn drawn(paper: &PaperReport, figure: &Figure) -> Result<Markup> {
    let [wide, narrow] = figure.inline_svgs()?;
    let data = figure.data();
    Ok(html! {
        figure id={ (paper.crate_name) "-figure-" (figure.id()) } {
            figcaption { (figure.title()) }
            div.plot { (PreEscaped(wide)) (PreEscaped(narrow)) }
            details {
                summary { "Description and data" }
                p { (figure.alt()) }
                (body(&data))
                (download(&paper.figure_data_name(figure), &data.to_csv()?))
            }
        }
    })
}

fn listed(paper: &PaperReport, table: &Table) -> Result<Markup> {
    Ok(html! {
        div.listed id={ (paper.crate_name) "-table-" (table.id()) } {
            h4 { (table.title()) }
            (body(table))
            @if let Some(note) = table.note_text() { p.note { (note) } }
            (download(&paper.table_name(table), &table.to_csv()?))
        }
    })
}

/// A table that scrolls within its own box when it is wider than the page. The box takes the
/// focus, so that the keyboard can scroll it.
fn body(table: &Table) -> Markup {
    let numeric: Vec<bool> = (0..table.columns().len())
        .map(|column| table.rows().iter().all(|row| row[column].is_numeric()))
        .collect();
    html! {
        div.scroll tabindex="0" role="region" aria-label=(table.title()) {
            table.data {
                thead {
                    tr {
                        @for (column, numeric) in table.columns().iter().zip(&numeric) {
                            th scope="col" class=[numeric.then_some("number")] { (column) }
                        }
                    }
                }
                tbody {
                    @for row in table.rows() {
                        tr {
                            @for (value, numeric) in row.iter().zip(&numeric) {
                                td class=[numeric.then_some("number")] { (value.display()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A link that carries its file with it.
fn download(name: &str, csv: &str) -> Markup {
    let mut link = String::from("data:text/csv;charset=utf-8,");
    for byte in csv.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.,".contains(&byte) {
            link.push(byte.into());
        } else {
            // Writing to a string cannot fail.
            let _ = write!(link, "%{byte:02X}");
        }
    }
    html! { p.download { a download=(name) href=(link) { "Download " (name) } } }
}

fn failures(failures: &[Failure]) -> Markup {
    let (skipped, failed): (Vec<_>, Vec<_>) = failures.iter().partition(|f| f.is_skipped());
    html! {
        (group("failed", "Failed", &failed))
        (group("skipped", "Skipped", &skipped))
    }
}

fn group(class: &str, heading: &str, failures: &[&Failure]) -> Markup {
    html! {
        @if !failures.is_empty() {
            div class={ "failures " (class) } {
                h4 { (heading) ": " (failures.len()) }
                ul {
                    @for failure in failures {
                        li {
                            @match &failure.cell {
                                Some(cell) => code { (cell) },
                                None => "the conclusion",
                            }
                            " – " (failure.message)
                        }
                    }
                }
            }
        }
    }
}
