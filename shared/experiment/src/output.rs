//! The folder that a run writes.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

const JOURNAL: &str = "journal";
const PARTIAL_PREFIX: &str = ".papercrates-";
const PARTIAL_SUFFIX: &str = ".partial";

/// An output folder that is new, empty, ours, or taken by force.
#[derive(Debug)]
pub(crate) struct OutDir {
    path: PathBuf,
}

impl OutDir {
    pub(crate) fn prepare(path: &Path, force: bool) -> Result<Self> {
        if path.exists() {
            if !path.is_dir() {
                return Err(Error::OutputIsFile {
                    path: path.to_owned(),
                });
            }
            if !force && let Some(found) = foreign_entry(path)? {
                return Err(Error::OutputExists {
                    path: path.to_owned(),
                    found,
                });
            }
        }
        let journal = path.join(JOURNAL);
        fs::create_dir_all(&journal).map_err(|e| Error::io("create", &journal, e))?;
        Ok(Self {
            path: path.to_owned(),
        })
    }

    pub(crate) fn journal(&self, crate_name: &str, experiment: &str) -> PathBuf {
        self.path
            .join(JOURNAL)
            .join(format!("{crate_name}--{experiment}.jsonl"))
    }

    /// Writes a file under a temporary name and renames it.
    pub(crate) fn write(&self, relative: &str, bytes: &[u8]) -> Result<()> {
        let target = self.path.join(relative);
        let folder = target.parent().unwrap_or(&self.path);
        fs::create_dir_all(folder).map_err(|e| Error::io("create", folder, e))?;
        let mut options = tempfile::Builder::new();
        options.prefix(PARTIAL_PREFIX).suffix(PARTIAL_SUFFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Reports are made to be read by others; the process's mask still applies.
            options.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut file = options
            .tempfile_in(folder)
            .map_err(|e| Error::io("write", &target, e))?;
        file.write_all(bytes)
            .and_then(|()| file.as_file().sync_all())
            .map_err(|e| Error::io("write", &target, e))?;
        file.persist(&target)
            .map_err(|e| Error::io("write", &target, e.error))?;
        Ok(())
    }

    /// Removes what killed runs left half written, and the files that earlier reports on these
    /// crates had and this one has not. Call it with the journals locked.
    pub(crate) fn tidy(&self, subfolder: &str, crates: &[&str], keep: &[String]) -> Result<()> {
        let folder = self.path.join(subfolder);
        for name in names(&folder)? {
            let partial = name.starts_with(PARTIAL_PREFIX) && name.ends_with(PARTIAL_SUFFIX);
            let ours = crates.iter().any(|c| {
                name.strip_prefix(c)
                    .is_some_and(|rest| rest.starts_with("--"))
            });
            let kept = keep
                .iter()
                .any(|path| path.rsplit('/').next() == Some(&name));
            if partial || (ours && !kept && subfolder != JOURNAL) {
                let path = folder.join(&name);
                fs::remove_file(&path).map_err(|e| Error::io("remove", &path, e))?;
            }
        }
        Ok(())
    }
}

/// Journals in the folder of an earlier run.
pub(crate) fn journals_in(path: &Path) -> Result<Vec<PathBuf>> {
    let folder = path.join(JOURNAL);
    let mut found: Vec<PathBuf> = names(&folder)?
        .into_iter()
        .filter(|name| is_journal_name(name))
        .map(|name| folder.join(name))
        .collect();
    if found.is_empty() {
        return Err(Error::NothingToMerge {
            path: path.to_owned(),
        });
    }
    found.sort();
    Ok(found)
}

fn is_journal_name(name: &str) -> bool {
    name.ends_with(".jsonl") && name.contains("--")
}

/// Something in the folder that none of our runs wrote.
fn foreign_entry(path: &Path) -> Result<Option<String>> {
    let entries = names(path)?;
    let known = |name: &String| {
        ["index.html", "report.json", "figures", "tables", JOURNAL].contains(&name.as_str())
            || (name.starts_with(PARTIAL_PREFIX) && name.ends_with(PARTIAL_SUFFIX))
    };
    if let Some(foreign) = entries.iter().find(|name| !known(name)) {
        return Ok(Some(foreign.clone()));
    }
    // Any page has an index.html; each of our runs has a journal.
    if let Some(first) = entries.first()
        && !entries.iter().any(|name| name == JOURNAL)
    {
        return Ok(Some(first.clone()));
    }
    let journals = names(&path.join(JOURNAL))?;
    let foreign = journals.into_iter().find(|name| !is_journal_name(name));
    Ok(foreign.map(|name| format!("{JOURNAL}/{name}")))
}

/// Sorted names in a folder; none when there is no such folder.
fn names(folder: &Path) -> Result<Vec<String>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let read = || -> std::io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    };
    read().map_err(|e| Error::io("list", folder, e))
}
