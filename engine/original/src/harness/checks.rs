//! Building blocks of the APIs' checks: reading the gold, comparing fields, word overlap.

pub(super) use super::response::{CheckFault, Gold, Response, subscript, text_of};

use super::python::Py;
use super::strptime::{Moment, normalise};
use super::text::{fold, strip};
use std::collections::BTreeSet;

/// `assert response['api_name'] == gold['api_name']`.
///
/// # Errors
/// `AssertionError` when the names differ; otherwise the same as [`same_name`].
pub(super) fn assert_name(r: &Response, g: &Gold) -> Result<(), CheckFault> {
    if same_name(r, g)? { Ok(()) } else { Err(CheckFault::Assertion) }
}

/// Whether both results name the same API.
///
/// # Errors
/// `KeyError` when a result has no name.
pub(super) fn same_name(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    let name = r.api_name.ok_or_else(|| CheckFault::Key("api_name".to_owned()))?;
    Ok(g.get("api_name")?.as_text() == Some(name))
}

/// Whether output and exception are equal.
///
/// # Errors
/// Same as [`subscript`].
pub(super) fn same_result(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    Ok(r.output == *g.get("output")? && r.exception == *g.get("exception")?)
}

/// Whether input, output and exception are equal: the check of most APIs.
///
/// # Errors
/// Same as [`subscript`].
pub(super) fn all_equal(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    Ok(r.input == *g.get("input")? && same_result(r, g)?)
}

/// [`all_equal`] after [`assert_name`].
///
/// # Errors
/// Same as both.
pub(super) fn named_all_equal(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    assert_name(r, g)?;
    all_equal(r, g)
}

/// [`same_result`], ignoring the input.
///
/// # Errors
/// Same as [`same_result`].
pub(super) fn result_only(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    same_result(r, g)
}

/// Whether exceptions are equal, and outputs both null or both not.
///
/// # Errors
/// Same as [`subscript`].
pub(super) fn same_outcome(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    let nulls = r.output.is_none() == g.get("output")?.is_none();
    Ok(nulls && r.exception == *g.get("exception")?)
}

/// Whether a field is equal in both inputs, without normalization.
///
/// # Errors
/// Same as [`subscript`].
pub(super) fn same_input(r: &Response, g: &Gold, key: &str) -> Result<bool, CheckFault> {
    Ok(r.input(key)? == g.input(key)?)
}

/// Whether a string field is equal in both inputs after normalization by `form`.
///
/// # Errors
/// Same as [`subscript`], or `AttributeError` when a field is not a string.
pub(super) fn same_text(
    r: &Response,
    g: &Gold,
    key: &str,
    form: fn(&str) -> String,
) -> Result<bool, CheckFault> {
    Ok(form(text_of(r.input(key)?)?) == form(text_of(g.input(key)?)?))
}

/// Whether a string field is equal in both inputs, ignoring surrounding white space.
///
/// # Errors
/// Same as [`same_text`].
pub(super) fn same_stripped(r: &Response, g: &Gold, key: &str) -> Result<bool, CheckFault> {
    same_text(r, g, key, |text| strip(text).to_owned())
}

/// Whether a string field is equal in both inputs, ignoring case and surrounding white space.
///
/// # Errors
/// Same as [`same_text`].
pub(super) fn same_folded(r: &Response, g: &Gold, key: &str) -> Result<bool, CheckFault> {
    same_text(r, g, key, fold)
}

/// Whether a time field is the same time in both inputs. An invalid time equals nothing, not even
/// itself, because the original compares exception objects.
///
/// # Errors
/// Same as [`same_text`].
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

/// Whether the words of a field overlap: more than half of the distinct words of both texts, split
/// at single spaces, are in both.
///
/// # Errors
/// Same as [`same_text`].
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

/// Whether the words of a field overlap and everything else is equal; the inputs are compared
/// without the field.
///
/// # Errors
/// Same as [`words_overlap`].
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
