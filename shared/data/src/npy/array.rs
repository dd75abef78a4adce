use super::header::{Header, format_error};
use super::{Element, Layout};
use crate::{Error, Result, files};
use faer::{Mat, MatRef};
use std::io::{Read, Write};
use std::path::Path;

/// Bytes read or written at a time; a multiple of every element's size.
const CHUNK: usize = 1 << 16;

/// Numbers in any number of dimensions, last index fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    shape: Vec<usize>,
    values: Vec<f64>,
}

impl Array {
    /// `values` with the last index fastest; as many as the axes multiply to.
    ///
    /// # Errors
    /// [`Error::BadShape`] when their number disagrees with the shape.
    pub fn new(shape: Vec<usize>, values: Vec<f64>) -> Result<Self> {
        let count = (shape.iter()).try_fold(1_usize, |all, axis| all.checked_mul(*axis));
        if count != Some(values.len()) {
            return Err(Error::BadShape {
                shape,
                problem: "does not multiply to the number of values given",
            });
        }
        Ok(Self { shape, values })
    }

    /// One dimension.
    pub fn from_vec(values: Vec<f64>) -> Self {
        Self {
            shape: vec![values.len()],
            values,
        }
    }

    /// Two dimensions, rows x columns.
    pub fn from_mat(matrix: MatRef<'_, f64>) -> Self {
        let rows = matrix.row_iter();
        Self {
            shape: vec![matrix.nrows(), matrix.ncols()],
            values: rows.flat_map(|row| row.iter().copied()).collect(),
        }
    }

    /// Length of each axis.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The numbers, last index fastest.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The numbers, last index fastest.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// As a matrix; one dimension is a single column.
    ///
    /// # Errors
    /// [`Error::BadShape`] for other than one or two dimensions, and when there are no numbers.
    pub fn to_mat(&self) -> Result<Mat<f64>> {
        let (rows, columns) = rows_and_columns(&self.shape)?;
        let values = &self.values;
        Ok(Mat::from_fn(rows, columns, |i, j| values[i * columns + j]))
    }
}

/// Sizes of a matrix; one dimension is a single column.
pub(super) fn rows_and_columns(shape: &[usize]) -> Result<(usize, usize)> {
    let problem = match *shape {
        [] => "is a single number; expected one or two axes",
        // Nothing to compute with, and an empty axis may stand beside one of any length.
        [0] | [0, _] | [_, 0] => "holds no numbers; expected at least one row and column",
        [rows] => return Ok((rows, 1)),
        [rows, columns] => return Ok((rows, columns)),
        _ => "has more than two axes; reshape it to rows x columns",
    };
    Err(Error::BadShape {
        shape: shape.to_vec(),
        problem,
    })
}

/// Reads `count` numbers, with room made only as bytes arrive. `before` numbers came earlier.
pub(super) fn read_numbers(
    reader: &mut impl Read,
    layout: Layout,
    before: usize,
    count: usize,
    values: &mut Vec<f64>,
    path: &Path,
) -> Result<()> {
    let size = layout.element.size();
    let mut bytes = vec![0; CHUNK.min(count.saturating_mul(size))];
    let mut done = 0;
    while done < count {
        let here = (count - done).min(CHUNK / size);
        let bytes = &mut bytes[..here * size];
        reader
            .read_exact(bytes)
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::UnexpectedEof => {
                    format_error(path, "it ends before its last number; copy it again")
                }
                _ => files::io(path, "read", error),
            })?;
        let decoded = layout.element.decode(bytes, layout.big_endian, values);
        decoded.map_err(|(position, number)| {
            let (element, position) = (layout.element.code(), before + done + position);
            let problem = match layout.element {
                Element::Bool => format!("number {position} is {number}, which is no bool"),
                _ => format!(
                    "number {position}, the {element} {number}, has no exact f64; convert with \
                     astype('f8') if rounding is meant"
                ),
            };
            format_error(path, problem)
        })?;
        done += here;
    }
    Ok(())
}

pub(super) fn read_values(mut reader: impl Read, header: Header, path: &Path) -> Result<Array> {
    let count = header.count(path)?;
    let mut values = Vec::new();
    read_numbers(&mut reader, header.layout, 0, count, &mut values, path)?;
    if header.layout.fortran_order {
        let file = values;
        values = fortran_offsets(&header.shape).map(|at| file[at]).collect();
    }
    Ok(Array {
        shape: header.shape,
        values,
    })
}

pub(super) fn write_values(
    mut writer: impl Write,
    array: &Array,
    layout: Layout,
    path: &Path,
) -> Result<()> {
    let mut bytes = Vec::with_capacity(CHUNK);
    let mut put = |value: f64| {
        if !layout.element.encode(value, layout.big_endian, &mut bytes) {
            return Err(Error::Unrepresentable {
                value,
                element: layout.element.code(),
            });
        }
        if bytes.len() >= CHUNK {
            (writer.write_all(&bytes)).map_err(|error| files::io(path, "write", error))?;
            bytes.clear();
        }
        Ok(())
    };
    if layout.fortran_order {
        // Writing in Fortran order is walking the reversed shape in C order, and the offsets of
        // that walk are the Fortran offsets of the reversed shape.
        let reversed: Vec<usize> = array.shape.iter().rev().copied().collect();
        fortran_offsets(&reversed).try_for_each(|at| put(array.values[at]))?;
    } else {
        array.values.iter().try_for_each(|value| put(*value))?;
    }
    (writer.write_all(&bytes)).map_err(|error| files::io(path, "write", error))
}

/// Walks an array with the last index fastest and gives each element's offset where the first
/// index is fastest.
fn fortran_offsets(shape: &[usize]) -> impl Iterator<Item = usize> {
    let count: usize = shape.iter().product();
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for axis in shape {
        strides.push(stride);
        stride *= axis;
    }
    let mut index = vec![0; shape.len()];
    let mut offset = 0;
    (0..count).map(move |_| {
        let here = offset;
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            offset += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            offset -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
        here
    })
}
