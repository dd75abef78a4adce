//! Tests of the umbrella: what the workspace's crates may depend on, and the command.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests fail by panicking; helpers of tests are tests to us, though not to clippy"
)]

#[cfg(feature = "cli")]
mod cli;
mod independence;
