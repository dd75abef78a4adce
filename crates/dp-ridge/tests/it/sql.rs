//! The SQL, run in SQLite, against the path in memory.

use dp_ridge::faer::{MatRef, Par};
use dp_ridge::io::parse_sums;
use dp_ridge::sql::{Dialect, columns, settings, statistics};
use dp_ridge::{Clip, Error, FeatureRange, Limits, Missing, Preparation, SuffStats, TargetRange};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;
use serde_json::{Map, json};

/// SQLite as its shell is built: this library's own build leaves the math functions out.
fn open() -> Connection {
    let database = Connection::open_in_memory().expect("SQLite opens");
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    database
        .create_scalar_function("SQRT", 1, flags, |call| Ok(call.get::<f64>(0)?.sqrt()))
        .expect("SQRT is registered");
    database
}

/// Rows with everything that needs care; `None` is NULL. The target is last.
fn rows() -> Vec<[Option<f64>; 4]> {
    let mut rows: Vec<[Option<f64>; 4]> = (0..500)
        .map(|i| {
            let t = f64::from(i);
            [
                (t * 0.7).sin() * 1.3,
                (t * 1.1).cos() * 0.8,
                (t * 0.3).sin(),
                (t * 0.9).cos() * 1.4,
            ]
            .map(Some)
        })
        .collect();
    rows.push([None, Some(0.5), Some(0.1), Some(0.2)]);
    rows.push([Some(0.1), Some(0.2), Some(0.3), None]);
    rows.push([Some(f64::INFINITY), Some(0.2), Some(0.3), Some(0.4)]);
    rows.push([
        Some(0.1),
        Some(f64::NEG_INFINITY),
        Some(0.3),
        Some(f64::INFINITY),
    ]);
    rows.push([Some(1e140), Some(-1e149), Some(0.3), Some(1e149)]);
    rows.push([Some(1e160), Some(0.2), Some(0.3), Some(-1e160)]);
    rows.push([Some(0.0); 4]);
    rows.push([Some(1e-200), Some(0.0), Some(0.0), Some(1e-200)]);
    rows
}

fn create(database: &Connection, table: &str, names: [&str; 4]) {
    let quote = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let list = names.map(quote).join(", ");
    database
        .execute(&format!("CREATE TABLE {} ({list})", quote(table)), ())
        .expect("a table");
    let insert = format!("INSERT INTO {} VALUES (?, ?, ?, ?)", quote(table));
    let mut insert = database.prepare(&insert).expect("an insert");
    for row in rows() {
        insert.execute(row).expect("a row");
    }
}

/// The one row of a query as a JSON object.
fn json_row(database: &Connection, query: &str) -> String {
    let mut statement = database.prepare(query).expect("the SQL is valid");
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut found = statement.query(()).expect("the SQL runs");
    let row = found.next().expect("a row").expect("one row");
    let object: Map<String, serde_json::Value> = names
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let value = match row.get(i).expect("a value") {
                Value::Integer(v) => json!(v),
                Value::Real(v) => json!(v),
                other => panic!("{name} is {other:?}"),
            };
            (name.clone(), value)
        })
        .collect();
    assert!(
        found.next().expect("the end").is_none(),
        "more than one row"
    );
    serde_json::Value::Object(object).to_string()
}

fn in_memory(preparation: &Preparation) -> (SuffStats, u64, u64) {
    let (mut x, mut y, mut buffer) = (Vec::new(), Vec::new(), Vec::new());
    let (mut clipped_x, mut clipped_y) = (0, 0);
    for row in rows() {
        let row = row.map(|v| v.unwrap_or(f64::NAN));
        clipped_x += u64::from(preparation.apply(&row[..3], &mut buffer).expect("a row"));
        x.extend_from_slice(&buffer);
        let (target, outside) = preparation.apply_target(row[3]).expect("a target");
        clipped_y += u64::from(outside);
        y.push(target);
    }
    let d = preparation.d();
    let mut stats = SuffStats::new(d, preparation.bounds(), Clip::Clip).expect("bounds");
    let x = MatRef::from_row_major_slice(&x, y.len(), d);
    stats.push_batch(x, &y, Par::Seq).expect("rows");
    (stats, clipped_x, clipped_y)
}

fn preparations() -> [Preparation; 3] {
    let limits = |l, u| Limits::new(l, u).expect("limits");
    let each = vec![limits(-1.0, 1.0), limits(-0.5, 0.7), limits(-2.0, 0.25)];
    let norm = Preparation::new(3, FeatureRange::Norm(1.25), TargetRange::Abs(0.75));
    let unit = Preparation::new(
        3,
        FeatureRange::Limits(each),
        TargetRange::Limits(limits(-1.0, 1.25)),
    );
    let norm = norm.expect("a preparation").with_missing(Missing::Centre);
    let unit = unit.expect("a preparation").with_missing(Missing::Centre);
    let intercept = norm.clone().with_intercept(0.5).expect("an intercept");
    [
        norm,
        intercept,
        unit.with_intercept(1.0).expect("an intercept"),
    ]
}

fn assert_equal(a: &SuffStats, b: &SuffStats) {
    assert_eq!(a.n(), b.n());
    // Entries that cancel are compared on the scale of their column.
    let (gram, other) = (a.non_private_gram(), b.non_private_gram());
    for i in 0..a.d() {
        for j in 0..a.d() {
            let scale = (other[(i, i)] * other[(j, j)]).sqrt();
            assert!(
                (gram[(i, j)] - other[(i, j)]).abs() <= 1e-10 * scale,
                "g {i} {j}"
            );
        }
        let scale = (other[(i, i)] * b.non_private_yy()).sqrt();
        let (xty, other) = (a.non_private_xty()[i], b.non_private_xty()[i]);
        assert!((xty - other).abs() <= 1e-10 * scale, "b {i}: {xty} {other}");
    }
    assert!((a.non_private_yy() / b.non_private_yy() - 1.0).abs() <= 1e-10);
}

#[test]
fn sqlite_agrees_with_memory() {
    let names = ["a", "b", "c"].map(str::to_owned);
    for preparation in preparations() {
        let database = open();
        create(&database, "t", ["a", "b", "c", "y"]);
        let query = statistics("t", "y", &names, &preparation, Dialect::Ansi).expect("SQL");
        let row = json_row(&database, &query);
        let same = settings("y", &names, &preparation);
        let (d, bounds) = (preparation.d(), preparation.bounds());
        let stats = parse_sums(&row, "row", d, bounds, same).expect("sums");
        let (expected, clipped_x, clipped_y) = in_memory(&preparation);
        assert_equal(&stats, &expected);
        assert_eq!(stats.non_private_clipped(), (clipped_x, clipped_y));
        assert!(clipped_x > 0 && clipped_x < 500 && clipped_y > 0 && clipped_y < 500);
    }
}

#[test]
fn partitions_add_up_in_any_json_form() {
    let names = ["a", "b", "c"].map(str::to_owned);
    let preparation = &preparations()[1];
    let database = open();
    create(&database, "t", ["a", "b", "c", "y"]);
    database
        .execute_batch(
            "CREATE VIEW odd AS SELECT * FROM t WHERE rowid % 2 = 1;
             CREATE VIEW even AS SELECT * FROM t WHERE rowid % 2 = 0;
             CREATE VIEW nobody AS SELECT * FROM t WHERE rowid < 0;",
        )
        .expect("views");
    let part = |table: &str| {
        let query = statistics(table, "y", &names, preparation, Dialect::Ansi).expect("SQL");
        json_row(&database, &query)
    };
    let (odd, even, nobody) = (part("odd"), part("even"), part("nobody"));
    let (expected, ..) = in_memory(preparation);
    for text in [
        format!("{odd}\n{even}\n{nobody}\n"),
        format!("[{odd}, {nobody}, {even}]"),
    ] {
        let stats = parse_sums(
            &text,
            "parts",
            preparation.d(),
            preparation.bounds(),
            settings("y", &names, preparation),
        );
        assert_equal(&stats.expect("sums"), &expected);
    }
}

#[test]
fn names_are_only_ever_names() {
    let evil = "x\"; DROP TABLE \"big table\"; --";
    let preparation = &preparations()[0];
    let database = open();
    create(&database, "big table", [evil, "order", "Größe [cm]", "`y`"]);
    let names = [evil, "order", "Größe [cm]"].map(str::to_owned);
    for dialect in [Dialect::Ansi, Dialect::Postgres, Dialect::Spark] {
        // SQLite reads back-quotes as well.
        let query = statistics("main.big table", "`y`", &names, preparation, dialect).expect("SQL");
        let row = json_row(&database, &query);
        let same = settings("`y`", &names, preparation);
        let stats = parse_sums(&row, "row", 3, preparation.bounds(), same).expect("sums");
        assert_equal(&stats, &in_memory(preparation).0);
    }
    for bad in ["", "a\0b"] {
        let names = [bad, "b", "c"].map(str::to_owned);
        let error =
            statistics("t", "y", &names, preparation, Dialect::Ansi).expect_err("a bad name");
        assert_eq!(error, Error::BadName { name: bad.into() });
    }
}

/// SQLite's `.import` makes text columns, which compare as text.
#[test]
fn text_columns_are_numbers_too() {
    let database = open();
    database
        .execute_batch(
            "CREATE TABLE t (a TEXT, y TEXT);
             INSERT INTO t VALUES ('-0.5', '-0.25'), ('0.25', '1e0'), (NULL, '0.5');",
        )
        .expect("a table");
    let names = ["a".to_owned()];
    let preparation =
        Preparation::new(1, FeatureRange::Norm(1.0), TargetRange::Abs(1.0)).expect("bounds");
    let query = statistics("t", "y", &names, &preparation, Dialect::Ansi).expect("SQL");
    let same = settings("y", &names, &preparation);
    let row = json_row(&database, &query);
    let stats = parse_sums(&row, "row", 1, preparation.bounds(), same).expect("sums");
    assert_eq!(stats.non_private_gram()[(0, 0)], 0.3125);
    assert_eq!(stats.non_private_xty(), [0.375]);
    assert_eq!(stats.non_private_yy(), 1.3125);
}

/// Sums made with one bound, order or target are not released with another.
#[test]
fn other_settings_are_refused() {
    let names = ["a", "b"].map(str::to_owned);
    let preparation = |x_norm, intercept: Option<f64>| {
        let made = Preparation::new(2, FeatureRange::Norm(x_norm), TargetRange::Abs(1.0));
        let made = made.expect("bounds");
        intercept.map_or(made.clone(), |s| made.with_intercept(s).expect("intercept"))
    };
    let same = settings("y", &names, &preparation(1.0, None));
    let swapped = ["b", "a"].map(str::to_owned);
    for other in [
        settings("y", &names, &preparation(0.5, None)),
        settings("y", &names, &preparation(1.0, Some(1.0))),
        settings("z", &names, &preparation(1.0, None)),
        settings("y", &swapped, &preparation(1.0, None)),
    ] {
        assert_ne!(same, other);
    }
    // 52 bits are exact as a double.
    assert_eq!(same as f64 as u64, same);
}

#[test]
fn integers_are_summed_as_doubles() {
    let database = open();
    database
        .execute_batch(
            "CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER, y INTEGER);
             INSERT INTO t VALUES (3000000000, 4000000000, 0, 7), (3, 4, 0, 2);",
        )
        .expect("a table");
    let names = ["a", "b", "c"].map(str::to_owned);
    let preparation =
        Preparation::new(3, FeatureRange::Norm(10.0), TargetRange::Abs(4.0)).expect("bounds");
    let query = statistics("t", "y", &names, &preparation, Dialect::Ansi).expect("SQL");
    let stats = parse_sums(
        &json_row(&database, &query),
        "row",
        3,
        preparation.bounds(),
        settings("y", &names, &preparation),
    )
    .expect("sums");
    // By hand: (6, 8, 0) with 4, and (3, 4, 0) with 2.
    assert_eq!(stats.non_private_gram()[(0, 0)], 45.0);
    assert_eq!(stats.non_private_gram()[(1, 0)], 60.0);
    assert_eq!(stats.non_private_xty(), [30.0, 40.0, 0.0]);
    assert_eq!(stats.non_private_yy(), 20.0);
    assert_eq!(stats.non_private_clipped(), (1, 1));
}

#[test]
fn sums_that_cannot_be_are_refused() {
    let bounds = preparations()[0].bounds();
    let good = || -> Map<String, serde_json::Value> {
        let mut row: Map<_, _> = columns(1)
            .into_iter()
            .map(|name| (name, json!(0.5)))
            .collect();
        row.insert("n".into(), json!(4));
        row.insert("clipped_x".into(), json!(1));
        row.insert("clipped_y".into(), json!(0));
        row
    };
    let read = |row: Map<String, serde_json::Value>| {
        parse_sums(
            &serde_json::Value::Object(row).to_string(),
            "row.json",
            1,
            bounds,
            7,
        )
    };
    read(good()).expect("good sums");
    let with = |name: &str, value: serde_json::Value| {
        let mut row = good();
        row.insert(name.into(), value);
        read(row).expect_err(name).to_string()
    };
    assert!(with("n", json!(4.5)).contains("\"n\" is 4.5; expected a whole number"));
    assert!(with("n", json!(-4)).contains("expected a whole number"));
    assert!(with("b_0", json!("0.5")).contains("\"b_0\" holds \"0.5\"; expected a number"));
    assert!(with("b_0", json!(null)).contains("holds null"));
    assert!(with("b_1", json!(0)).contains("\"b_1\" is none of the 6"));
    read({
        let mut row = good();
        row.insert("settings".into(), json!(7));
        row
    })
    .expect("the same settings");
    assert!(with("settings", json!(8)).contains("computed with other settings"));
    assert!(with("settings", json!("7")).contains("computed with other settings"));
    // Four rows of norm at most 1.25 have a trace of at most 6.25.
    assert!(with("g_0_0", json!(6.3)).contains("impossible"));
    assert!(with("g_0_0", json!(-0.5)).contains("impossible"));
    assert!(with("clipped_x", json!(5)).contains("impossible"));
    let mut row = good();
    row.remove("yy");
    assert!(
        read(row)
            .expect_err("no yy")
            .to_string()
            .contains("no column \"yy\"")
    );
    let error = |text: &str| {
        parse_sums(text, "row.json", 1, bounds, 7)
            .expect_err(text)
            .to_string()
    };
    assert!(error("").contains("no row of sums"));
    assert!(error("3").contains("expected an object, found 3"));
    assert!(error("[3]").contains("expected objects"));
    assert!(error("{\"n\": ").contains("row.json"));
}

/// From a database to a model card, and the same as from the table itself.
#[cfg(feature = "cli")]
#[test]
fn the_release_of_sums_is_the_release_of_the_rows() {
    use crate::cli::{Desk, table};
    let desk = Desk::new();
    let database = open();
    database
        .execute("CREATE TABLE people (a, b, y)", ())
        .expect("a table");
    for line in table(400).lines().skip(1) {
        let row: Vec<f64> = line
            .split(',')
            .map(|v| v.parse().expect("a number"))
            .collect();
        database
            .execute(
                "INSERT INTO people VALUES (?, ?, ?)",
                [row[0], row[1], row[2]],
            )
            .expect("a row");
    }
    let records = "--target y --features a,b --x-norm 0.8 --y-abs 0.4 --intercept=0.5";
    let query = desk.ok(&format!("sql --table people {records}")).stdout;
    desk.write("stats.json", &json_row(&database, &query));
    let privacy = "--floor spectral:0.05 --alpha 0.01 --eps 1 --delta 1e-6 --noise float --seed 3";
    desk.ok(&format!(
        "release --stats stats.json {records} {privacy} --ledger l.json --out sums.json"
    ));
    desk.ok(&format!("fit data.csv {records} {privacy} --out rows.json"));
    let (sums, rows) = (desk.json("sums.json"), desk.json("rows.json"));
    assert_eq!(sums["release"]["ledger"], rows["release"]["ledger"]);
    assert_eq!(desk.json("l.json"), sums["release"]["ledger"]);
    for i in 0..3 {
        let coef =
            |card: &serde_json::Value| card["release"]["coef"][i].as_f64().expect("a number");
        assert!((coef(&sums) - coef(&rows)).abs() < 1e-9);
    }
    // Other features than in the query are noticed.
    let other = records.replace("a,b", "a");
    let refused = desk.line(&format!(
        "release --stats stats.json {other} {privacy} --out no.json"
    ));
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("give the same features"),
        "{}",
        refused.stderr
    );
}

/// Expanded, the 230 sums of 20 features take half a million steps a row; fenced, a few thousand.
#[test]
fn every_expression_is_computed_once_a_row() {
    let names: Vec<String> = (0..20).map(|i| format!("c{i}")).collect();
    let database = open();
    database
        .execute(&format!("CREATE TABLE t ({}, y)", names.join(", ")), ())
        .expect("a table");
    let preparation = Preparation::new(20, FeatureRange::Norm(1.0), TargetRange::Abs(1.0));
    let preparation = preparation.expect("bounds");
    let query = statistics("t", "y", &names, &preparation, Dialect::Ansi).expect("SQL");
    let mut program = database
        .prepare(&format!("EXPLAIN {query}"))
        .expect("the SQL is valid");
    let mut steps = program.query(()).expect("a program");
    let mut count = 0;
    while steps.next().expect("a step").is_some() {
        count += 1;
    }
    assert!(count < 10_000, "{count} steps");
}
