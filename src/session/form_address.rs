//! The form in an address: `#/run?preset=ollama&model=…`, all fields except the key.
//!
//! A link has the same meaning everywhere, so missing fields get their defaults, whatever the form
//! contained before. Invalid values are ignored and reported.

use super::amount::{Amount, HORIZON_TASKS};
use super::choice::Choice;
use super::edition::EditionChoice;
use super::field::FieldName;
use super::form::{Form, why};
use super::retriever_choice::RetrieverChoice;
use super::route::{decode, encode};
use crate::t;
use crate::texts::Texts;
use dataset::{Ability, Edition, Split};
use provider::{Endpoint, PRESETS, Preset, WireFormat};
use record::Baseline;
use record::Model;
use record::options::{Group, OPTIONS, RunOption};
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

/// A parameter of a link.
enum Parameter {
    /// A field of the form's own.
    Field(&'static Field),
    /// An option of the run.
    Option(&'static RunOption),
}

/// A form field's parameter in a link.
struct Field {
    name: &'static str,
    /// Whether it applies only to endpoints.
    of_endpoint: bool,
    /// The field that the form validates, if any.
    field: Option<FieldName>,
    read: fn(&Form) -> String,
    /// Writes a value, or returns the expected format.
    write: fn(&mut Form, &str, Texts) -> Result<(), String>,
}

impl Parameter {
    /// All, in the order in which they are applied: a preset first, because it sets defaults for others.
    fn all() -> impl Iterator<Item = Parameter> {
        // A link would claim its author's hardware for whoever opens it.
        let options = OPTIONS.into_iter().filter(|option| option.group != Group::Claims);
        FIELDS.iter().map(Parameter::Field).chain(options.map(Parameter::Option))
    }

    fn name(&self) -> &'static str {
        match self {
            Parameter::Field(field) => field.name,
            Parameter::Option(option) => option.name,
        }
    }

    fn of_endpoint(&self) -> bool {
        match self {
            Parameter::Field(field) => field.of_endpoint,
            Parameter::Option(option) => option.group != Group::Prompts,
        }
    }

    fn read(&self, form: &Form) -> String {
        match self {
            Parameter::Field(field) => (field.read)(form),
            Parameter::Option(option) => form.option(option),
        }
    }

    /// Writes a value, or returns why it is not valid.
    fn write(&self, form: &mut Form, value: &str, texts: Texts) -> Result<(), String> {
        match self {
            Parameter::Field(field) => (field.write)(form, value, texts).map_err(|expected| {
                let value = format!("{:?}", exchange::shorten(value, REPEATED));
                t!(texts, "expected {expected}, got {got}", expected = expected, got = value)
            }),
            Parameter::Option(option) => {
                let value_of = option.parse(value);
                let shown = exchange::shorten(value, REPEATED);
                value_of.map_err(|wrong| why(option, &shown, wrong, texts))?;
                form.type_option(option, value);
                Ok(())
            }
        }
    }

    /// Whether it makes a difference under a form's other values.
    fn counts(&self, form: &Form) -> bool {
        let is_endpoint = form.choice == Choice::Endpoint;
        match self {
            Parameter::Option(option) => {
                (is_endpoint || !self.of_endpoint()) && (option.counts)(&form.draft())
            }
            Parameter::Field(field) => match field.name {
                "run" | "preset" | "address" | "model" | "prompt_price" | "answer_price" => false,
                "amount" => !Amount::SIZES.contains(&form.amount),
                "per_ability" => form.amount == Amount::Count,
                "variant" => form.edition == EditionChoice::Variant,
                "retriever" => form.searches(),
                _ => is_endpoint || !field.of_endpoint,
            },
        }
    }
}

/// A text field that the form validates.
macro_rules! text {
    ($name:literal, $of_endpoint:literal, $field:ident, $($path:ident).+) => {
        Field {
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

/// A field with a fixed set of identifiers.
macro_rules! choice {
    ($name:literal, $of_endpoint:literal, $all:expr, $id:expr, $($path:ident).+) => {
        Field {
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

/// The form's own fields.
const FIELDS: &[Field] = &[
    choice!("run", false, Choice::ALL, |it: &Choice| it.as_str(), choice),
    Field {
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
    choice!("edition", false, EditionChoice::ALL, |it: &EditionChoice| it.as_str(), edition),
    text!("variant", false, Variant, variant),
    choice!("split", false, Split::ALL, |it: &Split| it.as_str(), split),
    Field {
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
    choice!(
        "retriever",
        false,
        RetrieverChoice::ALL,
        |it: &RetrieverChoice| it.as_str(),
        asking.retriever
    ),
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
    let of_endpoint = Parameter::all().any(|it| it.of_endpoint() && given(it.name()).is_some());
    if of_endpoint {
        filled.form.choice = Choice::Endpoint;
    }
    for parameter in Parameter::all() {
        let name = parameter.name();
        let Some(value) = given(name) else { continue };
        match parameter.write(&mut filled.form, value, texts) {
            Ok(()) => filled.taken.push(name),
            Err(why) => filled.refused.push(Refused { name: name.to_owned(), why }),
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
        } else if !Parameter::all().any(|parameter| parameter.name() == name) {
            let known: Vec<&str> = Parameter::all().map(|parameter| parameter.name()).collect();
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
        let found = FIELDS.iter().find(|field| field.field == Some(problem.field));
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
    let named = |it: &Parameter| {
        let telling = matches!(it.name(), "run" | "protocol")
            || is_endpoint && matches!(it.name(), "preset" | "model");
        (is_endpoint || !it.of_endpoint()) && (telling || it.read(form) != it.read(&usual))
    };
    let pair = |it: Parameter| format!("{}={}", it.name(), encode(&it.read(form)));
    Parameter::all().filter(named).map(pair).collect::<Vec<_>>().join("&")
}

/// Names and values of non-default settings, except those on the first screen: model, address, size
/// and prices.
pub fn differences(form: &Form) -> Vec<(&'static str, String)> {
    let usual = usual(form);
    let differs = |it: &Parameter| it.counts(form) && it.read(form) != it.read(&usual);
    Parameter::all().filter(differs).map(|it| (it.name(), it.read(form))).collect()
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
    form.asking.retriever = RetrieverChoice::of(settings.retriever.as_ref())?;
    for option in OPTIONS.into_iter().filter(|option| (option.counts)(settings)) {
        form.type_option(option, &(option.read)(settings));
    }
    settings.shard.is_none().then_some(form)
}

fn take_endpoint(form: &mut Form, endpoint: &Endpoint) {
    if endpoint.in_page.is_some() {
        form.choice = Choice::InPage;
        return;
    }
    form.choice = Choice::Endpoint;
    form.pick(endpoint.preset);
    form.format = endpoint.format;
    form.address.clone_from(&endpoint.base_url);
    form.model.clone_from(&endpoint.model);
}

#[cfg(test)]
mod tests;
