//! Generated tools that no query of the pool needs: verbs × objects of domains that the pool does
//! not have.

use crate::tool::{Tool, tool_text};
use dataset::random::SplitMix;
use std::collections::BTreeSet;

/// Domains and their objects, `adjective noun` in the singular.
const DOMAINS: [(&str, &[&str]); 32] = [
    (
        "ferry line",
        &["cabin", "crossing", "vehicle deck", "boarding pass", "harbour fee", "sailing notice"],
    ),
    (
        "public library",
        &[
            "loan",
            "overdue fine",
            "reading room",
            "catalogue record",
            "interlibrary request",
            "library card",
        ],
    ),
    ("vineyard", &["harvest", "barrel", "tasting", "vine row", "grape sample", "cellar"]),
    (
        "warehouse",
        &["pallet", "storage bin", "picking list", "forklift", "stock count", "loading dock"],
    ),
    ("apiary", &["hive", "honey batch", "queen bee", "swarm report", "frame", "pollen sample"]),
    ("museum", &["exhibit", "artwork", "guided tour", "restoration", "donation", "audio guide"]),
    (
        "railway",
        &[
            "freight wagon",
            "signal box",
            "track section",
            "platform",
            "rolling stock",
            "timetable change",
        ],
    ),
    (
        "dental practice",
        &["x-ray image", "crown", "cleaning", "treatment plan", "impression", "recall letter"],
    ),
    (
        "recycling centre",
        &[
            "waste container",
            "glass bank",
            "collection route",
            "scrap lot",
            "compost bin",
            "sorting line",
        ],
    ),
    ("sailing club", &["mooring", "regatta", "dinghy", "sail repair", "crew list", "race result"]),
    (
        "pottery studio",
        &["kiln firing", "glaze recipe", "wheel slot", "clay order", "workshop", "display shelf"],
    ),
    (
        "animal shelter",
        &["adoption", "kennel", "foster home", "vaccination", "microchip", "lost pet report"],
    ),
    (
        "construction site",
        &[
            "crane",
            "scaffold",
            "building permit",
            "concrete delivery",
            "safety inspection",
            "site diary",
        ],
    ),
    (
        "law firm",
        &[
            "case file",
            "court filing",
            "retainer",
            "witness statement",
            "contract draft",
            "legal hold",
        ],
    ),
    ("print shop", &["print job", "paper stock", "proof", "binding", "ink cartridge", "plate"]),
    (
        "greenhouse",
        &["seed tray", "irrigation line", "grow lamp", "soil test", "plant label", "pest trap"],
    ),
    (
        "cinema projection",
        &["reel", "screening hall", "subtitle file", "projector lamp", "trailer", "sound check"],
    ),
    (
        "fire brigade",
        &["hydrant", "fire engine", "drill", "smoke alarm check", "incident log", "hose"],
    ),
    (
        "telescope",
        &["observation", "star catalogue entry", "mirror", "exposure", "light curve", "dome"],
    ),
    ("brewery", &["fermenter", "hop lot", "keg", "mash", "bottling line", "recipe batch"]),
    (
        "game server",
        &[
            "match lobby",
            "player ban",
            "leaderboard season",
            "loot table",
            "replay",
            "map rotation",
        ],
    ),
    (
        "cloud platform",
        &[
            "virtual machine",
            "storage bucket",
            "firewall rule",
            "load balancer",
            "snapshot",
            "container image",
        ],
    ),
    (
        "source repository",
        &["pull request", "branch", "release tag", "code review", "merge queue", "webhook"],
    ),
    (
        "insurance office",
        &["claim", "policy", "premium", "damage survey", "beneficiary", "deductible"],
    ),
    (
        "parcel service",
        &[
            "parcel",
            "pickup point",
            "customs form",
            "delivery attempt",
            "shipping label",
            "courier round",
        ],
    ),
    (
        "orchestra",
        &["score", "rehearsal", "instrument loan", "soloist", "season programme", "seating plan"],
    ),
    (
        "ski resort",
        &["lift", "piste", "ski lesson", "avalanche bulletin", "snow cannon", "season pass"],
    ),
    ("fish farm", &["tank", "feed delivery", "water sample", "fry batch", "net", "oxygen sensor"]),
    ("archive", &["manuscript", "microfilm", "finding aid", "scan", "box", "access request"]),
    (
        "car workshop",
        &[
            "brake service",
            "spare part",
            "tyre set",
            "inspection sticker",
            "lifting bay",
            "oil change",
        ],
    ),
    (
        "wind farm",
        &[
            "turbine",
            "blade inspection",
            "power forecast",
            "nacelle",
            "maintenance window",
            "grid permit",
        ],
    ),
    (
        "charity",
        &["pledge", "fundraiser", "volunteer shift", "grant", "donor letter", "food parcel"],
    ),
];

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
    for (domain, objects) in DOMAINS {
        for object in objects {
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
