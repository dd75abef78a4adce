//! Which build of the program this is.

use std::fs::File;
use std::io;
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use crate::journal::short_hex;

/// A digest of the running program's file: results of other code must not be taken for its own.
pub(crate) fn digest() -> &'static str {
    static DIGEST: OnceLock<String> = OnceLock::new();
    DIGEST.get_or_init(|| {
        let hash = || -> io::Result<String> {
            let mut hasher = Sha256::new();
            io::copy(&mut File::open(std::env::current_exe()?)?, &mut hasher)?;
            Ok(short_hex(&hasher.finalize()))
        };
        // A program that cannot read itself falls back on the version, which is in the plan.
        hash().unwrap_or_else(|_| "unknown".to_owned())
    })
}
