//! Texts in the reader's language. English stands in the source, where it is read; the catalogue of
//! another language, `www/texts/<code>.json`, gives each English text its translation. A text
//! without one stays English; a test holds the catalogues complete and free of what is not used.
//!
//! Stays English whatever the language: what is data (dialogues, APIs, prompts, answers), the words
//! of formats (protocol, profile and field names), and what the engine writes into a record or
//! says of a file, since that goes to other readers.

#[cfg(test)]
mod elsewhere;
#[cfg(test)]
mod scan;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// A language of the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Language {
    /// The language of the source.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 2] = [Language::English, Language::Chinese];

    /// The tag for `lang`: also how the choice is stored.
    pub const fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh-Hans",
        }
    }

    /// What its readers call it.
    pub const fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Chinese => "中文",
        }
    }

    /// The language that a tag like `zh-CN` asks for, if it is one of these.
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

thread_local! {
    static CATALOGUE: Cell<Option<&'static Catalogue>> = const { Cell::new(None) };
}

/// Uses a catalogue from here on, or English. Texts that are on the page stay as they are.
pub fn speak(catalogue: Option<&'static Catalogue>) {
    CATALOGUE.set(catalogue);
}

/// A text in the language in use. For texts that stand elsewhere: in a table (`later!`), or in
/// another crate, as the titles of the engine's enumerations do (`elsewhere.rs`). One that stands
/// where it is shown is written `t!("…")`.
pub fn translated(english: &'static str) -> &'static str {
    CATALOGUE.get().and_then(|it| it.get(english)).map_or(english, String::as_str)
}

/// A text in the language in use, with `{name}` replaced by the value of that name.
pub fn filled(english: &'static str, values: &[(&str, &dyn Display)]) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = fill(translated(english), values, &mut out);
    out
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

/// A text in the reader's language: `t!("Records")` is a `&'static str`,
/// `t!("{n} not scored", n = format::count(3))` a `String`.
#[macro_export]
macro_rules! t {
    ($english:literal) => {
        $crate::texts::translated($english)
    };
    ($english:literal, $($name:ident = $value:expr),+ $(,)?) => {
        $crate::texts::filled(
            $english,
            &[$((stringify!($name), &$value as &dyn ::std::fmt::Display)),+],
        )
    };
}

/// A text of a table, in English: translated where it is shown, by [`translated`].
#[macro_export]
macro_rules! later {
    ($english:literal) => {
        $english
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_translated_or_stays() {
        let mut catalogue = Catalogue::new();
        catalogue.insert("{n} of {all} calls".to_owned(), "{all} 次调用中的 {n} 次".to_owned());
        speak(Some(Box::leak(Box::new(catalogue))));
        assert_eq!(t!("{n} of {all} calls", n = 3, all = "five"), "five 次调用中的 3 次");
        assert_eq!(t!("Not in the catalogue"), "Not in the catalogue");
        speak(None);
        assert_eq!(t!("{n} of {all} calls", n = 3, all = "five"), "3 of five calls");
    }

    #[test]
    fn values_are_not_filled_again_and_other_braces_stay() {
        assert_eq!(t!("{a}, {b}, {c} and {", a = "{b}", b = 2), "{b}, 2, {c} and {");
    }

    #[test]
    fn a_tag_asks_for_its_language_whatever_the_region() {
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
