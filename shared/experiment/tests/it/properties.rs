//! What holds for any input.

use papercrates_experiment::{
    CellContext, CellError, Claim, Criterion, Estimate, Experiment, Findings, Paper, Plan,
    Reproduction, Shard, Table, Value, Verdict,
};
use proptest::prelude::*;

/// Outcomes are whatever texts and numbers they are given.
struct Echo(Vec<(String, f64)>);

impl Experiment for Echo {
    type Cell = (usize, String);
    type Outcome = (String, f64);

    fn id(&self) -> &'static str {
        "echo"
    }
    fn title(&self) -> &str {
        "Echo"
    }
    fn cuts(&self, _: &Plan) -> String {
        String::new()
    }
    fn cells(&self, _: &Plan) -> Vec<Self::Cell> {
        let texts = self.0.iter().map(|(text, _)| text.clone());
        texts.enumerate().collect()
    }
    fn run(&self, cell: &Self::Cell, _: &CellContext) -> Result<Self::Outcome, CellError> {
        Ok(self.0[cell.0].clone())
    }
    fn conclude(&self, results: &[(Self::Cell, Self::Outcome)]) -> Result<Findings, CellError> {
        let table = Table::new("echo", "Echo", ["text", "number"]);
        Ok(
            Findings::new().table(results.iter().fold(table, |table, (_, (text, number))| {
                table.row([text.as_str().into(), (*number).into()])
            })),
        )
    }
}

fn echoed(run: &papercrates_experiment::Run) -> Vec<(String, u64)> {
    let table = run.report().unwrap().papers()[0].tables().next().unwrap();
    let rows = table.rows().iter();
    rows.map(|row| match (&row[0], &row[1]) {
        (Value::Text(text), Value::Number(number)) => (text.clone(), number.to_bits()),
        other => panic!("{other:?}"),
    })
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any text and any finite number goes through the journal unchanged, bit for bit.
    #[test]
    fn outcomes_survive_the_journal(
        outcomes in prop::collection::vec((any::<String>(), prop::num::f64::NORMAL), 1..6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let paper = || Paper::new("echo", "0.0.1", "Echo").experiment(Echo(outcomes.clone()));
        let reproduction = Reproduction::new(Plan::quick(1)).out(folder.path());
        let first = reproduction.run(&[paper()]).unwrap();
        let again = reproduction.run(&[paper()]).unwrap();
        let expected: Vec<(String, u64)> =
            outcomes.iter().map(|(text, number)| (text.clone(), number.to_bits())).collect();
        prop_assert_eq!(again.ran(), 0);
        prop_assert_eq!(&echoed(&first), &expected);
        prop_assert_eq!(echoed(&again), expected);
    }

    /// Each cell belongs to exactly one part, and parts differ by at most one cell.
    #[test]
    fn shards_share_the_cells(count in 1usize..40, cells in 0usize..200) {
        let shards: Vec<Shard> = (1..=count).map(|i| Shard::new(i, count).unwrap()).collect();
        for cell in 0..cells {
            prop_assert_eq!(shards.iter().filter(|s| s.holds(cell)).count(), 1);
        }
        let sizes = shards.iter().map(|s| (0..cells).filter(|c| s.holds(*c)).count());
        let (least, most) = (sizes.clone().min().unwrap(), sizes.max().unwrap());
        prop_assert!(most - least <= 1);
    }

    /// A narrower interval never turns a decided verdict into another decision.
    #[test]
    fn verdicts_sharpen(
        low in -5.0..5.0f64, width in 0.0..3.0f64, from in 0.0..1.0f64, part in 0.0..1.0f64,
        limit in -5.0..5.0f64, kind in 0..5,
    ) {
        let criterion = match kind {
            0 => Criterion::at_least(limit),
            1 => Criterion::at_most(limit),
            2 => Criterion::above(limit),
            3 => Criterion::below(limit),
            _ => Criterion::within(limit, limit + 1.0),
        };
        let verdict = |low: f64, high: f64| {
            let estimate = Estimate::new(f64::midpoint(low, high), low, high, 2).unwrap();
            Claim::measured("i", "s", "p", estimate, criterion.clone()).verdict()
        };
        let inner_low = low + from * width;
        let inner_high = inner_low + part * (low + width - inner_low).max(0.0);
        let (outer, inner) = (verdict(low, low + width), verdict(inner_low, inner_high));
        if outer != Verdict::Inconclusive {
            prop_assert_eq!(outer, inner);
        }
    }

    /// CSV gives back what a table holds.
    #[test]
    fn csv_round_trip(rows in prop::collection::vec((any::<String>(), prop::num::f64::NORMAL), 0..8)) {
        let table = rows.iter().fold(Table::new("t", "T", ["a", "b"]), |table, (text, number)| {
            table.row([text.as_str().into(), (*number).into()])
        });
        let csv = table.to_csv().unwrap();
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let read: Vec<(String, f64)> = reader.deserialize().map(|row| row.unwrap()).collect();
        prop_assert_eq!(read, rows);
    }
}
