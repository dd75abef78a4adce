//! Values from closed forms, mpmath 1.3 (60 digits), SciPy 1.17.1, NumPy 2.4.6 and statsmodels
//! 0.15.0; the call stands beside each. `stats` is `scipy.stats`.

#![allow(
    clippy::approx_constant,
    clippy::excessive_precision,
    reason = "published values stand as their source prints them"
)]

mod hypotheses;
mod intervals;
mod linalg;
mod roots;
mod special;

const X: [f64; 10] = [2.1, 3.4, 1.9, 5.6, 4.4, 3.8, 2.7, 6.1, 4.9, 3.0];
const Y: [f64; 10] = [1.8, 3.9, 1.2, 5.0, 4.6, 2.9, 2.8, 5.1, 4.0, 2.2];
