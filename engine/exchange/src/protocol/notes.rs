//! What a dialogue adds to the instructions: rules of its operator, and the user's language.

use super::Sample;

/// The instructions with the dialogue's notes behind them.
pub(super) fn with(sample: &Sample<'_>, mut instructions: String) -> String {
    if let Some(rules) = sample.hard().and_then(|hard| hard.rules.as_deref()) {
        instructions += "\n\nRules of this service:\n";
        instructions += rules;
    }
    if let Some(language) = sample.language {
        let language = language.title();
        instructions += &format!(
            "\n\nThe user speaks {language}; answer in {language}. Arguments of calls are in English, \
             keywords of searches too; names and quoted words stay as the user wrote them."
        );
    }
    instructions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::SampleKind;
    use dataset::Language;

    #[test]
    fn a_translated_dialogue_says_so() {
        let pack = dataset::builtin_in(Language::Spanish).unwrap();
        let sample = Sample::new(&pack.dialogues[0], 1, SampleKind::Call);
        assert_eq!(with(&sample, "Do it.".to_owned()), "Do it.");
        let sample = Sample { language: Some(Language::Spanish), ..sample };
        let text = with(&sample, "Do it.".to_owned());
        assert!(text.starts_with("Do it.") && text.contains("answer in Spanish"), "{text}");
    }
}
