//! The summary of scored rows, in the shape of the paper's Table 3.

use super::{Profile, Scored};
use crate::table::{aligned, interval, percent};
use dataset::Ability;
use dataset::import::Place;
use record::Rate;
use scoring::f1::CallOverlap;
use scoring::{ErrorClass, wilson};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Counts of one level.
#[derive(Debug, Default, Clone)]
struct Level {
    right: usize,
    calls: usize,
    corrected: usize,
    excluded: usize,
    crashed: usize,
    rouge: f64,
    replies: usize,
    overlap: CallOverlap,
}

/// Counts of all rows.
#[derive(Debug)]
pub(super) struct Summary {
    profile: Profile,
    levels: BTreeMap<u8, Level>,
    errors: BTreeMap<ErrorClass, usize>,
}

impl Summary {
    /// Of no rows.
    pub(super) fn new(profile: Profile) -> Self {
        Summary { profile, levels: BTreeMap::new(), errors: BTreeMap::new() }
    }

    /// Counts a call. One that the errata exclude counts as nothing else.
    pub(super) fn call(&mut self, place: &Place, scored: &Scored) {
        let level = self.levels.entry(place.level).or_default();
        if scored.excluded.is_some() {
            level.excluded += 1;
            return;
        }
        level.calls += 1;
        level.right += usize::from(scored.correct);
        level.corrected += usize::from(scored.corrected.is_some());
        level.crashed += usize::from(scored.crash);
        if let Some(overlap) = scored.overlap {
            level.overlap.name.add(overlap.name);
            level.overlap.arguments.add(overlap.arguments);
        }
        if let Some(class) = scored.error_class {
            *self.errors.entry(class).or_default() += 1;
        }
    }

    /// Counts a reply.
    pub(super) fn reply(&mut self, place: &Place, rouge: f64) {
        let level = self.levels.entry(place.level).or_default();
        level.rouge += rouge;
        level.replies += 1;
    }

    /// The table, then what it does not show.
    pub(super) fn table(&self, not_scored: usize) -> String {
        let mut head = vec!["", "n", "right", "correctness", "95 % interval", "ROUGE-L", "replies"];
        head.extend(["corrected", "excluded"]);
        if self.profile == Profile::F1 {
            head.extend(["F1 names", "F1 arguments"]);
        }
        let mut rows = vec![head.into_iter().map(str::to_owned).collect()];
        let mut all = Level::default();
        for (level, counts) in &self.levels {
            let ability = Ability::ALL.get(usize::from(*level).saturating_sub(1));
            rows.push(self.row(ability.map_or("", |it| it.title()), counts));
            all.add(counts);
        }
        rows.push(self.row("All", &all));
        let mut text = format!("Profile {}.\n\n{}", self.profile.as_str(), aligned(&rows));
        if !self.errors.is_empty() {
            let errors: Vec<String> =
                self.errors.iter().map(|(class, count)| format!("{class} {count}")).collect();
            let _ = write!(text, "\nWrong calls: {}.\n", errors.join(", "));
        }
        if all.crashed > 0 {
            let _ = write!(text, "\nThe original stops or hangs at {} rows.\n", all.crashed);
        }
        if not_scored > 0 {
            let _ = write!(text, "\nNot scored: {not_scored} rows; see standard error.\n");
        }
        text
    }

    fn row(&self, name: &str, counts: &Level) -> Vec<String> {
        let Level { right, calls, .. } = *counts;
        let rate = Rate { right, n: calls, interval: wilson(right, calls) };
        let rouge = match counts.replies {
            0 => "-".to_owned(),
            replies => format!("{:.4}", counts.rouge / replies as f64),
        };
        let mut row = vec![
            name.to_owned(),
            calls.to_string(),
            right.to_string(),
            percent(&rate),
            interval(&rate),
            rouge,
            counts.replies.to_string(),
            counts.corrected.to_string(),
            counts.excluded.to_string(),
        ];
        if self.profile == Profile::F1 {
            row.push(format!("{:.4}", counts.overlap.name.f1()));
            row.push(format!("{:.4}", counts.overlap.arguments.f1()));
        }
        row
    }
}

impl Level {
    fn add(&mut self, other: &Level) {
        self.right += other.right;
        self.calls += other.calls;
        self.corrected += other.corrected;
        self.excluded += other.excluded;
        self.crashed += other.crashed;
        self.rouge += other.rouge;
        self.replies += other.replies;
        self.overlap.name.add(other.overlap.name);
        self.overlap.arguments.add(other.overlap.arguments);
    }
}
