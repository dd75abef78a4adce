//! An experiment from end to end: does the mean of n dice come within 0.1 of 3.5?
//!
//! `cargo run -p papercrates-experiment --example quickstart -- dice-report` writes a report.

use papercrates_experiment::numeric::streams;
use papercrates_experiment::{
    Axis, CellContext, CellError, Claim, Criterion, Estimate, Experiment, Figure, Findings, Paper,
    Plan, Reproduction, Series, Table,
};

struct Dice;

#[derive(serde::Serialize)]
struct Cell {
    throws: usize,
    repetition: usize,
}

impl Experiment for Dice {
    type Cell = Cell;
    type Outcome = f64;

    fn id(&self) -> &'static str {
        "dice"
    }

    fn title(&self) -> &str {
        "Error of the mean of n dice"
    }

    fn cuts(&self, plan: &Plan) -> String {
        format!("{} repetitions instead of 1000.", plan.pick(50, 1000))
    }

    fn cells(&self, plan: &Plan) -> Vec<Cell> {
        let repetitions = 0..plan.pick(50, 1000);
        [100, 1000, 10_000]
            .into_iter()
            .flat_map(|throws| {
                repetitions
                    .clone()
                    .map(move |repetition| Cell { throws, repetition })
            })
            .collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext) -> Result<f64, CellError> {
        let mut rng = ctx.streams().child("throws").rng();
        let sum: usize = (0..cell.throws)
            .map(|_| 1 + streams::index(&mut rng, 6))
            .sum();
        Ok((sum as f64 / cell.throws as f64 - 3.5).abs())
    }

    fn conclude(&self, results: &[(Cell, f64)]) -> Result<Findings, CellError> {
        let mut table = Table::new("error", "Mean absolute error", ["throws", "error"]);
        let mut line = Vec::new();
        for throws in [100, 1000, 10_000] {
            let errors = results.iter().filter(|(cell, _)| cell.throws == throws);
            let error = Estimate::of_mean(&errors.map(|(_, error)| *error).collect::<Vec<_>>())?;
            table = table.row([throws.into(), error.into()]);
            line.push((throws as f64, error));
        }
        let last = line[line.len() - 1].1;
        let figure = Figure::new(
            "error",
            "Error by number of throws",
            "The error falls with the square root of the number of throws.",
            Axis::log("throws"),
            Axis::log("mean absolute error"),
        );
        Ok(Findings::new()
            .claim(
                // The mean of |N(0, s²)| is s√(2/π), here with s² = 35/12 / 10⁴.
                Claim::measured(
                    "rate",
                    "10,000 throws give an error of 0.0136",
                    "textbook",
                    last,
                    Criterion::near(0.0136, 0.3),
                )
                .published("0.0136"),
            )
            .table(table)
            .figure(figure.series(Series::line("dice", line))))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paper = Paper::new("dice", "0.1.0", "On the mean of dice").experiment(Dice);
    let mut reproduction = Reproduction::new(Plan::quick(1)).progress(true);
    if let Some(folder) = std::env::args_os().nth(1) {
        reproduction = reproduction.out(folder);
    }
    let run = reproduction.run(&[paper])?;
    for claim in run
        .report()
        .into_iter()
        .flat_map(|report| report.papers())
        .flat_map(|p| p.claims())
    {
        #[expect(clippy::print_stdout, reason = "the example's output")]
        {
            println!(
                "{}: {} ({})",
                claim.verdict(),
                claim.statement(),
                claim.reason()
            );
        }
    }
    Ok(())
}
