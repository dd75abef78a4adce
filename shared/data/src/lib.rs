#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod csv;
mod error;
pub mod fetched;
mod files;
#[cfg(feature = "jsonl")]
pub mod jsonl;
mod names;
pub mod npy;
#[cfg(feature = "npz")]
pub mod npz;
mod rows;
#[cfg(feature = "sets")]
pub mod sets;
mod table;

pub use error::{Error, Result};
pub use faer;
pub use rows::{Examples, Rows, open_rows};
pub use table::Table;
