//! Fills in the form from a link, with undo.

use super::form_address::{Refused, fill};
use super::{Choice, Form};
use crate::texts::Texts;

/// The effect of a link on the form.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkReport {
    /// Names of the applied values.
    pub taken: Vec<&'static str>,
    /// The ignored values.
    pub refused: Vec<Refused>,
    /// The endpoint's address, for a link to an endpoint.
    pub address: Option<String>,
    /// The form before.
    pub before: Form,
}

/// Fills in the form from a link. `origin` is the site's.
pub fn open(query: &str, before: Form, origin: &str, texts: Texts) -> (Form, LinkReport) {
    let filled = fill(query, origin, texts);
    let mut form = filled.form;
    // Links contain no prompts, so keep the user's.
    form.asking.edited.clone_from(&before.asking.edited);
    form.loaded.clone_from(&before.loaded);
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
    fn a_links_address_is_marked_until_the_user_types_one() {
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
    fn invalid_values_are_reported() {
        let (_, report) = open("seed=7&colour=red", Form::default(), ORIGIN, Texts::ENGLISH);
        assert_eq!(report.taken, ["seed"]);
        assert_eq!(report.refused.len(), 1);
        assert_eq!(report.address, None);
    }
}
