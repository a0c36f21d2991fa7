//! Tasks: a shape filled with names, rows and calls.

use crate::Error;
use crate::draft::{Block, Draft};
use crate::names::{Names, Parts, position};
use crate::sentences::{Sentences, Slots, filled};
use crate::shape::{self, Part, seeded};
use apis::World;
use apis::store::Table;
use dataset::horizon::LEVELS;
use dataset::{Ability, Dialogue, TaskId, Tier, Turn};

/// A task with its own rows, and what tests check.
pub(crate) struct Task {
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check the shape"))]
    pub(crate) id: TaskId,
    pub(crate) dialogue: Dialogue,
    pub(crate) world: World,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check what each call is for"))]
    pub(crate) blocks: Vec<Block>,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check that shapes differ"))]
    pub(crate) shape: Vec<shape::Key>,
}

/// The tasks of a tier, by level and number.
///
/// # Errors
/// See [`Error`].
pub(crate) fn of_tier(seed: u32, tier: Tier, base: &World) -> Result<Vec<Task>, Error> {
    let (parts, sentences) = (Parts::read()?, Sentences::read()?);
    let mut tasks = Vec::new();
    for level in LEVELS {
        for (number, shape) in (1..).zip(shape::of_level(seed, tier, level)?) {
            let id = TaskId { tier, level, number };
            tasks.push(task(seed, id, &shape, base, (&parts, &sentences))?);
        }
    }
    Ok(tasks)
}

/// One task.
fn task(
    seed: u32,
    id: TaskId,
    shape: &[Part],
    base: &World,
    (parts, sentences): (&Parts, &Sentences),
) -> Result<Task, Error> {
    let mut world = World::empty(base.seed);
    world.today = base.today;
    world.tax_bracket = base.tax_bracket.clone();
    let names = Names::new(parts, seed, id);
    let lookalikes = id.tier == Tier::Interference;
    // Ids of users and posts: seven digits, a range for each task.
    let first_id = 1_000_000 + 20_000 * position(id);
    let mut draft =
        Draft::new(seeded(seed, &id.to_string()), names, sentences, world, lookalikes, first_id);
    for part in shape {
        draft.begin();
        (part.chore.run)(&mut draft, part.n, part.k)?;
    }
    let opening = opening(seed, id, sentences);
    let closing = &sentences.closings[draft.random.below(sentences.closings.len())];
    let reply = &sentences.replies[draft.random.below(sentences.replies.len())];
    let separator = if draft.paragraphs.len() > 2 { "\n\n" } else { " " };
    let requirement = [opening.to_owned(), draft.paragraphs.join(separator), closing.clone()];
    let Draft { blocks, tell, world: mut rows, profiles, calendars, .. } = draft;
    let calls = blocks.iter().flat_map(|block| &block.calls);
    let mut turns = vec![Turn::User { text: requirement.join(separator) }];
    turns.extend(calls.map(|gold| Turn::Api(gold.call.clone())));
    let text = match listed(&tell) {
        facts if facts.is_empty() => reply.clone(),
        facts => format!("{reply} {}", filled(&sentences.told, &Slots::from([("facts", facts)]))?),
    };
    turns.push(Turn::Assistant { text, expect: None, tell });
    let dialogue =
        Dialogue { id: id.to_string(), ability: Ability::Plan, turns, hard: None, earlier: 0 };
    // The rows are those before the gold calls.
    rows.planned_meeting = Table::default();
    rows.email_reminder = Table::default();
    rows.profile = profiles;
    rows.calendar = calendars;
    rows.script = rows.script.restarted();
    let shape = shape.iter().map(Part::key).collect();
    Ok(Task { id, dialogue, world: rows, blocks, shape })
}

/// The first alternative of each fact.
fn listed(tell: &[String]) -> String {
    let facts: Vec<&str> = tell.iter().filter_map(|fact| fact.split('|').next()).collect();
    crate::english::list(&facts)
}

/// The opening: each is used about equally often within a tier.
fn opening(seed: u32, id: TaskId, sentences: &Sentences) -> &str {
    let openings = &sentences.openings;
    let shift =
        seeded(seed, &format!("horizon openings {}", id.tier.as_str())).below(openings.len());
    // 7 and the number of openings have no common divisor.
    &openings[(position(id) * 7 + shift) % openings.len()]
}

/// Adds the rows of a task, and its script.
///
/// # Errors
/// If a key is taken.
pub(crate) fn add_rows(rows: &World, world: &mut World) -> Result<(), Error> {
    world.script = rows.script.clone();
    copy(&rows.calendar, &mut world.calendar)?;
    copy(&rows.flight, &mut world.flight)?;
    copy(&rows.genre, &mut world.genre)?;
    copy(&rows.hotel_offer, &mut world.hotel_offer)?;
    copy(&rows.movie_preferences, &mut world.movie_preferences)?;
    copy(&rows.occupation, &mut world.occupation)?;
    copy(&rows.organization, &mut world.organization)?;
    copy(&rows.place, &mut world.place)?;
    copy(&rows.post, &mut world.post)?;
    copy(&rows.profile, &mut world.profile)?;
    copy(&rows.restaurant, &mut world.restaurant)?;
    copy(&rows.travel_status, &mut world.travel_status)?;
    copy(&rows.user_posts, &mut world.user_posts)?;
    copy(&rows.watched_movies, &mut world.watched_movies)?;
    copy(&rows.weather, &mut world.weather)
}

fn copy<R: Clone>(from: &Table<R>, to: &mut Table<R>) -> Result<(), Error> {
    for (key, row) in from.iter() {
        if to.contains(key) {
            return Err(Error::Taken(key.to_owned()));
        }
        to.insert(key, row.clone());
    }
    Ok(())
}
