//! Seeded random streams: one seed and a path of labels name one independent generator.
//!
//! A study hands every cell, replicate or worker its own path, so the numbers it draws depend
//! on what it is and never on which thread ran it or in which order:
//!
//! ```
//! use papercrates_numeric::streams::{Streams, normal};
//!
//! let study = Streams::new(7).child("table-1");
//! let draws: Vec<f64> = (0..3_u64).map(|cell| normal(&mut study.child(cell).rng())).collect();
//! let again = normal(&mut study.child(2_u64).rng());
//! assert_eq!(draws[2], again);
//! ```
//!
//! # Definition
//!
//! With `H` = SHA-256, `P` the 21 bytes `papercrates streams 1`, `le64` eight little-endian
//! bytes and `||` concatenation:
//!
//! | node | 32 bytes |
//! |---|---|
//! | root of a seed | `H(P \|\| 00 \|\| le64(seed))` |
//! | child by integer label | `H(P \|\| 01 \|\| parent \|\| 'u' \|\| le64(8) \|\| le64(label))` |
//! | child by text label | `H(P \|\| 01 \|\| parent \|\| 's' \|\| le64(length) \|\| UTF-8 bytes)` |
//! | key of the generator | `H(P \|\| 02 \|\| node)` |
//!
//! The generator is ChaCha with 12 rounds, 64-bit block counter from 0 and stream number 0. The
//! length before each label and the tag before each kind keep `"ab" / "c"` from `"a" / "bc"`,
//! and the text `"1"` from the number `1`.
//!
//! # Test vectors
//!
//! First two `next_u64` of each path (derived by `tests/vectors.py`, which shares no code with
//! this crate):
//!
//! | seed and path | first | second |
//! |---|---|---|
//! | `0` | `0xea761df7817610fe` | `0x8fcb1fff8f12a2d1` |
//! | `42` | `0x76221ec4b80836e9` | `0x28cdd611da4bd715` |
//! | `42 / "noise"` | `0xf891ef9b7a59d5dd` | `0xc8e8b7c9c71ae67d` |
//! | `42 / "noise" / 3` | `0x1060cf4bb32088df` | `0x3350e35359d7e208` |
//! | `42 / "3"` | `0x82c0341f51f7bfd0` | `0x0f1289e85c6988ef` |
//! | `42 / 3` | `0x35c9b19e46514d18` | `0x9fe016bf46410fb7` |
//!
//! # Platforms
//!
//! Every function here uses integers, IEEE additions, multiplications, divisions and square
//! roots, and the logarithm of the pure Rust `libm`, so the bytes are the same on every target
//! whose `f64` arithmetic is IEEE 754 (all tier-1 targets of Rust).
//!
//! These streams are for experiments. They are reproducible from a 64-bit seed, hence
//! predictable, and [`StreamRng`] does *not* implement the marker of cryptographic generators:
//! code that asks for private noise does not accept one by accident.
//!
//! ```compile_fail
//! # use papercrates_numeric::{rand, streams::Streams};
//! fn private_noise(rng: impl rand::CryptoRng) {}
//! private_noise(Streams::new(7).rng()); // error: `StreamRng: CryptoRng` is not satisfied
//! ```

use rand::rand_core::{Infallible, Rng, SeedableRng, TryRng};
use rand_chacha::ChaCha12Rng;
use sha2::{Digest, Sha256};

const PREFIX: &[u8] = b"papercrates streams 1";
const ROOT: u8 = 0;
const CHILD: u8 = 1;
const KEY: u8 = 2;

/// A node in the tree of streams: a seed and a path of labels.
///
/// Cheap to clone (32 bytes); deriving a child costs one SHA-256 of about a hundred bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streams {
    node: [u8; 32],
}

impl Streams {
    /// The root of the tree that belongs to `seed`.
    pub fn new(seed: u64) -> Self {
        Self {
            node: digest(&[&[ROOT], &seed.to_le_bytes()]),
        }
    }

    /// The subtree under `label`: a text or an unsigned integer.
    pub fn child(&self, label: impl Label) -> Self {
        let node = label.with_bytes(|tag, bytes| {
            // A slice never holds more than isize::MAX bytes, so its length fits 64 bits.
            let length = (bytes.len() as u64).to_le_bytes();
            digest(&[&[CHILD], &self.node, &[tag], &length, bytes])
        });
        Self { node }
    }

    /// The generator of this node, from its beginning. Calling it twice gives the same numbers
    /// twice: give every use its own child.
    pub fn rng(&self) -> StreamRng {
        StreamRng {
            inner: ChaCha12Rng::from_seed(digest(&[&[KEY], &self.node])),
        }
    }
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix(PREFIX);
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

mod sealed {
    /// Sealed, because a foreign label could collide with ours.
    pub trait Sealed {
        fn with_bytes<R>(&self, hash: impl FnOnce(u8, &[u8]) -> R) -> R;
    }
}
use sealed::Sealed;

/// What can name a child of [`Streams`]: `&str`, `String`, `u32`, `u64` or `usize`. Integers of
/// equal value name the same child whatever their type.
pub trait Label: Sealed {}

impl Sealed for &str {
    fn with_bytes<R>(&self, hash: impl FnOnce(u8, &[u8]) -> R) -> R {
        hash(b's', self.as_bytes())
    }
}
impl Sealed for &String {
    fn with_bytes<R>(&self, hash: impl FnOnce(u8, &[u8]) -> R) -> R {
        self.as_str().with_bytes(hash)
    }
}
impl Sealed for String {
    fn with_bytes<R>(&self, hash: impl FnOnce(u8, &[u8]) -> R) -> R {
        self.as_str().with_bytes(hash)
    }
}
impl Sealed for u64 {
    fn with_bytes<R>(&self, hash: impl FnOnce(u8, &[u8]) -> R) -> R {
        hash(b'u', &self.to_le_bytes())
    }
}
impl Sealed for u32 {
    fn with_bytes<R>(&self, hash: impl FnOnce(u8, &[u8]) -> R) -> R {
        u64::from(*self).with_bytes(hash)
    }
}
impl Sealed for usize {
    fn with_bytes<R>(&self, hash: impl FnOnce(u8, &[u8]) -> R) -> R {
        // No supported target has pointers wider than 64 bits.
        (*self as u64).with_bytes(hash)
    }
}
impl Label for &str {}
impl Label for &String {}
impl Label for String {}
impl Label for u64 {}
impl Label for u32 {}
impl Label for usize {}

/// The generator of one path: ChaCha12, usable wherever [`rand::Rng`] is asked for.
///
/// It is deliberately not a `CryptoRng` (see the [module documentation](self)).
#[derive(Clone, Debug)]
pub struct StreamRng {
    inner: ChaCha12Rng,
}

impl TryRng for StreamRng {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.inner.try_next_u32()
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.inner.try_next_u64()
    }

    #[inline]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.inner.try_fill_bytes(bytes)
    }
}

/// Uniform on the multiples of 2⁻⁵³ in `[0, 1)`: the upper 53 bits of one `next_u64`.
#[inline]
pub fn uniform(rng: &mut (impl Rng + ?Sized)) -> f64 {
    const SCALE: f64 = 1.0 / (1_u64 << 53) as f64;
    (rng.next_u64() >> 11) as f64 * SCALE
}

/// One standard normal number.
///
/// The first of a pair by Marsaglia's polar method (Marsaglia & Bray, *SIAM Review* 6, 1964);
/// the second is dropped, so that the state of `rng` is all the state there is. To draw many,
/// [`fill_normal`] keeps both and is twice as fast.
#[inline]
pub fn normal(rng: &mut (impl Rng + ?Sized)) -> f64 {
    normal_pair(rng).0
}

/// Fills `out` with independent standard normal numbers, two from each accepted pair; with an
/// odd length the last pair's second number is dropped.
pub fn fill_normal(rng: &mut (impl Rng + ?Sized), out: &mut [f64]) {
    let mut pairs = out.chunks_exact_mut(2);
    for pair in &mut pairs {
        (pair[0], pair[1]) = normal_pair(rng);
    }
    if let [last] = pairs.into_remainder() {
        *last = normal(rng);
    }
}

/// A point uniform in the unit disc, moved out along its ray so that both coordinates are
/// independent standard normals.
#[inline]
fn normal_pair(rng: &mut (impl Rng + ?Sized)) -> (f64, f64) {
    loop {
        let x = 2.0 * uniform(rng) - 1.0;
        let y = 2.0 * uniform(rng) - 1.0;
        let square = x * x + y * y;
        if square < 1.0 && square > 0.0 {
            let scale = (-2.0 * libm::log(square) / square).sqrt();
            return (x * scale, y * scale);
        }
    }
}

/// Uniform on `0..n`, without bias (Lemire, *ACM TOMACS* 29, 2019). For `n = 0` there is nothing
/// to choose: gives 0 and draws nothing.
#[inline]
pub fn index(rng: &mut (impl Rng + ?Sized), n: usize) -> usize {
    let n = n as u64;
    if n == 0 {
        return 0;
    }
    // The high word of a 64 x 64 bit product is uniform once the few low words that some
    // results would have in excess are rejected.
    let mut product = u128::from(rng.next_u64()) * u128::from(n);
    if (product as u64) < n {
        let excess = n.wrapping_neg() % n;
        while (product as u64) < excess {
            product = u128::from(rng.next_u64()) * u128::from(n);
        }
    }
    (product >> 64) as usize
}

/// Puts `items` into uniformly random order (Fisher and Yates). O(n).
pub fn shuffle<T>(rng: &mut (impl Rng + ?Sized), items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, index(rng, last + 1));
    }
}

/// A uniformly random permutation of `0..n`. O(n).
pub fn permutation(rng: &mut (impl Rng + ?Sized), n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    shuffle(rng, &mut order);
    order
}
