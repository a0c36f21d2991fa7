//! The endpoint that stands for the model in the page.

use super::Form;
use crate::session::choice::Choice;
use crate::session::field::{FieldName, Problem};
use crate::session::in_page::Loaded;
use crate::t;
use crate::texts::Texts;
use exchange::protocol::Protocol;
use provider::{BROWSER_MODEL_ADDRESS, Endpoint, IN_PAGE_ADDRESS, Preset, WireFormat};

impl Form {
    /// Whether a model in the page is chosen, and loaded.
    pub fn runs_in_page(&self) -> bool {
        self.choice == Choice::InPage && self.loaded.is_some()
    }

    /// Who answers on the Demo and Generate pages: the model in the page if one is chosen and loaded,
    /// or else the endpoint. `origin` is the site's.
    ///
    /// # Errors
    /// Every invalid field.
    pub fn answering(&self, origin: &str, texts: Texts) -> Result<Endpoint, Vec<Problem>> {
        if !self.runs_in_page() {
            return self.endpoint(origin, texts);
        }
        let mut form = self.clone();
        // Neither page describes tools.
        form.choose_protocol(Protocol::Bracket);
        let mut problems = Vec::new();
        let endpoint = form.in_page(&mut problems, texts);
        if problems.is_empty() { Ok(endpoint) } else { Err(problems) }
    }

    /// The endpoint that stands for the loaded model. Without a chat template, the model continues
    /// texts.
    pub(super) fn in_page(&self, problems: &mut Vec<Problem>, texts: Texts) -> Endpoint {
        let facts = self.loaded.as_ref().map(|it| Box::new(it.facts.clone())).unwrap_or_default();
        let new = Endpoint { in_page: Some(facts), ..Endpoint::default() };
        let sampled = self.sampled(new, problems, texts);
        let Some(loaded) = &self.loaded else {
            let message = t!(texts, "Model: choose a GGUF file and load it first.").to_owned();
            problems.insert(0, Problem { field: FieldName::Model, message });
            return sampled;
        };
        let has_template = loaded.facts.template_digest.is_some();
        if self.run_protocol().is_native() && !loaded.takes_tools {
            let message = match loaded.facts.is_browsers() {
                true => t!(
                    texts,
                    "Model: the browser's own takes no tools. Choose the protocol bracket or agent-text."
                ),
                false => t!(
                    texts,
                    "Model: its chat template has no tools, so it would not see them. Choose the protocol bracket or agent-text."
                ),
            };
            problems.insert(0, Problem { field: FieldName::Model, message: message.to_owned() });
        }
        if loaded.facts.is_browsers() {
            return browsers(loaded);
        }
        Endpoint {
            format: if has_template {
                WireFormat::ChatCompletions
            } else {
                WireFormat::Completions
            },
            base_url: IN_PAGE_ADDRESS.to_owned(),
            model: loaded.name.clone(),
            ..sampled
        }
    }
}

/// The endpoint that stands for the browser's own model, which takes no settings.
fn browsers(loaded: &Loaded) -> Endpoint {
    Endpoint {
        preset: Preset::Custom,
        format: WireFormat::ChatCompletions,
        base_url: BROWSER_MODEL_ADDRESS.to_owned(),
        model: loaded.name.clone(),
        streaming: true,
        in_page: Some(Box::new(loaded.facts.clone())),
        ..Endpoint::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::in_page::{LoadedModel, ModelSpeed};
    use provider::{Backend, InPageModel};
    use record::Model as RunModel;

    fn loaded(template: bool) -> LoadedModel {
        let template_digest = template.then(|| "ab".repeat(32));
        let digests = vec!["cd".repeat(32)];
        let facts = InPageModel { digests, template_digest, ..InPageModel::default() };
        let speed = ModelSpeed::default();
        LoadedModel { facts, name: "m".to_owned(), takes_tools: template, speed }
    }

    #[test]
    fn a_loaded_model_stands_for_an_endpoint() {
        let mut form = Form::default();
        form.choose(Choice::InPage);
        let missing = form.settings("", Texts::ENGLISH).unwrap_err();
        assert_eq!(missing.iter().map(|it| it.field).collect::<Vec<_>>(), [FieldName::Model]);
        let put = |form: &mut Form, model: LoadedModel| {
            let LoadedModel { facts, name, takes_tools, .. } = model;
            form.loaded = Some(Loaded { name, facts, takes_tools });
        };
        put(&mut form, loaded(true));
        let settings = form.settings("", Texts::ENGLISH).unwrap();
        assert_eq!(settings.concurrency, 1);
        let RunModel::Endpoint(endpoint) = settings.model else { panic!("an endpoint") };
        assert!(endpoint.check().is_ok());
        assert_eq!(endpoint.format, WireFormat::ChatCompletions);
        assert_eq!(endpoint.max_tokens, Some(512), "a base model writes to the limit");
        put(&mut form, loaded(false));
        let settings = form.settings("", Texts::ENGLISH).unwrap();
        let RunModel::Endpoint(endpoint) = settings.model else { panic!("an endpoint") };
        assert_eq!(endpoint.format, WireFormat::Completions);
        form.choose_protocol(Protocol::Tools);
        let message = form.settings("", Texts::ENGLISH).unwrap_err().remove(0).message;
        assert!(message.contains("has no tools"), "{message}");
    }

    #[test]
    fn the_browsers_own_model_takes_neither_tools_nor_settings() {
        let mut form = Form::default();
        form.choose(Choice::InPage);
        let facts = InPageModel { backend: Backend::Browser, ..InPageModel::default() };
        form.loaded = Some(Loaded { name: "b".to_owned(), facts, takes_tools: false });
        let settings = form.settings("", Texts::ENGLISH).unwrap();
        let RunModel::Endpoint(endpoint) = settings.model else { panic!("an endpoint") };
        assert!(endpoint.check().is_ok());
        assert_eq!(
            (endpoint.temperature, endpoint.max_tokens, endpoint.grammar),
            (None, None, false)
        );
        for protocol in [Protocol::Tools, Protocol::AllTools, Protocol::Agent] {
            form.choose_protocol(protocol);
            let message = form.settings("", Texts::ENGLISH).unwrap_err().remove(0).message;
            assert!(message.contains("takes no tools"), "{protocol:?}: {message}");
        }
    }
}
