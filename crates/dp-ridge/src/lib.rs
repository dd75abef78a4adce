#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod audit;
pub mod baselines;
mod bounds;
pub mod calibration;
#[cfg(feature = "io")]
mod card;
mod clip;
mod decoupled;
mod discrete;
mod erm;
mod error;
mod floor;
#[cfg(feature = "io")]
pub mod io;
mod ledger;
mod loss;
mod newton;
mod noise_rng;
pub mod plan;
mod prepare;
mod release;
#[cfg(feature = "reproduce")]
pub mod reproduce;
mod ridge;
pub mod risk;
mod sensitivity;
pub mod sql;
mod stats;
pub mod synthetic;
mod training;
pub mod tune;

pub use bounds::{Bounds, Clip, Neighbor, Relation};
pub use calibration::{Budget, Calibration};
#[cfg(feature = "io")]
pub use card::{CARD_SCHEMA, Coefficient, INTERVAL_LEVEL, ModelCard, RawUnits};
pub use clip::Real;
pub use decoupled::{DecoupledRidge, Level};
pub use discrete::DiscreteGaussian;
pub use erm::{DEFAULT_GRAD_TOL, ErmSpec, PrivateErm};
pub use error::{Error, Result};
pub use faer;
pub use floor::Floor;
pub use ledger::{Cost, Entry, Ledger, LedgerSummary, Mu};
pub use loss::{GlmLoss, Huber, Logistic, SmoothedHinge, Squared};
pub use noise_rng::{Insecure, NoiseRng, SecureRng};
pub use prepare::{
    FeatureRange, LARGEST_VALUE, Limits, Missing, Preparation, TargetRange, non_private_standardize,
};
pub use release::{Noise, Release, release};
pub use ridge::{NonPrivateFit, RidgeSpec, Spectrum};
pub use sensitivity::{Sensitivity, k_zero};
pub use stats::{MAX_FEATURES, MAX_RECORDS, SuffStats};
pub use training::{DpRegressor, Training};
