//! Texts of other crates that the page translates.

use super::reasons::{AND, REASONS};
use crate::messages::generate::File;
use apis::arguments::expected;
use apis::{Domain, Kind, Rule, Suite};
use dataset::import::DefectClass;
use dataset::statistics::published;
use dataset::{Ability, HardKind, Language, Split, Tier};
use exchange::call::Form;
use exchange::protocol::Part;
use generator::{Agent, Code, Limit};
use provider::preflight::{State, Step};
use provider::{PRESETS, Preset};
use record::Baseline;
use record::compare::Measure;
use record::export::Format;
use record::metrics::{Grouping, NO_CALL, OTHER_REASON, UNKNOWN, horizon};
use record::options::{OPTIONS, Values};
use record::reference::NAMED;
use record::table::{SecondaryMetric, Shape};
use scoring::ErrorClass;

/// A kind of each type that [`expected`] names.
const KINDS: [Kind; 9] = [
    Kind::Text,
    Kind::Date,
    Kind::DateTime,
    Kind::MonthDay,
    Kind::Integer,
    Kind::Number,
    Kind::Boolean,
    Kind::TextList,
    Kind::RecordList(&[]),
];

/// All these texts.
pub fn texts() -> Vec<&'static str> {
    let mut texts = vec![AND, published::SOURCE, Preset::Custom.facts().title];
    texts.extend(Ability::ALL.map(Ability::title));
    texts.extend(Agent::ALL.map(Agent::title));
    texts.extend(Baseline::ALL.map(Baseline::title));
    texts.extend(Code::ALL.iter().map(|code| code.explain()));
    texts.extend(DefectClass::ALL.map(DefectClass::title));
    texts.extend(Domain::ALL.map(Domain::title));
    let named = |it: &ErrorClass| *it != ErrorClass::HasException;
    texts.extend(ErrorClass::ALL.into_iter().filter(named).map(ErrorClass::title));
    texts.extend(File::ALL.map(File::explain));
    texts.extend(Form::ALL.map(Form::title));
    texts.extend(Format::ALL.map(Format::title));
    texts.extend(Grouping::ALL.map(Grouping::title));
    texts.extend(HardKind::ALL.map(HardKind::title));
    texts.extend(Language::ALL.map(Language::title));
    texts.extend(Measure::ALL.map(Measure::title));
    texts.extend(Limit::ALL.map(Limit::as_str));
    texts.extend(NAMED.iter().flat_map(|it| [it.asks, it.leaves_out, it.published]));
    texts.extend(Part::ALL.map(Part::title));
    texts.extend(PRESETS.map(|preset| preset.remark));
    texts.extend(Rule::ALL.map(Rule::explain));
    texts.extend(headings());
    texts.extend(Split::ALL.map(Split::as_str));
    texts.extend(Split::ALL.map(Split::explain));
    texts.extend(Split::ALL.map(Split::title));
    texts.extend(State::ALL.map(State::as_str));
    texts.extend(Step::ALL.map(Step::title));
    texts.extend(Suite::ALL.map(Suite::as_str));
    texts.extend(Tier::ALL.map(Tier::title));
    texts.extend(Tier::ALL.map(Tier::explain));
    texts.extend(horizon::COLUMNS.map(|(title, _)| title));
    texts.extend([NO_CALL, OTHER_REASON, UNKNOWN]);
    texts.push(horizon::ALL_TASKS);
    texts.extend(OPTIONS.iter().flat_map(|option| [option.label, option.help]));
    texts.extend(OPTIONS.iter().flat_map(|option| value_texts(&option.values)));
    texts.push(crate::session::leaderboard::HARD);
    texts.extend(REASONS);
    texts.extend(KINDS.map(expected));
    texts
}

/// The texts of an option's named values, apart from identifiers.
fn value_texts(values: &Values) -> Vec<&'static str> {
    let Values::Names(names) = values else { return Vec::new() };
    let texts = names.iter().flat_map(|name| [name.title, name.help]);
    texts.filter(|text| !text.is_empty() && names.iter().all(|name| name.id != *text)).collect()
}

/// The headings of results tables of every shape.
fn headings() -> impl Iterator<Item = &'static str> {
    let flags = [false, true];
    let shapes = flags.into_iter().flat_map(move |hard| {
        let all =
            |episodes| Shape { hard, episodes, secondary: [true; SecondaryMetric::ALL.len()] };
        flags.map(all)
    });
    shapes.flat_map(|shape| {
        let titles = shape.columns().into_iter().map(|column| column.title);
        titles
            .chain([shape.first(), "Total", "Form", "As in the paper"])
            .filter(|title| !["n", "ROUGE-L"].contains(title))
    })
}
