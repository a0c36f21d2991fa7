//! The facts that a dialogue declares for a sample, met and missed by the answer.

use crate::t;
use dataset::{Accept, Facts};
use leptos::prelude::*;
use record::{Gold, SampleRecord};
use scoring::accepted_values::{record_text, states};
use serde_json::Value;

/// A declared fact.
struct Fact {
    /// The parameter; `None` for words.
    param: Option<String>,
    fact: String,
    /// Whether it must not occur.
    never: bool,
    met: bool,
}

/// The declared facts and values; `None` if the dialogue declares none for the sample.
pub fn facts_view(sample: &SampleRecord) -> Option<impl IntoView + use<>> {
    let mut facts: Vec<Fact> = sample
        .told
        .iter()
        .map(|it| Fact { param: None, fact: it.fact.clone(), never: false, met: it.told })
        .collect();
    let mut others = Vec::new();
    if let Gold::Call(gold) = &sample.gold {
        let made = sample.parsed.as_ref().filter(|call| call.name == gold.api_name);
        for (param, accept) in &gold.declared.accept {
            let value = made.and_then(|call| call.arguments.get(param));
            match accept {
                Accept::Facts(own) => {
                    let text = value.and_then(Value::as_str).unwrap_or_default();
                    facts.extend(of_text(param, own, text));
                }
                Accept::Records(records) => facts.extend(records.iter().flat_map(|(name, own)| {
                    let text = value.and_then(|value| record_text(value, name)).unwrap_or_default();
                    of_text(&format!("{param}, {name}"), own, &text)
                })),
                Accept::Values(values) => others.push((param.clone(), listed(values))),
            }
        }
    }
    if facts.is_empty() && others.is_empty() {
        return None;
    }
    let facts = facts.into_iter().map(line).collect_view();
    let others = others
        .into_iter()
        .map(|(param, values)| view! { <li><code>{param}</code> " " {t!("may also be {values}", values = values)}</li> })
        .collect_view();
    Some(view! {
        <section class="panel" data-test="sample-facts">
            <h3>{t!("Declared in the dialogue")}</h3>
            <ul class="declared">{facts} {others}</ul>
        </section>
    })
}

fn of_text(param: &str, facts: &Facts, text: &str) -> Vec<Fact> {
    let fact = |fact: &String, never: bool| Fact {
        param: Some(param.to_owned()),
        fact: fact.clone(),
        never,
        met: states(text, fact) != never,
    };
    let must = facts.must.iter().map(|text| fact(text, false));
    must.chain(facts.never.iter().map(|text| fact(text, true))).collect()
}

fn listed(values: &[Value]) -> String {
    let text = |it: &Value| it.as_str().map_or_else(|| it.to_string(), |text| format!("“{text}”"));
    values.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn line(fact: Fact) -> impl IntoView {
    let state = if fact.met { t!("met") } else { t!("missed") };
    let words = fact.fact.replace('|', " | ");
    let what = match (&fact.param, fact.never) {
        (None, _) => t!("the words tell “{fact}”", fact = words),
        (Some(_), false) => t!("states “{fact}”", fact = words),
        (Some(_), true) => t!("does not state “{fact}”", fact = words),
    };
    let class = if fact.met { "tag tag-right" } else { "tag tag-wrong" };
    view! {
        <li>
            <span class=class>{state}</span> " "
            {fact.param.map(|param| view! { <code>{param}</code> " " })}
            {what}
        </li>
    }
}
