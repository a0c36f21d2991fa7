//! Reads and writes a record's file sample by sample, within limits.
//!
//! A reader holds one sample at a time. Input is untrusted: the number of bytes, the number of
//! samples and the size of each value are limited while reading; the JSON parser limits nesting to
//! 128.

use super::lines;
use super::unique::Unique;
use super::{Record, SCHEMA, SCHEMA_VERSION, SampleRecord, version_1};
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::{self, Read, Write};
use thiserror::Error;

/// Why a record can't be read or written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordError {
    /// Invalid JSON, or not shaped like a record.
    #[error("this is no run record: {0}")]
    Shape(String),
    /// An unknown format or version.
    #[error(
        "expected a record of {SCHEMA} version 1 to {SCHEMA_VERSION}, got {schema} version \
         {version}. A newer version of this program may read it"
    )]
    Version {
        /// The file's format name, shortened.
        schema: String,
        /// The file's version.
        version: String,
    },
    /// The file exceeds a limit.
    #[error("this record is too large: {what} {limit}. Split the run with --shard")]
    TooLarge {
        /// The limited quantity.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The file can't be read or written.
    #[error("{0}")]
    Io(String),
    /// The sample callback failed for this reason.
    #[error("{0}")]
    Stopped(String),
}

/// Limits of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes in the file.
    pub bytes: u64,
    /// Bytes in one sample, and in everything else combined.
    pub value: u64,
    /// Samples.
    pub samples: u64,
}

impl Limits {
    /// For the page, which holds a record in memory: 512 MB, 100,000 samples.
    pub const PAGE: Limits = Limits { bytes: 512 << 20, value: 32 << 20, samples: 100_000 };
    /// For files on disk, read sample by sample: 64 GB, ten million samples.
    pub const DISK: Limits = Limits { bytes: 64 << 30, value: 64 << 20, samples: 10_000_000 };

    /// Checks a file's size before it is read.
    ///
    /// # Errors
    /// When the file is too large.
    pub fn admit(&self, bytes: u64) -> Result<(), RecordError> {
        if bytes > self.bytes {
            return Err(RecordError::TooLarge { what: MOST_BYTES, limit: self.bytes });
        }
        Ok(())
    }
}

impl Record {
    /// Serializes the record to its file format: JSON with a line for each sample and a final newline.
    ///
    /// # Errors
    /// When one of the record's numbers is not finite.
    pub fn to_json(&self) -> Result<String, RecordError> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)?;
        String::from_utf8(bytes).map_err(|error| RecordError::Shape(error.to_string()))
    }

    /// Writes the record's file without copying it in memory.
    ///
    /// # Errors
    /// When the output can't be written, or one of the record's numbers is not finite.
    pub fn write(&self, out: impl Write) -> Result<(), RecordError> {
        let mut out = out;
        lines::write(&mut out, self)?;
        Ok(out.write_all(b"\n").and_then(|()| out.flush())?)
    }

    /// Parses a record from text.
    ///
    /// # Errors
    /// When the text is not a record, or has an unknown version.
    pub fn from_json(text: &str) -> Result<Self, RecordError> {
        Record::read_whole(text.as_bytes(), &Limits::DISK)
    }

    /// Reads a record with all its samples.
    ///
    /// # Errors
    /// When the input is not a record, has an unknown version, is too large, or can't be read.
    pub fn read_whole(input: impl Read, limits: &Limits) -> Result<Self, RecordError> {
        let mut samples = Vec::new();
        let mut record = Record::read(input, limits, |sample| {
            samples.push(sample);
            Ok(())
        })?;
        record.samples = samples;
        Ok(record)
    }

    /// Reads a record and passes each sample to `take` as it is parsed; the record is returned
    /// without samples. Unbuffered input is slow.
    ///
    /// # Errors
    /// When the input is not a record, has an unknown version, is too large, or can't be read, and
    /// any error of `take`.
    pub fn read(
        input: impl Read,
        limits: &Limits,
        take: impl FnMut(SampleRecord) -> Result<(), RecordError>,
    ) -> Result<Self, RecordError> {
        let meter = Meter { limits: *limits, value: Cell::new(0), over: Cell::new(None) };
        let stopped = RefCell::new(None);
        let input = Metered { input, meter: &meter, bytes: 0 };
        let mut json = serde_json::Deserializer::from_reader(input);
        let seed = File { meter: &meter, stopped: &stopped, take };
        let read = seed.deserialize(&mut json).and_then(|fields| json.end().map(|()| fields));
        let shape = |error: String| RecordError::Shape(error);
        match (stopped.into_inner(), meter.over.take(), read) {
            (Some(error), ..) | (None, Some(error), _) => Err(error),
            (None, None, Err(error)) if error.is_io() => Err(RecordError::Io(error.to_string())),
            (None, None, Err(error)) => Err(shape(error.to_string())),
            (None, None, Ok(mut fields)) => {
                let version = version(&fields)?;
                if version == 1 {
                    version_1::frame(&mut fields);
                }
                fields.insert("samples".to_owned(), Value::Array(Vec::new()));
                serde_path_to_error::deserialize(Value::Object(fields))
                    .map_err(|error| shape(error.to_string()))
            }
        }
    }
}

/// Writes a record's file sample by sample.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    empty: bool,
}

impl<W: Write> Writer<W> {
    /// Starts the file with everything but the samples.
    ///
    /// # Errors
    /// When the output can't be written, or a number is not finite.
    pub fn new(mut out: W, frame: &Record) -> Result<Self, RecordError> {
        let mut text = Vec::new();
        lines::write(&mut text, frame)?;
        let open = text.strip_suffix(b"[]\n}").ok_or_else(|| {
            RecordError::Shape("expected a record without samples to begin its file".to_owned())
        })?;
        out.write_all(open).and_then(|()| out.write_all(b"["))?;
        Ok(Writer { out, empty: true })
    }

    /// Writes the next sample.
    ///
    /// # Errors
    /// When the output can't be written, or a number is not finite.
    pub fn sample(&mut self, sample: &SampleRecord) -> Result<(), RecordError> {
        let text = serde_json::to_string(sample).map_err(unwritable)?;
        let comma = if self.empty { "" } else { "," };
        self.empty = false;
        Ok(write!(self.out, "{comma}\n    {text}")?)
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// When the output can't be written.
    pub fn finish(mut self) -> Result<W, RecordError> {
        let end = if self.empty { "]\n}\n" } else { "\n  ]\n}\n" };
        self.out.write_all(end.as_bytes()).and_then(|()| self.out.flush())?;
        Ok(self.out)
    }
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        RecordError::Io(error.to_string())
    }
}

fn unwritable(error: serde_json::Error) -> RecordError {
    RecordError::Shape(error.to_string())
}

/// The version of the file being read.
fn version(fields: &Map<String, Value>) -> Result<u64, RecordError> {
    let shown = |name: &str| match fields.get(name) {
        Some(Value::String(text)) => exchange::shorten(text, 40),
        Some(other) => exchange::shorten(&other.to_string(), 40),
        None => format!("no {name}"),
    };
    let known = fields.get("schema").and_then(Value::as_str) == Some(SCHEMA);
    match fields.get("schema_version").and_then(Value::as_u64) {
        Some(version) if known && (1..=u64::from(SCHEMA_VERSION)).contains(&version) => Ok(version),
        _ if !fields.contains_key("schema") && !fields.contains_key("schema_version") => {
            Err(RecordError::Shape("expected the fields schema and schema_version".to_owned()))
        }
        _ => {
            Err(RecordError::Version { schema: shown("schema"), version: shown("schema_version") })
        }
    }
}

/// The quantity named in the error for an oversized file.
const MOST_BYTES: &str = "the most bytes it may have are";

/// Checks the bytes read against the limits.
struct Meter {
    limits: Limits,
    /// Bytes since the last sample ended.
    value: Cell<u64>,
    over: Cell<Option<RecordError>>,
}

impl Meter {
    fn refuse(&self, what: &'static str, limit: u64) -> io::Error {
        self.over.set(Some(RecordError::TooLarge { what, limit }));
        io::Error::other("too large")
    }
}

struct Metered<'a, R> {
    input: R,
    meter: &'a Meter,
    bytes: u64,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let count = read as u64;
        self.bytes += count;
        self.meter.value.set(self.meter.value.get() + count);
        let limits = &self.meter.limits;
        if self.bytes > limits.bytes {
            return Err(self.meter.refuse(MOST_BYTES, limits.bytes));
        }
        if self.meter.value.get() > limits.value {
            return Err(self.meter.refuse("the most bytes one sample may have are", limits.value));
        }
        Ok(read)
    }
}

/// The whole file: parses its fields except for the samples.
struct File<'a, F> {
    meter: &'a Meter,
    stopped: &'a RefCell<Option<RecordError>>,
    take: F,
}

impl<'de, F: FnMut(SampleRecord) -> Result<(), RecordError>> DeserializeSeed<'de> for File<'_, F> {
    type Value = Map<String, Value>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, F: FnMut(SampleRecord) -> Result<(), RecordError>> Visitor<'de> for File<'_, F> {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object with schema, schema_version and samples")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Map::new();
        let mut seen = false;
        while let Some(key) = map.next_key::<String>()? {
            if key != "samples" {
                let Unique(value) = map.next_value()?;
                if fields.insert(key, value).is_some() {
                    return Err(A::Error::custom("a field stands twice in the record"));
                }
                continue;
            }
            if std::mem::replace(&mut seen, true) {
                return Err(A::Error::custom("samples stands twice in the record"));
            }
            // A file with sorted keys has its version after the samples; assume the newest.
            let old = match fields.contains_key("schema_version") {
                true => version(&fields).map_err(|error| self.stop(error))? == 1,
                false => false,
            };
            map.next_value_seed(Samples { file: &mut self, old })?;
        }
        if !seen {
            return Err(A::Error::missing_field("samples"));
        }
        Ok(fields)
    }
}

impl<F> File<'_, F> {
    /// Saves the error, and returns one that stops the JSON parser.
    fn stop<E: serde::de::Error>(&self, error: RecordError) -> E {
        self.stopped.replace(Some(error));
        E::custom("stopped")
    }
}

/// The array of samples.
struct Samples<'a, 'b, F> {
    file: &'a mut File<'b, F>,
    old: bool,
}

impl<'de, F: FnMut(SampleRecord) -> Result<(), RecordError>> DeserializeSeed<'de>
    for Samples<'_, '_, F>
{
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(SampleRecord) -> Result<(), RecordError>> Visitor<'de> for Samples<'_, '_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of samples")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut index = 0_u64;
        loop {
            let meter = self.file.meter;
            meter.value.set(0);
            let Some(sample) = list.next_element_seed(Sample { index, old: self.old })? else {
                return Ok(());
            };
            index += 1;
            if index > meter.limits.samples {
                let what = "the most samples it may have are";
                let error = RecordError::TooLarge { what, limit: meter.limits.samples };
                return Err(self.file.stop(error));
            }
            (self.file.take)(sample).map_err(|error| self.file.stop(error))?;
        }
    }
}

/// One sample.
struct Sample {
    index: u64,
    old: bool,
}

impl<'de> DeserializeSeed<'de> for Sample {
    type Value = SampleRecord;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<SampleRecord, D::Error> {
        let named = |error: serde_path_to_error::Error<serde_json::Error>| {
            D::Error::custom(format!("samples[{}].{error}", self.index))
        };
        if self.old {
            let mut value = Value::deserialize(from)?;
            version_1::sample(&mut value);
            return serde_path_to_error::deserialize(value).map_err(named);
        }
        serde_path_to_error::deserialize(from)
            .map_err(|error| D::Error::custom(format!("samples[{}].{error}", self.index)))
    }
}
