use super::*;
use crate::session::asking::Asking;
use crate::session::forecast::Prices;
use exchange::protocol::{Protocol, Steps};
use record::options::{CONCURRENCY, HARDWARE, SEED, TEMPERATURE, Values};

const SITE: &str = "https://site.example";

fn names(filled: &Filled) -> Vec<&str> {
    filled.refused.iter().map(|refused| refused.name.as_str()).collect()
}

/// A form in which every field differs from its default.
fn changed() -> Form {
    let mut form = Form {
        choice: Choice::Endpoint,
        preset: Preset::Ollama,
        format: WireFormat::Ollama,
        address: "http://localhost:9999/v1/?api-version=1".to_owned(),
        model: "qwen 3:8b+x/50 %".to_owned(),
        edition: EditionChoice::Variant,
        variant: "9".to_owned(),
        split: Split::Hard,
        abilities: vec![Ability::Call, Ability::Plan],
        amount: Amount::Count,
        per_ability: "3".to_owned(),
        asking: Asking { retriever: RetrieverChoice::Oracle, ..Asking::default() },
        prices: Prices { prompt: "2.5".to_owned(), answer: "10".to_owned() },
        ..Form::default()
    };
    for option in OPTIONS {
        let text = match &option.values {
            Values::Names(names) => names.iter().find(|name| name.id != option.default).unwrap().id,
            Values::Whole { .. } => "17",
            Values::Decimal { .. } => "0.5",
            Values::Switch => {
                if option.default == "true" {
                    "false"
                } else {
                    "true"
                }
            }
            Values::Object => "{\"think\":false}",
            Values::Text { .. } => "a laptop, 16 GB",
        };
        form.type_option(option, if option.name == "num_ctx" { "4096" } else { text });
    }
    form
}

#[test]
fn every_field_round_trips_through_a_link() {
    let mut form = changed();
    let link = query(&form);
    assert!(!link.contains("laptop"), "{link} claims its author's hardware");
    form.options.remove(HARDWARE.name);
    for parameter in Parameter::all().filter(|parameter| parameter.name() != "format") {
        assert!(link.contains(&format!("{}=", parameter.name())), "{} is lost", parameter.name());
    }
    let filled = fill(&link, SITE, Texts::ENGLISH);
    assert_eq!(filled.refused, []);
    assert_eq!(filled.form, form);
    let plain = fill(&query(&Form::default()), SITE, Texts::ENGLISH);
    assert_eq!((plain.form, plain.refused), (Form::default(), Vec::new()));
}

#[test]
fn missing_fields_get_defaults() {
    let filled = fill("preset=vllm&model=m&protocol=tools", SITE, Texts::ENGLISH);
    assert_eq!(filled.refused, []);
    assert_eq!(filled.taken, ["preset", "model", "protocol"]);
    let form = filled.form;
    assert_eq!((form.choice, form.option(&CONCURRENCY).as_str()), (Choice::Endpoint, "8"));
    assert_eq!(form.protocol(), Protocol::Tools);
    let by_address = fill("address=http://localhost:1234/v1&model=m", SITE, Texts::ENGLISH).form;
    assert_eq!(by_address.preset, Preset::LmStudio);
}

#[test]
fn an_invalid_value_is_reported_and_ignored() {
    let link = "preset=ollama&model=m&protocol=shout&seed=-1&temperature=hot&abilities=call,fly\
                &streaming=perhaps&concurrency=999&colour=red&model=n&run=nothing";
    let filled = fill(link, SITE, Texts::ENGLISH);
    let mut refused = names(&filled);
    refused.sort_unstable();
    let mut expected = [
        "protocol",
        "seed",
        "temperature",
        "abilities",
        "streaming",
        "concurrency",
        "colour",
        "model",
        "run",
    ];
    expected.sort_unstable();
    assert_eq!(refused, expected);
    assert_eq!(filled.form.model, "m");
    assert_eq!(filled.form.option(&CONCURRENCY), "1", "the preset's own");
    assert!(filled.form.settings(SITE, Texts::ENGLISH).is_ok(), "the rest is valid");
    let why = |name| filled.refused.iter().find(|it| it.name == name).unwrap().why.clone();
    assert_eq!(
        why("protocol"),
        "expected one of bracket, paper, tools, all-tools, agent, agent-text, got \"shout\""
    );
    assert!(why("concurrency").contains("1 to 100"), "{}", why("concurrency"));
}

#[test]
fn keys_are_never_read_from_links() {
    for name in KEYS {
        let filled = fill(&format!("model=m&{name}=sk-secret"), SITE, Texts::ENGLISH);
        assert_eq!(names(&filled), [name]);
        assert!(!format!("{filled:?}").contains("sk-secret"), "{filled:?}");
    }
    assert_eq!(names(&fill("API_KEY=x", SITE, Texts::ENGLISH)), ["API_KEY"]);
}

#[test]
fn an_overlong_link_is_rejected() {
    let filled = fill(&"a=1&".repeat(LONGEST), SITE, Texts::ENGLISH);
    assert_eq!(filled.form, Form::default());
    assert_eq!(filled.refused.len(), 1);
    let long = fill(&format!("protocol={}", "x".repeat(1000)), SITE, Texts::ENGLISH);
    assert!(long.refused[0].why.len() < 200, "{}", long.refused[0].why);
}

#[test]
fn the_form_of_a_run_describes_that_run() {
    for form in [
        changed(),
        fill("preset=openai&model=m", SITE, Texts::ENGLISH).form,
        Form { choice: Choice::GoldReplay, amount: Amount::Tenth, ..Form::default() },
    ] {
        let settings = form.settings(SITE, Texts::ENGLISH).unwrap();
        let again = form_of(&settings).unwrap();
        assert_eq!(again.settings(SITE, Texts::ENGLISH).unwrap(), settings);
    }
    let odd = RunSettings {
        subset: Subset::Percent(33),
        ..RunSettings::new(Model::Builtin { name: Baseline::GoldReplay })
    };
    assert_eq!(form_of(&odd), None);
}

#[test]
fn the_settings_name_what_differs_and_nothing_else() {
    assert_eq!(differences(&Form::default()), []);
    let mut changed = Form {
        choice: Choice::Endpoint,
        model: "m".to_owned(),
        address: "http://localhost:1".to_owned(),
        amount: Amount::Quick,
        ..Form::default()
    };
    changed.type_option(&TEMPERATURE, "0.5");
    changed.type_option(&SEED, "7");
    assert_eq!(
        differences(&changed),
        [("seed", "7".to_owned()), ("temperature", "0.5".to_owned())]
    );
    // Endpoint settings don't apply to a built-in model.
    let builtin = Form { choice: Choice::GoldReplay, ..changed };
    assert_eq!(differences(&builtin), [("seed", "7".to_owned())]);
}

#[test]
fn the_retriever_of_a_link_reaches_the_run_where_it_searches() {
    let form = fill("retriever=bm25", SITE, Texts::ENGLISH).form;
    assert_eq!(differences(&form), [("retriever", "bm25".to_owned())]);
    let settings = form.settings(SITE, Texts::ENGLISH).unwrap();
    assert_eq!(settings.retriever, Some(record::Retriever::BM25));
    assert_eq!(form_of(&settings), Some(form));
    let call = fill("retriever=bm25&abilities=call", SITE, Texts::ENGLISH).form;
    assert_eq!(differences(&call), [("abilities", "call".to_owned())]);
}

#[test]
fn the_steps_of_a_link_reach_the_run_except_under_agent() {
    let open = |query: &str| fill(query, SITE, Texts::ENGLISH).form;
    let form = open("steps=first");
    assert_eq!(differences(&form), [("steps", "first".to_owned())]);
    let settings = form.settings(SITE, Texts::ENGLISH).unwrap();
    assert_eq!(settings.steps, Steps::First);
    assert_eq!(form_of(&settings), Some(form));
    let agent = open("protocol=agent&steps=first");
    assert_eq!(differences(&agent), [("protocol", "agent".to_owned())]);
    let settings = agent.settings(SITE, Texts::ENGLISH).unwrap();
    assert_eq!((settings.steps, settings.check()), (Steps::All, Ok(())));
}
