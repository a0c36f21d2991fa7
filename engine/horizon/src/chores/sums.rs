//! Chores that report a number: likes, salaries, taxes.

use crate::Error;
use crate::draft::{Draft, Need};
use crate::english::list;
use crate::names::Kind;
use serde_json::{Value, json};

/// Adds a user with `count` posts. Returns the user, the posts, and their likes, which all differ.
fn posts(draft: &mut Draft<'_>, count: usize) -> (usize, Vec<usize>, Vec<usize>) {
    let mut likes = draft.distinct(count, 3, 900);
    draft.shuffle(&mut likes);
    let (user, posts) = draft.user(&likes);
    draft.set("user", user.to_string());
    (user, posts, likes)
}

fn read_posts(draft: &mut Draft<'_>, user: usize, posts: &[usize]) -> Result<(), Error> {
    draft.call("UserPosts", json!({"user_id": user}), Need::Value)?;
    for post in posts {
        draft.call("LikeCount", json!({"post_id": post}), Need::Choice)?;
    }
    Ok(())
}

/// Reports the total likes of a user's `count` posts.
pub(super) fn likes_total(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let (user, posts, likes) = posts(draft, count);
    draft.say("likes_total")?;
    read_posts(draft, user, &posts)?;
    draft.tell_number(likes.iter().sum());
    Ok(())
}

/// Reports the most liked of a user's `count` posts.
pub(super) fn top_post(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let (user, posts, likes) = posts(draft, count);
    draft.say("top_post")?;
    read_posts(draft, user, &posts)?;
    let best = likes.iter().enumerate().max_by_key(|(_, likes)| **likes);
    draft.tell_number(best.map_or(0, |(at, _)| posts[at]));
    Ok(())
}

/// Adds `count` occupations with different salaries.
fn occupations(draft: &mut Draft<'_>, count: usize) -> Result<(Vec<String>, Vec<usize>), Error> {
    let mut salaries = draft.distinct(count, 210, 1290);
    draft.shuffle(&mut salaries);
    let salaries: Vec<usize> = salaries.iter().map(|hundreds| hundreds * 100).collect();
    let mut names = Vec::new();
    for salary in &salaries {
        let name = draft.name(Kind::Occupation)?;
        draft.world.occupation.insert(name.as_str(), serde_json::Number::from(*salary));
        names.push(name);
    }
    draft.set("occupations", list(&names));
    Ok((names, salaries))
}

pub(super) fn salary(draft: &mut Draft<'_>, occupation: &str, need: Need) -> Result<(), Error> {
    draft.call("GetOccupationSalary", json!({"occupation": occupation}), need).map(|_| ())
}

/// A salary after tax, in cents.
fn after_tax(draft: &mut Draft<'_>, salary: usize, need: Need) -> Result<i64, Error> {
    let left: Value = draft.call("TaxCalculator", json!({"salary": salary}), need)?;
    let left = left["salary_after_tax"].as_f64().unwrap_or_default();
    Ok((left * 100.0).round() as i64)
}

/// An amount in cents as a number: `39225` or `39225.5`.
fn amount(cents: i64) -> String {
    let fraction = format!("{:02}", cents % 100);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() {
        (cents / 100).to_string()
    } else {
        format!("{}.{fraction}", cents / 100)
    }
}

/// Reports one salary, or the range of `count` salaries.
pub(super) fn salaries(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let (names, salaries) = occupations(draft, count)?;
    draft.say(if count == 1 { "salary" } else { "salaries" })?;
    let need = if count == 1 { Need::Value } else { Need::Choice };
    for name in &names {
        salary(draft, name, need)?;
    }
    let (low, high) = (salaries.iter().min(), salaries.iter().max());
    let lowest = if count == 1 { 0 } else { low.copied().unwrap_or_default() };
    draft.tell_number(high.copied().unwrap_or_default() - lowest);
    Ok(())
}

/// Reports the sum of `count` salaries after tax.
pub(super) fn take_home(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let (names, salaries) = occupations(draft, count)?;
    draft.say(if count == 1 { "take_home_one" } else { "take_home" })?;
    let mut total = 0;
    for (name, gross) in names.iter().zip(&salaries) {
        salary(draft, name, Need::Value)?;
        let need = if count == 1 { Need::Value } else { Need::Choice };
        total += after_tax(draft, *gross, need)?;
    }
    draft.tell.push(amount(total));
    Ok(())
}

/// Reports the highest of `count` salaries after tax.
pub(super) fn best_net(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let (names, salaries) = occupations(draft, count)?;
    draft.say("best_net")?;
    let best = salaries.iter().copied().max().unwrap_or_default();
    for (name, gross) in names.iter().zip(&salaries) {
        salary(draft, name, if *gross == best { Need::Value } else { Need::Choice })?;
    }
    let left = after_tax(draft, best, Need::Value)?;
    draft.tell.push(amount(left));
    Ok(())
}
