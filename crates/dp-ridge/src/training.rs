//! What a regression method is trained on, and the one interface of all methods.

use crate::{Bounds, Clip, Error, Ledger, NoiseRng, Release, Result, SuffStats};
use faer::{MatRef, Par};

/// Clipped statistics, and the rows themselves where they are in memory. Not private.
#[derive(Clone)]
pub struct Training<'a> {
    stats: SuffStats,
    rows: Option<(MatRef<'a, f64>, &'a [f64])>,
}

impl<'a> Training<'a> {
    /// From rows in memory: `x` is `n × d` (samples in rows), `y` has `n` targets.
    ///
    /// # Errors
    /// As [`SuffStats::push_batch`].
    pub fn from_rows(
        x: MatRef<'a, f64>,
        y: &'a [f64],
        bounds: Bounds,
        clip: Clip,
        par: Par,
    ) -> Result<Self> {
        let mut stats = SuffStats::new(x.ncols(), bounds, clip)?;
        stats.push_batch(x, y, par)?;
        Ok(Self {
            stats,
            rows: Some((x, y)),
        })
    }

    /// From sums alone: enough for every method that does not look at single records.
    #[must_use]
    pub fn from_stats(stats: SuffStats) -> Self {
        Self { stats, rows: None }
    }

    /// The clipped sums.
    #[must_use]
    pub fn stats(&self) -> &SuffStats {
        &self.stats
    }

    /// The rows as they were given, *before* clipping.
    ///
    /// # Errors
    /// [`Error::RowsNeeded`] when there are only sums.
    pub fn rows(&self, method: &'static str) -> Result<(MatRef<'a, f64>, &'a [f64])> {
        self.rows.ok_or(Error::RowsNeeded { method })
    }
}

impl std::fmt::Debug for Training<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Training(non-private)")
    }
}

/// A differentially private regression method.
pub trait DpRegressor {
    /// Train, charge the ledger, and release.
    ///
    /// # Errors
    /// Those of the method. Nothing is spent unless its documentation says so.
    fn fit(
        &self,
        training: &Training<'_>,
        ledger: &mut Ledger,
        rng: &mut dyn NoiseRng,
    ) -> Result<Release>;
}
