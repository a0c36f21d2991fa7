//! Exports a set as a pack in the original benchmark's shapes, with recorded results and API
//! descriptions. It is imported, browsed and run like the original's data: a call equal to a
//! recorded one gets the recorded result.

use crate::set::TrainingSet;
use crate::{Item, Tool};
use apis::Suite;
use dataset::Ability;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The files of a pack: paths and texts.
pub fn files(set: &TrainingSet) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut plans = Vec::new();
    let mut pools: [(Suite, BTreeSet<String>, Vec<Value>); 2] =
        Suite::ALL.map(|suite| (suite, BTreeSet::new(), Vec::new()));
    let mut taken = BTreeSet::new();
    for (domain, item) in set.items() {
        for (suite, names, tools) in &mut pools {
            if item.ability.suite() == *suite {
                let new = domain.apis.iter().filter(|tool| names.insert(tool.name.clone()));
                tools.extend(new.map(Tool::prompt_json));
            }
        }
        match item.ability {
            Ability::Plan => plans.push(plan(item, &domain.apis)),
            ability => {
                let name = file_name(&item.id, &mut taken);
                files.push(dialogue(item, &name, ability, &domain.apis));
            }
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

fn dialogue(item: &Item, name: &str, ability: Ability, tools: &[Tool]) -> (String, String) {
    let folder = match ability {
        Ability::Call => "level-1-given-desc",
        _ => "level-2-toolsearcher",
    };
    let path = format!("lv1-lv2-samples/{folder}/{name}.jsonl");
    (path, item.dialogue(tools).to_file())
}

fn plan(item: &Item, tools: &[Tool]) -> Value {
    // A plan's file is one JSON object; level 3 of the original is a list of these objects.
    serde_json::from_str(&item.dialogue(tools).to_file()).unwrap_or_default()
}

/// Maximum length of a file name in bytes, below the 255 of common file systems.
const LONGEST_NAME: usize = 100;

/// Device names on Windows, reserved with any extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// A dialogue's id as a file name: one path component, valid on common file systems, and unique
/// among `taken` ignoring case.
fn file_name(id: &str, taken: &mut BTreeSet<String>) -> String {
    let allowed = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let mut name: String = id.chars().map(|c| if allowed(c) { c } else { '-' }).collect();
    let mut end = name.len().min(LONGEST_NAME);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.truncate(end);
    // Windows drops a trailing dot; a leading one hides the file, also from imports.
    let trimmed = name.trim_matches('.');
    let stem = trimmed.split('.').next().unwrap_or_default().to_lowercase();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let numbered = port.is_some_and(|rest| rest.chars().count() == 1);
    let name = match trimmed {
        _ if DEVICES.contains(&stem.as_str()) || numbered => format!("dialogue-{trimmed}"),
        "" => "dialogue".to_owned(),
        name => name.to_owned(),
    };
    let further = (2_u32..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.clone()).chain(further);
    names.find(|name| taken.insert(name.to_lowercase())).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_unique_valid_file_names() {
        let mut taken = BTreeSet::new();
        let long = "ä".repeat(300);
        for (id, name) in [
            ("weather-0001", "weather-0001"),
            ("../../x", "-..-x"),
            ("/etc/passwd", "-etc-passwd"),
            ("C:\\x\0y", "C--x-y"),
            ("..", "dialogue"),
            ("", "dialogue-2"),
            ("nul", "dialogue-nul"),
            ("Com1.x", "dialogue-Com1.x"),
            ("common", "common"),
            ("Weather-0001", "Weather-0001-2"),
            (long.as_str(), &"ä".repeat(50)),
        ] {
            assert_eq!(file_name(id, &mut taken), name, "{id:?}");
        }
    }
}
