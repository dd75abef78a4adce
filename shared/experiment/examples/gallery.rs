//! A report with one of everything: each verdict, each kind of figure, wide tables, a failed and a
//! skipped cell. It is what the page is looked at with, by people and by the browser test.
//!
//! `cargo run -p papercrates-experiment --example gallery -- DIR`

use papercrates_experiment::{
    Axis, CellContext, CellError, Claim, Criterion, Estimate, Experiment, Figure, Findings, Paper,
    Plan, Reproduction, Series, Table, Value,
};

/// Two estimators of the mean of a heavy-tailed sample, over sample sizes.
struct Means;

const SIZES: [u32; 6] = [100, 300, 1000, 3000, 10_000, 30_000];
const METHODS: [&str; 3] = ["sample mean", "trimmed mean", "median"];

#[derive(serde::Serialize)]
struct Cell {
    n: u32,
    repetition: u32,
}

impl Experiment for Means {
    type Cell = Cell;
    type Outcome = Vec<f64>;

    fn id(&self) -> &'static str {
        "means"
    }

    fn title(&self) -> &str {
        "Error of location estimates under heavy tails"
    }

    fn cuts(&self, plan: &Plan) -> String {
        format!(
            "{} repetitions instead of 2000, and sample sizes up to 30,000 instead of a million.",
            plan.pick(12, 200)
        )
    }

    fn cells(&self, plan: &Plan) -> Vec<Cell> {
        let repetitions = plan.pick(12, 200);
        let cells = |n| (0..repetitions).map(move |repetition| Cell { n, repetition });
        SIZES.into_iter().flat_map(cells).collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext) -> Result<Vec<f64>, CellError> {
        if (cell.n, cell.repetition) == (300, 4) {
            return Err(CellError::failed("the solver did not converge in 50 steps"));
        }
        if (cell.n, cell.repetition) == (3000, 7) {
            return Err(CellError::skipped(
                "needs the set `diamonds`; run shared/data/fetch.py",
            ));
        }
        let mut rng = ctx.streams().child("sample").rng();
        // A ratio of two normals has Cauchy tails.
        let mut normal = || papercrates_experiment::numeric::streams::normal(&mut rng);
        let mut sample: Vec<f64> = (0..cell.n).map(|_| normal() / normal()).collect();
        sample.sort_by(f64::total_cmp);
        let n = sample.len();
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let trimmed = &sample[n / 10..n - n / 10];
        Ok(vec![
            mean(&sample).abs(),
            mean(trimmed).abs(),
            sample[n / 2].abs(),
        ])
    }

    fn conclude(&self, results: &[(Cell, Vec<f64>)]) -> Result<Findings, CellError> {
        let of = |n: u32, method: usize| -> Vec<f64> {
            let mine = results.iter().filter(|(cell, _)| cell.n == n);
            mine.map(|(_, errors)| errors[method]).collect()
        };
        let mut lines = Figure::new(
            "error-by-size",
            "Absolute error by sample size",
            "Both robust estimates fall as one over the root of n; the sample mean does not fall at all.",
            Axis::log("sample size n"),
            Axis::log("mean absolute error"),
        )
        .rule(0.1, "tolerated");
        let mut points = Figure::new(
            "error-linear",
            "The same errors on an even scale",
            "Points with error bars; the three methods part more and more from left to right.",
            Axis::categories("sample size n", SIZES.map(|n| n.to_string())),
            Axis::linear("mean absolute error (geometric)"),
        );
        let mut table = Table::new(
            "errors",
            "Mean absolute error with 95 % interval",
            [
                "n",
                "sample mean",
                "trimmed mean",
                "median",
                "trimmed over mean",
                "source",
            ],
        )
        .note("Intervals are Student's t on the repetitions.");
        for (method, name) in METHODS.into_iter().enumerate() {
            let mut line = Vec::new();
            let mut marks = Vec::new();
            for (place, n) in SIZES.into_iter().enumerate() {
                let logs: Vec<f64> = of(n, method).iter().map(|e| e.ln()).collect();
                let e = Estimate::of_mean(&logs)?;
                let e = Estimate::new(e.mean().exp(), e.low().exp(), e.high().exp(), e.n())?;
                line.push((f64::from(n), e));
                marks.push((place as f64, e));
            }
            lines = lines.series(Series::line(name, line));
            points = points.series(Series::scatter(name, marks));
        }
        for n in SIZES {
            let ratio = Estimate::ratio(&of(n, 1), &of(n, 0))?;
            let mut row: Vec<Value> = vec![u64::from(n).into()];
            for method in 0..3 {
                row.push(Estimate::of_mean(&of(n, method))?.into());
            }
            row.push(ratio.into());
            row.push("simulated, ratio of two normals".into());
            table = table.row(row);
        }
        let last = SIZES[SIZES.len() - 1];
        let bars = Figure::new(
            "bars",
            "Error at the smallest and the largest sample",
            "Bars of mean absolute error for three methods at two sample sizes.",
            Axis::categories("", METHODS),
            Axis::linear("mean absolute error"),
        )
        .series(Series::bars(
            "n = 1000",
            (1..4).map(|i| f64::from(i).recip()),
        ))
        .series(Series::bars(
            "n = 30,000",
            [
                Some(Estimate::new(0.7, 0.5, 0.95, 12)?),
                None,
                Some(Estimate::new(0.1, 0.06, 0.14, 12)?),
            ],
        ));
        let many = Figure::new(
            "many",
            "Eight series keep apart",
            "Eight rising lines, each with its own sign.",
            Axis::linear("step"),
            Axis::linear("value"),
        );
        let many = (0..8).fold(many, |figure, k| {
            let points = (0..12).map(move |i| (f64::from(i), f64::from(i * (k + 2)) / 10.0 - 1.0));
            figure.series(Series::line(format!("series {k}"), points))
        });
        let names = [
            "logistic regression on all features",
            "ridge",
            "AdaSSP, ε = 1",
            "objective perturbation",
            "output perturbation",
            "noisy gradient descent",
        ];
        let long = Figure::new(
            "long-names",
            "Names that need room",
            "One bar for each of six methods with long names.",
            Axis::categories("method", names),
            Axis::log("excess risk"),
        )
        .series(Series::bars("risk", [0.3, 0.02, 0.004, 1.5, 8.0, 0.09]));
        Ok(Findings::new()
            .claim(
                Claim::measured(
                    "order",
                    "The trimmed mean is closer than the sample mean at 30,000 observations",
                    "Figure 2, left",
                    Estimate::difference(&of(last, 0), &of(last, 1))?,
                    Criterion::above(0.0).of("difference of errors"),
                )
                .published("0.9"),
            )
            .claim(
                Claim::measured(
                    "tenfold",
                    "The median's error falls tenfold from 100 to 30,000 observations <b>",
                    "Table 1, third row",
                    Estimate::ratio(&of(100, 2)[..10], &of(last, 2)[..10])?,
                    Criterion::at_least(10.0).of("ratio"),
                )
                .published("17×"),
            )
            .claim(Claim::measured(
                "mean-fails",
                "The sample mean is consistent here",
                "Remark 3, which the paper calls a common belief",
                Estimate::of_mean(&of(last, 0))?,
                Criterion::at_most(0.01).of("error"),
            ))
            .claim(Claim::measured(
                "constant",
                "The asymptotic constant of the median is π/2",
                "Equation (7)",
                Estimate::exact(std::f64::consts::FRAC_PI_2)?,
                Criterion::near(1.57, 0.01),
            ))
            .table(table)
            .figure(lines)
            .figure(points)
            .figure(bars)
            .figure(many)
            .figure(long)
            .note("A ratio of two normals has no mean, so the first line cannot fall."))
    }
}

fn main() -> Result<(), papercrates_experiment::Error> {
    let paper = Paper::new(
        "gallery",
        "0.1.0",
        "Robust location estimates under heavy tails: a gallery of everything a report can hold",
    )
    .reference("an example of this crate, not a paper")
    .experiment(Means)
    .claim(Claim::not_testable(
        "hospital",
        "The trimmed mean wins on the hospital data",
        "Table 4",
        "the data are not public",
    ));
    let other = Paper::new(
        "empty",
        "0.1.0",
        "A second paper, with a claim that cannot be tested",
    )
    .claim(Claim::not_testable(
        "gpu",
        "Trains in an hour",
        "§5",
        "needs eight accelerators",
    ));
    let folder = std::env::args_os()
        .nth(1)
        .unwrap_or_else(|| "gallery-report".into());
    Reproduction::new(Plan::quick(1))
        .out(folder)
        .force(true)
        .progress(true)
        .run(&[paper, other])?;
    Ok(())
}
