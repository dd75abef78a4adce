use crate::{Claim, Figure, Table};

/// What an experiment shows: claims, tables, figures and remarks, in the order of adding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    claims: Vec<Claim>,
    tables: Vec<Table>,
    figures: Vec<Figure>,
    notes: Vec<String>,
}

impl Findings {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a claim.
    #[must_use]
    pub fn claim(mut self, claim: Claim) -> Self {
        self.claims.push(claim);
        self
    }

    /// Adds a table.
    #[must_use]
    pub fn table(mut self, table: Table) -> Self {
        self.tables.push(table);
        self
    }

    /// Adds a figure.
    #[must_use]
    pub fn figure(mut self, figure: Figure) -> Self {
        self.figures.push(figure);
        self
    }

    /// Adds a remark in plain text, shown as a paragraph.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// The claims.
    #[must_use]
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The figures.
    #[must_use]
    pub fn figures(&self) -> &[Figure] {
        &self.figures
    }

    /// The remarks.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}
