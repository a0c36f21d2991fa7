//! Canonical JSON, and a record's digest.
//!
//! The canonical form has no whitespace, keys sorted by code point, minimal string escapes,
//! integers as digits, and other numbers with the fewest digits that round-trip. It equals Python's
//! `json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)`, so that a digest
//! can be checked without this program; a test does.

use super::{Record, RecordError, SampleRecord};
use apis::store::hex;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Sample fields that differ between identical runs: timings, and the last bits of cosines.
const OUTSIDE_SAMPLE: [&str; 2] = ["times", "cosines"];
/// Record fields that differ between identical runs, and those derived from the digest.
const OUTSIDE_RECORD: [&str; 3] = ["times", "digest", "signatures"];

/// Serializes a value in canonical form.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                comma(index, out);
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (index, (key, item)) in fields.into_iter().enumerate() {
                comma(index, out);
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write(item, out);
            }
            out.push('}');
        }
        Value::Number(number) if number.is_f64() => {
            out.push_str(&number.as_f64().map_or_else(String::new, float));
        }
        other => out.push_str(&other.to_string()),
    }
}

fn comma(index: usize, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
}

/// The shortest digits that round-trip, with an exponent outside 0.0001 to 10^16, like Python's `repr`.
fn float(number: f64) -> String {
    let short = format!("{number:e}");
    let Some((mantissa, exponent)) = short.split_once('e') else { return short };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..16).contains(&exponent) {
        let plain = number.to_string();
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// Computes a record's digest from its samples in the record's order: SHA-256 of the canonical
/// record without `times`, `digest` and `signatures`, in which `samples` is the SHA-256 of the
/// canonical samples, each followed by a line feed. Samples and episode steps are hashed without
/// `times` and `cosines`.
#[derive(Debug, Clone, Default)]
pub struct Digester {
    samples: Sha256,
}

impl Digester {
    /// Adds the next sample.
    ///
    /// # Errors
    /// When one of the sample's numbers is not finite.
    pub fn add(&mut self, sample: &SampleRecord) -> Result<(), RecordError> {
        let mut value = without(sample, &OUTSIDE_SAMPLE)?;
        let steps = value.pointer_mut("/episode/steps").and_then(Value::as_array_mut);
        for step in steps.into_iter().flatten() {
            remove(step, &OUTSIDE_SAMPLE);
        }
        self.samples.update(canonical(&value));
        self.samples.update("\n");
        Ok(())
    }

    /// The digest of `record` with the samples added so far; its own samples are ignored.
    ///
    /// # Errors
    /// When one of the record's numbers is not finite.
    pub fn finish(self, record: &Record) -> Result<String, RecordError> {
        let mut frame = without(record, &OUTSIDE_RECORD)?;
        frame["samples"] = Value::from(hex(&self.samples.finalize()));
        Ok(hex(&Sha256::digest(canonical(&frame))))
    }
}

fn without(value: &impl Serialize, fields: &[&str]) -> Result<Value, RecordError> {
    let mut value =
        serde_json::to_value(value).map_err(|error| RecordError::Shape(error.to_string()))?;
    remove(&mut value, fields);
    Ok(value)
}

fn remove(value: &mut Value, fields: &[&str]) {
    if let Some(object) = value.as_object_mut() {
        object.retain(|key, _| !fields.contains(&key.as_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_and_numbers_fixed() {
        let value =
            json!({"b": [1, 1.0, -0.0, 0.1], "a": {"é": "\u{1}\n\"/", "Z": null}, "": true});
        assert_eq!(
            canonical(&value),
            "{\"\":true,\"a\":{\"Z\":null,\"é\":\"\\u0001\\n\\\"/\"},\"b\":[1,1.0,-0.0,0.1]}"
        );
    }

    #[test]
    fn numbers_are_written_as_python_writes_them() {
        for (number, text) in [
            (0.0001, "0.0001"),
            (0.000_012_5, "1.25e-05"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (-1.5e300, "-1.5e+300"),
            (2.0 / 3.0, "0.6666666666666666"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(canonical(&json!(number)), text);
        }
    }
}
