//! The extension to regularised ERM: private logistic regression with and without a floor.

use super::{BUDGET, DELTA};
use crate::calibration::analytic_multiplier;
use crate::synthetic::logistic_sphere;
use crate::tune::{PrivateFloor, private_lambda_min};
use crate::{
    Bounds, Budget, Calibration, Clip, DpRegressor, ErmSpec, FeatureRange, Insecure, Ledger,
    Limits, Logistic, Missing, Neighbor, Preparation, PrivateErm, Relation, Spectrum, TargetRange,
    Training,
};
use faer::{Mat, Par};
use papercrates_data::csv::{CsvOptions, OnMissing, read_table};
use papercrates_data::fetched;
use papercrates_experiment::{
    Axis, CellContext, CellError, Claim, Criterion, Estimate, Experiment, Figure, Findings, Plan,
    Series, Table, Value,
};
use papercrates_numeric::linalg::dot;
use papercrates_numeric::streams::permutation;
use rand::Rng;
use serde::{Deserialize, Serialize};

const BOUNDS: Bounds = Bounds {
    x_norm: 1.0,
    y_abs: 1.0,
};
const D: usize = 5;
const ALPHAS: [f64; 6] = [3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1];

/// Public ball and penalties for the credit table.
const CREDIT_RADIUS: f64 = 3.0;
const CREDIT_ALPHAS: [f64; 3] = [1e-4, 1e-3, 1e-2];
const EPSILONS: [f64; 5] = [0.1, 0.2, 0.5, 1.0, 2.0];

/// Columns of the credit table with public limits: what a form allows, not what the data hold.
const CREDIT: [(&str, f64, f64); 10] = [
    ("RevolvingUtilizationOfUnsecuredLines", 0.0, 1.0),
    ("age", 18.0, 100.0),
    ("NumberOfTime30-59DaysPastDueNotWorse", 0.0, 10.0),
    ("DebtRatio", 0.0, 2.0),
    ("MonthlyIncome", 0.0, 20_000.0),
    ("NumberOfOpenCreditLinesAndLoans", 0.0, 30.0),
    ("NumberOfTimes90DaysLate", 0.0, 10.0),
    ("NumberRealEstateLoansOrLines", 0.0, 10.0),
    ("NumberOfTime60-89DaysPastDueNotWorse", 0.0, 10.0),
    ("NumberOfDependents", 0.0, 10.0),
];
const CREDIT_TARGET: &str = "SeriousDlqin2yrs";

/// Experiment `erm_logistic`.
pub(super) struct ErmLogistic;

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Cell {
    /// Rows on the sphere, with known truth.
    Sphere { n: usize, repetition: usize },
    /// The credit table, one split.
    Credit { repetition: usize },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// Expected squared errors (noise in closed form), one a penalty.
    Sphere {
        single: Vec<f64>,
        decoupled: Vec<f64>,
    },
    /// Test scores: the non-private fit, then one a penalty and `ε` (penalties outside).
    Credit {
        exact: Score,
        single: Vec<Score>,
        decoupled: Vec<Score>,
    },
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Score {
    auc: f64,
    log_loss: f64,
}

fn sphere(n: usize, ctx: &CellContext) -> Result<Outcome, CellError> {
    let data = logistic_sphere(n, D, &mut ctx.streams().child("data").rng());
    let training = Training::from_rows(data.x.as_ref(), &data.y, BOUNDS, Clip::Clip, Par::Seq)?;
    let s = analytic_multiplier(BUDGET)?;
    let smallest = Spectrum::of(training.stats(), Neighbor::ReplaceOne)?.eigenvalues()[0];
    let errors = |floored: bool| -> crate::Result<Vec<f64>> {
        ALPHAS
            .iter()
            .map(|&alpha| {
                let spec = ErmSpec::new(Logistic, alpha, 1.0);
                let level = if floored {
                    spec.curvature(&BOUNDS) * smallest
                } else {
                    0.0
                };
                let spec = spec.floor(level);
                let fit = spec.solve(&training, Par::Seq)?;
                let error: f64 = fit
                    .coef
                    .iter()
                    .zip(&data.beta)
                    .map(|(a, b)| (a - b).powi(2))
                    .sum();
                let sigma = s * spec.solver_sensitivity(n as u64, &BOUNDS)?.value;
                Ok(error + D as f64 * sigma * sigma)
            })
            .collect()
    };
    Ok(Outcome::Sphere {
        single: errors(false)?,
        decoupled: errors(true)?,
    })
}

/// Area under the ROC curve (ties count half) and mean logistic loss.
fn score(x: &Mat<f64>, y: &[f64], theta: &[f64]) -> Score {
    let mut margins: Vec<(f64, bool)> = (0..y.len())
        .map(|i| {
            let row: Vec<f64> = x.row(i).iter().copied().collect();
            (dot(&row, theta), y[i] == 1.0)
        })
        .collect();
    let log_loss = margins
        .iter()
        .map(|&(t, positive)| {
            let wrong = if positive { -t } else { t };
            wrong.max(0.0) + (-wrong.abs()).exp().ln_1p()
        })
        .sum::<f64>()
        / y.len() as f64;
    margins.sort_by(|a, b| a.0.total_cmp(&b.0));
    let positives = margins.iter().filter(|m| m.1).count() as f64;
    let negatives = margins.len() as f64 - positives;
    let (mut below, mut pairs) = (0.0, 0.0);
    for group in margins.chunk_by(|a, b| a.0 == b.0) {
        let here = group.iter().filter(|m| m.1).count() as f64;
        let others = group.len() as f64 - here;
        pairs += here * (below + 0.5 * others);
        below += others;
    }
    Score {
        auc: pairs / (positives * negatives),
        log_loss,
    }
}

fn credit(ctx: &CellContext) -> Result<Outcome, CellError> {
    let path = fetched::path("give_me_some_credit").map_err(CellError::skipped)?;
    let columns = CREDIT
        .iter()
        .map(|c| c.0)
        .chain([CREDIT_TARGET])
        .map(str::to_owned)
        .collect();
    let options = CsvOptions {
        columns: Some(columns),
        on_missing: OnMissing::DropRow,
        ..CsvOptions::default()
    };
    let (raw, y) = read_table(path, &options)?.split_target(CREDIT_TARGET)?;
    let limits = CREDIT
        .iter()
        .map(|c| Limits::new(c.1, c.2))
        .collect::<crate::Result<Vec<_>>>()?;
    let preparation = Preparation::new(
        CREDIT.len(),
        FeatureRange::Limits(limits),
        TargetRange::Abs(1.0),
    )?
    .with_missing(Missing::Refuse)
    .with_intercept(1.0)?;
    let bounds = preparation.bounds();
    let order = permutation(&mut ctx.streams().child("split").rng(), y.len());
    let part = |rows: &[usize]| -> Result<(Mat<f64>, Vec<f64>), CellError> {
        let mut x = Mat::zeros(rows.len(), preparation.d());
        let mut prepared = Vec::new();
        for (i, &row) in rows.iter().enumerate() {
            let values: Vec<f64> = raw.row(row).iter().copied().collect();
            preparation.apply(&values, &mut prepared)?;
            for (j, v) in prepared.iter().enumerate() {
                x[(i, j)] = *v;
            }
        }
        Ok((x, rows.iter().map(|&i| y[i]).collect()))
    };
    let cut = y.len() / 5;
    let (test_x, test_y) = part(&order[..cut])?;
    let (train_x, train_y) = part(&order[cut..])?;
    let training = Training::from_rows(train_x.as_ref(), &train_y, bounds, Clip::Clip, Par::Seq)?;
    let mut rng = Insecure::seeded(ctx.streams().child("noise").rng().next_u64());

    let exact = ErmSpec::new(Logistic, 1e-6, 100.0).solve(&training, Par::Seq)?;
    let (mut single, mut decoupled) = (Vec::new(), Vec::new());
    for alpha in CREDIT_ALPHAS {
        for epsilon in EPSILONS {
            let budget = Budget::new(epsilon, DELTA)?;
            let open = || Ledger::open(budget, Calibration::Analytic, Relation::ReplaceOne);
            let spec = ErmSpec::new(Logistic, alpha, CREDIT_RADIUS);
            let release = PrivateErm::new(spec).fit(&training, &mut open()?, &mut rng)?;
            single.push(score(&test_x, &test_y, &release.coef));

            let mut ledger = open()?;
            let floor = private_lambda_min(
                training.stats(),
                Neighbor::ReplaceOne,
                &PrivateFloor::default(),
                &mut ledger,
                &mut rng,
            )?;
            let spec = spec.floor(spec.curvature(&bounds) * floor.level);
            let release = PrivateErm::new(spec).fit(&training, &mut ledger, &mut rng)?;
            decoupled.push(score(&test_x, &test_y, &release.coef));
        }
    }
    let exact = score(&test_x, &test_y, &exact.coef);
    Ok(Outcome::Credit {
        exact,
        single,
        decoupled,
    })
}

impl Experiment for ErmLogistic {
    type Cell = Cell;
    type Outcome = Outcome;

    fn id(&self) -> &'static str {
        "erm_logistic"
    }

    fn title(&self) -> &str {
        "Private logistic regression"
    }

    fn cuts(&self, plan: &Plan) -> String {
        plan.pick(
            "n up to 30 000 and 20 data sets a point; the full plan goes to 300 000 with 40 and \
             adds the credit table (fetched).",
            "Nothing: n up to 300 000, 40 data sets a point, and 10 splits of the credit table.",
        )
        .into()
    }

    fn cells(&self, plan: &Plan) -> Vec<Cell> {
        let sizes: &[usize] = plan.pick(&[3_000, 30_000], &[3_000, 30_000, 300_000]);
        let mut cells = Vec::new();
        for &n in sizes {
            cells.extend((0..plan.pick(20, 40)).map(|repetition| Cell::Sphere { n, repetition }));
        }
        cells.extend((0..plan.pick(0, 10)).map(|repetition| Cell::Credit { repetition }));
        cells
    }

    fn run(&self, cell: &Cell, ctx: &CellContext) -> Result<Outcome, CellError> {
        match *cell {
            Cell::Sphere { n, .. } => sphere(n, ctx),
            Cell::Credit { .. } => credit(ctx),
        }
    }

    fn conclude(&self, results: &[(Cell, Outcome)]) -> Result<Findings, CellError> {
        let findings = conclude_sphere(Findings::new(), results)?;
        conclude_credit(findings, results)
    }
}

fn conclude_sphere(
    mut findings: Findings,
    results: &[(Cell, Outcome)],
) -> Result<Findings, CellError> {
    let mut sizes: Vec<usize> = results
        .iter()
        .filter_map(|(c, _)| match c {
            Cell::Sphere { n, .. } => Some(*n),
            Cell::Credit { .. } => None,
        })
        .collect();
    sizes.dedup();
    if sizes.is_empty() {
        return Ok(findings);
    }
    let mut table = Table::new(
        "logistic-sphere",
        "Logistic regression on the sphere: squared error, ε = 1, δ = 10⁻⁶, replace-one",
        ["n", "one parameter", "decoupled (oracle floor)", "ratio"],
    )
    .note("Noise in closed form; each method at its best penalty of six, by the mean.");
    let (mut singles, mut decoupleds) = (Vec::new(), Vec::new());
    for n in sizes {
        let here: Vec<_> = results
            .iter()
            .filter_map(|(c, o)| match (c, o) {
                (Cell::Sphere { n: m, .. }, Outcome::Sphere { single, decoupled }) if *m == n => {
                    Some((single, decoupled))
                }
                _ => None,
            })
            .collect();
        let best = |of: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            let mean = |k: usize| (0..here.len()).map(|i| of(i, k)).sum::<f64>();
            let k = (0..ALPHAS.len())
                .min_by(|a, b| mean(*a).total_cmp(&mean(*b)))
                .unwrap_or(0);
            (0..here.len()).map(|i| of(i, k)).collect()
        };
        let single = best(&|i, k| here[i].0[k]);
        let decoupled = best(&|i, k| here[i].1[k]);
        let ratio = Estimate::ratio(&single, &decoupled)?;
        let (s, d) = (Estimate::of_mean(&single)?, Estimate::of_mean(&decoupled)?);
        table = table.row([Value::from(n), s.into(), d.into(), ratio.into()]);
        singles.push((n as f64, s));
        decoupleds.push((n as f64, d));
        findings = findings.claim(Claim::measured(
            format!("logistic-separation-{n}"),
            format!(
                "The floor more than halves the error of private logistic regression (n = {n})"
            ),
            "abstract: extension to ERM; our reading",
            ratio,
            Criterion::above(2.0).of("error of one parameter / of two"),
        ));
    }
    let last = |p: &[(f64, Estimate)]| p.last().map_or(f64::NAN, |p| p.1.mean());
    let alt = format!(
        "Squared error of logistic coefficients against n, both axes logarithmic. At the largest n \
         one parameter has {:.2e}, the decoupled method {:.2e}.",
        last(&singles),
        last(&decoupleds)
    );
    let figure = Figure::new(
        "logistic-sphere",
        "Private logistic regression on the sphere",
        alt,
        Axis::log("number of records n"),
        Axis::log("squared error of the coefficients"),
    )
    .series(Series::line("one parameter", singles))
    .series(Series::line("decoupled (oracle floor)", decoupleds));
    Ok(findings.table(table).figure(figure))
}

fn conclude_credit(
    mut findings: Findings,
    results: &[(Cell, Outcome)],
) -> Result<Findings, CellError> {
    let here: Vec<(&Score, &[Score], &[Score])> = results
        .iter()
        .filter_map(|(_, o)| match o {
            Outcome::Credit {
                exact,
                single,
                decoupled,
            } => Some((exact, single.as_slice(), decoupled.as_slice())),
            Outcome::Sphere { .. } => None,
        })
        .collect();
    if here.is_empty() {
        return Ok(findings);
    }
    // Scores of one method at one ε, at the penalty with the best mean loss.
    let best = |e: usize, of: &dyn Fn(usize, usize) -> Score| -> Vec<Score> {
        let at = |k: usize| k * EPSILONS.len() + e;
        let mean = |k: usize| (0..here.len()).map(|i| of(i, at(k)).log_loss).sum::<f64>();
        let k = (0..CREDIT_ALPHAS.len())
            .min_by(|a, b| mean(*a).total_cmp(&mean(*b)))
            .unwrap_or(0);
        (0..here.len()).map(|i| of(i, at(k))).collect()
    };
    let mut table = Table::new(
        "credit",
        "Give Me Some Credit: test scores of private logistic regression, δ = 10⁻⁶, replace-one",
        [
            "ε",
            "AUC, one parameter",
            "AUC, decoupled",
            "log-loss, one parameter",
            "log-loss, decoupled",
        ],
    );
    let mut curves: [Vec<(f64, Estimate)>; 2] = Default::default();
    for (e, epsilon) in EPSILONS.into_iter().enumerate() {
        let methods = [best(e, &|i, k| here[i].1[k]), best(e, &|i, k| here[i].2[k])];
        let of =
            |m: usize, f: fn(&Score) -> f64| -> Vec<f64> { methods[m].iter().map(f).collect() };
        let auc = [
            Estimate::of_mean(&of(0, |s| s.auc))?,
            Estimate::of_mean(&of(1, |s| s.auc))?,
        ];
        let loss: [Vec<f64>; 2] = [of(0, |s| s.log_loss), of(1, |s| s.log_loss)];
        table = table.row([
            Value::from(epsilon),
            auc[0].into(),
            auc[1].into(),
            Estimate::of_mean(&loss[0])?.into(),
            Estimate::of_mean(&loss[1])?.into(),
        ]);
        for (curve, auc) in curves.iter_mut().zip(auc) {
            curve.push((epsilon, auc));
        }
        if epsilon == 1.0 {
            findings = findings.claim(Claim::measured(
                "credit-floor",
                "A private floor lowers the test loss on the credit table (ε = 1)",
                "abstract: extension to ERM; comparison of ours",
                Estimate::difference(&loss[0], &loss[1])?,
                Criterion::above(0.0).of("log-loss of one parameter − of two"),
            ));
        }
    }
    let exact = |f: fn(&Score) -> f64| -> Vec<f64> { here.iter().map(|h| f(h.0)).collect() };
    let exact_auc = Estimate::of_mean(&exact(|s| s.auc))?.mean();
    let exact_loss = Estimate::of_mean(&exact(|s| s.log_loss))?.mean();
    table = table.note(format!(
        "Non-private logistic regression: AUC {exact_auc:.4}, log-loss {exact_loss:.4}. The loss's \
         curvature on the ball is small, so a floor has little to give here. Each method at its \
         best penalty of three, by the mean test loss. Rows with missing values were left out \
         beforehand, which is not private. Intervals show the variation over splits of the same \
         table."
    ));
    let [single, decoupled] = curves;
    let figure = Figure::new(
        "credit",
        "Private logistic regression on Give Me Some Credit",
        format!(
            "Test AUC against epsilon for one and two parameters; the non-private fit has \
             {exact_auc:.3}."
        ),
        Axis::log("ε (δ = 10⁻⁶)"),
        Axis::linear("test AUC"),
    )
    .series(Series::line("one parameter", single))
    .series(Series::line("decoupled (private floor)", decoupled))
    .rule(exact_auc, "non-private");
    Ok(findings.table(table).figure(figure))
}
