//! Replies: whether the reply after a call mentions the call's result.

use super::grounding::said_numbers;
use crate::dialogue::{Dialogue, RecordedCall, Turn};
use crate::text::words::{is_content, stem, words};
use serde_json::Value;
use std::collections::BTreeSet;

/// Words of outputs that only confirm success.
const BARE: [&str; 2] = ["success", "status"];

/// A reply that directly follows a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// `<dialogue>#<turn>`.
    pub step: String,
    /// The reply.
    pub text: String,
    /// Whether it contains a number or content word of the results; `None` if they contain none.
    pub mentions: Option<bool>,
}

/// Every reply that directly follows a call, with the results since the last utterance.
pub fn replies(dialogue: &Dialogue) -> Vec<Reply> {
    let mut results: BTreeSet<String> = BTreeSet::new();
    let mut replies = Vec::new();
    let (mut follows, mut passed_on) = (false, false);
    for (turn, said) in dialogue.turns.iter().enumerate() {
        match said {
            Turn::Api(call) => {
                let mut arguments = Vec::new();
                call.param_dict.values().for_each(|value| collect(Some(value), &mut arguments));
                passed_on |= arguments.iter().any(|text| !results.is_disjoint(&keys(text)));
                results.extend(facts(call));
                follows = true;
                continue;
            }
            Turn::Assistant { text, .. } if follows => {
                let said: BTreeSet<String> = keys(text);
                let says = !results.is_disjoint(&said);
                // A reply need not mention a code or id that a later call used.
                let mentions = (says || !(results.is_empty() || passed_on)).then_some(says);
                let step = format!("{}#{turn}", dialogue.id);
                replies.push(Reply { step, text: text.clone(), mentions });
            }
            _ => {}
        }
        results.clear();
        (follows, passed_on) = (false, false);
    }
    replies
}

/// The numbers and content words of a text.
#[derive(Debug)]
pub struct Said(BTreeSet<String>);

impl Said {
    /// Those of a text.
    pub fn of(text: &str) -> Self {
        Said(keys(text))
    }

    /// Whether the text mentions a number or content word of a call's result, tokens excepted.
    pub fn tells(&self, call: &RecordedCall) -> bool {
        !facts(call).is_disjoint(&self.0)
    }
}

/// Numbers and stemmed content words of a call's result.
fn facts(call: &RecordedCall) -> BTreeSet<String> {
    let mut texts = Vec::new();
    // The user did not ask which API a search finds.
    if call.is_search() {
        return BTreeSet::new();
    }
    if let Some(reason) = &call.result.exception {
        texts.push(reason.clone());
    }
    collect(call.result.output.as_ref(), &mut texts);
    texts
        .iter()
        .flat_map(|text| keys(text))
        .filter(|key| !BARE.iter().any(|word| stem(word) == key))
        .collect()
}

fn collect(value: Option<&Value>, texts: &mut Vec<String>) {
    match value {
        Some(Value::Array(items)) => {
            // "Six posts" mentions a list of six items.
            texts.push(items.len().to_string());
            items.iter().for_each(|item| collect(Some(item), texts));
        }
        Some(Value::Object(fields)) => {
            // A token is a secret: replies should not mention it.
            for (name, value) in fields.iter().filter(|(name, _)| *name != "token") {
                // Numeric keys are ids of rows.
                if name.bytes().all(|byte| byte.is_ascii_digit()) {
                    texts.push(name.clone());
                }
                collect(Some(value), texts);
            }
        }
        Some(Value::String(text)) => texts.push(text.clone()),
        Some(Value::Number(number)) => texts.push(rounded(number.as_f64().unwrap_or_default())),
        _ => {}
    }
}

/// A number with at most two decimals and no trailing zeros, for comparison as text.
fn rounded(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Numbers and stems of content words of a text.
fn keys(text: &str) -> BTreeSet<String> {
    let mut keys: BTreeSet<String> = words(text)
        .iter()
        .filter(|word| is_content(word))
        .map(|word| stem(word).to_owned())
        .collect();
    let numbers = text
        .split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')))
        .filter_map(|part| part.trim_matches(['.', ',']).replace(',', "").parse::<f64>().ok());
    keys.extend(numbers.map(rounded));
    keys.extend(said_numbers(text).into_iter().map(rounded));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ability::Ability;

    fn mentions(output: &str, reply: &str) -> Option<bool> {
        let file = format!(
            r#"{{"role": "User", "text": "?"}}
{{"role": "API", "api_name": "A", "param_dict": {{}}, "result": {{"api_name": "A", "input": null, "output": {output}, "exception": null}}}}
{{"role": "AI", "text": "{reply}"}}
{{"role": "AI", "text": "Anything else?"}}"#
        );
        let dialogue = Dialogue::read_lines("x.jsonl", Ability::Call, &file).unwrap();
        let replies = replies(&dialogue);
        assert_eq!(replies.len(), 1);
        replies[0].mentions
    }

    #[test]
    fn a_reply_must_mention_the_result() {
        assert_eq!(mentions("9.64", "It closed at 9.64."), Some(true));
        assert_eq!(mentions("91.028571429", "About 91.03 each."), Some(true));
        assert_eq!(mentions("9.64", "It closed higher."), Some(false));
        assert_eq!(
            mentions(r#"{"48875161": {"doctor_name": "Dr. Kenji Arakawa"}}"#, "You see Kenji."),
            Some(true)
        );
        assert_eq!(mentions(r#"{"name": "Whale"}"#, "A mural."), Some(false));
        assert_eq!(mentions("\"success\"", "Done."), None);
    }

    #[test]
    fn replies_of_the_pack_mention_the_results() {
        let pack = crate::builtin().unwrap();
        let all: Vec<Reply> = pack.dialogues.iter().flat_map(replies).collect();
        let silent: Vec<&Reply> = all.iter().filter(|it| it.mentions == Some(false)).collect();
        let bare = all.iter().filter(|reply| reply.mentions.is_none()).count();
        println!("{} replies, {bare} after bare results, {} silent", all.len(), silent.len());
        for reply in &silent {
            println!("{} {}", reply.step, reply.text);
        }
        assert!(silent.is_empty());
    }
}
