use super::failure::Failure;
use super::method::FloorChoice;
use super::privacy::{BudgetArgs, NeighborArgs};
use super::terminal::{print, print_json, table};
use clap::Args;
use dp_ridge::{Bounds, Neighbor, RidgeSpec};
use serde::Serialize;

#[derive(Args)]
#[command(after_help = "Examples:
  dp-ridge sensitivity --n 1000 --x-norm 1 --y-abs 1 --alpha 0.01 --floor spectral:0.1
  dp-ridge sensitivity --n 1000 --x-norm 1 --y-abs 1 --alpha 0.01 --eps 1 --delta 1e-6")]
pub(crate) struct SensitivityArgs {
    /// Number of records (public under replace-one; not used under add-remove)
    #[arg(long)]
    n: Option<u64>,
    /// Bound on the norm of a feature row (with --intercept S: the root of B^2 + S^2)
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    x_norm: f64,
    /// Bound on |target|
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    y_abs: f64,
    /// Ridge penalty in averaged units
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    alpha: f64,
    /// none, spectral:C or shift:C
    #[arg(long, value_name = "FLOOR", default_value = "none")]
    floor: FloorChoice,
    /// Public bound on the norm of the coefficients
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    radius: Option<f64>,
    #[command(flatten)]
    neighbor: NeighborArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    /// JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    sensitivity: f64,
    norm_bound: f64,
    k: f64,
    curvature: f64,
    saturated: bool,
    /// With a budget only: `μ` and `Δ/μ`.
    mu: Option<f64>,
    noise_sd: Option<f64>,
}

pub(crate) fn run(args: &SensitivityArgs) -> Result<(), Failure> {
    let neighbor = args.neighbor.neighbor()?;
    let n = match (neighbor, args.n) {
        (Neighbor::ReplaceOne, None) => {
            return Err(Failure::usage(
                "--n is missing; under replace-one the number of records counts",
            ));
        }
        (_, n) => n.unwrap_or(0),
    };
    let FloorChoice::Public(floor) = args.floor else {
        return Err(Failure::usage(
            "--floor auto needs data; give none, spectral:C or shift:C",
        ));
    };
    let bounds = Bounds::new(args.x_norm, args.y_abs)?;
    let mut spec = RidgeSpec::new(args.alpha).floor(floor).neighbor(neighbor);
    spec.radius = args.radius;
    let found = spec.sensitivity(n, &bounds)?;
    let mu = if args.budget.eps.is_some() || args.budget.delta.is_some() {
        Some(args.budget.fresh_ledger(neighbor)?.mu_total())
    } else {
        None
    };
    let answer = Answer {
        sensitivity: found.value,
        norm_bound: found.norm_bound,
        k: found.k,
        curvature: found.curvature,
        saturated: found.saturated,
        mu,
        noise_sd: mu.map(|mu| found.value / mu),
    };
    if args.json {
        return print_json(&answer);
    }
    let mut rows = vec![
        ("sensitivity", answer.sensitivity.to_string()),
        ("norm bound R", answer.norm_bound.to_string()),
        ("constant K", answer.k.to_string()),
        ("curvature c + alpha", answer.curvature.to_string()),
        ("at its cap 2R", answer.saturated.to_string()),
    ];
    rows.extend(answer.mu.map(|mu| ("mu of the budget", mu.to_string())));
    rows.extend(
        answer
            .noise_sd
            .map(|sd| ("noise sd, sensitivity / mu", sd.to_string())),
    );
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|(k, v)| vec![k.to_owned(), v])
        .collect();
    print(&table(&rows))
}
