//! The paper's method with its defaults: private floor, public penalty, one release.

use crate::release::release;
use crate::tune::{PrivateFloor, PublicGuess, plug_in, private_lambda_min};
use crate::{
    DpRegressor, Floor, Ledger, Mu, Neighbor, Noise, NoiseRng, Release, Result, RidgeSpec,
    SuffStats, Training,
};

/// Where the level of the floor comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Level {
    /// Given, from public knowledge.
    Public(f64),
    /// From a noisy smallest eigenvalue, paid for from the same ledger.
    Private(PrivateFloor),
}

/// Decoupled private ridge: the floor keeps the noise small, the penalty only shrinks.
///
/// | field | meaning | default |
/// |---|---|---|
/// | `kind` | kind of floor; its level is not used | `Spectral` |
/// | `level` | where the level comes from | private, a tenth of `μ²`, margin 2 |
/// | `alpha` | penalty; `None` minimises the risk formula under `guess` | `None` |
/// | `guess` | public guesses; `None` takes [`PublicGuess::from_bounds`] | `None` |
/// | `radius` | public bound on `‖β‖` | `None` |
/// | `neighbor` | neighbour relation | replace-one |
/// | `share` | share of the ledger for the coefficients | the rest |
/// | `discrete` | discrete noise on the default grid (needs a zCDP ledger) | `false` |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecoupledRidge {
    /// Kind of floor.
    pub kind: Floor,
    /// Where its level comes from.
    pub level: Level,
    /// Penalty, averaged units.
    pub alpha: Option<f64>,
    /// Public guesses for the penalty.
    pub guess: Option<PublicGuess>,
    /// Public bound on the norm of the coefficients.
    pub radius: Option<f64>,
    /// Neighbour relation.
    pub neighbor: Neighbor,
    /// Share of the ledger for the coefficients.
    pub share: Mu,
    /// Discrete noise.
    pub discrete: bool,
}

impl Default for DecoupledRidge {
    fn default() -> Self {
        Self {
            kind: Floor::Spectral(0.0),
            level: Level::Private(PrivateFloor::default()),
            alpha: None,
            guess: None,
            radius: None,
            neighbor: Neighbor::ReplaceOne,
            share: Mu::Rest,
            discrete: false,
        }
    }
}

impl DecoupledRidge {
    /// Choose floor and penalty, then release the coefficients. O(d³).
    ///
    /// # Errors
    /// As [`release`] and [`private_lambda_min`]; nothing is spent then. Only where `alpha` is 0
    /// and the released floor came out as 0 too is [`Error::UnboundedSensitivity`] found after the
    /// floor was paid for.
    ///
    /// [`Error::UnboundedSensitivity`]: crate::Error::UnboundedSensitivity
    pub fn fit_stats(
        &self,
        stats: &SuffStats,
        ledger: &mut Ledger,
        rng: &mut dyn NoiseRng,
    ) -> Result<Release> {
        let level = match self.level {
            Level::Public(level) => level,
            Level::Private(settings) => {
                let settings = PrivateFloor {
                    discrete: self.discrete,
                    ..settings
                };
                // What the data do not decide is refused before the first release is paid for.
                let mut rehearsal = ledger.clone();
                rehearsal.spend_mu("floor", settings.share)?;
                self.spec(
                    stats,
                    stats.bounds().x_norm.powi(2),
                    rehearsal.resolve(self.share)?,
                )?;
                private_lambda_min(stats, self.neighbor, &settings, ledger, rng)?.level
            }
        };
        let mu = ledger.resolve(self.share)?;
        let spec = self.spec(stats, level, mu)?;
        let noise = if self.discrete {
            Noise::default_grid(spec.computed_sensitivity(stats)?, mu)
        } else {
            Noise::Float
        };
        release(&spec, stats, Mu::Exact(mu), noise, ledger, rng)
    }

    /// What is fitted with a floor of this level and this `μ`; of the data it takes the sizes and
    /// bounds only.
    fn spec(&self, stats: &SuffStats, level: f64, mu: f64) -> Result<RidgeSpec> {
        let mut spec = RidgeSpec {
            alpha: self.alpha.unwrap_or(0.0),
            floor: self.kind.with_level(level),
            radius: self.radius,
            neighbor: self.neighbor,
        };
        if self.alpha.is_none() {
            let (d, bounds) = (stats.d(), stats.bounds());
            let n = self.neighbor.divisor(stats.n())? as u64;
            let guess = self
                .guess
                .unwrap_or_else(|| PublicGuess::from_bounds(&bounds, d, spec.floor));
            spec.alpha = plug_in(&guess, n, d, bounds, &spec, 1.0 / mu)?.alpha;
        }
        spec.checked()
    }
}

impl DpRegressor for DecoupledRidge {
    fn fit(
        &self,
        training: &Training<'_>,
        ledger: &mut Ledger,
        rng: &mut dyn NoiseRng,
    ) -> Result<Release> {
        self.fit_stats(training.stats(), ledger, rng)
    }
}
