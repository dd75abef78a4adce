//! The in-memory path on more rows than memory holds: clipped sums of a stream of raw rows.

use dp_ridge::faer::{MatRef, Par};
use dp_ridge::{Bounds, Clip, SuffStats, sql};
use serde_json::{Map, Value};
use std::error::Error;
use std::io::{Read, Write};

/// Rows held at a time.
const ROWS: usize = 1 << 16;

/// `stream D X_NORM Y_ABS`: little-endian doubles on standard input, `D` features and then the
/// target a row; the row that `dp-ridge sql`'s query would return, as JSON, on standard output.
pub(crate) fn run(mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let mut argument = |name: &str| args.next().ok_or(format!("{name} is missing"));
    let d: usize = argument("D")?.parse()?;
    let bounds = Bounds {
        x_norm: argument("X_NORM")?.parse()?,
        y_abs: argument("Y_ABS")?.parse()?,
    };
    let mut stats = SuffStats::new(d, bounds, Clip::Clip)?;
    let width = d.checked_add(1).ok_or("D is too large")?;
    let mut bytes = vec![0u8; ROWS * width * size_of::<f64>()];
    let mut input = std::io::stdin().lock();
    loop {
        let filled = fill(&mut input, &mut bytes)?;
        let values: Vec<f64> = bytes[..filled]
            .as_chunks()
            .0
            .iter()
            .map(|b| f64::from_le_bytes(*b))
            .collect();
        if filled % (width * size_of::<f64>()) != 0 {
            return Err(format!("the input ends inside a row of {width} numbers").into());
        }
        if values.is_empty() {
            break;
        }
        let table = MatRef::from_row_major_slice(&values, values.len() / width, width);
        let y: Vec<f64> = table.col(d).iter().copied().collect();
        stats.push_batch(table.subcols(0, d), &y, Par::rayon(2))?;
    }
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, &row(&stats))?;
    Ok(writeln!(out)?)
}

/// Read until the buffer is full or the input ends.
fn fill(input: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match input.read(&mut bytes[filled..])? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}

fn row(stats: &SuffStats) -> Map<String, Value> {
    let (gram, b) = (stats.non_private_gram(), stats.non_private_xty());
    let (clipped_x, clipped_y) = stats.non_private_clipped();
    let mut values: Vec<Value> = vec![
        stats.n().into(),
        clipped_x.into(),
        clipped_y.into(),
        stats.non_private_yy().into(),
    ];
    values.extend(b.iter().map(|v| Value::from(*v)));
    for i in 0..stats.d() {
        values.extend((0..=i).map(|j| Value::from(gram[(i, j)])));
    }
    sql::columns(stats.d()).into_iter().zip(values).collect()
}
