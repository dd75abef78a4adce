use super::failure::Failure;
use super::privacy::{Account, PrivacyArgs};
use clap::{Args, ValueEnum};
use dp_ridge::baselines::{AdaSsp, AdaSspCalibration, DpGd, FunctionalMechanism, ObjPert, Ssp};
use dp_ridge::tune::{PrivateFloor, PublicGuess};
use dp_ridge::{
    DecoupledRidge, DpRegressor, FeatureRange, Floor, Level, Mu, Neighbor, NoiseRng, Preparation,
    Relation, Release, Training,
};
use std::str::FromStr;

/// How the coefficients are made.
#[derive(Args)]
pub(crate) struct MethodArgs {
    /// Method; all but `decoupled` and `single` need --noise float and the neighbours named with them
    #[arg(long, value_enum, default_value = "decoupled")]
    method: Method,
    /// Curvature floor of `decoupled`: auto (spectral, level chosen privately), none, spectral:C or
    /// shift:C with a public level C, or shift:auto [default: auto]
    #[arg(long, value_name = "FLOOR")]
    floor: Option<FloorChoice>,
    /// Ridge penalty in averaged units (scikit-learn's alpha divided by n), or auto (least
    /// predicted risk under public guesses; 0 for the other methods than decoupled and single)
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
    /// Ridge with the penalty alone
    Single,
    /// AdaSSP with Gaussian-DP accounting (add-remove)
    Adassp,
    /// AdaSSP as published (add-remove)
    AdasspPaper,
    /// Noisy sums without adaptation (add-remove)
    Ssp,
    /// Objective perturbation; needs --radius (add-remove)
    Objpert,
    /// Laplace noise on every monomial, pure epsilon; holds all rows in memory (replace-one)
    Functional,
    /// Noisy gradient descent; holds all rows in memory (replace-one)
    Dpgd,
}

impl Method {
    /// The relation that the method is stated for, if it is stated for one only.
    fn relation(self) -> Option<Relation> {
        match self {
            Self::Decoupled | Self::Single => None,
            Self::Adassp | Self::AdasspPaper | Self::Ssp | Self::Objpert => {
                Some(Relation::AddRemove)
            }
            Self::Functional | Self::Dpgd => Some(Relation::ReplaceOne),
        }
    }

    /// Whether the method can spend a part of a ledger.
    fn takes_share(self) -> bool {
        !matches!(self, Self::AdasspPaper | Self::Objpert | Self::Functional)
    }
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
        self.check_method(privacy, neighbor)?;
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

    fn check_method(&self, privacy: &PrivacyArgs, neighbor: Neighbor) -> Result<(), Failure> {
        let name = self.method.to_possible_value();
        let name = name.as_ref().map_or("", |value| value.get_name());
        let refuse = |reason: &str| Err(Failure::usage(format!("--method {name} {reason}")));
        if matches!(self.method, Method::Decoupled | Method::Single) {
            if self.method == Method::Single && self.floor.is_some() {
                return refuse("has no floor; leave --floor out");
            }
            return Ok(());
        }
        match self.method.relation() {
            Some(needs) if needs == neighbor.relation() => {}
            Some(Relation::AddRemove) => {
                return refuse(
                    "is stated for add-remove; pass --neighbor add-remove --n-nominal N --noise float",
                );
            }
            _ => return refuse("is stated for replace-one; pass --neighbor replace-one"),
        }
        if self.floor.is_some() {
            return refuse("has no floor; leave --floor out");
        }
        if privacy.budget.discrete() {
            return refuse("has floating-point noise only; pass --noise float");
        }
        if privacy.takes_part() && !self.method.takes_share() {
            return refuse("takes the whole budget; leave --share out");
        }
        if self.method == Method::Objpert && self.radius.is_none() {
            return refuse("needs --radius, a public bound on the norm of the coefficients");
        }
        Ok(())
    }

    /// Whether the method looks at single records, so that sums do not suffice.
    pub(crate) fn needs_rows(&self) -> bool {
        matches!(self.method, Method::Functional | Method::Dpgd)
    }

    fn floor(&self) -> FloorChoice {
        match (self.method, self.floor) {
            (Method::Decoupled, Some(floor)) => floor,
            (Method::Decoupled, None) => FloorChoice::Private(Floor::Spectral(0.0)),
            _ => FloorChoice::Public(Floor::None),
        }
    }

    /// Train and release, charging the account's ledger with its `μ`.
    pub(crate) fn fit(
        &self,
        training: &Training<'_>,
        preparation: &Preparation,
        account: &mut Account,
        discrete: bool,
        rng: &mut dyn NoiseRng,
    ) -> dp_ridge::Result<Release> {
        let share = Mu::Exact(account.mu);
        let alpha = self.alpha.0.unwrap_or(0.0);
        let method: Box<dyn DpRegressor> = match self.method {
            Method::Decoupled | Method::Single => {
                Box::new(self.decoupled(training, account, discrete))
            }
            Method::Adassp => Box::new(AdaSsp {
                share,
                ..AdaSsp::default()
            }),
            Method::AdasspPaper => Box::new(AdaSsp {
                calibration: AdaSspCalibration::Paper,
                ..AdaSsp::default()
            }),
            // `Ssp` counts its ridge in sums.
            Method::Ssp => Box::new(Ssp {
                ridge: alpha * account.neighbor.divisor(0)?,
                share,
            }),
            Method::Objpert => {
                let radius = self.radius.unwrap_or(f64::NAN);
                Box::new(ObjPert::new(alpha, radius, account.neighbor))
            }
            Method::Functional => Box::new(functional(preparation)),
            Method::Dpgd => Box::new(DpGd {
                share,
                ..DpGd::new(alpha)
            }),
        };
        method.fit(training, &mut account.ledger, rng)
    }

    fn decoupled(
        &self,
        training: &Training<'_>,
        account: &Account,
        discrete: bool,
    ) -> DecoupledRidge {
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
                let rest = mu * (1.0 - self.floor_share).sqrt();
                (kind, Level::Private(settings), rest)
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
        DecoupledRidge {
            kind,
            level,
            alpha: self.alpha.0,
            guess,
            radius: self.radius,
            neighbor: account.neighbor,
            share: Mu::Exact(share),
            discrete,
        }
    }
}

/// The limits of each prepared feature and of the target.
fn functional(preparation: &Preparation) -> FunctionalMechanism {
    let size = match preparation.features() {
        FeatureRange::Norm(x_norm) => *x_norm,
        FeatureRange::Limits(limits) => 1.0 / (limits.len() as f64).sqrt(),
    };
    let mut features = vec![(-size, size); preparation.d_raw()];
    features.extend(preparation.intercept().map(|scale| (-scale, scale)));
    let y_abs = preparation.bounds().y_abs;
    FunctionalMechanism::new(features, (-y_abs, y_abs))
}
