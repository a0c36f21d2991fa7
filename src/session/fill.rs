//! The form in an address: `#/run?preset=ollama&model=…`, all fields except the key.
//!
//! A link has the same meaning everywhere, so missing fields get their defaults, whatever the form
//! contained before. Invalid values are ignored and reported.

use super::Choice;
use super::edition::EditionChoice;
use super::field::FieldName;
use super::retriever::RetrieverChoice;
use super::route::{decode, encode};
use super::settings::{Amount, Form, HORIZON_TASKS};
use crate::t;
use crate::texts::Texts;
use apis::search::SearchResults;
use dataset::{Ability, Edition, Split};
use exchange::protocol::{DescribedApis, Protocol, Steps};
use provider::{Endpoint, PRESETS, Preset, ToolChoice, WireFormat};
use record::Baseline;
use record::Model;
use record::{RunSettings, Subset};

/// Maximum length of an address in bytes, several times that of a completely filled form.
const LONGEST: usize = 8000;
/// Characters of a value that a message quotes.
const REPEATED: usize = 60;

/// The result of parsing a link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filled {
    /// The form with the link's values.
    pub form: Form,
    /// Names of the applied values.
    pub taken: Vec<&'static str>,
    /// The ignored values.
    pub refused: Vec<Refused>,
}

/// An ignored value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its name in the link.
    pub name: String,
    /// Why.
    pub why: String,
}

/// A form field's parameter in a link.
struct Parameter {
    name: &'static str,
    /// Whether it applies only to endpoints.
    of_endpoint: bool,
    /// The field that the form validates, if any.
    field: Option<FieldName>,
    read: fn(&Form) -> String,
    /// Writes a value, or returns the expected format.
    write: fn(&mut Form, &str, Texts) -> Result<(), String>,
}

/// A text field that the form validates.
macro_rules! text {
    ($name:literal, $of_endpoint:literal, $field:ident, $($path:ident).+) => {
        Parameter {
            name: $name,
            of_endpoint: $of_endpoint,
            field: Some(FieldName::$field),
            read: |form| form.$($path).+.clone(),
            write: |form, value, _| {
                value.clone_into(&mut form.$($path).+);
                Ok(())
            },
        }
    };
}

/// A boolean field.
macro_rules! tick {
    ($name:literal, $($path:ident).+) => {
        Parameter {
            name: $name,
            of_endpoint: true,
            field: None,
            read: |form| form.$($path).+.to_string(),
            write: |form, value, texts| {
                form.$($path).+ = value.parse().map_err(|_| t!(texts, "true or false").to_owned())?;
                Ok(())
            },
        }
    };
}

/// A field with a fixed set of identifiers.
macro_rules! choice {
    ($name:literal, $of_endpoint:literal, $all:expr, $id:expr, $($path:ident).+) => {
        Parameter {
            name: $name,
            of_endpoint: $of_endpoint,
            field: None,
            read: |form| $id(&form.$($path).+).to_owned(),
            write: |form, value, texts| {
                form.$($path).+ = one_of($all, $id, value, texts)?;
                Ok(())
            },
        }
    };
}

/// All parameters, in the order in which they are applied: a preset first, because it sets defaults
/// for others.
const PARAMETERS: &[Parameter] = &[
    choice!("run", false, Choice::ALL, |it: &Choice| it.as_str(), choice),
    Parameter {
        name: "preset",
        of_endpoint: true,
        field: None,
        read: |form| form.preset.facts().id.to_owned(),
        write: |form, value, texts| {
            let all = PRESETS.map(|facts| facts.preset);
            form.pick(one_of(all, |preset| preset.facts().id, value, texts)?);
            if form.preset == Preset::Custom {
                form.address.clear();
            }
            Ok(())
        },
    },
    text!("address", true, Address, address),
    choice!("format", true, WireFormat::ALL, |it: &WireFormat| it.as_str(), format),
    text!("model", true, Model, model),
    text!("temperature", true, Temperature, temperature),
    text!("max_tokens", true, MaxTokens, max_tokens),
    text!("concurrency", true, Concurrency, concurrency),
    text!("top_p", true, TopP, more.top_p),
    text!("sampling_seed", true, SamplingSeed, more.seed),
    text!("num_ctx", true, NumCtx, more.num_ctx),
    text!("timeout", true, HeadersTimeout, more.headers_s),
    text!("body_timeout", true, BodyTimeout, more.body_s),
    text!("extra", true, Extra, more.extra),
    tick!("streaming", more.streaming),
    tick!("must_call", more.must_call),
    tick!("constrained", more.constrained),
    tick!("fold_roles", more.fold_roles),
    choice!("edition", false, EditionChoice::ALL, |it: &EditionChoice| it.as_str(), edition),
    text!("variant", false, Variant, variant),
    choice!("split", false, Split::ALL, |it: &Split| it.as_str(), split),
    Parameter {
        name: "abilities",
        of_endpoint: false,
        field: Some(FieldName::Abilities),
        read: |form| form.abilities.iter().map(|it| it.as_str()).collect::<Vec<_>>().join("."),
        write: |form, value, texts| {
            let named = |name| one_of(Ability::ALL, |it: &Ability| it.as_str(), name, texts);
            let mut abilities =
                value.split(['.', ',']).map(named).collect::<Result<Vec<_>, _>>()?;
            abilities.sort_unstable();
            abilities.dedup();
            form.abilities = abilities;
            Ok(())
        },
    },
    choice!("amount", false, Amount::ALL, |it: &Amount| it.as_str(), amount),
    text!("per_ability", false, PerAbility, per_ability),
    text!("seed", false, Seed, seed),
    choice!("protocol", false, Protocol::ALL, |it: &Protocol| it.as_str(), asking.protocol),
    choice!(
        "described_apis",
        false,
        DescribedApis::ALL,
        |it: &DescribedApis| it.as_str(),
        asking.described_apis
    ),
    choice!(
        "search_results",
        false,
        SearchResults::ALL,
        |it: &SearchResults| it.as_str(),
        asking.search_results
    ),
    choice!(
        "retriever",
        false,
        RetrieverChoice::ALL,
        |it: &RetrieverChoice| it.as_str(),
        asking.retriever
    ),
    choice!("steps", false, Steps::ALL, |it: &Steps| it.as_str(), asking.steps),
    text!("trials", false, Trials, asking.trials),
    text!("turn_limit", false, TurnLimit, asking.turn_limit),
    text!("prompt_price", true, PromptPrice, prices.prompt),
    text!("answer_price", true, AnswerPrice, prices.answer),
];

fn one_of<T: Copy>(
    all: impl IntoIterator<Item = T>,
    id: impl Fn(&T) -> &'static str,
    value: &str,
    texts: Texts,
) -> Result<T, String> {
    let all: Vec<T> = all.into_iter().collect();
    all.iter().copied().find(|it| id(it) == value).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(&id).collect();
        t!(texts, "one of {known}", known = known.join(", "))
    })
}

/// Common parameter names for keys. The list only improves a message; no parameter sets the key.
const KEYS: [&str; 7] =
    ["key", "api_key", "apikey", "api-key", "token", "authorization", "password"];

/// Splits the query of an address into names and values.
///
/// # Errors
/// When it is too long.
pub fn pairs(query: &str, texts: Texts) -> Result<Vec<(String, String)>, String> {
    if query.len() > LONGEST {
        let length = query.len();
        return Err(t!(
            texts,
            "expected at most {most} characters, got {length}",
            most = LONGEST,
            length = length
        ));
    }
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    Ok(pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect())
}

/// Parses the query of an address. `origin` is the site's.
pub fn fill(query: &str, origin: &str, texts: Texts) -> Filled {
    match pairs(query, texts) {
        Ok(pairs) => fill_pairs(&pairs, origin, texts),
        Err(why) => Filled {
            refused: vec![Refused { name: t!(texts, "The link").to_owned(), why }],
            ..Filled::default()
        },
    }
}

/// Builds the form from names and values.
pub fn fill_pairs(pairs: &[(String, String)], origin: &str, texts: Texts) -> Filled {
    let mut filled = Filled::default();
    refuse_strangers(pairs, &mut filled.refused, texts);
    let given = |name: &str| pairs.iter().find(|(own, _)| own == name).map(|(_, value)| value);
    if let (None, Some(address)) = (given("preset"), given("address")) {
        filled.form.pick(Preset::of_address(address));
    }
    let of_endpoint = PARAMETERS.iter().any(|it| it.of_endpoint && given(it.name).is_some());
    if of_endpoint {
        filled.form.choice = Choice::Endpoint;
    }
    for parameter in PARAMETERS {
        let Some(value) = given(parameter.name) else { continue };
        match (parameter.write)(&mut filled.form, value, texts) {
            Ok(()) => filled.taken.push(parameter.name),
            Err(expected) => {
                let value = exchange::shorten(value, REPEATED);
                let value = format!("{value:?}");
                let why = t!(
                    texts,
                    "expected {expected}, got {value}",
                    expected = expected,
                    value = value
                );
                filled.refused.push(Refused { name: parameter.name.to_owned(), why });
            }
        }
    }
    refuse_unusable(&mut filled, of_endpoint, origin, texts);
    filled
}

/// Reports unknown and duplicate names.
fn refuse_strangers(pairs: &[(String, String)], refused: &mut Vec<Refused>, texts: Texts) {
    for (at, (name, _)) in pairs.iter().enumerate() {
        let why = if KEYS.contains(&name.to_lowercase().as_str()) {
            t!(texts, "keys are never read from links: enter it in the key field").to_owned()
        } else if !PARAMETERS.iter().any(|it| it.name == name) {
            let known: Vec<&str> = PARAMETERS.iter().map(|it| it.name).collect();
            t!(texts, "unknown field; known fields: {known}", known = known.join(", "))
        } else if pairs.iter().take(at).any(|(other, _)| other == name) {
            t!(texts, "duplicate; the first value counts").to_owned()
        } else {
            continue;
        };
        refused.push(Refused { name: exchange::shorten(name, REPEATED), why });
    }
}

/// Resets the values that the form's own validation rejects to their defaults.
fn refuse_unusable(filled: &mut Filled, of_endpoint: bool, origin: &str, texts: Texts) {
    let mut checked = filled.form.clone();
    if of_endpoint {
        checked.choice = Choice::Endpoint;
    }
    let usual = usual(&filled.form);
    for problem in checked.settings(origin, texts).err().unwrap_or_default() {
        let found = PARAMETERS.iter().find(|it| it.field == Some(problem.field));
        let Some(parameter) = found.filter(|it| filled.taken.contains(&it.name)) else { continue };
        filled.taken.retain(|name| *name != parameter.name);
        // Writing a default cannot fail.
        let _ = (parameter.write)(&mut filled.form, &(parameter.read)(&usual), texts);
        filled.refused.push(Refused { name: parameter.name.to_owned(), why: problem.message });
    }
}

/// The form's defaults for its kind of model and preset.
fn usual(form: &Form) -> Form {
    let mut usual = Form { choice: form.choice, ..Form::default() };
    usual.pick(form.preset);
    if form.preset == Preset::Custom {
        usual.address.clear();
    }
    usual
}

/// The query of a link to the form. Contains no key, because the form has none.
pub fn query(form: &Form) -> String {
    let usual = usual(form);
    let is_endpoint = form.choice == Choice::Endpoint;
    let named = |it: &&Parameter| {
        let telling = matches!(it.name, "run" | "protocol")
            || is_endpoint && matches!(it.name, "preset" | "model");
        (is_endpoint || !it.of_endpoint) && (telling || (it.read)(form) != (it.read)(&usual))
    };
    let pair = |it: &Parameter| format!("{}={}", it.name, encode(&(it.read)(form)));
    PARAMETERS.iter().filter(named).map(pair).collect::<Vec<_>>().join("&")
}

/// Names and values of non-default settings, except those on the first screen: model, address, size
/// and prices.
pub fn differences(form: &Form) -> Vec<(&'static str, String)> {
    let usual = usual(form);
    let is_endpoint = form.choice == Choice::Endpoint;
    let counts = |it: &&Parameter| match it.name {
        "run" | "preset" | "address" | "model" | "prompt_price" | "answer_price" => false,
        "amount" => !Amount::SIZES.contains(&form.amount),
        "per_ability" => form.amount == Amount::Count,
        "variant" => form.edition == EditionChoice::Variant,
        "turn_limit" => form.asking.protocol == Protocol::Agent,
        "steps" => form.asking.protocol != Protocol::Agent,
        "retriever" => form.searches(),
        _ => is_endpoint || !it.of_endpoint,
    };
    let differs = |it: &&Parameter| (it.read)(form) != (it.read)(&usual);
    PARAMETERS.iter().filter(counts).filter(differs).map(|it| (it.name, (it.read)(form))).collect()
}

/// The form that describes a run; `None` if no form can: a shard, an unlisted percentage, chosen
/// dialogues, a trivial model, a user's retriever, or an agent.
pub fn form_of(settings: &RunSettings) -> Option<Form> {
    let mut form = Form::default();
    match &settings.model {
        Model::Builtin { name: Baseline::GoldReplay } => form.choice = Choice::GoldReplay,
        Model::Builtin { name: Baseline::KeywordBaseline } => {
            form.choice = Choice::KeywordBaseline;
        }
        Model::Builtin { .. } | Model::Agent(_) => return None,
        Model::Endpoint(endpoint) => {
            take_endpoint(&mut form, endpoint);
            form.concurrency = settings.concurrency.to_string();
        }
    }
    form.take_edition(settings.edition);
    form.split = settings.split;
    form.abilities.clone_from(&settings.abilities);
    let horizon = matches!(settings.edition, Edition::Horizon(_));
    form.amount = match &settings.subset {
        Subset::PerAbility(HORIZON_TASKS) if horizon => Amount::Horizon,
        _ if horizon => return None,
        Subset::All => Amount::All,
        Subset::Percent(5) => Amount::Quick,
        Subset::Percent(25) => Amount::Quarter,
        Subset::Percent(10) => Amount::Tenth,
        Subset::Percent(_) | Subset::Dialogues(_) => return None,
        Subset::PerAbility(count) => {
            form.per_ability = count.to_string();
            Amount::Count
        }
    };
    form.seed = settings.seed.to_string();
    form.more.headers_s = settings.timeouts.headers_s.to_string();
    form.more.body_s = settings.timeouts.body_s.to_string();
    form.asking.protocol = settings.protocol;
    form.asking.described_apis = settings.described_apis;
    form.asking.search_results = settings.search_results;
    form.asking.retriever = RetrieverChoice::of(settings.retriever.as_ref())?;
    form.asking.steps = settings.steps;
    form.asking.trials = settings.trials.to_string();
    form.asking.turn_limit = settings.turn_limit.to_string();
    settings.shard.is_none().then_some(form)
}

fn take_endpoint(form: &mut Form, endpoint: &Endpoint) {
    fn text<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    if endpoint.in_page.is_some() {
        form.choice = Choice::InPage;
    } else {
        form.choice = Choice::Endpoint;
        form.pick(endpoint.preset);
        form.format = endpoint.format;
        form.address.clone_from(&endpoint.base_url);
        form.model.clone_from(&endpoint.model);
    }
    form.temperature = text(endpoint.temperature);
    form.max_tokens = text(endpoint.max_tokens);
    form.more.top_p = text(endpoint.top_p);
    form.more.seed = text(endpoint.seed);
    if endpoint.format == WireFormat::Ollama {
        form.more.num_ctx = text(endpoint.num_ctx);
    }
    form.more.streaming = endpoint.streaming;
    form.more.must_call = endpoint.tool_choice == ToolChoice::Required;
    form.more.constrained = endpoint.constrained;
    form.more.fold_roles = endpoint.fold_roles;
    if !endpoint.extra.is_empty() {
        form.more.extra = serde_json::to_string(&endpoint.extra).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests;
