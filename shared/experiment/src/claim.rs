use std::fmt;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::Estimate;
use crate::number::short;

/// What the estimate must satisfy.
///
/// ```
/// use papercrates_experiment::Criterion;
/// assert_eq!(Criterion::at_least(2.0).of("risk ratio").to_string(), "risk ratio ≥ 2");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    quantity: Option<String>,
    bound: Bound,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
    Above(f64),
    Below(f64),
    Within { low: f64, high: f64 },
}

impl Criterion {
    /// `estimate >= limit`.
    #[must_use]
    pub fn at_least(limit: f64) -> Self {
        Bound::AtLeast(limit).into()
    }

    /// `estimate <= limit`.
    #[must_use]
    pub fn at_most(limit: f64) -> Self {
        Bound::AtMost(limit).into()
    }

    /// `estimate > limit`: an order, when the estimate is a difference and the limit 0, or a
    /// ratio and the limit 1.
    #[must_use]
    pub fn above(limit: f64) -> Self {
        Bound::Above(limit).into()
    }

    /// `estimate < limit`.
    #[must_use]
    pub fn below(limit: f64) -> Self {
        Bound::Below(limit).into()
    }

    /// `low <= estimate <= high`.
    #[must_use]
    pub fn within(low: f64, high: f64) -> Self {
        Bound::Within { low, high }.into()
    }

    /// Within a relative distance of a value: `near(2.0, 0.1)` is `within(1.8, 2.2)`.
    #[must_use]
    pub fn near(value: f64, relative: f64) -> Self {
        let reach = (value * relative).abs();
        Self::within(value - reach, value + reach)
    }

    /// Names the quantity, for the reader.
    #[must_use]
    pub fn of(mut self, quantity: impl Into<String>) -> Self {
        self.quantity = Some(quantity.into());
        self
    }

    /// The values that satisfy it, from and to, perhaps infinite.
    pub(crate) fn region(&self) -> (f64, f64) {
        match self.bound {
            Bound::AtLeast(limit) | Bound::Above(limit) => (limit, f64::INFINITY),
            Bound::AtMost(limit) | Bound::Below(limit) => (f64::NEG_INFINITY, limit),
            Bound::Within { low, high } => (low, high),
        }
    }

    /// Compares the whole interval: `Some(true)` when all of it satisfies the criterion,
    /// `Some(false)` when none of it does, `None` when it is split.
    fn judge(&self, estimate: &Estimate) -> Option<bool> {
        let (low, high) = (estimate.low(), estimate.high());
        let (satisfied, violated) = match self.bound {
            Bound::AtLeast(limit) => (low >= limit, high < limit),
            Bound::AtMost(limit) => (high <= limit, low > limit),
            Bound::Above(limit) => (low > limit, high <= limit),
            Bound::Below(limit) => (high < limit, low >= limit),
            Bound::Within {
                low: from,
                high: to,
            } => (low >= from && high <= to, high < from || low > to),
        };
        match (satisfied, violated) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

impl From<Bound> for Criterion {
    fn from(bound: Bound) -> Self {
        Self {
            quantity: None,
            bound,
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(quantity) = &self.quantity {
            write!(f, "{quantity} ")?;
        }
        match self.bound {
            Bound::AtLeast(limit) => write!(f, "≥ {}", short(limit)),
            Bound::AtMost(limit) => write!(f, "≤ {}", short(limit)),
            Bound::Above(limit) => write!(f, "> {}", short(limit)),
            Bound::Below(limit) => write!(f, "< {}", short(limit)),
            Bound::Within { low, high } => write!(f, "in [{}, {}]", short(low), short(high)),
        }
    }
}

/// What a measurement says about a claim. Only [`Claim::verdict`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// The whole interval satisfies the criterion.
    Reproduced,
    /// The whole interval violates the criterion.
    NotReproduced,
    /// The interval holds values of both kinds.
    Inconclusive,
    /// Nothing was measured, for the reason given.
    NotTestable,
}

impl Verdict {
    /// All four, from best to worst known.
    pub const ALL: [Self; 4] = [
        Self::Reproduced,
        Self::NotReproduced,
        Self::Inconclusive,
        Self::NotTestable,
    ];

    /// The word in `report.json`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::NotReproduced => "not_reproduced",
            Self::Inconclusive => "inconclusive",
            Self::NotTestable => "not_testable",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Reproduced => "reproduced",
            Self::NotReproduced => "not reproduced",
            Self::Inconclusive => "inconclusive",
            Self::NotTestable => "not testable here",
        })
    }
}

/// One sentence of a paper and what we measured about it.
///
/// The verdict is worked out from the estimate and the criterion each time it is asked for; there
/// is no field that could hold another one.
///
/// ```
/// use papercrates_experiment::{Claim, Criterion, Estimate, Verdict};
/// let ratio = Estimate::new(8.1, 7.4, 8.9, 20)?;
/// let claim = Claim::measured("separation", "Risk falls at least fivefold", "§7", ratio, Criterion::at_least(5.0))
///     .published("8×");
/// assert_eq!(claim.verdict(), Verdict::Reproduced);
/// # Ok::<(), papercrates_experiment::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    id: String,
    statement: String,
    source: String,
    published: Option<String>,
    evidence: Evidence,
}

#[derive(Clone, Debug, PartialEq)]
enum Evidence {
    Measured {
        estimate: Estimate,
        criterion: Criterion,
    },
    Missing {
        reason: String,
    },
}

impl Claim {
    /// A claim with a measurement: its statement in our words and its place in the paper.
    pub fn measured(
        id: impl Into<String>,
        statement: impl Into<String>,
        source: impl Into<String>,
        estimate: Estimate,
        criterion: Criterion,
    ) -> Self {
        Self::with(
            id,
            statement,
            source,
            Evidence::Measured {
                estimate,
                criterion,
            },
        )
    }

    /// A claim that cannot be measured here, and why.
    pub fn not_testable(
        id: impl Into<String>,
        statement: impl Into<String>,
        source: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        let reason = reason.into();
        Self::with(id, statement, source, Evidence::Missing { reason })
    }

    fn with(
        id: impl Into<String>,
        statement: impl Into<String>,
        source: impl Into<String>,
        evidence: Evidence,
    ) -> Self {
        Self {
            id: id.into(),
            statement: statement.into(),
            source: source.into(),
            published: None,
            evidence,
        }
    }

    /// The value in the paper, as printed there.
    #[must_use]
    pub fn published(mut self, value: impl fmt::Display) -> Self {
        self.published = Some(value.to_string());
        self
    }

    /// Name, unique within the paper.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The statement in our words.
    #[must_use]
    pub fn statement(&self) -> &str {
        &self.statement
    }

    /// Where the paper says it.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The value in the paper, if it gives one.
    #[must_use]
    pub fn published_value(&self) -> Option<&str> {
        self.published.as_deref()
    }

    /// The measurement, if there is one.
    #[must_use]
    pub fn estimate(&self) -> Option<&Estimate> {
        match &self.evidence {
            Evidence::Measured { estimate, .. } => Some(estimate),
            Evidence::Missing { .. } => None,
        }
    }

    /// What the measurement must satisfy.
    #[must_use]
    pub fn criterion(&self) -> Option<&Criterion> {
        match &self.evidence {
            Evidence::Measured { criterion, .. } => Some(criterion),
            Evidence::Missing { .. } => None,
        }
    }

    /// What the measurement says.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match &self.evidence {
            Evidence::Missing { .. } => Verdict::NotTestable,
            Evidence::Measured {
                estimate,
                criterion,
            } => match criterion.judge(estimate) {
                Some(true) => Verdict::Reproduced,
                Some(false) => Verdict::NotReproduced,
                None => Verdict::Inconclusive,
            },
        }
    }

    /// Why the verdict is what it is, in one clause.
    #[must_use]
    pub fn reason(&self) -> String {
        match &self.evidence {
            Evidence::Missing { reason } => reason.clone(),
            Evidence::Measured { estimate, .. } => {
                let subject = if estimate.is_exact() {
                    format!("the value {}", short(estimate.mean()))
                } else {
                    format!(
                        "the interval [{}, {}]",
                        short(estimate.low()),
                        short(estimate.high())
                    )
                };
                match self.verdict() {
                    Verdict::Reproduced if estimate.is_exact() => {
                        format!("{subject} satisfies the criterion")
                    }
                    Verdict::Reproduced => format!("all of {subject} satisfies the criterion"),
                    Verdict::NotReproduced if estimate.is_exact() => {
                        format!("{subject} violates the criterion")
                    }
                    Verdict::NotReproduced => format!("all of {subject} violates the criterion"),
                    _ => format!("{subject} holds values on both sides of the criterion"),
                }
            }
        }
    }
}

impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Claim", 8)?;
        out.serialize_field("id", &self.id)?;
        out.serialize_field("statement", &self.statement)?;
        out.serialize_field("source", &self.source)?;
        out.serialize_field("published", &self.published)?;
        out.serialize_field("estimate", &self.estimate())?;
        out.serialize_field("criterion", &self.criterion().map(ToString::to_string))?;
        out.serialize_field("verdict", &self.verdict())?;
        out.serialize_field("reason", &self.reason())?;
        out.end()
    }
}
