//! Options that take one of several names; clap lists the names in `--help` and in errors.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Parses one of `all` by its name.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(move |&it| name(it))).try_map(move |text| {
        all.iter().copied().find(|&it| name(it) == text).ok_or("not one of the possible values")
    })
}
