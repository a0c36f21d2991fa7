//! Prompts with their answers, one JSON line per step: what a model is asked under the benchmark's
//! protocol `bracket`, and what it should write.
//!
//! The texts are those of [`Prompts::builtin`], and a dialogue is cut into the same steps as an
//! evaluation dialogue: each call, each reply that directly follows a call, and steps where words are
//! due: in Call and Retrieve+Call each other turn of the assistant, in Plan the end of the dialogue,
//! where the model has to stop (ids end in `-stop`). Two things differ, because
//! generated APIs have no implementation: a search shows the one API that the dialogue finds
//! (`--search-results 1` of a run), and a dialogue with a time states it under the instructions.

use crate::{Item, Tool, Turn};
use apis::search::{self, SearchResults};
use dataset::Ability;
use dataset::random::draw;
use exchange::call;
use exchange::protocol::{Part, Prompts, Protocol, bracket};
use exchange::slots::fill;
use serde_json::{Value, json};

/// The year of a dialogue without a time: that of the evaluation pack.
const YEAR: &str = "2024";

/// The lines of a dialogue: `{"id", "dialogue", "ability", "kind", "messages", "target"}`. `kind` is
/// `call`, `reply`, or `no_call` for words where a call could also be written.
///
/// Prompts of Call describe the dialogue's own APIs. With `distractors` they also describe the rest
/// of the domain, and others drawn by `seed` until there are `distractors.1` in all, by name.
pub fn lines(item: &Item, tools: &[Tool], distractors: Option<(&[&Tool], usize, u32)>) -> String {
    let dialogue = item.dialogue(tools);
    let year = item.time.as_deref().and_then(|time| time.get(..4)).unwrap_or(YEAR);
    let apis: Vec<String> = match (item.ability, distractors) {
        (Ability::Call, None) => own(item, tools).map(described).collect(),
        (Ability::Call, Some(of)) => menu(item, tools, of).into_iter().map(described).collect(),
        _ => {
            let search = search::described(item.ability.suite(), SearchResults::One);
            vec![search.prompt_json().to_string()]
        }
    };
    let apis = apis.join("\n");
    let mut text = String::new();
    let mut add = |index: usize, part: Part, suffix: &str, kind: &str, target: &str| {
        let prompt = Prompts::builtin(Protocol::Bracket).text(part);
        let history = bracket::lines(&dialogue.turns[..index]);
        let values = [("year", year), ("apis", &apis), ("history", &history)];
        let mut system = fill(&prompt.system, &values);
        if let Some(time) = &item.time {
            system += &format!("\n\nNow: {time}");
        }
        let line = json!({
            "id": format!("{}#{index}{suffix}", dialogue.id),
            "dialogue": dialogue.id,
            "ability": item.ability,
            "kind": kind,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": fill(&prompt.user, &values)},
            ],
            "target": target,
        });
        text += &line.to_string();
        text.push('\n');
    };
    let is_plan = item.ability == Ability::Plan;
    let step = if item.ability == Ability::Call { Part::Step } else { Part::SearchStep };
    let last_call = item.turns.iter().rposition(|turn| matches!(turn, Turn::Api(_)));
    for (index, turn) in item.turns.iter().enumerate() {
        let call_before = index.checked_sub(1).filter(|at| matches!(item.turns[*at], Turn::Api(_)));
        match turn {
            Turn::Api(made) => {
                add(index, step, "", "call", &call::format(&made.api_name, &made.param_dict));
            }
            Turn::Assistant { text } if call_before.is_some() => {
                if is_plan && call_before == last_call {
                    add(index, step, "-stop", "no_call", text);
                }
                add(index, Part::Reply, "", "reply", text);
            }
            Turn::Assistant { text } if !is_plan => add(index, step, "", "no_call", text),
            _ => {}
        }
    }
    text
}

fn described(tool: &Tool) -> String {
    Value::to_string(&tool.prompt_json())
}

/// The APIs that the dialogue calls, in the order of its first calls, as the benchmark describes
/// them.
fn own<'a>(item: &'a Item, tools: &'a [Tool]) -> impl Iterator<Item = &'a Tool> {
    let mut names: Vec<&str> = Vec::new();
    for made in item.calls() {
        if !names.contains(&made.api_name.as_str()) {
            names.push(&made.api_name);
        }
    }
    names.into_iter().filter_map(|name| tools.iter().find(|tool| tool.name == name))
}

/// The whole domain and others from `all`, up to `count`, by name.
fn menu<'a>(
    item: &Item,
    tools: &'a [Tool],
    (all, count, seed): (&[&'a Tool], usize, u32),
) -> Vec<&'a Tool> {
    let mut menu: Vec<&Tool> = tools.iter().collect();
    let mut others: Vec<&&Tool> =
        all.iter().filter(|tool| menu.iter().all(|own| own.name != tool.name)).collect();
    others.sort_by_cached_key(|tool| draw(seed, &format!("{}/{}", item.id, tool.name)));
    menu.extend(others.into_iter().take(count.saturating_sub(tools.len())));
    menu.sort_by(|a, b| a.name.cmp(&b.name));
    menu
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Domain;

    fn domain() -> Domain {
        let tool = |name: &str| {
            json!({
                "name": name, "description": format!("{name} does it."),
                "input_parameters": {"boat": {"type": "str", "description": "Name."}},
                "output_parameters": {"free": {"type": "bool", "description": "Whether."}},
            })
        };
        let called = |name: &str| {
            json!({
                "role": "API", "api_name": name, "param_dict": {"boat": "Tern"},
                "output": {"free": true},
            })
        };
        let found = json!({
            "role": "API", "api_name": "ToolSearcher", "param_dict": {"keywords": "moor"},
            "finds": "Moor",
        });
        let user = |text: &str| json!({"role": "User", "text": text});
        let reply = |text: &str| json!({"role": "AI", "text": text});
        serde_json::from_value(json!({
            "domain": "Boats",
            "apis": [tool("Sail"), tool("Moor"), tool("Berth")],
            "dialogues": [
                {"id": "boats-a", "ability": "call", "time": "2027-01-02 10:00:00", "turns": [
                    user("A berth?"), reply("For which boat?"), user("Tern."), called("Sail"),
                    called("Moor"), reply("It is free."),
                ]},
                {"id": "boats-b", "ability": "plan", "turns": [
                    user("Moor the Tern."), found, called("Moor"), reply("It is moored."),
                ]},
            ],
        }))
        .unwrap()
    }

    fn rows(text: &str) -> Vec<Value> {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_step_has_the_benchmarks_prompt_and_its_answer() {
        let domain = domain();
        let steps = rows(&lines(&domain.dialogues[0], &domain.apis, None));
        let kinds: Vec<&str> = steps.iter().map(|step| step["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["no_call", "call", "call", "reply"]);
        assert_eq!(steps[0]["target"], "For which boat?");
        assert_eq!(steps[1]["target"], "[Sail(boat='Tern')]");
        let [system, user] = [0, 1].map(|it| steps[2]["messages"][it]["content"].as_str().unwrap());
        let wording = &Prompts::builtin(Protocol::Bracket).text(Part::Step).system;
        assert!(system.starts_with(wording.split("The current").next().unwrap()), "{system}");
        assert!(system.contains("year is 2027") && system.ends_with("Now: 2027-01-02 10:00:00"));
        assert!(system.find("\"Sail\"") < system.find("\"Moor\"") && !system.contains("Berth"));
        assert!(user.contains("API call: [Sail(boat='Tern')]\nAPI result: {\"free\":true}"));
        assert!(!user.contains("Moor"), "{user}");
    }

    #[test]
    fn a_plan_searches_and_asks_at_its_end_whether_the_model_stops() {
        let domain = domain();
        let steps = rows(&lines(&domain.dialogues[1], &domain.apis, None));
        let targets: Vec<&str> = steps.iter().map(|it| it["target"].as_str().unwrap()).collect();
        assert_eq!(
            targets,
            [
                "[ToolSearcher(keywords='moor')]",
                "[Moor(boat='Tern')]",
                "It is moored.",
                "It is moored.",
            ]
        );
        let of = |key| steps.iter().map(|step| step[key].as_str().unwrap()).collect::<Vec<_>>();
        assert_eq!(of("kind"), ["call", "call", "no_call", "reply"]);
        assert_eq!(of("id")[2..], ["plan/boats-b#3-stop", "plan/boats-b#3"]);
        let [call, stop] = [1, 2].map(|it| steps[it]["messages"][0]["content"].as_str().unwrap());
        assert_eq!(call, stop);
        let system = steps[1]["messages"][0]["content"].as_str().unwrap();
        assert!(system.contains("\"ToolSearcher\"") && !system.contains("Moor does it."));
        assert!(system.contains("year is 2024") && !system.contains("Now:"));
    }

    #[test]
    fn distractors_fill_the_menu() {
        let domain = domain();
        let further: Vec<Tool> = (0..20)
            .map(|number| Tool { name: format!("Far{number:02}"), ..domain.apis[0].clone() })
            .collect();
        let all: Vec<&Tool> = domain.apis.iter().chain(&further).collect();
        let menu = |seed| {
            let steps = rows(&lines(&domain.dialogues[0], &domain.apis, Some((&all, 15, seed))));
            steps[0]["messages"][0]["content"].as_str().unwrap().to_owned()
        };
        assert_eq!(menu(1).matches("{\"name\"").count(), 15);
        assert!(menu(1).find("\"Berth\"") < menu(1).find("\"Sail\""));
        assert_eq!(menu(1), menu(1));
        assert_ne!(menu(1), menu(2));
    }
}
