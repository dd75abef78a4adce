use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// How much of a study is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// A small version, done within 30 s a paper on two cores.
    Quick,
    /// The real study.
    Full,
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quick => "quick",
            Self::Full => "full",
        })
    }
}

/// One part of a run that is spread over machines: part `index` of `count`, from 1.
///
/// Cell number `k` (from 0) of an experiment belongs to part `k mod count + 1`, so the parts are
/// of nearly equal size and, for cells listed configuration by configuration, of nearly equal
/// cost.
///
/// ```
/// use papercrates_experiment::Shard;
/// let shard: Shard = "2/8".parse()?;
/// assert!(shard.holds(1) && !shard.holds(2) && shard.holds(9));
/// # Ok::<(), papercrates_experiment::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    /// Part `index` of `count`.
    ///
    /// # Errors
    /// [`Error::BadShard`] unless `1 <= index <= count`.
    pub fn new(index: usize, count: usize) -> Result<Self> {
        if index == 0 || index > count {
            return Err(Error::BadShard {
                text: format!("{index}/{count}"),
            });
        }
        Ok(Self { index, count })
    }

    /// Whether this part runs the cell at `position` (from 0) of its experiment.
    #[must_use]
    pub fn holds(&self, position: usize) -> bool {
        position % self.count == self.index - 1
    }
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = || Error::BadShard {
            text: text.to_owned(),
        };
        let (index, count) = text.split_once('/').ok_or_else(bad)?;
        let index = index.parse().map_err(|_| bad())?;
        let count = count.parse().map_err(|_| bad())?;
        Self::new(index, count).map_err(|_| bad())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// What to run: the scale, the seed, the threads and, on a cluster, the part.
///
/// Scale and seed decide the results; threads and part never do.
///
/// ```
/// use papercrates_experiment::Plan;
/// let plan = Plan::quick(7).with_threads(2);
/// assert_eq!(plan.pick(20, 400), 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    scale: Scale,
    seed: u64,
    threads: Option<usize>,
    shard: Option<Shard>,
}

impl Plan {
    /// A plan of the given scale.
    #[must_use]
    pub fn new(scale: Scale, seed: u64) -> Self {
        Self {
            scale,
            seed,
            threads: None,
            shard: None,
        }
    }

    /// The small version: at most 30 s a paper on two cores.
    #[must_use]
    pub fn quick(seed: u64) -> Self {
        Self::new(Scale::Quick, seed)
    }

    /// The real study.
    #[must_use]
    pub fn full(seed: u64) -> Self {
        Self::new(Scale::Full, seed)
    }

    /// Sets the number of threads; without it, all that the machine has. 0 counts as 1.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// Runs only this part of the cells.
    #[must_use]
    pub fn with_shard(mut self, shard: Shard) -> Self {
        self.shard = Some(shard);
        self
    }

    /// Quick or full.
    #[must_use]
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Whether this is the small version.
    #[must_use]
    pub fn is_quick(&self) -> bool {
        self.scale == Scale::Quick
    }

    /// The first value for a quick plan, the second for a full one.
    #[must_use]
    pub fn pick<T>(&self, quick: T, full: T) -> T {
        match self.scale {
            Scale::Quick => quick,
            Scale::Full => full,
        }
    }

    /// The seed of everything random.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Threads that run cells.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        })
    }

    /// The part of the cells to run, if not all.
    #[must_use]
    pub fn shard(&self) -> Option<Shard> {
        self.shard
    }
}
