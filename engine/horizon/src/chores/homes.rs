//! Addresses: who moves where, and what is read before it is overwritten.

use crate::Error;
use crate::draft::{Draft, Need, text};
use crate::english::{clock, list};
use crate::names::Kind;
use serde_json::json;

fn move_to(
    draft: &mut Draft<'_>,
    person: &str,
    password: &str,
    address: &str,
) -> Result<(), Error> {
    let arguments = json!({"username": person, "password": password, "address": address});
    draft.call("PersonalInfoUpdate", arguments, Need::Write).map(|_| ())
}

/// Reads the address of an account.
fn address_of(draft: &mut Draft<'_>, person: &str, password: &str) -> Result<String, Error> {
    let arguments = json!({"username": person, "password": password});
    Ok(text(&draft.call("AccountInfo", arguments, Need::Value)?, "address"))
}

/// One stated address for the `size` members of an organization.
pub(super) fn relocate(draft: &mut Draft<'_>, size: usize, _: usize) -> Result<(), Error> {
    let (organization, members) = draft.organization(size)?;
    let password = draft.accounts(&members)?;
    let address = draft.address()?;
    let slots =
        [("organization", organization.as_str()), ("address", &address), ("password", &password)];
    draft.say("relocate", &slots)?;
    draft.call("OrganizationMembers", json!({"organization": organization}), Need::Value)?;
    for member in &members {
        move_to(draft, member, &password, &address)?;
    }
    Ok(())
}

/// The address of a host for `count` others.
pub(super) fn move_in(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let host = draft.name(Kind::Person)?;
    let host_password = draft.password();
    draft.account(&host, &host_password)?;
    let movers = draft.people(count)?;
    let password = draft.accounts(&movers)?;
    let names = list(&movers);
    let slots = [
        ("host", host.as_str()),
        ("host_password", &host_password),
        ("movers", &names),
        ("password", &password),
    ];
    draft.say(if count == 1 { "move_in_one" } else { "move_in" }, &slots)?;
    let address = address_of(draft, &host, &host_password)?;
    for mover in &movers {
        move_to(draft, mover, &password, &address)?;
    }
    Ok(())
}

/// `count` people move in a circle, each into the home of the next.
pub(super) fn rotate(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let people = draft.people(count)?;
    let password = draft.accounts(&people)?;
    let next = |at: usize| &people[(at + 1) % people.len()];
    let moves: Vec<String> = (0..count)
        .map(|at| draft.phrase("rotate_move", &[("person", &people[at]), ("next", next(at))]))
        .collect::<Result<_, _>>()?;
    let slots =
        [("moves", list(&moves)), ("people", list(&people)), ("password", password.clone())];
    let slots: Vec<(&str, &str)> =
        slots.iter().map(|(slot, value)| (*slot, value.as_str())).collect();
    draft.say("rotate", &slots)?;
    let mut homes = Vec::new();
    for person in &people {
        homes.push(address_of(draft, person, &password)?);
    }
    for (at, person) in people.iter().enumerate() {
        move_to(draft, person, &password, &homes[(at + 1) % homes.len()])?;
    }
    Ok(())
}

/// A reminder with the address as it is now, then a new address, for `count` people.
pub(super) fn last_look(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let people = draft.people(count)?;
    let password = draft.accounts(&people)?;
    let content = draft.title()?;
    let (day, when) = draft.when();
    let (start, _) = draft.span();
    let mut homes = Vec::new();
    for _ in &people {
        homes.push(draft.address()?);
    }
    let moves: Vec<String> = people
        .iter()
        .zip(&homes)
        .map(|(person, home)| match count {
            1 => format!("\"{home}\""),
            _ => format!("{person} to \"{home}\""),
        })
        .collect();
    let (names, moves, time) = (list(&people), list(&moves), clock(start));
    let slots = [
        ("people", names.as_str()),
        ("moves", &moves),
        ("content", &content),
        ("when", &when),
        ("time", &time),
        ("password", &password),
    ];
    draft.say(if count == 1 { "last_look_one" } else { "last_look" }, &slots)?;
    for (person, home) in people.iter().zip(&homes) {
        let arguments = json!({"username": person, "password": password});
        let account = draft.call("AccountInfo", arguments, Need::Value)?;
        let (email, address) = (text(&account, "email"), text(&account, "address"));
        draft.remind(&content, &day.at(start), &address, &email)?;
        move_to(draft, person, &password, home)?;
    }
    Ok(())
}
