//! The curvature floor: a lower bound on the spectrum of the Gram matrix.

/// How the Gram matrix `G = XᵀX/n` is kept at least `c` in every direction, in averaged units
/// (`c` is a bound on eigenvalues of `G`, not of `XᵀX`).
///
/// | kind | floored matrix `G_c` | replace-one constant `K` |
/// |---|---|---|
/// | `None` | `G` | `K₀(R) ≤ 2 B_x B_y + B_x² R` |
/// | `Shift(c)` | `G + (c − λ₁)₊ I` | `2 B_x B_y + 2 B_x² R` |
/// | `Spectral(c)` | `Σ max(λ_j, c) u_j u_jᵀ` | `2 B_x B_y + √2 B_x² R` |
///
/// `Shift(0)` and `Spectral(0)` are the same estimator as `None` and are treated as it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Floor {
    /// No floor: `alpha` alone bounds the curvature.
    #[default]
    None,
    /// Add the same amount to every eigenvalue until the smallest is `c ≥ 0`.
    Shift(f64),
    /// Raise only the eigenvalues below `c ≥ 0`, to `c`.
    Spectral(f64),
}

impl Floor {
    /// The level `c`; 0 for `None`.
    #[must_use]
    pub fn level(&self) -> f64 {
        match *self {
            Self::None => 0.0,
            Self::Shift(c) | Self::Spectral(c) => c,
        }
    }

    /// The same kind of floor at level `c` (`None` stays `None`).
    #[must_use]
    pub fn with_level(&self, c: f64) -> Self {
        match self {
            Self::None => Self::None,
            Self::Shift(_) => Self::Shift(c),
            Self::Spectral(_) => Self::Spectral(c),
        }
    }

    /// A floor of level 0 is `None`.
    #[must_use]
    pub fn normalised(self) -> Self {
        if self.level() == 0.0 {
            Self::None
        } else {
            self
        }
    }

    /// The floored eigenvalues `λ̃_j` of ascending `eigenvalues`. O(d).
    #[must_use]
    pub fn apply(&self, eigenvalues: &[f64]) -> Vec<f64> {
        match *self {
            Self::None => eigenvalues.to_vec(),
            Self::Shift(c) => {
                let lift = eigenvalues.first().map_or(0.0, |l| (c - l).max(0.0));
                eigenvalues.iter().map(|l| l + lift).collect()
            }
            Self::Spectral(c) => eigenvalues.iter().map(|l| l.max(c)).collect(),
        }
    }

    /// Whether the floor changes this spectrum: its smallest eigenvalue is below `c`.
    #[must_use]
    pub fn is_active(&self, eigenvalues: &[f64]) -> bool {
        !matches!(self, Self::None) && eigenvalues.first().is_some_and(|l| *l < self.level())
    }
}
