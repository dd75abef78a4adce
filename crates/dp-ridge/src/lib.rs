#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod audit;
mod bounds;
pub mod calibration;
mod decoupled;
mod discrete;
mod error;
mod floor;
mod ledger;
mod noise_rng;
mod release;
mod ridge;
pub mod risk;
mod sensitivity;
mod stats;
pub mod synthetic;
mod training;
pub mod tune;

pub use bounds::{Bounds, Clip, Neighbor, Relation};
pub use calibration::{Budget, Calibration};
pub use decoupled::{DecoupledRidge, Level};
pub use discrete::DiscreteGaussian;
pub use error::{Error, Result};
pub use faer;
pub use floor::Floor;
pub use ledger::{Cost, Entry, Ledger, LedgerSummary, Mu};
pub use noise_rng::{Insecure, NoiseRng, SecureRng};
pub use release::{Noise, Release, release};
pub use ridge::{NonPrivateFit, RidgeSpec, Spectrum};
pub use sensitivity::{Sensitivity, k_zero};
pub use stats::{MAX_FEATURES, SuffStats};
pub use training::{DpRegressor, Training};
