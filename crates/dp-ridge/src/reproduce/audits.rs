//! Empirical privacy of every kind of release, and of one that is broken on purpose.

use crate::audit::{self, Audit};
use crate::baselines::{AdaSsp, AdaSspCalibration, DpGd, FunctionalMechanism, ObjPert};
use crate::tune::{PrivateFloor, private_lambda_min};
use crate::{
    Bounds, Budget, Calibration, Clip, DpRegressor, ErmSpec, Floor, Insecure, Ledger, Logistic, Mu,
    Neighbor, Noise, NoiseRng, PrivateErm, Relation, RidgeSpec, SuffStats, Training,
};
use faer::{Mat, Par};
use papercrates_experiment::{
    Axis, CellContext, CellError, Claim, Criterion, Estimate, Experiment, Figure, Findings, Plan,
    Series, Table,
};
use rand::Rng;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// A large `δ`, so that a violation shows with few draws.
const BUDGET: Budget = Budget {
    epsilon: 1.0,
    delta: 0.01,
};

/// One draw in so many goes into finding a threshold.
const PILOT: usize = 2;

/// Bounds of all data sets here.
const BOUNDS: Bounds = Bounds {
    x_norm: 1.0,
    y_abs: 1.0,
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
    /// The smallest eigenvalue that the floor is chosen by.
    PrivateFloor,
    /// Logistic regression with a floor.
    Logistic,
    /// Noisy gradient descent.
    GradientDescent,
    /// Noisy statistics with an adaptive ridge; one record against none.
    AdaSsp,
    /// Objective perturbation; one record against none.
    ObjPert,
    /// Laplace noise on monomials.
    Functional,
}

const MECHANISMS: [(Mechanism, &str); 12] = [
    (Mechanism::Saturated, "one record, spectral floor"),
    (
        Mechanism::SaturatedHalfNoise,
        "the same, half noise (broken)",
    ),
    (Mechanism::SaturatedShift, "one record, shift floor"),
    (Mechanism::SaturatedDiscrete, "one record, discrete noise"),
    (Mechanism::Single, "one parameter, 1000 records"),
    (Mechanism::Spectral, "spectral floor, 100 records"),
    (Mechanism::PrivateFloor, "private floor level"),
    (Mechanism::Logistic, "logistic regression"),
    (Mechanism::GradientDescent, "noisy gradient descent"),
    (Mechanism::AdaSsp, "AdaSSP"),
    (Mechanism::ObjPert, "objective perturbation"),
    (Mechanism::Functional, "functional mechanism"),
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

/// One record `x = 1` against one record `x = 0`: the smallest eigenvalue moves by its sensitivity.
fn private_floor(draws: usize, rng: &mut dyn NoiseRng) -> crate::Result<Audit> {
    let ledger = Ledger::open(BUDGET, Calibration::Analytic, Relation::ReplaceOne)?;
    let settings = PrivateFloor {
        share: Mu::Rest,
        ..PrivateFloor::default()
    };
    let stats = |x: f64| -> crate::Result<SuffStats> {
        let mut stats = SuffStats::new(1, BOUNDS, Clip::Reject)?;
        stats.push(&[x], 0.0)?;
        Ok(stats)
    };
    let (high, low) = (stats(1.0)?, stats(0.0)?);
    let threshold = audit::gaussian_threshold(0.0, 1.0, 1.0 / ledger.remaining(), BUDGET.epsilon);
    let rng = RefCell::new(rng);
    let draw = |stats: &SuffStats| {
        let (mut ledger, neighbor) = (ledger.clone(), Neighbor::ReplaceOne);
        let rng = &mut **rng.borrow_mut();
        private_lambda_min(stats, neighbor, &settings, &mut ledger, rng)
            .map_or(f64::NAN, |floor| floor.estimate)
    };
    audit::compare(|| draw(&high), || draw(&low), threshold, BUDGET, draws)
}

/// The coefficient of a whole fit on one record `(1, 1)` and on its neighbour: `(1, −1)` (label 0)
/// under replace-one, nobody under add/remove. The threshold comes from draws of its own.
fn method(mechanism: Mechanism, draws: usize, rng: &mut dyn NoiseRng) -> crate::Result<Audit> {
    let sizes = Neighbor::AddRemove {
        n_nominal: 1,
        n_max: 1,
    };
    let (method, other): (Box<dyn DpRegressor>, Option<f64>) = match mechanism {
        Mechanism::Logistic => {
            let spec = ErmSpec::new(Logistic, 0.01, 1.0).floor(0.1);
            (Box::new(PrivateErm::new(spec)), Some(0.0))
        }
        Mechanism::GradientDescent => (Box::new(DpGd::new(0.1)), Some(-1.0)),
        Mechanism::AdaSsp => {
            let calibration = AdaSspCalibration::Gdp;
            (
                Box::new(AdaSsp {
                    calibration,
                    ..AdaSsp::default()
                }),
                None,
            )
        }
        Mechanism::ObjPert => (Box::new(ObjPert::new(0.1, 1.0, sizes)), None),
        _ => (
            Box::new(FunctionalMechanism::new(vec![(-1.0, 1.0)], (-1.0, 1.0))),
            Some(-1.0),
        ),
    };
    let relation = match other {
        Some(_) => Relation::ReplaceOne,
        None => Relation::AddRemove,
    };
    let x = Mat::from_fn(1, 1, |_, _| 1.0);
    let (high, low) = ([1.0], [other.unwrap_or(0.0)]);
    let of = |x, y| Training::from_rows(x, y, BOUNDS, Clip::Reject, Par::Seq);
    let record = of(x.as_ref(), &high)?;
    let neighbor = match other {
        Some(_) => of(x.as_ref(), &low)?,
        None => of(x.as_ref().subrows(0, 0), &[])?,
    };
    let ledger = Ledger::open(BUDGET, Calibration::Analytic, relation)?;
    // A fit that is refused would make every draw 0 and the audit blind.
    method.fit(&record, &mut ledger.clone(), rng)?;
    method.fit(&neighbor, &mut ledger.clone(), rng)?;
    let rng = RefCell::new(rng);
    let draw = |training: &Training<'_>| {
        let rng = &mut **rng.borrow_mut();
        method
            .fit(training, &mut ledger.clone(), rng)
            .map_or(f64::NAN, |release| release.coef[0])
    };
    let (on_record, on_neighbor) = (|| draw(&record), || draw(&neighbor));
    let threshold = audit::pilot_threshold(on_record, on_neighbor, BUDGET.epsilon, draws / PILOT);
    audit::compare(on_record, on_neighbor, threshold, BUDGET, draws)
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
            "200 000 draws a data set, 50 000 for whole fits; the full plan makes 1 000 000 and \
             250 000.",
            "Nothing: 1 000 000 draws a data set, 250 000 for whole fits.",
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
        let mut rng = Insecure::seeded(ctx.streams().rng().next_u64());
        let draws = cell.draws;
        let saturated = RidgeSpec::new(1e-3).floor(Floor::Spectral(1.0));
        let (spec, n, factor) = match cell.mechanism {
            Mechanism::Saturated | Mechanism::SaturatedDiscrete => (saturated, 1, 1.0),
            Mechanism::SaturatedHalfNoise => (saturated, 1, 0.5),
            Mechanism::SaturatedShift => (saturated.floor(Floor::Shift(1.0)), 1, 1.0),
            Mechanism::Single => (RidgeSpec::new(1.0), 1000, 1.0),
            Mechanism::Spectral => (RidgeSpec::new(0.01).floor(Floor::Spectral(0.1)), 100, 1.0),
            Mechanism::PrivateFloor => {
                let audit = private_floor(draws, &mut rng)?;
                return Ok(Outcome { audit });
            }
            other => {
                // Whole fits, each with its own solver: fewer draws.
                let audit = method(other, draws / 4, &mut rng)?;
                return Ok(Outcome { audit });
            }
        };
        let discrete = cell.mechanism == Mechanism::SaturatedDiscrete;
        let calibration = if discrete {
            Calibration::Zcdp
        } else {
            Calibration::Analytic
        };
        let ledger = Ledger::open(BUDGET, calibration, Relation::ReplaceOne)?;
        let noise = if discrete {
            Noise::default_grid(spec.sensitivity(n, &BOUNDS)?.value, ledger.remaining())
        } else {
            Noise::Float
        };
        let audit = audit::ridge(&spec, n, BOUNDS, &ledger, noise, factor, draws, &mut rng)?;
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
