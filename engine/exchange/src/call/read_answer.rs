//! Reads the calls of an answer: in the protocol's form, or in another one.

use super::other_forms::{Foreign, Known, as_written, broken, cleaned, respelled, respelled_calls};
use super::{CallProblem, Form, ParsedCall, native, parse_all};
use crate::Answer;
use apis::arguments::composed;

/// The first call of an answer, and the further calls.
pub type Calls = (ParsedCall, Vec<ParsedCall>);

/// The protocols' forms, in words.
const BRACKET: &str = "[ApiName(key='value')] in the text";
const NATIVE: &str = "a native tool call";
const NAME: &str = "the name of the tool alone";

/// The calls of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// In the protocol's form, or why there are none.
    pub calls: Result<Calls, CallProblem>,
    /// In another form, if none is in the protocol's.
    pub other: Option<OtherForm>,
}

/// Calls in another form than the protocol's.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherForm {
    /// The form.
    pub form: Form,
    /// The calls; `None` if they can't be read.
    pub calls: Option<Calls>,
}

impl Reading {
    fn right(calls: Calls) -> Self {
        Reading { calls: Ok(normalized(calls)), other: None }
    }

    fn other(found: Foreign, expected: &'static str) -> Self {
        let Foreign { form, name, calls } = found;
        let mut calls = calls.into_iter();
        let calls = calls.next().map(|first| normalized((first, calls.collect())));
        let problem = CallProblem::OtherForm { name, form, expected };
        Reading { calls: Err(problem), other: Some(OtherForm { form, calls }) }
    }

    /// The calls in whatever form, as far as they can be read.
    pub fn made(&self) -> Option<&Calls> {
        self.calls.as_ref().ok().or(self.other.as_ref().and_then(|other| other.calls.as_ref()))
    }
}

/// The calls with their texts in the form NFC.
fn normalized((first, further): Calls) -> Calls {
    let one = |call: ParsedCall| ParsedCall { arguments: composed(call.arguments), ..call };
    (one(first), further.into_iter().map(one).collect())
}

/// The calls of an answer where calls are text, `parsed` from its text by the protocol's parser.
/// `known` says which names are APIs.
pub fn read_text(parsed: Result<Calls, CallProblem>, answer: &Answer, known: Known<'_>) -> Reading {
    let text = &answer.text;
    let found = match &parsed {
        Ok((first, _)) => misread(text, first, known),
        Err(_) => as_written(text, known)
            .or_else(|| respelled_calls(text, known))
            .or_else(|| broken(text, known))
            .or_else(|| natively(answer, known)),
    };
    match (found, parsed) {
        (Some(found), _) => Reading::other(found, BRACKET),
        (None, Ok(calls)) => Reading::right(calls),
        (None, Err(problem)) => Reading { calls: Err(problem), other: None },
    }
}

/// The calls of an answer where only native calls count. Keeps duplicates, because the model makes
/// every native call that it sends.
pub fn read_native(answer: &Answer, known: Known<'_>) -> Reading {
    let Some((first, further)) = answer.calls.split_first() else {
        let text = &answer.text;
        let found = as_written(text, known).or_else(|| python(text, known));
        let found = found.or_else(|| respelled_calls(text, known)).or_else(|| broken(text, known));
        return match found {
            Some(found) => Reading::other(found, NATIVE),
            None => Reading { calls: Err(CallProblem::NoCall), other: None },
        };
    };
    let first = match native(first) {
        Ok(first) => first,
        Err(problem) => return Reading { calls: Err(problem), other: None },
    };
    let further = further.iter().filter_map(|call| native(call).ok()).collect();
    let calls: Calls = (first, further);
    let plain = plain_names(calls.clone(), known);
    match plain == calls {
        true => Reading::right(calls),
        false => {
            let name = plain.0.name.clone();
            let calls = [vec![plain.0], plain.1].concat();
            Reading::other(Foreign { form: Form::TemplateName, name, calls }, NAME)
        }
    }
}

fn plain_names((first, further): Calls, known: Known<'_>) -> Calls {
    let one = |call: ParsedCall| ParsedCall { name: cleaned(&call.name, known), ..call };
    (one(first), further.into_iter().map(one).collect())
}

/// Native calls where calls are text.
fn natively(answer: &Answer, known: Known<'_>) -> Option<Foreign> {
    let name = cleaned(&answer.calls.first()?.name, known);
    let calls = answer.calls.iter().filter_map(|call| native(call).ok());
    let plain = |call: ParsedCall| ParsedCall { name: cleaned(&call.name, known), ..call };
    Some(Foreign { form: Form::Native, name, calls: calls.map(plain).collect() })
}

/// Calls in Python where only native calls count.
fn python(text: &str, known: Known<'_>) -> Option<Foreign> {
    match parse_all(text) {
        Ok((first, further)) => {
            if let Some(found) = misread(text, &first, known) {
                return Some(found);
            }
            let name = first.name.clone();
            Some(Foreign { form: Form::Python, name, calls: [vec![first], further].concat() })
        }
        Err(CallProblem::Malformed { name, .. }) if known(&name) => {
            let spelled = respelled_calls(text, known);
            spelled.or(Some(Foreign { form: Form::Python, name, calls: Vec::new() }))
        }
        Err(_) => None,
    }
}

/// A call that is read otherwise because its punctuation is spelled otherwise: an argument swallows the
/// next ones, or the name is cut.
fn misread(text: &str, first: &ParsedCall, known: Known<'_>) -> Option<Foreign> {
    respelled(text).into_iter().find_map(|(form, text)| {
        let (again, further) = parse_all(&text).ok()?;
        let more = again.name == first.name && again.arguments.len() > first.arguments.len();
        let cut = known(&again.name) && !known(&first.name);
        let name = again.name.clone();
        (more || cut).then(|| Foreign { form, name, calls: [vec![again], further].concat() })
    })
}
