//! The kinds of model that a run can have.

use crate::t;
use crate::texts::Texts;
use record::Baseline;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// The kind of model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// The lower reference.
    #[default]
    KeywordBaseline,
    /// The upper reference.
    GoldReplay,
    /// The user's endpoint.
    Endpoint,
    /// A file of the user that runs in the page.
    InPage,
}

impl Choice {
    /// All, in the order of the form.
    pub const ALL: [Choice; Choice::COUNT] = *Choice::VARIANTS.first_chunk().unwrap();

    /// The identifier in the page.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The display name.
    pub fn title(self, texts: Texts) -> &'static str {
        match self {
            Choice::KeywordBaseline => texts.get(Baseline::KeywordBaseline.title()),
            Choice::GoldReplay => texts.get(Baseline::GoldReplay.title()),
            Choice::Endpoint => t!(texts, "My endpoint"),
            Choice::InPage => t!(texts, "A model in this page"),
        }
    }

    /// Describes it in a sentence.
    pub fn explain(self, texts: Texts) -> &'static str {
        match self {
            Choice::KeywordBaseline => {
                t!(
                    texts,
                    "No language model: a search finds the API, patterns fill its arguments. A simple baseline to beat."
                )
            }
            Choice::GoldReplay => {
                t!(texts, "Answers with the gold. The ceiling: 100 %.")
            }
            Choice::Endpoint => {
                t!(texts, "Your own or a vendor's server: Ollama, llama.cpp, OpenAI and others.")
            }
            Choice::InPage => {
                t!(texts, "A GGUF file on this device: small models run without any server.")
            }
        }
    }
}
