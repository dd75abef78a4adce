use super::failure::Failure;
use super::terminal::note;
use clap::{Args, ValueEnum};
use dp_ridge::io::LedgerFile;
use dp_ridge::{Budget, Calibration, Insecure, Ledger, Mu, Neighbor, Noise, NoiseRng, SecureRng};
use std::path::PathBuf;

/// Who counts as a neighbour.
#[derive(Args)]
pub(crate) struct NeighborArgs {
    /// Which data sets are neighbours; under add-remove the number of rows is private
    #[arg(long, value_enum, default_value = "replace-one")]
    pub(crate) neighbor: Relation,
    /// Public guess of the number of rows, the divisor under add-remove
    #[arg(long, value_name = "N")]
    pub(crate) n_nominal: Option<u64>,
    /// Public upper bound on the number of rows under add-remove [default: --n-nominal]
    #[arg(long, value_name = "N")]
    pub(crate) n_max: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Relation {
    ReplaceOne,
    AddRemove,
}

impl NeighborArgs {
    pub(crate) fn neighbor(&self) -> Result<Neighbor, Failure> {
        match (self.neighbor, self.n_nominal) {
            (Relation::ReplaceOne, None) if self.n_max.is_none() => Ok(Neighbor::ReplaceOne),
            (Relation::ReplaceOne, _) => Err(Failure::usage(
                "--n-nominal and --n-max belong to --neighbor add-remove; leave them out, since the number of rows is public here",
            )),
            (Relation::AddRemove, None) => Err(Failure::usage(
                "--neighbor add-remove needs --n-nominal, a public guess of the number of rows",
            )),
            (Relation::AddRemove, Some(n_nominal)) => {
                let n_max = self.n_max.unwrap_or(n_nominal);
                let neighbor = Neighbor::AddRemove { n_nominal, n_max };
                neighbor.divisor(0)?;
                Ok(neighbor)
            }
        }
    }
}

/// The budget and how it becomes noise.
#[derive(Args)]
pub(crate) struct BudgetArgs {
    /// Privacy loss, above 0; below 1 is strong, above 10 weak
    #[arg(
        long,
        alias = "epsilon",
        value_name = "E",
        allow_negative_numbers = true
    )]
    pub(crate) eps: Option<f64>,
    /// Probability that the loss is larger, well below 1/n; it has no default
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(crate) delta: Option<f64>,
    /// How the budget becomes noise [default: zcdp with discrete noise, analytic with float noise]
    #[arg(long, value_enum)]
    pub(crate) calibration: Option<CalibrationName>,
    /// Exactly sampled discrete noise, or floating-point noise whose lowest bits can leak
    #[arg(long, value_enum, default_value = "discrete")]
    pub(crate) noise: NoiseName,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CalibrationName {
    Classic,
    Analytic,
    Zcdp,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NoiseName {
    Discrete,
    Float,
}

impl BudgetArgs {
    /// The calibration that was named, if any.
    fn named_calibration(&self) -> Option<Calibration> {
        self.calibration.map(|name| match name {
            CalibrationName::Classic => Calibration::Classic,
            CalibrationName::Analytic => Calibration::Analytic,
            CalibrationName::Zcdp => Calibration::Zcdp,
        })
    }

    pub(crate) fn discrete(&self) -> bool {
        self.noise == NoiseName::Discrete
    }

    /// Noise for one release of this sensitivity.
    pub(crate) fn noise(&self, sensitivity: f64, mu: f64) -> Noise {
        if self.discrete() {
            Noise::default_grid(sensitivity, mu)
        } else {
            Noise::Float
        }
    }

    pub(crate) fn budget(&self) -> Result<Budget, Failure> {
        let epsilon = self.eps.ok_or_else(|| {
            Failure::usage("--eps is missing; a usual value is 1, smaller is more private")
        })?;
        let delta = self.delta.ok_or_else(|| {
            Failure::usage(
                "--delta is missing and has no default; choose it well below 1/n, such as 1e-6",
            )
        })?;
        Ok(Budget::new(epsilon, delta)?)
    }

    /// A ledger for this budget alone.
    pub(crate) fn fresh_ledger(&self, neighbor: Neighbor) -> Result<Ledger, Failure> {
        let default = if self.discrete() {
            Calibration::Zcdp
        } else {
            Calibration::Analytic
        };
        let calibration = self.named_calibration().unwrap_or(default);
        Ok(Ledger::open(
            self.budget()?,
            calibration,
            neighbor.relation(),
        )?)
    }

    /// Refuse options that contradict a ledger that was opened before.
    fn check_against(&self, ledger: &Ledger) -> Result<(), Failure> {
        let budget = ledger.budget();
        for (name, asked, opened) in [
            ("--eps", self.eps, budget.epsilon),
            ("--delta", self.delta, budget.delta),
        ] {
            if let Some(asked) = asked
                && asked != opened
            {
                return Err(Failure::usage(format!(
                    "{name} {asked} differs from the {opened} that this ledger was opened with; leave it out, and use --share to spend a part"
                )));
            }
        }
        if let Some(asked) = self.named_calibration()
            && asked != ledger.calibration()
        {
            return Err(Failure::usage(format!(
                "--calibration {asked:?} differs from {:?}, which this ledger was opened with; leave it out",
                ledger.calibration()
            )));
        }
        Ok(())
    }
}

/// What a release spends, and where that is written down.
#[derive(Args)]
pub(crate) struct PrivacyArgs {
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    #[command(flatten)]
    pub(crate) neighbor: NeighborArgs,
    /// Ledger of these data, kept over runs: opened with --eps and --delta, charged before the
    /// model is written, and locked against other runs
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// Part of the ledger's budget (of mu squared) to spend, in (0, 1] [default: all that is left]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    share: Option<f64>,
    /// Draw the noise from a seed, for tests and demonstrations: the model is then NOT private and
    /// says so
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

impl PrivacyArgs {
    /// The ledger to charge, the file it is kept in, and the `μ` of this run.
    pub(crate) fn open(&self) -> Result<Account, Failure> {
        let neighbor = self.neighbor.neighbor()?;
        let file = self.ledger.as_deref().map(LedgerFile::open).transpose()?;
        let ledger = match file.as_ref().and_then(LedgerFile::ledger) {
            Some(ledger) => {
                self.budget.check_against(ledger)?;
                ledger.require_relation("this ledger", neighbor.relation())?;
                ledger.clone()
            }
            None => self.budget.fresh_ledger(neighbor)?,
        };
        let mu = ledger.resolve(self.share.map_or(Mu::Rest, Mu::Fraction))?;
        Ok(Account {
            file,
            ledger,
            mu,
            neighbor,
        })
    }

    /// Whether a part of the budget was asked for.
    pub(crate) fn takes_part(&self) -> bool {
        self.share.is_some()
    }

    pub(crate) fn rng(&self) -> Result<Box<dyn NoiseRng>, Failure> {
        rng(self.seed)
    }
}

/// What this run may spend.
pub(crate) struct Account {
    pub(crate) file: Option<LedgerFile>,
    pub(crate) ledger: Ledger,
    pub(crate) mu: f64,
    pub(crate) neighbor: Neighbor,
}

impl Account {
    /// Warn of a `δ` that lets a mechanism publish a whole record.
    pub(crate) fn warn_of_delta(&self, n: u64) -> Result<(), Failure> {
        let n = self.neighbor.divisor(n)?;
        let delta = self.ledger.budget().delta;
        if delta >= 1.0 / n {
            note(
                "warning",
                &format!(
                    "delta = {delta} is not below 1/n = {:e}, so publishing one whole record would count as private; choose a smaller delta",
                    1.0 / n
                ),
            );
        }
        Ok(())
    }
}

/// The operating system's entropy, or a seed.
pub(crate) fn rng(seed: Option<u64>) -> Result<Box<dyn NoiseRng>, Failure> {
    Ok(match seed {
        Some(seed) => {
            note(
                "warning",
                "the noise comes from --seed, so the result is NOT private",
            );
            Box::new(Insecure::seeded(seed))
        }
        None => Box::new(SecureRng::from_os()?),
    })
}
