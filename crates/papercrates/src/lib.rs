#![doc = include_str!("../README.md")]

#[cfg(feature = "dp-ridge")]
pub use dp_ridge;
