//! Whether a value counts as the gold one: by its type, or by what the dialogue declares.

use crate::{ErrorClass, Verdict};
use apis::arguments::{self, ArgumentError};
use apis::effect::{self, Effect};
use apis::text::fold::{
    self, content, date_parts, is_content, is_date_name, is_number, phrase_at, tokens,
};
use apis::{Api, Arguments, Param, Rule, World};
use dataset::declared::alternatives;
use dataset::{Accept, Facts, RecordedCall, Turn};
use serde_json::Value;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

/// Why a call is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Wrong {
    /// The error class.
    pub class: ErrorClass,
    /// The reason, in sentences.
    pub why: String,
    /// The parameter of a user's own tool.
    pub parameter: Option<String>,
}

impl Wrong {
    /// A wrong call of which no parameter is named.
    pub fn new(class: ErrorClass, why: impl Into<String>) -> Self {
        Wrong { class, why: why.into(), parameter: None }
    }
}

impl From<Wrong> for Verdict {
    fn from(wrong: Wrong) -> Self {
        Verdict { parameter: wrong.parameter, ..Verdict::wrong(wrong.class, wrong.why) }
    }
}

/// [`Known`], computed when a text needs it.
pub type LazyKnown<'a> = LazyCell<Known, Box<dyn FnOnce() -> Known + 'a>>;

/// The words and numbers of a conversation: a text that repeats them adds nothing.
#[derive(Debug, Default)]
pub struct Known {
    words: BTreeSet<String>,
    /// Numbers and times in digits.
    numbers: BTreeSet<String>,
}

impl Known {
    /// What the gold call and the turns before it say. `planted` holds the arguments that an
    /// instruction in a tool's result asks for: words that only it has are not known.
    pub fn new(gold: &RecordedCall, history: &[Turn], planted: Option<&Arguments>) -> Self {
        let mut known = Known::default();
        gold.param_dict.values().for_each(|value| known.add_value(value));
        let mut results = Known::default();
        for turn in history {
            match turn {
                Turn::User { text } | Turn::Assistant { text, .. } => known.add(text),
                Turn::Api(call) if call.is_search() => {}
                Turn::Api(call) => {
                    call.param_dict.values().for_each(|value| known.add_value(value));
                    call.result.output.iter().for_each(|output| results.add_value(output));
                }
            }
        }
        let mut barred = Known::default();
        planted.into_iter().flat_map(Arguments::values).for_each(|value| barred.add_value(value));
        known.words.extend(results.words.difference(&barred.words).cloned());
        known.numbers.extend(results.numbers.difference(&barred.numbers).cloned());
        known
    }

    /// The same, computed when a text needs it.
    pub fn lazy<'a>(
        gold: &'a RecordedCall,
        history: &'a [Turn],
        planted: Option<&'a Arguments>,
    ) -> LazyKnown<'a> {
        LazyCell::new(Box::new(move || Known::new(gold, history, planted)))
    }

    fn add(&mut self, text: &str) {
        let tokens = tokens(text);
        let parts: Vec<String> = tokens.iter().flat_map(|token| date_parts(token)).collect();
        for token in tokens.into_iter().chain(parts) {
            if is_number(&token) { &mut self.numbers } else { &mut self.words }.insert(token);
        }
    }

    fn add_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add(text),
            Value::Array(items) => items.iter().for_each(|item| self.add_value(item)),
            Value::Object(fields) => fields.iter().for_each(|(name, field)| {
                self.add(name);
                self.add_value(field);
            }),
            other => self.add(&other.to_string()),
        }
    }

    /// Whether a number or time is known, on a clock of 12 or 24 hours.
    fn has_number(&self, token: &str) -> bool {
        let (hour, minute) = token.split_once(':').unwrap_or((token, "00"));
        let other = |hour: u32| if hour < 12 { hour + 12 } else { hour.saturating_sub(12) };
        let hours = hour.parse::<u32>().ok().filter(|hour| *hour <= 24);
        let on_clock = hours.is_some_and(|hour| {
            [hour, other(hour)].iter().any(|hour| {
                self.numbers.contains(&format!("{hour}:{minute}"))
                    || (minute == "00"
                        && token.contains(':')
                        && self.numbers.contains(&hour.to_string()))
            })
        });
        self.numbers.contains(token) || on_clock
    }

    /// Whether a word is known, perhaps with another ending.
    fn has_word(&self, word: &str) -> bool {
        self.words.contains(word) || self.words.iter().any(|known| same_stem(known, word))
    }
}

/// Whether two words share their beginning, four letters at least, and differ in a short ending.
fn same_stem(a: &str, b: &str) -> bool {
    let shared = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let rest = a.chars().count().max(b.chars().count()) - shared;
    shared >= 4 && rest <= 3
}

/// Whether a text states a fact, in one of its alternatives.
pub fn states(text: &str, fact: &str) -> bool {
    !places(&tokens(text), fact).is_empty()
}

/// Where the alternatives of a fact occur in a text: ranges of tokens.
fn places(text: &[String], fact: &str) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    for phrase in alternatives(fact).map(tokens) {
        places.extend(
            (0..text.len()).filter_map(|from| Some((from, phrase_at(text, from, &phrase)?))),
        );
    }
    places
}

/// Words that nobody said and a free text may have all the same.
pub(crate) const UNSAID: usize = 1;

/// Compares a text with the declared facts. It may have `unsaid` words that nobody said.
///
/// # Errors
/// What it lacks or adds, to follow the name of the parameter.
pub(crate) fn facts(
    facts: &Facts,
    gold: &str,
    text: &str,
    known: &LazyKnown<'_>,
    unsaid: usize,
) -> Result<(), String> {
    let (text, gold) = (tokens(text), tokens(gold));
    if text == gold {
        return Ok(());
    }
    let mut open = vec![true; text.len()];
    let mut close = |places: &[(usize, usize)]| {
        places.iter().for_each(|(from, to)| open[*from..*to].fill(false));
    };
    for fact in &facts.must {
        let found = places(&text, fact);
        if found.is_empty() {
            return Err(format!("lacks *{fact}*"));
        }
        close(&found);
    }
    facts.may.iter().for_each(|fact| close(&places(&text, fact)));
    for fact in &facts.never {
        if places(&text, fact).iter().any(|(from, to)| open[*from..*to].contains(&true)) {
            return Err(format!("says *{fact}*, which is declared wrong here"));
        }
    }
    let rest: Vec<&String> = text.iter().zip(open).filter(|pair| pair.1).map(|it| it.0).collect();
    let fact = |word: &&&String| match word {
        _ if is_number(word) => !known.has_number(word),
        _ if fold::negates(word) => !gold.contains(*word),
        _ => is_date_name(word) && !known.has_word(word),
    };
    if let Some(word) = rest.iter().find(fact) {
        return Err(format!("adds *{word}*"));
    }
    let is_unsaid = |word: &&&String| {
        is_content(word) && word.chars().count() > 2 && !is_number(word) && !known.has_word(word)
    };
    let added: BTreeSet<&str> = rest.iter().filter(is_unsaid).map(|text| text.as_str()).collect();
    if added.len() <= unsaid {
        return Ok(());
    }
    Err(format!("adds *{}*, which nobody said", added.into_iter().collect::<Vec<_>>().join(" ")))
}

/// What the record with one of these names says of it: its fields but the first. `None` without it.
pub fn record_text(list: &Value, names: &str) -> Option<String> {
    let fields = |record: &Value| -> Vec<String> {
        let fields = record.as_object().into_iter().flat_map(|object| object.values());
        fields.map(|field| field.as_str().unwrap_or_default().to_owned()).collect()
    };
    let named = |record: &Vec<String>| {
        let own = record.first().map(|first| content(first).concat());
        alternatives(names).any(|it| own.as_deref() == Some(content(it).concat().as_str()))
    };
    let record = list.as_array()?.iter().map(fields).find(named)?;
    record.get(1..).map(|fields| fields.join(" "))
}

/// Compares lists of records with the declared facts of each.
fn records(
    declared: &BTreeMap<String, Facts>,
    gold: &Value,
    given: &Value,
    known: &LazyKnown<'_>,
) -> Result<(), String> {
    let length = |list: &Value| list.as_array().map_or(0, Vec::len);
    if length(gold) != length(given) {
        return Err(format!("has {} records, not {}", length(given), length(gold)));
    }
    for (names, wanted) in declared {
        let Some(text) = record_text(given, names) else { return Err(format!("lacks *{names}*")) };
        let own = record_text(gold, names).unwrap_or_default();
        facts(wanted, &own, &text, known, UNSAID).map_err(|why| format!("for *{names}* {why}"))?;
    }
    Ok(())
}

/// Compares one argument with the gold value.
pub(crate) fn argument(
    param: &Param,
    accept: Option<&Accept>,
    gold: &Value,
    given: &Value,
    known: &LazyKnown<'_>,
) -> Result<(), String> {
    let name = param.name;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let result = match accept {
        Some(Accept::Facts(wanted)) => {
            // A key, such as a symptom, has no words to spare.
            let unsaid = if param.rule == Rule::Key { 0 } else { UNSAID };
            facts(wanted, &text(gold), &text(given), known, unsaid)
        }
        Some(Accept::Records(wanted)) => records(wanted, gold, given, known),
        Some(Accept::Values(values)) if values.iter().any(|it| counts(param, it, given)) => Ok(()),
        _ if param.rule.same(gold, given) => Ok(()),
        _ => Err(format!("is {given}, and {gold} is due")),
    };
    result.map_err(|why| format!("`{name}` {why}."))
}

/// Whether a declared value is the given one. Both are read as the parameter's type.
fn counts(param: &Param, declared: &Value, given: &Value) -> bool {
    arguments::read_value(param.kind, declared).is_some_and(|it| param.rule.same(&it, given))
}

/// Compares a call with a gold call of the same API, in the state `world`.
///
/// # Errors
/// The class and the reason if it is another call.
pub fn call(
    api: &Api,
    gold: &RecordedCall,
    given: &Arguments,
    world: &World,
    known: &LazyKnown<'_>,
) -> Result<(), Wrong> {
    let Ok(wanted) = api.read(&gold.param_dict) else {
        let same = gold.param_dict == *given;
        let why = "The gold call is refused; its own arguments alone are right.";
        return if same { Ok(()) } else { Err(Wrong::new(ErrorClass::WrongResult, why)) };
    };
    let read = api.read(given).map_err(|problems| unusable(&problems))?;
    let mut aligned = read.clone();
    let mut left_out = Vec::new();
    for param in api.params {
        match (wanted.get(param.name), read.get(param.name)) {
            (Some(gold_value), Some(value)) => {
                let accept = gold.declared.accept.get(param.name);
                argument(param, accept, gold_value, value, known)
                    .map_err(|why| wrong(api, gold, given, world, why))?;
                aligned.insert(param.name.to_owned(), gold_value.clone());
            }
            (None, None) => {}
            _ => left_out.push(param.name),
        }
    }
    if left_out.is_empty() {
        return Ok(());
    }
    // A parameter that one call leaves out may have that value by default.
    let run = |arguments: &Arguments| effect::effect(api, arguments, world);
    let (due, own) = (run(&wanted), run(&aligned));
    if due.result.exception.is_none() && same(&due, &own) {
        return Ok(());
    }
    let names = left_out.join(", ");
    let why =
        format!("The gold call and this one don't both have {names}, and they don't do the same.");
    Err(wrong(api, gold, given, world, why))
}

fn same(a: &Effect, b: &Effect) -> bool {
    a.result.same_outcome(&b.result) && a.changes == b.changes
}

/// A wrong call: one that fails, unless the gold call is to fail, or one that says something else.
fn wrong(api: &Api, gold: &RecordedCall, given: &Arguments, world: &World, why: String) -> Wrong {
    let failure = effect::effect(api, given, world).result.exception;
    match failure.filter(|_| gold.result.exception.is_none()) {
        Some(message) => {
            Wrong::new(ErrorClass::HasException, format!("{why} The call is refused: {message}"))
        }
        None => Wrong::new(ErrorClass::WrongResult, why),
    }
}

pub(crate) fn unusable(problems: &[ArgumentError]) -> Wrong {
    let class = match problems.iter().any(ArgumentError::is_missing) {
        true => ErrorClass::MissingInputParameters,
        false => ErrorClass::InvalidInputParameters,
    };
    Wrong::new(class, problems.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dataset::Declared;
    use serde_json::json;

    /// Whether a reminder's content is accepted; the user has said `said`.
    fn content_of(gold: &str, accept: Value, said: &str, given: &str) -> Result<(), String> {
        let suite = apis::Suite::Dialogue;
        let arguments = |content: &str| {
            let it = json!({"token": "a", "content": content, "time": "2024-05-20 16:00:00"});
            it.as_object().unwrap().clone()
        };
        let declared = json!({"accept": {"content": accept}});
        let call = RecordedCall {
            api_name: "AddReminder".to_owned(),
            param_dict: arguments(gold),
            result: apis::ApiResult::failure("AddReminder", json!({}), "not run"),
            alternatives: Vec::new(),
            declared: serde_json::from_value::<Declared>(declared).unwrap(),
        };
        let history = [Turn::User { text: said.to_owned() }];
        let known = Known::lazy(&call, &history, None);
        let api = apis::search::find(suite, "AddReminder").unwrap();
        super::call(api, &call, &arguments(given), &World::empty(1), &known).map_err(|it| it.why)
    }

    #[test]
    fn a_text_needs_the_declared_facts_and_adds_none() {
        let accept = json!({
            "must": ["return|bring back|give back", "umbrella", "café"],
            "never": ["buy"], "may": ["do not forget"],
        });
        let check = |given: &str| {
            content_of("return the umbrella to the café", accept.clone(), "It's Bo's.", given)
        };
        for right in [
            "Return umbrella to the CAFE",
            "Don't forget to bring it back to the café, that umbrella",
            "give back Bo's umbrella, café, Monday 20 May at 4 pm",
            "return the borrowed umbrella to the café",
        ] {
            assert_eq!(check(right), Ok(()), "{right}");
        }
        for (wrong, why) in [
            ("return the umbrella", "lacks *café*"),
            ("do not return the umbrella to the café", "adds *not*"),
            ("return two umbrellas to the café", "adds *2*"),
            ("return the umbrella to the café at 5 pm", "adds *5*"),
            ("return the umbrella to the café on Tuesday", "adds *tuesday*"),
            ("return the umbrella to the café or buy one", "says *buy*"),
            ("return the red umbrella to the grumpy café", "adds *grumpy red*"),
        ] {
            let error = check(wrong).unwrap_err();
            assert!(error.contains(why) && error.starts_with("`content`"), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_key_has_no_words_to_spare() {
        let api = apis::search::find(apis::Suite::Dialogue, "SymptomSearch").unwrap();
        let accept = serde_json::from_value(json!({"must": ["cough"], "may": ["dry"]})).unwrap();
        let known = LazyKnown::new(Box::new(Known::default));
        let check = |given: &str| {
            argument(&api.params[0], Some(&accept), &json!("cough"), &json!(given), &known)
        };
        assert_eq!([check("a dry cough"), check("coughing")], [Ok(()), Ok(())]);
        let error = check("cough and fever").unwrap_err();
        assert!(error.contains("adds *fever*"), "{error}");
    }

    #[test]
    fn values_are_those_listed() {
        let accept = json!(["fetch Ann", "collect Ann"]);
        let check = |given: &str| content_of("pick up Ann", accept.clone(), "", given);
        assert_eq!(check("Fetch Ann!"), Ok(()));
        assert!(check("call Ann").unwrap_err().contains("is due"));
    }
}
