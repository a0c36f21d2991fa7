//! The Run page's form as typed. Its conversion to settings is in the files of this folder.

mod edition;
mod endpoint;
mod in_page;
mod options;
mod settings;

pub(super) use options::why;

use super::amount::Amount;
use super::asking::Asking;
use super::choice::Choice;
use super::edition::EditionChoice;
use super::forecast::Prices;
use super::in_page::Loaded;
use super::keys::Source;
use dataset::{Ability, Split};
use provider::{Preset, WireFormat};
use record::options::{Group, OPTIONS};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The form as typed. It has no key: keys are only in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Form {
    /// Kind of model.
    pub choice: Choice,
    /// The last chosen preset.
    pub preset: Preset,
    /// Wire format.
    pub format: WireFormat,
    /// Address.
    pub address: String,
    /// The address set by a link, until the user agrees to send requests there.
    pub linked_address: String,
    /// Model.
    pub model: String,
    /// The data of the built-in pack.
    pub edition: EditionChoice,
    /// The seed of a variant.
    pub variant: String,
    /// Split to run.
    pub split: Split,
    /// Abilities to run.
    pub abilities: Vec<Ability>,
    /// The subset of them.
    pub amount: Amount,
    /// Whether the user chose the subset, which then no longer follows the kind of model.
    pub amount_chosen: bool,
    /// Dialogues per ability, for [`Amount::Count`].
    pub per_ability: String,
    /// Options with another text than their default, by name.
    pub options: BTreeMap<String, String>,
    /// Prompting fields that are no options.
    pub asking: Asking,
    /// Token prices.
    pub prices: Prices,
    /// The model loaded in the page.
    #[serde(skip)]
    pub loaded: Option<Loaded>,
}

impl Default for Form {
    fn default() -> Self {
        let preset = Preset::Ollama;
        let facts = preset.facts();
        Form {
            choice: Choice::default(),
            preset,
            format: facts.format,
            address: facts.address.to_owned(),
            linked_address: String::new(),
            model: String::new(),
            edition: EditionChoice::default(),
            variant: "1".to_owned(),
            split: Split::Standard,
            abilities: Ability::ALL.to_vec(),
            amount: Amount::usual(Choice::default()),
            amount_chosen: false,
            per_ability: "10".to_owned(),
            options: BTreeMap::new(),
            asking: Asking::default(),
            prices: Prices::default(),
            loaded: None,
        }
    }
}

impl Form {
    /// Sets the kind of model; an unchanged size follows.
    pub fn choose(&mut self, choice: Choice) {
        if !self.amount_chosen && self.amount == Amount::usual(self.choice) {
            self.amount = Amount::usual(choice);
        }
        self.choice = choice;
    }

    /// Sets the subset by the user's choice.
    pub fn choose_amount(&mut self, amount: Amount) {
        (self.amount, self.amount_chosen) = (amount, true);
    }

    /// The samples of a size of the built-in pack, unless a setting changes them.
    pub fn usual_samples(&self, size: Amount) -> Option<usize> {
        let new = Form::default();
        let is_usual = self.edition == new.edition
            && self.split == new.split
            && self.abilities == new.abilities
            && !OPTIONS
                .iter()
                .any(|it| it.group == Group::Prompts && self.options.contains_key(it.name));
        size.usual_samples().filter(|_| is_usual)
    }

    /// Where the endpoint comes from.
    pub fn source(&self) -> Source {
        let linked = !self.linked_address.is_empty() && self.linked_address == self.address;
        if linked { Source::Link } else { Source::Form }
    }

    /// Adds or removes an ability.
    pub fn toggle(&mut self, ability: Ability, on: bool) {
        self.abilities.retain(|it| *it != ability);
        if on {
            self.abilities.push(ability);
            self.abilities.sort_unstable();
        }
    }

    /// Whether the run includes an ability; the hard split has only Call.
    pub fn runs(&self, ability: Ability) -> bool {
        match self.split {
            Split::Standard => self.abilities.contains(&ability),
            Split::Hard => ability == Ability::Call,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::field::FieldName;
    use super::*;
    use crate::texts::Texts;
    use record::options::{CONCURRENCY, MAX_TOKENS, SEED, TEMPERATURE};
    use record::{Baseline, Model, Subset};

    #[test]
    fn identifiers_are_the_names_in_json() {
        Choice::ALL.iter().for_each(|it| assert_eq!(serde_json::json!(it), it.as_str()));
        Amount::ALL.iter().for_each(|it| assert_eq!(serde_json::json!(it), it.as_str()));
    }

    fn form() -> Form {
        Form { choice: Choice::Endpoint, model: "m".to_owned(), ..Form::default() }
    }

    #[test]
    fn the_first_visit_runs_without_an_endpoint() {
        let settings = Form::default().settings("https://s", Texts::ENGLISH).unwrap();
        assert_eq!(settings.model, Model::Builtin { name: Baseline::KeywordBaseline });
        assert_eq!(settings.abilities, Ability::ALL);
    }

    #[test]
    fn an_endpoint_is_parsed_from_the_form() {
        let mut form = form();
        form.type_option(&TEMPERATURE, " ");
        form.type_option(&CONCURRENCY, "8");
        let settings = form.settings("https://s", Texts::ENGLISH).unwrap();
        let Model::Endpoint(endpoint) = settings.model else { panic!("an endpoint") };
        assert_eq!(endpoint.temperature, None);
        assert_eq!(endpoint.max_tokens, Some(4096));
        assert_eq!(settings.concurrency, 8);
    }

    #[test]
    fn the_size_follows_the_kind_of_model_until_the_user_chooses_one() {
        let after = |form: &mut Form, choice| {
            form.choose(choice);
            form.amount
        };
        let mut form = Form::default();
        assert_eq!(form.amount, Amount::All);
        assert_eq!(after(&mut form, Choice::Endpoint), Amount::Quick);
        assert_eq!(after(&mut form, Choice::InPage), Amount::Quick);
        assert_eq!(after(&mut form, Choice::GoldReplay), Amount::All);
        for chosen in [Amount::Quick, Amount::All, Amount::Count] {
            form.choose_amount(chosen);
            for choice in Choice::ALL {
                assert_eq!(after(&mut form, choice), chosen, "chosen by the user");
            }
        }
        let mut linked = Form { choice: Choice::Endpoint, ..Form::default() };
        assert_eq!(after(&mut linked, Choice::InPage), Amount::All, "a link means what it says");
    }

    #[test]
    fn every_wrong_field_is_named() {
        let mut wrong = Form { address: "localhost".to_owned(), abilities: Vec::new(), ..form() };
        wrong.type_option(&TEMPERATURE, "hot");
        wrong.type_option(&MAX_TOKENS, "0");
        wrong.type_option(&CONCURRENCY, "101");
        let problems = wrong.settings("https://s", Texts::ENGLISH).unwrap_err();
        let fields: Vec<FieldName> = problems.iter().map(|problem| problem.field).collect();
        assert_eq!(
            fields,
            [
                FieldName::Address,
                FieldName::Option("temperature"),
                FieldName::Option("max_tokens"),
                FieldName::Abilities,
                FieldName::Option("concurrency"),
            ]
        );
        assert!(problems[1].message.contains("\"hot\""));
        let nameless = Form { model: String::new(), ..form() };
        assert_eq!(nameless.settings("", Texts::ENGLISH).unwrap_err()[0].field, FieldName::Model);
        let far = Form { address: "http://10.0.0.7/v1".to_owned(), ..form() };
        let message = &far.settings("https://site.example", Texts::ENGLISH).unwrap_err()[0].message;
        assert!(message.contains("cargo xtask serve"), "{message}");
        assert!(
            far.settings("http://localhost:8080", Texts::ENGLISH).is_ok(),
            "a machine on the local network"
        );
    }

    #[test]
    fn the_subset_and_its_seed_are_parsed() {
        let mut tenth = Form { amount: Amount::Tenth, ..Form::default() };
        tenth.type_option(&SEED, " 7 ");
        let settings = tenth.settings("", Texts::ENGLISH).unwrap();
        assert_eq!((settings.subset, settings.seed), (Subset::Percent(10), 7));
        let count = Form { amount: Amount::Count, per_ability: "3".to_owned(), ..Form::default() };
        assert_eq!(count.settings("", Texts::ENGLISH).unwrap().subset, Subset::PerAbility(3));
        let mut wrong = Form { per_ability: "0".to_owned(), ..count };
        wrong.type_option(&SEED, "-1");
        let fields: Vec<FieldName> = wrong
            .settings("", Texts::ENGLISH)
            .unwrap_err()
            .iter()
            .map(|problem| problem.field)
            .collect();
        assert_eq!(fields, [FieldName::PerAbility, FieldName::Option("seed")]);
    }

    #[test]
    fn abilities_keep_their_order() {
        let mut form = form();
        form.toggle(Ability::Call, false);
        form.toggle(Ability::Call, true);
        assert_eq!(form.abilities, Ability::ALL);
    }

    #[test]
    fn the_form_round_trips_and_reads_older_versions() {
        let form = form();
        let text = serde_json::to_string(&form).unwrap();
        assert_eq!(serde_json::from_str::<Form>(&text).unwrap(), form);
        assert_eq!(serde_json::from_str::<Form>("{}").unwrap(), Form::default());
    }
}
