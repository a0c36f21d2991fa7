//! Chores with a rule over several bookings.

use super::sums::salary;
use crate::Error;
use crate::draft::{Draft, Meeting, Need, Reminder};
use crate::english::list;
use crate::names::Kind;
use std::collections::BTreeSet;

/// Offsets of days from the first possible one.
type Days = BTreeSet<usize>;

/// How many times calendars are drawn until the rule makes a difference.
const TRIES: usize = 20;

/// Books `meetings` meetings of `count` people, each on the first day when its guests have no other
/// meeting. So the day of each depends on the earlier ones.
pub(super) fn timetable(draft: &mut Draft<'_>, count: usize, meetings: usize) -> Result<(), Error> {
    let people = draft.people(count)?;
    let first = draft.day();
    let guests: Vec<Vec<usize>> = (0..meetings).map(|at| attending(at, count)).collect();
    let mut busy = busy_days(draft, count);
    for _ in 1..TRIES {
        if scheduled(&guests, &busy, true) != scheduled(&guests, &busy, false) {
            break;
        }
        busy = busy_days(draft, count);
    }
    for (person, days) in people.iter().zip(&busy) {
        let mut entries = Vec::new();
        for day in days {
            entries.push(draft.entry(person, first.plus(*day))?);
        }
        draft.calendar(person, entries, false)?;
    }
    let (mut planned, mut wishes) = (Vec::new(), Vec::new());
    for (own, day) in guests.iter().zip(scheduled(&guests, &busy, true)) {
        let (title, (start, minutes)) = (draft.title()?, draft.span());
        let place = draft.place_to_meet()?;
        let guests: Vec<String> = own.iter().map(|at| people[*at].clone()).collect();
        draft.set("guests", list(&guests));
        wishes.push(draft.phrase("one_undated")?);
        planned.push(Meeting { title, day: first.plus(day), start, minutes, place, guests });
    }
    draft.set("meetings", wishes.join("; "));
    draft.set("day", first.words());
    draft.say("timetable")?;
    for person in &people {
        draft.query_meetings(person, Need::Choice)?;
    }
    planned.iter().try_for_each(|meeting| draft.add_meeting(meeting))
}

/// Indices of a meeting's guests: the next two people, and one guest of the meeting before.
fn attending(at: usize, count: usize) -> Vec<usize> {
    let before = (at > 0).then(|| 2 * at - 1);
    let all = [2 * at, 2 * at + 1].into_iter().chain(before).map(|index| index % count);
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

fn busy_days(draft: &mut Draft<'_>, count: usize) -> Vec<Days> {
    (0..count).map(|_| draft.distinct(3, 0, 6).into_iter().collect()).collect()
}

/// The day of each meeting. With `tied`, guests are also busy at the earlier meetings.
fn scheduled(meetings: &[Vec<usize>], busy: &[Days], tied: bool) -> Vec<usize> {
    let mut taken = busy.to_vec();
    let mut days = Vec::new();
    for guests in meetings {
        let is_free = |day: &usize| guests.iter().all(|guest| !taken[*guest].contains(day));
        let day = (0..).find(is_free).unwrap_or_default();
        if tied {
            guests.iter().for_each(|guest| {
                taken[*guest].insert(day);
            });
        }
        days.push(day);
    }
    days
}

/// Picks one of `count` occupations and one of `more`: the best-paid pair within a budget.
pub(super) fn budget(draft: &mut Draft<'_>, count: usize, more: usize) -> Result<(), Error> {
    let thousands = draft.distinct(count, 30, 90);
    let first = candidates(draft, thousands.iter().map(|thousand| 1000 * thousand).collect())?;
    // The tens differ, so that no two pairs cost the same.
    let thousands = draft.distinct(more, 30, 90);
    let salaries = (1..).zip(&thousands).map(|(at, it)| 1000 * it + 10 * at).collect();
    let second = candidates(draft, salaries)?;
    let mut pairs: Vec<(usize, [&String; 2])> = Vec::new();
    for (name, salary) in &first {
        pairs.extend(second.iter().map(|(other, more)| (salary + more, [name, other])));
    }
    pairs.sort_unstable();
    let best = draft.between(pairs.len() / 3, pairs.len() - 2);
    let (cost, chosen) = pairs[best];
    let limit = cost + (pairs[best + 1].0 - cost) / 2;
    let (day, (start, _)) = (draft.when(), draft.span());
    let place = draft.place_to_meet()?;
    let recipient = draft.addresses(1)?.swap_remove(0);
    let names = |of: &[(String, usize)]| list(&of.iter().map(|pair| &pair.0).collect::<Vec<_>>());
    draft.set("first", names(&first));
    draft.set("second", names(&second));
    draft.set("limit", limit.to_string());
    draft.set("recipients", recipient.as_str());
    draft.say("budget")?;
    for (name, _) in first.iter().chain(&second) {
        salary(draft, name, Need::Choice)?;
    }
    for name in chosen {
        let reminder = Reminder { content: name.clone(), day, start, place: place.clone() };
        draft.remind(&reminder, &recipient)?;
    }
    Ok(())
}

/// Adds occupations with these salaries, in random order.
fn candidates(
    draft: &mut Draft<'_>,
    mut salaries: Vec<usize>,
) -> Result<Vec<(String, usize)>, Error> {
    draft.shuffle(&mut salaries);
    let mut found = Vec::new();
    for salary in salaries {
        let name = draft.name(Kind::Occupation)?;
        draft.world.occupation.insert(name.as_str(), serde_json::Number::from(salary));
        found.push((name, salary));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_meetings_move_later_ones() {
        let guests = [vec![0, 1], vec![1, 2], vec![0, 2]];
        let busy = [[0].into(), Days::new(), [1, 2].into()];
        assert_eq!(scheduled(&guests, &busy, false), [1, 0, 3]);
        assert_eq!(scheduled(&guests, &busy, true), [1, 0, 3]);
        let busy = [[0].into(), [0].into(), Days::new()];
        assert_eq!(scheduled(&guests, &busy, false), [1, 1, 1]);
        assert_eq!(scheduled(&guests, &busy, true), [1, 2, 3]);
    }

    #[test]
    fn everybody_attends_a_meeting() {
        for (count, meetings) in [(3, 2), (7, 4), (24, 12)] {
            let all: BTreeSet<usize> = (0..meetings).flat_map(|at| attending(at, count)).collect();
            assert_eq!(all.len(), count);
        }
    }
}
