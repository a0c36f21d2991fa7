//! The shell: what every page shares, and who shows which page.

mod kept;
mod latest;
mod links;
mod packs;
pub mod sending;
mod shell;
mod summary;
mod worker;

pub use latest::Latest;
pub use links::FromLink;

use crate::bridge::Bridge;
use crate::components::language::LanguagePicker;
use crate::later::{self, Later};
use crate::pages;
use crate::platform::runs::Listed;
use crate::platform::{fetch, language, page};
use crate::protocol::request::decode;
use crate::protocol::{Command, Event, PackFacts, Request};
use crate::session::forecast::Measured;
use crate::session::{Browse, Filter, Form, Generation, Keys, Library, Plan, Route, Run, Source};
use crate::t;
use crate::texts::{self, Language};
use futures::channel::oneshot;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::{ev, html};
use record::Summary;
use record::{Estimate, RunSettings};
use scoring::Profile;
use shell::{Header, Troubles};

/// Where the form is stored, without the key.
const FORM: &str = "api-bank.form";
/// Where the targets of the Generate page are stored.
const PLAN: &str = "api-bank.plan";

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

/// The state that pages share.
#[derive(Clone, Copy)]
pub struct App {
    /// The language of the page.
    pub language: RwSignal<Language>,
    /// The place.
    pub route: RwSignal<Route>,
    /// What the form holds.
    pub form: RwSignal<Form>,
    /// Keys by origin: in memory, and for this tab where the user asks for that.
    pub keys: RwSignal<Keys>,
    /// What the user is asked before requests leave.
    pub question: RwSignal<Option<sending::Question>>,
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
    /// What is loaded once the page is painted.
    pub later: RwSignal<Option<&'static Later>>,
    /// Whether it could not be loaded.
    pub missing: RwSignal<bool>,
    /// Under it stands what lives as long as the app.
    owner: StoredValue<Owner>,
    /// The numbers of the run, once somebody has asked for them.
    summary: StoredValue<Option<Memo<Summary>>>,
    /// What is to be done as soon as it is there.
    waiting: StoredValue<Vec<Deed>, LocalStorage>,
    /// What is done once the user agrees to send requests.
    deed: StoredValue<Option<sending::Deed>, LocalStorage>,
    look_again: StoredValue<Option<Timeout>, LocalStorage>,
    bridge: StoredValue<Option<Bridge>, LocalStorage>,
    /// Samples that wait to be shown, and the timer that shows them.
    batch: StoredValue<(Vec<Event>, Option<Timeout>), LocalStorage>,
}

/// Something that needs the file that is loaded later.
type Deed = Box<dyn FnOnce(&'static Later)>;

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
            keys: RwSignal::new(Keys::restore(page::of_tab(sending::KEYS).as_deref())),
            question: RwSignal::new(None),
            kept: RwSignal::new(Ok(Listed::default())),
            run: RwSignal::new(Run::default()),
            engine: RwSignal::new(Engine::Off),
            profile: RwSignal::new(Profile::Execution),
            filter: RwSignal::new(Filter::default()),
            list_top: RwSignal::new(0.0),
            browse: RwSignal::new(Browse::default()),
            notice: RwSignal::new(None),
            generation: RwSignal::new(Generation::default()),
            plan: RwSignal::new(page::stored(PLAN).unwrap_or_default()),
            resets: RwSignal::new(0),
            verifying: RwSignal::new((0, 0)),
            measured: RwSignal::new(None),
            from_link: RwSignal::new(None),
            library: RwSignal::new(Library { chosen: packs::chosen(), ..Library::default() }),
            later: RwSignal::new(None),
            missing: RwSignal::new(false),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
            summary: StoredValue::new(None),
            waiting: StoredValue::new_local(Vec::new()),
            deed: StoredValue::new_local(None),
            look_again: StoredValue::new_local(None),
            bridge: StoredValue::new_local(None),
            batch: StoredValue::new_local((Vec::new(), None)),
        }
    }

    /// Starts the run that the form describes; `false` when a field is wrong.
    pub fn start_run(self) -> bool {
        let Ok(settings) = self.form.read_untracked().settings(&fetch::origin(), texts::current())
        else {
            return false;
        };
        if !self.key_is_usable(&settings.model) {
            return false;
        }
        self.run_with(settings, self.source_of_form());
        true
    }

    fn run_with(self, settings: RunSettings, source: Source) {
        let model = settings.model.clone();
        self.once_agreed(&model, source, move || {
            let key = self.key_for(&settings.model);
            let command = Command::Run { settings: Box::new(settings.clone()), key };
            self.begin(settings, source, command);
        });
    }

    fn begin(self, settings: RunSettings, source: Source, command: Command) {
        page::ask_to_keep();
        self.notice.set(None);
        self.filter.set(Filter::default());
        self.list_top.set(0.0);
        self.run.set(Run::begin(settings, source, page::now_ms()));
        self.send(command);
    }

    /// Says so when a file could not be saved.
    fn saved(self, done: bool) {
        if !done {
            self.notice.set(Some(t!("The browser refused to save the file.").to_owned()));
        }
    }

    /// Sends a command; starts the worker when there is none.
    pub fn send(self, command: Command) {
        self.send_with(command, None);
    }

    /// Sends a command with files of the user's beside it.
    fn send_with(self, command: Command, files: Option<js_sys::Array>) {
        self.with_later(move |later| (later.send)(self, command, files));
    }

    /// Has a run counted.
    pub fn estimate(self, settings: RunSettings, estimate: Latest<Estimate>) {
        let settings = Box::new(settings);
        self.with_later(move |later| (later.estimate)(self, settings, estimate));
    }

    /// Stops the run, whether or not the worker has begun it.
    pub fn cancel_run(self) {
        self.with_later(move |later| (later.cancel_run)(self));
    }

    /// Starts a worker unless one runs.
    pub fn start_worker(self) {
        self.with_later(move |later| (later.start_worker)(self));
    }

    /// Gives up the old worker and starts a fresh one.
    pub fn restart_worker(self) {
        self.with_later(move |later| (later.restart_worker)(self));
    }

    /// Reads anew which runs are kept.
    pub fn refresh_kept(self) {
        self.with_later(move |later| (later.refresh_kept)(self));
    }

    /// Does something with what is loaded later: now, or as soon as it is there.
    fn with_later(self, deed: impl FnOnce(&'static Later) + 'static) {
        match self.later.get_untracked() {
            Some(later) => deed(later),
            None => self.waiting.update_value(|waiting| waiting.push(Box::new(deed))),
        }
    }

    /// Loads what the painted page needs besides, and does what waits for it.
    pub fn load_later(self) {
        self.missing.set(false);
        spawn_local(async move {
            let Ok(later) = later::load().await else { return self.missing.set(true) };
            self.later.set(Some(later));
            let waiting = self.waiting.try_update_value(std::mem::take).unwrap_or_default();
            waiting.into_iter().for_each(|deed| deed(later));
        });
    }

    /// Asks the worker; starts one when there is none. The request is on its way when this returns.
    ///
    /// # Errors
    /// Why there is no answer; also when the worker breaks down or is restarted meanwhile.
    pub fn ask<R: Request>(
        self,
        request: R,
    ) -> impl Future<Output = Result<R::Answer, String>> + use<R> {
        self.ask_with(request, None)
    }

    /// The same with files of the user's beside the request.
    ///
    /// # Errors
    /// As above.
    pub fn ask_with<R: Request>(
        self,
        request: R,
        files: Option<js_sys::Array>,
    ) -> impl Future<Output = Result<R::Answer, String>> + use<R> {
        let (sender, answer) = oneshot::channel();
        let request = request.into();
        self.with_later(move |later| (later.ask)(self, request, files, sender));
        async move {
            let gone = |_| Err(t!("The engine stopped.").to_owned());
            decode::<R>(answer.await.unwrap_or_else(gone))
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
    let leaving = window_event_listener(ev::beforeunload, move |event| {
        if app.run.with_untracked(Run::is_at_risk) {
            event.prevent_default();
            // Older browsers ask for a text; none shows it.
            event.set_return_value("not kept");
        }
    });
    on_cleanup(move || leaving.remove());
    Effect::new(move || page::store(FORM, &*app.form.read()));
    Effect::new(move || page::store(PLAN, &*app.plan.read()));
    Effect::new(move || app.store_keys());
    app.refresh_kept();
    // The first picture is on the screen after the second frame.
    request_animation_frame(move || request_animation_frame(move || app.load_later()));
    Effect::new(move || {
        app.language.track();
        document().set_title(&format!("{} · API-Bank", app.route.read().title(texts::current())));
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
                {move || pages::at(app, app.route.get())}
            </main>
            {move || app.later.get().map(|later| (later.send_question)())}
            <footer class="footer">
                <span>"API-Bank " {env!("CARGO_PKG_VERSION")}</span>
                <span>{t!("Everything runs in this browser. Requests go only to the endpoint you name.")}</span>
                <LanguagePicker/>
            </footer>
        }
    }
}
