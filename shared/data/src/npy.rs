//! NumPy's NPY format: arrays of numbers, read whole or row by row, and written.
//!
//! Versions 1 to 3; elements `f4`, `f8`, `i1` to `i8`, `u1` to `u8` and `bool`; either byte order;
//! C and Fortran layout. Memory grows with the bytes that arrive, never with what a header claims.
//!
//! Our own and not a library's because the readers kept today bring `ndarray` or a general parser
//! of Python literals, and none streams rows; the header is one dictionary of three keys.

mod array;
mod element;
mod header;
mod rows;

pub use array::Array;
pub use element::Element;
pub use rows::NpyRows;

use crate::{Result, files};
use header::Header;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// How an array lies in a file. The default is what NumPy writes for floats: `f8`, little-endian,
/// C order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Kind of number.
    pub element: Element,
    /// Most significant byte first.
    pub big_endian: bool,
    /// First index fastest.
    pub fortran_order: bool,
}

/// Reads an array from a file. Bytes after it are left alone, as NumPy leaves them.
///
/// # Errors
/// File errors; [`Error::Format`](crate::Error::Format) for anything that is not a NPY file of
/// numbers, is cut short, or holds an integer that `f64` cannot hold exactly.
pub fn read(path: impl AsRef<Path>) -> Result<Array> {
    let path = path.as_ref();
    read_from(BufReader::new(files::open(path)?), path)
}

/// Reads an array from any source; `label` stands for the path in errors.
///
/// # Errors
/// As [`read`].
pub fn read_from(mut reader: impl Read, label: impl Into<PathBuf>) -> Result<Array> {
    let path = label.into();
    let header = Header::read(&mut reader, &path)?;
    array::read_values(reader, header, &path)
}

/// Writes an array, replacing the file in one step: a reader sees the old one or the new one.
///
/// # Errors
/// File errors; [`Error::Unrepresentable`](crate::Error::Unrepresentable) when a value does not
/// fit the element (floats are rounded to `f4`, integers must be exact).
pub fn write(path: impl AsRef<Path>, array: &Array, layout: Layout) -> Result<()> {
    let path = path.as_ref();
    files::replace(path, |file| write_to(file, path, array, layout))
}

/// Writes an array anywhere; `label` stands for the path in errors.
///
/// # Errors
/// As [`write()`].
pub fn write_to(
    mut writer: impl Write,
    label: impl AsRef<Path>,
    array: &Array,
    layout: Layout,
) -> Result<()> {
    let path = label.as_ref();
    let header = Header {
        layout,
        shape: array.shape().to_vec(),
    };
    (writer.write_all(&header.to_bytes()?)).map_err(|error| files::io(path, "write", error))?;
    array::write_values(writer, array, layout, path)
}
