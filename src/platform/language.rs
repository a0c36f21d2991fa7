//! The reader's language: their choice, otherwise the browser's preference, otherwise English.

use super::{fetch, page};
use crate::texts::{self, Catalogue, Language, Texts};
use std::cell::Cell;

const LANGUAGE: &str = "api-bank.language";

thread_local! {
    /// The catalogue, once loaded.
    static CHINESE: Cell<Option<Texts>> = const { Cell::new(None) };
}

/// The language at start.
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

/// Stores the choice.
pub fn remember(language: Language) {
    page::store(LANGUAGE, &language.code());
}

/// Switches to a language after loading its catalogue.
///
/// # Errors
/// When the catalogue cannot be loaded; the language does not change.
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
        // Only screen readers depend on the attribute, so ignore a failure.
        let _ = root.set_attribute("lang", language.code());
    }
    Ok(())
}

async fn load() -> Result<Texts, String> {
    let bytes = fetch::asset(&page::assets()?.chinese).await?;
    let catalogue: Catalogue = serde_json::from_slice(&bytes)
        .map_err(|error| format!("The site's Chinese texts are damaged ({error})."))?;
    // Leaked on purpose: texts are referenced for the page's lifetime.
    Ok(Texts::of(Box::leak(Box::new(catalogue))))
}
