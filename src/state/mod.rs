//! State shared by pages: a group of signals per concern, and actions that involve several groups.

mod data;
mod latest;
mod lazy;
mod model_trial;
mod records;
mod run;
mod search_lab;
mod sending;
mod setup;
mod ui;
mod worker;

pub use data::DataState;
pub use latest::Latest;
pub use lazy::{LazyModule, LazyState};
pub(crate) use model_trial::model_trial;
pub use records::RecordsState;
pub use run::RunState;
pub use search_lab::LabState;
pub use sending::SendingState;
pub use setup::SetupState;
pub use ui::{UiState, go};
pub use worker::WorkerState;

use crate::messages::own_tools::OwnToolsView;
use crate::platform::page;
use crate::session::{Endpoints, Generation, Kept, PageModel, Plan, Writing};
use crate::texts::Language;
use leptos::prelude::*;

/// Storage key of the Generate page's targets.
const PLAN: &str = "api-bank.plan";

/// The state shared by pages.
#[derive(Clone, Copy)]
pub struct App {
    /// Route, language, messages.
    pub ui: UiState,
    /// The form of the Run page.
    pub setup: SetupState,
    /// Keys, and the question before requests are sent.
    pub sending: SendingState,
    /// The displayed run and its view options.
    pub run: RunState,
    /// Stored runs, and records from files.
    pub records: RecordsState,
    /// Packs and dialogues.
    pub data: DataState,
    /// The model in the page.
    pub in_page: RwSignal<PageModel>,
    /// The models that this browser keeps.
    pub kept: RwSignal<Kept>,
    /// The comparison of endpoints.
    pub endpoints: RwSignal<Endpoints>,
    /// The Search lab.
    pub lab: LabState,
    /// The pack on the Your tools page.
    pub own_tools: RwSignal<Option<OwnToolsView>>,
    /// The tasks that a model writes for it.
    pub writing: RwSignal<Writing>,
    /// Training data.
    pub generation: GenerationState,
    /// The engine's worker.
    pub worker: WorkerState,
    /// The lazy-loaded module.
    pub lazy: LazyState,
}

/// The Generate page's state.
#[derive(Clone, Copy)]
pub struct GenerationState {
    /// The current or stored generation.
    pub current: RwSignal<Generation>,
    /// The form.
    pub plan: RwSignal<Plan>,
}

/// The shared state.
pub fn use_app() -> App {
    expect_context::<App>()
}

impl App {
    /// Creates the state from browser storage.
    pub fn new(language: Language) -> Self {
        App {
            ui: UiState::new(language),
            setup: SetupState::new(),
            sending: SendingState::new(),
            run: RunState::new(),
            records: RecordsState::new(),
            data: DataState::new(),
            in_page: RwSignal::new(PageModel::default()),
            kept: RwSignal::new(Kept::default()),
            endpoints: RwSignal::new(Endpoints::default()),
            lab: LabState::new(),
            own_tools: RwSignal::new(None),
            writing: RwSignal::new(Writing::default()),
            generation: GenerationState {
                current: RwSignal::new(Generation::default()),
                plan: RwSignal::new(page::stored(PLAN).unwrap_or_default()),
            },
            worker: WorkerState::new(),
            lazy: LazyState::new(),
        }
    }

    /// Stores every later change of the forms.
    pub fn store_changes(self) {
        self.setup.store_changes();
        self.sending.store_changes();
        Effect::new(move || page::store(PLAN, &*self.generation.plan.read()));
    }
}
