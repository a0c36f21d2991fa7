//! The protocols behind published API-Bank numbers, by name.
//!
//! "API-Bank accuracy" is ambiguous: sources differ in the graded steps, the described APIs and the
//! judgement of calls. Each name selects one variant for a run to follow.

use super::{Reference, Setting};
use exchange::protocol::{Protocol, Steps};
use scoring::Profile;

/// The settings behind published numbers, as far as this program supports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedProtocol {
    /// The name on the command line.
    pub name: &'static str,
    /// The protocol that prompts the model.
    pub protocol: Protocol,
    /// The graded steps.
    pub steps: Steps,
    /// The profile that judges calls.
    pub profile: Profile,
    /// The included steps and how they are prompted, in a sentence.
    pub asks: &'static str,
    /// The excluded steps, in a sentence.
    pub leaves_out: &'static str,
    /// Who publishes such numbers, and the remaining differences.
    pub published: &'static str,
}

/// Every named protocol.
pub const NAMED: [NamedProtocol; 3] = [
    NamedProtocol {
        name: "paper",
        protocol: Protocol::Paper,
        steps: Steps::All,
        profile: Profile::Original,
        asks: "The next call as text on the gold history, with the data hub's prompts where the \
               data has them.",
        leaves_out: "Nothing. Plan+Retrieve+Call counts dialogues in which every step is right.",
        published: "API-Bank, Table 3. ToolACE counts the same calls of the first two levels; its \
                    prompts are not published with the numbers.",
    },
    NamedProtocol {
        name: "first-step",
        protocol: Protocol::Tools,
        steps: Steps::First,
        profile: Profile::Exact,
        asks: "The first call of each dialogue as a tool call; right when name and arguments are \
               equal.",
        leaves_out: "Every later call, every reply, and whatever a result leads to. With search \
                     the first call is the search itself.",
        published: "Tool-N1 and ToolACE-R (arXiv 2504.01400) report first steps. ToolRL is counted \
                    among them, but its 597 items are more than the 314 dialogues have first steps.",
    },
    NamedProtocol {
        name: "step-replay",
        protocol: Protocol::AllTools,
        steps: Steps::All,
        profile: Profile::Exact,
        asks: "Every call as a tool call on the gold history, results in the tool role, every API \
               of the suite described.",
        leaves_out: "The searches, and what replies to a search alone.",
        published: "Pull request 229 on the original (2026). It also leaves out repeated items of \
                    levels 1 and 2.",
    },
];

impl NamedProtocol {
    /// Whether a published table states these settings.
    pub fn fits(&self, table: &Reference) -> bool {
        let Setting { protocol, steps, profile, .. } = &table.setting;
        (*protocol, *steps, *profile) == (Some(self.protocol), self.steps, Some(self.profile))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::published;

    #[test]
    fn names_are_known_and_their_tables_are_there() {
        let tables = published().unwrap();
        let fitting = |name: &str| {
            let named = NAMED.into_iter().find(|protocol| protocol.name == name).unwrap();
            let tables = tables.iter().filter(|table| named.fits(table));
            tables.map(|table| table.source.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(fitting("paper")[0], "API-Bank, Table 3");
        assert_eq!(fitting("step-replay"), ["DAMO-ConvAI, pull request 229"]);
        // No published table states these settings.
        assert_eq!(fitting("first-step"), [""; 0]);
    }

    #[test]
    fn the_items_of_tool_rl_are_more_than_first_steps() {
        let tables = published().unwrap();
        let tool_rl = tables.iter().find(|table| table.source == "ToolRL").unwrap();
        assert!(tool_rl.columns[0].n.unwrap() > 214 + 50 + 50);
    }
}
