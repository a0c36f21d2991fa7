//! The shell: what every page shares, and who shows which page.

pub mod answers;
mod kept;
mod links;
mod packs;
mod shell;

pub use links::FromLink;

use crate::bridge::Bridge;
use crate::components::language::LanguagePicker;
use crate::pages;
use crate::platform::runs::Listed;
use crate::platform::{fetch, language, page};
use crate::protocol::{Command, Event, PackFacts, SearchHit};
use crate::session::forecast::Measured;
use crate::session::{Browse, Filter, Form, Generation, Library, Plan, Route, Run};
use crate::t;
use crate::texts::Language;
use engine::runner::{Estimate, RunSettings};
use engine::scoring::Profile;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use leptos::{ev, html};
use shell::{Header, Troubles};

/// Samples that come within this time are shown together: a page cannot repaint more often.
const BATCH_MS: u32 = 50;
/// Where the form is stored, without the key.
const FORM: &str = "api-bank.form";
/// Where the targets of the Generate page are stored.
const PLAN: &str = "api-bank.plan";
/// Where the key stands for this tab, if the user wants that.
const KEY: &str = "api-bank.key";

/// How far the worker is.
#[derive(Debug, Clone, PartialEq)]
pub enum Engine {
    /// Not started: nothing has needed it.
    Off,
    /// Its script is on the way.
    Starting,
    /// It loads the search model and the data.
    Loading(u64),
    /// It can work.
    Ready(PackFacts),
    /// It broke down, with the reason.
    Broken(String),
}

/// An answer to a question with a number.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// What a search found.
    Found(Vec<SearchHit>),
    /// What the Compare page asked for.
    Compared(Box<crate::protocol::compare::Answer>),
    /// What a verification found.
    Verified(Box<engine::record::Verification>),
    /// What the Demo page asked for.
    Demo(Box<crate::protocol::demo::Answer>),
    /// What the Dataset page asked for.
    Dataset(Box<crate::protocol::browse::Answer>),
    /// What a run would ask.
    Estimated(Estimate),
    /// What a call gave.
    Called(Box<apis::effect::Effect>),
    /// Why there is no answer.
    Refused(String),
}

/// The state that pages share.
#[derive(Clone, Copy)]
pub struct App {
    /// The language of the page.
    pub language: RwSignal<Language>,
    /// The place.
    pub route: RwSignal<Route>,
    /// What the form holds.
    pub form: RwSignal<Form>,
    /// The key: in memory, and for this tab where the user asks for that.
    pub key: RwSignal<String>,
    /// Whether the key survives a reload of this tab.
    pub keep_key: RwSignal<bool>,
    /// The current or last run.
    pub run: RwSignal<Run>,
    /// The runs that are kept in this browser; an error where none can be kept.
    pub kept: RwSignal<Result<Listed, String>>,
    /// The worker.
    pub engine: RwSignal<Engine>,
    /// The profile that numbers are shown under.
    pub profile: RwSignal<Profile>,
    /// Which samples are listed.
    pub filter: RwSignal<Filter>,
    /// How far the list of samples is scrolled, in pixels: the way back from a sample.
    pub list_top: RwSignal<f64>,
    /// The dialogues that the Dataset page lists.
    pub browse: RwSignal<Browse>,
    /// The last answer to a numbered question.
    pub reply: RwSignal<Option<(u32, Reply)>>,
    /// A passing message: a file that could not be saved, a refused command.
    pub notice: RwSignal<Option<String>>,
    /// The current or kept generation.
    pub generation: RwSignal<Generation>,
    /// What to generate.
    pub plan: RwSignal<Plan>,
    /// Counts resets of the scratch world.
    pub resets: RwSignal<u32>,
    /// How many samples of a record are verified, and of how many; 0 before it is read.
    pub verifying: RwSignal<(usize, usize)>,
    /// How long an answer of the endpoint took in the last test of its connection.
    pub measured: RwSignal<Option<Measured>>,
    /// What a link filled in.
    pub from_link: RwSignal<Option<FromLink>>,
    /// The data that can be run.
    pub library: RwSignal<Library>,
    look_again: StoredValue<Option<Timeout>, LocalStorage>,
    next_id: StoredValue<u32>,
    bridge: StoredValue<Option<Bridge>, LocalStorage>,
    /// Samples that wait to be shown, and the timer that shows them.
    batch: StoredValue<(Vec<Event>, Option<Timeout>), LocalStorage>,
}

/// The shared state.
pub fn use_app() -> App {
    expect_context::<App>()
}

impl App {
    fn new(language: Language) -> Self {
        App {
            language: RwSignal::new(language),
            route: RwSignal::new(Route::default()),
            form: RwSignal::new(page::stored(FORM).unwrap_or_default()),
            key: RwSignal::new(page::of_tab(KEY).unwrap_or_default()),
            keep_key: RwSignal::new(page::of_tab(KEY).is_some()),
            kept: RwSignal::new(Ok(Listed::default())),
            run: RwSignal::new(Run::default()),
            engine: RwSignal::new(Engine::Off),
            profile: RwSignal::new(Profile::Execution),
            filter: RwSignal::new(Filter::default()),
            list_top: RwSignal::new(0.0),
            browse: RwSignal::new(Browse::default()),
            reply: RwSignal::new(None),
            notice: RwSignal::new(None),
            generation: RwSignal::new(Generation::default()),
            plan: RwSignal::new(page::stored(PLAN).unwrap_or_default()),
            resets: RwSignal::new(0),
            verifying: RwSignal::new((0, 0)),
            measured: RwSignal::new(None),
            from_link: RwSignal::new(None),
            library: RwSignal::new(Library { chosen: packs::chosen(), ..Library::default() }),
            look_again: StoredValue::new_local(None),
            next_id: StoredValue::new(0),
            bridge: StoredValue::new_local(None),
            batch: StoredValue::new_local((Vec::new(), None)),
        }
    }

    /// Starts the run that the form describes; `false` when a field is wrong.
    pub fn start_run(self) -> bool {
        let Ok(settings) = self.form.read_untracked().settings(&fetch::origin()) else {
            return false;
        };
        self.run_with(settings);
        true
    }

    fn run_with(self, settings: RunSettings) {
        let key = self.key_for_endpoint();
        self.begin(settings.clone(), Command::Run { settings: Box::new(settings), key });
    }

    fn begin(self, settings: RunSettings, command: Command) {
        page::ask_to_keep();
        self.notice.set(None);
        self.filter.set(Filter::default());
        self.list_top.set(0.0);
        self.run.set(Run::begin(settings, page::now_ms()));
        self.send(command);
    }

    fn key_for_endpoint(self) -> Option<String> {
        Some(self.key.get_untracked()).filter(|key| !key.is_empty())
    }

    /// Says so when a file could not be saved.
    fn saved(self, done: bool) {
        if !done {
            self.notice.set(Some(t!("The browser refused to save the file.").to_owned()));
        }
    }

    /// Stops the run, whether or not the worker has begun it.
    pub fn cancel_run(self) {
        let waiting = self
            .bridge
            .try_update_value(|bridge| bridge.as_mut().is_some_and(Bridge::drop_waiting_run));
        if waiting == Some(true) {
            self.run.update(|run| run.cancel_before_start(page::now_ms()));
        } else {
            self.send(Command::Cancel);
        }
    }

    /// Sends a command; starts the worker when there is none.
    pub fn send(self, command: Command) {
        self.send_with(command, None);
    }

    /// Sends a command with files of the user's beside it.
    fn send_with(self, command: Command, files: Option<js_sys::Array>) {
        self.start_worker();
        let sent = self
            .bridge
            .try_update_value(|bridge| bridge.as_mut().map(|bridge| bridge.send(command, files)))
            .flatten();
        if let Some(Err(message)) = sent {
            self.hear(Event::Panicked { message });
        }
    }

    /// Sends a command that carries a number; the answer has the same.
    pub fn ask(self, command: impl FnOnce(u32) -> Command) -> u32 {
        let id = self.next_id.get_value().wrapping_add(1);
        self.next_id.set_value(id);
        self.send(command(id));
        id
    }

    /// Has a record's file verified and opened; the answer has the number that is given back.
    pub fn verify(self, file: &web_sys::File) -> u32 {
        self.verifying.set((0, 0));
        let id = self.next_id.get_value().wrapping_add(1);
        self.next_id.set_value(id);
        self.send_with(Command::Verify { id }, Some(js_sys::Array::of1(file)));
        id
    }

    /// Starts a worker unless one runs.
    pub fn start_worker(self) {
        let running = self.bridge.with_value(Option::is_some);
        if running || matches!(self.engine.get_untracked(), Engine::Broken(_)) {
            if let Engine::Broken(message) = self.engine.get_untracked() {
                self.run.update(|run| run.fail(&message, page::now_ms()));
            }
            return;
        }
        self.engine.set(Engine::Starting);
        match Bridge::start(move |event| self.receive(event)) {
            Ok(bridge) => self.bridge.set_value(Some(bridge)),
            Err(message) => self.hear(Event::Panicked { message }),
        }
    }

    /// Gives up the old worker and starts a fresh one.
    pub fn restart_worker(self) {
        self.bridge.set_value(None);
        self.engine.set(Engine::Off);
        if self.route.get_untracked() == Route::DebugPanic {
            go(&Route::Run);
        }
        self.start_worker();
    }

    /// Takes an event of the worker: samples in batches, everything else at once.
    fn receive(self, event: Event) {
        if !matches!(event, Event::Sample { .. }) {
            self.flush();
            self.hear(event);
            return;
        }
        self.batch.update_value(|(waiting, timer)| {
            waiting.push(event);
            if timer.is_none() {
                *timer = Some(Timeout::new(BATCH_MS, move || self.flush()));
            }
        });
    }

    fn flush(self) {
        let waiting = self
            .batch
            .try_update_value(|(waiting, timer)| {
                // A timer that has gone off must not be cancelled from inside itself.
                if let Some(timer) = timer.take() {
                    timer.forget();
                }
                std::mem::take(waiting)
            })
            .unwrap_or_default();
        if !waiting.is_empty() {
            let now = page::now_ms();
            self.run.update(|run| waiting.iter().for_each(|event| run.fold(event, now)));
        }
    }

    fn hear(self, event: Event) {
        let now = page::now_ms();
        if let Event::Opened { settings } = &event {
            self.filter.set(Filter::default());
            self.list_top.set(0.0);
            self.run.set(Run::begin((**settings).clone(), now));
        }
        if self.run.with_untracked(|run| run.phase.is_active()) {
            self.run.update(|run| run.fold(&event, now));
        }
        if event.is_of_library() {
            self.library.update(|library| library.fold(&event));
        }
        match event {
            Event::Listening => {
                let pack = self.library.with_untracked(|library| library.chosen.clone());
                self.tell(|bridge| bridge.load(pack));
            }
            Event::Loading { bytes } => self.engine.set(Engine::Loading(bytes)),
            Event::Ready { pack, .. } => {
                // The locks of a worker that broke down are free now.
                self.refresh_kept();
                self.engine.set(Engine::Ready(pack));
                self.tell(Bridge::open);
            }
            Event::LoadFailed { message } | Event::Panicked { message } => {
                // The first reason is the cause; what follows are its echoes.
                if !matches!(self.engine.get_untracked(), Engine::Broken(_)) {
                    self.engine.set(Engine::Broken(message));
                }
            }
            Event::RecordFile { name, text } => self.saved(page::save(&name, &text).is_ok()),
            Event::FileAt { name, url } => {
                self.notice.set(None);
                self.saved(page::save_at(&name, url).is_ok());
            }
            Event::PackRefused { message } | Event::Refused { id: None, message } => {
                self.notice.set(Some(message))
            }
            Event::Refused { id: Some(id), message } => {
                self.reply.set(Some((id, Reply::Refused(message))));
            }
            Event::Found { id, hits } => self.reply.set(Some((id, Reply::Found(hits)))),
            Event::Verifying { done, of } => self.verifying.set((done, of)),
            Event::Verified { id, found } => self.reply.set(Some((id, Reply::Verified(found)))),
            Event::Opened { .. } => {}
            Event::Estimated { id, estimate } => {
                self.reply.set(Some((id, Reply::Estimated(estimate))));
            }
            Event::Compared { id, answer } => self.reply.set(Some((id, Reply::Compared(answer)))),
            Event::Dataset { id, answer } => {
                self.reply.set(Some((id, Reply::Dataset(answer))));
            }
            Event::Demo { id, answer } => self.reply.set(Some((id, Reply::Demo(answer)))),
            Event::Called { id, effect } => self.reply.set(Some((id, Reply::Called(effect)))),
            Event::Generation { news } => self.generation.update(|it| it.fold(*news)),
            Event::WorldReset => self.resets.update(|count| *count += 1),
            Event::Started { .. } | Event::Finished { .. } | Event::NotKept { .. } => {
                self.refresh_kept();
            }
            Event::Paused { on } => self.generation.update(|it| it.pause(on)),
            Event::Sample { .. }
            | Event::Kept { .. }
            | Event::Auditing { .. }
            | Event::Audited { .. }
            | Event::Importing { .. }
            | Event::Imported { .. }
            | Event::ImportFailed { .. } => {}
        }
    }

    fn tell(self, what: impl FnOnce(&mut Bridge) -> Result<(), String>) {
        let told = self.bridge.try_update_value(|bridge| bridge.as_mut().map(what)).flatten();
        if let Some(Err(message)) = told {
            self.hear(Event::Panicked { message });
        }
    }
}

/// Goes to a place.
pub fn go(route: &Route) {
    if let Err(error) = window().location().set_hash(&route.href()) {
        leptos::logging::error!("{error:?}");
    }
}

/// Puts the app onto the page, in the reader's language.
pub fn start() {
    // Leptos has no executor before the app is mounted.
    wasm_bindgen_futures::spawn_local(async {
        let mut spoken = language::preferred();
        let trouble = language::speak(spoken).await.err();
        if trouble.is_some() {
            spoken = Language::English;
        }
        page::remove("boot");
        leptos::mount::mount_to_body(move || view! { <App language=spoken trouble/> });
    });
}

/// The whole app.
#[component]
fn App(
    /// The language that is spoken.
    language: Language,
    /// Why it is not the one that was asked for.
    trouble: Option<String>,
) -> impl IntoView {
    let app = App::new(language);
    app.notice.set(trouble);
    provide_context(app);
    app.arrive();
    let main = NodeRef::<html::Main>::new();
    let moved = window_event_listener(ev::hashchange, move |_| {
        app.arrive();
        // Readers of the screen hear of the new page, and the keyboard starts at its top.
        if let Some(main) = main.get_untracked() {
            let _ = main.focus();
        }
        window().scroll_to_with_x_and_y(0.0, 0.0);
    });
    on_cleanup(move || moved.remove());
    Effect::new(move || page::store(FORM, &*app.form.read()));
    Effect::new(move || page::store(PLAN, &*app.plan.read()));
    Effect::new(move || {
        let key = app.key.read();
        page::keep_for_tab(KEY, app.keep_key.get().then_some(key.as_str()));
    });
    app.refresh_kept();
    Effect::new(move || {
        app.language.track();
        document().set_title(&format!("{} · API-Bank", app.route.read().title()));
    });
    Effect::new(move || {
        if *app.route.read() == Route::DebugPanic {
            app.send(Command::Panic);
        }
    });
    let skip = move |event: ev::MouseEvent| {
        event.prevent_default();
        if let Some(main) = main.get_untracked() {
            let _ = main.focus();
        }
    };
    // Rendered anew in another language; what was typed and what goes on stays in the state.
    move || {
        app.language.track();
        view! {
            <a class="skip" href="#main" on:click=skip>{t!("Skip to the content")}</a>
            <Header app/>
            <main id="main" class="main" tabindex="-1" node_ref=main>
                <Troubles app/>
                {move || pages::show(&app.route.get())}
            </main>
            <footer class="footer">
                <span>"API-Bank " {env!("CARGO_PKG_VERSION")}</span>
                <span>{t!("Everything runs in this browser. Requests go only to the endpoint you name.")}</span>
                <LanguagePicker/>
            </footer>
        }
    }
}
