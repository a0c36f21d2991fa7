//! Warnings and facts of a verification, formatted as lines.

use crate::shown::line;
use crate::table;
use record::Subset;
use record::metrics::horizon::words;
use record::{Disclosure, Rate, Status, Unit};

/// The warnings, each with its code.
pub(crate) fn warnings(of: &Disclosure) -> String {
    of.warnings
        .iter()
        .map(|warning| format!("Warning ({}): {}\n", warning.code(), line(&warning.text())))
        .collect()
}

/// The facts, one per line.
pub(crate) fn facts(of: &Disclosure) -> String {
    let status = match of.status {
        Status::Finished => "finished",
        Status::Cancelled => "cancelled",
    };
    let abilities: Vec<&str> = of.abilities.iter().map(|ability| ability.title()).collect();
    let part = of.shard.as_ref().map_or_else(String::new, |shard| {
        let parts: Vec<String> = shard.parts.iter().map(u32::to_string).collect();
        format!(", parts {} of {}", parts.join(", "), shard.of)
    });
    let trials = if of.trials > 1 { format!(", {} trials", of.trials) } else { String::new() };
    let share = table::percentage(of.not_scored());
    let split = match &of.horizon {
        Some(_) => "horizon".to_owned(),
        None => format!("{}: {}", of.split.title(), abilities.join(", ")),
    };
    let mut rows = vec![
        ("Model", of.model.clone()),
        ("Split", split),
        ("Subset", format!("{}{part}", subset(of))),
        ("Protocol", format!("{}{trials}, profile {}", of.protocol.as_str(), of.profile.as_str())),
        ("Status", format!("{status}, {} of {} planned samples", of.samples, of.planned)),
        ("Not scored", format!("{} of {} samples, {share}", of.failed, of.samples)),
    ];
    rows.extend(of.horizon.as_ref().map(|horizon| ("Horizon", words(horizon))));
    rows.extend([
        ("Accuracy", rate(&of.accuracy, of.unit)),
        ("  failures counted wrong", rate(&of.failures_wrong, of.unit)),
    ]);
    if let Some(missing_wrong) = &of.missing_wrong {
        rows.push(("  failures and missing counted wrong", rate(missing_wrong, of.unit)));
    }
    let settings: Vec<String> = of.settings.iter().map(ToString::to_string).collect();
    let settings =
        if settings.is_empty() { "the defaults".to_owned() } else { settings.join(", ") };
    rows.push(("Settings", settings));
    let prompts = if of.custom_prompts { "changed" } else { "the project's" };
    rows.push(("Prompts", prompts.to_owned()));
    let dropped = match of.dropped_parameters.as_slice() {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    rows.push(("Dropped parameters", dropped));
    rows.push(("Times", "claimed: neither digest nor signature covers them".to_owned()));
    rows.iter().map(|(name, value)| format!("{name}: {}\n", line(value))).collect()
}

fn subset(of: &Disclosure) -> String {
    let seed = of.seed;
    match &of.subset {
        Subset::PerAbility(most) if of.horizon.is_some() => {
            format!("at most {most} tasks of each tier, chosen by their outcome")
        }
        Subset::All => "all dialogues".to_owned(),
        Subset::Percent(percent) => format!("{percent} % of the dialogues, drawn by seed {seed}"),
        Subset::PerAbility(count) => {
            format!("{count} dialogues of each ability, drawn by seed {seed}")
        }
        Subset::Dialogues(ids) => format!("{} hand-picked dialogues", ids.len()),
    }
}

fn rate(of: &Rate, unit: Unit) -> String {
    let unit = match unit {
        Unit::Calls => "calls",
        Unit::Dialogues => "dialogues",
    };
    let (share, interval) = (table::percent(of), table::interval(of));
    format!("{share} ({} {unit} right, 95 % interval {interval})", table::fraction(of))
}
