use super::failed;
use crate::{Error, Result};
use std::fs::File;
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file to be written whole or not at all.
#[derive(Debug, Clone)]
pub struct Output {
    path: PathBuf,
    force: bool,
}

impl Output {
    /// Check, before any work is done, that the file can be written: it does not exist (unless
    /// `force`), is no folder, and its folder is there and can be written to.
    ///
    /// # Errors
    /// [`Error::Output`] for a path that cannot be written to, [`Error::Io`] for a folder that the
    /// system refuses to write to.
    pub fn plan(path: impl Into<PathBuf>, force: bool) -> Result<Self> {
        let output = Self {
            path: path.into(),
            force,
        };
        match std::fs::symlink_metadata(&output.path) {
            Ok(meta) if meta.is_dir() || output.path.is_dir() => {
                return Err(output.refuse("is a folder; name a file inside it"));
            }
            Ok(meta) if !(meta.is_file() || meta.is_symlink()) => {
                return Err(output.refuse("is no regular file; name a new file"));
            }
            Ok(_) if !force => return Err(output.exists()),
            _ => {}
        }
        if output.path.file_name().is_none() {
            return Err(output.refuse("is no name of a file; name one"));
        }
        if !output.folder().is_dir() {
            return Err(output.refuse("its folder does not exist; create it first"));
        }
        output.draft()?;
        Ok(output)
    }

    /// Where it will be.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begin to write. Nothing is seen at the path before [`Draft::finish`].
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn draft(&self) -> Result<Draft> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".dp-ridge-").suffix(".partial");
        #[cfg(unix)]
        {
            // As any new file: the umask decides.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder
            .tempfile_in(self.folder())
            .map_err(|error| failed(&self.path, "write", &error))?;
        Ok(Draft {
            output: self.clone(),
            file,
        })
    }

    /// Write all of it.
    ///
    /// # Errors
    /// As [`Draft::finish`].
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        let mut draft = self.draft()?;
        draft
            .write_all(bytes)
            .map_err(|error| failed(&self.path, "write", &error))?;
        draft.finish()
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }

    fn refuse(&self, reason: &str) -> Error {
        Error::Output {
            path: self.path.display().to_string(),
            reason: reason.into(),
        }
    }

    fn exists(&self) -> Error {
        self.refuse("exists; name another file, or pass --force to replace it")
    }
}

/// An [`Output`] that is being written. Dropped unfinished, it leaves nothing.
#[derive(Debug)]
pub struct Draft {
    output: Output,
    file: NamedTempFile,
}

impl Draft {
    /// Make sure that `bytes` bytes will fit, so that a full disk shows before a budget is spent
    /// and not after.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn reserve(&mut self, bytes: usize) -> Result<()> {
        let file = self.file.as_file_mut();
        let zeros = [0; 1 << 16];
        let mut reserve = || -> io::Result<()> {
            let mut left = bytes;
            while left > 0 {
                let some = left.min(zeros.len());
                file.write_all(&zeros[..some])?;
                left -= some;
            }
            file.sync_all()?;
            file.seek(SeekFrom::Start(0)).map(drop)
        };
        reserve().map_err(|error| failed(&self.output.path, "write", &error))
    }

    /// Sync and rename to the final name.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Output`] when a file of that name has appeared meanwhile.
    pub fn finish(mut self) -> Result<()> {
        let path = &self.output.path;
        let file = self.file.as_file_mut();
        let written = file
            .stream_position()
            .and_then(|end| file.set_len(end))
            .and_then(|()| file.sync_all());
        written.map_err(|error| failed(path, "write", &error))?;
        let renamed = if self.output.force {
            self.file.persist(path)
        } else {
            self.file.persist_noclobber(path)
        };
        renamed.map_err(|error| match error.error.kind() {
            ErrorKind::AlreadyExists => self.output.exists(),
            _ => failed(path, "write", &error.error),
        })?;
        // The new name is durable once its folder is; not every file system can sync a folder.
        if let Ok(folder) = File::open(self.output.folder()) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
