//! One binary, so that the crate is linked once.

mod bad_input;
mod coverage;
mod known_values;
mod properties;
mod streams;

/// Asserts that two numbers agree to a relative tolerance.
#[track_caller]
fn assert_close(actual: f64, expected: f64, rel_tol: f64) {
    let scale = expected.abs().max(f64::MIN_POSITIVE);
    assert!(
        (actual - expected).abs() <= rel_tol * scale,
        "got {actual:e}, expected {expected:e} to {rel_tol:e}"
    );
}
