//! NumPy's NPZ format: a zip file of named NPY arrays, stored or deflated.

use crate::npy::{self, Array, Layout};
use crate::{Error, Result, files, names};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// A zip file of arrays. Arrays are read one by one when asked for.
///
/// Deflate packs at most about a thousandfold, so an array takes at most that much more memory
/// than the file has bytes; what a header claims is not believed.
#[derive(Debug)]
pub struct Archive<R> {
    zip: ZipArchive<R>,
    path: PathBuf,
    names: Vec<String>,
}

impl Archive<BufReader<File>> {
    /// Opens a file and reads its table of contents.
    ///
    /// # Errors
    /// File errors, and [`Error::Format`] for what is no zip file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::new(BufReader::new(files::open(path)?), path)
    }
}

impl<R: Read + Seek> Archive<R> {
    /// Reads from any source; `label` stands for the path in errors.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub fn new(reader: R, label: impl Into<PathBuf>) -> Result<Self> {
        let path = label.into();
        let zip = ZipArchive::new(reader).map_err(|error| format_error(&path, &error))?;
        let mut names = Vec::new();
        for name in zip.file_names() {
            let name = name.map_err(|error| format_error(&path, &error))?;
            names.extend(name.strip_suffix(".npy").map(str::to_owned));
        }
        Ok(Self { zip, path, names })
    }

    /// Names of the arrays, in file order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads an array.
    ///
    /// # Errors
    /// [`Error::ArrayNotFound`], with the names like it; as [`npy::read`] otherwise.
    pub fn read(&mut self, name: &str) -> Result<Array> {
        if !self.names.iter().any(|known| known == name) {
            return Err(Error::ArrayNotFound {
                path: self.path.clone(),
                name: name.to_owned(),
                close: names::close(&self.names, name),
            });
        }
        let entry = (self.zip.by_name(&format!("{name}.npy")))
            .map_err(|error| format_error(&self.path, &error))?;
        npy::read_from(entry, self.path.join(name))
    }
}

/// Writes named arrays (`f8`, deflated), replacing the file in one step.
///
/// # Errors
/// File errors, and [`Error::DuplicateColumn`] for two arrays of one name.
pub fn write(path: impl AsRef<Path>, arrays: &[(&str, &Array)]) -> Result<()> {
    let path = path.as_ref();
    let names: Vec<String> = arrays.iter().map(|(name, _)| (*name).to_owned()).collect();
    names::all_different(path, &names)?;
    files::replace(path, |file| {
        let mut zip = ZipWriter::new(file);
        // ZIP64 from the start: sizes are not known before an entry is written.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .large_file(true);
        for (name, array) in arrays {
            (zip.start_file(format!("{name}.npy"), options))
                .map_err(|error| write_error(path, error))?;
            npy::write_to(&mut zip, path, array, Layout::default())?;
        }
        zip.finish().map_err(|error| write_error(path, error))?;
        Ok(())
    })
}

fn format_error(path: &Path, error: &zip::result::ZipError) -> Error {
    Error::Format {
        path: path.to_owned(),
        format: "NPZ",
        problem: format!("{error}; write it with numpy.savez or numpy.savez_compressed"),
    }
}

fn write_error(path: &Path, error: zip::result::ZipError) -> Error {
    files::io(path, "write", error.into())
}
