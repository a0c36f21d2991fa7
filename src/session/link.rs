//! A form that a link fills in, and what it held before.

use super::fill::{Refused, fill};
use super::{Choice, Form};
use crate::texts::Texts;

/// What a link did to the form.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkReport {
    /// Names of the values that were taken.
    pub taken: Vec<&'static str>,
    /// What was left out.
    pub refused: Vec<Refused>,
    /// Where requests go now, for an endpoint.
    pub address: Option<String>,
    /// What the form held before.
    pub before: Form,
}

/// Fills the form in as a link says. `origin` is the site's.
pub fn open(query: &str, before: Form, origin: &str, texts: Texts) -> (Form, LinkReport) {
    let filled = fill(query, origin, texts);
    let mut form = filled.form;
    // Prompts are work of the user's that no link holds.
    form.asking.edited.clone_from(&before.asking.edited);
    form.linked_address = if form.address == before.address {
        before.linked_address.clone()
    } else {
        form.address.clone()
    };
    let address = (form.choice == Choice::Endpoint).then(|| form.address.clone());
    let report = LinkReport { taken: filled.taken, refused: filled.refused, address, before };
    (form, report)
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    const ORIGIN: &str = "https://example.org";

    #[test]
    fn an_address_of_a_link_is_known_as_such_until_the_user_typed_it() {
        let query = "run=endpoint&address=http://localhost:9/v1";
        let (form, report) = open(query, Form::default(), ORIGIN, Texts::ENGLISH);
        assert_eq!(form.source(), Source::Link);
        assert_eq!(report.address.as_deref(), Some("http://localhost:9/v1"));
        assert_eq!(report.before, Form::default());
        let typed = Form { linked_address: String::new(), ..form };
        let (form, _) = open(query, typed, ORIGIN, Texts::ENGLISH);
        assert_eq!(form.source(), Source::Form);
    }

    #[test]
    fn values_that_cannot_be_used_are_reported() {
        let (_, report) = open("seed=7&colour=red", Form::default(), ORIGIN, Texts::ENGLISH);
        assert_eq!(report.taken, ["seed"]);
        assert_eq!(report.refused.len(), 1);
        assert_eq!(report.address, None);
    }
}
