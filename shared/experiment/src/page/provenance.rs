use maud::{Markup, html};

use crate::Provenance;

/// Where the numbers come from, and what it took.
pub(super) fn section(provenance: &Provenance) -> Markup {
    let crates: Vec<String> = provenance
        .crates
        .iter()
        .map(|c| format!("{} {}", c.name, c.version))
        .collect();
    html! {
        section #provenance aria-labelledby="provenance-heading" {
            h2 #provenance-heading { "Provenance" }
            dl {
                (item("Plan", &format!("{}, seed {}", provenance.scale, provenance.seed)))
                (item("Crates", &crates.join(", ")))
                (item("Compiler", &format!("{}, {} profile", provenance.rustc, provenance.profile)))
                (item("Target", provenance.target))
                (item("Processor", &provenance.cpu))
                (item("Threads", &provenance.threads.to_string()))
                (item("Started", &provenance.started_text()))
                (item("Wall time", &duration(provenance.wall.as_secs_f64())))
                (item("Time in cells", &duration(provenance.cell_seconds)))
            }
            p.note {
                "The same plan and seed give the same claims, tables and figures on any number of threads. The wall time is that of the last run; what an earlier run had finished counts in the cells only."
            }
        }
    }
}

fn item(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

fn duration(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let minutes = seconds / 60.0;
    if minutes < 60.0 {
        format!("{minutes:.1} min")
    } else {
        format!("{:.1} h", minutes / 60.0)
    }
}
