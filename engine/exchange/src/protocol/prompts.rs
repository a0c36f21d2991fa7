//! Prompt texts: versioned data that a run can replace.
//!
//! A text has slots ([`slots`]); the protocol determines which.

use super::Protocol;
use crate::slots;
use apis::store::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use strum::{EnumCount, IntoStaticStr, VariantArray};
use thiserror::Error;

/// The version that records store for texts changed by the user.
pub const CUSTOM: &str = "custom";

/// Maximum length of a text, in characters.
pub const LONGEST: usize = 20_000;

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Asks for a call when the APIs are described.
    Call,
    /// Asks for a call when the APIs must be found with API Search.
    Search,
    /// Asks for a call or a reply, whichever is right.
    Step,
    /// As `step`, when the APIs must be found with API Search.
    #[serde(rename = "search-step")]
    #[strum(serialize = "search-step")]
    SearchStep,
    /// Asks for the reply after a call.
    Reply,
    /// A horizon task, played whole without questions.
    Task,
}

impl Part {
    /// Every part.
    pub const ALL: [Part; Part::COUNT] = *Part::VARIANTS.first_chunk().unwrap();

    /// The identifier in files.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The display name.
    pub const fn title(self) -> &'static str {
        match self {
            Part::Call => "Next call, APIs described",
            Part::Search => "Next call, APIs found by search",
            Part::Step => "Call or words, APIs described",
            Part::SearchStep => "Call or words, APIs found by search",
            Part::Reply => "Reply after a call",
            Part::Task => "Horizon task",
        }
    }
}

/// The texts of one part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// The system message.
    pub system: String,
    /// The user message; empty for protocols that send the dialogue's own messages.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub user: String,
}

/// The texts of a protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Prompts {
    /// Name and version, or [`CUSTOM`].
    pub version: String,
    /// Texts by part.
    pub parts: BTreeMap<Part, Text>,
}

/// Why texts are rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PromptError {
    /// Not JSON, or not shaped like prompts.
    #[error(
        "expected prompts as {{\"version\": …, \"parts\": {{\"call\": {{\"system\": …}}, …}}}}: {0}"
    )]
    Shape(String),
    /// A part is missing.
    #[error("protocol {protocol} needs the part {part}; add it")]
    MissingPart {
        /// The protocol.
        protocol: &'static str,
        /// The part.
        part: &'static str,
    },
    /// The protocol does not use a part.
    #[error("protocol {protocol} has no part {part}; remove it")]
    UnknownPart {
        /// The protocol.
        protocol: &'static str,
        /// The part.
        part: &'static str,
    },
    /// A text has a slot that is never filled.
    #[error("{part}: {{{slot}}} is not a slot here; the slots are {known}")]
    UnknownSlot {
        /// The part.
        part: &'static str,
        /// The name in braces.
        slot: String,
        /// The allowed names.
        known: String,
    },
    /// A text lacks a required slot.
    #[error("{part}: the slot {{{slot}}} is missing; without it the model does not see the {slot}")]
    MissingSlot {
        /// The part.
        part: &'static str,
        /// The slot.
        slot: &'static str,
    },
    /// A user message for a protocol that sends the dialogue's own.
    #[error("{part}: protocol {protocol} sends the dialogue's own messages; leave user empty")]
    NoUserText {
        /// The part.
        part: &'static str,
        /// The protocol.
        protocol: &'static str,
    },
    /// The system message is empty, or a text is too long.
    #[error("{part}: expected 1 to {LONGEST} characters, got {length}")]
    Length {
        /// The part.
        part: &'static str,
        /// Length of the longer text, in characters.
        length: usize,
    },
}

const BRACKET: &str = include_str!("prompts/bracket_v2.json");
const PAPER: &str = include_str!("prompts/paper_v1.json");
const TOOLS: &str = include_str!("prompts/tools_v2.json");
const ALL_TOOLS: &str = include_str!("prompts/all_tools_v2.json");
const AGENT: &str = include_str!("prompts/agent_v2.json");
const AGENT_TEXT: &str = include_str!("prompts/agent_text_v1.json");

#[expect(clippy::expect_used, reason = "the embedded files are checked by a test")]
static BUILTIN: LazyLock<[Prompts; 6]> = LazyLock::new(|| {
    [BRACKET, PAPER, TOOLS, ALL_TOOLS, AGENT, AGENT_TEXT]
        .map(|text| serde_json::from_str(text).expect("the embedded prompts are valid"))
});

/// The allowed and the required slots of a protocol's texts.
const fn slots_of(protocol: Protocol) -> (&'static [&'static str], &'static [&'static str]) {
    match protocol {
        Protocol::Bracket | Protocol::Paper => (&["year", "apis", "history"], &["apis", "history"]),
        Protocol::AgentText => (&["year", "apis"], &["apis"]),
        Protocol::Tools | Protocol::AllTools | Protocol::Agent => (&["year"], &[]),
    }
}

/// The parts that a protocol uses.
pub const fn parts(protocol: Protocol) -> &'static [Part] {
    match protocol {
        Protocol::Bracket | Protocol::Tools => {
            &[Part::Call, Part::Search, Part::Step, Part::SearchStep, Part::Reply]
        }
        Protocol::Paper => &[Part::Call, Part::Search, Part::Step, Part::Reply],
        Protocol::AllTools => &[Part::Call, Part::Step, Part::Reply],
        Protocol::Agent | Protocol::AgentText => &[Part::Call, Part::Search, Part::Task],
    }
}

impl Prompts {
    /// The built-in texts of a protocol.
    pub fn builtin(protocol: Protocol) -> &'static Prompts {
        let [bracket, paper, tools, all_tools, agent, agent_text] = &*BUILTIN;
        match protocol {
            Protocol::Bracket => bracket,
            Protocol::Paper => paper,
            Protocol::Tools => tools,
            Protocol::AllTools => all_tools,
            Protocol::Agent => agent,
            Protocol::AgentText => agent_text,
        }
    }

    /// Parses and validates texts. Texts equal to the built-in ones keep their version; others get
    /// [`CUSTOM`].
    ///
    /// # Errors
    /// The first defect, with the part.
    pub fn read(protocol: Protocol, json: &str) -> Result<Prompts, PromptError> {
        let read: Prompts =
            serde_json::from_str(json).map_err(|error| PromptError::Shape(error.to_string()))?;
        Prompts::custom(protocol, read.parts)
    }

    /// Validates a user's texts like [`Prompts::read`].
    ///
    /// # Errors
    /// The first defect, with the part.
    pub fn custom(protocol: Protocol, parts: BTreeMap<Part, Text>) -> Result<Prompts, PromptError> {
        let builtin = Prompts::builtin(protocol);
        if parts == builtin.parts {
            return Ok(builtin.clone());
        }
        let prompts = Prompts { version: CUSTOM.to_owned(), parts };
        prompts.check(protocol)?;
        Ok(prompts)
    }

    /// Whether they differ from the built-in texts.
    pub fn is_custom(&self) -> bool {
        self.version == CUSTOM
    }

    /// SHA-256 of the texts without the version, hexadecimal.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for (part, text) in &self.parts {
            for field in [part.as_str(), &text.system, &text.user] {
                hash.update(field);
                hash.update([0]);
            }
        }
        hex(&hash.finalize())
    }

    /// The texts of a part; empty if it is missing.
    pub fn text(&self, part: Part) -> &Text {
        static NONE: Text = Text { system: String::new(), user: String::new() };
        self.parts.get(&part).unwrap_or(&NONE)
    }

    /// Validates the texts for a protocol.
    ///
    /// # Errors
    /// The first defect, with the part.
    pub fn check(&self, protocol: Protocol) -> Result<(), PromptError> {
        let name = protocol.as_str();
        let used = parts(protocol);
        if let Some(part) = used.iter().find(|part| !self.parts.contains_key(part)) {
            return Err(PromptError::MissingPart { protocol: name, part: part.as_str() });
        }
        for (part, text) in &self.parts {
            let named = part.as_str();
            if !used.contains(part) {
                return Err(PromptError::UnknownPart { protocol: name, part: named });
            }
            check_text(protocol, named, text)?;
        }
        Ok(())
    }
}

fn check_text(protocol: Protocol, part: &'static str, text: &Text) -> Result<(), PromptError> {
    let (known, needed) = slots_of(protocol);
    let length = text.system.chars().count().max(text.user.chars().count());
    if text.system.trim().is_empty() || length > LONGEST {
        return Err(PromptError::Length { part, length });
    }
    if !protocol.has_user_text() && !text.user.is_empty() {
        return Err(PromptError::NoUserText { part, protocol: protocol.as_str() });
    }
    let found: Vec<&str> =
        [&text.system, &text.user].into_iter().flat_map(|text| slots::names(text)).collect();
    if let Some(slot) = found.iter().find(|slot| !known.contains(slot)) {
        let known = known.iter().map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(", ");
        return Err(PromptError::UnknownSlot { part, slot: (*slot).to_owned(), known });
    }
    match needed.iter().find(|slot| !found.contains(slot)) {
        Some(slot) => Err(PromptError::MissingSlot { part, slot }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_texts_fit_their_protocols() {
        for protocol in Protocol::ALL {
            let builtin = Prompts::builtin(protocol);
            assert_eq!(builtin.check(protocol), Ok(()), "{}", protocol.as_str());
            let (name, number) = builtin.version.rsplit_once('-').unwrap();
            assert_eq!(name, protocol.as_str());
            assert!(number.parse::<u32>().is_ok(), "{number}");
            let again = serde_json::to_string(builtin).unwrap();
            assert_eq!(&Prompts::read(protocol, &again).unwrap(), builtin);
            assert!(!builtin.is_custom());
        }
    }

    #[test]
    fn changed_texts_are_custom_and_have_another_digest() {
        let own = Prompts::builtin(Protocol::Tools);
        let mut parts = own.parts.clone();
        parts.insert(Part::Reply, Text { system: "In {year}.".to_owned(), user: String::new() });
        let custom = Prompts::custom(Protocol::Tools, parts).unwrap();
        assert!(custom.is_custom());
        assert_ne!(custom.digest(), own.digest());
        assert_eq!(custom.digest().len(), 64);
    }

    #[test]
    fn every_defect_has_its_own_error() {
        type Change = fn(&mut BTreeMap<Part, Text>);
        let bracket = |change: Change| {
            let mut parts = Prompts::builtin(Protocol::Bracket).parts.clone();
            change(&mut parts);
            Prompts::custom(Protocol::Bracket, parts).unwrap_err().to_string()
        };
        fn set(parts: &mut BTreeMap<Part, Text>, system: &str, user: &str) {
            let text = Text { system: system.to_owned(), user: user.to_owned() };
            parts.insert(Part::Call, text);
        }
        let cases: [(Change, &str); 4] = [
            (|parts| drop(parts.remove(&Part::Reply)), "protocol bracket needs the part reply"),
            (|parts| set(parts, "{apis} {turns}", "{history}"), "call: {turns} is not a slot here"),
            (|parts| set(parts, "{apis}", "Go on."), "call: the slot {history} is missing"),
            (|parts| set(parts, " ", "{apis} {history}"), "call: expected 1 to 20000 characters"),
        ];
        for (change, message) in cases {
            let got = bracket(change);
            assert!(got.starts_with(message), "{got}");
        }
        let tools = r#"{"version": "x", "parts": {"call": {"system": "a", "user": "b"},
            "search": {"system": "a"}, "step": {"system": "a"}, "search-step": {"system": "a"}, "reply": {"system": "a"}}}"#;
        let error = Prompts::read(Protocol::Tools, tools).unwrap_err();
        assert!(matches!(error, PromptError::NoUserText { part: "call", .. }), "{error}");
        let error = Prompts::read(Protocol::AllTools, tools).unwrap_err();
        assert!(matches!(error, PromptError::NoUserText { .. } | PromptError::UnknownPart { .. }));
        assert!(matches!(Prompts::read(Protocol::Tools, "[1]"), Err(PromptError::Shape(_))));
    }
}
