//! The endpoint fields of the form, and their conversion to an endpoint.

use super::field::{FieldName, Problem, optional};
use super::settings::{Choice, Form};
use crate::t;
use crate::texts::Texts;
use provider::preflight::Proposal;
use provider::{Endpoint, Preset, ToolChoice, WireFormat, diagnosis};
use serde_json::{Map, Value};

impl Form {
    /// Applies a preset's address, format and concurrency. The custom preset keeps the address.
    pub fn pick(&mut self, preset: Preset) {
        self.preset = preset;
        let facts = preset.facts();
        self.format = facts.format;
        self.linked_address.clear();
        if preset != Preset::Custom {
            facts.address.clone_into(&mut self.address);
            self.concurrency = facts.concurrency.to_string();
        }
    }

    /// Sets the address typed by the user.
    pub fn type_address(&mut self, text: String) {
        self.linked_address.clear();
        self.address = text;
    }

    /// Applies the connection test's proposal.
    pub fn take(&mut self, proposal: Proposal) {
        if !self.asks_as(proposal) {
            self.asking.protocol = proposal.protocol();
        }
        self.concurrency = proposal.concurrency.to_string();
        self.more.fold_roles = proposal.fold_roles;
        if let Some(tokens) = proposal.max_tokens {
            self.max_tokens = tokens.to_string();
        }
        self.more.streaming = proposal.streaming;
    }

    /// Whether the form matches the connection test's proposal.
    pub fn suits(&self, proposal: Proposal) -> bool {
        let fits = |tokens: u32| self.max_tokens.trim() == tokens.to_string();
        self.asks_as(proposal)
            && self.concurrency.trim() == proposal.concurrency.to_string()
            && self.more.fold_roles == proposal.fold_roles
            && self.more.streaming == proposal.streaming
            && proposal.max_tokens.is_none_or(fits)
    }

    /// If native calls work, any protocol with native calls matches.
    fn asks_as(&self, proposal: Proposal) -> bool {
        self.asking.protocol.is_native() == proposal.native_tools
    }

    /// Converts the fields to an endpoint. `origin` is the site's.
    ///
    /// # Errors
    /// Every invalid field.
    pub fn endpoint(&self, origin: &str, texts: Texts) -> Result<Endpoint, Vec<Problem>> {
        let mut problems = Vec::new();
        let endpoint = self.read(&mut problems, texts);
        if let Err(failure) = endpoint.check() {
            let model = failure.message.starts_with("Model");
            let field = if model { FieldName::Model } else { FieldName::Address };
            problems.insert(0, Problem { field, message: failure.message });
        } else if let Some(message) = diagnosis::refused_by_browser(&self.address, origin) {
            problems.insert(0, Problem { field: FieldName::Address, message });
        }
        if problems.is_empty() { Ok(endpoint) } else { Err(problems) }
    }

    pub(super) fn read(&self, problems: &mut Vec<Problem>, texts: Texts) -> Endpoint {
        let more = &self.more;
        let is_ollama = self.choice != Choice::InPage && self.format == WireFormat::Ollama;
        Endpoint {
            preset: self.preset,
            format: self.format,
            base_url: self.address.trim().to_owned(),
            model: self.model.trim().to_owned(),
            temperature: optional(
                &self.temperature,
                |value: &f64| (0.0..=2.0).contains(value),
                FieldName::Temperature,
                t!(texts, "Temperature: expected a number from 0 to 2, or empty"),
                problems,
                texts,
            ),
            max_tokens: optional(
                &self.max_tokens,
                |value: &u32| *value > 0,
                FieldName::MaxTokens,
                t!(texts, "Max answer tokens: expected a whole number above 0, or empty"),
                problems,
                texts,
            ),
            top_p: optional(
                &more.top_p,
                |value: &f64| *value > 0.0 && *value <= 1.0,
                FieldName::TopP,
                t!(texts, "Top p: expected a number above 0, at most 1, or empty"),
                problems,
                texts,
            ),
            seed: optional(
                &more.seed,
                |_: &u64| true,
                FieldName::SamplingSeed,
                t!(texts, "Sampling seed: expected a whole number, or empty"),
                problems,
                texts,
            ),
            // Other servers ignore it, so don't validate it for them.
            num_ctx: is_ollama.then_some(&more.num_ctx).and_then(|text| {
                optional(
                    text,
                    |value: &u32| *value >= 256,
                    FieldName::NumCtx,
                    t!(texts, "Context window: expected a whole number from 256, or empty"),
                    problems,
                    texts,
                )
            }),
            streaming: more.streaming,
            tool_choice: if more.must_call { ToolChoice::Required } else { ToolChoice::Auto },
            constrained: more.constrained,
            grammar: more.constrained,
            extra: extra(&more.extra, problems, texts),
            fold_roles: more.fold_roles,
            in_page: None,
        }
    }
}

fn extra(text: &str, problems: &mut Vec<Problem>, texts: Texts) -> Map<String, Value> {
    if text.trim().is_empty() {
        return Map::new();
    }
    let reason = match serde_json::from_str(text) {
        Ok(Value::Object(members)) => return members,
        Ok(_) => t!(texts, "another kind of JSON").to_owned(),
        Err(error) => error.to_string(),
    };
    let message = t!(
        texts,
        "Extra request fields: expected a JSON object such as {example}, got {reason}.",
        example = "{\"reasoning_effort\": \"low\"}",
        reason = reason
    );
    problems.push(Problem { field: FieldName::Extra, message });
    Map::new()
}

#[cfg(test)]
mod tests {
    use super::super::endpoint_options::EndpointOptions;
    use super::*;
    use exchange::protocol::Protocol;
    use provider::Timeouts;

    fn form(preset: Preset) -> Form {
        let mut form = Form { choice: Choice::Endpoint, model: "m".to_owned(), ..Form::default() };
        form.pick(preset);
        form
    }

    #[test]
    fn a_preset_sets_address_and_format() {
        let mut form = form(Preset::Anthropic);
        let endpoint = form.endpoint("https://s", Texts::ENGLISH).unwrap();
        assert_eq!(endpoint.base_url, "https://api.anthropic.com/v1");
        assert_eq!((endpoint.format, form.concurrency.as_str()), (WireFormat::Messages, "4"));
        form.pick(Preset::Custom);
        assert_eq!(form.address, "https://api.anthropic.com/v1");
        assert_eq!(form.format, WireFormat::ChatCompletions, "the most common format");
        let proposal = Proposal {
            native_tools: true,
            concurrency: 8,
            fold_roles: true,
            max_tokens: Some(1024),
            streaming: false,
        };
        assert!(!form.suits(proposal));
        form.take(proposal);
        assert!(form.suits(proposal));
        assert_eq!((form.concurrency.as_str(), form.asking.protocol), ("8", Protocol::Tools));
        form.asking.protocol = Protocol::Agent;
        form.take(proposal);
        assert_eq!(form.asking.protocol, Protocol::Agent, "any native protocol matches");
        form.take(Proposal { native_tools: false, concurrency: 1, ..proposal });
        assert_eq!(form.asking.protocol, Protocol::Bracket);
    }

    #[test]
    fn only_ollama_gets_the_context_length() {
        assert_eq!(form(Preset::Ollama).endpoint("", Texts::ENGLISH).unwrap().num_ctx, Some(8192));
        assert_eq!(form(Preset::Vllm).endpoint("", Texts::ENGLISH).unwrap().num_ctx, None);
    }

    #[test]
    fn timeouts_are_taken_from_the_form() {
        let mut form = form(Preset::Ollama);
        assert_eq!(form.settings("", Texts::ENGLISH).unwrap().timeouts, Timeouts::default());
        form.more.headers_s = "900".to_owned();
        form.more.body_s = String::new();
        let expected = Timeouts { headers_s: 900, ..Timeouts::default() };
        assert_eq!(form.settings("", Texts::ENGLISH).unwrap().timeouts, expected);
        (form.more.headers_s, form.more.body_s) = ("0".to_owned(), "1 min".to_owned());
        let problems = form.settings("", Texts::ENGLISH).unwrap_err();
        let fields: Vec<FieldName> = problems.iter().map(|problem| problem.field).collect();
        assert_eq!(fields, [FieldName::HeadersTimeout, FieldName::BodyTimeout]);
    }

    #[test]
    fn every_wrong_field_is_named() {
        let mut form = form(Preset::Ollama);
        form.more = EndpointOptions {
            top_p: "2".to_owned(),
            seed: "x".to_owned(),
            num_ctx: "1".to_owned(),
            extra: "[1]".to_owned(),
            ..EndpointOptions::default()
        };
        let problems = form.endpoint("", Texts::ENGLISH).unwrap_err();
        let fields: Vec<FieldName> = problems.iter().map(|problem| problem.field).collect();
        let expected =
            [FieldName::TopP, FieldName::SamplingSeed, FieldName::NumCtx, FieldName::Extra];
        assert_eq!(fields, expected);
        form.more = EndpointOptions {
            extra: "{\"think\": false}".to_owned(),
            ..EndpointOptions::default()
        };
        assert_eq!(form.endpoint("", Texts::ENGLISH).unwrap().extra["think"], false);
    }
}
