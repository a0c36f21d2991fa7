//! The two pools of APIs, and their domains.

use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// The two pools of API-Bank. An API is identified by suite and name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Suite {
    /// The APIs of the Call and Retrieve+Call dialogues.
    Dialogue,
    /// The APIs of the Plan+Retrieve+Call requirements.
    Planning,
}

impl Suite {
    /// Both suites.
    pub const ALL: [Suite; Suite::COUNT] = *Suite::VARIANTS.first_chunk().unwrap();

    /// The name in files and URLs.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The domains of Table 8 of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[derive(EnumCount, VariantArray)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// Users, passwords, tokens, profiles.
    Account,
    /// Agendas, alarms, meetings, reminders.
    Schedule,
    /// Appointments, symptoms, health records.
    Health,
    /// Scenes and timed switches.
    SmartHome,
    /// Accounts, stocks, salaries, taxes, sums.
    Finance,
    /// Look-ups: encyclopaedia, dictionary, search, documents, media.
    Information,
    /// Music, films, social posts.
    Entertainment,
    /// Hotels, flights, places, weather.
    Travel,
    /// Mail and messages.
    Communication,
}

impl Domain {
    /// In display order.
    pub const ALL: [Domain; Domain::COUNT] = *Domain::VARIANTS.first_chunk().unwrap();

    /// The display name.
    pub const fn title(self) -> &'static str {
        match self {
            Domain::Account => "Account",
            Domain::Schedule => "Schedule",
            Domain::Health => "Health",
            Domain::SmartHome => "Smart home",
            Domain::Finance => "Finance",
            Domain::Information => "Information",
            Domain::Entertainment => "Entertainment",
            Domain::Travel => "Travel",
            Domain::Communication => "Communication",
        }
    }
}
