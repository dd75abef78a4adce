#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
pub mod linalg;
pub mod roots;
pub mod special;
pub mod stats;
pub mod streams;

pub use error::{Error, Position, Result};
pub use faer;
pub use rand;
