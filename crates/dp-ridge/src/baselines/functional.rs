use super::{derived_release, solve_symmetric};
use crate::{
    Budget, Cost, DpRegressor, Error, Ledger, Neighbor, NoiseRng, Relation, Release, Result,
    Training,
};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use papercrates_numeric::linalg::mat_t_vec;
use papercrates_numeric::streams::uniform;

/// The functional mechanism for linear regression as diffprivlib's `LinearRegression` without an
/// intercept: Laplace noise on every monomial of the squared error. Pure `ε`, replace-one only.
///
/// The `1 + d + d(d+1)/2` sums `Σy²`, `Σx_j y` and `Σx_j x_k` share `ε` evenly. The first is not
/// needed for the coefficients and is not drawn. Rows are clamped to the limits *feature by
/// feature*, not to the norm bound. Coefficients solve the noisy normal equations exactly even
/// when they are indefinite; errors can be arbitrarily large then, and the release is marked
/// `indefinite`. Unlike the peer (issues 104 and 105 of its repository), squares get the
/// sensitivity `max(l², u²)`, which is not zero for limits `(0, u)`. `O(n d²)`; holds a clamped
/// copy of the rows.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionalMechanism {
    /// Public lower and upper limit of each feature, `l < u`, length `d`.
    pub features: Vec<(f64, f64)>,
    /// Public lower and upper limit of the target.
    pub target: (f64, f64),
    /// `ε` to spend; `None` is all that the ledger has left.
    pub epsilon: Option<f64>,
    /// Fail with [`Error::NotPositiveDefinite`] instead of marking an indefinite release.
    pub strict: bool,
}

/// Scales of the Laplace noise.
#[derive(Debug, Clone)]
pub struct FunctionalScales {
    /// On `Σx_j y`, length `d`.
    pub linear: Vec<f64>,
    /// On `Σx_j x_k`, `d × d`, symmetric.
    pub quadratic: Mat<f64>,
}

impl FunctionalScales {
    fn are_finite(&self) -> bool {
        self.linear.iter().all(|scale| scale.is_finite()) && self.quadratic.is_all_finite()
    }
}

impl FunctionalMechanism {
    /// These limits, the whole ledger, not strict.
    #[must_use]
    pub fn new(features: Vec<(f64, f64)>, target: (f64, f64)) -> Self {
        Self {
            features,
            target,
            epsilon: None,
            strict: false,
        }
    }

    /// The scale of the noise on every sum that is used, at a total of `epsilon`. No data needed.
    ///
    /// # Errors
    /// [`Error::BadBudget`], also where limits and `epsilon` give no finite noise;
    /// [`Error::NegativeParameter`] for limits that are not finite or not in order.
    pub fn noise_scales(&self, epsilon: f64) -> Result<FunctionalScales> {
        Budget::new(epsilon, 0.5)?;
        for &(low, high) in self.features.iter().chain([&self.target]) {
            if !(low.is_finite() && high.is_finite() && low < high) {
                return Err(Error::NegativeParameter {
                    name: "upper limit",
                    value: high,
                    range: "finite and above a finite lower limit",
                });
            }
        }
        let d = self.features.len();
        let monomials = 1.0 + d as f64 + d as f64 * (d as f64 + 1.0) / 2.0;
        let local = epsilon / monomials;
        let linear = self
            .features
            .iter()
            .map(|&x| product_range(x, self.target) / local)
            .collect();
        let quadratic = Mat::from_fn(d, d, |j, k| {
            let (a, b) = (self.features[j], self.features[k]);
            let sensitivity = if j == k {
                (a.0 * a.0).max(a.1 * a.1)
            } else {
                product_range(a, b)
            };
            sensitivity / local
        });
        let scales = FunctionalScales { linear, quadratic };
        if !scales.are_finite() {
            return Err(Error::BadBudget {
                name: "epsilon",
                value: epsilon,
                range: "what gives finite noise at these limits",
                suggestion: "1, with limits below 1e150",
            });
        }
        Ok(scales)
    }
}

/// Largest minus smallest product of two numbers within limits.
fn product_range(a: (f64, f64), b: (f64, f64)) -> f64 {
    let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    let largest = corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let smallest = corners.into_iter().fold(f64::INFINITY, f64::min);
    largest - smallest
}

fn laplace(scale: f64, rng: &mut dyn NoiseRng) -> f64 {
    // In (0, 1], so that the logarithm is finite.
    let magnitude = -scale * (1.0 - uniform(rng)).ln();
    if uniform(rng) < 0.5 {
        -magnitude
    } else {
        magnitude
    }
}

/// The pure `ε` that a ledger has left.
fn epsilon_left(ledger: &Ledger) -> f64 {
    let spent: f64 = ledger
        .summary()
        .entries
        .iter()
        .map(|entry| match entry.cost {
            Cost::PureEpsilon(epsilon) => epsilon,
            Cost::Mu(_) => 0.0,
        })
        .sum();
    ledger.budget().epsilon - spent
}

impl DpRegressor for FunctionalMechanism {
    /// # Errors
    /// [`Error::RowsNeeded`] without rows; [`Error::NeighborMismatch`] unless the ledger is for
    /// replace-one; [`Error::DimensionMismatch`], [`Error::NegativeParameter`],
    /// [`Error::EmptyData`], [`Error::BudgetExceeded`]: nothing is spent then.
    /// [`Error::NotPositiveDefinite`] comes only after the noise was paid for.
    fn fit(
        &self,
        training: &Training<'_>,
        ledger: &mut Ledger,
        rng: &mut dyn NoiseRng,
    ) -> Result<Release> {
        ledger.require_method("the functional mechanism", Relation::ReplaceOne)?;
        let (x, y) = training.rows("the functional mechanism")?;
        let (n, d) = x.shape();
        Neighbor::ReplaceOne.divisor(n as u64)?;
        if self.features.len() != d {
            return Err(Error::DimensionMismatch {
                expected: d,
                got: self.features.len(),
                row: 0,
            });
        }
        let epsilon = self.epsilon.unwrap_or_else(|| epsilon_left(ledger));
        let scales = self.noise_scales(epsilon)?;
        let clamped = Mat::from_fn(n, d, |i, j| {
            let (low, high) = self.features[j];
            x[(i, j)].clamp(low, high)
        });
        let y: Vec<f64> = y
            .iter()
            .map(|v| v.clamp(self.target.0, self.target.1))
            .collect();
        let mut gram = Mat::zeros(d, d);
        let x = clamped.as_ref();
        matmul(
            gram.as_mut(),
            Accum::Replace,
            x.transpose(),
            x,
            1.0,
            Par::Seq,
        );
        let mut xty = mat_t_vec(x, &y);
        ledger.spend_pure("monomials of the squared error", epsilon)?;

        for j in 0..d {
            xty[j] += laplace(scales.linear[j], rng);
            for k in 0..=j {
                let noisy = gram[(j, k)] + laplace(scales.quadratic[(j, k)], rng);
                // A sum of squares is not negative: the peer reflects it.
                let noisy = if j == k { noisy.abs() } else { noisy };
                (gram[(j, k)], gram[(k, j)]) = (noisy, noisy);
            }
        }
        let (coef, smallest) = solve_symmetric(gram.as_ref(), &xty)?;
        let indefinite = smallest <= 0.0;
        if indefinite && self.strict {
            return Err(Error::NotPositiveDefinite { smallest });
        }
        Ok(derived_release(
            "functional-mechanism",
            coef,
            indefinite,
            training,
            ledger,
            rng,
        ))
    }
}
