//! A pack: generated dialogues in the shapes of the original benchmark, with their recorded
//! results, and the descriptions of their APIs. It is imported, browsed and replayed like the
//! original's data: calls that equal a recorded one get the recorded result.

use crate::generator::set::TrainingSet;
use crate::generator::{Item, Tool};
use apis::Suite;
use dataset::Ability;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The files of a pack: path and text.
pub fn files(set: &TrainingSet) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut plans = Vec::new();
    let mut pools: [(Suite, BTreeSet<String>, Vec<Value>); 2] =
        Suite::ALL.map(|suite| (suite, BTreeSet::new(), Vec::new()));
    for (domain, item) in set.items() {
        for (suite, names, tools) in &mut pools {
            if item.ability.suite() == *suite {
                let new = domain.apis.iter().filter(|tool| names.insert(tool.name.clone()));
                tools.extend(new.map(Tool::prompt_json));
            }
        }
        match item.ability {
            Ability::Plan => plans.push(plan(item, &domain.apis)),
            ability => files.push(dialogue(item, ability, &domain.apis)),
        }
    }
    if !plans.is_empty() {
        files.push(("test-data/level-3.json".to_owned(), format!("{:#}\n", Value::from(plans))));
    }
    let [(_, _, dialogue), (_, _, planning)] = pools;
    let pools = json!({"dialogue": dialogue, "planning": planning});
    files.push(("pools.json".to_owned(), format!("{pools:#}\n")));
    files
}

fn dialogue(item: &Item, ability: Ability, tools: &[Tool]) -> (String, String) {
    let folder = match ability {
        Ability::Call => "level-1-given-desc",
        _ => "level-2-toolsearcher",
    };
    let path = format!("lv1-lv2-samples/{folder}/{}.jsonl", item.id);
    (path, item.dialogue(tools).to_file())
}

fn plan(item: &Item, tools: &[Tool]) -> Value {
    // The file of a plan is one JSON object; level 3 of the original is a list of such.
    serde_json::from_str(&item.dialogue(tools).to_file()).unwrap_or_default()
}
