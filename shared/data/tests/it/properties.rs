use crate::allocation::peak_of;
use papercrates_data::csv::{CsvOptions, CsvRows, Header, read_table_from};
use papercrates_data::jsonl::{JsonlOptions, JsonlRows};
use papercrates_data::npy::{self, Array, Element, Layout, NpyRows};
use papercrates_data::{Rows, npz};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io::{Cursor, Read};

/// A source that gives `step` bytes at a time.
struct Slow<'a>(&'a [u8], usize);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(buffer.len()).min(self.0.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
        -1e3..1e3
    ]
}

/// Row-major values of a table and its number of columns.
fn tables() -> impl Strategy<Value = (usize, Vec<f64>)> {
    (1_usize..6, 1_usize..12)
        .prop_flat_map(|(columns, rows)| (Just(columns), vec(finite(), rows * columns)))
}

fn bits(values: impl IntoIterator<Item = f64>) -> Vec<u64> {
    values.into_iter().map(f64::to_bits).collect()
}

fn row_major(table: &papercrates_data::Table) -> Vec<u64> {
    bits(Array::from_mat(table.values()).into_values())
}

/// Cuts the bytes or overwrites some of them.
fn damaged(whole: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let length = whole.len();
    let flips = vec((0..length, any::<u8>()), 0..8);
    (flips, prop_oneof![Just(length), 0..length]).prop_map(move |(flips, cut)| {
        let mut bytes = whole.clone();
        for (at, byte) in flips {
            bytes[at] = byte;
        }
        bytes.truncate(cut);
        bytes
    })
}

fn drain(rows: papercrates_data::Result<impl Rows>) {
    if let Ok(mut rows) = rows {
        while let Ok(Some(row)) = rows.next_row() {
            std::hint::black_box(row);
        }
    }
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!(
        "{}/tests/it/fixtures/{name}",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn csv_gives_back_every_bit_whatever_the_dress(
        (columns, values) in tables(),
        dress in vec(any::<bool>(), 8),
        windows in any::<bool>(),
        step in 1_usize..20,
    ) {
        let mut text = String::new();
        for (position, value) in values.iter().enumerate() {
            let quoted = dress[position % dress.len()];
            let quote = if quoted { "\"" } else { "" };
            let number = if quoted { format!("{value:e}") } else { value.to_string() };
            text += &format!("{quote}{number}{quote}");
            text += match (position + 1) % columns {
                0 if windows => "\r\n",
                0 => "\n",
                _ => ",",
            };
        }
        let options = CsvOptions::default().header(Header::No);
        let table = read_table_from(Slow(text.as_bytes(), step), "t.csv", &options).unwrap();
        prop_assert_eq!(table.columns(), columns);
        prop_assert_eq!(row_major(&table), bits(values));
    }

    #[test]
    fn json_lines_give_back_every_bit((columns, values) in tables(), step in 1_usize..20) {
        let mut text = String::new();
        for row in values.chunks(columns) {
            let cells: Vec<String> =
                (row.iter().enumerate()).map(|(j, value)| format!("\"k{j}\": {value:e}")).collect();
            text += &format!("{{{}}}\n", cells.join(", "));
        }
        let source = Slow(text.as_bytes(), step);
        let rows = JsonlRows::new(source, "t.jsonl", &JsonlOptions::default()).unwrap();
        prop_assert_eq!(row_major(&rows.collect_table().unwrap()), bits(values));
    }

    #[test]
    fn arrays_give_back_every_bit_in_any_layout(
        shape in vec(1_usize..5, 0..4),
        big_endian in any::<bool>(),
        fortran_order in any::<bool>(),
        seed in vec(any::<f64>(), 64),
        step in 1_usize..20,
    ) {
        let count = shape.iter().product();
        let values: Vec<f64> = seed.into_iter().take(count).collect();
        let array = Array::new(shape.clone(), values.clone()).unwrap();
        let layout = Layout { element: Element::F64, big_endian, fortran_order };
        let mut bytes = Vec::new();
        npy::write_to(&mut bytes, "a", &array, layout).unwrap();
        prop_assert_eq!((bytes.len() - 8 * count) % 64, 0, "the numbers are not aligned");
        let read = npy::read_from(Slow(&bytes, step), "a").unwrap();
        prop_assert_eq!(read.shape(), shape);
        prop_assert_eq!(bits(read.into_values()), bits(values.iter().copied()));
        if let Ok(rows) = NpyRows::new(Slow(&bytes, step), "a") {
            prop_assert_eq!(row_major(&rows.collect_table().unwrap()), bits(values));
        }
    }

    #[test]
    fn integers_survive_every_element_that_holds_them(
        small in vec(0_i8..=1, 1..9),
        big_endian in any::<bool>(),
        fortran_order in any::<bool>(),
    ) {
        let array = Array::from_vec(small.iter().map(|i| f64::from(*i)).collect());
        for element in [
            Element::Bool, Element::I8, Element::I16, Element::I32, Element::I64, Element::U8,
            Element::U16, Element::U32, Element::U64, Element::F32, Element::F64,
        ] {
            let mut bytes = Vec::new();
            let layout = Layout { element, big_endian, fortran_order };
            npy::write_to(&mut bytes, "a", &array, layout).unwrap();
            prop_assert_eq!(&npy::read_from(&bytes[..], "a").unwrap(), &array);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    // The bound is the reader's buffer (64 KiB) and cell or header (64 KiB) with room to grow.

    #[test]
    fn damaged_csv_never_panics_or_takes_memory(
        bytes in damaged(b"a,\"b\",c\r\n1,2.5,\"3\"\r\n4,,-6e7\r\n\"7\",8,9\r\n".to_vec())
    ) {
        let read = || drain(CsvRows::new(&bytes[..], "t.csv", &CsvOptions::default()));
        let ((), peak) = peak_of(read);
        prop_assert!(peak < 300_000, "{} bytes", peak);
    }

    #[test]
    fn damaged_json_lines_never_panic_or_take_memory(
        bytes in damaged(b"{\"a\": 1, \"b\": -2.5e3}\n\n{\"b\": null, \"a\": [1]}\n".to_vec())
    ) {
        let read = || drain(JsonlRows::new(&bytes[..], "t.jsonl", &JsonlOptions::default()));
        let ((), peak) = peak_of(read);
        prop_assert!(peak < 300_000, "{} bytes", peak);
    }

    #[test]
    fn damaged_arrays_never_panic_or_take_memory(
        bytes in prop_oneof![
            damaged(fixture("f8.npy")),
            damaged(fixture("version2.npy")),
            damaged(fixture("cube_fortran.npy")),
            damaged(fixture("bool.npy")),
        ]
    ) {
        let read = || {
            drop(npy::read_from(&bytes[..], "a"));
            drain(NpyRows::new(&bytes[..], "a"));
        };
        let ((), peak) = peak_of(read);
        prop_assert!(peak < 300_000, "{} bytes", peak);
    }

    #[test]
    fn damaged_archives_never_panic_or_take_memory(
        bytes in prop_oneof![damaged(fixture("stored.npz")), damaged(fixture("deflated.npz"))]
    ) {
        let read = || {
            let Ok(mut archive) = npz::Archive::new(Cursor::new(&bytes[..]), "a.npz") else {
                return;
            };
            for name in archive.names().to_vec() {
                drop(archive.read(&name));
            }
        };
        let ((), peak) = peak_of(read);
        prop_assert!(peak < 1_000_000, "{} bytes", peak);
    }
}
