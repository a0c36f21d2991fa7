//! The texts of other crates that the page shows in the reader's language.

use crate::protocol::generate::File;
use apis::{Domain, Rule, Suite};
use dataset::import::DefectClass;
use dataset::statistics::published;
use dataset::{Ability, HardKind, Split};
use engine::baseline::Baseline;
use engine::export::Format;
use engine::generator::{Agent, Code};
use engine::metrics::Grouping;
use engine::protocol::Part;
use engine::provider::preflight::{State, Step};
use engine::provider::{PRESETS, Preset};
use engine::scoring::ErrorClass;

/// Every rule that compares arguments.
const RULES: [Rule; 11] = [
    Rule::Exact,
    Rule::Trimmed,
    Rule::CaseFolded,
    Rule::Date,
    Rule::DateTime,
    Rule::Number,
    Rule::WordOverlap,
    Rule::Set,
    Rule::OrderedList,
    Rule::Formula,
    Rule::Ignored,
];

/// Every defect of the original's files.
const DEFECTS: [DefectClass; 7] = [
    DefectClass::RenamedParameter,
    DefectClass::ListAsText,
    DefectClass::StaleDescription,
    DefectClass::Retrieval,
    DefectClass::DatabaseDrift,
    DefectClass::RecordedOnly,
    DefectClass::WrongArguments,
];

/// All of them.
pub fn texts() -> Vec<&'static str> {
    let mut texts = vec![published::SOURCE, Preset::Custom.facts().title];
    texts.extend(Ability::ALL.map(Ability::title));
    texts.extend(Agent::ALL.map(Agent::title));
    texts.extend([Baseline::GoldReplay, Baseline::KeywordBaseline].map(Baseline::title));
    texts.extend(Code::ALL.iter().map(|it| it.explain()));
    texts.extend(DEFECTS.map(DefectClass::title));
    texts.extend(Domain::ALL.map(Domain::title));
    texts.extend(ErrorClass::ALL.map(ErrorClass::title));
    texts.extend(File::ALL.map(File::explain));
    texts.extend(Format::ALL.map(Format::title));
    texts.extend(Grouping::ALL.map(Grouping::title));
    texts.extend(HardKind::ALL.map(HardKind::title));
    texts.extend([Part::Call, Part::Search, Part::Step, Part::Reply].map(Part::title));
    texts.extend(PRESETS.map(|it| it.remark));
    texts.extend(RULES.map(Rule::explain));
    texts.extend(Split::ALL.map(Split::as_str));
    texts.extend(Split::ALL.map(Split::explain));
    texts.extend(Split::ALL.map(Split::title));
    texts.extend([State::Good, State::Warning, State::Bad, State::Skipped].map(State::as_str));
    texts.extend(Step::ALL.map(Step::title));
    texts.extend([Suite::Dialogue, Suite::Planning].map(Suite::as_str));
    texts
}
