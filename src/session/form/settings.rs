//! The settings of the form's run.

use super::Form;
use crate::session::amount::{Amount, HORIZON_TASKS};
use crate::session::choice::Choice;
use crate::session::field::{FieldName, Problem};
use crate::t;
use crate::texts::Texts;
use dataset::Ability;
use exchange::protocol::Protocol;
use record::options::Group;
use record::{Baseline, Model, Retriever, RunSettings, Subset};

impl Form {
    /// Converts the form to the settings of a run.
    ///
    /// # Errors
    /// Every invalid field.
    pub fn settings(&self, origin: &str, texts: Texts) -> Result<RunSettings, Vec<Problem>> {
        let mut problems = Vec::new();
        let settings = self.read(origin, &mut problems, texts);
        if problems.is_empty() { Ok(settings) } else { Err(problems) }
    }

    /// The settings as far as they are valid: they decide which options count.
    pub fn draft(&self) -> RunSettings {
        self.read("", &mut Vec::new(), Texts::ENGLISH)
    }

    /// The retriever of a run: a model of the user's, or else the choice. `None` is the built-in one.
    pub fn retriever(&self) -> Option<Retriever> {
        let own = self.asking.own_retriever.clone().map(Retriever::Model);
        own.or_else(|| self.asking.retriever.setting()).filter(|_| self.searches())
    }

    /// Whether the run searches, so that a retriever counts.
    pub fn searches(&self) -> bool {
        let searches = self.runs(Ability::Retrieve) || self.runs(Ability::Plan);
        searches && self.protocol() != Protocol::AllTools
    }

    fn read(&self, origin: &str, problems: &mut Vec<Problem>, texts: Texts) -> RunSettings {
        let model = match self.choice {
            Choice::KeywordBaseline => Model::Builtin { name: Baseline::KeywordBaseline },
            Choice::GoldReplay => Model::Builtin { name: Baseline::GoldReplay },
            Choice::Endpoint => Model::Endpoint(self.checked_endpoint(origin, problems, texts)),
            Choice::InPage => Model::Endpoint(self.in_page(problems, texts)),
        };
        let mut settings = RunSettings::new(model);
        settings.abilities.clone_from(&self.abilities);
        settings.split = self.split;
        settings.edition = self.read_edition(problems, texts);
        if settings.abilities().is_empty() {
            problems.push(Problem {
                field: FieldName::Abilities,
                message: t!(texts, "Abilities: choose at least one.").to_owned(),
            });
        }
        settings.subset = self.subset(problems, texts);
        self.apply(&[Group::Prompts], &mut settings, problems, texts);
        settings.protocol = self.run_protocol();
        if self.amount == Amount::Horizon {
            settings.play_horizon();
        }
        self.asking.apply(&mut settings, problems, texts);
        settings.retriever = self.retriever();
        if self.choice == Choice::Endpoint {
            // Prices don't affect the run, but an invalid one would give a wrong forecast.
            let _ = self.prices.read(problems, texts);
        }
        self.apply(&[Group::Requests, Group::Claims], &mut settings, problems, texts);
        settings
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
    use crate::session::retriever_choice::RetrieverChoice;
    use dataset::Split;

    #[test]
    fn a_retriever_counts_where_the_run_searches() {
        let mut form = Form::default();
        form.asking.retriever = RetrieverChoice::Oracle;
        let setting = |form: &Form| form.settings("", Texts::ENGLISH).unwrap().retriever;
        assert_eq!(setting(&form), Some(Retriever::Oracle));
        form.choose_protocol(Protocol::AllTools);
        assert_eq!(setting(&form), None);
        form.choose_protocol(Protocol::Tools);
        form.abilities = vec![Ability::Call];
        assert_eq!(setting(&form), None);
        form.abilities.push(Ability::Plan);
        assert_eq!(setting(&form), Some(Retriever::Oracle));
        form.split = Split::Hard;
        assert_eq!(setting(&form), None, "the hard split has no searches");
    }
}
