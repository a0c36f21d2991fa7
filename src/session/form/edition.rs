//! The form's edition of the data.

use super::Form;
use crate::session::edition::EditionChoice;
use crate::session::field::{FieldName, Problem};
use crate::t;
use crate::texts::Texts;
use dataset::Edition;

impl Form {
    /// The chosen data.
    pub(super) fn read_edition(&self, problems: &mut Vec<Problem>, texts: Texts) -> Edition {
        match self.edition {
            EditionChoice::Original => Edition::Original,
            EditionChoice::Language(language) => Edition::Language(language),
            EditionChoice::Variant => match self.variant.trim().parse() {
                Ok(seed) => Edition::Variant(seed),
                Err(_) => {
                    let message = t!(
                        texts,
                        "Variant: expected a whole number from 0 to {most}, got {text}.",
                        most = u32::MAX,
                        text = format!("{:?}", self.variant)
                    );
                    problems.push(Problem { field: FieldName::Variant, message });
                    Edition::Original
                }
            },
        }
    }

    /// Chooses the data of a run.
    pub fn take_edition(&mut self, edition: Edition) {
        self.edition = match edition {
            // The form's size says so.
            Edition::Original | Edition::Horizon(_) => EditionChoice::Original,
            Edition::Language(language) => EditionChoice::Language(language),
            Edition::Variant(seed) => {
                self.variant = seed.to_string();
                EditionChoice::Variant
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dataset::Language;

    #[test]
    fn the_form_reads_and_takes_editions() {
        let mut form = Form::default();
        for edition in [Edition::Variant(7), Edition::Language(Language::Hindi), Edition::Original]
        {
            form.take_edition(edition);
            let settings = form.settings("", Texts::ENGLISH).unwrap();
            assert_eq!(settings.edition, edition);
        }
        form.edition = EditionChoice::Variant;
        form.variant = "seven".to_owned();
        let problems = form.settings("", Texts::ENGLISH).unwrap_err();
        assert_eq!(problems[0].field, FieldName::Variant);
    }
}
