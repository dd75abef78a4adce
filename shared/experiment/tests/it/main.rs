//! Tests of experiments, journals, claims and reports.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests fail by panicking; helpers of tests are tests to us, though not to clippy"
)]

mod bad_input;
#[cfg(feature = "cli")]
mod cli;
mod demo;
mod html;
mod journal;
mod known_values;
mod merging;
mod properties;
