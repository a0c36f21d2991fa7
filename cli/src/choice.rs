//! Options that several commands share, and options that take one of several names; clap lists
//! the names in `--help` and in errors.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dataset::{Edition, Language};

/// Which edition of the built-in pack.
#[derive(Debug, Args)]
pub(crate) struct EditionChoice {
    /// A variant of the built-in pack: the same dialogues with people, passwords, ids, places and dates
    /// drawn anew by this seed.
    #[arg(long, value_name = "SEED", conflicts_with_all = ["pack", "language"])]
    variant: Option<u32>,
    /// The language of user and assistant: zh, es, de, ar or hi, for the 60 dialogues of the built-in
    /// pack that are translated. APIs and values stay English.
    #[arg(
        long, value_name = "CODE", value_parser = one_of(&Language::ALL, Language::as_str),
        conflicts_with = "pack"
    )]
    language: Option<Language>,
}

impl EditionChoice {
    /// The chosen edition.
    pub(crate) fn edition(&self) -> Edition {
        match (self.variant, self.language) {
            (Some(seed), _) => Edition::Variant(seed),
            (None, Some(language)) => Edition::Language(language),
            (None, None) => Edition::Original,
        }
    }
}

/// Parses one of `all` by its name.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(move |&it| name(it))).try_map(move |text| {
        all.iter().copied().find(|&it| name(it) == text).ok_or("not one of the possible values")
    })
}
