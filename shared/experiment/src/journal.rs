//! The journal of an experiment: one JSON line for its plan and one for each finished cell.
//!
//! Each line carries the length and a checksum of its content, and goes to the system in one
//! write as soon as its cell is done, so killing the process at any moment loses the cells in
//! hand only. The disk is told to keep it (`fdatasync`) at most once a second and at the end, so
//! a power cut loses at most the last second. Only the last line can be damaged by either; it is
//! dropped. The file is locked while it is written.

mod line;
mod record;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) use line::short_hex;
pub(crate) use record::{Done, Header, Record};

use crate::{Error, Result, Scale};

/// How long written records may stay in the system's memory.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// A locked journal that is being written.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    end: u64,
    synced: Instant,
}

/// What a journal file holds.
pub(crate) struct Content {
    /// `None` for a file that is empty or was cut within its first line.
    pub(crate) header: Option<Header>,
    pub(crate) records: Vec<Record>,
    /// Bytes up to the end of the last whole line.
    end: u64,
}

impl Journal {
    /// Opens or creates the journal of this plan and gives what it already holds.
    ///
    /// With `force`, and for a quick study by another build of the program, the file starts over.
    pub(crate) fn open(path: &Path, header: &Header, force: bool) -> Result<(Self, Vec<Record>)> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|e| Error::io("open the journal", path, e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Locked {
                    path: path.to_owned(),
                });
            }
            // Some network file systems know no locks; two writers are then the caller's risk.
            Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(e)) => return Err(Error::io("lock the journal", path, e)),
        }
        let mut end = 0;
        let mut records = Vec::new();
        if !force {
            let content = Content::parse(path, &read_all(&mut file, path)?, Some(header))?;
            if let Some(found) = &content.header {
                found.expect_plan_of(header, path)?;
                if found.build == header.build {
                    (end, records) = (content.end, content.records);
                } else if header.scale == Scale::Full {
                    return Err(Error::OtherBuild {
                        path: path.to_owned(),
                        found: found.build.clone(),
                        wanted: header.build.clone(),
                    });
                }
            }
        }
        let mut journal = Self {
            file,
            path: path.to_owned(),
            end,
            synced: Instant::now(),
        };
        journal.cut_to_end()?;
        if end == 0 {
            journal.write_line(&header.to_json()?)?;
            journal.sync()?;
        }
        Ok((journal, records))
    }

    /// Checks that a journal that is to be replaced, if there is one, is of the same plan.
    pub(crate) fn expect_plan(path: &Path, header: &Header) -> Result<()> {
        if !path.exists() {
            return Ok(());
        }
        match Content::read(path)?.header {
            Some(found) => found.expect_plan_of(header, path),
            None => Ok(()),
        }
    }

    /// Adds a record, in one write.
    pub(crate) fn append(&mut self, record: &Record) -> Result<()> {
        self.write_line(&record.to_json()?)?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Tells the disk to keep everything.
    pub(crate) fn sync(&mut self) -> Result<()> {
        self.synced = Instant::now();
        match self.file.sync_data() {
            // What is not a regular file (a pipe, a device) has nothing to be kept.
            Err(e) if e.kind() == io::ErrorKind::InvalidInput => Ok(()),
            done => done.map_err(|e| Error::io("write the journal", &self.path, e)),
        }
    }

    fn write_line(&mut self, body: &str) -> Result<()> {
        let line = line::framed(body);
        if let Err(e) = self.file.write_all(line.as_bytes()) {
            // Best effort: a part of a line left behind would be dropped on reading anyway.
            let _ = self.cut_to_end();
            return Err(Error::io("write the journal", &self.path, e));
        }
        self.end += line.len() as u64;
        Ok(())
    }

    /// Drops everything after the last whole line and goes there.
    fn cut_to_end(&mut self) -> Result<()> {
        let cut = |journal: &mut Self| {
            if journal.file.metadata()?.len() != journal.end {
                journal.file.set_len(journal.end)?;
            }
            journal.file.seek(SeekFrom::Start(journal.end))
        };
        cut(self)
            .map(|_| ())
            .map_err(|e| Error::io("cut the journal", &self.path, e))
    }
}

impl Content {
    /// Reads a journal that nobody needs to be writing.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(|e| Error::io("open the journal", path, e))?;
        let bytes = read_all(&mut file, path)?;
        Self::parse(path, &bytes, None)
    }

    /// Reads all lines. The last one may be damaged, any other not. Where the first line is
    /// damaged, the file is ours only if the line is the beginning of the `expected` header.
    fn parse(path: &Path, bytes: &[u8], expected: Option<&Header>) -> Result<Self> {
        let mut content = Self {
            header: None,
            records: Vec::new(),
            end: 0,
        };
        let mut rest = bytes;
        let mut number = 0;
        while !rest.is_empty() {
            number += 1;
            let length = rest
                .iter()
                .position(|&b| b == b'\n')
                .map_or(rest.len(), |at| at + 1);
            let (text, after) = rest.split_at(length);
            let parsed = line::content(text).and_then(|body| {
                if number == 1 {
                    content.header = Some(Header::from_json(body)?);
                } else {
                    content.records.push(Record::from_json(body)?);
                }
                Ok(())
            });
            match parsed {
                Ok(()) => content.end += length as u64,
                Err(_) if number == 1 => return Self::torn_header(path, text, expected),
                Err(_) if after.is_empty() => break,
                Err(reason) => {
                    return Err(Error::CorruptJournal {
                        path: path.to_owned(),
                        line: number,
                        reason,
                    });
                }
            }
            rest = after;
        }
        Ok(content)
    }

    fn torn_header(path: &Path, text: &[u8], expected: Option<&Header>) -> Result<Self> {
        let ours = match expected {
            Some(header) => line::framed(&header.to_json()?)
                .as_bytes()
                .starts_with(text),
            None => line::may_begin(text),
        };
        if !ours {
            return Err(Error::NotAJournal {
                path: path.to_owned(),
            });
        }
        Ok(Self {
            header: None,
            records: Vec::new(),
            end: 0,
        })
    }
}

fn read_all(file: &mut File, path: &Path) -> Result<Vec<u8>> {
    let mut read = || {
        // The length, so that a device that never ends reads as empty.
        let length = file.metadata()?.len();
        let mut bytes = Vec::new();
        Read::by_ref(file).take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|e| Error::io("read the journal", path, e))
}
