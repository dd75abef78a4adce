//! Cross-validated prediction error on real tables, against AdaSSP.

use super::DELTA;
use crate::baselines::{AdaSsp, AdaSspCalibration, DpGd, FunctionalMechanism, ObjPert, Ssp};
use crate::calibration::analytic_multiplier;
use crate::{
    Bounds, Budget, Calibration, Clip, DecoupledRidge, DpRegressor, Error, Floor, Insecure, Ledger,
    Level, Neighbor, Relation, RidgeSpec, SuffStats, Training, non_private_standardize,
};
use faer::{Mat, Par};
use papercrates_data::csv::{CsvOptions, read_table};
use papercrates_data::{fetched, sets};
use papercrates_experiment::{
    Axis, CellContext, CellError, Claim, Criterion, Estimate, Experiment, Figure, Findings, Plan,
    Series, Table, Value,
};
use papercrates_numeric::linalg::{dot, mat_vec};
use papercrates_numeric::streams::permutation;
use rand::Rng;
use serde::{Deserialize, Serialize};

const BOUNDS: Bounds = Bounds {
    x_norm: 1.0,
    y_abs: 1.0,
};
const FOLDS: usize = 10;
const EPSILONS: [f64; 6] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0];
const ALPHAS: [f64; 8] = [0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];
const LEVELS: [f64; 8] = [0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0];

/// Experiment `real_data`.
pub(super) struct RealData;

/// A table, its target, and the numeric features used.
struct Source {
    name: &'static str,
    target: &'static str,
    /// `None` uses every other column.
    features: Option<&'static [&'static str]>,
    /// AdaSSP's published error at `ε = 1` (Wang 2018).
    adassp: Option<f64>,
}

const SOURCES: [Source; 5] = [
    Source {
        name: "concrete",
        target: "compressive_strength",
        features: None,
        adassp: Some(0.06369),
    },
    Source {
        name: "diabetes",
        target: "progression",
        features: None,
        adassp: None,
    },
    Source {
        name: "housing",
        target: "medv",
        features: None,
        adassp: Some(0.06799),
    },
    Source {
        name: "census2000",
        target: "lweekinc",
        features: Some(&["educ", "exper", "expersq"]),
        adassp: None,
    },
    Source {
        name: "diamonds",
        target: "price",
        features: Some(&["carat", "depth", "table", "x", "y", "z"]),
        adassp: None,
    },
];

impl Source {
    /// Features and target: from the library where it carries them, else from the fetched files.
    fn load(&self) -> Result<(Mat<f64>, Vec<f64>), CellError> {
        let embedded = match self.name {
            "concrete" => Some(sets::concrete()?),
            "diabetes" => Some(sets::diabetes()?),
            _ => None,
        };
        if let Some(set) = embedded {
            return Ok(set.table.split_target(self.target)?);
        }
        let path = fetched::path(self.name).map_err(CellError::skipped)?;
        let columns = self.features.map(|features| {
            features
                .iter()
                .chain([&self.target])
                .map(|name| (*name).to_owned())
                .collect()
        });
        let table = read_table(
            path,
            &CsvOptions {
                columns,
                ..CsvOptions::default()
            },
        )?;
        Ok(table.split_target(self.target)?)
    }
}

#[derive(Serialize)]
pub(super) struct Cell {
    data: &'static str,
    repetition: usize,
}

/// Mean test error over the folds of one shuffle.
#[derive(Serialize, Deserialize)]
pub(super) struct Outcome {
    trivial: f64,
    non_private: f64,
    /// Exact fits on the grid, penalties outside, floor levels inside.
    grid: Vec<f64>,
    /// `Δ²` at the same points, times the mean squared norm of the test rows.
    noise: Vec<f64>,
    /// Released fits: one list a method of [`METHODS`], one entry an `ε` of [`EPSILONS`].
    released: Vec<Vec<f64>>,
}

/// The methods that release, with the neighbours they are compared under.
const METHODS: [(&str, Relation); 9] = [
    ("decoupled, defaults", Relation::ReplaceOne),
    ("decoupled, defaults", Relation::AddRemove),
    ("AdaSSP, published", Relation::AddRemove),
    ("AdaSSP, Gaussian-DP", Relation::AddRemove),
    ("SSP with ridge", Relation::AddRemove),
    ("objective perturbation", Relation::AddRemove),
    ("noisy gradient descent", Relation::ReplaceOne),
    ("functional mechanism (pure ε)", Relation::ReplaceOne),
    ("one parameter, defaults", Relation::ReplaceOne),
];
const DEFAULTS_REPLACE_ONE: usize = 0;
const DEFAULTS_ADD_REMOVE: usize = 1;
const ADASSP_PAPER: usize = 2;
const ADASSP_GDP: usize = 3;

/// The methods of [`METHODS`], in order, for `n` training rows of `d` features. None is tuned.
fn methods(n: u64, d: usize) -> [Box<dyn DpRegressor>; METHODS.len()] {
    let sizes = Neighbor::AddRemove {
        n_nominal: n,
        n_max: n,
    };
    let adassp = |calibration| {
        Box::new(AdaSsp {
            calibration,
            ..AdaSsp::default()
        })
    };
    [
        Box::new(DecoupledRidge::default()),
        Box::new(DecoupledRidge {
            neighbor: sizes,
            ..DecoupledRidge::default()
        }),
        adassp(AdaSspCalibration::Paper),
        adassp(AdaSspCalibration::Gdp),
        Box::new(Ssp {
            ridge: 1.0,
            ..Ssp::default()
        }),
        Box::new(ObjPert::new(1.0 / n as f64, 1.0, sizes)),
        Box::new(DpGd::new(1.0 / n as f64)),
        Box::new(FunctionalMechanism::new(vec![(-1.0, 1.0); d], (-1.0, 1.0))),
        Box::new(DecoupledRidge {
            kind: Floor::None,
            level: Level::Public(0.0),
            ..DecoupledRidge::default()
        }),
    ]
}

/// `mean (y − xᵀβ)²` from sums.
fn mean_squared_error(test: &SuffStats, beta: &[f64]) -> f64 {
    let gram = mat_vec(test.non_private_gram().as_ref(), beta);
    let sums = test.non_private_yy() - 2.0 * dot(&test.non_private_xty(), beta) + dot(beta, &gram);
    sums / test.n() as f64
}

fn grid() -> impl Iterator<Item = (f64, Floor)> {
    ALPHAS
        .into_iter()
        .flat_map(|alpha| LEVELS.map(move |c| (alpha, Floor::Spectral(c).normalised())))
}

impl Experiment for RealData {
    type Cell = Cell;
    type Outcome = Outcome;

    fn id(&self) -> &'static str {
        "real_data"
    }

    fn title(&self) -> &str {
        "Prediction error on real tables"
    }

    fn cuts(&self, plan: &Plan) -> String {
        plan.pick(
            "The two tables that the library carries, 4 shuffles of 10 folds; the full plan adds \
             housing, census2000 and diamonds (fetched) and makes 20 shuffles.",
            "Nothing: five tables, 20 shuffles of 10 folds.",
        )
        .into()
    }

    fn cells(&self, plan: &Plan) -> Vec<Cell> {
        let sources = &SOURCES[..plan.pick(2, SOURCES.len())];
        sources
            .iter()
            .flat_map(|source| {
                (0..plan.pick(4, 20)).map(|repetition| Cell {
                    data: source.name,
                    repetition,
                })
            })
            .collect()
    }

    fn run(&self, cell: &Cell, ctx: &CellContext) -> Result<Outcome, CellError> {
        let source = SOURCES
            .iter()
            .find(|source| source.name == cell.data)
            .ok_or_else(|| CellError::failed(format!("no table is called {}", cell.data)))?;
        let (x, y) = source.load()?;
        let (x, y) = non_private_standardize(x.as_ref(), &y)?;
        let order = permutation(&mut ctx.streams().child("folds").rng(), y.len());
        let mut rng = Insecure::seeded(ctx.streams().child("noise").rng().next_u64());

        let mut out = Outcome {
            trivial: 0.0,
            non_private: 0.0,
            grid: vec![0.0; ALPHAS.len() * LEVELS.len()],
            noise: vec![0.0; ALPHAS.len() * LEVELS.len()],
            released: vec![vec![0.0; EPSILONS.len()]; METHODS.len()],
        };
        let share = 1.0 / FOLDS as f64;
        for fold in 0..FOLDS {
            let part = |test: bool| -> (Mat<f64>, Vec<f64>) {
                let rows: Vec<usize> = (0..y.len())
                    .filter(|position| (position % FOLDS == fold) == test)
                    .map(|position| order[position])
                    .collect();
                let features = Mat::from_fn(rows.len(), x.ncols(), |i, j| x[(rows[i], j)]);
                (features, rows.iter().map(|&i| y[i]).collect())
            };
            let (train_x, train_y) = part(false);
            let (test_x, test_y) = part(true);
            let of = |x, y| Training::from_rows(x, y, BOUNDS, Clip::Clip, Par::Seq);
            let training = of(train_x.as_ref(), &train_y)?;
            let test = of(test_x.as_ref(), &test_y)?;
            let (train, test) = (training.stats(), test.stats());
            let n = train.n();
            let mean_square_norm = {
                let gram = test.non_private_gram();
                (0..gram.nrows()).map(|j| gram[(j, j)]).sum::<f64>() / test.n() as f64
            };
            let error = |beta: &[f64]| share * mean_squared_error(test, beta);

            out.trivial += share * test.non_private_yy() / test.n() as f64;
            out.non_private += error(&RidgeSpec::new(1.0 / n as f64).solve(train)?.coef);
            let points: Vec<_> = grid().collect();
            let fits = RidgeSpec::new(1.0).path(train, &points)?;
            for (k, ((alpha, floor), fit)) in points.iter().zip(&fits).enumerate() {
                let delta = RidgeSpec::new(*alpha)
                    .floor(*floor)
                    .sensitivity(n, &BOUNDS)?
                    .value;
                out.grid[k] += error(&fit.coef);
                out.noise[k] += share * mean_square_norm * delta * delta;
            }
            let methods = methods(n, x.ncols());
            for (k, epsilon) in EPSILONS.into_iter().enumerate() {
                let budget = Budget::new(epsilon, DELTA)?;
                for (m, (method, (_, relation))) in methods.iter().zip(METHODS).enumerate() {
                    let mut ledger = Ledger::open(budget, Calibration::Analytic, relation)?;
                    let release = method.fit(&training, &mut ledger, &mut rng);
                    out.released[m][k] += match release {
                        Ok(release) => error(&release.coef),
                        // Noisy sums that cannot be solved: nothing but the mean is left.
                        Err(Error::NotPositiveDefinite { .. }) => error(&vec![0.0; x.ncols()]),
                        Err(other) => return Err(other.into()),
                    };
                }
            }
        }
        Ok(out)
    }

    fn conclude(&self, results: &[(Cell, Outcome)]) -> Result<Findings, CellError> {
        let mut findings = Findings::new().note(
            "Targets are centred and divided by their largest absolute value, features z-scored \
             and rows normalised, as in the AdaSSP study; these steps look at the data and are not \
             private. Intervals show the variation over shuffles of the same table.",
        );
        for source in &SOURCES {
            let outcomes: Vec<&Outcome> = results
                .iter()
                .filter(|(c, _)| c.data == source.name)
                .map(|(_, o)| o)
                .collect();
            if !outcomes.is_empty() {
                findings = conclude_table(findings, source, &outcomes)?;
            }
        }
        Ok(findings)
    }
}

/// One value a shuffle at the grid point that is best on average, among those whose floor level
/// is wanted.
fn oracle(outcomes: &[&Outcome], s: f64, wanted: impl Fn(f64) -> bool) -> Vec<f64> {
    let risk = |o: &Outcome, k: usize| o.grid[k] + s * s * o.noise[k];
    let mean = |k: usize| outcomes.iter().map(|o| risk(o, k)).sum::<f64>();
    let best = (0..outcomes[0].grid.len())
        .filter(|k| wanted(LEVELS[k % LEVELS.len()]))
        .min_by(|a, b| mean(*a).total_cmp(&mean(*b)))
        .unwrap_or(0);
    outcomes.iter().map(|o| risk(o, best)).collect()
}

fn conclude_table(
    mut findings: Findings,
    source: &Source,
    outcomes: &[&Outcome],
) -> Result<Findings, CellError> {
    let name = source.name;
    let values = |method: usize, k: usize| -> Vec<f64> {
        outcomes.iter().map(|o| o.released[method][k]).collect()
    };
    let estimate = |values: &[f64]| Estimate::of_mean(values);
    let mut table = Table::new(
        format!("real-{name}"),
        format!("Test mean squared error, {name}, δ = 10⁻⁶"),
        [
            "ε",
            "one parameter (oracle), replace-one",
            "decoupled (oracle), replace-one",
            "decoupled, defaults, replace-one",
            "decoupled, defaults, add/remove",
            "AdaSSP published, add/remove",
            "AdaSSP Gaussian-DP, add/remove",
        ],
    );
    let mut curves: [Vec<(f64, Estimate)>; 4] = Default::default();
    for (k, epsilon) in EPSILONS.into_iter().enumerate() {
        let s = analytic_multiplier(Budget::new(epsilon, DELTA)?)?;
        let columns = [
            oracle(outcomes, s, |level| level == 0.0),
            oracle(outcomes, s, |_| true),
            values(DEFAULTS_REPLACE_ONE, k),
            values(DEFAULTS_ADD_REMOVE, k),
            values(ADASSP_PAPER, k),
            values(ADASSP_GDP, k),
        ];
        let mut row = vec![Value::from(epsilon)];
        for column in &columns {
            row.push(estimate(column)?.into());
        }
        table = table.row(row);
        for (curve, column) in curves.iter_mut().zip([0, 1, 3, 5]) {
            curve.push((epsilon, estimate(&columns[column])?));
        }
        if epsilon == 1.0 || epsilon == 5.0 {
            // The grid of two parameters holds that of one, so only real floors can lose.
            let floored = oracle(outcomes, s, |level| level > 0.0);
            findings = findings.claim(Claim::measured(
                format!("real-{name}-eps{epsilon}"),
                format!(
                    "A floor is no worse than none on {name} (ε = {epsilon}, best tuning of both)"
                ),
                "abstract; tuned as in the AdaSSP study",
                Estimate::difference(&columns[0], &floored)?,
                Criterion::at_least(0.0).of("test error without a floor − with one"),
            ));
        }
        if epsilon == 1.0 {
            findings = findings.claim(Claim::measured(
                format!("real-{name}-adassp"),
                format!(
                    "With public defaults the method predicts better than AdaSSP on {name} (ε = 1)"
                ),
                "comparison of ours, add/remove",
                Estimate::difference(&columns[5], &columns[3])?,
                Criterion::above(0.0).of("test error of AdaSSP − of the decoupled method"),
            ));
            if let Some(published) = source.adassp {
                findings = findings.claim(
                    Claim::measured(
                        format!("adassp-{name}"),
                        format!("Our AdaSSP has its published error on {name} (ε = 1)"),
                        "Wang 2018, published result files",
                        estimate(&columns[4])?,
                        Criterion::near(published, 0.1).of("test mean squared error"),
                    )
                    .published(published),
                );
            }
        }
    }
    let trivial = estimate(&outcomes.iter().map(|o| o.trivial).collect::<Vec<_>>())?;
    let exact = estimate(&outcomes.iter().map(|o| o.non_private).collect::<Vec<_>>())?;
    table = table.note(format!(
        "Predicting the mean gives {:.4}, non-private ridge {:.4}. Add/remove needs about half the \
         noise of replace-one: compare columns of one relation only. Oracle columns are tuned on \
         the test errors themselves.",
        trivial.mean(),
        exact.mean()
    ));
    let [single, decoupled, defaults, adassp] = curves;
    let ends = |curve: &[(f64, Estimate)]| {
        let show = |p: Option<&(f64, Estimate)>| p.map_or(f64::NAN, |p| p.1.mean());
        (show(curve.first()), show(curve.last()))
    };
    let alt = format!(
        "Test error against epsilon on {name}. From ε = 0.1 to 5: one parameter {:.3} to {:.3}, \
         decoupled {:.3} to {:.3} (both replace-one), AdaSSP {:.3} to {:.3} (add/remove, which \
         needs about half the noise); predicting the mean gives {:.3}.",
        ends(&single).0,
        ends(&single).1,
        ends(&decoupled).0,
        ends(&decoupled).1,
        ends(&adassp).0,
        ends(&adassp).1,
        trivial.mean(),
    );
    // Two labels closer than this part of the axis would cover each other.
    let points = [&single, &decoupled, &defaults, &adassp]
        .into_iter()
        .flatten();
    let highest = points.map(|p| p.1.high()).fold(0.0, f64::max);
    let together = trivial.mean() - exact.mean() < 0.1 * (highest - exact.mean());
    let figure = Figure::new(
        format!("real-{name}"),
        format!("Prediction error on {name}"),
        alt,
        Axis::log("ε (δ = 10⁻⁶)"),
        Axis::linear("test mean squared error"),
    )
    .series(Series::line("one parameter (oracle, replace-one)", single))
    .series(Series::line("decoupled (oracle, replace-one)", decoupled))
    .series(Series::line("decoupled, defaults (add/remove)", defaults))
    .series(Series::line("AdaSSP, Gaussian-DP (add/remove)", adassp))
    .rule(
        exact.mean(),
        if together {
            "non-private, or the mean"
        } else {
            "non-private"
        },
    );
    let figure = if together {
        figure
    } else {
        figure.rule(trivial.mean(), "predicting the mean")
    };
    let relation = |r| match r {
        Relation::ReplaceOne => "replace-one",
        Relation::AddRemove => "add/remove",
    };
    let mut all = Table::new(
        format!("real-{name}-methods"),
        format!("Untuned methods on {name}: test mean squared error by ε, δ = 10⁻⁶"),
        [
            "method",
            "neighbours",
            "ε = 0.1",
            "0.2",
            "0.5",
            "1",
            "2",
            "5",
        ],
    )
    .note(
        "Arithmetic means: one indefinite system can dominate the mean \
         of the functional mechanism and of SSP.",
    );
    for (m, (method, under)) in METHODS.into_iter().enumerate() {
        let mut row = vec![Value::from(method), relation(under).into()];
        for k in 0..EPSILONS.len() {
            row.push(estimate(&values(m, k))?.mean().into());
        }
        all = all.row(row);
    }
    Ok(findings.table(table).table(all).figure(figure))
}
