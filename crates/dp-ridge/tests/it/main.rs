//! The contract tests. Every known value names its source; numbers were derived apart from this
//! crate, in 50-digit arithmetic (mpmath) or NumPy, never copied from its output.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests fail by panicking and say what they skip"
)]

mod bad_input;
mod baselines;
#[cfg(feature = "cli")]
mod cli;
mod erm;
mod mutations;
mod properties;
#[cfg(feature = "io")]
mod sql;
mod stats;
mod support;

mod known_values {
    mod audit;
    mod calibration;
    mod composition;
    mod discrete;
    mod real_data;
    mod releases;
    mod ridge_cases;
    mod risk;
    mod sensitivity_values;
    mod separation;
    mod tuning;
}
