use super::failure::Failure;
use std::io::{ErrorKind, Write};

/// Write a result to standard output. A reader that has gone away is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Failed(format!(
            "cannot write to standard output: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Print a value as JSON.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Failed(format!("cannot write JSON: {error}")))?;
    print(&(text + "\n"))
}

/// One line on standard error. There is nowhere to report that this failed.
pub(crate) fn note(kind: &str, message: &str) {
    let _ = writeln!(std::io::stderr(), "dp-ridge: {kind}: {message}");
}

/// Rows of cells as an aligned table: the first column to the left, the others to the right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |j: usize| {
        let cells = rows.iter().filter_map(|row| row.get(j));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (j, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[j] - cell.chars().count());
            if j == 0 {
                line = format!("{cell}{pad}");
            } else {
                line += &format!("  {pad}{cell}");
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// A number for people: four significant digits.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e5).contains(&size) {
        let digits = if value == 0.0 {
            0
        } else {
            (3.0 - size.log10().floor()).clamp(0.0, 6.0) as usize
        };
        format!("{value:.digits$}")
    } else if value.is_finite() {
        format!("{value:.3e}")
    } else {
        value.to_string()
    }
}
