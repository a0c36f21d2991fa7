//! The texts of a prompt: data, with a version, replaceable for a run.
//!
//! A text has slots, `{name}` of lower-case letters. Which ones it may have depends on the
//! protocol; everything else in braces is text. Slots are filled in one pass, so that nothing in a
//! dialogue or a description is ever taken for a slot.

use super::Protocol;
use crate::slots;
use apis::store::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use thiserror::Error;

/// The version that a record gives for texts that a user has changed.
pub const CUSTOM: &str = "custom";

/// Characters that one text may have.
pub const LONGEST: usize = 20_000;

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Asks for a call when the APIs are described.
    Call,
    /// Asks for a call when API Search has to find the APIs.
    Search,
    /// Asks for a call or for words, whichever is right: the hard split.
    Step,
    /// Asks for the reply after a call.
    Reply,
}

impl Part {
    /// Every part.
    pub const ALL: [Part; 4] = [Part::Call, Part::Search, Part::Step, Part::Reply];

    /// The part's name in files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Part::Call => "call",
            Part::Search => "search",
            Part::Step => "step",
            Part::Reply => "reply",
        }
    }

    /// What it is for, in words.
    pub const fn title(self) -> &'static str {
        match self {
            Part::Call => "Next call, APIs described",
            Part::Search => "Next call, APIs found by search",
            Part::Step => "Call or words, hard split",
            Part::Reply => "Reply after a call",
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
    /// The user message; empty where the dialogue's own messages follow.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub user: String,
}

/// The texts of a protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Prompts {
    /// Name and version, [`CUSTOM`] for changed ones.
    pub version: String,
    /// Texts by what they are for.
    pub parts: BTreeMap<Part, Text>,
}

/// Why texts cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PromptError {
    /// Not JSON, or not of the shape.
    #[error(
        "expected prompts as {{\"version\": …, \"parts\": {{\"call\": {{\"system\": …}}, …}}}}: {0}"
    )]
    Shape(String),
    /// A part is absent.
    #[error("protocol {protocol} needs the part {part}; add it")]
    MissingPart {
        /// The protocol.
        protocol: &'static str,
        /// The part.
        part: &'static str,
    },
    /// A part that the protocol never uses.
    #[error("protocol {protocol} has no part {part}; remove it")]
    UnknownPart {
        /// The protocol.
        protocol: &'static str,
        /// The part.
        part: &'static str,
    },
    /// A slot that is never filled.
    #[error("{part}: {{{slot}}} is no slot here; the slots are {known}")]
    UnknownSlot {
        /// The part.
        part: &'static str,
        /// The name in braces.
        slot: String,
        /// The names that can stand there.
        known: String,
    },
    /// Without this slot the model would not see the question.
    #[error("{part}: the slot {{{slot}}} is missing; without it the model does not see the {slot}")]
    MissingSlot {
        /// The part.
        part: &'static str,
        /// The slot.
        slot: &'static str,
    },
    /// A user message where the dialogue's own follow.
    #[error("{part}: protocol {protocol} sends the dialogue's own messages; leave user empty")]
    NoUserText {
        /// The part.
        part: &'static str,
        /// The protocol.
        protocol: &'static str,
    },
    /// An empty system message, or one beyond the limit.
    #[error("{part}: expected 1 to {LONGEST} characters, got {length}")]
    Length {
        /// The part.
        part: &'static str,
        /// Characters of the longer text.
        length: usize,
    },
}

const BRACKET: &str = include_str!("prompts/bracket_v1.json");
const TOOLS: &str = include_str!("prompts/tools_v1.json");
const ALL_TOOLS: &str = include_str!("prompts/all_tools_v1.json");
const AGENT: &str = include_str!("prompts/agent_v1.json");

#[expect(clippy::expect_used, reason = "the embedded files are checked by a test")]
static BUILTIN: LazyLock<[Prompts; 4]> = LazyLock::new(|| {
    [BRACKET, TOOLS, ALL_TOOLS, AGENT]
        .map(|text| serde_json::from_str(text).expect("the embedded prompts are valid"))
});

/// Slots that texts of a protocol may have, and of these the ones that they must have.
const fn slots_of(protocol: Protocol) -> (&'static [&'static str], &'static [&'static str]) {
    match protocol {
        Protocol::Bracket => (&["year", "apis", "history"], &["apis", "history"]),
        Protocol::Tools | Protocol::AllTools | Protocol::Agent => (&["year"], &[]),
    }
}

/// The parts that a protocol uses.
pub const fn parts(protocol: Protocol) -> &'static [Part] {
    match protocol {
        Protocol::Bracket | Protocol::Tools => &[Part::Call, Part::Search, Part::Step, Part::Reply],
        Protocol::AllTools => &[Part::Call, Part::Step, Part::Reply],
        Protocol::Agent => &[Part::Call, Part::Search],
    }
}

impl Prompts {
    /// The project's own texts for a protocol.
    pub fn builtin(protocol: Protocol) -> &'static Prompts {
        let [bracket, tools, all_tools, agent] = &*BUILTIN;
        match protocol {
            Protocol::Bracket => bracket,
            Protocol::Tools => tools,
            Protocol::AllTools => all_tools,
            Protocol::Agent => agent,
        }
    }

    /// Reads texts from a file's JSON and checks them. Texts equal to the project's own keep their
    /// version, all others are [`CUSTOM`].
    ///
    /// # Errors
    /// The first defect, with the part.
    pub fn read(protocol: Protocol, json: &str) -> Result<Prompts, PromptError> {
        let read: Prompts =
            serde_json::from_str(json).map_err(|error| PromptError::Shape(error.to_string()))?;
        Prompts::custom(protocol, read.parts)
    }

    /// Texts that a user has written, checked.
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

    /// Whether a user has changed them.
    pub fn is_custom(&self) -> bool {
        self.version == CUSTOM
    }

    /// SHA-256 of the texts, hexadecimal; the version is no part of it.
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

    /// The texts of a part; empty ones where it is absent.
    pub fn text(&self, part: Part) -> &Text {
        static NONE: Text = Text { system: String::new(), user: String::new() };
        self.parts.get(&part).unwrap_or(&NONE)
    }

    /// Whether the texts can be used with a protocol.
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
    if protocol != Protocol::Bracket && !text.user.is_empty() {
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
            assert_eq!(builtin.version, format!("{}-1", protocol.as_str()));
            let again = serde_json::to_string(builtin).unwrap();
            assert_eq!(&Prompts::read(protocol, &again).unwrap(), builtin);
            assert!(!builtin.is_custom());
        }
    }

    #[test]
    fn a_change_makes_texts_custom_with_another_digest() {
        let own = Prompts::builtin(Protocol::Tools);
        let mut parts = own.parts.clone();
        parts.insert(Part::Reply, Text { system: "In {year}.".to_owned(), user: String::new() });
        let custom = Prompts::custom(Protocol::Tools, parts).unwrap();
        assert!(custom.is_custom());
        assert_ne!(custom.digest(), own.digest());
        assert_eq!(custom.digest().len(), 64);
    }

    #[test]
    fn every_defect_is_named() {
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
            (|parts| set(parts, "{apis} {turns}", "{history}"), "call: {turns} is no slot here"),
            (|parts| set(parts, "{apis}", "Go on."), "call: the slot {history} is missing"),
            (|parts| set(parts, " ", "{apis} {history}"), "call: expected 1 to 20000 characters"),
        ];
        for (change, message) in cases {
            let got = bracket(change);
            assert!(got.starts_with(message), "{got}");
        }
        let tools = r#"{"version": "x", "parts": {"call": {"system": "a", "user": "b"},
            "search": {"system": "a"}, "step": {"system": "a"}, "reply": {"system": "a"}}}"#;
        let error = Prompts::read(Protocol::Tools, tools).unwrap_err();
        assert!(matches!(error, PromptError::NoUserText { part: "call", .. }), "{error}");
        let error = Prompts::read(Protocol::AllTools, tools).unwrap_err();
        assert!(matches!(error, PromptError::NoUserText { .. } | PromptError::UnknownPart { .. }));
        assert!(matches!(Prompts::read(Protocol::Tools, "[1]"), Err(PromptError::Shape(_))));
    }
}
