//! The form's retriever.

use super::Form;
use dataset::Ability;
use exchange::protocol::Protocol;
use record::Retriever;

impl Form {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::retriever::RetrieverChoice;
    use crate::texts::Texts;
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
