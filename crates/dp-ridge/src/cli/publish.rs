use super::failure::Failure;
use super::method::MethodArgs;
use super::privacy::{Account, PrivacyArgs};
use super::terminal::{note, print, short, table};
use clap::Args;
use dp_ridge::io::{Output, write_coefficients};
use dp_ridge::{Floor, ModelCard, Preparation, SuffStats, Training};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What is written.
#[derive(Args)]
pub(crate) struct OutputArgs {
    /// File for the model card (JSON)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// File for the coefficients as CSV as well
    #[arg(long, value_name = "FILE")]
    coef_csv: Option<PathBuf>,
    /// Print the model card to standard output instead of a summary
    #[arg(long)]
    json: bool,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    /// Release although every row, or every target, is outside its bound
    #[arg(long)]
    allow_all_clipped: bool,
    /// Report to standard error how many rows and targets were clipped: NOT private, for the
    /// holder of the data only
    #[arg(long)]
    non_private_diagnostics: bool,
}

/// A release about to be made: outputs checked, ledger locked.
pub(crate) struct Publication<'a> {
    privacy: &'a PrivacyArgs,
    output: &'a OutputArgs,
    account: Account,
    card: Output,
    coefficients: Option<Output>,
}

impl<'a> Publication<'a> {
    /// Everything that can be refused before the data are read.
    ///
    /// `input` is the file with the data; no output may replace it, not even with `--force`.
    pub(crate) fn open(
        input: &Path,
        privacy: &'a PrivacyArgs,
        output: &'a OutputArgs,
    ) -> Result<Self, Failure> {
        let paths = [
            Some(&output.out),
            output.coef_csv.as_ref(),
            privacy.ledger.as_ref(),
        ];
        let paths: Vec<&PathBuf> = paths.into_iter().flatten().collect();
        let places: Vec<PathBuf> = paths.iter().map(|path| place(path)).collect();
        for (i, path) in paths.iter().enumerate() {
            if places[..i].contains(&places[i]) {
                return Err(Failure::usage(format!(
                    "{} is named for two outputs; name different files",
                    path.display()
                )));
            }
            if places[i] == place(input) {
                return Err(Failure::usage(format!(
                    "{} is the input and would be replaced; name another file",
                    path.display()
                )));
            }
        }
        let plan = |path: &Path| Output::plan(path, output.force);
        let card = plan(&output.out)?;
        let coefficients = output.coef_csv.as_deref().map(plan).transpose()?;
        Ok(Self {
            privacy,
            output,
            account: privacy.open()?,
            card,
            coefficients,
        })
    }

    /// Release, charge the ledger's file, and only then write the card.
    pub(crate) fn publish(
        mut self,
        training: &Training<'_>,
        method: &MethodArgs,
        preparation: Preparation,
        features: Vec<String>,
        target: &str,
    ) -> Result<(), Failure> {
        let stats = training.stats();
        self.check_clipping(stats)?;
        self.account.warn_of_delta(stats.n())?;
        let mut draft = self.card.draft()?;
        draft.reserve(card_size(&features))?;
        let mut rng = self.privacy.rng()?;
        let discrete = self.privacy.budget.discrete();
        let before = self.account.ledger.clone();
        let released = method.fit(
            training,
            &preparation,
            &mut self.account,
            discrete,
            &mut *rng,
        );
        // Also when the second of two releases failed: the first one was paid for.
        if let Some(file) = &self.account.file
            && self.account.ledger != before
        {
            file.save(&self.account.ledger)?;
        }
        let card = ModelCard::new(released?, preparation, features, target.to_owned())?;
        let text = card.to_json()?;
        draft.write_all(text.as_bytes()).map_err(|error| {
            Failure::Failed(format!(
                "{}: cannot write: {error}",
                self.output.out.display()
            ))
        })?;
        draft.finish()?;
        if let Some(output) = &self.coefficients {
            write_coefficients(&card, output)?;
        }
        if self.output.json {
            print(&text)
        } else {
            print(&summary(&card))
        }
    }

    fn check_clipping(&self, stats: &SuffStats) -> Result<(), Failure> {
        let (rows, targets) = stats.non_private_clipped();
        if self.output.non_private_diagnostics {
            note(
                "not private",
                &format!(
                    "{rows} rows and {targets} targets of {} were outside their public range and clipped; do not publish this",
                    stats.n()
                ),
            );
        }
        if stats.n() == 0 || self.output.allow_all_clipped {
            return Ok(());
        }
        let bounds = stats.bounds();
        for (what, clipped, limit, option) in [
            ("row is", rows, bounds.x_norm, "--x-norm or --limits"),
            (
                "target is",
                targets,
                bounds.y_abs,
                "--y-abs or --target-limits",
            ),
        ] {
            if clipped == stats.n() {
                return Err(Failure::usage(format!(
                    "every {what} outside its public range (prepared bound {limit}): the bound is in other units than the data; correct {option} from public knowledge, or pass --allow-all-clipped; nothing was spent, and this message is about the data: keep it to yourself"
                )));
            }
        }
        Ok(())
    }
}

/// The file that a path names, however its folder is written.
fn place(path: &Path) -> PathBuf {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        // No output can be there; that is refused with its reason afterwards.
        _ => path.to_owned(),
    }
}

/// More bytes than the card will have.
fn card_size(features: &[String]) -> usize {
    // A name can be escaped to six times its length, and stands there twice.
    let names: usize = features.iter().map(|name| 12 * name.len()).sum();
    let numbers = 400 * (features.len() + 1);
    (1 << 15) + names + numbers
}

fn summary(card: &ModelCard) -> String {
    let release = &card.release;
    let mut rows = vec![vec![
        "feature".to_owned(),
        "coefficient".into(),
        "95% noise interval".into(),
    ]];
    rows.extend(card.coefficients.iter().map(|c| {
        let interval = c.noise_interval.map_or("-".into(), |(low, high)| {
            format!("[{}, {}]", short(low), short(high))
        });
        vec![c.feature.clone(), short(c.value), interval]
    }));
    let mut text = table(&rows) + "\n";
    if let Some(spec) = &release.spec {
        let floor = match spec.floor {
            Floor::None => "no floor".to_owned(),
            Floor::Shift(c) => format!("shift floor {}", short(c)),
            Floor::Spectral(c) => format!("spectral floor {}", short(c)),
        };
        text += &format!("alpha {}, {floor}", short(spec.alpha));
    } else {
        text += &format!("method {}", release.method);
    }
    if let (Some(sigma), Some(sensitivity)) = (release.sigma, release.sensitivity) {
        text += &format!(
            ", sensitivity {}, noise sd {} on each coefficient",
            short(sensitivity.value),
            short(sigma)
        );
        if sensitivity.saturated {
            note(
                "warning",
                "the sensitivity is at its cap: for so few records and such a small alpha the coefficients are noise; raise --alpha, --eps or the number of records",
            );
        }
    }
    if release.indefinite {
        note(
            "warning",
            "the noisy Gram matrix is indefinite; the coefficients are unreliable",
        );
    }
    text += "\n\n";
    text += &card.privacy;
    text.push('\n');
    text
}
