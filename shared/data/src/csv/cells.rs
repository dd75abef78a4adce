use crate::{Error, Result, error, files};
use csv_core::{ReadFieldResult, Reader, ReaderBuilder};
use std::fmt;
use std::io::{BufRead, BufReader, Chain, Cursor, Read};
use std::path::{Path, PathBuf};

/// Longest cell read. A number needs 25 bytes; a longer run is a quote left open or no text.
const CELL_LIMIT: usize = 1 << 16;
const BUFFER: usize = 1 << 16;

/// The cells of a CSV file with the line each begins on.
///
/// Built on the tokeniser beneath the `csv` crate because that one keeps the line of every cell
/// and lets us bound the length of a cell: an open quote then costs 64 KiB, not the whole file.
pub(super) struct Cells<R> {
    input: BufReader<Chain<Cursor<Vec<u8>>, R>>,
    path: PathBuf,
    core: Reader,
    /// Text of the last cell, in its first `Cell::len` bytes.
    pub(super) text: Vec<u8>,
    line: u64,
    /// Cells of this row passed so far.
    column: usize,
    at_record_start: bool,
    after_carriage_return: bool,
}

impl<R> fmt::Debug for Cells<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (f.debug_struct("Cells"))
            .field("path", &self.path)
            .field("line", &self.line)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) len: usize,
    pub(super) line: u64,
    pub(super) ends_record: bool,
}

/// One whole row of text, kept in two buffers whatever the number of its cells.
#[derive(Debug)]
pub(super) struct Record {
    text: Vec<u8>,
    /// Line and end in `text` of each cell.
    cells: Vec<(u64, usize)>,
}

impl Record {
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn line(&self) -> u64 {
        self.cells.first().map_or(0, |(line, _)| *line)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut start = 0;
        self.cells.iter().map(move |&(line, end)| {
            let cell = &self.text[start..end];
            start = end;
            (line, cell)
        })
    }
}

impl<R: Read> Cells<R> {
    pub(super) fn new(mut reader: R, path: PathBuf, delimiter: u8) -> Result<Self> {
        let mut head = Vec::with_capacity(3);
        (reader.by_ref().take(3).read_to_end(&mut head))
            .map_err(|e| files::io(&path, "read", e))?;
        if head == [0xEF, 0xBB, 0xBF] {
            head.clear();
        }
        Ok(Self {
            input: BufReader::with_capacity(BUFFER, Cursor::new(head).chain(reader)),
            path,
            core: ReaderBuilder::new().delimiter(delimiter).build(),
            text: vec![0; 64],
            line: 1,
            column: 0,
            at_record_start: true,
            after_carriage_return: false,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn into_path(self) -> PathBuf {
        self.path
    }

    /// The next cell, or `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Cell>> {
        if self.at_record_start {
            self.skip_line_ends()?;
            self.column = 0;
        }
        self.column += 1;
        let line = self.line;
        self.core.set_line(line);
        let mut len = 0;
        loop {
            let input = files::fill(&mut self.input, &self.path)?;
            let (result, read, written) = self.core.read_field(input, &mut self.text[len..]);
            let last = read.checked_sub(1).map(|last| input[last]);
            self.input.consume(read);
            len += written;
            match result {
                ReadFieldResult::InputEmpty => {}
                ReadFieldResult::OutputFull if len >= CELL_LIMIT => {
                    return Err(Error::TooLong {
                        path: self.path.clone(),
                        line,
                        column: self.column,
                        limit: CELL_LIMIT,
                    });
                }
                ReadFieldResult::OutputFull => self.text.resize(self.text.len() * 2, 0),
                ReadFieldResult::Field { record_end } => {
                    self.line = self.core.line();
                    self.at_record_start = record_end;
                    self.after_carriage_return = record_end && last == Some(b'\r');
                    self.line += u64::from(self.after_carriage_return);
                    return Ok(Some(Cell {
                        len,
                        line,
                        ends_record: record_end,
                    }));
                }
                ReadFieldResult::End => return Ok(None),
            }
        }
    }

    /// Passes over line ends before a row, counting lines; the tokeniser would pass over them too,
    /// but only once the row's first cell is read, so that its line would be unknown.
    fn skip_line_ends(&mut self) -> Result<()> {
        loop {
            let byte = match files::fill(&mut self.input, &self.path)? {
                [byte @ (b'\r' | b'\n'), ..] => *byte,
                _ => return Ok(()),
            };
            self.input.consume(1);
            let ends_pair = byte == b'\n' && self.after_carriage_return;
            self.line += u64::from(!ends_pair);
            self.after_carriage_return = byte == b'\r';
        }
    }

    /// The next row as text, or `None` at the end of the file.
    pub(super) fn record(&mut self) -> Result<Option<Record>> {
        let mut record = Record {
            text: Vec::new(),
            cells: Vec::new(),
        };
        while let Some(cell) = self.next()? {
            record.text.extend_from_slice(&self.text[..cell.len]);
            record.cells.push((cell.line, record.text.len()));
            if cell.ends_record {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }
}

impl<R> Cells<R> {
    pub(super) fn not_utf8(&self, line: u64, column: usize) -> Error {
        Error::NotUtf8 {
            path: self.path.clone(),
            line,
            column: column + 1,
        }
    }

    pub(super) fn ragged(&self, line: u64, expected: usize, got: usize) -> Error {
        Error::Ragged {
            path: self.path.clone(),
            line,
            expected,
            got,
        }
    }

    pub(super) fn bad_cell(&self, line: u64, column: usize, name: &str, cell: &[u8]) -> Error {
        let Ok(text) = std::str::from_utf8(cell) else {
            return self.not_utf8(line, column);
        };
        Error::Parse {
            path: self.path.clone(),
            line,
            column: column + 1,
            column_name: name.to_owned(),
            cell: error::shown(text),
        }
    }
}
