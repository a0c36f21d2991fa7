//! The model in the page as the Run page shows it, and the endpoint that stands for it.

use crate::messages::in_page::{LoadedModel, ModelDescription, ModelSpeed, ModelStep};
use crate::t;
use crate::texts::Texts;
use provider::{Backend, InPageModel};
use record::RunSize;

/// The context length that is offered, in tokens, as for Ollama. Prompts of `all-tools` may not fit.
pub const USUAL_CONTEXT: u64 = 8192;
/// The shortest context length that can be entered, in tokens.
pub const SHORTEST_CONTEXT: u64 = 256;

/// A loaded model, as a form refers to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The name in records.
    pub name: String,
    /// The facts for the record.
    pub facts: InPageModel,
    /// Whether its chat template describes tools.
    pub takes_tools: bool,
}

/// The chosen model: described, then loaded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageModel {
    /// Counts choices: answers about an earlier one are ignored.
    pub turn: u32,
    /// The id of the chosen model among those that this browser keeps.
    pub kept: Option<String>,
    /// The current step with bytes done and in total; `None` while nothing happens.
    pub step: Option<(Step, u64, u64)>,
    /// What the files say.
    pub description: Option<ModelDescription>,
    /// SHA-256 of the files, once known.
    pub digests: Option<Vec<String>>,
    /// The problem with the last step.
    pub failure: Option<String>,
    /// The loaded model.
    pub loaded: Option<LoadedModel>,
}

/// The threads that are offered of those that a device has. One core stays free: threads wait for each
/// other at every step, so one that shares its core slows down all. At most eight, a guess.
pub fn usual_threads(most: u32) -> u32 {
    most.saturating_sub(1).clamp(1, 8)
}

/// A step of choosing and loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Reading the headers.
    Read,
    /// A step of the worker.
    Worker(ModelStep),
}

impl PageModel {
    /// The state after a choice, before its description.
    #[must_use]
    pub fn choose(&self) -> Self {
        let turn = self.turn.wrapping_add(1);
        PageModel { turn, step: Some((Step::Read, 0, 0)), ..PageModel::default() }
    }

    /// The state without a model.
    #[must_use]
    pub fn none(&self) -> Self {
        PageModel { turn: self.turn.wrapping_add(1), ..PageModel::default() }
    }

    /// The state after the worker is gone, and with it the model.
    #[must_use]
    pub fn lost(&self, failure: &str) -> Self {
        match self.description.is_some() || self.loaded.is_some() {
            true => PageModel { failure: Some(failure.to_owned()), ..self.none() },
            false => self.clone(),
        }
    }

    /// Takes the description, or the reason why there is none.
    pub fn described(&mut self, description: Result<ModelDescription, String>) {
        self.step = None;
        match description {
            Ok(description) => self.description = Some(description),
            Err(failure) => self.failure = Some(failure),
        }
    }

    /// Takes the digests, or the reason why there are none.
    pub fn digested(&mut self, digests: Result<Vec<String>, String>) {
        self.step = None;
        match digests {
            Ok(digests) => self.digests = Some(digests),
            Err(failure) => self.failure = Some(failure),
        }
    }

    /// Starts to load.
    pub fn load(&mut self) {
        self.loaded = None;
        self.failure = None;
        self.step = Some((Step::Worker(ModelStep::Load), 0, 0));
    }

    /// Takes the loaded model, or the reason why it can't be loaded.
    pub fn loaded(&mut self, loaded: Result<LoadedModel, String>) {
        self.step = None;
        match loaded {
            Ok(loaded) => {
                self.digests = Some(loaded.facts.digests.clone());
                self.loaded = Some(loaded);
            }
            Err(failure) => self.failure = Some(failure),
        }
    }

    /// Takes progress of the worker; after the last step, there is none.
    pub fn progress(&mut self, step: ModelStep, done: u64, of: u64) {
        // Files are read again when the engine restarts.
        if self.description.is_some() && self.loaded.is_none() {
            self.step = Some((Step::Worker(step), done, of));
        }
    }

    /// Whether the described model can be loaded now; its digest goes into the record, so it comes first.
    pub fn can_load(&self) -> bool {
        let fits = self.description.as_ref().is_some_and(|it| it.problem.is_none());
        fits && self.digests.is_some() && self.step.is_none()
    }

    /// The context length to offer, in tokens.
    pub fn context(&self) -> u64 {
        let description = self.description.as_ref();
        description.map_or(USUAL_CONTEXT, |it| it.model.context(USUAL_CONTEXT, it.memory))
    }

    /// Parses a number of threads.
    ///
    /// # Errors
    /// The expected value.
    pub fn read_threads(text: &str, most: u32, texts: Texts) -> Result<u32, String> {
        let threads = text.trim().parse().ok().filter(|it| (1..=most).contains(it));
        threads.ok_or_else(|| {
            t!(
                texts,
                "Threads: expected a whole number from 1 to {most}, the number of cores, got {text}.",
                most = most,
                text = format!("{text:?}")
            )
        })
    }

    /// Parses a context length.
    ///
    /// # Errors
    /// The expected value.
    pub fn read_context(&self, text: &str, texts: Texts) -> Result<u64, String> {
        let most = self.description.as_ref().map_or(USUAL_CONTEXT, |described| {
            described
                .model
                .context(described.model.context_length.unwrap_or(USUAL_CONTEXT), described.memory)
        });
        let least = SHORTEST_CONTEXT.min(most);
        let context = text.trim().parse().ok().filter(|it| (least..=most).contains(it));
        context.ok_or_else(|| {
            t!(
                texts,
                "Context: expected a whole number from {least} to {most}, got {text}.",
                least = least,
                most = most,
                text = format!("{text:?}")
            )
        })
    }
}

/// The duration of a run in milliseconds, if no prompt shares its beginning with the one before.
pub fn duration_ms(count: &RunSize, speed: ModelSpeed) -> Option<f64> {
    let is_known = speed.prompt > 0.0 && speed.answer > 0.0;
    let seconds = || count.prompt_tokens() / speed.prompt + count.answer_tokens() / speed.answer;
    is_known.then(|| 1000.0 * seconds())
}

/// What the engine computes with, for display.
pub fn backend_title(backend: Backend, threads: u32, texts: Texts) -> String {
    match backend {
        Backend::WebGpu => t!(texts, "GPU (WebGPU)").to_owned(),
        Backend::Threads => t!(texts, "{n} threads of the CPU", n = threads),
        Backend::SingleThread => t!(texts, "one thread of the CPU").to_owned(),
        Backend::Browser => t!(texts, "the browser's own engine").to_owned(),
    }
}

/// Where an engine on one thread would get more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// Nowhere: the page is isolated, or the device has too few cores.
    Nowhere,
    /// In this page, after a reload.
    AfterReload,
    /// On a site that is served with the headers for them.
    OtherSite,
}

/// What would make the engine faster; `None` if nothing.
pub fn faster(backend: Backend, threads: Threads, texts: Texts) -> Option<&'static str> {
    match (backend, threads) {
        (Backend::WebGpu | Backend::Browser, _) => None,
        (Backend::Threads, _) | (Backend::SingleThread, Threads::Nowhere) => {
            Some(t!(texts, "Faster: a browser with WebGPU on a device with a GPU."))
        }
        (Backend::SingleThread, Threads::AfterReload) => Some(t!(
            texts,
            "Faster: reload the page, after which most browsers allow threads; or a browser with \
             WebGPU on a device with a GPU."
        )),
        (Backend::SingleThread, Threads::OtherSite) => Some(t!(
            texts,
            "Faster: a browser with WebGPU on a device with a GPU, or a site that is served with the \
             headers for threads (cross-origin isolation)."
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gguf::Model;

    fn description() -> ModelDescription {
        ModelDescription {
            files: vec!["m.gguf".to_owned()],
            model: Model {
                architecture: "llama".to_owned(),
                context_length: Some(4096),
                cache_bytes_per_token: Some(1024),
                sizes: vec![1000],
                ..Model::default()
            },
            template_digest: None,
            memory: 1 << 32,
            problem: None,
        }
    }

    fn loaded(template: bool) -> LoadedModel {
        let template_digest = template.then(|| "ab".repeat(32));
        let digests = vec!["cd".repeat(32)];
        let facts = InPageModel { digests, template_digest, ..InPageModel::default() };
        let speed = ModelSpeed::default();
        LoadedModel { facts, name: "m".to_owned(), takes_tools: template, speed }
    }

    #[test]
    fn a_model_is_described_then_loaded_and_lost_with_its_worker() {
        let mut model = PageModel::default().choose();
        assert!(!model.can_load());
        model.described(Ok(description()));
        assert_eq!(model.context(), 4096);
        model.progress(ModelStep::Digest, 5, 10);
        assert!(!model.can_load(), "the digest comes first");
        model.digested(Ok(vec!["cd".repeat(32)]));
        assert!(model.step.is_none() && model.can_load());
        model.load();
        model.progress(ModelStep::Load, 7, 10);
        assert!(!model.can_load());
        model.loaded(Ok(loaded(true)));
        assert!(model.loaded.is_some() && model.step.is_none());
        model.progress(ModelStep::Load, 7, 10);
        assert_eq!(model.step, None, "the engine restarted");
        let lost = model.lost("gone");
        assert_eq!((lost.failure.as_deref(), lost.loaded), (Some("gone"), None));
        assert_ne!(lost.turn, model.turn);
    }

    #[test]
    fn a_model_that_does_not_fit_is_not_loaded() {
        let mut model = PageModel::default().choose();
        model
            .described(Ok(ModelDescription { problem: Some("large".to_owned()), ..description() }));
        assert!(!model.can_load());
        let mut broken = PageModel::default().choose();
        broken.described(Err("broken".to_owned()));
        assert!(!broken.can_load() && broken.failure.as_deref() == Some("broken"));
    }

    #[test]
    fn the_context_is_a_number_that_fits() {
        let mut model = PageModel::default();
        model.described(Ok(description()));
        assert_eq!(model.read_context(" 1024 ", Texts::ENGLISH), Ok(1024));
        for text in ["", "100", "8192", "x"] {
            let message = model.read_context(text, Texts::ENGLISH).unwrap_err();
            assert!(message.contains("from 256 to 4096"), "{message}");
        }
    }

    #[test]
    fn only_an_engine_on_one_thread_asks_for_more() {
        let said = |backend, threads| faster(backend, threads, Texts::ENGLISH).unwrap_or_default();
        for threads in [Threads::Nowhere, Threads::AfterReload, Threads::OtherSite] {
            assert!(said(Backend::WebGpu, threads).is_empty());
            assert!(!said(Backend::Threads, threads).contains("threads"));
        }
        assert!(!said(Backend::SingleThread, Threads::Nowhere).contains("threads"));
        assert!(said(Backend::SingleThread, Threads::AfterReload).contains("reload the page"));
        assert!(said(Backend::SingleThread, Threads::OtherSite).contains("headers for threads"));
    }

    #[test]
    fn the_duration_follows_from_the_speed() {
        let count =
            RunSize { prompt_chars: 4000, answer_chars: 400, requests: 1, ..RunSize::default() };
        let speed = ModelSpeed { prompt: 100.0, answer: 10.0 };
        assert_eq!(duration_ms(&count, speed), Some(20_000.0));
        assert_eq!(duration_ms(&count, ModelSpeed::default()), None);
    }
}
