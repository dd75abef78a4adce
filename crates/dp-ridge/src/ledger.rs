//! The privacy ledger: what a budget allows, what was spent on it, and what is left.

use crate::calibration::{
    analytic_multiplier, classic_multiplier, gdp_delta, gdp_epsilon, zcdp_delta, zcdp_epsilon,
    zcdp_rho,
};
use crate::{Budget, Calibration, Error, Relation, Result};

/// Relative slack of the rule `Σ μ_i² ≤ μ_tot²`, for shares that were computed to add up.
const SLACK: f64 = 1e-12;

/// How much of a ledger one Gaussian release may use. Shares add in squares:
/// `Σ μ_i² ≤ μ_tot²`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mu {
    /// This `μ` (noise is `Δ/μ`), above 1e-150.
    Exact(f64),
    /// This fraction of `μ_tot²`, in (0, 1].
    Fraction(f64),
    /// All that is left.
    Rest,
}

/// One line of a ledger.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Entry {
    /// What was released.
    pub label: String,
    /// What it cost.
    pub cost: Cost,
}

/// What one release cost.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Cost {
    /// A Gaussian of noise `Δ/μ`, discrete or not.
    Mu(f64),
    /// A pure-`ε` mechanism.
    PureEpsilon(f64),
}

/// A ledger as it can be stored and shown: everything in it is public.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LedgerSummary {
    /// The budget it was opened with.
    pub budget: Budget,
    /// How noise is computed from it.
    pub calibration: Calibration,
    /// The one neighbour relation of all its releases.
    pub relation: Relation,
    /// What was spent, in order.
    pub entries: Vec<Entry>,
}

/// What may still be released about one data set, exactly accounted.
///
/// Gaussian releases compose exactly in Gaussian DP (`μ = √Σμ_i²`, adaptively); pure-`ε`
/// mechanisms on the same rows add `ε`. A release that does not fit is refused, and a stored
/// ledger that overspends does not load.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(try_from = "LedgerSummary", into = "LedgerSummary")
)]
pub struct Ledger {
    summary: LedgerSummary,
    mu_total: f64,
    mu_squared: f64,
    pure: f64,
}

impl Ledger {
    /// A fresh ledger.
    ///
    /// # Errors
    /// [`Error::BadBudget`], [`Error::ClassicNeedsEpsLe1`].
    pub fn open(budget: Budget, calibration: Calibration, relation: Relation) -> Result<Self> {
        let mu_total = mu_total(budget, calibration)?;
        let summary = LedgerSummary {
            budget,
            calibration,
            relation,
            entries: Vec::new(),
        };
        Ok(Self {
            summary,
            mu_total,
            mu_squared: 0.0,
            pure: 0.0,
        })
    }

    /// The total `μ` that the budget allows, after the pure `ε` spent so far.
    #[must_use]
    pub fn mu_total(&self) -> f64 {
        self.mu_total
    }

    /// The `μ` that one more release could use: `√(μ_tot² − Σμ_i²)`.
    #[must_use]
    pub fn remaining(&self) -> f64 {
        (self.mu_total * self.mu_total - self.mu_squared)
            .max(0.0)
            .sqrt()
    }

    /// Turn a share into the `μ` it stands for, without spending it.
    ///
    /// # Errors
    /// [`Error::NegativeParameter`] for a share out of range, [`Error::BudgetExceeded`].
    pub fn resolve(&self, share: Mu) -> Result<f64> {
        let total = self.mu_total * self.mu_total;
        let mu = match share {
            // What is charged is the square: one that underflows would be free.
            Mu::Exact(mu) if mu > 1e-150 && mu.is_finite() => mu,
            Mu::Exact(value) => {
                return Err(Error::NegativeParameter {
                    name: "mu",
                    value,
                    range: "above 1e-150, finite",
                });
            }
            Mu::Fraction(f) if f > 0.0 && f <= 1.0 => (f * total).sqrt(),
            Mu::Fraction(value) => {
                return Err(Error::NegativeParameter {
                    name: "fraction",
                    value,
                    range: "in (0, 1]",
                });
            }
            Mu::Rest => self.remaining(),
        };
        let fits = self.mu_squared + mu * mu <= total * (1.0 + SLACK);
        if fits && mu > 0.0 {
            Ok(mu)
        } else {
            Err(Error::BudgetExceeded {
                asked: mu,
                left: self.remaining(),
                unit: "mu",
            })
        }
    }

    /// Record a Gaussian release; returns its `μ`. Call it before drawing the noise.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve); nothing is spent then.
    pub fn spend_mu(&mut self, label: impl Into<String>, share: Mu) -> Result<f64> {
        let mu = self.resolve(share)?;
        self.mu_squared += mu * mu;
        self.summary.entries.push(Entry {
            label: label.into(),
            cost: Cost::Mu(mu),
        });
        Ok(mu)
    }

    /// Record a pure-`ε` mechanism on the same rows.
    ///
    /// # Errors
    /// [`Error::BadBudget`]; [`Error::BudgetExceeded`] when what is left of `ε` no longer covers
    /// the Gaussian releases made. Nothing is spent then.
    pub fn spend_pure(&mut self, label: impl Into<String>, epsilon: f64) -> Result<()> {
        let Budget {
            epsilon: total,
            delta,
        } = self.summary.budget;
        Budget { epsilon, delta }.check()?;
        let left = total - self.pure;
        let exceeded = Error::BudgetExceeded {
            asked: epsilon,
            left,
            unit: "epsilon",
        };
        let mut rest = left - epsilon;
        if rest.abs() <= SLACK * total {
            rest = 0.0;
        }
        let mu_total = if rest < 0.0 {
            return Err(exceeded);
        } else if rest == 0.0 {
            0.0
        } else {
            mu_total(
                Budget {
                    epsilon: rest,
                    delta,
                },
                self.summary.calibration,
            )?
        };
        if self.mu_squared > mu_total * mu_total * (1.0 + SLACK) {
            return Err(exceeded);
        }
        self.mu_total = mu_total;
        self.pure += epsilon;
        self.summary.entries.push(Entry {
            label: label.into(),
            cost: Cost::PureEpsilon(epsilon),
        });
        Ok(())
    }

    /// Refuse another relation than the ledger's.
    ///
    /// # Errors
    /// [`Error::NeighborMismatch`].
    pub fn require_relation(&self, what: &'static str, got: Relation) -> Result<()> {
        if self.summary.relation == got {
            Ok(())
        } else {
            Err(Error::NeighborMismatch {
                what,
                expected: self.summary.relation,
                got,
            })
        }
    }

    /// Refuse a method that is stated for another relation than the ledger's.
    pub(crate) fn require_method(&self, what: &'static str, needs: Relation) -> Result<()> {
        if self.summary.relation == needs {
            Ok(())
        } else {
            Err(Error::NeighborMismatch {
                what,
                expected: needs,
                got: self.summary.relation,
            })
        }
    }

    /// The `δ` at which all that was spent is `(ε, δ)`-private.
    #[must_use]
    pub fn delta_at(&self, epsilon: f64) -> f64 {
        let rest = epsilon - self.pure;
        if rest < 0.0 {
            return 1.0;
        }
        match self.summary.calibration {
            Calibration::Zcdp => zcdp_delta(self.mu_squared / 2.0, rest),
            Calibration::Classic | Calibration::Analytic => gdp_delta(self.mu_squared.sqrt(), rest),
        }
    }

    /// The `ε` at which all that was spent is `(ε, δ)`-private.
    ///
    /// # Errors
    /// [`Error::BadBudget`] for `δ` outside (0, 1).
    pub fn epsilon_at(&self, delta: f64) -> Result<f64> {
        let gaussian = match self.summary.calibration {
            Calibration::Zcdp => zcdp_epsilon(self.mu_squared / 2.0, delta)?,
            Calibration::Classic | Calibration::Analytic => {
                gdp_epsilon(self.mu_squared.sqrt(), delta)?
            }
        };
        Ok(gaussian + self.pure)
    }

    /// The budget it was opened with.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.summary.budget
    }

    /// The calibration it was opened with.
    #[must_use]
    pub fn calibration(&self) -> Calibration {
        self.summary.calibration
    }

    /// The relation it was opened with.
    #[must_use]
    pub fn relation(&self) -> Relation {
        self.summary.relation
    }

    /// What was spent, in order, with the budget.
    #[must_use]
    pub fn summary(&self) -> &LedgerSummary {
        &self.summary
    }
}

impl TryFrom<LedgerSummary> for Ledger {
    type Error = Error;

    /// Replays the entries, so that a ledger edited to overspend is refused.
    fn try_from(stored: LedgerSummary) -> Result<Self> {
        let mut ledger = Self::open(stored.budget, stored.calibration, stored.relation)?;
        for Entry { label, cost } in stored.entries {
            match cost {
                Cost::Mu(mu) => ledger.spend_mu(label, Mu::Exact(mu)).map(drop)?,
                Cost::PureEpsilon(epsilon) => ledger.spend_pure(label, epsilon)?,
            }
        }
        Ok(ledger)
    }
}

impl From<Ledger> for LedgerSummary {
    fn from(ledger: Ledger) -> Self {
        ledger.summary
    }
}

fn mu_total(budget: Budget, calibration: Calibration) -> Result<f64> {
    Ok(match calibration {
        Calibration::Analytic => 1.0 / analytic_multiplier(budget)?,
        Calibration::Classic => 1.0 / classic_multiplier(budget)?,
        Calibration::Zcdp => (2.0 * zcdp_rho(budget)?).sqrt(),
    })
}
