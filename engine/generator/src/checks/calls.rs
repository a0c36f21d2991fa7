//! Checks calls against the descriptions of their APIs, and the descriptions themselves.

use super::similar::cosine;
use super::{Embed, EmbedError};
use crate::item::Call;
use crate::tool::published;
use crate::{Code, Item, Reason, Tool};
use exchange::shorten;
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum number of characters that a detail quotes of a value.
const SHOWN: usize = 80;

pub(super) fn check(item: &Item, tools: &[Tool]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut found = BTreeSet::new();
    let needs_search = item.ability != dataset::Ability::Call;
    for (at, call) in item.calls().enumerate() {
        if call.is_search() {
            search(at, call, tools, &mut reasons);
            found.extend(call.finds.as_deref());
            continue;
        }
        let Some(tool) = tools.iter().find(|tool| tool.name == call.api_name) else {
            let known: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            reasons.push(Reason::new(
                Code::UnknownApi,
                format!(
                    "call {at}: expected one of {}, got {:?}",
                    known.join(", "),
                    shorten(&call.api_name, SHOWN)
                ),
            ));
            continue;
        };
        if needs_search && !found.contains(call.api_name.as_str()) {
            let name = &call.api_name;
            let detail = format!("call {at}: no search before it finds {name}");
            reasons.push(Reason::new(Code::NotFound, detail));
        }
        arguments(at, call, tool, &mut reasons);
        result(at, call, tool, &mut reasons);
    }
    reasons
}

fn search(at: usize, call: &Call, tools: &[Tool], reasons: &mut Vec<Reason>) {
    let keywords = call.param_dict.get("keywords").and_then(Value::as_str).unwrap_or_default();
    if keywords.trim().is_empty() || call.param_dict.len() != 1 {
        let detail = format!("call {at}: a search takes keywords, a text, and nothing else");
        reasons.push(Reason::new(Code::MissingArgument, detail));
    }
    let known = call.finds.as_ref().is_some_and(|name| tools.iter().any(|tool| tool.name == *name));
    if !known || call.output.is_some() || call.exception.is_some() {
        let detail = format!(
            "call {at}: a search has finds, the name of a defined API, in place of a result; got {:?}",
            call.finds.as_deref().unwrap_or_default()
        );
        reasons.push(Reason::new(Code::BadResult, detail));
    }
}

fn arguments(at: usize, call: &Call, tool: &Tool, reasons: &mut Vec<Reason>) {
    let place = format!("call {at}, {}", tool.name);
    for (name, parameter) in &tool.input_parameters {
        if parameter.required && !call.param_dict.contains_key(name) {
            let detail = format!("{place}: {name} is missing");
            reasons.push(Reason::new(Code::MissingArgument, detail));
        }
    }
    for (name, value) in &call.param_dict {
        match tool.input_parameters.get(name) {
            None => {
                let detail = format!("{place}: there is no parameter {:?}", shorten(name, SHOWN));
                reasons.push(Reason::new(Code::UnknownArgument, detail));
            }
            Some(parameter) if !parameter.fits(value) => {
                let shown = shorten(&value.to_string(), SHOWN);
                let expected = &parameter.label;
                let detail = format!(
                    "{place}: {name} takes {expected} as its description says, got {shown}"
                );
                reasons.push(Reason::new(Code::WrongType, detail));
            }
            Some(_) => {}
        }
    }
}

fn result(at: usize, call: &Call, tool: &Tool, reasons: &mut Vec<Reason>) {
    let place = format!("call {at}, {}", tool.name);
    let mut wrong = |detail: String| reasons.push(Reason::new(Code::BadResult, detail));
    let output = match (&call.output, &call.exception, &call.finds) {
        (Some(output), None, None) => output,
        (None, Some(message), None) if !message.trim().is_empty() => return,
        _ => return wrong(format!("{place}: expected either an output or an exception")),
    };
    let Some(fields) = output.as_object() else {
        return wrong(format!("{place}: expected an object of output fields"));
    };
    for name in fields.keys().filter(|name| !tool.output_parameters.contains_key(*name)) {
        wrong(format!("{place}: the API returns no {:?}", shorten(name, SHOWN)));
    }
    for (name, parameter) in &tool.output_parameters {
        match fields.get(name) {
            None if parameter.required => {
                wrong(format!("{place}: {name} is missing in the output"))
            }
            Some(value) if !parameter.fits(value) => {
                let shown = shorten(&value.to_string(), SHOWN);
                let expected = &parameter.label;
                wrong(format!("{place}: {name} returns {expected}, got {shown}"));
            }
            _ => {}
        }
    }
}

pub(super) fn searches(
    item: &Item,
    tools: &[Tool],
    embed: &impl Embed,
) -> Result<Vec<Reason>, EmbedError> {
    let mut reasons = Vec::new();
    if !item.calls().any(Call::is_search) {
        return Ok(reasons);
    }
    let vectors: Vec<Vec<f32>> =
        tools.iter().map(|tool| embed.embed(&tool.search_text())).collect::<Result<_, _>>()?;
    for (at, call) in item.calls().enumerate().filter(|(_, call)| call.is_search()) {
        let keywords = call.param_dict.get("keywords").and_then(Value::as_str).unwrap_or_default();
        let query = embed.embed(keywords)?;
        let best = tools
            .iter()
            .zip(&vectors)
            .map(|(tool, vector)| (cosine(&query, vector), tool.name.as_str()))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let (Some((_, best)), Some(wanted)) = (best, call.finds.as_deref()) else { continue };
        if best != wanted {
            let keywords = shorten(keywords, SHOWN);
            let detail = format!("call {at}: {keywords:?} finds {best}, not {wanted}");
            reasons.push(Reason::new(Code::SearchMisses, detail));
        }
    }
    Ok(reasons)
}

/// Maximum length of an API's or a parameter's name, in bytes.
const MAX_NAME: usize = 64;
/// Maximum number of parameters, and of output fields.
const MAX_FIELDS: usize = 12;

/// Checks the names, types and limits of an API's description.
pub(super) fn tool(tool: &Tool) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let camel = tool.name.starts_with(|c: char| c.is_ascii_uppercase())
        && tool.name.bytes().all(|b| b.is_ascii_alphanumeric());
    if !camel || tool.name.len() > MAX_NAME {
        reasons.push(Reason::new(
            Code::BadName,
            format!("expected a name like FerryTimetable, got {:?}", shorten(&tool.name, SHOWN)),
        ));
    }
    let name = shorten(&tool.name, MAX_NAME);
    if tool.description.trim().is_empty() {
        reasons.push(Reason::new(Code::BadName, format!("{name}: the description is empty")));
    }
    if tool.output_parameters.is_empty() {
        reasons.push(Reason::new(Code::NoResult, format!("{name}: output_parameters is empty")));
    }
    for fields in [&tool.input_parameters, &tool.output_parameters] {
        if fields.len() > MAX_FIELDS {
            let count = fields.len();
            let detail = format!("{name}: expected at most {MAX_FIELDS} parameters, got {count}");
            reasons.push(Reason::new(Code::TooLong, detail));
        }
        for (field, parameter) in fields {
            let snake = field.starts_with(|c: char| c.is_ascii_lowercase())
                && field.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            if !snake || field.len() > MAX_NAME {
                let shown = shorten(field, SHOWN);
                let detail = format!("{name}: expected a parameter like start_date, got {shown:?}");
                reasons.push(Reason::new(Code::BadName, detail));
            }
            if published(&parameter.label).is_none() {
                let shown = shorten(&parameter.label, SHOWN);
                let detail = format!("{name}.{field}: there is no type {shown:?}");
                reasons.push(Reason::new(Code::BadType, detail));
            }
        }
    }
    reasons
}
