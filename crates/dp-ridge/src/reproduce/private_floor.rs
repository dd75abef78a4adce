//! What it costs to pay for the floor: a noisy smallest eigenvalue against a known one.

use super::design::{BOUNDS, Design};
use super::open;
use crate::tune::{PrivateFloor, PublicGuess, plug_in, private_lambda_min};
use crate::{
    Clip, DecoupledRidge, Floor, Insecure, Level, Mu, Relation, RidgeSpec, Spectrum, SuffStats,
};
use papercrates_experiment::{
    Axis, CellContext, CellError, Claim, Criterion, Estimate, Experiment, Figure, Findings, Plan,
    Series, Table, Value,
};
use rand::Rng;
use serde::{Deserialize, Serialize};

/// Experiment `private_floor`.
pub(super) struct PrivateFloorCost;

#[derive(Serialize)]
pub(super) struct Cell {
    design: Design,
    n: u64,
    repetition: usize,
}

/// Expected squared errors given the floor (noise in closed form).
#[derive(Serialize, Deserialize)]
pub(super) struct Outcome {
    /// The true smallest eigenvalue as the floor, and all of the budget for the coefficients.
    known: f64,
    /// A private floor, with the default share.
    private: f64,
    /// No floor.
    none: f64,
}

/// Squared error with the default penalty at this floor and this `μ` for the coefficients.
fn expected(
    stats: &SuffStats,
    beta: &[f64],
    level: f64,
    mu: f64,
    guess: &PublicGuess,
) -> crate::Result<f64> {
    let (n, d) = (stats.n(), stats.d());
    let mut spec = RidgeSpec::new(0.0).floor(Floor::Spectral(level).normalised());
    spec.alpha = plug_in(guess, n, d, BOUNDS, &spec, 1.0 / mu)?.alpha;
    let fit = Spectrum::of(stats, spec.neighbor)?.fit(&spec)?;
    let error: f64 = fit
        .coef
        .iter()
        .zip(beta)
        .map(|(a, b)| (a - b).powi(2))
        .sum();
    let sigma = spec.sensitivity(n, &BOUNDS)?.value / mu;
    Ok(error + d as f64 * sigma * sigma)
}

impl Experiment for PrivateFloorCost {
    type Cell = Cell;
    type Outcome = Outcome;

    fn id(&self) -> &'static str {
        "private_floor"
    }

    fn title(&self) -> &str {
        "The cost of choosing the floor privately"
    }

    fn cuts(&self, plan: &Plan) -> String {
        plan.pick(
            "20 data sets a point; the full plan draws 100.",
            "Nothing: 100 data sets a point.",
        )
        .into()
    }

    fn cells(&self, plan: &Plan) -> Vec<Cell> {
        let mut cells = Vec::new();
        for n in [1_000, 3_000, 10_000, 30_000, 100_000] {
            for repetition in 0..plan.pick(20, 100) {
                for design in [Design::Sphere, Design::Decay] {
                    cells.push(Cell {
                        design,
                        n,
                        repetition,
                    });
                }
            }
        }
        cells
    }

    fn run(&self, cell: &Cell, ctx: &CellContext) -> Result<Outcome, CellError> {
        let data = cell
            .design
            .draw(cell.n as usize, &mut ctx.streams().child("data").rng());
        let mut stats = SuffStats::new(data.x.ncols(), BOUNDS, Clip::Clip)?;
        stats.push_batch(data.x.as_ref(), &data.y, faer::Par::Seq)?;
        let mut ledger = open(Relation::ReplaceOne)?;
        let mu = ledger.mu_total();
        let guess = |level| PublicGuess::from_bounds(&BOUNDS, stats.d(), Floor::Spectral(level));
        let at = |level: f64, mu: f64| expected(&stats, &data.beta, level, mu, &guess(level));

        let DecoupledRidge {
            neighbor, level, ..
        } = DecoupledRidge::default();
        let smallest = Spectrum::of(&stats, neighbor)?.eigenvalues()[0].max(0.0);
        let settings = match level {
            Level::Private(settings) => settings,
            Level::Public(_) => PrivateFloor::default(),
        };
        let mut rng = Insecure::seeded(ctx.streams().child("noise").rng().next_u64());
        let floor = private_lambda_min(&stats, neighbor, &settings, &mut ledger, &mut rng)?;
        Ok(Outcome {
            known: at(smallest, mu)?,
            private: at(floor.level, ledger.resolve(Mu::Rest)?)?,
            none: at(0.0, mu)?,
        })
    }

    fn conclude(&self, results: &[(Cell, Outcome)]) -> Result<Findings, CellError> {
        let mut table = Table::new(
            "private-floor",
            "Squared error of the coefficients with default penalties, ε = 1, δ = 10⁻⁶, replace-one",
            [
                "design",
                "n",
                "floor known",
                "floor private",
                "no floor",
                "private / known",
            ],
        );
        let mut findings = Findings::new();
        for (design, name) in [
            (Design::Sphere, "well-conditioned"),
            (Design::Decay, "ill-conditioned"),
        ] {
            let mut points = Vec::new();
            let mut sizes: Vec<u64> = results
                .iter()
                .filter(|(c, _)| c.design == design)
                .map(|(c, _)| c.n)
                .collect();
            sizes.sort_unstable();
            sizes.dedup();
            for n in sizes {
                let values = |of: fn(&Outcome) -> f64| -> Vec<f64> {
                    results
                        .iter()
                        .filter(|(c, _)| c.design == design && c.n == n)
                        .map(|(_, o)| of(o))
                        .collect()
                };
                let (known, private) = (values(|o| o.known), values(|o| o.private));
                let ratio = Estimate::ratio(&private, &known)?;
                points.push((n as f64, ratio));
                table = table.row([
                    name.into(),
                    Value::from(n),
                    Estimate::of_mean(&known)?.into(),
                    Estimate::of_mean(&private)?.into(),
                    Estimate::of_mean(&values(|o| o.none))?.into(),
                    ratio.into(),
                ]);
                if design == Design::Sphere && n == 100_000 {
                    findings = findings.claim(Claim::measured(
                        "private-floor-cost",
                        "Choosing the floor privately costs little on well-conditioned data (n = 100 000)",
                        "our reading: the floor must be paid for or be public",
                        ratio,
                        Criterion::at_most(1.25).of("risk with a private floor / with a known one"),
                    ));
                    findings = findings.claim(Claim::measured(
                        "private-floor-gain",
                        "A floor that was paid for still beats no floor (well-conditioned, n = 100 000)",
                        "our reading: the floor must be paid for or be public",
                        Estimate::ratio(&values(|o| o.none), &private)?,
                        Criterion::above(1.0).of("risk without a floor / with a private floor"),
                    ));
                }
            }
            if let (Some(first), Some(last)) = (points.first(), points.last()) {
                let alt = format!(
                    "Ratio of risk with a private floor to risk with a known floor, {name} design: \
                     {:.2} at n = {} and {:.2} at n = {}.",
                    first.1.mean(),
                    first.0,
                    last.1.mean(),
                    last.0
                );
                findings = findings.figure(
                    Figure::new(
                        format!("private-floor-{}", name.split('-').next().unwrap_or(name)),
                        format!("Cost of a private floor, {name} design"),
                        alt,
                        Axis::log("number of records n"),
                        Axis::linear("risk with a private floor / with a known one"),
                    )
                    .series(Series::line("private / known", points))
                    .rule(1.0, "no cost"),
                );
            }
        }
        Ok(findings.table(table))
    }
}
