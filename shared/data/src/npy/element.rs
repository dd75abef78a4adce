/// Kind of number in an array file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Element {
    /// 0 or 1 in a byte.
    Bool,
    /// Signed, 1 byte.
    I8,
    /// Signed, 2 bytes.
    I16,
    /// Signed, 4 bytes.
    I32,
    /// Signed, 8 bytes.
    I64,
    /// Unsigned, 1 byte.
    U8,
    /// Unsigned, 2 bytes.
    U16,
    /// Unsigned, 4 bytes.
    U32,
    /// Unsigned, 8 bytes.
    U64,
    /// IEEE single.
    F32,
    /// IEEE double.
    #[default]
    F64,
}

const CODES: [(&str, Element); 11] = [
    ("b1", Element::Bool),
    ("i1", Element::I8),
    ("i2", Element::I16),
    ("i4", Element::I32),
    ("i8", Element::I64),
    ("u1", Element::U8),
    ("u2", Element::U16),
    ("u4", Element::U32),
    ("u8", Element::U64),
    ("f4", Element::F32),
    ("f8", Element::F64),
];

impl Element {
    /// NumPy's code without the byte order: `f8`, `i4`, `b1`, ...
    pub fn code(self) -> &'static str {
        (CODES.iter())
            .find_map(|(code, element)| (*element == self).then_some(*code))
            .unwrap_or("f8")
    }

    pub(super) fn from_code(code: &str) -> Option<Self> {
        (CODES.iter()).find_map(|(known, element)| (*known == code).then_some(*element))
    }

    /// Bytes of one number.
    pub fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Appends the numbers in `bytes` (a multiple of the size). An error is the position of one
    /// that `f64` cannot hold, and its text.
    pub(super) fn decode(
        self,
        bytes: &[u8],
        big_endian: bool,
        values: &mut Vec<f64>,
    ) -> Result<(), (usize, String)> {
        macro_rules! numbers {
            ($number:ty, $exact:expr) => {{
                let (words, _) = bytes.as_chunks::<{ size_of::<$number>() }>();
                for (position, word) in words.iter().enumerate() {
                    let number = match big_endian {
                        true => <$number>::from_be_bytes(*word),
                        false => <$number>::from_le_bytes(*word),
                    };
                    match $exact(number) {
                        Some(value) => values.push(value),
                        None => return Err((position, number.to_string())),
                    }
                }
            }};
        }
        match self {
            Self::Bool => numbers!(u8, |b| (b < 2).then_some(f64::from(b))),
            Self::I8 => numbers!(i8, |i| Some(f64::from(i))),
            Self::I16 => numbers!(i16, |i| Some(f64::from(i))),
            Self::I32 => numbers!(i32, |i| Some(f64::from(i))),
            Self::I64 => numbers!(i64, |i: i64| exact(i128::from(i))),
            Self::U8 => numbers!(u8, |u| Some(f64::from(u))),
            Self::U16 => numbers!(u16, |u| Some(f64::from(u))),
            Self::U32 => numbers!(u32, |u| Some(f64::from(u))),
            Self::U64 => numbers!(u64, |u: u64| exact(i128::from(u))),
            Self::F32 => numbers!(f32, |f| Some(f64::from(f))),
            Self::F64 => numbers!(f64, Some),
        }
        Ok(())
    }

    /// Appends the bytes of a number; false when the element cannot hold it.
    pub(super) fn encode(self, value: f64, big_endian: bool, bytes: &mut Vec<u8>) -> bool {
        macro_rules! number {
            ($number:ty, $fits:expr) => {{
                let number = value as $number;
                if !$fits(number) {
                    return false;
                }
                match big_endian {
                    true => bytes.extend_from_slice(&number.to_be_bytes()),
                    false => bytes.extend_from_slice(&number.to_le_bytes()),
                }
            }};
        }
        let whole = |number: i128| exact(number) == Some(value);
        match self {
            Self::Bool => number!(u8, |b| b < 2 && whole(i128::from(b))),
            Self::I8 => number!(i8, |i| whole(i128::from(i))),
            Self::I16 => number!(i16, |i| whole(i128::from(i))),
            Self::I32 => number!(i32, |i| whole(i128::from(i))),
            Self::I64 => number!(i64, |i| whole(i128::from(i))),
            Self::U8 => number!(u8, |u| whole(i128::from(u))),
            Self::U16 => number!(u16, |u| whole(i128::from(u))),
            Self::U32 => number!(u32, |u| whole(i128::from(u))),
            Self::U64 => number!(u64, |u| whole(i128::from(u))),
            Self::F32 => number!(f32, |f: f32| f.is_finite() || !value.is_finite()),
            Self::F64 => number!(f64, |_| true),
        }
        true
    }
}

/// An integer as `f64` when nothing is lost.
fn exact(integer: i128) -> Option<f64> {
    let value = integer as f64;
    (value as i128 == integer).then_some(value)
}
