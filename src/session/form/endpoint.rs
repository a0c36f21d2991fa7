//! The endpoint fields of the form, and their conversion to an endpoint.

use super::Form;
use crate::session::Amount;
use crate::session::field::{FieldName, Problem};
use crate::texts::Texts;
use exchange::protocol::Protocol;
use provider::preflight::Proposal;
use provider::{Endpoint, Preset, diagnosis};
use record::options::{CONCURRENCY, FOLD_ROLES, Group, MAX_TOKENS, RunOption, STREAMING};
use record::{Model, RunSettings};

impl Form {
    /// Applies a preset's address, format and concurrency. The custom preset keeps the address.
    pub fn pick(&mut self, preset: Preset) {
        self.preset = preset;
        let facts = preset.facts();
        self.format = facts.format;
        self.linked_address.clear();
        if preset != Preset::Custom {
            facts.address.clone_into(&mut self.address);
            self.options.remove(CONCURRENCY.name);
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
            self.choose_protocol(match (self.amount, proposal.native_tools) {
                (Amount::Horizon, false) => Protocol::AgentText,
                _ => proposal.protocol(),
            });
        }
        for (option, text) in proposed(proposal) {
            self.type_option(option, &text);
        }
    }

    /// Whether the form matches the connection test's proposal.
    pub fn suits(&self, proposal: Proposal) -> bool {
        let fits = |(option, text): (&RunOption, String)| self.option(option).trim() == text;
        self.asks_as(proposal) && proposed(proposal).into_iter().all(fits)
    }

    /// If native calls work, any protocol with native calls matches.
    fn asks_as(&self, proposal: Proposal) -> bool {
        self.run_protocol().is_native() == proposal.native_tools
    }

    /// Converts the fields to an endpoint. `origin` is the site's.
    ///
    /// # Errors
    /// Every invalid field.
    pub fn endpoint(&self, origin: &str, texts: Texts) -> Result<Endpoint, Vec<Problem>> {
        let mut problems = Vec::new();
        let endpoint = self.checked_endpoint(origin, &mut problems, texts);
        if problems.is_empty() { Ok(endpoint) } else { Err(problems) }
    }

    pub(super) fn checked_endpoint(
        &self,
        origin: &str,
        problems: &mut Vec<Problem>,
        texts: Texts,
    ) -> Endpoint {
        let endpoint = self.sampled(
            Endpoint {
                preset: self.preset,
                format: self.format,
                base_url: self.address.trim().to_owned(),
                model: self.model.trim().to_owned(),
                ..Endpoint::default()
            },
            problems,
            texts,
        );
        if let Err(failure) = endpoint.check() {
            let model = failure.message.starts_with("Model");
            let field = if model { FieldName::Model } else { FieldName::Address };
            problems.insert(0, Problem { field, message: failure.message });
        } else if let Some(message) = diagnosis::refused_by_browser(&self.address, origin) {
            problems.insert(0, Problem { field: FieldName::Address, message });
        }
        endpoint
    }

    /// An endpoint with the sampling options.
    pub(super) fn sampled(
        &self,
        endpoint: Endpoint,
        problems: &mut Vec<Problem>,
        texts: Texts,
    ) -> Endpoint {
        let mut settings = RunSettings::new(Model::Endpoint(endpoint.clone()));
        self.apply(&[Group::Sampling], &mut settings, problems, texts);
        match settings.model {
            Model::Endpoint(endpoint) => endpoint,
            Model::Builtin { .. } | Model::Agent(_) => endpoint,
        }
    }
}

/// The options of a proposal.
fn proposed(it: Proposal) -> Vec<(&'static RunOption, String)> {
    let mut options = vec![
        (&CONCURRENCY, it.concurrency.to_string()),
        (&FOLD_ROLES, it.fold_roles.to_string()),
        (&STREAMING, it.streaming.to_string()),
    ];
    options.extend(it.max_tokens.map(|tokens| (&MAX_TOKENS, tokens.to_string())));
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::choice::Choice;
    use provider::{Timeouts, WireFormat};
    use record::options::{BODY_TIMEOUT, EXTRA, NUM_CTX, SAMPLING_SEED, TIMEOUT, TOP_P};

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
        assert_eq!(
            (endpoint.format, form.option(&CONCURRENCY).as_str()),
            (WireFormat::Messages, "4")
        );
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
        assert_eq!((form.option(&CONCURRENCY).as_str(), form.protocol()), ("8", Protocol::Tools));
        form.choose_protocol(Protocol::Agent);
        form.take(proposal);
        assert_eq!(form.protocol(), Protocol::Agent, "any native protocol matches");
        form.take(Proposal { native_tools: false, concurrency: 1, ..proposal });
        assert_eq!(form.protocol(), Protocol::Bracket);
        form.amount = Amount::Horizon;
        form.take(Proposal { native_tools: false, concurrency: 1, ..proposal });
        assert_eq!(form.protocol(), Protocol::AgentText, "tasks are played whole");
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
        form.type_option(&TIMEOUT, "900");
        form.type_option(&BODY_TIMEOUT, "");
        let expected = Timeouts { headers_s: 900, ..Timeouts::default() };
        assert_eq!(form.settings("", Texts::ENGLISH).unwrap().timeouts, expected);
        form.type_option(&TIMEOUT, "0");
        form.type_option(&BODY_TIMEOUT, "1 min");
        let problems = form.settings("", Texts::ENGLISH).unwrap_err();
        let fields: Vec<FieldName> = problems.iter().map(|problem| problem.field).collect();
        assert_eq!(fields, ["timeout", "body_timeout"].map(FieldName::Option));
    }

    #[test]
    fn every_wrong_field_is_named() {
        let mut form = form(Preset::Ollama);
        for (option, text) in
            [(&TOP_P, "2"), (&SAMPLING_SEED, "x"), (&NUM_CTX, "1"), (&EXTRA, "[1]")]
        {
            form.type_option(option, text);
        }
        let problems = form.endpoint("", Texts::ENGLISH).unwrap_err();
        let fields: Vec<FieldName> = problems.iter().map(|problem| problem.field).collect();
        assert_eq!(fields, ["top_p", "sampling_seed", "num_ctx", "extra"].map(FieldName::Option));
        form.options.clear();
        form.type_option(&EXTRA, "{\"think\": false}");
        assert_eq!(form.endpoint("", Texts::ENGLISH).unwrap().extra["think"], false);
        form.type_option(&EXTRA, "{\"messages\": []}");
        let problems = form.endpoint("", Texts::ENGLISH).unwrap_err();
        assert_eq!(problems[0].field, FieldName::Option("extra"));
        assert!(problems[0].message.contains("messages can't be set here"), "{problems:?}");
    }
}
