//! The reader's language: what they chose, else what their browser asks for, else English.

use super::{fetch, page};
use crate::texts::{self, Catalogue, Language, Texts};
use std::cell::Cell;

const LANGUAGE: &str = "api-bank.language";

thread_local! {
    /// The catalogue, once it has come.
    static CHINESE: Cell<Option<Texts>> = const { Cell::new(None) };
}

/// The language to begin with.
pub fn preferred() -> Language {
    if let Some(language) = page::stored::<String>(LANGUAGE).and_then(|tag| Language::of(&tag)) {
        return language;
    }
    let asked = web_sys::window().map(|window| window.navigator().languages());
    asked
        .iter()
        .flat_map(|tags| tags.iter())
        .find_map(|tag| tag.as_string().and_then(|tag| Language::of(&tag)))
        .unwrap_or_default()
}

/// Keeps the choice for the next visit.
pub fn remember(language: Language) {
    page::store(LANGUAGE, &language.code());
}

/// Speaks a language from here on, after loading its catalogue.
///
/// # Errors
/// When the catalogue does not come; the language stays what it was.
pub async fn speak(language: Language) -> Result<(), String> {
    let texts = match language {
        Language::English => Texts::ENGLISH,
        Language::Chinese => match CHINESE.get() {
            Some(texts) => texts,
            None => {
                let texts = load().await?;
                CHINESE.set(Some(texts));
                texts
            }
        },
    };
    texts::speak(texts);
    if let Some(root) = page::document().and_then(|it| it.document_element()) {
        // An element that refuses is read in the wrong accent, which is all.
        let _ = root.set_attribute("lang", language.code());
    }
    Ok(())
}

async fn load() -> Result<Texts, String> {
    let bytes = fetch::asset(&page::assets()?.chinese).await?;
    let catalogue: Catalogue = serde_json::from_slice(&bytes)
        .map_err(|error| format!("The site's Chinese texts are damaged ({error})."))?;
    // Leaked: texts are used by reference as long as the page lives.
    Ok(Texts::of(Box::leak(Box::new(catalogue))))
}
