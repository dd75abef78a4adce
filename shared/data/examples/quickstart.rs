//! Reads a table, splits off the target, and streams the same file row by row.
#![expect(clippy::print_stdout, reason = "an example speaks")]

use papercrates_data::csv::{CsvOptions, CsvRows};
use papercrates_data::{Result, Rows, sets};

fn main() -> Result<()> {
    let concrete = sets::concrete()?;
    let (x, y) = concrete.table.split_target(concrete.target)?;
    println!(
        "{}: {} samples, {} features",
        concrete.name,
        x.nrows(),
        x.ncols()
    );
    println!("licence {}", concrete.provenance.licence);

    // The same bytes as a stream: memory of one row, whatever the size of the file.
    let text = concrete.provenance.csv.as_bytes();
    let rows = CsvRows::new(text, "concrete.csv", &CsvOptions::default())?;
    let mut examples = rows.with_target(concrete.target)?;
    let mut sum = 0.0;
    while let Some((_features, strength)) = examples.next_example()? {
        sum += strength;
    }
    println!("mean strength {:.2} MPa", sum / y.len() as f64);
    Ok(())
}
