use super::failure::Failure;
use super::privacy::{BudgetArgs, NeighborArgs};
use super::terminal::{print, print_json, short, table};
use clap::{Args, ValueEnum};
use dp_ridge::plan::{Basis, predict};
use dp_ridge::risk::{Metric, Problem};
use dp_ridge::{Bounds, MAX_FEATURES, Neighbor};

#[derive(Args)]
#[command(after_help = "Examples:
  dp-ridge plan --n 100000 --d 10 --eps 1 --delta 1e-6
  dp-ridge plan --n 100000 --eps 1 --delta 1e-6 --spectrum 0.5,0.3,0.15,0.05

Everything here is a guess from public knowledge; no data are read.")]
pub(crate) struct PlanArgs {
    /// Number of records (the nominal size under add-remove)
    #[arg(long)]
    n: Option<u64>,
    /// Number of features
    #[arg(
        long,
        required_unless_present = "spectrum",
        conflicts_with = "spectrum"
    )]
    d: Option<usize>,
    /// Guess of the eigenvalues of the averaged Gram matrix [default: x-bound^2/d, d times]
    #[arg(
        long,
        value_name = "L1,L2,…",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    spectrum: Option<Vec<f64>>,
    /// Bound on the norm of a feature row
    #[arg(
        long,
        value_name = "B",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    x_norm: f64,
    /// Bound on |target|
    #[arg(
        long,
        value_name = "B",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    y_abs: f64,
    /// Guess of the norm of the true coefficients [default: y-bound/x-bound]
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    guess_beta: Option<f64>,
    /// Guess of the standard deviation of the errors [default: y-bound/4]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    guess_noise: Option<f64>,
    /// What the risk is about: squared error of the coefficients, or of predictions
    #[arg(long, value_enum, default_value = "coefficients")]
    metric: MetricName,
    #[command(flatten)]
    neighbor: NeighborArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    /// JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum MetricName {
    Coefficients,
    Prediction,
}

pub(crate) fn run(args: &PlanArgs) -> Result<(), Failure> {
    let neighbor = args.neighbor.neighbor()?;
    let n = match (neighbor, args.n) {
        (Neighbor::AddRemove { n_nominal, .. }, _) => n_nominal,
        (Neighbor::ReplaceOne, Some(n)) => n,
        (Neighbor::ReplaceOne, None) => {
            return Err(Failure::usage("--n is missing; give the number of records"));
        }
    };
    let bounds = Bounds::new(args.x_norm, args.y_abs)?;
    let mut eigenvalues = match (&args.spectrum, args.d) {
        (Some(spectrum), _) => spectrum.clone(),
        (None, Some(d)) if (1..=MAX_FEATURES).contains(&d) => {
            vec![bounds.x_norm.powi(2) / d as f64; d]
        }
        (None, d) => {
            return Err(Failure::usage(format!(
                "--d {} is outside 1 to {MAX_FEATURES}; give the number of features",
                d.unwrap_or(0)
            )));
        }
    };
    eigenvalues.sort_by(f64::total_cmp);
    let d = eigenvalues.len();
    let norm = args.guess_beta.unwrap_or(bounds.y_abs / bounds.x_norm);
    let problem = Problem {
        n,
        eigenvalues,
        beta: vec![norm / (d as f64).sqrt(); d],
        noise_variance: args.guess_noise.unwrap_or(bounds.y_abs / 4.0).powi(2),
        bounds,
    };
    let metric = match args.metric {
        MetricName::Coefficients => Metric::Coefficients,
        MetricName::Prediction => Metric::Prediction,
    };
    let calibration = args.budget.fresh_ledger(neighbor)?.calibration();
    let found = predict(
        &problem,
        args.budget.budget()?,
        calibration,
        neighbor,
        metric,
    )?;
    if args.json {
        return print_json(&found);
    }
    let mut rows = vec![
        ["method", "predicted risk", "alpha", "floor", "basis"]
            .map(str::to_owned)
            .to_vec(),
    ];
    rows.extend(found.iter().map(|p| {
        let or_dash = |value: Option<f64>| value.map_or("-".into(), short);
        let basis = match p.basis {
            Basis::NotPrivate => "not private",
            Basis::BestCase => "best parameters",
            Basis::Defaults => "no tuning",
            Basis::FirstOrder => "first order",
        };
        vec![
            p.method.into(),
            p.risk.map_or("breaks down".into(), short),
            or_dash(p.alpha),
            or_dash(p.floor),
            basis.into(),
        ]
    }));
    print(&table(&rows))
}
