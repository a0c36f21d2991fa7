//! State and actions of the displayed run.

use super::{App, Latest};
use crate::messages::{Pause, RunOrigin, RunProgress, StartRun};
use crate::platform::{fetch, page};
use crate::session::{Filter, Form, Run, Source};
use crate::texts;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use leptos::task::spawn_local;
use record::{RunSettings, RunSize, Summary};
use scoring::Profile;

/// Samples that arrive within this many milliseconds are rendered together, to leave CPU time to
/// the worker.
const BATCH_MS: u32 = 100;

/// The displayed run and its view options.
#[derive(Clone, Copy)]
pub struct RunState {
    /// The current or last run.
    pub current: RwSignal<Run>,
    /// The displayed profile.
    pub profile: RwSignal<Profile>,
    /// Filter of the list of samples.
    pub filter: RwSignal<Filter>,
    /// Scroll offset of the list of samples in pixels, restored when returning from a sample.
    pub list_top: RwSignal<f64>,
    /// The summary, created on first use.
    summary: StoredValue<Option<Memo<Summary>>>,
    /// The app's owner, for signals that outlive a page.
    owner: StoredValue<Owner>,
    /// Samples waiting to be rendered, and the timer that renders them.
    batch: StoredValue<(Vec<RunProgress>, Option<Timeout>), LocalStorage>,
}

impl RunState {
    pub(super) fn new() -> Self {
        RunState {
            current: RwSignal::new(Run::default()),
            profile: RwSignal::new(Profile::Execution),
            filter: RwSignal::new(Filter::default()),
            list_top: RwSignal::new(0.0),
            summary: StoredValue::new(None),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
            batch: StoredValue::new_local((Vec::new(), None)),
        }
    }

    /// The summary under the displayed profile, computed once for all views.
    pub fn summary(self) -> Memo<Summary> {
        if let Some(known) = self.summary.get_value() {
            return known;
        }
        let count =
            move |_: Option<&Summary>| self.current.with(|run| run.summary(self.profile.get()));
        // The memo must outlive the component that first uses it.
        let owner = self.owner.get_value();
        let memo = owner.with(|| Memo::new(count));
        self.summary.set_value(Some(memo));
        memo
    }

    /// Whether a run is in progress or about to start.
    pub fn is_active(self) -> bool {
        self.current.with_untracked(|run| run.phase.is_active())
    }

    /// Moves the focus from one of these buttons to the progress: when a run starts or ends they go, and
    /// the focus would fall to the page's body.
    pub fn take_focus(self, buttons: &str) {
        page::catch_focus(buttons, "#progress-title");
    }

    /// Shows another run, unfiltered and scrolled to the top.
    pub(super) fn show(self, settings: RunSettings, source: Source) {
        self.filter.set(Filter::default());
        self.list_top.set(0.0);
        self.current.set(Run::begin(settings, source, page::now_ms()));
    }
}

impl App {
    /// Starts the run described by the form; `false` if a field is invalid.
    pub fn start_run(self) -> bool {
        let form = self.setup.form.read_untracked().settings(&fetch::origin(), texts::current());
        let Ok(settings) = form else { return false };
        if !self.sending.key_is_usable(&settings.model) {
            return false;
        }
        self.run_with(settings, self.setup.form.with_untracked(Form::source));
        true
    }

    /// Starts a run, once the user agrees to its host.
    pub fn run_with(self, settings: RunSettings, source: Source) {
        let model = settings.model.clone();
        self.once_agreed(&model, source, move || {
            let key = self.sending.key_for(&settings.model);
            let origin = RunOrigin::New(Box::new(settings.clone()));
            self.run.take_focus("button");
            self.begin(settings, source, StartRun { origin, key });
        });
    }

    pub(super) fn begin(self, settings: RunSettings, source: Source, request: StartRun) {
        page::ask_to_keep();
        self.ui.notice.set(None);
        self.run.show(settings, source);
        self.lazy.run(move |lazy| (lazy.play)(self, request));
    }

    /// Has the worker play a run and shows it. Only the lazy-loaded module may call it by name.
    pub(crate) fn play_now(self, request: StartRun) {
        let facts = self.follow(request, None, move |progress| self.show_progress(progress));
        spawn_local(async move {
            let facts = facts.await;
            self.show_batch();
            let now = page::now_ms();
            self.run.current.update(|run| match facts {
                Ok(facts) => run.finish(facts, now),
                Err(message) => run.fail(&message, now),
            });
            self.refresh_runs_now();
        });
    }

    /// Shows the progress of a run: samples in batches, everything else at once. Only the lazy-loaded
    /// module may call it by name.
    pub(crate) fn show_progress(self, progress: RunProgress) {
        if matches!(progress, RunProgress::Sample { .. }) {
            self.run.batch.update_value(|(waiting, timer)| {
                waiting.push(progress);
                if timer.is_none() {
                    *timer = Some(Timeout::new(BATCH_MS, move || self.show_batch()));
                }
            });
            return;
        }
        self.show_batch();
        if let RunProgress::Started { id, .. } = &progress {
            App::remember_shown(id.as_deref());
        }
        self.run.current.update(|run| run.fold(&progress, page::now_ms()));
        use RunProgress::{KeptAgain, NotKept, Started};
        if matches!(progress, Started { .. } | NotKept { .. } | KeptAgain { .. }) {
            self.refresh_runs_now();
        }
    }

    fn show_batch(self) {
        let waiting = self
            .run
            .batch
            .try_update_value(|(waiting, timer)| {
                // Dropping a fired timer inside its own callback would cancel it.
                if let Some(timer) = timer.take() {
                    timer.forget();
                }
                std::mem::take(waiting)
            })
            .unwrap_or_default();
        if !waiting.is_empty() {
            let now = page::now_ms();
            self.run.current.update(|run| waiting.iter().for_each(|event| run.fold(event, now)));
        }
    }

    /// Pauses or continues the run, or the generation.
    pub fn pause(self, on: bool) {
        let runs = self.ask(Pause { on });
        spawn_local(async move {
            if runs.await == Ok(true) {
                self.run.current.update(|run| run.pause(on, page::now_ms()));
                self.generation.current.update(|current| current.pause(on));
            }
        });
    }

    /// Runs the dialogues of the listed samples as a separate run.
    pub fn rerun_listed(self) {
        let rerun = self.run.current.with_untracked(|run| {
            let profile = self.run.profile.get_untracked();
            let listed =
                self.run.filter.with_untracked(|it| it.apply(run, profile, texts::current()));
            Some((run.rerun_settings(&listed)?, run.source))
        });
        if let Some((settings, source)) = rerun {
            self.run_with(settings, source);
        }
    }

    /// Estimates the requests and tokens of a run.
    pub fn estimate(self, settings: RunSettings, estimate: Latest<RunSize>) {
        let settings = Box::new(settings);
        self.lazy.run(move |lazy| (lazy.estimate)(self, settings, estimate));
    }

    /// Cancels the run, even if the worker has not started it.
    pub fn cancel_run(self) {
        self.lazy.run(move |lazy| (lazy.cancel_run)(self));
    }
}
