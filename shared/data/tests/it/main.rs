//! Every test of the crate, in one binary.
#![expect(
    clippy::unwrap_used,
    reason = "tests fail by panicking, in helpers too"
)]

mod allocation;
mod bad_input;
mod known_values;
mod properties;
mod streaming;

use papercrates_data::csv::{CsvOptions, read_table_from};
use papercrates_data::{Result, Table};

fn csv(text: impl AsRef<[u8]>, options: &CsvOptions) -> Result<Table> {
    read_table_from(text.as_ref(), "table.csv", options)
}
