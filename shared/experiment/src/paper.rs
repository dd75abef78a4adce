use crate::erased::{AnyExperiment, Erased};
use crate::{Claim, Experiment};

/// A paper: its crate, its experiments, and the claims that no experiment can test here.
///
/// ```
/// use papercrates_experiment::{Claim, Paper};
/// # use papercrates_experiment::{CellContext, CellError, Experiment, Findings, Plan};
/// # struct Never;
/// # impl Experiment for Never {
/// #     type Cell = u64; type Outcome = f64;
/// #     fn id(&self) -> &'static str { "never" }
/// #     fn title(&self) -> &str { "never" }
/// #     fn cuts(&self, _: &Plan) -> String { String::new() }
/// #     fn cells(&self, _: &Plan) -> Vec<u64> { vec![] }
/// #     fn run(&self, _: &u64, _: &CellContext) -> Result<f64, CellError> { Ok(0.0) }
/// #     fn conclude(&self, _: &[(u64, f64)]) -> Result<Findings, CellError> { Ok(Findings::new()) }
/// # }
/// let paper = Paper::new("dp-ridge", env!("CARGO_PKG_VERSION"), "Private ridge regression with a decoupled floor")
///     .reference("ICML 2026, https://example.org/paper")
///     .experiment(Never)
///     .claim(Claim::not_testable("clinical", "Wins on the hospital data", "Table 4", "the data are not public"));
/// assert_eq!(paper.experiment_ids().collect::<Vec<_>>(), ["never"]);
/// ```
pub struct Paper {
    crate_name: &'static str,
    version: &'static str,
    title: String,
    reference: Option<String>,
    experiments: Vec<Box<dyn AnyExperiment>>,
    claims: Vec<Claim>,
}

impl Paper {
    /// A paper without experiments yet: the name and version of its crate (pass
    /// `env!("CARGO_PKG_NAME")` and `env!("CARGO_PKG_VERSION")`), and its title.
    pub fn new(crate_name: &'static str, version: &'static str, title: impl Into<String>) -> Self {
        Self {
            crate_name,
            version,
            title: title.into(),
            reference: None,
            experiments: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// Where the paper appeared, in plain text.
    #[must_use]
    pub fn reference(mut self, reference: impl Into<String>) -> Self {
        self.reference = Some(reference.into());
        self
    }

    /// Adds an experiment.
    #[must_use]
    pub fn experiment(mut self, experiment: impl Experiment + 'static) -> Self {
        self.experiments.push(Box::new(Erased(experiment)));
        self
    }

    /// Adds a claim that belongs to no experiment, as those that cannot be tested here.
    #[must_use]
    pub fn claim(mut self, claim: Claim) -> Self {
        self.claims.push(claim);
        self
    }

    /// Name of the crate.
    #[must_use]
    pub fn crate_name(&self) -> &'static str {
        self.crate_name
    }

    /// Version of the crate.
    #[must_use]
    pub fn version(&self) -> &'static str {
        self.version
    }

    /// Title of the paper.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Where the paper appeared.
    #[must_use]
    pub fn reference_text(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    /// Identifiers of its experiments.
    pub fn experiment_ids(&self) -> impl Iterator<Item = &'static str> {
        self.experiments.iter().map(|experiment| experiment.id())
    }

    pub(crate) fn experiments(&self) -> &[Box<dyn AnyExperiment>] {
        &self.experiments
    }

    pub(crate) fn own_claims(&self) -> &[Claim] {
        &self.claims
    }
}
