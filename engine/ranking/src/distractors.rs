//! Generated tools that no query of the pool needs: verbs × objects of domains that the pool does
//! not have.

use crate::tool::{Tool, tool_text};
use dataset::random::SplitMix;
use std::collections::BTreeSet;

/// Domains and their objects, `adjective noun` in the singular; one domain per line.
const DOMAINS: &str = include_str!("distractors.txt");

/// Verbs with the sentence that describes the tool; `{}` is the object, `{@}` the domain.
const VERBS: [(&str, &str); 16] = [
    ("Get", "Returns the details of a {} of the {@}."),
    ("List", "Lists every {} of the {@}, newest first."),
    ("Create", "Creates a {} for the {@} and returns its number."),
    ("Update", "Changes the given fields of a {} of the {@}."),
    ("Remove", "Removes a {} from the {@} for good."),
    ("Archive", "Moves a {} of the {@} to the archive."),
    ("Approve", "Approves a {} that waits for a decision in the {@}."),
    ("Assign", "Assigns a {} of the {@} to a member of staff."),
    ("Export", "Exports a {} of the {@} as a spreadsheet."),
    ("Import", "Imports a {} into the {@} from a file."),
    ("Price", "Estimates what a {} of the {@} costs."),
    ("Inspect", "Records an inspection of a {} in the {@}."),
    ("Track", "Follows where a {} of the {@} is now."),
    ("Duplicate", "Copies a {} of the {@} under another number."),
    ("Lock", "Prevents changes to a {} of the {@}."),
    ("Count", "Counts how often a {} occurs in the {@} per month."),
];

/// All distractors in the order of a seed, without names in `taken`.
pub fn distractors(seed: u32, taken: &BTreeSet<String>) -> Vec<Tool> {
    let mut tools = Vec::new();
    let mut seen = taken.clone();
    for (domain, objects) in DOMAINS.lines().filter_map(|line| line.split_once(": ")) {
        for object in objects.split(", ") {
            for (verb, sentence) in VERBS {
                let name = format!("{verb}{}{}", camel(domain), camel(object));
                if !seen.insert(name.clone()) {
                    continue;
                }
                let description = sentence.replace("{}", object).replace("{@}", domain);
                let texts = vec![tool_text(&name, &description)];
                tools.push(Tool { name, texts, group: domain.to_owned(), suite: None });
            }
        }
    }
    let mut random = SplitMix(u64::from(seed));
    // Fisher and Yates.
    for last in (1..tools.len()).rev() {
        tools.swap(last, random.below(last + 1));
    }
    tools
}

/// `vehicle deck` as `VehicleDeck`.
fn camel(words: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    words.split([' ', '-']).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_name_is_left_out() {
        let all = distractors(1, &BTreeSet::new());
        assert_eq!(all.len(), 32 * 6 * 16);
        let name = all[0].name.clone();
        let rest = distractors(1, &BTreeSet::from([name.clone()]));
        assert_eq!(rest.len(), all.len() - 1);
        assert!(rest.iter().all(|tool| tool.name != name));
    }
}
