//! Scripted versions of the agents that write tasks for a user's own tools.

use generator::own::TaskKind;
use serde_json::{Map, Value, json};

use crate::agents::{Fault, line};

/// A message with a value for every type of parameter.
pub(crate) fn message(opening: &str, nth: usize, [who, what]: [String; 2]) -> String {
    let (amount, day) = (1 + nth % 20, 1 + nth % 28);
    let mail = who.to_lowercase();
    format!("{opening} {amount} {what}, on 2026-04-{day:02}, {mail}@example.com, for {who}.")
}

/// The values of a message.
struct Said<'a> {
    amount: i64,
    date: &'a str,
    mail: &'a str,
    who: &'a str,
}

impl<'a> Said<'a> {
    fn read(message: &'a str) -> Self {
        let words: Vec<&str> =
            message.split_whitespace().map(|word| word.trim_end_matches([',', '.'])).collect();
        let with = |mark: &str| words.iter().find(|word| word.contains(mark)).copied();
        Said {
            amount: words.iter().find_map(|word| word.parse().ok()).unwrap_or(1),
            date: with("-04-").unwrap_or_default(),
            mail: with("@").unwrap_or_default(),
            who: words.last().copied().unwrap_or_default(),
        }
    }

    /// A value that fits a schema.
    fn value(&self, schema: &Value) -> Value {
        if let Some(first) = schema["enum"].get(0) {
            return first.clone();
        }
        match (schema["type"].as_str(), schema["format"].as_str()) {
            (Some("integer" | "number"), _) => json!(self.amount),
            (Some("boolean"), _) => json!(true),
            (Some("array"), _) => json!([self.value(&schema["items"])]),
            (Some("object"), _) => Value::Object(self.arguments(schema)),
            (_, Some("date")) => json!(self.date),
            (_, Some("email")) => json!(self.mail),
            _ => json!(self.who),
        }
    }

    /// The required arguments.
    fn arguments(&self, schema: &Value) -> Map<String, Value> {
        let required =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        required.map(|name| (name.to_owned(), self.value(&schema["properties"][name]))).collect()
    }
}

/// The turns after a message.
pub(crate) fn turns(task: &str, fault: Option<Fault>) -> String {
    let tools: Vec<Value> = task
        .lines()
        .skip_while(|line| *line != "Tools:")
        .skip(1)
        .map_while(|line| serde_json::from_str(line).ok())
        .collect();
    let said = Said::read(task.lines().last().unwrap_or_default());
    let rules = line(task, "Task: ");
    let calls = match TaskKind::ALL
        .into_iter()
        .find(|kind| [0, 1].map(|round| kind.rules(round)).contains(&rules))
    {
        Some(TaskKind::NoCall) => 0,
        Some(TaskKind::Plan) => 2,
        _ => 1,
    };
    let call = |tool: &Value| {
        let mut arguments = said.arguments(&tool["parameters"]);
        if let (Some(Fault::Ungrounded), Some(value)) = (fault, arguments.values_mut().next()) {
            *value = json!("Rumpelstiltskin");
        }
        let name = match fault {
            Some(Fault::WrongApi) => json!("open_pod_bay_doors"),
            _ => tool["name"].clone(),
        };
        json!({"role": "API", "api_name": name, "param_dict": arguments, "output": {"for": said.who}})
    };
    let mut turns: Vec<Value> = tools.iter().take(calls).map(call).collect();
    turns.push(match calls {
        0 => json!({"role": "AI", "text": "Which one do you mean?"}),
        _ => json!({"role": "AI", "text": format!("Done for {}.", said.who), "tell": [said.who]}),
    });
    json!({ "turns": turns }).to_string()
}
