//! Folds names.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Small letters without diacritics and apostrophes, as user names have them.
pub(super) fn fold(text: &str) -> String {
    let plain = text.nfd().filter(|c| !is_combining_mark(*c) && !matches!(c, '\'' | '’'));
    plain.collect::<String>().replace('ı', "i").to_lowercase()
}
