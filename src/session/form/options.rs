//! The options of a run in the form, as typed: a fold of their declarations.

use super::Form;
use crate::session::Amount;
use crate::session::choice::Choice;
use crate::session::field::{FieldName, Problem};
use crate::t;
use crate::texts::Texts;
use exchange::protocol::Protocol;
use provider::{Endpoint, InPageModel};
use record::options::{Group, OPTIONS, PROTOCOL, RunOption, Values, Wrong};
use record::{Model, RunSettings};

impl Form {
    /// An option as typed, or else its default for the form's kind of model.
    pub fn option(&self, option: &RunOption) -> String {
        let typed = self.options.get(option.name).cloned();
        typed.unwrap_or_else(|| option.default_of(&self.kind()))
    }

    /// Types an option. One with the default's text follows the kind of model from then on.
    pub fn type_option(&mut self, option: &RunOption, text: &str) {
        if text == option.default_of(&self.kind()) {
            self.options.remove(option.name);
        } else {
            self.options.insert(option.name.to_owned(), text.to_owned());
        }
    }

    /// Whether a switch is on.
    pub fn is_on(&self, option: &RunOption) -> bool {
        self.option(option) == "true"
    }

    /// The protocol.
    pub fn protocol(&self) -> Protocol {
        Protocol::named(&self.option(&PROTOCOL)).unwrap_or_default()
    }

    /// The protocol that a run has: horizon tasks are played whole, with calls as text where the model
    /// takes no tools.
    pub fn run_protocol(&self) -> Protocol {
        let chosen = self.protocol();
        if self.amount != Amount::Horizon || chosen.is_agent() {
            return chosen;
        }
        let has_tools = match self.choice {
            Choice::InPage => self.loaded.as_ref().is_none_or(|loaded| loaded.takes_tools),
            Choice::Endpoint => self.format.has_roles(),
            Choice::KeywordBaseline | Choice::GoldReplay => true,
        };
        if has_tools { Protocol::Agent } else { Protocol::AgentText }
    }

    /// Chooses the protocol.
    pub fn choose_protocol(&mut self, protocol: Protocol) {
        self.type_option(&PROTOCOL, protocol.as_str());
    }

    /// Writes the options of some groups that count into settings; invalid ones go to `problems`.
    pub(super) fn apply(
        &self,
        groups: &[Group],
        settings: &mut RunSettings,
        problems: &mut Vec<Problem>,
        texts: Texts,
    ) {
        for option in OPTIONS.into_iter().filter(|option| groups.contains(&option.group)) {
            if !(option.counts)(settings) {
                continue;
            }
            let text = self.option(option);
            if let Err(wrong) = option.set(settings, &text) {
                let (label, why) = (texts.get(option.label), why(option, &text, wrong, texts));
                let message = t!(texts, "{label}: {why}.", label = label, why = why);
                problems.push(Problem { field: FieldName::Option(option.name), message });
            }
        }
    }

    /// The kind of the form's endpoint, which decides defaults. Nothing asks for those under a built-in
    /// model.
    fn kind(&self) -> Model {
        let in_page = self.choice == Choice::InPage;
        Model::Endpoint(Endpoint {
            preset: self.preset,
            base_url: self.address.clone(),
            in_page: in_page.then(|| Box::new(InPageModel::default())),
            ..Endpoint::default()
        })
    }
}

/// Explains why a text is not a valid value.
pub fn why(option: &RunOption, text: &str, wrong: Wrong, texts: Texts) -> String {
    let got = match wrong {
        Wrong::Kind => format!("{text:?}"),
        Wrong::Json(reason) => reason,
        Wrong::Member(name) => {
            return t!(
                texts,
                "{name} can't be set here, because the record would not say what was asked. Leave it out",
                name = name
            );
        }
    };
    let expected = expected(option, texts);
    t!(texts, "expected {expected}, got {got}", expected = expected, got = got)
}

fn expected(option: &RunOption, texts: Texts) -> String {
    let values = match &option.values {
        Values::Names(names) => {
            let known: Vec<&str> = names.iter().map(|name| name.id).collect();
            t!(texts, "one of {known}", known = known.join(", "))
        }
        Values::Whole { from, to: u64::MAX } => {
            t!(texts, "a whole number from {from}", from = from)
        }
        Values::Whole { from, to } => {
            t!(texts, "a whole number from {from} to {to}", from = from, to = to)
        }
        Values::Decimal { zero: true, to } => t!(texts, "a number from 0 to {to}", to = to),
        Values::Decimal { zero: false, to } => t!(texts, "a number above 0, at most {to}", to = to),
        Values::Switch => t!(texts, "true or false").to_owned(),
        Values::Object => {
            let example = "{\"reasoning_effort\": \"low\"}";
            t!(texts, "a JSON object such as {example}", example = example)
        }
        Values::Text { longest } => {
            t!(texts, "a line of at most {longest} characters", longest = longest)
        }
    };
    match option.is_optional {
        true => t!(texts, "{values}, or empty", values = values),
        false => values,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exchange::protocol::Part;
    use provider::{Preset, WireFormat};
    use record::Baseline;
    use record::options::{CONCURRENCY, MAX_TOKENS, TRIALS, TURN_LIMIT};

    #[test]
    fn a_horizon_run_is_asked_with_its_own_prompts() {
        let mut form = Form { amount: Amount::Horizon, ..Form::default() };
        let protocol = form.run_protocol();
        form.asking.edit(protocol, Part::Task, |text| text.system.push_str(" Be quick."));
        let settings = form.settings("", Texts::ENGLISH).unwrap();
        assert_eq!((settings.protocol, form.protocol()), (Protocol::Agent, Protocol::Bracket));
        assert!(settings.prompts().text(Part::Task).system.ends_with(" Be quick."));
        form.choice = Choice::Endpoint;
        form.format = WireFormat::Completions;
        assert_eq!(form.run_protocol(), Protocol::AgentText, "the format has no tools");
    }

    #[test]
    fn defaults_are_the_engines() {
        let settings = Form::default().settings("", Texts::ENGLISH).unwrap();
        assert_eq!(settings, RunSettings::new(Model::Builtin { name: Baseline::KeywordBaseline }));
    }

    #[test]
    fn options_are_checked_only_where_they_apply() {
        let mut form = Form::default();
        form.type_option(&TRIALS, "0");
        form.type_option(&TURN_LIMIT, "x");
        let fields = |form: &Form| {
            let problems = form.settings("", Texts::ENGLISH).unwrap_err();
            problems.into_iter().map(|problem| problem.field).collect::<Vec<_>>()
        };
        assert_eq!(fields(&form), [FieldName::Option("trials")]);
        form.choose_protocol(Protocol::Agent);
        assert_eq!(fields(&form), [FieldName::Option("trials"), FieldName::Option("turn_limit")]);
    }

    #[test]
    fn an_option_follows_the_kind_of_model_until_it_is_typed() {
        let mut form = Form { choice: Choice::Endpoint, ..Form::default() };
        form.pick(Preset::Anthropic);
        assert_eq!(
            (form.option(&CONCURRENCY), form.option(&MAX_TOKENS)),
            ("4".into(), "4096".into())
        );
        form.choose(Choice::InPage);
        assert_eq!(form.option(&MAX_TOKENS), "512");
        form.type_option(&MAX_TOKENS, "100");
        form.choose(Choice::Endpoint);
        assert_eq!(form.option(&MAX_TOKENS), "100");
        form.type_option(&MAX_TOKENS, "4096");
        form.choose(Choice::InPage);
        assert_eq!(form.option(&MAX_TOKENS), "512");
    }
}
