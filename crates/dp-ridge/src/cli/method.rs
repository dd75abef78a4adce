use super::failure::Failure;
use super::privacy::{Account, PrivacyArgs};
use clap::{Args, ValueEnum};
use dp_ridge::tune::{PrivateFloor, PublicGuess};
use dp_ridge::{DecoupledRidge, DpRegressor, Floor, Level, Mu, NoiseRng, Release, Training};
use std::str::FromStr;

/// How the coefficients are made.
#[derive(Args)]
pub(crate) struct MethodArgs {
    /// Method; the options below belong to `decoupled`
    #[arg(long, value_enum, default_value = "decoupled")]
    method: Method,
    /// Curvature floor: auto (spectral, level chosen privately), none, spectral:C or shift:C with
    /// a public level C, or shift:auto
    #[arg(long, value_name = "FLOOR", default_value = "auto")]
    floor: FloorChoice,
    /// Ridge penalty in averaged units (scikit-learn's alpha divided by n), or auto (least
    /// predicted risk under public guesses)
    #[arg(
        long,
        value_name = "A",
        default_value = "auto",
        allow_negative_numbers = true
    )]
    alpha: AlphaChoice,
    /// Public bound on the norm of the coefficients
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// Part of the budget (of mu squared) that choosing the floor costs, in (0, 1)
    #[arg(
        long,
        value_name = "F",
        default_value_t = 0.1,
        allow_negative_numbers = true
    )]
    floor_share: f64,
    /// How many standard deviations the floor stays below the noisy smallest eigenvalue
    #[arg(
        long,
        value_name = "Z",
        default_value_t = 2.0,
        allow_negative_numbers = true
    )]
    floor_margin: f64,
    /// Public guess of the norm of the true coefficients, for alpha auto [default: y-bound/x-bound]
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    guess_beta: Option<f64>,
    /// Public guess of the standard deviation of the errors, for alpha auto [default: y-bound/4]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    guess_noise: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Ridge whose noise a curvature floor keeps small
    Decoupled,
    /// Ridge with the penalty alone: --floor none
    Single,
}

/// `--floor`.
#[derive(Clone, Copy)]
pub(crate) enum FloorChoice {
    Private(Floor),
    Public(Floor),
}

impl FromStr for FloorChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, level) = match text.split_once(':') {
            Some((kind, level)) => (kind, level),
            None => (text, "auto"),
        };
        let kind = match kind {
            "none" if !text.contains(':') => return Ok(Self::Public(Floor::None)),
            "auto" if !text.contains(':') => Floor::Spectral(0.0),
            "spectral" => Floor::Spectral(0.0),
            "shift" => Floor::Shift(0.0),
            _ => return Err("expected auto, none, spectral:C, shift:C or shift:auto".into()),
        };
        if level == "auto" {
            return Ok(Self::Private(kind));
        }
        let level: f64 = level
            .parse()
            .map_err(|_| format!("the level {level:?} is no number; expected one like 0.1"))?;
        Ok(Self::Public(kind.with_level(level)))
    }
}

/// `--alpha`.
#[derive(Clone, Copy)]
struct AlphaChoice(Option<f64>);

impl FromStr for AlphaChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self(None));
        }
        let alpha = text
            .parse()
            .map_err(|_| "expected auto or a number like 0.01")?;
        Ok(Self(Some(alpha)))
    }
}

impl MethodArgs {
    /// Refuse, before any data are read, what would be refused afterwards.
    pub(crate) fn check(&self, privacy: &PrivacyArgs) -> Result<(), Failure> {
        let neighbor = privacy.neighbor.neighbor()?;
        if !(self.floor_share > 0.0 && self.floor_share < 1.0) {
            return Err(Failure::usage(format!(
                "--floor-share {} must be in (0, 1); the default is 0.1",
                self.floor_share
            )));
        }
        for (name, value) in [
            ("--guess-beta", self.guess_beta),
            ("--guess-noise", self.guess_noise),
        ] {
            if let Some(value) = value
                && !(value > 0.0 && value.is_finite())
            {
                return Err(Failure::usage(format!(
                    "{name} {value} must be positive and finite; leave it out for the default"
                )));
            }
        }
        let floor = match self.floor() {
            FloorChoice::Public(floor) => floor,
            FloorChoice::Private(_) => Floor::None,
        };
        let mut spec = dp_ridge::RidgeSpec::new(self.alpha.0.unwrap_or(1.0))
            .floor(floor)
            .neighbor(neighbor);
        spec.radius = self.radius;
        spec.checked()?;
        Ok(())
    }

    /// Whether the method looks at single records, so that sums do not suffice.
    pub(crate) fn needs_rows(&self) -> bool {
        match self.method {
            Method::Decoupled | Method::Single => false,
        }
    }

    fn floor(&self) -> FloorChoice {
        match self.method {
            Method::Single => FloorChoice::Public(Floor::None),
            Method::Decoupled => self.floor,
        }
    }

    /// Train and release, charging the account's ledger with its `μ`.
    pub(crate) fn fit(
        &self,
        training: &Training<'_>,
        account: &mut Account,
        discrete: bool,
        rng: &mut dyn NoiseRng,
    ) -> dp_ridge::Result<Release> {
        let mu = account.mu;
        let (kind, level, share) = match self.floor() {
            FloorChoice::Public(floor) => (floor, Level::Public(floor.level()), mu),
            FloorChoice::Private(kind) => {
                let settings = PrivateFloor {
                    share: Mu::Exact(mu * self.floor_share.sqrt()),
                    z: self.floor_margin,
                    c_min: 0.0,
                    discrete,
                };
                (
                    kind,
                    Level::Private(settings),
                    mu * (1.0 - self.floor_share).sqrt(),
                )
            }
        };
        let stats = training.stats();
        let guess = (self.guess_beta.is_some() || self.guess_noise.is_some()).then(|| {
            let default = PublicGuess::from_bounds(&stats.bounds(), stats.d(), Floor::None);
            PublicGuess {
                beta_norm: self.guess_beta.unwrap_or(default.beta_norm),
                noise_sd: self.guess_noise.unwrap_or(default.noise_sd),
                ..default
            }
        });
        let method = DecoupledRidge {
            kind,
            level,
            alpha: self.alpha.0,
            guess,
            radius: self.radius,
            neighbor: account.neighbor,
            share: Mu::Exact(share),
            discrete,
        };
        method.fit(training, &mut account.ledger, rng)
    }
}
