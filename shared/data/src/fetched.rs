//! Data sets that are too large, or not free enough, to be part of the library: `fetch.py` puts
//! them on disk, this finds them.

use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// Name of the environment variable that says where fetched data lies.
pub const VARIABLE: &str = "PAPERCRATES_DATA";

/// Path of `<name>.csv`: in the folder that `PAPERCRATES_DATA` names, else in `data/` of the
/// current folder or of one above it.
///
/// Reads the environment and the file system; the checksum was verified when it was fetched.
///
/// # Errors
/// [`Error::NotFetched`], with the command that fetches it.
pub fn path(name: &str) -> Result<PathBuf> {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let here = std::env::current_dir().unwrap_or_default();
    find(name, named.as_deref(), &here)
}

fn find(name: &str, named: Option<&Path>, here: &Path) -> Result<PathBuf> {
    let is_plain = !name.is_empty() && !name.contains(['/', '\\', ':']);
    let file = format!("{name}.csv");
    (named.map(Path::to_owned).into_iter())
        .chain(here.ancestors().map(|folder| folder.join("data")))
        .map(|folder| folder.join(&file))
        .find(|path| is_plain && path.is_file())
        .ok_or_else(|| Error::NotFetched {
            name: name.to_owned(),
            looked_in: named.map_or_else(|| here.join("data"), Path::to_owned),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_named_folder_goes_before_the_repository_and_parents_are_searched() {
        let root = tempfile::tempdir().unwrap();
        let (named, data) = (root.path().join("named"), root.path().join("data"));
        let deep = root.path().join("crates/one/src");
        for folder in [&named, &data, &deep] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(named.join("a.csv"), "1\n").unwrap();
        fs::write(data.join("a.csv"), "2\n").unwrap();
        fs::write(data.join("b.csv"), "3\n").unwrap();

        assert_eq!(find("a", Some(&named), &deep).unwrap(), named.join("a.csv"));
        assert_eq!(find("a", None, &deep).unwrap(), data.join("a.csv"));
        assert_eq!(find("b", Some(&named), &deep).unwrap(), data.join("b.csv"));
    }

    #[test]
    fn what_is_not_there_names_the_command_and_the_folder() {
        let root = tempfile::tempdir().unwrap();
        let message = find("housing", None, root.path()).unwrap_err().to_string();
        assert!(
            message.contains("python3 shared/data/fetch.py --only housing"),
            "{message}"
        );
        assert!(message.contains("PAPERCRATES_DATA"), "{message}");
        assert!(
            message.contains(&root.path().join("data").display().to_string()),
            "{message}"
        );
    }

    #[test]
    fn a_name_is_no_path() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("data/inner")).unwrap();
        fs::write(root.path().join("data/inner/a.csv"), "1\n").unwrap();
        for name in ["inner/a", "../data/inner/a", ""] {
            assert!(find(name, None, root.path()).is_err(), "{name}");
        }
    }
}
