//! The Run page's form as typed, and its conversion to settings.

use super::asking::Asking;
use super::edition::EditionChoice;
use super::endpoint_options::EndpointOptions;
use super::field::{FieldName, Problem};
use super::forecast::Prices;
use super::in_page::Loaded;
use super::keys::Source;
use crate::t;
use crate::texts::Texts;
use dataset::{Ability, Split, Tier};
use provider::{Preset, WireFormat};
use record::Baseline;
use record::Model;
use record::{RunSettings, Subset};
use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// The kind of model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// The lower reference.
    #[default]
    KeywordBaseline,
    /// The upper reference.
    GoldReplay,
    /// The user's endpoint.
    Endpoint,
    /// A file of the user that runs in the page.
    InPage,
}

impl Choice {
    /// All, in the order of the form.
    pub const ALL: [Choice; Choice::COUNT] = *Choice::VARIANTS.first_chunk().unwrap();

    /// The identifier in the page.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The display name.
    pub fn title(self, texts: Texts) -> &'static str {
        match self {
            Choice::KeywordBaseline => texts.get(Baseline::KeywordBaseline.title()),
            Choice::GoldReplay => texts.get(Baseline::GoldReplay.title()),
            Choice::Endpoint => t!(texts, "My endpoint"),
            Choice::InPage => t!(texts, "A model in this page"),
        }
    }

    /// Describes it in a sentence.
    pub fn explain(self, texts: Texts) -> &'static str {
        match self {
            Choice::KeywordBaseline => {
                t!(
                    texts,
                    "No language model: a search finds the API, patterns fill its arguments. A simple baseline to beat."
                )
            }
            Choice::GoldReplay => {
                t!(texts, "Answers with the gold. The ceiling: 100 %.")
            }
            Choice::Endpoint => {
                t!(texts, "Your own or a vendor's server: Ollama, llama.cpp, OpenAI and others.")
            }
            Choice::InPage => {
                t!(texts, "A GGUF file on this device: small models run without any server.")
            }
        }
    }
}

/// The subset to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "kebab-case")]
pub enum Amount {
    /// A twentieth of each ability.
    Quick,
    /// A tenth of each ability.
    Tenth,
    /// A quarter of each ability.
    Quarter,
    /// All of the data.
    #[default]
    All,
    /// A fixed number of dialogues per ability.
    Count,
    /// An adaptive run of horizon tasks.
    Horizon,
}

/// The horizon tasks of each tier that a run asks at most.
pub const HORIZON_TASKS: u32 = 16;

impl Amount {
    /// Every amount, in the order of the settings.
    pub const ALL: [Amount; Amount::COUNT] = *Amount::VARIANTS.first_chunk().unwrap();

    /// The sizes on the first screen.
    pub const SIZES: [Amount; 4] = [Amount::Quick, Amount::Quarter, Amount::All, Amount::Horizon];

    /// The size that a kind of model starts with. Built-in models take seconds for all of the data; for
    /// others, it is more than a thousand requests.
    const fn usual(choice: Choice) -> Amount {
        match choice {
            Choice::KeywordBaseline | Choice::GoldReplay => Amount::All,
            Choice::Endpoint | Choice::InPage => Amount::Quick,
        }
    }

    /// The identifier in the page.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The label in the page.
    pub fn title(self, texts: Texts) -> &'static str {
        match self {
            Amount::All => t!(texts, "Everything"),
            Amount::Quick => t!(texts, "Quick"),
            Amount::Quarter => t!(texts, "Standard"),
            Amount::Horizon => t!(texts, "Horizon"),
            Amount::Tenth | Amount::Count => self.share(texts),
        }
    }

    /// The number of samples of the built-in pack under default settings, which the first screen shows
    /// before the engine counts. A browser test holds it to the engine.
    const fn usual_samples(self) -> Option<usize> {
        match self {
            Amount::Quick => Some(72),
            Amount::Quarter => Some(366),
            Amount::All => Some(1456),
            Amount::Horizon => Some(Tier::ALL.len() * HORIZON_TASKS as usize),
            Amount::Tenth | Amount::Count => None,
        }
    }

    /// The share of the data.
    pub fn share(self, texts: Texts) -> &'static str {
        match self {
            Amount::All => t!(texts, "All dialogues"),
            Amount::Quick => t!(texts, "5 % of the dialogues"),
            Amount::Quarter => t!(texts, "25 % of the dialogues"),
            Amount::Tenth => t!(texts, "10 % of the dialogues"),
            Amount::Count => t!(texts, "Fixed number per ability"),
            Amount::Horizon => t!(texts, "Tasks of 1 to 256 calls"),
        }
    }
}

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
    /// Temperature; empty leaves it to the endpoint.
    pub temperature: String,
    /// Maximum answer length in tokens; empty leaves it to the endpoint.
    pub max_tokens: String,
    /// Requests in flight.
    pub concurrency: String,
    /// Advanced options.
    pub more: EndpointOptions,
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
    /// Seed of subset and order.
    pub seed: String,
    /// Prompting options.
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
            temperature: "0".to_owned(),
            max_tokens: MAX_TOKENS[0].to_owned(),
            concurrency: facts.concurrency.to_string(),
            more: EndpointOptions::default(),
            edition: EditionChoice::default(),
            variant: "1".to_owned(),
            split: Split::Standard,
            abilities: Ability::ALL.to_vec(),
            amount: Amount::usual(Choice::default()),
            amount_chosen: false,
            per_ability: "10".to_owned(),
            seed: "1".to_owned(),
            asking: Asking::default(),
            prices: Prices::default(),
            loaded: None,
        }
    }
}

/// The maximum answer length, in tokens, that the form starts with: for an endpoint, and for a model
/// in the page, where small models write to the limit and slowly.
const MAX_TOKENS: [&str; 2] = ["4096", "512"];

impl Form {
    /// Sets the kind of model; an unchanged maximum answer length and size follow.
    pub fn choose(&mut self, choice: Choice) {
        if !self.amount_chosen && self.amount == Amount::usual(self.choice) {
            self.amount = Amount::usual(choice);
        }
        let usual = |choice| MAX_TOKENS[usize::from(choice == Choice::InPage)];
        if self.max_tokens == usual(self.choice) {
            usual(choice).clone_into(&mut self.max_tokens);
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
            && self.seed == new.seed
            && self.asking.protocol == new.asking.protocol
            && self.asking.steps == new.asking.steps
            && self.asking.trials == new.asking.trials;
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

    /// Converts the form to the settings of a run.
    ///
    /// # Errors
    /// Every invalid field.
    pub fn settings(&self, origin: &str, texts: Texts) -> Result<RunSettings, Vec<Problem>> {
        let mut problems = Vec::new();
        let model = match self.choice {
            Choice::KeywordBaseline => Model::Builtin { name: Baseline::KeywordBaseline },
            Choice::GoldReplay => Model::Builtin { name: Baseline::GoldReplay },
            Choice::Endpoint => match self.endpoint(origin, texts) {
                Ok(endpoint) => Model::Endpoint(endpoint),
                Err(found) => {
                    problems = found;
                    Model::Builtin { name: Baseline::GoldReplay }
                }
            },
            Choice::InPage => match self.in_page(&mut problems, texts) {
                Some(endpoint) => Model::Endpoint(endpoint),
                None => Model::Builtin { name: Baseline::GoldReplay },
            },
        };
        let mut settings = RunSettings::new(model);
        settings.abilities.clone_from(&self.abilities);
        settings.split = self.split;
        settings.edition = self.read_edition(&mut problems, texts);
        if settings.abilities().is_empty() {
            problems.push(Problem {
                field: FieldName::Abilities,
                message: t!(texts, "Abilities: choose at least one.").to_owned(),
            });
        }
        settings.subset = self.subset(&mut problems, texts);
        match self.seed.trim().parse() {
            Ok(seed) => settings.seed = seed,
            Err(_) => problems.push(Problem {
                field: FieldName::Seed,
                message: t!(
                    texts,
                    "Seed: expected a whole number from 0 to {most}, got {text}.",
                    most = u32::MAX,
                    text = format!("{:?}", self.seed)
                ),
            }),
        }
        self.asking.apply(&mut settings, &mut problems, texts);
        settings.retriever = self.retriever();
        if self.amount == Amount::Horizon {
            settings.play_horizon();
        }
        if self.choice == Choice::Endpoint {
            // Prices don't affect the run, but an invalid one would give a wrong forecast.
            let _ = self.prices.read(&mut problems, texts);
            settings.timeouts = self.more.timeouts(&mut problems, texts);
            match self.concurrency.trim().parse() {
                Ok(concurrency) if (1..=100).contains(&concurrency) => {
                    settings.concurrency = concurrency;
                }
                _ => problems.push(Problem {
                    field: FieldName::Concurrency,
                    message: t!(
                        texts,
                        "Requests in flight: expected a whole number from 1 to 100, got {text}.",
                        text = format!("{:?}", self.concurrency)
                    ),
                }),
            }
        }
        if problems.is_empty() { Ok(settings) } else { Err(problems) }
    }
}

impl Form {
    fn subset(&self, problems: &mut Vec<Problem>, texts: Texts) -> Subset {
        match self.amount {
            Amount::All => Subset::All,
            Amount::Quick => Subset::Percent(5),
            Amount::Quarter => Subset::Percent(25),
            Amount::Tenth => Subset::Percent(10),
            Amount::Horizon => Subset::PerAbility(HORIZON_TASKS),
            Amount::Count => match self.per_ability.trim().parse() {
                Ok(count) if count > 0 => Subset::PerAbility(count),
                _ => {
                    problems.push(Problem {
                        field: FieldName::PerAbility,
                        message: t!(
                            texts,
                            "Dialogues per ability: expected a whole number above 0, got {text}.",
                            text = format!("{:?}", self.per_ability)
                        ),
                    });
                    Subset::All
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let form = Form { temperature: " ".to_owned(), concurrency: "8".to_owned(), ..form() };
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
        let wrong = Form {
            address: "localhost".to_owned(),
            temperature: "hot".to_owned(),
            max_tokens: "0".to_owned(),
            concurrency: "101".to_owned(),
            abilities: Vec::new(),
            ..form()
        };
        let problems = wrong.settings("https://s", Texts::ENGLISH).unwrap_err();
        let fields: Vec<FieldName> = problems.iter().map(|problem| problem.field).collect();
        assert_eq!(
            fields,
            [
                FieldName::Address,
                FieldName::Temperature,
                FieldName::MaxTokens,
                FieldName::Abilities,
                FieldName::Concurrency,
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
        let tenth = Form { amount: Amount::Tenth, seed: " 7 ".to_owned(), ..Form::default() };
        let settings = tenth.settings("", Texts::ENGLISH).unwrap();
        assert_eq!((settings.subset, settings.seed), (Subset::Percent(10), 7));
        let count = Form { amount: Amount::Count, per_ability: "3".to_owned(), ..Form::default() };
        assert_eq!(count.settings("", Texts::ENGLISH).unwrap().subset, Subset::PerAbility(3));
        let wrong = Form { per_ability: "0".to_owned(), seed: "-1".to_owned(), ..count };
        let fields: Vec<FieldName> = wrong
            .settings("", Texts::ENGLISH)
            .unwrap_err()
            .iter()
            .map(|problem| problem.field)
            .collect();
        assert_eq!(fields, [FieldName::PerAbility, FieldName::Seed]);
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
