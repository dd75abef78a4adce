//! The risk decomposition against simulation, on a design with known spectrum.

use super::{BUDGET, open};
use crate::calibration::analytic_multiplier;
use crate::risk::{Metric, Problem, RiskParts, decompose};
use crate::{Bounds, Clip, Floor, Relation, RidgeSpec, SuffStats};
use faer::Mat;
use papercrates_experiment::{
    CellContext, CellError, Claim, Criterion, Estimate, Experiment, Findings, Plan, Table,
};
use papercrates_numeric::streams::normal;
use serde::{Deserialize, Serialize};

const N: usize = 100;
const EIGENVALUES: [f64; 2] = [0.25, 1.0];
const BETA: [f64; 2] = [1.0, 1.0];
const NOISE_VARIANCE: f64 = 0.04;

/// Experiment `decomposition`.
pub(super) struct Decomposition;

#[derive(Serialize)]
pub(super) struct Cell {
    floor: Floor,
    batch: usize,
    draws: usize,
}

/// Mean squared error over the draws of one batch.
#[derive(Serialize, Deserialize)]
pub(super) struct Outcome {
    mean: f64,
}

fn spec(floor: Floor) -> RidgeSpec {
    RidgeSpec::new(0.25).floor(floor)
}

fn formula(floor: Floor) -> crate::Result<RiskParts> {
    let problem = Problem {
        n: N as u64,
        eigenvalues: EIGENVALUES.to_vec(),
        beta: BETA.to_vec(),
        noise_variance: NOISE_VARIANCE,
        bounds: Bounds::new(1.0, 1.0)?,
    };
    decompose(
        &problem,
        &spec(floor),
        analytic_multiplier(BUDGET)?,
        Metric::Coefficients,
    )
}

impl Experiment for Decomposition {
    type Cell = Cell;
    type Outcome = Outcome;

    fn id(&self) -> &'static str {
        "decomposition"
    }

    fn title(&self) -> &str {
        "Bias, variance and privacy noise: formula against simulation"
    }

    fn cuts(&self, plan: &Plan) -> String {
        plan.pick(
            "20 000 draws a floor; the full plan makes 200 000.",
            "Nothing: 200 000 draws.",
        )
        .into()
    }

    fn cells(&self, plan: &Plan) -> Vec<Cell> {
        let draws = plan.pick(1_000, 10_000);
        let floors = [Floor::None, Floor::Shift(0.5), Floor::Spectral(0.5)];
        floors
            .into_iter()
            .flat_map(|floor| {
                (0..20).map(move |batch| Cell {
                    floor,
                    batch,
                    draws,
                })
            })
            .collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext) -> Result<Outcome, CellError> {
        let mut rng = ctx.streams().rng();
        // Orthogonal columns with XᵀX/n = diag(λ): even rows carry one, odd rows the other.
        let x = Mat::from_fn(N, 2, |i, j| {
            if i % 2 == j {
                (2.0 * EIGENVALUES[j]).sqrt()
            } else {
                0.0
            }
        });
        // The bounds of the formula are (1, 1); the fit itself must not be clipped.
        let wide = Bounds::new(100.0, 100.0)?;
        let narrow = Bounds::new(1.0, 1.0)?;
        let spec = spec(cell.floor);
        let mu = open(Relation::ReplaceOne)?.mu_total();
        let sigma = spec.sensitivity(N as u64, &narrow)?.value / mu;
        let mut total = 0.0;
        for _ in 0..cell.draws {
            let y: Vec<f64> = (0..N)
                .map(|i| {
                    let signal: f64 = (0..2).map(|j| x[(i, j)] * BETA[j]).sum();
                    signal + NOISE_VARIANCE.sqrt() * normal(&mut rng)
                })
                .collect();
            let mut stats = SuffStats::new(2, wide, Clip::Reject)?;
            stats.push_batch(x.as_ref(), &y, faer::Par::Seq)?;
            let fit = spec.solve(&stats)?;
            total += fit
                .coef
                .iter()
                .zip(BETA)
                .map(|(c, b)| (c + sigma * normal(&mut rng) - b).powi(2))
                .sum::<f64>();
        }
        Ok(Outcome {
            mean: total / cell.draws as f64,
        })
    }

    fn conclude(&self, results: &[(Cell, Outcome)]) -> Result<Findings, CellError> {
        let mut table = Table::new(
            "decomposition",
            "Expected squared error at ε = 1, δ = 10⁻⁶, n = 100",
            [
                "floor",
                "bias²",
                "variance",
                "privacy noise",
                "formula",
                "simulated",
            ],
        );
        let mut findings = Findings::new();
        for (name, floor) in [
            ("none", Floor::None),
            ("shift", Floor::Shift(0.5)),
            ("spectral", Floor::Spectral(0.5)),
        ] {
            let means: Vec<f64> = results
                .iter()
                .filter(|(c, _)| c.floor == floor)
                .map(|(_, o)| o.mean)
                .collect();
            let parts = formula(floor)?;
            let simulated = Estimate::of_mean(&means)?;
            let relative: Vec<f64> = means.iter().map(|m| m / parts.total()).collect();
            table = table.row([
                name.into(),
                parts.bias_squared.into(),
                parts.variance.into(),
                parts.dp_variance.into(),
                parts.total().into(),
                simulated.into(),
            ]);
            findings = findings.claim(Claim::measured(
                format!("decomposition-{name}"),
                format!("Risk is bias² plus variance plus privacy noise (floor: {name})"),
                "abstract; formula of our reading",
                Estimate::of_mean(&relative)?,
                Criterion::within(0.97, 1.03).of("simulated / formula"),
            ));
        }
        Ok(findings.table(table))
    }
}
