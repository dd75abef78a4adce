use super::{Element, Layout};
use crate::{Error, Result, files};
use std::io::Read;
use std::path::Path;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Longest header read. NumPy itself stops at 10 000 characters unless told to trust the file.
const HEADER_LIMIT: usize = 1 << 16;
/// NumPy pads so that the numbers begin on this boundary.
const ALIGN: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) layout: Layout,
    pub(super) shape: Vec<usize>,
}

/// A "this is not what it should be" with the remedy in the words.
pub(super) fn format_error(path: &Path, problem: impl Into<String>) -> Error {
    Error::Format {
        path: path.to_owned(),
        format: "NPY",
        problem: problem.into(),
    }
}

impl Header {
    pub(super) fn read(reader: &mut impl Read, path: &Path) -> Result<Self> {
        let mut start = [0; 8];
        fill(reader, &mut start, path)?;
        if start[..6] != *MAGIC {
            return Err(format_error(
                path,
                "it does not begin as one; write it with numpy.save",
            ));
        }
        let length = match start[6] {
            1 => {
                let mut length = [0; 2];
                fill(reader, &mut length, path)?;
                usize::from(u16::from_le_bytes(length))
            }
            2 | 3 => {
                let mut length = [0; 4];
                fill(reader, &mut length, path)?;
                u32::from_le_bytes(length) as usize
            }
            version => {
                let problem = format!("version {version} is unknown; versions 1 to 3 are read");
                return Err(format_error(path, problem));
            }
        };
        if length > HEADER_LIMIT {
            let problem = format!("a header of {length} bytes; at most {HEADER_LIMIT} are read");
            return Err(format_error(path, problem));
        }
        let mut text = vec![0; length];
        fill(reader, &mut text, path)?;
        let header = (std::str::from_utf8(&text).ok())
            .ok_or_else(|| "its header is not text".to_owned())
            .and_then(parse);
        header.map_err(|problem| format_error(path, problem))
    }

    /// Numbers in the array, with their bytes known to fit the address space.
    pub(super) fn count(&self, path: &Path) -> Result<usize> {
        let count = (self.shape.iter()).try_fold(1_usize, |all, axis| all.checked_mul(*axis));
        let is_addressable = |count: &usize| *count <= isize::MAX as usize / 8;
        count.filter(is_addressable).ok_or_else(|| {
            let problem = format!("shape {:?} is larger than memory can be", self.shape);
            format_error(path, problem)
        })
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let order = match (self.layout.element.size(), self.layout.big_endian) {
            (1, _) => '|',
            (_, true) => '>',
            (_, false) => '<',
        };
        let code = self.layout.element.code();
        let fortran = if self.layout.fortran_order {
            "True"
        } else {
            "False"
        };
        let mut shape = String::new();
        for axis in &self.shape {
            shape += &format!("{axis}, ");
        }
        // A tuple of one keeps its comma; longer ones are written without the last.
        let shape = match self.shape.len() {
            1 => shape.trim_end(),
            _ => shape.trim_end_matches(", "),
        };
        let mut text = format!(
            "{{'descr': '{order}{code}', 'fortran_order': {fortran}, 'shape': ({shape}), }}"
        );
        let is_short = text.len() + ALIGN <= usize::from(u16::MAX);
        let before = MAGIC.len() + if is_short { 4 } else { 6 };
        let padded = (before + text.len() + 1).next_multiple_of(ALIGN);
        text.extend(std::iter::repeat_n(' ', padded - before - text.len() - 1));
        text.push('\n');
        let mut bytes = MAGIC.to_vec();
        match u16::try_from(text.len()) {
            Ok(length) if is_short => {
                bytes.extend_from_slice(&[1, 0]);
                bytes.extend_from_slice(&length.to_le_bytes());
            }
            _ => {
                let length = u32::try_from(text.len()).map_err(|_| Error::BadShape {
                    shape: self.shape.clone(),
                    problem: "has too many axes for a NPY header",
                })?;
                bytes.extend_from_slice(&[2, 0]);
                bytes.extend_from_slice(&length.to_le_bytes());
            }
        }
        bytes.extend_from_slice(text.as_bytes());
        Ok(bytes)
    }
}

fn fill(reader: &mut impl Read, bytes: &mut [u8], path: &Path) -> Result<()> {
    reader
        .read_exact(bytes)
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                format_error(path, "it ends within its header; copy it again")
            }
            _ => files::io(path, "read", error),
        })
}

/// Parses the dictionary of three keys that a header is. Errors are the problem in words.
fn parse(text: &str) -> std::result::Result<Header, String> {
    let mut rest = Scanner(text);
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    rest.expect("{")?;
    while !rest.take("}") {
        let key = rest.quoted()?;
        rest.expect(":")?;
        match key {
            "descr" => descr = Some(rest.quoted()?),
            "fortran_order" if rest.take("True") => fortran_order = Some(true),
            "fortran_order" if rest.take("False") => fortran_order = Some(false),
            "shape" => shape = Some(rest.tuple()?),
            _ => return Err(format!("its header has an unexpected {key:?}")),
        }
        if !rest.take(",") {
            rest.expect("}")?;
            break;
        }
    }
    let missing = |key| move || format!("its header lacks {key:?}");
    let descr = descr.ok_or_else(missing("descr"))?;
    // One byte has no order ("|"); "=" would be the writer's own and is not meant for files.
    let (big_endian, code) = match descr.split_at_checked(1) {
        Some(("<", code)) => (false, code),
        Some((">", code)) => (true, code),
        Some(("|", code)) if code.ends_with('1') => (false, code),
        _ => (false, ""),
    };
    let element = Element::from_code(code).ok_or_else(|| {
        format!(
            "elements of type {descr:?} are not read; convert to f4, f8, i1-i8, u1-u8 or bool \
             with astype"
        )
    })?;
    Ok(Header {
        layout: Layout {
            element,
            big_endian,
            fortran_order: fortran_order.ok_or_else(missing("fortran_order"))?,
        },
        shape: shape.ok_or_else(missing("shape"))?,
    })
}

struct Scanner<'a>(&'a str);

impl<'a> Scanner<'a> {
    fn take(&mut self, token: &str) -> bool {
        self.0 = self.0.trim_ascii_start();
        match self.0.strip_prefix(token) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> std::result::Result<(), String> {
        match self.take(token) {
            true => Ok(()),
            false => Err(format!("its header lacks a {token:?}")),
        }
    }

    fn quoted(&mut self) -> std::result::Result<&'a str, String> {
        for quote in ['\'', '"'] {
            if self.take(quote.encode_utf8(&mut [0; 4]))
                && let Some((text, rest)) = self.0.split_once(quote)
            {
                self.0 = rest;
                return Ok(text);
            }
        }
        Err("its header has no string where one is due; structured arrays are not read".to_owned())
    }

    fn tuple(&mut self) -> std::result::Result<Vec<usize>, String> {
        let mut axes = Vec::new();
        self.expect("(")?;
        while !self.take(")") {
            self.0 = self.0.trim_ascii_start();
            let digits = self.0.len()
                - self
                    .0
                    .trim_start_matches(|c: char| c.is_ascii_digit())
                    .len();
            let (number, rest) = self.0.split_at(digits);
            self.0 = rest;
            let axis = number.parse();
            axes.push(axis.map_err(|_| format!("its shape has {number:?} for an axis"))?);
            // Files written by Python 2 mark long integers.
            self.take("L");
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(axes)
    }
}
