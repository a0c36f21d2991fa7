//! The primitives of the format, bounded.

use crate::error::HeaderError;

/// The longest key, as the specification says.
const LONGEST_KEY: u64 = 65_535;
/// The longest string value. Chat templates have up to 100 kB.
const LONGEST_STRING: u64 = 16 << 20;
/// The most elements of an array. The largest vocabularies have 260,000.
const MOST_ELEMENTS: u64 = 16 << 20;

/// The value types of metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    String,
    Array,
    U64,
    I64,
    F64,
}

const KINDS: [Kind; 13] = [
    Kind::U8,
    Kind::I8,
    Kind::U16,
    Kind::I16,
    Kind::U32,
    Kind::I32,
    Kind::F32,
    Kind::Bool,
    Kind::String,
    Kind::Array,
    Kind::U64,
    Kind::I64,
    Kind::F64,
];

impl Kind {
    /// Bytes of a value; `None` for strings and arrays, whose length varies.
    const fn size(self) -> Option<u64> {
        match self {
            Kind::U8 | Kind::I8 | Kind::Bool => Some(1),
            Kind::U16 | Kind::I16 => Some(2),
            Kind::U32 | Kind::I32 | Kind::F32 => Some(4),
            Kind::U64 | Kind::I64 | Kind::F64 => Some(8),
            Kind::String | Kind::Array => None,
        }
    }
}

/// A metadata value, as far as a header needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// An unsigned number, or a signed one that isn't negative.
    Number(u64),
    /// A text; invalid UTF-8 is replaced.
    Text(String),
    /// The number of elements of an array, and its largest element if they are numbers.
    Array(u64, Option<u64>),
    /// Anything else.
    Other,
}

/// Reads the beginning of a file.
pub(crate) struct Bytes<'a> {
    bytes: &'a [u8],
    at: u64,
    /// The size of the whole file.
    size: u64,
    /// The field that is being read, for messages.
    pub(crate) field: String,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(bytes: &'a [u8], size: u64) -> Self {
        Bytes { bytes, at: 0, size, field: "header".to_owned() }
    }

    /// The position, in bytes from the beginning of the file.
    pub(crate) const fn position(&self) -> u64 {
        self.at
    }

    /// The next `count` bytes.
    fn take(&mut self, count: u64) -> Result<&'a [u8], HeaderError> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.size);
        let end = end.ok_or_else(|| HeaderError::CutOff { field: self.field.clone() })?;
        let range = usize::try_from(self.at).ok().zip(usize::try_from(end).ok());
        let bytes = range.and_then(|(from, to)| self.bytes.get(from..to));
        let bytes = bytes.ok_or(HeaderError::Incomplete { needed: end })?;
        self.at = end;
        Ok(bytes)
    }

    fn number<const N: usize>(&mut self) -> Result<[u8; N], HeaderError> {
        let mut number = [0; N];
        number.copy_from_slice(self.take(N as u64)?);
        Ok(number)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, HeaderError> {
        Ok(u32::from_le_bytes(self.number()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, HeaderError> {
        Ok(u64::from_le_bytes(self.number()?))
    }

    /// A count of at most `most`.
    pub(crate) fn count(&mut self, most: u64) -> Result<u64, HeaderError> {
        let count = self.u64()?;
        if count > most {
            return Err(HeaderError::TooMany { field: self.field.clone(), count, most });
        }
        Ok(count)
    }

    fn text(&mut self, most: u64) -> Result<&'a [u8], HeaderError> {
        let length = self.count(most)?;
        self.take(length)
    }

    /// The name of a metadata field or tensor.
    pub(crate) fn key(&mut self) -> Result<String, HeaderError> {
        Ok(String::from_utf8_lossy(self.text(LONGEST_KEY)?).into_owned())
    }

    fn kind(&mut self) -> Result<Kind, HeaderError> {
        let kind = self.u32()?;
        let known = usize::try_from(kind).ok().and_then(|kind| KINDS.get(kind));
        known.copied().ok_or_else(|| HeaderError::Type { field: self.field.clone(), kind })
    }

    /// A metadata value with its type.
    pub(crate) fn value(&mut self) -> Result<Value, HeaderError> {
        let kind = self.kind()?;
        self.value_of(kind)
    }

    fn value_of(&mut self, kind: Kind) -> Result<Value, HeaderError> {
        Ok(match kind {
            Kind::U8 => Value::Number(u64::from(self.number::<1>()?[0])),
            Kind::U16 => Value::Number(u64::from(u16::from_le_bytes(self.number()?))),
            Kind::U32 => Value::Number(u64::from(self.u32()?)),
            Kind::U64 => Value::Number(self.u64()?),
            Kind::I32 => not_negative(i64::from(i32::from_le_bytes(self.number()?))),
            Kind::I64 => not_negative(i64::from_le_bytes(self.number()?)),
            Kind::String => {
                Value::Text(String::from_utf8_lossy(self.text(LONGEST_STRING)?).into_owned())
            }
            Kind::Array => self.array()?,
            Kind::I8 | Kind::I16 | Kind::F32 | Kind::Bool | Kind::F64 => {
                self.take(kind.size().unwrap_or_default())?;
                Value::Other
            }
        })
    }

    fn array(&mut self) -> Result<Value, HeaderError> {
        let kind = self.kind()?;
        let count = self.count(MOST_ELEMENTS)?;
        let mut largest = None;
        match (kind, kind.size()) {
            // No architecture has arrays of arrays.
            (Kind::Array, _) => {
                return Err(HeaderError::Type { field: self.field.clone(), kind: 9 });
            }
            (Kind::U32 | Kind::I32, _) => {
                let numbers = self.take(count.saturating_mul(4))?;
                let (numbers, _) = numbers.as_chunks::<4>();
                largest = numbers.iter().map(|number| u64::from(u32::from_le_bytes(*number))).max();
            }
            (_, Some(size)) => {
                self.take(count.saturating_mul(size))?;
            }
            (_, None) => {
                for _ in 0..count {
                    self.text(LONGEST_STRING)?;
                }
            }
        }
        Ok(Value::Array(count, largest))
    }
}

fn not_negative(number: i64) -> Value {
    u64::try_from(number).map_or(Value::Other, Value::Number)
}
