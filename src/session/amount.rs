//! The size of a run.

use super::choice::Choice;
use crate::t;
use crate::texts::Texts;
use dataset::Tier;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// The subset to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "kebab-case")]
pub enum Amount {
    /// A twentieth of each ability.
    Quick,
    /// A tenth of each ability.
    Tenth,
    /// A quarter of each ability.
    Quarter,
    /// All of the data.
    #[default]
    All,
    /// A fixed number of dialogues per ability.
    Count,
    /// An adaptive run of horizon tasks.
    Horizon,
}

/// The horizon tasks of each tier that a run asks at most.
pub const HORIZON_TASKS: u32 = record::metrics::horizon::MOST_TASKS;

impl Amount {
    /// Every amount, in the order of the settings.
    pub const ALL: [Amount; Amount::COUNT] = *Amount::VARIANTS.first_chunk().unwrap();

    /// The sizes on the first screen.
    pub const SIZES: [Amount; 4] = [Amount::Quick, Amount::Quarter, Amount::All, Amount::Horizon];

    /// The size that a kind of model starts with. Built-in models take seconds for all of the data; for
    /// others, it is more than a thousand requests.
    pub(super) const fn usual(choice: Choice) -> Amount {
        match choice {
            Choice::KeywordBaseline | Choice::GoldReplay => Amount::All,
            Choice::Endpoint | Choice::InPage => Amount::Quick,
        }
    }

    /// The identifier in the page.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The label in the page.
    pub fn title(self, texts: Texts) -> &'static str {
        match self {
            Amount::All => t!(texts, "Everything"),
            Amount::Quick => t!(texts, "Quick"),
            Amount::Quarter => t!(texts, "Standard"),
            Amount::Horizon => t!(texts, "Horizon"),
            Amount::Tenth | Amount::Count => self.share(texts),
        }
    }

    /// The number of samples of the built-in pack under default settings, which the first screen shows
    /// before the engine counts. A browser test holds it to the engine.
    pub(super) const fn usual_samples(self) -> Option<usize> {
        match self {
            Amount::Quick => Some(72),
            Amount::Quarter => Some(366),
            Amount::All => Some(1456),
            Amount::Horizon => Some(Tier::ALL.len() * HORIZON_TASKS as usize),
            Amount::Tenth | Amount::Count => None,
        }
    }

    /// The share of the data.
    pub fn share(self, texts: Texts) -> &'static str {
        match self {
            Amount::All => t!(texts, "All dialogues"),
            Amount::Quick => t!(texts, "5 % of the dialogues"),
            Amount::Quarter => t!(texts, "25 % of the dialogues"),
            Amount::Tenth => t!(texts, "10 % of the dialogues"),
            Amount::Count => t!(texts, "Fixed number per ability"),
            Amount::Horizon => t!(texts, "Tasks of 1 to 256 calls"),
        }
    }
}
