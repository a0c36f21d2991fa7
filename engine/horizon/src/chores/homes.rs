//! Chores that change addresses, some of which are read before they are overwritten.

use crate::Error;
use crate::draft::{Draft, Need, Reminder, text};
use crate::english::list;
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

/// Gives an organization's `size` members one address.
pub(super) fn relocate(draft: &mut Draft<'_>, size: usize, _: usize) -> Result<(), Error> {
    let (organization, members) = draft.organization(size)?;
    let password = draft.accounts(&members)?;
    let address = draft.address()?;
    draft.set("address", address.as_str());
    draft.say("relocate")?;
    draft.query_members(&organization, Need::Value)?;
    for member in &members {
        move_to(draft, member, &password, &address)?;
    }
    Ok(())
}

/// Gives `count` people the address of a host.
pub(super) fn move_in(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let host = draft.name(Kind::Person)?;
    let host_password = draft.password();
    draft.account(&host, &host_password)?;
    let movers = draft.people(count)?;
    let password = draft.accounts(&movers)?;
    draft.set("host", host.as_str());
    draft.set("host_password", host_password.as_str());
    draft.set("movers", list(&movers));
    draft.say(if count == 1 { "move_in_one" } else { "move_in" })?;
    let address = address_of(draft, &host, &host_password)?;
    for mover in &movers {
        move_to(draft, mover, &password, &address)?;
    }
    Ok(())
}

/// Rotates the addresses of `count` people: each gets that of the next.
pub(super) fn rotate(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let people = draft.people(count)?;
    let password = draft.accounts(&people)?;
    let mut moves = Vec::new();
    for (at, person) in people.iter().enumerate() {
        draft.set("person", person.as_str());
        draft.set("next", people[(at + 1) % count].as_str());
        moves.push(draft.phrase("rotate_move")?);
    }
    draft.set("moves", list(&moves));
    draft.set("people", list(&people));
    draft.say("rotate")?;
    let mut homes = Vec::new();
    for person in &people {
        homes.push(address_of(draft, person, &password)?);
    }
    for (at, person) in people.iter().enumerate() {
        move_to(draft, person, &password, &homes[(at + 1) % homes.len()])?;
    }
    Ok(())
}

/// Emails each of `count` people their current address, then changes it.
pub(super) fn last_look(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let people = draft.people(count)?;
    let password = draft.accounts(&people)?;
    let content = draft.content()?;
    let day = draft.when();
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
    draft.set("people", list(&people));
    draft.set("moves", list(&moves));
    draft.say(if count == 1 { "last_look_one" } else { "last_look" })?;
    for (person, home) in people.iter().zip(&homes) {
        let arguments = json!({"username": person, "password": password});
        let account = draft.call("AccountInfo", arguments, Need::Value)?;
        let (content, place) = (content.clone(), text(&account, "address"));
        draft.remind(&Reminder { content, day, start, place }, &text(&account, "email"))?;
        move_to(draft, person, &password, home)?;
    }
    Ok(())
}
