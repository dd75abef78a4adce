//! Where the noise comes from: operating-system entropy, or a seed that is marked as not private.

use crate::{Error, Result};
use rand::rngs::SysRng;
use rand::{CryptoRng, SeedableRng, TryCryptoRng, TryRng};
use rand_chacha::ChaCha20Rng;
use std::convert::Infallible;

/// A cryptographic generator that says whether its noise protects anyone.
///
/// Sealed: a plain seeded generator does not implement it, so that it cannot end in a release
/// unmarked. Wrap one in [`Insecure`] for tests and reproductions.
pub trait NoiseRng: CryptoRng + sealed::Sealed {
    /// Whether nobody can know the state: true for [`SecureRng`] only.
    fn is_private(&self) -> bool;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::SecureRng {}
    impl<R> Sealed for super::Insecure<R> {}
}

/// ChaCha20 keyed by the operating system: the generator for real releases.
pub struct SecureRng(ChaCha20Rng);

impl SecureRng {
    /// A fresh generator.
    ///
    /// # Errors
    /// [`Error::NoEntropy`] when the operating system gives no random bytes.
    pub fn from_os() -> Result<Self> {
        ChaCha20Rng::try_from_rng(&mut SysRng)
            .map(Self)
            .map_err(|e| Error::NoEntropy {
                reason: e.to_string(),
            })
    }
}

impl NoiseRng for SecureRng {
    fn is_private(&self) -> bool {
        true
    }
}

/// A generator whose state somebody knows. Everything released with it is marked
/// `reproducible_not_private`.
pub struct Insecure<R>(pub R);

impl Insecure<ChaCha20Rng> {
    /// ChaCha20 from a seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }
}

impl<R: CryptoRng> NoiseRng for Insecure<R> {
    fn is_private(&self) -> bool {
        false
    }
}

impl TryRng for SecureRng {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

impl TryCryptoRng for SecureRng {}

impl<R: CryptoRng> TryRng for Insecure<R> {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

impl<R: CryptoRng> TryCryptoRng for Insecure<R> {}
