use super::failure::Failure;
use clap::Args;
use dp_ridge::{FeatureRange, Limits, Missing, Preparation, TargetRange};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Columns and their public ranges.
#[derive(Args)]
pub(crate) struct RecordArgs {
    /// Column to predict
    #[arg(long, value_name = "NAME")]
    pub(crate) target: String,
    /// Columns to predict from, separated by commas (a name with a comma in double quotes);
    /// may be left out for a table: then all but the target
    #[arg(long, value_name = "NAMES")]
    pub(crate) features: Option<String>,
    /// Public bound on the Euclidean norm of a feature row; longer rows are scaled onto it
    #[arg(
        long,
        value_name = "B",
        required_unless_present = "limits",
        allow_negative_numbers = true
    )]
    pub(crate) x_norm: Option<f64>,
    /// Public bound on |target|; larger targets are clamped
    #[arg(
        long,
        value_name = "B",
        required_unless_present = "target_limits",
        allow_negative_numbers = true
    )]
    pub(crate) y_abs: Option<f64>,
    /// Public limits of every feature instead of --x-norm: JSON {"age": [0, 120], …}, or CSV with
    /// the columns feature, lower, upper
    #[arg(long, value_name = "FILE", conflicts_with = "x_norm")]
    pub(crate) limits: Option<PathBuf>,
    /// Public limits of the target instead of --y-abs; it is mapped to [-1, 1] and predictions
    /// are mapped back
    #[arg(long, value_name = "L,U", conflicts_with = "y_abs", allow_hyphen_values = true, value_parser = parse_limits)]
    pub(crate) target_limits: Option<Limits>,
    /// Append a constant feature of this size [default size: the bound on the rows]
    #[arg(long, value_name = "SIZE", num_args = 0..=1, require_equals = true, allow_negative_numbers = true)]
    pub(crate) intercept: Option<Option<f64>>,
    /// Replace a missing value by 0 or the centre of its limits, instead of refusing the table
    /// (the SQL always replaces it)
    #[arg(long)]
    pub(crate) impute_missing: bool,
}

impl RecordArgs {
    pub(crate) fn missing(&self) -> Missing {
        if self.impute_missing {
            Missing::Centre
        } else {
            Missing::Refuse
        }
    }

    /// The features that were named, without the target.
    pub(crate) fn named_features(&self) -> Result<Option<Vec<String>>, Failure> {
        let Some(list) = &self.features else {
            return Ok(None);
        };
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .trim(csv::Trim::All)
            .from_reader(list.as_bytes());
        let names: Vec<String> = match reader.records().next() {
            Some(Ok(record)) => record.iter().map(Into::into).collect(),
            _ => vec![],
        };
        if names.is_empty() || names.iter().any(String::is_empty) {
            return Err(Failure::usage(format!(
                "--features {list:?} holds an empty name; give names like a,b,c"
            )));
        }
        for (i, name) in names.iter().enumerate() {
            if names[..i].contains(name) {
                return Err(Failure::usage(format!(
                    "--features names {name:?} twice; name each feature once"
                )));
            }
        }
        self.without_target(&names)?;
        Ok(Some(names))
    }

    fn without_target(&self, names: &[String]) -> Result<(), Failure> {
        if names.contains(&self.target) {
            return Err(Failure::usage(format!(
                "{:?} is both target and feature; leave it out of --features",
                self.target
            )));
        }
        Ok(())
    }

    pub(crate) fn preparation(&self, features: &[String]) -> Result<Preparation, Failure> {
        let range = match (&self.limits, self.x_norm) {
            (Some(path), _) => FeatureRange::Limits(read_limits(path, features)?),
            (None, Some(x_norm)) => FeatureRange::Norm(x_norm),
            (None, None) => return Err(Failure::usage("give --x-norm or --limits")),
        };
        let target = match (self.target_limits, self.y_abs) {
            (Some(limits), _) => TargetRange::Limits(limits),
            (None, Some(y_abs)) => TargetRange::Abs(y_abs),
            (None, None) => return Err(Failure::usage("give --y-abs or --target-limits")),
        };
        let mut preparation = Preparation::new(features.len(), range, target)?;
        if let Some(size) = self.intercept {
            let size = size.unwrap_or(preparation.bounds().x_norm);
            preparation = preparation.with_intercept(size)?;
        }
        Ok(preparation.with_missing(self.missing()))
    }
}

fn parse_limits(text: &str) -> Result<Limits, String> {
    let numbers: Vec<f64> = text
        .split(',')
        .map(|part| part.trim().parse())
        .collect::<Result<_, _>>()
        .map_err(|_| "expected two numbers like 0,100".to_owned())?;
    match numbers[..] {
        [lower, upper] => Limits::new(lower, upper).map_err(|error| error.to_string()),
        _ => Err("expected two numbers like 0,100".into()),
    }
}

/// The limits of each feature, in their order; limits of other columns are passed over.
fn read_limits(path: &Path, features: &[String]) -> Result<Vec<Limits>, Failure> {
    let bad = |reason: String| Failure::usage(format!("{}: {reason}", path.display()));
    let text = std::fs::read_to_string(path)
        .map_err(|error| bad(format!("cannot read limits: {error}; check the path")))?;
    let is_json = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("json"));
    let pairs: BTreeMap<String, (f64, f64)> = if is_json {
        serde_json::from_str(&text).map_err(|e| {
            bad(format!(
                "{e}; expected {{\"feature\": [lower, upper], ...}}"
            ))
        })?
    } else {
        let mut pairs = BTreeMap::new();
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        for row in reader.deserialize::<(String, f64, f64)>() {
            let (name, lower, upper) =
                row.map_err(|e| bad(format!("{e}; expected the columns feature, lower, upper")))?;
            if pairs.insert(name.clone(), (lower, upper)).is_some() {
                return Err(bad(format!(
                    "limits of {name:?} stand there twice; remove one"
                )));
            }
        }
        pairs
    };
    features
        .iter()
        .map(|name| {
            let (lower, upper) = pairs.get(name).ok_or_else(|| {
                bad(format!(
                    "no limits of {name:?}; add them, or leave the feature out with --features"
                ))
            })?;
            Limits::new(*lower, *upper).map_err(|error| bad(format!("{name:?}: {error}")))
        })
        .collect()
}
