use crate::csv;
use papercrates_data::csv::{CsvOptions, CsvRows, Header, OnMissing, read_table};
use papercrates_data::jsonl::{JsonlOptions, JsonlRows};
use papercrates_data::npy::{self, Array, Element, Layout, NpyRows};
use papercrates_data::{Error, Rows, Table, fetched, npz, open_rows};
use std::fs;

fn plain() -> CsvOptions {
    CsvOptions::default()
}

fn message(text: impl AsRef<[u8]>, options: &CsvOptions) -> String {
    csv(text, options).unwrap_err().to_string()
}

fn jsonl(text: &str) -> papercrates_data::Result<Table> {
    JsonlRows::new(text.as_bytes(), "t.jsonl", &JsonlOptions::default())?.collect_table()
}

fn fixture(name: &str) -> String {
    format!("{}/tests/it/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[track_caller]
fn says(message: impl std::fmt::Display, parts: &[&str]) {
    let message = message.to_string();
    for part in parts {
        assert!(message.contains(part), "{message:?} lacks {part:?}");
    }
}

#[test]
fn a_missing_file_and_a_folder_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent.csv");
    let error = read_table(&absent, &plain()).unwrap_err();
    assert!(
        matches!(&error, Error::NotFound { path } if *path == absent),
        "{error:?}"
    );
    says(error, &["absent.csv", "no such file", "check the path"]);
    let error = read_table(folder.path(), &plain()).unwrap_err();
    assert!(
        matches!(&error, Error::IsFolder { path } if path == folder.path()),
        "{error:?}"
    );
    says(error, &["is a folder", "name a file"]);
    let error = npy::write(
        folder.path(),
        &Array::from_vec(vec![1.0]),
        Layout::default(),
    );
    assert!(matches!(error, Err(Error::IsFolder { .. })), "{error:?}");
    let error = npz::write(folder.path().join("no/such.npz"), &[]).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Io {
                action: "write",
                ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn an_empty_file_and_a_header_alone_are_told_apart() {
    for text in ["", "\n\r\n\n", "\u{feff}"] {
        let error = csv(text, &plain()).unwrap_err();
        assert!(matches!(error, Error::Empty { .. }), "{text:?}: {error:?}");
    }
    let error = csv("a,b\n", &plain()).unwrap_err();
    assert!(
        matches!(error, Error::NoRows { dropped: 0, .. }),
        "{error:?}"
    );
    let all_missing = csv("a,b\n,1\n2,\n", &plain().on_missing(OnMissing::DropRow));
    says(
        all_missing.unwrap_err(),
        &["table.csv", "no data rows", "2 dropped", "at least one"],
    );
    assert!(matches!(jsonl("\n \n"), Err(Error::Empty { .. })));
}

#[test]
fn a_bad_cell_is_named_by_line_column_name_and_text() {
    let error = csv("a,price\r\n1,2\r\n\r\n3,cheap\r\n", &plain()).unwrap_err();
    let Error::Parse {
        line,
        column,
        column_name,
        cell,
        ..
    } = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!(
        (*line, *column, column_name.as_str(), cell.as_str()),
        (4, 2, "price", "cheap")
    );
    says(
        &error,
        &[
            "table.csv:4:2",
            "\"price\"",
            "\"cheap\"",
            "not a finite number",
            "correct",
        ],
    );
    for cell in [
        "inf",
        "-Infinity",
        "1e999",
        "1.2.3",
        "0x10",
        "1 2",
        "١",
        "true",
        "1_000",
    ] {
        let error = csv(format!("a\n1\n{cell}\n"), &plain()).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Parse {
                    line: 3,
                    column: 1,
                    ..
                }
            ),
            "{cell}: {error:?}"
        );
    }
    let long = "é".repeat(1000);
    let shown = message(format!("a\n1\n{long}\n"), &plain());
    says(&shown, &[&format!("\"{}…\"", "é".repeat(40))]);
    says(message("a;b\n1;2\n", &plain()), &["delimiter"]);
    says(message("a,b\n\"1,2\n3,4\n", &plain()), &["quote left open"]);
}

#[test]
fn a_missing_value_is_an_error_unless_told_otherwise() {
    let error = csv("a,b\n1, NA \n", &plain()).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Missing {
                line: 2,
                column: 2,
                ..
            }
        ),
        "{error:?}"
    );
    says(error, &["table.csv:2:2", "\"b\"", "\"NA\"", "fill it in"]);
    let error = jsonl("{\"a\": 1, \"b\": 2}\n{\"a\": 3}\n").unwrap_err();
    says(error, &["t.jsonl:2:2", "\"b\"", "absent"]);
}

#[test]
fn bytes_that_are_no_text_are_placed() {
    let error = csv(b"a,b\n1,2\n3,4\xE9\n", &plain()).unwrap_err();
    assert!(
        matches!(
            error,
            Error::NotUtf8 {
                line: 3,
                column: 2,
                ..
            }
        ),
        "{error:?}"
    );
    says(error, &["table.csv:3:2", "UTF-8"]);
    let error = csv(b"a,\xE9t\xE9\n1,2\n", &plain()).unwrap_err();
    assert!(
        matches!(
            error,
            Error::NotUtf8 {
                line: 1,
                column: 2,
                ..
            }
        ),
        "{error:?}"
    );
    // What a spreadsheet calls "Unicode text".
    let utf16: Vec<u8> = "\u{feff}a,b\n1,2\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(matches!(
        csv(utf16, &plain()),
        Err(Error::NotUtf8 {
            line: 1,
            column: 1,
            ..
        })
    ));
    let bytes = &b"{\"a\": 1}\n{\"\xFF\": 1}\n"[..];
    let rows = JsonlRows::new(bytes, "t.jsonl", &JsonlOptions::default()).unwrap();
    let error = rows.collect_table().unwrap_err();
    assert!(
        matches!(
            error,
            Error::NotUtf8 {
                line: 2,
                column: 3,
                ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn a_ragged_row_is_named() {
    for (row, got) in [("1", 1), ("1,2,3", 3), ("1,2,,", 4)] {
        let error = csv(format!("a,b\n1,2\n{row}\n"), &plain()).unwrap_err();
        let Error::Ragged {
            line,
            expected,
            got: found,
            ..
        } = error
        else {
            panic!("{row}: {error:?}");
        };
        assert_eq!((line, expected, found), (3, 2, got), "{row}");
    }
    says(
        message("a,b\n1\n", &plain()),
        &["table.csv:2", "1 cells", "has 2"],
    );
}

#[test]
fn an_open_quote_does_not_swallow_the_file() {
    let text = format!("a,b\n1,\"2\n{}", "3,4\n".repeat(100_000));
    let error = csv(text, &plain()).unwrap_err();
    let Error::TooLong {
        line,
        column,
        limit,
        ..
    } = error
    else {
        panic!("{error:?}");
    };
    assert_eq!((line, column, limit), (2, 2, 65_536));
    says(error, &["table.csv:2:2", "65536", "quote left open"]);
}

#[test]
fn two_columns_of_one_name_are_refused() {
    says(
        message("a,b, a \n1,2,3\n", &plain()),
        &["columns 1 and 3", "\"a\"", "rename"],
    );
    says(
        message("a,b\n1,2\n", &plain().columns(["b", "b"])),
        &["columns 1 and 2", "\"b\""],
    );
    says(
        jsonl("{\"a\": 1, \"a\": 2}\n").unwrap_err(),
        &["columns 1 and 2", "\"a\""],
    );
    says(
        jsonl("{\"a\": 1}\n{\"a\": 1, \"a\": 2}\n").unwrap_err(),
        &["t.jsonl:2", "twice"],
    );
}

#[test]
fn a_column_that_is_not_there_brings_the_names_like_it() {
    let header = "crim,zn,indus,chas,nox,rm,age,tax,ptratio,medv_usd";
    let table = csv(format!("{header}\n1,2,3,4,5,6,7,8,9,10\n"), &plain()).unwrap();
    let error = table.split_target("medv").unwrap_err();
    let Error::ColumnNotFound { name, count, close } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(
        (name.as_str(), *count, close[0].as_str()),
        ("medv", 10, "medv_usd")
    );
    says(error, &["\"medv\"", "among 10", "close: \"medv_usd\""]);
    let error = table.column("PTRATOI").unwrap_err();
    says(error, &["close: \"ptratio\""]);
    says(
        table.column("qqqq").unwrap_err(),
        &["no column \"qqqq\" among 10"],
    );
    says(
        message("a,b\n1,2\n", &plain().columns(["c"])),
        &["no column \"c\"", "\"a\", \"b\""],
    );
    let rows = CsvRows::new(&b"a,b\n1,2\n"[..], "t.csv", &plain()).unwrap();
    says(
        rows.with_target("y").unwrap_err(),
        &["no column \"y\"", "\"a\", \"b\""],
    );
}

#[test]
fn options_out_of_range_are_refused() {
    for delimiter in [b'"', b'\n', b'7', b'e', b'.', b'-', 0xC3] {
        let error = csv("a,b\n1,2\n", &plain().delimiter(delimiter)).unwrap_err();
        assert!(
            matches!(
                error,
                Error::BadOption {
                    option: "delimiter",
                    ..
                }
            ),
            "{error:?}"
        );
    }
    let none: [&str; 0] = [];
    says(
        message("a\n1\n", &plain().columns(none)),
        &["columns is \"[]\"", "at least one"],
    );
}

#[test]
fn a_line_of_json_that_is_no_object_of_numbers_is_named() {
    for (line, part) in [
        ("[1, 2]", "expected an object"),
        ("{\"a\": 1", "EOF"),
        ("{\"a\": 1} {\"a\": 2}", "trailing characters"),
        ("{\"a\": 1e999}", "number out of range"),
        (
            "{\"a\": 1, \"b\": 2}",
            "key \"b\" is not in the first object",
        ),
    ] {
        let error = jsonl(&format!("{{\"a\": 1}}\n\n{line}\n")).unwrap_err();
        assert!(matches!(error, Error::BadLine { line: 3, .. }), "{error:?}");
        says(error, &["t.jsonl:3", part, "one object of numbers"]);
    }
    for (cell, shown) in [
        ("\"x\"", "x"),
        ("true", "true"),
        ("[1]", "an array"),
        ("{}", "object"),
    ] {
        let error = jsonl(&format!("{{\"a\": 1}}\n{{\"a\": {cell}}}\n")).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Parse {
                    line: 2,
                    column: 1,
                    ..
                }
            ),
            "{error:?}"
        );
        says(error, &["\"a\"", shown]);
    }
    says(jsonl("{}\n").unwrap_err(), &["t.jsonl:1", "no keys"]);
}

#[test]
fn arrays_that_are_not_numbers_or_not_whole_are_named() {
    let error = |name| npy::read(fixture(name)).unwrap_err();
    says(error("complex.npy"), &["complex.npy", "<c16", "astype"]);
    says(error("structured.npy"), &["structured arrays are not read"]);
    says(
        error("inexact.npy"),
        &["number 1", "9007199254740993", "astype('f8')"],
    );
    says(
        npy::read(fixture("stored.npz")).unwrap_err(),
        &["does not begin as one", "numpy.save"],
    );

    let whole = fs::read(fixture("f8.npy")).unwrap();
    says(
        npy::read_from(&whole[..175], "cut").unwrap_err(),
        &["ends before its last number"],
    );
    says(
        npy::read_from(&whole[..60], "cut").unwrap_err(),
        &["ends within its header"],
    );
    let mut future = whole;
    future[6] = 4;
    says(
        npy::read_from(&future[..], "new").unwrap_err(),
        &["version 4", "1 to 3"],
    );
    let mut boolean = fs::read(fixture("bool.npy")).unwrap();
    *boolean.last_mut().unwrap() = 2;
    says(
        npy::read_from(&boolean[..], "b").unwrap_err(),
        &["number 3 is 2", "no bool"],
    );
}

fn with_header(text: &str) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&u16::try_from(text.len()).unwrap().to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

#[test]
fn a_header_that_lies_costs_no_memory() {
    for shape in [
        "(1152921504606846976,)",
        "(18446744073709551615, 18446744073709551615)",
        "(4294967296, 4294967296)",
        "(1000000000000,)",
        "(1, 1000000000000)",
        "(99999999999999999999999,)",
    ] {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
        let bytes = with_header(&header);
        let work = || {
            assert!(npy::read_from(&bytes[..], "liar").is_err(), "{shape}");
            assert!(NpyRows::new(&bytes[..], "liar").is_err(), "{shape}");
        };
        let ((), peak) = crate::allocation::peak_of(work);
        assert!(peak < 300_000, "{shape} took {peak} bytes");
    }
    let mut long = b"\x93NUMPY\x02\x00".to_vec();
    long.extend_from_slice(&u32::MAX.to_le_bytes());
    says(
        npy::read_from(&long[..], "l").unwrap_err(),
        &["4294967295 bytes", "at most 65536"],
    );
}

#[test]
fn headers_are_read_as_dictionaries_and_refused_as_anything_else() {
    let numbers = [0_u8; 16];
    let read = |text: &str| {
        let bytes = [&with_header(text)[..], &numbers].concat();
        npy::read_from(&bytes[..], "h").map(|array| array.shape().to_vec())
    };
    // Other orders, quotes and spaces, and Python 2's long integers.
    assert_eq!(
        read("{\"shape\":(2L,),'fortran_order':False,'descr':'<f8'}").unwrap(),
        [2]
    );
    for text in [
        "",
        "{}",
        "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'shape': (2,)}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2.5,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2 2)}",
        "{'descr': '=f8', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '|f8', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f8, 'fortran_order': False, 'shape': (2,)}",
        "{'descr': 'é8', 'fortran_order': False, 'shape': (2,)}",
        "{'other': '<f8', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,) 'more': 1}",
    ] {
        assert!(matches!(read(text), Err(Error::Format { .. })), "{text}");
    }
}

#[test]
fn shapes_that_do_not_serve_are_refused() {
    says(
        Array::new(vec![2, 2], vec![1.0]).unwrap_err(),
        &["[2, 2]", "number of values"],
    );
    assert!(Array::new(vec![usize::MAX, 2], vec![]).is_err());
    for (shape, part) in [
        (vec![], "single number"),
        (vec![0, 1 << 40], "no numbers"),
        (vec![1, 1, 1], "two axes"),
    ] {
        let array = Array::new(shape.clone(), vec![1.0; shape.iter().product()]).unwrap();
        says(array.to_mat().unwrap_err(), &[part]);
        let mut bytes = Vec::new();
        npy::write_to(&mut bytes, "s", &array, Layout::default()).unwrap();
        says(NpyRows::new(&bytes[..], "s").unwrap_err(), &[part]);
    }
}

#[test]
fn a_number_that_does_not_fit_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kept.npy");
    npy::write(&path, &Array::from_vec(vec![1.0]), Layout::default()).unwrap();
    let before = fs::read(&path).unwrap();
    for (element, value) in [
        (Element::Bool, 2.0),
        (Element::I8, 128.0),
        (Element::I16, 0.5),
        (Element::U8, -1.0),
        (Element::U32, f64::NAN),
        (Element::I64, 9_223_372_036_854_775_808.0),
        (Element::U64, 18_446_744_073_709_551_616.0),
        (Element::F32, 1e300),
    ] {
        let layout = Layout {
            element,
            ..Layout::default()
        };
        let error = npy::write(&path, &Array::from_vec(vec![1.0, value]), layout).unwrap_err();
        assert!(
            matches!(error, Error::Unrepresentable { .. }),
            "{element:?}: {error:?}"
        );
        says(error, &[element.code(), "write f8"]);
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "a partial file is left"
    );
}

#[test]
fn an_archive_names_what_it_lacks() {
    let mut archive = npz::Archive::open(fixture("stored.npz")).unwrap();
    says(
        archive.read("x").unwrap_err(),
        &["stored.npz", "no array \"x\"", "close: \"X\""],
    );
    says(
        npz::Archive::open(fixture("f8.npy")).unwrap_err(),
        &["NPZ", "numpy.savez"],
    );
    let one = Array::from_vec(vec![1.0]);
    let folder = tempfile::tempdir().unwrap();
    let twice = npz::write(folder.path().join("t.npz"), &[("a", &one), ("a", &one)]);
    says(twice.unwrap_err(), &["both named \"a\""]);
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        0,
        "a partial file is left"
    );
}

#[test]
fn kinds_of_files_that_are_not_read_are_named() {
    for name in ["t.parquet", "t.npz", "t.json", "t.csv.gz"] {
        let Err(error) = open_rows(name, &plain()) else {
            panic!("{name} was read");
        };
        assert!(
            matches!(error, Error::UnknownFormat { .. }),
            "{name}: {error:?}"
        );
        says(error, &[name, ".jsonl", ".npy"]);
    }
}

#[test]
fn a_set_that_was_not_fetched_names_the_command() {
    let error = fetched::path("no_such_set").unwrap_err();
    assert!(matches!(error, Error::NotFetched { .. }), "{error:?}");
    says(
        error,
        &[
            "no_such_set",
            "shared/data/fetch.py --only",
            "PAPERCRATES_DATA",
        ],
    );
}

#[test]
fn a_headerless_file_told_to_have_none_is_checked_from_its_first_line() {
    let error = csv("a,1\n2,3\n", &plain().header(Header::No)).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Parse {
                line: 1,
                column: 1,
                ..
            }
        ),
        "{error:?}"
    );
}
