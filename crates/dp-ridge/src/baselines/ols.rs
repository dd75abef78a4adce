use crate::{Error, Neighbor, NonPrivateFit, Result, RidgeSpec, Spectrum, SuffStats};

/// Ordinary least squares `(XᵀX)⁻¹Xᵀy`. **Not private**: for reference only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NonPrivateOls;

impl NonPrivateOls {
    /// Fit without privacy. O(d³).
    ///
    /// # Errors
    /// [`Error::EmptyData`]; [`Error::NotPositiveDefinite`] when `XᵀX` is singular to working
    /// precision.
    pub fn fit(&self, stats: &SuffStats) -> Result<NonPrivateFit> {
        let spectrum = Spectrum::of(stats, Neighbor::ReplaceOne)?;
        let values = spectrum.eigenvalues();
        let (smallest, largest) = (values[0], values[values.len() - 1]);
        if smallest <= stats.d() as f64 * f64::EPSILON * largest {
            return Err(Error::NotPositiveDefinite { smallest });
        }
        Ok(spectrum.minimise(values, spectrum.rotated(), None, false))
    }
}

/// Ridge regression `(XᵀX/n + αI)⁻¹ Xᵀy/n`. **Not private**: for reference only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NonPrivateRidge {
    /// Penalty in averaged units, above 0; scikit-learn's `Ridge(alpha)` is `n · alpha`.
    pub alpha: f64,
}

impl NonPrivateRidge {
    /// Fit without privacy. O(d³).
    ///
    /// # Errors
    /// As [`RidgeSpec::solve`].
    pub fn fit(&self, stats: &SuffStats) -> Result<NonPrivateFit> {
        RidgeSpec::new(self.alpha).solve(stats)
    }
}
