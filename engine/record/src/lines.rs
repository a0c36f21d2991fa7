//! The layout of a record's file: JSON with indented fields and one line per sample. Indented samples
//! would double its size.

use crate::RecordError;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use std::io::{self, Write};

/// Levels of nesting that are indented: the record and its fields. Deeper values stay on one line.
const INDENTED: usize = 2;

/// Writes a record or a part of it.
///
/// # Errors
/// When the output can't be written, or a number is not finite.
pub(crate) fn write(out: impl Write, value: &impl Serialize) -> Result<(), RecordError> {
    let mut writer = Serializer::with_formatter(out, Lines::default());
    value.serialize(&mut writer).map_err(|error| match error.is_io() {
        true => RecordError::Io(error.to_string()),
        false => RecordError::Shape(error.to_string()),
    })
}

#[derive(Default)]
struct Lines {
    depth: usize,
    indented: PrettyFormatter<'static>,
}

/// Forwards each method to the indenting formatter, and below [`INDENTED`] levels to the compact one.
macro_rules! by_depth {
    ($($name:ident($($argument:ident: $kind:ty)?) before $before:expr, after $after:expr;)*) => {
        impl Formatter for Lines {
            $(fn $name<W: ?Sized + Write>(&mut self, out: &mut W $(, $argument: $kind)?) -> io::Result<()> {
                self.depth += $before;
                let written = match self.depth <= INDENTED {
                    true => self.indented.$name(out $(, $argument)?),
                    false => CompactFormatter.$name(out $(, $argument)?),
                };
                self.depth -= $after;
                written
            })*
        }
    };
}

by_depth! {
    begin_array() before 1, after 0;
    begin_array_value(first: bool) before 0, after 0;
    end_array_value() before 0, after 0;
    end_array() before 0, after 1;
    begin_object() before 1, after 0;
    begin_object_key(first: bool) before 0, after 0;
    begin_object_value() before 0, after 0;
    end_object_value() before 0, after 0;
    end_object() before 0, after 1;
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    #[test]
    fn fields_are_indented_and_samples_are_lines() {
        let value: Value =
            json!({"a": {"b": [1, 2], "c": {}}, "none": [], "samples": [{"d": [{"e": 1}, 2]}, {}]});
        let mut out = Vec::new();
        super::write(&mut out, &value).unwrap();
        let expected = "{\n  \"a\": {\n    \"b\": [1,2],\n    \"c\": {}\n  },\n  \"none\": [],\n  \
                        \"samples\": [\n    {\"d\":[{\"e\":1},2]},\n    {}\n  ]\n}";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
