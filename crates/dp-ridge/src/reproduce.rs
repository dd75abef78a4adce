//! The paper's experiments as cells and claims: one file a table or figure.
//!
//! No table or figure of the paper was public when this was written; its claims are taken from
//! the abstract, and the designs from the field.

mod audits;
mod decomposition;
mod design;
mod erm_logistic;
mod private_floor;
mod real_data;
mod risk_curves;

use crate::{Budget, Calibration, Ledger, Relation, Result};
use papercrates_experiment::{Claim, Paper};

/// The budget of all synthetic experiments: `(1, 10⁻⁶)`.
const BUDGET: Budget = Budget {
    epsilon: 1.0,
    delta: DELTA,
};

/// `δ` of all experiments but the audits.
const DELTA: f64 = 1e-6;

/// A fresh analytic ledger of [`BUDGET`].
fn open(relation: Relation) -> Result<Ledger> {
    Ledger::open(BUDGET, Calibration::Analytic, relation)
}

/// Everything that `reproduce` runs for this crate.
#[must_use]
pub fn paper() -> Paper {
    Paper::new(
        env!("CARGO_PKG_NAME"),
        env!("CARGO_PKG_VERSION"),
        "Decoupling Regularization and Privacy in Differentially Private Ridge Regression and ERM",
    )
    .reference("Wanjie Wang and Tathagata Banerjee, ICML 2026")
    .experiment(risk_curves::RiskCurves)
    .experiment(decomposition::Decomposition)
    .experiment(real_data::RealData)
    .experiment(erm_logistic::ErmLogistic)
    .experiment(private_floor::PrivateFloorCost)
    .experiment(audits::Audits)
    .claim(Claim::not_testable(
        "own-figures",
        "The numbers of the paper's own simulations",
        "abstract",
        "only the abstract is public, so no number of its tables and figures can be compared",
    ))
}
