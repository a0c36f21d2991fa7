//! What the APIs' own checks are made of: reading the gold, comparing fields, word overlap.

pub(super) use super::response::{CheckFault, Gold, Response, subscript, text_of};

use super::python::Py;
use super::strptime::{Moment, normalise};
use super::text::{fold, strip};
use std::collections::BTreeSet;

/// `assert response['api_name'] == gold['api_name']`.
///
/// # Errors
/// The failed assertion.
pub(super) fn assert_name(r: &Response, g: &Gold) -> Result<(), CheckFault> {
    if same_name(r, g)? { Ok(()) } else { Err(CheckFault::Assertion) }
}

/// Whether the two results are of the same API.
///
/// # Errors
/// `KeyError` when a result has no name.
pub(super) fn same_name(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    let name = r.api_name.ok_or_else(|| CheckFault::Key("api_name".to_owned()))?;
    Ok(g.get("api_name")?.as_text() == Some(name))
}

/// Output and exception equal.
///
/// # Errors
/// As a Python subscript.
pub(super) fn same_result(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    Ok(r.output == *g.get("output")? && r.exception == *g.get("exception")?)
}

/// Input, output and exception equal: the check of most APIs.
///
/// # Errors
/// As a Python subscript.
pub(super) fn all_equal(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    Ok(r.input == *g.get("input")? && same_result(r, g)?)
}

/// [`all_equal`] after [`assert_name`].
///
/// # Errors
/// As both.
pub(super) fn named_all_equal(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    assert_name(r, g)?;
    all_equal(r, g)
}

/// [`same_result`] whatever the input was.
///
/// # Errors
/// As [`same_result`].
pub(super) fn result_only(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    same_result(r, g)
}

/// Exception equal; of the outputs only whether they are null.
///
/// # Errors
/// As a Python subscript.
pub(super) fn same_outcome(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    let nulls = r.output.is_none() == g.get("output")?.is_none();
    Ok(nulls && r.exception == *g.get("exception")?)
}

/// A field of both inputs equal as it stands.
///
/// # Errors
/// As a Python subscript.
pub(super) fn same_input(r: &Response, g: &Gold, key: &str) -> Result<bool, CheckFault> {
    Ok(r.input(key)? == g.input(key)?)
}

/// A text field of both inputs equal after `form`.
///
/// # Errors
/// As a Python subscript, or `AttributeError` when a field is no text.
pub(super) fn same_text(
    r: &Response,
    g: &Gold,
    key: &str,
    form: fn(&str) -> String,
) -> Result<bool, CheckFault> {
    Ok(form(text_of(r.input(key)?)?) == form(text_of(g.input(key)?)?))
}

/// A text field of both inputs equal but for white space around it.
///
/// # Errors
/// As [`same_text`].
pub(super) fn same_stripped(r: &Response, g: &Gold, key: &str) -> Result<bool, CheckFault> {
    same_text(r, g, key, |text| strip(text).to_owned())
}

/// A text field of both inputs equal but for case and white space around it.
///
/// # Errors
/// As [`same_text`].
pub(super) fn same_folded(r: &Response, g: &Gold, key: &str) -> Result<bool, CheckFault> {
    same_text(r, g, key, fold)
}

/// A time field of both inputs the same time. What cannot be read as one equals nothing, not
/// even itself: the original compares the exception objects.
///
/// # Errors
/// As [`same_text`].
pub(super) fn same_time(
    r: &Response,
    g: &Gold,
    key: &str,
    format: &str,
) -> Result<bool, CheckFault> {
    let read = |value: &Py| -> Result<Option<Moment>, CheckFault> {
        Ok(normalise(text_of(value)?, format).ok())
    };
    let (ours, gold) = (read(r.input(key)?)?, read(g.input(key)?)?);
    Ok(ours.is_some() && ours == gold)
}

/// Whether the words of a field overlap enough: of all distinct words of both texts, split at
/// single spaces, more than half are in both.
///
/// # Errors
/// As [`same_text`].
pub(super) fn words_overlap(
    r: &Response,
    g: &Gold,
    key: &str,
    form: fn(&str) -> String,
) -> Result<bool, CheckFault> {
    let ours = form(text_of(r.input(key)?)?);
    let gold = form(text_of(g.input(key)?)?);
    let ours: BTreeSet<&str> = ours.split(' ').collect();
    let gold: BTreeSet<&str> = gold.split(' ').collect();
    let shared = ours.intersection(&gold).count();
    Ok(2 * shared > ours.union(&gold).count())
}

/// The words of a field overlap, and everything else is equal: the field is taken out of both
/// inputs before they are compared.
///
/// # Errors
/// As [`words_overlap`].
pub(super) fn words_overlap_rest_equal(
    r: &Response,
    g: &Gold,
    key: &str,
) -> Result<bool, CheckFault> {
    if !words_overlap(r, g, key, str::to_owned)? {
        return Ok(false);
    }
    let without =
        |input: &Py| input.as_dict().cloned().map(|mut dict| dict.shift_remove(key).map(|_| dict));
    Ok(without(&r.input) == without(g.get("input")?) && same_result(r, g)?)
}
