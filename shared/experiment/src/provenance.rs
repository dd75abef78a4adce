use std::time::{Duration, SystemTime};

use serde::{Serialize, Serializer};

use crate::{Paper, Plan, Scale};

/// Where a report comes from.
#[derive(Clone, Debug, Serialize)]
pub struct Provenance {
    /// Quick or full.
    pub scale: Scale,
    /// Seed of everything random.
    pub seed: u64,
    /// Crates and their versions.
    pub crates: Vec<CrateVersion>,
    /// Target that the program was compiled for.
    pub target: &'static str,
    /// Compiler.
    pub rustc: &'static str,
    /// Debug or release.
    pub profile: &'static str,
    /// Processor.
    pub cpu: String,
    /// Threads that ran cells.
    pub threads: usize,
    /// Start of the run (the last one, when it was resumed), RFC 3339 in UTC.
    #[serde(serialize_with = "rfc3339")]
    pub started: SystemTime,
    /// Time of this run in seconds, without what was resumed.
    #[serde(rename = "wall_seconds", serialize_with = "seconds")]
    pub wall: Duration,
    /// Time of all cells added up, in seconds, also of those that were resumed.
    pub cell_seconds: f64,
}

/// A crate and its version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CrateVersion {
    /// Package name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Provenance {
    pub(crate) fn new(papers: &[Paper], plan: &Plan, started: SystemTime) -> Self {
        let mut crates: Vec<CrateVersion> = papers
            .iter()
            .map(|paper| (paper.crate_name(), paper.version()))
            .chain([(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))])
            .map(|(name, version)| CrateVersion {
                name: name.to_owned(),
                version: version.to_owned(),
            })
            .collect();
        crates.dedup();
        Self {
            scale: plan.scale(),
            seed: plan.seed(),
            crates,
            target: env!("PAPERCRATES_TARGET"),
            rustc: env!("PAPERCRATES_RUSTC"),
            profile: if cfg!(debug_assertions) {
                "debug"
            } else {
                "release"
            },
            cpu: cpu_name(),
            threads: plan.threads(),
            started,
            wall: Duration::ZERO,
            cell_seconds: 0.0,
        }
    }

    /// Start as text.
    pub(crate) fn started_text(&self) -> String {
        humantime::format_rfc3339_seconds(self.started).to_string()
    }
}

fn rfc3339<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&humantime::format_rfc3339_seconds(*time))
}

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    // Milliseconds are enough, and read better than fifteen digits.
    serializer.serialize_f64((time.as_secs_f64() * 1e3).round() / 1e3)
}

fn cpu_name() -> String {
    use sysinfo::{CpuRefreshKind, RefreshKind, System};
    let system =
        System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()));
    let brand = system.cpus().first().map_or("", |cpu| cpu.brand().trim());
    if brand.is_empty() {
        format!("unnamed {} processor", std::env::consts::ARCH)
    } else {
        brand.to_owned()
    }
}
