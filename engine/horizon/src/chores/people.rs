//! Chores that loop over the members of organizations.

use crate::Error;
use crate::chores::mishaps::busy;
use crate::draft::{Draft, Found, Meeting, Need};
use crate::english::list;
use crate::names::Kind;
use crate::rows::Doing;
use serde_json::json;

/// Adds an organization. Returns its name, its `size` members, and the `chosen` ones whose status is
/// `doing`, in the order of the members.
fn roster(
    draft: &mut Draft<'_>,
    size: usize,
    chosen: usize,
    doing: Doing,
) -> Result<(String, Vec<String>, Vec<String>), Error> {
    let (organization, members) = draft.organization(size)?;
    let places = draft.distinct(chosen, 0, size - 1);
    for (at, member) in members.iter().enumerate() {
        let own = if places.contains(&at) {
            doing
        } else {
            let others: Vec<Doing> = Doing::ALL.into_iter().filter(|it| *it != doing).collect();
            // Travellers are rare elsewhere, because each takes a city's name.
            let other = others[draft.random.below(others.len())];
            if other == Doing::Travelling && at % 3 > 0 { Doing::ALL[2] } else { other }
        };
        let own = if own == doing && !places.contains(&at) { Doing::Leave } else { own };
        draft.status(member, own)?;
    }
    let chosen = places.iter().filter_map(|at| members.get(*at).cloned()).collect();
    Ok((organization, members, chosen))
}

/// Reads the members and their statuses.
fn read_roster(draft: &mut Draft<'_>, organization: &str, members: &[String]) -> Result<(), Error> {
    draft.query_members(organization, Need::Value)?;
    members.iter().try_for_each(|member| draft.query_status(member, Need::Choice))
}

/// Reminds those `travelling` of `size` members who travel.
pub(super) fn rollcall_mail(
    draft: &mut Draft<'_>,
    size: usize,
    travelling: usize,
) -> Result<(), Error> {
    let (organization, members, away) = roster(draft, size, travelling, Doing::Travelling)?;
    let password = draft.accounts(&members)?;
    let reminder = draft.reminder()?;
    draft.say("rollcall_mail")?;
    read_roster(draft, &organization, &members)?;
    for member in &away {
        let recipient = draft.email(member, &password)?;
        draft.remind(&reminder, &recipient)?;
    }
    Ok(())
}

/// Books a meeting of the `chosen` of `size` members who share a status.
pub(super) fn rollcall_meet(
    draft: &mut Draft<'_>,
    size: usize,
    chosen: usize,
) -> Result<(), Error> {
    let doing = Doing::ALL[draft.random.below(Doing::ALL.len())];
    let (organization, members, guests) = roster(draft, size, chosen, doing)?;
    let meeting = Meeting { guests, ..draft.meeting()? };
    let [_, doing] = doing.words();
    draft.set("doing", doing);
    draft.say("rollcall_meet")?;
    read_roster(draft, &organization, &members)?;
    draft.add_meeting(&meeting)
}

/// Books a meeting of the `both` people who belong to two organizations.
pub(super) fn overlap(draft: &mut Draft<'_>, size: usize, both: usize) -> Result<(), Error> {
    two_lists(draft, size, both, true)
}

/// Books a meeting of the `alone` people who belong to the first of two organizations only.
pub(super) fn only_first(draft: &mut Draft<'_>, size: usize, alone: usize) -> Result<(), Error> {
    two_lists(draft, size, alone, false)
}

fn two_lists(
    draft: &mut Draft<'_>,
    size: usize,
    chosen: usize,
    overlap: bool,
) -> Result<(), Error> {
    let (first, members) = draft.organization(size)?;
    let places = draft.distinct(chosen, 0, size - 1);
    let in_second = |at: usize| places.contains(&at) == overlap;
    let mut others: Vec<String> =
        (0..size).filter(|at| in_second(*at)).map(|at| members[at].clone()).collect();
    // Look-alikes of the members who are in one organization alone.
    let alone: Vec<String> =
        (0..size).filter(|at| !in_second(*at)).map(|at| members[at].clone()).collect();
    for person in alone.iter().take(3) {
        let near =
            if person.contains(". ") { draft.name(Kind::Person)? } else { draft.namesake(person) };
        if !members.contains(&near) {
            others.push(near);
        }
    }
    draft.shuffle(&mut others);
    let second = draft.organization_of(&others)?;
    let guests = places.iter().map(|at| members[*at].clone()).collect();
    let meeting = Meeting { guests, ..draft.meeting()? };
    draft.set("first", first.as_str());
    draft.set("second", second.as_str());
    draft.say(if overlap { "overlap" } else { "only_first" })?;
    draft.query_members(&first, Need::Value)?;
    draft.query_members(&second, Need::Choice)?;
    draft.add_meeting(&meeting)
}

/// Reports which cities `count` people travel to. `failing` of the look-ups fail the first time.
pub(super) fn whereabouts(
    draft: &mut Draft<'_>,
    count: usize,
    failing: usize,
) -> Result<(), Error> {
    let people = draft.people(count)?;
    let mut cities = Vec::new();
    for person in &people {
        cities.push(draft.status(person, Doing::Travelling)?);
    }
    draft.set("people", list(&people));
    draft.say(if count == 1 { "whereabouts_one" } else { "whereabouts" })?;
    let places = draft.distinct(failing, 0, count - 1);
    for (at, person) in people.iter().enumerate() {
        if places.contains(&at) {
            busy(draft, "TravelStatus", [("member_name", person)]);
            draft.fail("TravelStatus", json!({"member_name": person}), Need::Vain)?;
        }
        draft.query_status(person, Need::Value)?;
    }
    draft.tell.extend(cities.iter().cloned());
    draft.set("person", people[0].as_str());
    draft.publish(Found::City(cities.swap_remove(0)), "known_city")
}
