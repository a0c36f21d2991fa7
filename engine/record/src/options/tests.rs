//! Tests of the options.

use super::*;
use crate::Baseline;
use apis::search::SearchResults;
use exchange::protocol::{DescribedApis, Protocol, Steps};
use provider::{InPageModel, Preset};
use std::collections::BTreeSet;

fn builtin() -> RunSettings {
    RunSettings::new(Model::Builtin { name: Baseline::GoldReplay })
}

/// A run of an endpoint for which every option counts that counts for any.
fn ollama() -> RunSettings {
    let facts = Preset::Ollama.facts();
    let endpoint = Endpoint {
        preset: Preset::Ollama,
        format: facts.format,
        base_url: facts.address.to_owned(),
        model: "m".to_owned(),
        ..Endpoint::default()
    };
    RunSettings::new(Model::Endpoint(endpoint))
}

fn named(name: &str) -> &'static RunOption {
    OPTIONS.iter().find(|option| option.name == name).unwrap()
}

/// A valid value other than the default.
fn other(option: &RunOption) -> String {
    match &option.values {
        Values::Names(names) => names.iter().find(|it| it.id != option.default).unwrap().id.into(),
        Values::Whole { to, .. } => (to - 1).to_string(),
        Values::Decimal { to, .. } => (to / 2.0).to_string(),
        Values::Switch => (option.default != "true").to_string(),
        Values::Object => "{\"think\":false}".to_owned(),
        Values::Text { .. } => "a laptop, 16 GB; 1.1 GB".to_owned(),
    }
}

#[test]
fn names_and_flags_are_unique_and_every_option_says_what_it_does() {
    let unique = |of: fn(&RunOption) -> String| {
        OPTIONS.iter().map(|option| of(option)).collect::<BTreeSet<_>>().len() == OPTIONS.len()
    };
    assert!(
        unique(|option| option.name.to_owned())
            && unique(RunOption::long)
            && unique(|option| option.label.to_owned())
    );
    assert!(OPTIONS.iter().all(|option| option.help.ends_with(['.', '}'])));
}

#[test]
fn new_settings_have_the_defaults() {
    for option in OPTIONS {
        let mut settings = ollama();
        option.set(&mut settings, option.default).unwrap();
        assert_eq!((option.read)(&settings), option.default, "{}", option.name);
        if option.group != Group::Sampling {
            assert_eq!((option.read)(&builtin()), option.default, "{}", option.name);
        }
    }
}

#[test]
fn every_value_is_written_where_it_is_read_and_nowhere_else() {
    for option in OPTIONS {
        let mut settings = ollama();
        let before: Vec<String> = OPTIONS.iter().map(|option| (option.read)(&settings)).collect();
        let value = other(option);
        option.set(&mut settings, &value).unwrap();
        for (it, before) in OPTIONS.iter().zip(before) {
            let expected = if it.name == option.name { &value } else { &before };
            assert_eq!((it.read)(&settings), *expected, "{} after {}", it.name, option.name);
        }
    }
}

#[test]
fn every_identifier_of_a_type_is_a_value() {
    let all = |name: &str, ids: &[&str]| {
        let Values::Names(names) = &named(name).values else { panic!("{name}") };
        assert_eq!(
            names.iter().map(|name| name.id).collect::<BTreeSet<_>>(),
            ids.iter().copied().collect()
        );
    };
    all("protocol", &Protocol::ALL.map(Protocol::as_str));
    all("steps", &Steps::ALL.map(Steps::as_str));
    all("described_apis", &DescribedApis::ALL.map(DescribedApis::as_str));
    all("search_results", &SearchResults::ALL.map(SearchResults::as_str));
}

#[test]
fn an_invalid_text_is_refused_and_changes_nothing() {
    for (name, text) in [
        ("protocol", "shout"),
        ("trials", "0"),
        ("trials", "1.5"),
        ("trials", "none"),
        ("temperature", "2.1"),
        ("temperature", "NaN"),
        ("top_p", "0"),
        ("max_tokens", "0"),
        ("num_ctx", "255"),
        ("streaming", "perhaps"),
        ("concurrency", "101"),
        ("timeout", "-1"),
        ("hardware", "two\nlines"),
    ] {
        let mut settings = ollama();
        let option = named(name);
        assert_eq!(option.set(&mut settings, text), Err(Wrong::Kind), "{name} {text}");
        assert_eq!(settings, ollama());
    }
    let extra = |text| EXTRA.parse(text).unwrap_err();
    assert!(matches!(extra("[1]"), Wrong::Json(_)));
    assert_eq!(extra("{\"messages\": []}"), Wrong::Member("messages".to_owned()));
}

#[test]
fn what_is_left_to_the_endpoint_is_empty_or_none() {
    for option in OPTIONS.iter().filter(|option| option.is_optional) {
        assert_eq!(option.parse(" "), Ok(Value::Left), "{}", option.name);
        assert_eq!(option.parse(NONE), Ok(Value::Left), "{}", option.name);
    }
    assert_eq!(TIMEOUT.parse(""), Ok(Value::Whole(120)), "no text is the default");
}

#[test]
fn options_count_where_they_have_an_effect() {
    let counting = |settings: &RunSettings| -> BTreeSet<&str> {
        OPTIONS.iter().filter(|option| (option.counts)(settings)).map(|it| it.name).collect()
    };
    let agent = RunSettings { protocol: Protocol::Agent, ..builtin() };
    assert!(counting(&agent).contains("turn_limit") && !counting(&agent).contains("steps"));
    let sent = |settings: &RunSettings| counting(settings).contains("concurrency");
    assert!(sent(&ollama()) && !sent(&builtin()));
    let mut in_page = ollama();
    with_endpoint(&mut in_page, |it| it.in_page = Some(Box::new(InPageModel::default())));
    assert!(!sent(&in_page) && !counting(&in_page).contains("num_ctx"));
    assert!(counting(&in_page).contains("temperature"));
    assert_eq!(MAX_TOKENS.default_of(&in_page.model), "512");
}

#[test]
fn a_command_has_the_words_of_what_differs() {
    let words = |change: &dyn Fn(&mut RunSettings)| -> Vec<String> {
        let mut settings = ollama();
        settings.concurrency = 1;
        for option in OPTIONS {
            let default = option.default_of(&settings.model);
            option.set(&mut settings, &default).unwrap();
        }
        change(&mut settings);
        OPTIONS.iter().flat_map(|option| option.words(&settings)).collect()
    };
    assert_eq!(words(&|_| {}), [""; 0]);
    assert_eq!(words(&|settings| settings.steps = Steps::First), ["--steps", "first"]);
    let temperature = |it: &mut RunSettings| with_endpoint(it, |it| it.temperature = None);
    assert_eq!(words(&temperature), ["--temperature", "none"]);
    assert_eq!(words(&|it| with_endpoint(it, |it| it.streaming = false)), ["--no-stream"]);
    assert_eq!(words(&|settings| settings.turn_limit = 9), [""; 0], "no effect under bracket");
}
