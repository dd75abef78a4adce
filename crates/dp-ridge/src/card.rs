//! The model card: a release as one file that says what it is and how private it is.

use crate::io::{from_json, read_text};
use crate::{
    Calibration, Cost, Entry, Error, Ledger, Missing, Noise, Preparation, Relation, Release,
    Result, TargetRange,
};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the card's layout that this crate writes and reads.
pub const CARD_SCHEMA: u32 = 1;

/// Level of the noise intervals on a card.
pub const INTERVAL_LEVEL: f64 = 0.95;

/// Name of the intercept among the coefficients.
const INTERCEPT: &str = "(intercept)";

/// A published model: everything in it is private or was public before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelCard {
    /// Version of this layout, [`CARD_SCHEMA`].
    pub schema: u32,
    /// Version of the crate that wrote it.
    pub crate_version: String,
    /// True when the noise came from a known seed: the release protects nobody.
    pub reproducible_not_private: bool,
    /// What is guaranteed to a person in the data, in plain words.
    pub privacy: String,
    /// What counts as public knowledge, and is not protected.
    pub public: Vec<String>,
    /// Name of the target.
    pub target: String,
    /// Names of the raw features, in order.
    pub features: Vec<String>,
    /// Coefficients of the prepared features, the intercept last.
    pub coefficients: Vec<Coefficient>,
    /// Level of their noise intervals.
    pub interval_level: f64,
    /// The same linear function of raw values, for rows inside the public range.
    pub raw_units: RawUnits,
    /// How raw values become prepared ones.
    pub preparation: Preparation,
    /// The release: method, noise, sensitivity and ledger.
    pub release: Release,
}

/// One coefficient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// Name of the feature.
    pub feature: String,
    /// The noisy coefficient of the prepared feature.
    pub value: f64,
    /// Covers the coefficient that would have come out without noise; `None` where the method's
    /// noise has no such interval. It does not cover sampling error.
    pub noise_interval: Option<(f64, f64)>,
}

/// A linear function of raw values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawUnits {
    /// Value at 0.
    pub intercept: f64,
    /// Slope of each raw feature.
    pub slopes: Vec<f64>,
}

impl ModelCard {
    /// Make the card of a release. `features` are the raw features in order.
    ///
    /// # Errors
    /// [`Error::DimensionMismatch`] when names, preparation and coefficients do not fit together.
    pub fn new(
        release: Release,
        preparation: Preparation,
        features: Vec<String>,
        target: String,
    ) -> Result<Self> {
        same_length(preparation.d_raw(), features.len())?;
        same_length(preparation.d(), release.coef.len())?;
        let intervals = release.ci_noise(INTERVAL_LEVEL)?;
        let mut names = features.clone();
        names.extend(preparation.intercept().map(|_| INTERCEPT.to_owned()));
        let coefficients = names
            .into_iter()
            .enumerate()
            .map(|(i, feature)| Coefficient {
                feature,
                value: release.coef[i],
                noise_interval: intervals.as_ref().map(|all| all[i]),
            })
            .collect();
        let (intercept, slopes) = preparation.in_raw_units(&release.coef)?;
        Ok(Self {
            schema: CARD_SCHEMA,
            crate_version: env!("CARGO_PKG_VERSION").into(),
            reproducible_not_private: release.reproducible_not_private,
            privacy: statement(&release)?,
            public: public_knowledge(&release, &preparation),
            target,
            features,
            coefficients,
            interval_level: INTERVAL_LEVEL,
            raw_units: RawUnits { intercept, slopes },
            preparation,
            release,
        })
    }

    /// Read a card and check that it hangs together.
    ///
    /// # Errors
    /// [`Error::Data`] or [`Error::Io`] for the file, [`Error::Parse`] for what is no card of this
    /// schema, [`Error::DimensionMismatch`] and [`Error::Data`] for one that was edited apart.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let path = path.as_ref();
        let text = read_text(path)?;
        let Version { schema } = from_json(path, &text)?;
        let refuse = |reason: String| Error::Data {
            reason: format!("{}: {reason}", path.display()),
        };
        if schema != CARD_SCHEMA {
            return Err(refuse(format!(
                "model card of schema {schema}, this version reads {CARD_SCHEMA}; use the dp-ridge that wrote it"
            )));
        }
        let card: Self = from_json(path, &text)?;
        let Self {
            release,
            preparation,
            coefficients,
            ..
        } = &card;
        same_length(preparation.d_raw(), card.features.len())?;
        same_length(preparation.d(), coefficients.len())?;
        same_length(preparation.d(), release.coef.len())?;
        if coefficients
            .iter()
            .zip(&release.coef)
            .any(|(c, r)| c.value != *r)
            || card.reproducible_not_private != release.reproducible_not_private
        {
            return Err(refuse(
                "the card contradicts its release; restore it from a copy".into(),
            ));
        }
        Ledger::try_from(release.ledger.clone())?;
        Ok(card)
    }

    /// The card as JSON, ending in a line end.
    ///
    /// # Errors
    /// [`Error::Data`] when a number is not finite, which JSON cannot hold.
    pub fn to_json(&self) -> Result<String> {
        let refuse = |reason: String| Error::Data {
            reason: format!("the model card cannot be written as JSON: {reason}"),
        };
        let finite = |values: &[f64]| values.iter().all(|v| v.is_finite());
        let raw = &self.raw_units;
        if !(finite(&self.release.coef) && finite(&raw.slopes) && raw.intercept.is_finite()) {
            return Err(refuse(
                "a coefficient is not finite; choose bounds and limits of usual size".into(),
            ));
        }
        serde_json::to_string_pretty(self)
            .map(|text| text + "\n")
            .map_err(|error| refuse(error.to_string()))
    }

    /// Prediction for one row of raw features, in units of the raw target; the row is prepared as
    /// those of the training were. `buffer` is overwritten. O(d).
    ///
    /// # Errors
    /// As [`Preparation::apply`].
    pub fn predict(&self, x: &[f64], buffer: &mut Vec<f64>) -> Result<f64> {
        self.preparation.apply(x, buffer)?;
        let prepared = self.release.predict(buffer)?;
        Ok(self.preparation.restore_target(prepared))
    }
}

fn same_length(expected: usize, got: usize) -> Result<()> {
    if expected == got {
        return Ok(());
    }
    Err(Error::DimensionMismatch {
        expected,
        got,
        row: 0,
    })
}

fn statement(release: &Release) -> Result<String> {
    let ledger = Ledger::try_from(release.ledger.clone())?;
    let budget = ledger.budget();
    let change = match ledger.relation() {
        Relation::ReplaceOne => "replacing one person's record by any other",
        Relation::AddRemove => "adding or removing one person's record",
    };
    let releases = match ledger.summary().entries.len() {
        1 => "this release, the only one on its ledger".to_owned(),
        count => format!("the {count} releases on its ledger up to this one"),
    };
    let spent = ledger.epsilon_at(budget.delta)?;
    let warning = if release.reproducible_not_private {
        "NOT PRIVATE: the noise came from a known seed, so anyone who has the seed can subtract it; \
         with secret noise the following would hold. "
    } else {
        ""
    };
    let entries = &ledger.summary().entries;
    let pure = |entry: &Entry| matches!(entry.cost, Cost::PureEpsilon(_));
    let accounting = match ledger.calibration() {
        _ if entries.iter().all(pure) => "pure differential privacy",
        // Its theorem holds at the budget it was given, and it takes all of it.
        _ if release.method.starts_with("objective-perturbation") => {
            "the theorem of objective perturbation for the whole budget"
        }
        Calibration::Zcdp => "zero-concentrated differential privacy",
        Calibration::Analytic | Calibration::Classic => "Gaussian differential privacy",
    };
    let noise = match release.noise {
        Noise::Float => {
            "The noise is floating-point noise, whose lowest bits are not covered by the proof."
        }
        Noise::Discrete { .. } => "The noise is discrete and sampled exactly.",
    };
    Ok(format!(
        "{warning}The ledger of this data set allows ({epsilon}, {delta:e})-differential privacy: \
         whatever else an observer knows, {change} changes the probability of anything they may see \
         by a factor of at most e^{epsilon} = {factor:.4}, except for a probability of {delta:e}. \
         This covers {releases}; together they spend epsilon = {spent:.6} at delta = {delta:e}, \
         accounted by {accounting}. It holds if each person has one record, if the bounds and all \
         settings were chosen without looking at the data, and if every release about these data \
         is on this ledger. {noise}",
        epsilon = budget.epsilon,
        delta = budget.delta,
        factor = budget.epsilon.exp(),
    ))
}

fn public_knowledge(release: &Release, preparation: &Preparation) -> Vec<String> {
    let mut public = vec!["the names of target and features".to_owned()];
    match release.n {
        Some(n) => public.push(format!("the number of records, {n}")),
        None => public.push("the nominal and the largest number of records".into()),
    }
    public.push("the bounds and limits under \"preparation\"".into());
    if let TargetRange::Limits(_) = preparation.target() {
        public.push("that targets lie between their limits".into());
    }
    if preparation.missing() == Missing::Centre {
        public.push("that missing values were replaced by the centre of their public range".into());
    }
    public.push("method, budget, penalty settings and noise law under \"release\"".into());
    public
}
