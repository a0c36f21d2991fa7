//! Scripted versions of the generator's five agents: distinct correct answers, with faults at
//! chosen turns.

use std::collections::BTreeMap;

use generator::{Agent, own, prompts};
use serde_json::{Map, Value, json};

use crate::own_agents;

/// A fault in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Truncated JSON.
    BrokenJson,
    /// JSON of a different shape.
    OtherShape,
    /// An apology.
    Refusal,
    /// An unterminated list.
    EndlessList,
    /// The previous answer again.
    Repeat,
    /// A call of an API that does not exist.
    WrongApi,
    /// An argument that the dialogue does not mention.
    Ungrounded,
    /// A result with different fields.
    WrongResult,
    /// A query copied from the evaluation set.
    Contaminated,
    /// The tester rejects.
    Rejects,
}

/// The agents and their script.
#[derive(Debug, Clone, Default)]
pub struct Agents {
    faults: BTreeMap<(Agent, usize), Fault>,
    evaluation_text: String,
    asked: BTreeMap<Agent, usize>,
    last_query: Option<String>,
}

const FIRST: [&str; 48] = [
    "Ferry",
    "Orchard",
    "Bakery",
    "Museum",
    "Glacier",
    "Cinema",
    "Quarry",
    "Stable",
    "Vineyard",
    "Bicycle",
    "Aquarium",
    "Theatre",
    "Sawmill",
    "Camping",
    "Pottery",
    "Railway",
    "Tailor",
    "Apiary",
    "Chess",
    "Organ",
    "Drone",
    "Balloon",
    "Sauna",
    "Marathon",
    "Orchestra",
    "Fishery",
    "Brewery",
    "Carpet",
    "Circus",
    "Lighthouse",
    "Mosaic",
    "Nursery",
    "Observatory",
    "Parcel",
    "Quilt",
    "Rowing",
    "Skating",
    "Tram",
    "Umbrella",
    "Violin",
    "Wedding",
    "Yoga",
    "Zoo",
    "Archive",
    "Bridge",
    "Canal",
    "Dairy",
    "Elevator",
];
const SECOND: [&str; 24] = [
    "bookings",
    "repairs",
    "supplies",
    "permits",
    "lessons",
    "inspections",
    "schedules",
    "donations",
    "rentals",
    "auctions",
    "insurance",
    "catalogues",
    "volunteers",
    "safety",
    "deliveries",
    "memberships",
    "payroll",
    "recycling",
    "photography",
    "translations",
    "audits",
    "exhibitions",
    "contracts",
    "surveys",
];
const OPENINGS: [&str; 12] = [
    "Put down",
    "There should be",
    "Kindly arrange",
    "My sister wants",
    "Before noon I need",
    "Somebody ordered",
    "We are short of",
    "Have them send",
    "Is it possible to get",
    "Our club asks for",
    "Quickly:",
    "The manager insists on",
];

impl Agents {
    /// Agents with faults by agent and answer number, from 0; a contaminated query has the text
    /// `evaluation_text`.
    #[must_use]
    pub fn new(faults: BTreeMap<(Agent, usize), Fault>, evaluation_text: String) -> Self {
        Agents { faults, evaluation_text, ..Agents::default() }
    }

    /// The scripted answer to a prompt, which starts with the instructions; `None` if the prompt is
    /// not for an agent.
    pub fn answer(&mut self, prompt: &str) -> Option<String> {
        let begins = |with: &str| prompt.starts_with(with);
        let of_own = |agent: Agent| own::prompts::of(agent).map(|prompts| prompts.system.as_str());
        let is_own = Agent::ALL.into_iter().filter_map(of_own).any(begins);
        let system = |agent: Agent| match is_own {
            true => of_own(agent),
            false => Some(prompts::of(agent).system.as_str()),
        };
        let agent = Agent::ALL.into_iter().find(|agent| system(*agent).is_some_and(begins))?;
        let task = prompt.get(system(agent)?.len()..)?.trim_start();
        let turn = self.asked.entry(agent).or_default();
        let nth = *turn;
        *turn += 1;
        let fault = self.faults.get(&(agent, nth)).copied();
        Some(match fault {
            Some(Fault::BrokenJson) => "{\"domains\": [\"Ferry".to_owned(),
            Some(Fault::OtherShape) => r#"{"answer": 42}"#.to_owned(),
            Some(Fault::Refusal) => "I'm sorry, but I can't help with that.".to_owned(),
            Some(Fault::EndlessList) => format!("[{}", "\"and on\", ".repeat(10_000)),
            _ if is_own => match agent {
                Agent::Query => self.own_query(nth, fault),
                Agent::Calls => own_agents::turns(task, fault),
                _ => tester(fault),
            },
            _ => match agent {
                Agent::Domains => domains(task, fault),
                Agent::Apis => apis(task),
                Agent::Query => self.query(task, nth, fault),
                Agent::Calls => calls(task, fault),
                Agent::Tester => tester(fault),
            },
        })
    }

    /// The number of requests to an agent.
    pub fn asked(&self, agent: Agent) -> usize {
        self.asked.get(&agent).copied().unwrap_or(0)
    }

    fn own_query(&mut self, nth: usize, fault: Option<Fault>) -> String {
        let query = match (fault, &self.last_query) {
            (Some(Fault::Repeat), Some(last)) => last.clone(),
            _ => {
                let opening = OPENINGS[nth % OPENINGS.len()];
                own_agents::message(opening, nth, [word(3 * nth), word(3 * nth + 1)])
            }
        };
        self.last_query = Some(query.clone());
        json!({ "query": query }).to_string()
    }

    fn query(&mut self, task: &str, nth: usize, fault: Option<Fault>) -> String {
        let query = match (fault, &self.last_query) {
            (Some(Fault::Repeat), Some(last)) => last.clone(),
            (Some(Fault::Contaminated), _) => self.evaluation_text.clone(),
            _ => {
                let domain = line(task, "Domain: ");
                let opening = OPENINGS[nth % OPENINGS.len()];
                let amount = 2 + nth % 90;
                let (who, what) = (word(3 * nth), word(3 * nth + 1));
                format!("{opening} {amount} {what} from {domain} for {who}.")
            }
        };
        self.last_query = Some(query.clone());
        let day = 1 + nth % 28;
        json!({"query": query, "time": format!("2026-03-{day:02} 09:00:00")}).to_string()
    }
}

/// The text after a label on its line.
pub(crate) fn line<'a>(task: &'a str, label: &str) -> &'a str {
    task.lines().find_map(|line| line.strip_prefix(label)).unwrap_or_default()
}

/// A unique name.
fn word(index: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "xu", "zan", "dor", "fel", "gim",
        "hus", "pyr",
    ];
    let mut number = index.wrapping_mul(2_654_435_761) % 65_536;
    let mut name = String::new();
    for _ in 0..4 {
        name.push_str(SYLLABLES[number % 16]);
        number /= 16;
    }
    let capital = name.remove(0).to_ascii_uppercase();
    format!("{capital}{name}")
}

fn domains(task: &str, fault: Option<Fault>) -> String {
    let count: usize =
        task.split_whitespace().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1);
    let known: Vec<&str> = task.lines().collect();
    // The last known name determines where the list continues.
    let last = known.iter().rev().find_map(|line| {
        let (first, second) = line.split_once(' ')?;
        let first = FIRST.iter().position(|name| *name == first)?;
        Some(SECOND.iter().position(|name| *name == second)? * FIRST.len() + first)
    });
    let from = last.map_or(0, |last| last + 1);
    let from = if fault == Some(Fault::Repeat) { from.saturating_sub(1) } else { from };
    let names: Vec<String> = (from..from + count)
        .map(|at| {
            format!("{} {}", FIRST[at % FIRST.len()], SECOND[at / FIRST.len() % SECOND.len()])
        })
        .collect();
    json!({ "domains": names }).to_string()
}

/// An opening, then APIs in sequence, each of which needs the number that the first returned.
fn apis(task: &str) -> String {
    const KINDS: [(&str, &str); 5] = [
        ("Opening", "Opens a new request with a name and an amount, and gives it a number"),
        ("Status", "Tells how far a request with a known number has come by now"),
        ("Closing", "Cancels a request for good and says which fee that costs"),
        ("Printing", "Prints the paper form of a request and posts it in an envelope"),
        ("Rating", "Collects stars of satisfied customers once a request is done"),
    ];
    let domain = line(task, "Domain: ");
    let title: String = domain
        .split(' ')
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or(String::new(), |c| c.to_ascii_uppercase().to_string())
                + letters.as_str()
        })
        .collect();
    let count: usize = task
        .lines()
        .find_map(|line| line.strip_prefix("Write ")?.split(' ').next()?.parse().ok())
        .unwrap_or(2);
    let apis: Vec<Value> = KINDS
        .iter()
        .cycle()
        .take(count)
        .enumerate()
        .map(|(at, (kind, does))| {
            let number = if at < KINDS.len() { String::new() } else { at.to_string() };
            let inputs = match at {
                0 => json!({
                    "name": {"type": "str", "description": "Whom it is for."},
                    "amount": {"type": "int", "description": "How many."}
                }),
                _ => json!({"number": {"type": "str", "description": "Number of the request."}}),
            };
            let output = if at == 0 { "number" } else { "report" };
            json!({
                "name": format!("{title}{kind}{number}"),
                "description": format!("{does}, in the field of {domain}{number}."),
                "input_parameters": inputs,
                "output_parameters": {output: {"type": "str", "description": "What comes of it."}}
            })
        })
        .collect();
    json!({ "apis": apis }).to_string()
}

fn calls(task: &str, fault: Option<Fault>) -> String {
    let ability = line(task, "Ability: ");
    let described: Vec<Value> = task
        .lines()
        .skip_while(|line| *line != "APIs:")
        .skip(1)
        .map_while(|line| serde_json::from_str(line).ok())
        .collect();
    let query = task.lines().last().unwrap_or_default();
    let words: Vec<&str> = query.split_whitespace().collect();
    let amount: i64 = words.iter().find_map(|word| word.parse().ok()).unwrap_or(1);
    let who = words.last().map_or("", |word| word.trim_end_matches('.'));
    let count = match ability {
        "Call" => described.len(),
        "Retrieve+Call" => 1,
        _ => 2,
    };
    let mut turns = Vec::new();
    let mut number = None;
    for tool in described.iter().take(count) {
        if ability != "Call" {
            turns.push(json!({"role": "API", "api_name": "ToolSearcher",
                "param_dict": {"keywords": tool["description"]}, "finds": tool["name"]}));
        }
        let first = tool["input_parameters"].get("amount").is_some();
        if !first && number.is_none() {
            // The API needs the request's number.
            turns.push(json!({"role": "AI", "text": "Which number has the request?"}));
            turns.push(json!({"role": "User", "text": format!("It is {who}-{amount}.")}));
            number = Some(format!("{who}-{amount}"));
        }
        turns.push(call(tool, who, amount, number.as_deref(), fault));
        if first {
            number = Some(format!("{who}-{amount}"));
        }
    }
    turns.push(json!({"role": "AI", "text": format!("Done for {who}.")}));
    json!({ "turns": turns }).to_string()
}

fn call(tool: &Value, who: &str, amount: i64, number: Option<&str>, fault: Option<Fault>) -> Value {
    let mut arguments = Map::new();
    for name in tool["input_parameters"].as_object().into_iter().flat_map(Map::keys) {
        let value = match name.as_str() {
            "amount" => json!(amount),
            "name" => json!(who),
            _ => json!(number.unwrap_or_default()),
        };
        arguments.insert(name.clone(), value);
    }
    if fault == Some(Fault::Ungrounded) {
        let last = arguments.values_mut().next();
        if let Some(value) = last {
            *value = json!("Rumpelstiltskin");
        }
    }
    let result = if fault == Some(Fault::WrongResult) { "nonsense" } else { "" };
    let output: Map<String, Value> = tool["output_parameters"]
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .map(|name| (format!("{result}{name}"), json!(format!("{who}-{amount}"))))
        .collect();
    let name = match fault {
        Some(Fault::WrongApi) => json!("OpenPodBayDoors"),
        _ => tool["name"].clone(),
    };
    json!({"role": "API", "api_name": name, "param_dict": arguments, "output": output})
}

fn tester(fault: Option<Fault>) -> String {
    if fault == Some(Fault::Rejects) {
        let reason =
            json!({"principle": "api-authenticity", "detail": "No office works like this."});
        return json!({"accept": false, "reasons": [reason]}).to_string();
    }
    r#"{"accept": true, "reasons": []}"#.to_owned()
}
