//! Snapshots of the five agents' prompts. `INSTA_UPDATE=always cargo test -p generator --test
//! prompts` rewrites them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use dataset::Ability;
use exchange::protocol::Ask;
use generator::prompts;
use generator::set::TrainingSet;
use std::fs;
use std::path::Path;

/// One domain of the sample set.
fn sample() -> TrainingSet {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = file.join("../../dataset/training/domains/amateur-astronomy.json");
    let text = fs::read_to_string(file).unwrap();
    TrainingSet::read([("domains/amateur-astronomy.json", text.as_str())]).unwrap()
}

fn shown(ask: &Ask) -> String {
    ask.messages.iter().map(|it| format!("--- {:?}\n{}\n", it.role, it.content)).collect()
}

#[test]
fn agents_are_asked_as_reviewed() {
    let set = sample();
    let domain = set.domains.values().next().unwrap();
    let (name, tools) = (domain.domain.as_str(), &domain.apis[..]);
    let item = domain.dialogues.first().unwrap();
    insta::assert_snapshot!("domains", shown(&prompts::domains(3, &["Chess clubs", "Bakeries"])));
    insta::assert_snapshot!("apis", shown(&prompts::apis(name, 3, &tools[..1])));
    for ability in Ability::ALL {
        let key = |what: &str| format!("{what}-{}", ability.as_str());
        insta::assert_snapshot!(key("query"), shown(&prompts::query(name, ability, tools)));
        let calls = prompts::calls(name, ability, tools, "What is up?", "2024-05-15 10:00:00");
        insta::assert_snapshot!(key("calls"), shown(&calls));
    }
    insta::assert_snapshot!("tester", shown(&prompts::tester(name, item, tools)));
}
