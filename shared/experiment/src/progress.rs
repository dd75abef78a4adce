use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar with the remaining time, on a terminal; nothing elsewhere.
pub(crate) fn bar(cells: usize, wanted: bool) -> ProgressBar {
    if !wanted || cells == 0 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(cells as u64), ProgressDrawTarget::stderr());
    // A template that does not parse would only cost the looks of the bar.
    if let Ok(style) = ProgressStyle::with_template(
        "{bar:32} {pos}/{len} cells, {elapsed} gone, about {eta} left {msg}",
    ) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
