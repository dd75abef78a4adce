//! Each error is reached, and says what was wrong, where the limit is and what to do.

use std::fs;

use papercrates_experiment::{
    Axis, CellContext, CellError, Error, Estimate, Experiment, Figure, Findings, Paper, Plan,
    Reproduction, Series, Shard, Table, merge,
};

use crate::demo::{Demo, run_in};

#[track_caller]
fn says(error: &Error, words: &[&str]) {
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "{text:?} lacks {word:?}");
    }
}

#[test]
fn shards() {
    for text in ["0/8", "9/8", "1/0", "1", "a/b", "", "1/2/3", "-1/2"] {
        let error = text.parse::<Shard>().unwrap_err();
        says(&error, &[&format!("{text:?}"), "1 <= i <= n", "1/8"]);
    }
    says(&Shard::new(3, 2).unwrap_err(), &["3/2"]);
}

#[test]
fn estimates() {
    let new = |m, l, h, n| Estimate::new(m, l, h, n).unwrap_err();
    says(&new(f64::NAN, 0.0, 1.0, 3), &["NaN", "finite"]);
    says(&new(0.5, 0.0, f64::INFINITY, 3), &["inf", "finite"]);
    says(&new(0.5, 1.0, 0.0, 3), &["[1, 0]", "lower end"]);
    says(&new(0.5, 0.0, 1.0, 0), &["0 observations", "at least one"]);
    says(&Estimate::exact(f64::NAN).unwrap_err(), &["finite"]);
    for values in [&[][..], &[1.0], &[1.0, f64::NAN]] {
        assert!(matches!(
            Estimate::of_mean(values),
            Err(Error::BadEstimate { .. })
        ));
    }
    assert!(matches!(
        Estimate::proportion(3, 2),
        Err(Error::BadEstimate { .. })
    ));
    assert!(matches!(
        Estimate::proportion(0, 0),
        Err(Error::BadEstimate { .. })
    ));
    let lengths = Estimate::difference(&[1.0, 2.0], &[1.0]).unwrap_err();
    says(
        &lengths,
        &["2 observations", "paired with 1", "same length"],
    );
    assert!(matches!(
        Estimate::ratio(&[1.0, 0.0], &[1.0, 1.0]),
        Err(Error::BadEstimate { .. })
    ));
    let interval = papercrates_experiment::numeric::stats::mean_interval(&[1.0, 2.0], 0.9).unwrap();
    says(&Estimate::try_from(interval).unwrap_err(), &["0.9", "0.95"]);
}

#[test]
fn tables() {
    let none: [&str; 0] = [];
    says(
        &Table::new("t", "T", none).check().unwrap_err(),
        &["table t", "no column"],
    );
    let ragged = Table::new("t", "T", ["a", "b"])
        .row([1.into(), 2.into()])
        .row([3.into()]);
    for error in [ragged.check().unwrap_err(), ragged.to_csv().unwrap_err()] {
        says(&error, &["table t", "row 2", "1 values for 2 columns"]);
    }
}

fn figure(alt: &str) -> Figure {
    Figure::new("f", "F", alt, Axis::linear("x"), Axis::log("y"))
}

#[test]
fn figures() {
    let error = |figure: Figure| figure.to_svg().unwrap_err();
    let line = |name: &str| Series::line(name, [(1.0, 1.0), (2.0, 3.0)]);
    says(
        &error(figure(" ").series(line("a"))),
        &["figure f", "alternative text"],
    );
    says(&error(figure("alt")), &["no points"]);
    says(
        &error(figure("alt").series(Series::line("a", [(1.0, 0.0)]))),
        &["(1, 0)", "positive on a logarithmic axis"],
    );
    says(
        &error(figure("alt").series(Series::line("a", [(f64::NAN, 1.0)]))),
        &["NaN", "finite"],
    );
    let below = Estimate::new(1.0, -1.0, 3.0, 4).unwrap();
    says(
        &error(figure("alt").series(Series::scatter("a", [(1.0, below)]))),
        &["[-1, 3]"],
    );
    says(
        &error(figure("alt").series(line("a")).rule(-1.0, "limit")),
        &["limit", "-1"],
    );
    says(
        &error(figure("alt").series(line("a")).series(line("a"))),
        &["two series", "\"a\""],
    );
    let many = (0..9).fold(figure("alt"), |f, k| f.series(line(&k.to_string())));
    says(&error(many), &["9 series", "8", "split"]);
    let places = Figure::new(
        "f",
        "F",
        "alt",
        Axis::categories("c", ["a", "b"]),
        Axis::linear("y"),
    );
    says(
        &error(places.series(Series::bars("b", [1.0, 2.0, 3.0]))),
        &["(2, 3)"],
    );
}

/// An experiment whose parts are given as functions.
struct Odd {
    id: &'static str,
    cells: Vec<u32>,
    outcome: fn(u32) -> Option<f64>,
    findings: fn() -> Findings,
}

impl Odd {
    fn new() -> Self {
        Self {
            id: "odd",
            cells: vec![1, 2],
            outcome: |_| Some(1.0),
            findings: Findings::new,
        }
    }

    fn run(self) -> Result<papercrates_experiment::Run, Error> {
        let paper = Paper::new("odd-crate", "0.1.0", "Odd").experiment(self);
        Reproduction::new(Plan::quick(1)).run(&[paper])
    }

    /// What the only failure of the run says.
    #[track_caller]
    fn failure(self) -> String {
        let run = self.run().unwrap();
        let failures: Vec<_> = run.report().unwrap().papers()[0].failures().collect();
        assert_eq!(failures.len(), 1);
        assert!(!run.report().unwrap().is_sound());
        failures[0].message().to_owned()
    }
}

/// A number that JSON does not have, unless it is one.
#[derive(serde::Serialize, serde::Deserialize)]
struct Number {
    value: f64,
}

impl Experiment for Odd {
    type Cell = u32;
    type Outcome = Number;

    fn id(&self) -> &'static str {
        self.id
    }
    fn title(&self) -> &str {
        "Odd"
    }
    fn cuts(&self, _: &Plan) -> String {
        String::new()
    }
    fn cells(&self, _: &Plan) -> Vec<u32> {
        self.cells.clone()
    }
    fn run(&self, cell: &u32, _: &CellContext) -> Result<Number, CellError> {
        let value = (self.outcome)(*cell).unwrap_or(f64::NAN);
        Ok(Number { value })
    }
    fn conclude(&self, _: &[(u32, Number)]) -> Result<Findings, CellError> {
        Ok((self.findings)())
    }
}

#[test]
fn cells_listed_twice() {
    let error = Odd {
        cells: vec![4, 5, 4],
        ..Odd::new()
    }
    .run()
    .unwrap_err();
    assert!(matches!(error, Error::DuplicateCell { .. }));
    says(&error, &["experiment odd", "cell 4 twice", "own number"]);
}

#[test]
fn ids_that_are_no_file_names() {
    for id in ["", "Big", "a/b", "..", "a--b", "ä"] {
        let error = Odd { id, ..Odd::new() }.run().unwrap_err();
        assert!(matches!(error, Error::BadId { .. }), "{id}");
        says(&error, &["experiment", &format!("{id:?}"), "lower-case"]);
    }
    let twice = Paper::new("p", "0.1.0", "P")
        .experiment(Odd::new())
        .experiment(Odd::new());
    let error = Reproduction::new(Plan::quick(1)).run(&[twice]).unwrap_err();
    says(&error, &["\"odd\"", "two of that name"]);
}

#[test]
fn outcomes_that_json_does_not_have() {
    let message = Odd {
        outcome: |k| (k == 1).then_some(0.5),
        ..Odd::new()
    }
    .failure();
    assert!(
        message.contains("null") && message.contains("Option"),
        "{message}"
    );
}

#[test]
fn findings_that_cannot_be_shown() {
    let message = Odd {
        findings: || Findings::new().table(Table::new("t", "T", ["a"]).row([])),
        ..Odd::new()
    }
    .failure();
    assert!(message.contains("row 1 has 0 values"), "{message}");
    let message = Odd {
        findings: || Findings::new().figure(figure("alt")),
        ..Odd::new()
    }
    .failure();
    assert!(message.contains("no points"), "{message}");
    let message = Odd {
        findings: || panic!("what is this"),
        ..Odd::new()
    }
    .failure();
    assert_eq!(message, "panicked: what is this");
}

/// Cells that JSON cannot hold: a map whose keys are pairs.
struct Unwritable;

impl Experiment for Unwritable {
    type Cell = std::collections::BTreeMap<(u8, u8), u8>;
    type Outcome = u8;

    fn id(&self) -> &'static str {
        "unwritable"
    }
    fn title(&self) -> &str {
        "Unwritable"
    }
    fn cuts(&self, _: &Plan) -> String {
        String::new()
    }
    fn cells(&self, _: &Plan) -> Vec<Self::Cell> {
        vec![[((1, 2), 3)].into()]
    }
    fn run(&self, _: &Self::Cell, _: &CellContext) -> Result<u8, CellError> {
        Ok(0)
    }
    fn conclude(&self, _: &[(Self::Cell, u8)]) -> Result<Findings, CellError> {
        Ok(Findings::new())
    }
}

#[test]
fn cells_that_json_does_not_have() {
    let paper = Paper::new("p", "0.1.0", "P").experiment(Unwritable);
    let error = Reproduction::new(Plan::quick(1)).run(&[paper]).unwrap_err();
    assert!(matches!(error, Error::BadCell { .. }), "{error}");
    says(
        &error,
        &["experiment unwritable", "cell 0", "key must be a string"],
    );
}

#[test]
fn output_folders() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let run = |name: &str, force: bool| {
        Reproduction::new(Plan::quick(1))
            .out(out(name))
            .force(force)
            .run(&[Demo::new(2).paper()])
    };
    fs::write(out("file"), "mine").unwrap();
    for force in [false, true] {
        let error = run("file", force).unwrap_err();
        assert!(matches!(error, Error::OutputIsFile { .. }), "{error}");
        says(&error, &["file is a file", "--out"]);
    }
    assert_eq!(fs::read_to_string(out("file")).unwrap(), "mine");

    for (name, files) in [
        ("site", &["index.html"][..]),
        ("work", &["journal/a--b.jsonl", "thesis.tex"]),
        ("diary", &["journal/monday.txt"]),
    ] {
        for file in files {
            fs::create_dir_all(out(name).join(file).parent().unwrap()).unwrap();
            fs::write(out(name).join(file), "mine").unwrap();
        }
        let error = run(name, false).unwrap_err();
        assert!(matches!(error, Error::OutputExists { .. }), "{error}");
        says(&error, &[name, files[files.len() - 1], "--force", "--out"]);
        for file in files {
            assert_eq!(fs::read_to_string(out(name).join(file)).unwrap(), "mine");
        }
    }
    run("work", true).unwrap();
    assert_eq!(
        fs::read_to_string(out("work/thesis.tex")).unwrap(),
        "mine",
        "force leaves it"
    );

    fs::create_dir(out("empty")).unwrap();
    run("empty", false).unwrap();
    run("deep/er/new", false).unwrap();
    assert!(out("deep/er/new/index.html").is_file());

    let error = run("file/below", false).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
    says(&error, &["cannot create", "below"]);
}

#[test]
fn a_foreign_file_in_place_of_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("journal")).unwrap();
    let journal = folder.path().join("journal/demo-crate--demo.jsonl");
    for text in [
        "{\"my\":\"data\"}\n",
        "x",
        "{\"sum\":\"0\",\"len\":1,\"body\":1}\nmore\n",
    ] {
        fs::write(&journal, text).unwrap();
        let error = Reproduction::new(Plan::quick(1))
            .out(folder.path())
            .run(&[Demo::new(2).paper()]);
        let error = error.unwrap_err();
        assert!(matches!(error, Error::NotAJournal { .. }), "{error}");
        says(&error, &["journal header", "--force"]);
        assert_eq!(fs::read_to_string(&journal).unwrap(), text);
    }
}

#[test]
fn merges() {
    let folder = tempfile::tempdir().unwrap();
    let (empty, out) = (folder.path().join("empty"), folder.path().join("out"));
    fs::create_dir(&empty).unwrap();
    let error = merge(vec![], &[empty], &out, false).unwrap_err();
    assert!(matches!(error, Error::NothingToMerge { .. }), "{error}");
    says(&error, &["empty", "--shard"]);
    let run = folder.path().join("run");
    run_in(&run, &[Demo::new(2).paper()], Plan::quick(1));
    let other = Paper::new("other", "0.1.0", "Other");
    let error = merge(vec![other], &[run], &out, false).unwrap_err();
    assert!(matches!(error, Error::UnknownPaper { .. }), "{error}");
    says(&error, &["demo-crate", "known: other"]);
    assert!(!out.exists());
}
