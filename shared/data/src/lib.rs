#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod csv;
mod error;
mod files;
mod names;
mod rows;
mod table;

pub use error::{Error, Result};
pub use faer;
pub use rows::{Examples, Rows};
pub use table::Table;
