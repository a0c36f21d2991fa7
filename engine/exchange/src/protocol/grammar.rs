//! A grammar for the answers under `bracket` and `paper`, in GBNF, the notation of llama.cpp: a call
//! of a known API with its own parameters and types, or words. Where the prompt says that a call is
//! due, a call alone.

use super::{Protocol, Sample, SampleKind, is_open};
use apis::search::SearchResults;
use apis::{Api, Kind, registry};
use dataset::Turn;
use serde_json::Value;

/// The answers where the prompt leaves open whether a call is due. A leading line break is allowed:
/// text models continue a line. Only a call may begin with a bracket.
const OPEN: &str = "root ::= \"\\n\"? ( \"[\" call \"]\" | words )\n";
/// The answers where the prompt says that a call is due.
const CALL: &str = "root ::= \"\\n\"? \"[\" call \"]\"\n";
/// What all grammars share.
const SHARED: &str = r#"words ::= [^\[ \n] ( [^\n] | "\n" )*
text ::= "'" ( [^'\\\n] | "\\" [^\n] )* "'" | "\"" ( [^"\\\n] | "\\" [^\n] )* "\""
integer ::= "-"? [0-9]+
number ::= "-"? [0-9]+ ( "." [0-9]+ )?
boolean ::= "True" | "False"
texts ::= "[" ( text ( ", " text )* )? "]"
record ::= "{" text ": " text ( ", " text ": " text )* "}"
records ::= "[" ( record ( ", " record )* )? "]"
"#;

/// The grammar of a sample's answer after `history`; `None` where calls are not text, where only words
/// are asked for, or where the tools are a pack's own, whose values may be of any shape.
pub fn grammar(
    protocol: Protocol,
    sample: &Sample<'_>,
    history: &[Turn],
    results: SearchResults,
) -> Option<String> {
    let is_text = matches!(protocol, Protocol::Bracket | Protocol::Paper);
    if !is_text
        || sample.kind == SampleKind::Reply
        || sample.prompt().is_some()
        || sample.tools.is_some()
    {
        return None;
    }
    let mut apis = sample.described_after(history, results);
    let suite = sample.ability().suite();
    for name in history.iter().flat_map(found) {
        if let Some(api) = registry::find(suite, name)
            && !apis.iter().any(|known| known.name == api.name)
        {
            apis.push(api);
        }
    }
    let root = if is_open(protocol, sample) { OPEN } else { CALL };
    (!apis.is_empty()).then(|| of_calls(root, &apis))
}

/// The names of the APIs that a turn's search has found.
fn found(turn: &Turn) -> Vec<&str> {
    let Turn::Api(call) = turn else { return Vec::new() };
    let output = call.result.output.as_ref().filter(|_| call.is_search());
    let all = match output {
        Some(Value::Array(all)) => all.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    all.iter().filter_map(|tool| tool.get("name")?.as_str()).collect()
}

fn of_calls(root: &str, apis: &[&Api]) -> String {
    let mut grammar = format!("{root}{SHARED}");
    let names: Vec<String> = (0..apis.len()).map(|index| format!("api-{index}")).collect();
    grammar += &format!("call ::= {}\n", names.join(" | "));
    for (api, rule) in apis.iter().zip(names) {
        let name = api.name;
        if api.params.is_empty() {
            grammar += &format!("{rule} ::= \"{name}()\"\n");
            continue;
        }
        let arguments: Vec<String> = api
            .params
            .iter()
            .map(|param| format!("\"{}=\" {}", param.name, value(param.kind)))
            .collect();
        grammar += &format!("{rule} ::= \"{name}(\" ( {rule}-a ( \", \" {rule}-a )* )? \")\"\n");
        grammar += &format!("{rule}-a ::= {}\n", arguments.join(" | "));
    }
    grammar
}

/// The rule of a parameter's values.
fn value(kind: Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::Date | Kind::DateTime | Kind::MonthDay => "text",
        Kind::Integer => "integer",
        Kind::Number => "number",
        Kind::Boolean => "boolean",
        Kind::TextList | Kind::UntypedTextList => "texts",
        Kind::RecordList(_) => "records",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call;
    use crate::protocol::samples;
    use regex_lite::Regex;
    use std::collections::BTreeMap;

    /// The grammar as a regular expression; its rules are not recursive.
    fn expression(grammar: &str) -> Regex {
        let rules: BTreeMap<&str, &str> =
            grammar.lines().filter_map(|line| line.split_once(" ::= ")).collect();
        Regex::new(&format!("^(?:{})$", expanded(rules["root"], &rules))).unwrap()
    }

    fn expanded(body: &str, rules: &BTreeMap<&str, &str>) -> String {
        let mut out = String::new();
        let mut rest = body;
        while let Some(first) = rest.chars().next() {
            let end = match first {
                '"' | '[' => {
                    let close = if first == '"' { '"' } else { ']' };
                    let mut escaped = false;
                    let end = rest.char_indices().skip(1).find(|(_, c)| {
                        let ends = *c == close && !escaped;
                        escaped = *c == '\\' && !escaped;
                        ends
                    });
                    end.unwrap().0 + 1
                }
                c if c.is_ascii_lowercase() => {
                    let name = |c: char| c.is_ascii_alphanumeric() || c == '-';
                    rest.find(|c| !name(c)).unwrap_or(rest.len())
                }
                _ => 1,
            };
            let token = &rest[..end];
            match first {
                '"' => {
                    let text = token[1..end - 1].replace("\\\"", "\"").replace("\\\\", "\\");
                    let text = text.replace("\\n", "\n");
                    out += &format!("(?:{})", regex_lite::escape(&text));
                }
                '[' => out += token,
                ' ' => {}
                c if c.is_ascii_lowercase() => {
                    out += &format!("(?:{})", expanded(rules[token], rules));
                }
                _ => out += token,
            }
            rest = &rest[end..];
        }
        out
    }

    #[test]
    fn every_gold_answer_follows_its_grammar() {
        let pack = dataset::builtin().unwrap();
        let mut calls = 0;
        for sample in &samples(&pack) {
            let one = SearchResults::One;
            let Some(grammar) = grammar(Protocol::Bracket, sample, sample.history(), one) else {
                assert_eq!(sample.kind, SampleKind::Reply);
                continue;
            };
            let called = sample.gold_call().map(|it| call::format(&it.api_name, &it.param_dict));
            calls += usize::from(called.is_some());
            let gold = called.or_else(|| sample.gold_reply().map(str::to_owned)).unwrap();
            let expression = expression(&grammar);
            assert!(expression.is_match(&gold), "{}: {gold}\n{grammar}", sample.id());
            assert!(!expression.is_match("[NoSuchApi()]"), "{grammar}");
        }
        assert!(calls > 700, "{calls}");
    }

    #[test]
    fn where_a_call_is_due_words_are_no_answer() {
        let pack = dataset::builtin().unwrap();
        let all = samples(&pack);
        let sample = all.iter().find(|sample| sample.kind == SampleKind::Call).unwrap();
        let gold = sample.gold_call().unwrap();
        let gold = call::format(&gold.api_name, &gold.param_dict);
        for (protocol, words) in [(Protocol::Bracket, true), (Protocol::Paper, false)] {
            let grammar = grammar(protocol, sample, sample.history(), SearchResults::One).unwrap();
            let expression = expression(&grammar);
            assert!(expression.is_match(&gold), "{grammar}");
            assert_eq!(expression.is_match("Which one?"), words, "{grammar}");
        }
    }

    #[test]
    fn arguments_have_their_types_and_only_known_names() {
        let [alarm, calculator] = ["AddAlarm", "Calculator"]
            .map(|name| registry::find(apis::Suite::Dialogue, name).unwrap());
        let expression = expression(&of_calls(OPEN, &[alarm, calculator]));
        for right in [
            "[Calculator(formula='1+1')]",
            "\n[Calculator(formula=\"it's 1\")]",
            "[AddAlarm(token='a', time='2024-05-01 07:00:00')]",
            "Which time?\nTell me [exactly].",
        ] {
            assert!(expression.is_match(right), "{right}");
        }
        for wrong in [
            "[Calculator(formula=1)]",
            "[Calculator(sum='1+1')]",
            "[Calculator(formula='1+1')",
            "[GetToday()]",
            "",
        ] {
            assert!(!expression.is_match(wrong), "{wrong}");
        }
    }
}
