use super::{Output, failed, from_json, read_text};
use crate::{Error, Ledger, Result};
use std::fs::{File, TryLockError};
use std::path::Path;

/// A ledger that is kept over runs, and locked against other runs while it is open.
///
/// The lock is a file beside it (`ledger.json.lock`), because the ledger itself is replaced
/// whenever it is saved. The system drops the lock when the process ends, however it ends.
#[derive(Debug)]
pub struct LedgerFile {
    output: Output,
    /// Held until this is dropped.
    _lock: File,
    ledger: Option<Ledger>,
}

impl LedgerFile {
    /// Lock and read a ledger; a file that does not exist is one that was never opened.
    ///
    /// # Errors
    /// [`Error::Output`] for a path that cannot hold a ledger; [`Error::Io`] when another run
    /// holds it or the system refuses; [`Error::Parse`] for what is no ledger, and for one that
    /// spends more than its budget.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        // A link would be replaced by a second ledger of the same data when it is saved.
        let target = path.as_ref().canonicalize();
        let path = target.as_deref().unwrap_or(path.as_ref());
        let output = Output::plan(path, true)?;
        let mut lock_name = path.as_os_str().to_owned();
        lock_name.push(".lock");
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_name)
            .map_err(|error| failed(path, "lock", &error))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => Error::Io {
                path: path.display().to_string(),
                reason: "another run is using this ledger; wait for it to end".into(),
            },
            TryLockError::Error(error) => failed(path, "lock", &error),
        })?;
        let ledger = if path.exists() {
            Some(from_json(path, &read_text(path)?)?)
        } else {
            None
        };
        Ok(Self {
            output,
            _lock: lock,
            ledger,
        })
    }

    /// What was read, if the file was there.
    #[must_use]
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// Replace the file, durably. To be called before anything that the ledger paid for is shown.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn save(&self, ledger: &Ledger) -> Result<()> {
        let path = self.output.path();
        let text =
            serde_json::to_string_pretty(ledger).map_err(|e| super::parse_error(path, &e))?;
        self.output.write((text + "\n").as_bytes())
    }
}
