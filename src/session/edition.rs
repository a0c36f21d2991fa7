//! The form's choice of data: the pack, a variant, or a translation.

use crate::t;
use crate::texts::Texts;
use dataset::Language;
use serde::{Deserialize, Serialize};

/// Which data of the built-in pack a run is on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditionChoice {
    /// The pack itself.
    #[default]
    Original,
    /// A variant, by the form's seed.
    Variant,
    /// A translation.
    Language(Language),
}

impl EditionChoice {
    /// All, in the order of the form.
    pub const ALL: [EditionChoice; 7] = [
        EditionChoice::Original,
        EditionChoice::Variant,
        EditionChoice::Language(Language::Chinese),
        EditionChoice::Language(Language::Spanish),
        EditionChoice::Language(Language::German),
        EditionChoice::Language(Language::Arabic),
        EditionChoice::Language(Language::Hindi),
    ];

    /// The identifier in the page and in links.
    pub fn as_str(self) -> &'static str {
        match self {
            EditionChoice::Original => "original",
            EditionChoice::Variant => "variant",
            EditionChoice::Language(language) => language.as_str(),
        }
    }

    /// The display name.
    pub fn title(self, texts: Texts) -> &'static str {
        match self {
            EditionChoice::Original => t!(texts, "As published"),
            EditionChoice::Variant => t!(texts, "Variant"),
            EditionChoice::Language(language) => texts.get(language.title()),
        }
    }

    /// Describes it in a sentence.
    pub fn explain(self, texts: Texts) -> &'static str {
        match self {
            EditionChoice::Original => t!(texts, "The data that results are compared on."),
            EditionChoice::Variant => t!(
                texts,
                "The same dialogues with people, passwords, ids, places and dates drawn anew by seed. A model that knows the data by heart does worse here."
            ),
            EditionChoice::Language(_) => t!(
                texts,
                "60 dialogues whose user and assistant speak this language; APIs, values and searches stay English. Compare it with the same model on the original."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_in_the_list_and_its_names_are_distinct() {
        let languages =
            EditionChoice::ALL.iter().filter(|choice| matches!(choice, EditionChoice::Language(_)));
        assert_eq!(languages.count(), Language::ALL.len());
        let names: std::collections::BTreeSet<_> =
            EditionChoice::ALL.iter().map(|choice| choice.as_str()).collect();
        assert_eq!(names.len(), EditionChoice::ALL.len());
    }
}
