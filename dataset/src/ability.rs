//! The three abilities that API-Bank measures.

use apis::Suite;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// An ability as defined by the paper (arXiv 2304.08244, section 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Ability {
    /// Call an API that is described.
    Call,
    /// Search for an API by keywords, then call it: Retrieve+Call.
    Retrieve,
    /// Plan a chain of searches and calls for one requirement: Plan+Retrieve+Call.
    Plan,
}

impl Ability {
    /// All three, in the paper's order.
    pub const ALL: [Ability; Ability::COUNT] = *Ability::VARIANTS.first_chunk().unwrap();

    /// The identifier, also the folder's name.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The ability's name in the paper's tables.
    pub const fn title(self) -> &'static str {
        match self {
            Ability::Call => "Call",
            Ability::Retrieve => "Retrieve+Call",
            Ability::Plan => "Plan+Retrieve+Call",
        }
    }

    /// The suite whose APIs its dialogues call.
    pub const fn suite(self) -> Suite {
        match self {
            Ability::Call | Ability::Retrieve => Suite::Dialogue,
            Ability::Plan => Suite::Planning,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in Ability::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }
}
