//! The state that pages share: a group of signals for each concern, and what the page does with several
//! of them.

mod data;
mod latest;
mod lazy;
mod records;
mod run;
mod sending;
mod setup;
mod ui;
mod worker;

pub use data::DataState;
pub use latest::Latest;
pub use lazy::{LazyModule, LazyState};
pub use records::RecordsState;
pub use run::RunState;
pub use sending::SendingState;
pub use setup::SetupState;
pub use ui::{UiState, go};
pub use worker::WorkerState;

use crate::platform::page;
use crate::session::{Generation, Plan};
use crate::texts::Language;
use leptos::prelude::*;

/// Where the targets of the Generate page are stored.
const PLAN: &str = "api-bank.plan";

/// The state that pages share.
#[derive(Clone, Copy)]
pub struct App {
    /// Place, language, messages.
    pub ui: UiState,
    /// The form of the Run page.
    pub setup: SetupState,
    /// Keys, and the question before requests leave.
    pub sending: SendingState,
    /// The run that is shown, and how it is looked at.
    pub run: RunState,
    /// Runs of this browser's database, and records from files.
    pub records: RecordsState,
    /// Packs and dialogues.
    pub data: DataState,
    /// Training data.
    pub generation: GenerationState,
    /// The engine's worker.
    pub worker: WorkerState,
    /// The module that is loaded after the first paint.
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
    /// The state at the start: what this browser has stored, and nothing else.
    pub fn new(language: Language) -> Self {
        App {
            ui: UiState::new(language),
            setup: SetupState::new(),
            sending: SendingState::new(),
            run: RunState::new(),
            records: RecordsState::new(),
            data: DataState::new(),
            generation: GenerationState {
                current: RwSignal::new(Generation::default()),
                plan: RwSignal::new(page::stored(PLAN).unwrap_or_default()),
            },
            worker: WorkerState::new(),
            lazy: LazyState::new(),
        }
    }

    /// Stores whatever is typed from here on.
    pub fn store_changes(self) {
        self.setup.store_changes();
        self.sending.store_changes();
        Effect::new(move || page::store(PLAN, &*self.generation.plan.read()));
    }
}
