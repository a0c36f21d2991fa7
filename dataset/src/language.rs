//! The languages of user and assistant.

use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// A language of user and assistant other than English.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Language {
    /// Chinese, in simplified characters.
    #[serde(rename = "zh")]
    #[strum(serialize = "zh")]
    Chinese,
    /// Spanish.
    #[serde(rename = "es")]
    #[strum(serialize = "es")]
    Spanish,
    /// German.
    #[serde(rename = "de")]
    #[strum(serialize = "de")]
    German,
    /// Arabic.
    #[serde(rename = "ar")]
    #[strum(serialize = "ar")]
    Arabic,
    /// Hindi.
    #[serde(rename = "hi")]
    #[strum(serialize = "hi")]
    Hindi,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; Language::COUNT] = *Language::VARIANTS.first_chunk().unwrap();

    /// The ISO 639-1 code, in records and on the command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The name in English.
    pub const fn title(self) -> &'static str {
        match self {
            Language::Chinese => "Chinese",
            Language::Spanish => "Spanish",
            Language::German => "German",
            Language::Arabic => "Arabic",
            Language::Hindi => "Hindi",
        }
    }
}
