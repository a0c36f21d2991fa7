//! The languages that Translate knows.

/// Codes and names of the known languages.
const LANGUAGES: &[(&str, &str)] = &[
    ("ar", "Arabic"),
    ("cs", "Czech"),
    ("da", "Danish"),
    ("de", "German"),
    ("el", "Greek"),
    ("en", "English"),
    ("es", "Spanish"),
    ("fi", "Finnish"),
    ("fr", "French"),
    ("he", "Hebrew"),
    ("hi", "Hindi"),
    ("it", "Italian"),
    ("ja", "Japanese"),
    ("ko", "Korean"),
    ("nl", "Dutch"),
    ("no", "Norwegian"),
    ("pl", "Polish"),
    ("pt", "Portuguese"),
    ("ru", "Russian"),
    ("sv", "Swedish"),
    ("sw", "Swahili"),
    ("th", "Thai"),
    ("tr", "Turkish"),
    ("uk", "Ukrainian"),
    ("vi", "Vietnamese"),
    ("zh", "Chinese"),
];

/// The code of a language, from its name or code; `None` for an unknown one.
pub(crate) fn code(language: &str) -> Option<&'static str> {
    let wanted = language.trim();
    // Ignores the region, as in pt-BR.
    let wanted_code = wanted.split(['-', '_']).next().unwrap_or(wanted);
    LANGUAGES
        .iter()
        .find(|(code, name)| {
            code.eq_ignore_ascii_case(wanted_code) || name.eq_ignore_ascii_case(wanted)
        })
        .map(|(code, _)| *code)
}

/// The name of a language for messages.
pub(crate) fn name(code: &str) -> &str {
    LANGUAGES.iter().find(|(other, _)| *other == code).map_or(code, |(_, name)| name)
}
