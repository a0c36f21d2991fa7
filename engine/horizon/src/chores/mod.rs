//! Chores: each adds rows, gold calls and a paragraph of the requirement.

mod calendars;
mod choices;
mod films;
mod homes;
mod mishaps;
mod people;
mod rules;
mod sums;
mod travel;

use crate::Error;
use crate::draft::Draft;
use dataset::Tier;
use std::ops::RangeInclusive;

/// A kind of chore. Its sizes are two numbers, such as members and how many of them travel.
pub(crate) struct Chore {
    /// Key of its sentences.
    pub(crate) name: &'static str,
    /// Tiers that use it, by initial: `e`, `i`, `p`.
    tiers: &'static str,
    /// First size.
    n: RangeInclusive<usize>,
    /// Second size.
    k: RangeInclusive<usize>,
    /// Gold calls for given sizes; 0 for sizes that don't fit together.
    calls: fn(usize, usize) -> usize,
    /// Whether it publishes values that later chores may take.
    pub(crate) finds: bool,
    /// Adds the chore to a task.
    pub(crate) run: Run,
}

type Run = fn(&mut Draft<'_>, usize, usize) -> Result<(), Error>;

impl Chore {
    /// Whether a tier uses it.
    pub(crate) fn is_in(&self, tier: Tier) -> bool {
        tier.as_str().chars().next().is_some_and(|initial| self.tiers.contains(initial))
    }

    /// The sizes that take `calls` calls.
    pub(crate) fn sizes(&self, calls: usize) -> Vec<(usize, usize)> {
        let pairs = self.n.clone().flat_map(|n| self.k.clone().map(move |k| (n, k)));
        pairs.filter(|(n, k)| (self.calls)(*n, *k) == calls).collect()
    }
}

const fn chore(
    name: &'static str,
    tiers: &'static str,
    n: RangeInclusive<usize>,
    k: RangeInclusive<usize>,
    calls: fn(usize, usize) -> usize,
    run: Run,
) -> Chore {
    Chore { name, tiers, n, k, calls, finds: false, run }
}

/// A chore that publishes values.
const fn finder(
    name: &'static str,
    tiers: &'static str,
    n: RangeInclusive<usize>,
    k: RangeInclusive<usize>,
    calls: fn(usize, usize) -> usize,
    run: Run,
) -> Chore {
    Chore { finds: true, ..chore(name, tiers, n, k, calls, run) }
}

/// Every chore.
pub(crate) static ALL: [Chore; 47] = [
    chore("book", "ei", 1..=4, 0..=0, |_, _| 1, calendars::book),
    chore("correct", "i", 1..=4, 0..=0, |_, _| 1, calendars::correct),
    chore("notice", "ei", 1..=3, 0..=0, |n, _| n, calendars::notice),
    finder("when_is", "ei", 3..=8, 0..=0, |_, _| 1, calendars::when_is),
    finder("pass_on", "ei", 2..=4, 1..=12, |_, k| 1 + 2 * k, calendars::pass_on),
    finder("follow_up", "ei", 2..=5, 2..=3, |_, _| 2, calendars::follow_up),
    chore("head_count", "ei", 3..=40, 0..=0, |n, _| 1 + n, calendars::head_count),
    chore("rollcall_mail", "ei", 3..=30, 1..=12, mails, people::rollcall_mail),
    chore("rollcall_meet", "ei", 4..=40, 2..=6, some_of, people::rollcall_meet),
    chore("overlap", "ip", 4..=9, 2..=3, |_, _| 3, people::overlap),
    chore("only_first", "ip", 4..=9, 2..=3, |_, _| 3, people::only_first),
    finder("whereabouts", "ei", 1..=4, 0..=0, |n, _| n, people::whereabouts),
    finder("whereabouts_busy", "i", 1..=6, 1..=2, failing, people::whereabouts),
    chore("notice_busy", "i", 1..=6, 1..=2, failing, mishaps::notice_busy),
    chore("unsure", "i", 0..=8, 1..=4, |n, k| 2 * n + 3 * k, mishaps::unsure),
    chore("queued", "i", 0..=8, 1..=4, |n, k| 2 * n + 3 * k, mishaps::queued),
    finder("overtaken", "i", 2..=40, 0..=0, |n, _| n + 4, mishaps::overtaken),
    chore("relocate", "ei", 2..=30, 0..=0, |n, _| 1 + n, homes::relocate),
    chore("move_in", "ei", 1..=4, 0..=0, |n, _| 1 + n, homes::move_in),
    chore("rotate", "i", 2..=6, 0..=0, |n, _| 2 * n, homes::rotate),
    chore("last_look", "i", 1..=4, 0..=0, |n, _| 3 * n, homes::last_look),
    chore("likes_total", "ei", 2..=30, 0..=0, |n, _| 1 + n, sums::likes_total),
    chore("top_post", "eip", 3..=30, 0..=0, |n, _| 1 + n, sums::top_post),
    chore("salaries", "ep", 1..=7, 0..=0, |n, _| n, sums::salaries),
    chore("take_home", "e", 1..=6, 0..=0, |n, _| 2 * n, sums::take_home),
    chore("best_net", "p", 2..=7, 0..=0, |n, _| n + 1, sums::best_net),
    finder("dinner", "ei", 1..=3, 0..=0, |_, _| 3, travel::dinner),
    finder("dinner_away", "ei", 1..=3, 0..=0, |_, _| 4, travel::dinner_away),
    chore("packing", "e", 1..=3, 0..=0, |n, _| 3 * n, travel::packing),
    chore("pickup", "ei", 1..=4, 0..=0, |n, _| n + 1, travel::pickup),
    chore("film", "ei", 1..=5, 0..=0, |n, _| 4 * n, films::film),
    chore("film_for_all", "ep", 2..=9, 0..=0, |n, _| 3 + n, films::film_for_all),
    finder("warmest", "p", 2..=7, 0..=1, |n, _| 2 * n + 1, choices::warmest),
    finder("free_day", "p", 2..=40, 0..=2, |n, _| n + 2, choices::free_day),
    finder("quorum", "p", 3..=40, 0..=1, |n, _| n + 2, choices::quorum),
    chore("free_hour", "p", 2..=6, 0..=0, |n, _| n + 1, choices::free_hour),
    finder("gap", "p", 4..=9, 0..=0, |_, _| 1, choices::gap),
    finder("lightest", "p", 3..=40, 0..=0, |n, _| n + 3, choices::lightest),
    finder("most_liked", "p", 2..=7, 0..=0, |n, _| 2 * n + 2, choices::most_liked),
    finder("substitute", "p", 1..=6, 1..=3, |n, _| n + 1, choices::substitute),
    finder("first_city", "p", 1..=6, 1..=3, |n, _| n + 1, travel::first_city),
    finder("first_flight", "p", 2..=7, 0..=0, |n, _| n + 1, travel::first_flight),
    chore("last_landing", "p", 3..=7, 0..=0, |_, _| 2, travel::last_landing),
    chore("earliest_arrival", "p", 2..=6, 0..=0, |n, _| n + 1, travel::earliest_arrival),
    chore("timetable", "p", 3..=24, 2..=12, booked, rules::timetable),
    chore("budget", "p", 2..=7, 2..=7, |n, k| n + k + 2, rules::budget),
    finder("hotel_until", "p", 2..=5, 0..=0, |_, _| 1, travel::hotel_until),
];

/// Members and statuses, then an address and a reminder for each traveller.
fn mails(members: usize, travelling: usize) -> usize {
    if travelling < members { 1 + members + 2 * travelling } else { 0 }
}

/// The number of calls: one for each of `count`, and a failed attempt for `failing` of them.
fn failing(count: usize, failing: usize) -> usize {
    if failing <= count { count + failing } else { 0 }
}

/// The number of calls: a calendar per person and a booking per meeting. Every person attends a meeting.
fn booked(people: usize, meetings: usize) -> usize {
    if people <= 2 * meetings { people + meetings } else { 0 }
}

/// Members and statuses, then one meeting.
fn some_of(members: usize, chosen: usize) -> usize {
    if chosen < members { members + 2 } else { 0 }
}
