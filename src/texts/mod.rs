//! Localization. English texts are in the source; `www/texts/<code>.json` maps each to its
//! translation. Untranslated texts stay English; a test checks that catalogues are complete and
//! have no unused entries.
//!
//! Always English: data (dialogues, APIs, prompts, answers), terms of formats (protocol, profile
//! and field names), and what the engine reports about files, because other people read it. The
//! reasons of verdicts are English in records, and translated where the page shows them.

#[cfg(test)]
mod elsewhere;
pub mod reasons;
#[cfg(test)]
mod scan;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use strum::{EnumCount, VariantArray};

/// A language of the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[derive(EnumCount, VariantArray)]
pub enum Language {
    /// The language of the source.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// All languages.
    pub const ALL: [Language; Language::COUNT] = *Language::VARIANTS.first_chunk().unwrap();

    /// The language tag, for `lang` and for storing the choice.
    pub const fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh-Hans",
        }
    }

    /// Its name in the language itself.
    pub const fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Chinese => "中文",
        }
    }

    /// The language for a tag such as `zh-CN`; `None` for others.
    pub fn of(tag: &str) -> Option<Language> {
        match tag.split('-').next()? {
            "en" => Some(Language::English),
            "zh" => Some(Language::Chinese),
            _ => None,
        }
    }
}

/// Translations by their English text.
pub type Catalogue = BTreeMap<String, String>;

/// The texts of one language.
#[derive(Debug, Clone, Copy, Default)]
pub struct Texts(Option<&'static Catalogue>);

impl Texts {
    /// English.
    pub const ENGLISH: Texts = Texts(None);

    /// Texts from a catalogue.
    pub const fn of(catalogue: &'static Catalogue) -> Self {
        Texts(Some(catalogue))
    }

    /// Translates a text; unchanged if the catalogue lacks it.
    pub fn get(self, english: &'static str) -> &'static str {
        self.of_data(english)
    }

    /// As [`Texts::get`], for a text out of a record.
    fn of_data(self, english: &str) -> &str {
        self.0.and_then(|it| it.get(english)).map_or(english, String::as_str)
    }

    /// Translates a text and replaces each `{name}` by its value.
    pub fn fill(self, english: &'static str, values: &[(&str, &dyn Display)]) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = fill(self.get(english), values, &mut out);
        out
    }
}

thread_local! {
    static CURRENT: Cell<Texts> = const { Cell::new(Texts::ENGLISH) };
}

/// Sets the language of the page. Texts that are already rendered don't change.
pub fn speak(texts: Texts) {
    CURRENT.set(texts);
}

/// The language of the page. Only views read it; plain state takes [`Texts`] as an argument.
pub fn current() -> Texts {
    CURRENT.get()
}

/// Translates a text from a table (`english!`) or from another crate (`elsewhere.rs`). Literals are
/// translated where they are shown, with `t!("…")`.
pub fn translated(english: &'static str) -> &'static str {
    current().get(english)
}

fn fill(text: &str, values: &[(&str, &dyn Display)], out: &mut impl fmt::Write) -> fmt::Result {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.write_str(before)?;
        let named = after.split_once('}').and_then(|(name, behind)| {
            let (_, value) = values.iter().find(|(it, _)| *it == name)?;
            Some((value, behind))
        });
        rest = match named {
            Some((value, behind)) => {
                write!(out, "{value}")?;
                behind
            }
            None => {
                out.write_char('{')?;
                after
            }
        };
    }
    out.write_str(rest)
}

/// Translates a literal: `t!("Records")` is a `&'static str`,
/// `t!("{n} not scored", n = format::count(3))` a `String`. Views use the language of the page; plain
/// state names the language first: `t!(texts, "Records")`.
#[macro_export]
macro_rules! t {
    ($english:literal) => {
        $crate::texts::current().get($english)
    };
    ($english:literal, $($name:ident = $value:expr),+ $(,)?) => {
        $crate::t!(@fill $crate::texts::current(), $english, $($name = $value),+)
    };
    ($texts:ident, $english:literal $(,)?) => {
        $texts.get($english)
    };
    ($texts:ident, $english:literal, $($name:ident = $value:expr),+ $(,)?) => {
        $crate::t!(@fill $texts, $english, $($name = $value),+)
    };
    (@fill $texts:expr, $english:literal, $($name:ident = $value:expr),+) => {
        $texts.fill(
            $english,
            &[$((stringify!($name), &$value as &dyn ::std::fmt::Display)),+],
        )
    };
}

/// Marks an English literal that the view translates with [`translated`].
#[macro_export]
macro_rules! english {
    ($english:literal) => {
        $english
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_a_translation_stays_english() {
        let mut catalogue = Catalogue::new();
        catalogue.insert("{n} of {all} calls".to_owned(), "{all} 次调用中的 {n} 次".to_owned());
        let chinese = Texts::of(Box::leak(Box::new(catalogue)));
        assert_eq!(t!(chinese, "{n} of {all} calls", n = 3, all = "five"), "five 次调用中的 3 次");
        assert_eq!(t!(chinese, "Not in the catalogue"), "Not in the catalogue");
        assert_eq!(t!("{n} of {all} calls", n = 3, all = "five"), "3 of five calls");
        speak(chinese);
        assert_eq!(t!("{n} of {all} calls", n = 3, all = "five"), "five 次调用中的 3 次");
        speak(Texts::ENGLISH);
        assert_eq!(translated("{n} of {all} calls"), "{n} of {all} calls");
    }

    #[test]
    fn values_may_contain_braces_and_other_braces_stay() {
        assert_eq!(t!("{a}, {b}, {c} and {", a = "{b}", b = 2), "{b}, 2, {c} and {");
    }

    #[test]
    fn tags_match_a_language_in_any_region() {
        for (tag, language) in [
            ("en-GB", Some(Language::English)),
            ("zh-CN", Some(Language::Chinese)),
            ("zh", Some(Language::Chinese)),
            ("de", None),
            ("", None),
        ] {
            assert_eq!(Language::of(tag), language, "{tag}");
        }
        for language in Language::ALL {
            assert_eq!(Language::of(language.code()), Some(language));
        }
    }
}
