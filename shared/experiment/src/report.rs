use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::{Claim, Error, Figure, Findings, Provenance, Result, Table, Verdict};

/// Number of the layout of `report.json`; it grows when a reader of an older one would be wrong.
pub(crate) const SCHEMA: u32 = 1;

/// Claims, tables, figures and where they come from.
#[derive(Clone, Debug)]
pub struct Report {
    pub(crate) provenance: Provenance,
    pub(crate) papers: Vec<PaperReport>,
}

/// The part of a [`Report`] about one paper.
#[derive(Clone, Debug)]
pub struct PaperReport {
    pub(crate) crate_name: String,
    pub(crate) version: String,
    pub(crate) title: String,
    pub(crate) reference: Option<String>,
    pub(crate) experiments: Vec<ExperimentReport>,
    pub(crate) own_claims: Vec<Claim>,
}

/// The part of a [`PaperReport`] about one experiment.
#[derive(Clone, Debug)]
pub struct ExperimentReport {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) cuts: String,
    pub(crate) cells: usize,
    pub(crate) finished: usize,
    pub(crate) findings: Findings,
    pub(crate) failures: Vec<Failure>,
}

/// Something that could not be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    pub(crate) experiment: String,
    pub(crate) cell: Option<String>,
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FailureKind {
    Failed,
    Skipped,
}

impl Failure {
    /// The experiment.
    #[must_use]
    pub fn experiment(&self) -> &str {
        &self.experiment
    }

    /// The cell as JSON; `None` when the conclusion failed.
    #[must_use]
    pub fn cell(&self) -> Option<&str> {
        self.cell.as_deref()
    }

    /// Whether it was left out because something it needs is not here.
    #[must_use]
    pub fn is_skipped(&self) -> bool {
        self.kind == FailureKind::Skipped
    }

    /// What went wrong or is missing.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl ExperimentReport {
    /// Name of the experiment.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Heading.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What it shows.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// What could not be done.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }
}

impl PaperReport {
    /// Name of the crate.
    #[must_use]
    pub fn crate_name(&self) -> &str {
        &self.crate_name
    }

    /// Title of the paper.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Its experiments.
    #[must_use]
    pub fn experiments(&self) -> &[ExperimentReport] {
        &self.experiments
    }

    /// All claims: those of the experiments in turn, then those without one.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.experiments
            .iter()
            .flat_map(|experiment| experiment.findings.claims())
            .chain(&self.own_claims)
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.experiments
            .iter()
            .flat_map(|experiment| experiment.findings.tables())
    }

    /// All figures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.experiments
            .iter()
            .flat_map(|experiment| experiment.findings.figures())
    }

    /// All that could not be done.
    pub fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.experiments
            .iter()
            .flat_map(|experiment| &experiment.failures)
    }

    /// How many claims have this verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.claims().filter(|c| c.verdict() == verdict).count()
    }
}

impl Report {
    /// Where it comes from.
    #[must_use]
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Its papers.
    #[must_use]
    pub fn papers(&self) -> &[PaperReport] {
        &self.papers
    }

    /// Whether every cell and every conclusion was done or, for want of data, skipped.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.papers
            .iter()
            .flat_map(PaperReport::failures)
            .all(Failure::is_skipped)
    }

    /// The report as JSON, in the layout that the crate's README describes.
    ///
    /// # Errors
    /// [`Error::Json`].
    pub fn to_json(&self) -> Result<String> {
        let mut text = serde_json::to_string_pretty(self).map_err(|error| Error::Json {
            reason: error.to_string(),
        })?;
        text.push('\n');
        Ok(text)
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Report", 3)?;
        out.serialize_field("schema", &SCHEMA)?;
        out.serialize_field("provenance", &self.provenance)?;
        out.serialize_field("papers", &self.papers)?;
        out.end()
    }
}

/// A figure as `report.json` names it.
#[derive(Serialize)]
struct FigureEntry<'a> {
    id: &'a str,
    title: &'a str,
    alt: &'a str,
    path: String,
    data: Table,
}

/// An experiment as `report.json` names it.
#[derive(Serialize)]
struct ExperimentEntry<'a> {
    id: &'a str,
    title: &'a str,
    cuts: &'a str,
    cells: usize,
    finished: usize,
    notes: &'a [String],
}

impl PaperReport {
    /// Path of a figure's file, from the folder of the report.
    pub(crate) fn figure_path(&self, figure: &Figure) -> String {
        format!("figures/{}--{}.svg", self.crate_name, figure.id())
    }

    /// Path of a table's file, from the folder of the report.
    pub(crate) fn table_path(&self, table: &Table) -> String {
        format!("tables/{}", self.table_name(table))
    }

    /// Name of a table's file.
    pub(crate) fn table_name(&self, table: &Table) -> String {
        format!("{}--{}.csv", self.crate_name, table.id())
    }

    /// Name of the file with a figure's data, for who downloads it.
    pub(crate) fn figure_data_name(&self, figure: &Figure) -> String {
        format!("{}--{}-figure.csv", self.crate_name, figure.id())
    }
}

impl Serialize for PaperReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let figures: Vec<FigureEntry<'_>> = self
            .figures()
            .map(|figure| FigureEntry {
                id: figure.id(),
                title: figure.title(),
                alt: figure.alt(),
                path: self.figure_path(figure),
                data: figure.data(),
            })
            .collect();
        let experiments: Vec<ExperimentEntry<'_>> = self
            .experiments
            .iter()
            .map(|experiment| ExperimentEntry {
                id: &experiment.id,
                title: &experiment.title,
                cuts: &experiment.cuts,
                cells: experiment.cells,
                finished: experiment.finished,
                notes: experiment.findings.notes(),
            })
            .collect();
        let mut out = serializer.serialize_struct("Paper", 9)?;
        out.serialize_field("crate", &self.crate_name)?;
        out.serialize_field("version", &self.version)?;
        out.serialize_field("title", &self.title)?;
        out.serialize_field("reference", &self.reference)?;
        out.serialize_field("experiments", &experiments)?;
        out.serialize_field("claims", &self.claims().collect::<Vec<_>>())?;
        out.serialize_field("tables", &self.tables().collect::<Vec<_>>())?;
        out.serialize_field("figures", &figures)?;
        out.serialize_field("failures", &self.failures().collect::<Vec<_>>())?;
        out.end()
    }
}
