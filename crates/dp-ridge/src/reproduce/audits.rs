//! Empirical privacy of every kind of release, and of one that is broken on purpose.

use crate::audit::{self, Audit};
use crate::{Bounds, Budget, Calibration, Floor, Insecure, Ledger, Noise, Relation, RidgeSpec};
use papercrates_experiment::{
    Axis, CellContext, CellError, Claim, Criterion, Estimate, Experiment, Figure, Findings, Plan,
    Series, Table,
};
use rand::Rng;
use serde::{Deserialize, Serialize};

/// A large `δ`, so that a violation shows with few draws.
const BUDGET: Budget = Budget {
    epsilon: 1.0,
    delta: 0.01,
};

/// Experiment `audits`.
pub(super) struct Audits;

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mechanism {
    /// One record: the sensitivity is attained, so the audit is tight.
    Saturated,
    /// The saturated one with half of its noise: must be caught.
    SaturatedHalfNoise,
    /// A single penalty.
    Single,
    /// The saturated one with a shift floor.
    SaturatedShift,
    /// The saturated one with discrete noise.
    SaturatedDiscrete,
    /// A hundred records whose curvature is below the floor.
    Spectral,
}

const MECHANISMS: [(Mechanism, &str); 6] = [
    (Mechanism::Saturated, "one record, spectral floor"),
    (
        Mechanism::SaturatedHalfNoise,
        "the same, half noise (broken)",
    ),
    (Mechanism::SaturatedShift, "one record, shift floor"),
    (Mechanism::SaturatedDiscrete, "one record, discrete noise"),
    (Mechanism::Single, "one parameter, 1000 records"),
    (Mechanism::Spectral, "spectral floor, 100 records"),
];

#[derive(Serialize)]
pub(super) struct Cell {
    mechanism: Mechanism,
    draws: usize,
}

/// What the audit found.
#[derive(Serialize, Deserialize)]
pub(super) struct Outcome {
    audit: Audit,
}

impl Experiment for Audits {
    type Cell = Cell;
    type Outcome = Outcome;

    fn id(&self) -> &'static str {
        "audits"
    }

    fn title(&self) -> &str {
        "Empirical privacy against the claim"
    }

    fn cuts(&self, plan: &Plan) -> String {
        plan.pick(
            "200 000 draws a data set; the full plan makes 1 000 000.",
            "Nothing: 1 000 000 draws a data set.",
        )
        .into()
    }

    fn cells(&self, plan: &Plan) -> Vec<Cell> {
        let draws = plan.pick(200_000, 1_000_000);
        MECHANISMS
            .map(|(mechanism, _)| Cell { mechanism, draws })
            .into()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext) -> Result<Outcome, CellError> {
        let bounds = Bounds::new(1.0, 1.0)?;
        let saturated = RidgeSpec::new(1e-3).floor(Floor::Spectral(1.0));
        let (spec, n, factor) = match cell.mechanism {
            Mechanism::Saturated | Mechanism::SaturatedDiscrete => (saturated, 1, 1.0),
            Mechanism::SaturatedHalfNoise => (saturated, 1, 0.5),
            Mechanism::SaturatedShift => (saturated.floor(Floor::Shift(1.0)), 1, 1.0),
            Mechanism::Single => (RidgeSpec::new(1.0), 1000, 1.0),
            Mechanism::Spectral => (RidgeSpec::new(0.01).floor(Floor::Spectral(0.1)), 100, 1.0),
        };
        let discrete = cell.mechanism == Mechanism::SaturatedDiscrete;
        let calibration = if discrete {
            Calibration::Zcdp
        } else {
            Calibration::Analytic
        };
        let ledger = Ledger::open(BUDGET, calibration, Relation::ReplaceOne)?;
        let noise = if discrete {
            Noise::default_grid(spec.sensitivity(n, &bounds)?.value, ledger.remaining())
        } else {
            Noise::Float
        };
        let mut rng = Insecure::seeded(ctx.streams().rng().next_u64());
        let audit = audit::ridge(
            &spec, n, bounds, &ledger, noise, factor, cell.draws, &mut rng,
        )?;
        Ok(Outcome { audit })
    }

    fn conclude(&self, results: &[(Cell, Outcome)]) -> Result<Findings, CellError> {
        let mut findings = Findings::new();
        let mut table = Table::new(
            "audits",
            "Measured lower bound on δ at ε = 1, claimed δ = 0.01",
            ["release", "measured δ", "99.9 % lower limit", "flagged"],
        );
        let mut bars = Vec::new();
        for (mechanism, name) in MECHANISMS {
            let audit = results.iter().find(|(c, _)| c.mechanism == mechanism);
            let Some((_, Outcome { audit })) = audit else {
                bars.push((name, None));
                continue;
            };
            let reach = 1.959_963_985 * audit.standard_error;
            let estimate = Estimate::new(
                audit.delta,
                audit.delta - reach,
                audit.delta + reach,
                audit.draws,
            )?;
            bars.push((name, Some(estimate)));
            let flagged = if audit.flagged { "yes" } else { "no" };
            table = table.row([
                name.into(),
                estimate.into(),
                audit.delta_low.into(),
                flagged.into(),
            ]);
            let excess = Estimate::exact(audit.delta_low)?;
            findings = findings.claim(if mechanism == Mechanism::SaturatedHalfNoise {
                Claim::measured(
                    "audit-broken",
                    "The audit catches a release with half of its noise",
                    "check of the audit itself",
                    excess,
                    Criterion::above(BUDGET.delta).of("99.9 % lower limit of δ"),
                )
            } else {
                Claim::measured(
                    format!("audit-{}", name.replace([',', ' '], "-").replace("--", "-")),
                    format!("No more privacy is lost than claimed: {name}"),
                    "abstract: the release is (ε, δ)-private",
                    excess,
                    Criterion::at_most(BUDGET.delta).of("99.9 % lower limit of δ"),
                )
            });
        }
        let shown: Vec<_> = bars.iter().filter(|(_, e)| e.is_some()).collect();
        if shown.is_empty() {
            return Ok(findings);
        }
        let figure = Figure::new(
            "audits",
            "Measured δ against the claim",
            "Bars of the measured δ at ε = 1. Only the release with half of its noise stands \
             clearly above the claimed 0.01.",
            Axis::categories("release", shown.iter().map(|(name, _)| *name)),
            Axis::linear("measured δ at ε = 1"),
        )
        .series(Series::bars("measured δ", shown.iter().map(|(_, e)| *e)))
        .rule(BUDGET.delta, "claimed δ");
        Ok(findings.table(table).figure(figure))
    }
}
