//! The exact discrete Gaussian on the integers (Canonne, Kamath and Steinke 2020): rejection
//! sampling in integer arithmetic only, so that no floating-point bit leaks anything.

use crate::{Error, Result};
use rand::Rng;

/// `P(k) ∝ exp(−k² / (2σ²))` on the integers, `σ² = numerator/denominator`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiscreteGaussian {
    numerator: u64,
    denominator: u64,
    /// `⌊σ⌋ + 1`: scale of the discrete Laplace proposal.
    t: u64,
}

/// Largest `σ²`: beyond it the rejection step would not fit in 128 bits.
const MAX_VARIANCE: u64 = 1 << 52;

impl DiscreteGaussian {
    /// The distribution with parameter `σ² = numerator/denominator`.
    ///
    /// # Errors
    /// [`Error::NegativeParameter`] unless `0 < σ² ≤ 2^52` and the denominator is at most `2^20`.
    pub fn new(numerator: u64, denominator: u64) -> Result<Self> {
        let bad = |name, value: u64, range| Error::NegativeParameter {
            name,
            value: value as f64,
            range,
        };
        if denominator == 0 || denominator > 1 << 20 {
            return Err(bad("denominator of sigma^2", denominator, "in [1, 2^20]"));
        }
        if numerator == 0 || numerator > MAX_VARIANCE {
            return Err(bad("numerator of sigma^2", numerator, "in [1, 2^52]"));
        }
        let t = (numerator / denominator).isqrt() + 1;
        Ok(Self {
            numerator,
            denominator,
            t,
        })
    }

    /// One exact draw. Expected O(1) random words.
    pub fn sample(&self, rng: &mut (impl Rng + ?Sized)) -> i64 {
        let (num, den, t) = (
            u128::from(self.numerator),
            u128::from(self.denominator),
            u128::from(self.t),
        );
        let denominator = 2 * num * den * t * t;
        loop {
            let proposal = discrete_laplace(self.t, rng);
            // exp(−(|Y| − σ²/t)² / (2σ²)), both sides multiplied up to integers.
            let distance = u128::from(proposal.unsigned_abs())
                .checked_mul(t * den)
                .map(|y| y.abs_diff(num))
                .and_then(|y| y.checked_mul(y));
            // A distance beyond 128 bits has an acceptance probability below exp(−2^12): never.
            if let Some(numerator) = distance
                && bernoulli_exp(numerator, denominator, rng)
            {
                return proposal;
            }
        }
    }
}

/// `P(k) ∝ exp(−|k|/t)` on the integers.
fn discrete_laplace(t: u64, rng: &mut (impl Rng + ?Sized)) -> i64 {
    loop {
        let u = uniform(u128::from(t), rng) as u64;
        if !bernoulli_exp_below_one(u128::from(u), u128::from(t), rng) {
            continue;
        }
        let mut v = 0u64;
        while bernoulli_exp_below_one(1, 1, rng) {
            v += 1;
        }
        let magnitude = v.saturating_mul(t).saturating_add(u);
        let negative = rng.next_u32() & 1 == 1;
        // Zero would come out twice as often if both signs of it counted.
        if negative && magnitude == 0 {
            continue;
        }
        let magnitude = i64::try_from(magnitude).unwrap_or(i64::MAX);
        return if negative { -magnitude } else { magnitude };
    }
}

/// True with probability `exp(−numerator/denominator)`.
fn bernoulli_exp(mut numerator: u128, denominator: u128, rng: &mut (impl Rng + ?Sized)) -> bool {
    while numerator > denominator {
        if !bernoulli_exp_below_one(1, 1, rng) {
            return false;
        }
        numerator -= denominator;
    }
    bernoulli_exp_below_one(numerator, denominator, rng)
}

/// True with probability `exp(−numerator/denominator)` for a fraction in [0, 1]: the parity of
/// the first failure in draws of probability `γ/k` (von Neumann).
fn bernoulli_exp_below_one(
    numerator: u128,
    denominator: u128,
    rng: &mut (impl Rng + ?Sized),
) -> bool {
    let mut k = 1u128;
    loop {
        // γ/k as two independent draws, γ and 1/k, so that nothing overflows.
        let success = uniform(denominator, rng) < numerator && (k == 1 || uniform(k, rng) == 0);
        if !success {
            return k % 2 == 1;
        }
        k += 1;
    }
}

/// Uniform on `0..bound` by rejection; exact.
fn uniform(bound: u128, rng: &mut (impl Rng + ?Sized)) -> u128 {
    if bound <= 1 {
        return 0;
    }
    let bits = u128::BITS - (bound - 1).leading_zeros();
    loop {
        let draw = if bits <= 32 {
            u128::from(rng.next_u32())
        } else if bits <= 64 {
            u128::from(rng.next_u64())
        } else {
            u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())
        };
        let draw = draw & (u128::MAX >> (u128::BITS - bits));
        if draw < bound {
            return draw;
        }
    }
}
