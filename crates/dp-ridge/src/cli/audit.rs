use super::failure::Failure;
use super::method::FloorChoice;
use super::privacy::BudgetArgs;
use super::terminal::{print, print_json, short, table};
use clap::Args;
use dp_ridge::{Bounds, Insecure, Neighbor, RidgeSpec, audit};

#[derive(Args)]
#[command(after_help = "Examples:
  dp-ridge audit --eps 1 --delta 0.01
  dp-ridge audit --eps 1 --delta 0.01 --noise-factor 0.5     # a broken mechanism: exit code 1

The two data sets have n - 1 rows of zeros and one row at the bound, whose target is at the bound
in one and at minus the bound in the other. Exit code 1 when the mechanism leaks more than it says.")]
pub(crate) struct AuditArgs {
    /// Number of records
    #[arg(long, default_value_t = 1)]
    n: u64,
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
    /// Ridge penalty in averaged units
    #[arg(
        long,
        value_name = "A",
        default_value_t = 1e-3,
        allow_negative_numbers = true
    )]
    alpha: f64,
    /// none, spectral:C or shift:C
    #[arg(long, value_name = "FLOOR", default_value = "spectral:1")]
    floor: FloorChoice,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Scale the noise by this; below 1 the mechanism is broken and should be caught
    #[arg(
        long,
        value_name = "F",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    noise_factor: f64,
    /// Draws from each of the two data sets
    #[arg(long, default_value_t = 1_000_000)]
    draws: usize,
    /// Seed of the draws
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &AuditArgs) -> Result<(), Failure> {
    let FloorChoice::Public(floor) = args.floor else {
        return Err(Failure::usage(
            "--floor auto is not audited; give none, spectral:C or shift:C",
        ));
    };
    let bounds = Bounds::new(args.x_norm, args.y_abs)?;
    let spec = RidgeSpec::new(args.alpha).floor(floor);
    let ledger = args.budget.fresh_ledger(Neighbor::ReplaceOne)?;
    let sensitivity = spec.sensitivity(args.n, &bounds)?.value;
    let noise = args.budget.noise(sensitivity, ledger.mu_total());
    let found = audit::ridge(
        &spec,
        args.n,
        bounds,
        &ledger,
        noise,
        args.noise_factor,
        args.draws,
        &mut Insecure::seeded(args.seed),
    )?;
    if args.json {
        print_json(&found)?;
    } else {
        let rows = [
            ("claimed epsilon", found.budget.epsilon.to_string()),
            ("claimed delta", found.budget.delta.to_string()),
            ("measured delta", short(found.delta)),
            ("standard error", short(found.standard_error)),
            ("lower limit (99.9%)", short(found.delta_low)),
            ("leaks more than claimed", found.flagged.to_string()),
        ];
        let rows: Vec<Vec<String>> = rows.map(|(k, v)| vec![k.to_owned(), v]).into();
        print(&table(&rows))?;
    }
    if found.flagged {
        return Err(Failure::Failed(format!(
            "the mechanism leaks more than it says: delta is above {} with 99.9% confidence, the claim is {}",
            short(found.delta_low),
            found.budget.delta
        )));
    }
    Ok(())
}
