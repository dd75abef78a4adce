use crate::allocation::peak_of;
use papercrates_data::csv::{CsvOptions, CsvRows, read_table_from};
use papercrates_data::jsonl::{JsonlOptions, JsonlRows};
use papercrates_data::npy::{self, Array, Layout, NpyRows};
use papercrates_data::{Rows, open_rows};
use std::fs;
use std::io::{self, Read};

/// A text of `count` equal lines that is never in memory as a whole.
struct Lines {
    line: &'static [u8],
    count: u64,
    offset: usize,
}

impl Lines {
    fn new(line: &'static str, count: u64) -> Self {
        Self {
            line: line.as_bytes(),
            count,
            offset: 0,
        }
    }
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() && self.count > 0 {
            let rest = &self.line[self.offset..];
            let here = rest.len().min(buffer.len() - filled);
            buffer[filled..filled + here].copy_from_slice(&rest[..here]);
            filled += here;
            self.offset += here;
            if self.offset == self.line.len() {
                self.offset = 0;
                self.count -= 1;
            }
        }
        Ok(filled)
    }
}

fn sum(rows: &mut impl Rows) -> (u64, f64) {
    let (mut count, mut sum) = (0, 0.0);
    while let Some(row) = rows.next_row().unwrap() {
        count += 1;
        sum += row.iter().sum::<f64>();
    }
    (count, sum)
}

#[test]
fn a_long_csv_is_read_in_the_memory_of_a_row() {
    let work = || {
        let text = Lines::new("1,0.5,-2.25,4\n", 1_000_000);
        sum(&mut CsvRows::new(text, "long.csv", &CsvOptions::default()).unwrap())
    };
    let (total, peak) = peak_of(work);
    assert_eq!(total, (1_000_000, 3_250_000.0));
    assert!(peak < 200_000, "held {peak} bytes of 14 MB");
}

#[test]
fn long_json_lines_are_read_in_the_memory_of_a_row() {
    let work = || {
        let text = Lines::new("{\"a\": 1, \"b\": 2.5}\n", 100_000);
        sum(&mut JsonlRows::new(text, "long.jsonl", &JsonlOptions::default()).unwrap())
    };
    let (total, peak) = peak_of(work);
    assert_eq!(total, (100_000, 350_000.0));
    assert!(peak < 200_000, "held {peak} bytes of 1.9 MB");
}

#[test]
fn a_tall_array_is_read_in_the_memory_of_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tall.npy");
    let values = (0..600_000).map(f64::from).collect();
    npy::write(
        &path,
        &Array::new(vec![200_000, 3], values).unwrap(),
        Layout::default(),
    )
    .unwrap();
    let (total, peak) = peak_of(|| sum(&mut NpyRows::open(&path).unwrap()));
    assert_eq!(total, (200_000, 599_999.0 * 300_000.0));
    assert!(peak < 200_000, "held {peak} bytes of 4.8 MB");
}

#[test]
fn a_million_columns_are_read() {
    let columns = 1_000_000;
    let mut text = String::new();
    for line in 0..2 {
        for column in 0..columns {
            text += if column > 0 { "," } else { "" };
            if line == 0 {
                text += &format!("c{column}");
            } else {
                text += "7";
            }
        }
        text += "\n";
    }
    let all = CsvOptions::default();
    let chosen = all
        .clone()
        .columns((0..columns).rev().map(|column| format!("c{column}")));
    for options in [all, chosen] {
        let table = read_table_from(text.as_bytes(), "wide.csv", &options).unwrap();
        assert_eq!((table.rows(), table.columns()), (1, columns));
        assert_eq!(table.column("c999999").unwrap(), [7.0]);
    }
}

#[test]
fn a_block_holds_its_rows_and_the_last_one_what_is_left() {
    let text = "y,a,b\n1,2,3\n4,5,6\n7,8,9\n";
    let rows = CsvRows::new(text.as_bytes(), "t.csv", &CsvOptions::default()).unwrap();
    let mut examples = rows.with_target("y").unwrap();
    assert_eq!(examples.feature_names(), ["a", "b"]);
    let (x, y) = examples.next_block(2).unwrap().unwrap();
    assert_eq!((x.nrows(), x.ncols()), (2, 2));
    assert_eq!(
        [x[(0, 0)], x[(0, 1)], x[(1, 0)], x[(1, 1)]],
        [2.0, 3.0, 5.0, 6.0]
    );
    assert_eq!(y, [1.0, 4.0]);
    let (x, y) = examples.next_block(2).unwrap().unwrap();
    assert_eq!((x[(0, 0)], x[(0, 1)], y), (8.0, 9.0, vec![7.0]));
    assert!(examples.next_block(2).unwrap().is_none());
    assert_eq!(examples.source().rows_read(), 3);
}

#[test]
fn the_line_of_a_row_counts_blank_lines_and_lines_within_quotes() {
    let text = "\r\n\r\n\"a\r\n1\",b\r\n1,2\r\n\r\n3,\" 4\n\"\n5,6";
    let mut rows = CsvRows::new(text.as_bytes(), "t.csv", &CsvOptions::default()).unwrap();
    let mut lines = Vec::new();
    while rows.next_row().unwrap().is_some() {
        lines.push(rows.line());
    }
    assert_eq!(lines, [5, 7, 9]);
}

#[test]
fn a_header_alone_gives_no_rows() {
    let mut rows = CsvRows::new(&b"a,b\n"[..], "t.csv", &CsvOptions::default()).unwrap();
    assert_eq!(rows.names(), ["a", "b"]);
    assert!(rows.next_row().unwrap().is_none());
}

#[test]
fn every_kind_of_file_gives_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let matrix = Array::new(vec![2, 2], vec![1.0, 2.0, 3.0, 4.5]).unwrap();
    let c_order = folder.path().join("c.npy");
    npy::write(&c_order, &matrix, Layout::default()).unwrap();
    let fortran = folder.path().join("FORTRAN.NPY");
    npy::write(
        &fortran,
        &matrix,
        Layout {
            fortran_order: true,
            ..Layout::default()
        },
    )
    .unwrap();
    let files = [
        write("t.csv", "x1,x2\n1,2\n3,4.5\n"),
        write("no_ending", "1,2\n3,4.5\n"),
        write("t.tsv", "x1\tx2\n1\t2\n3\t4.5\n"),
        write(
            "t.jsonl",
            "{\"x1\": 1, \"x2\": 2}\n\n{\"x2\": 4.5, \"x1\": 3}",
        ),
        write(
            "t.ndjson",
            "\u{feff}{\"x1\": 1, \"x2\": 2e0}\r\n{\"x1\": 3, \"x2\": 4.5}\r\n",
        ),
        c_order,
        fortran,
    ];
    for file in files {
        let rows = open_rows(&file, &CsvOptions::default()).unwrap();
        let table = rows.collect_table().unwrap();
        assert_eq!(table.names(), ["x1", "x2"], "{file:?}");
        assert_eq!(table.column("x1").unwrap(), [1.0, 3.0], "{file:?}");
        assert_eq!(table.column("x2").unwrap(), [2.0, 4.5], "{file:?}");
    }
}

#[test]
fn json_null_and_absent_keys_are_missing_values() {
    let text = "{\"a\": 1, \"b\": 2}\n{\"a\": null, \"b\": 3}\n{\"b\": 4}\n{\"a\": 5, \"b\": 6}\n";
    let with = |on_missing| {
        let options = JsonlOptions {
            on_missing,
            columns: None,
        };
        let mut rows = JsonlRows::new(text.as_bytes(), "t.jsonl", &options).unwrap();
        let (mut read, mut nan) = (0, 0);
        while let Some(row) = rows.next_row().unwrap() {
            read += 1;
            nan += usize::from(row[0].is_nan());
        }
        (read, nan, rows.rows_dropped())
    };
    use papercrates_data::csv::OnMissing;
    assert_eq!(with(OnMissing::Nan), (4, 2, 0));
    assert_eq!(with(OnMissing::DropRow), (2, 0, 2));
}

#[test]
fn json_keys_that_are_not_chosen_may_hold_anything() {
    let text = "{\"id\": \"k\", \"a\": 1, \"list\": [1, {\"z\": 2}]}\n{\"a\": 2, \"more\": true}\n";
    let options = JsonlOptions {
        columns: Some(vec!["a".to_owned()]),
        ..JsonlOptions::default()
    };
    let rows = JsonlRows::new(text.as_bytes(), "t.jsonl", &options).unwrap();
    assert_eq!(
        rows.collect_table().unwrap().column("a").unwrap(),
        [1.0, 2.0]
    );
}
