//! The rows of the table: measurement, unit and goal.

use super::{Figure, Part};

/// Seconds that the original's evaluator takes for the 399 calls of its level 1, see
/// `engine/runner/tests/original_parity.rs`; measured once, on the unmodified original.
pub const ORIGINAL_SECONDS: f64 = 10.0;
/// The number of those calls.
pub const ORIGINAL_CALLS: f64 = 399.0;

/// A goal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// The peer's figure is at least this multiple of ours.
    Times(f64),
    /// At most this share of the peer's figure.
    Share(f64),
    /// At most this, in the row's unit.
    AtMost(f64),
    /// At most this, and at most this share of the peer's figure.
    Both(f64, f64),
    /// At least this share of the peer's figure.
    AtLeast(f64),
}

impl Goal {
    /// Whether a figure meets the goal; `None` if the peer was not measured.
    #[must_use]
    pub fn reached(self, figure: &Figure) -> Option<bool> {
        let share = figure.peer.map(|peer| figure.ours / peer);
        match self {
            Goal::Times(times) => figure.peer.map(|peer| peer >= times * figure.ours),
            Goal::Share(most) => share.map(|share| share <= most),
            Goal::AtMost(most) => Some(figure.ours <= most),
            Goal::Both(most, part) => share.map(|share| figure.ours <= most && share <= part),
            Goal::AtLeast(least) => share.map(|share| share >= least),
        }
    }

    /// The goal in words.
    #[must_use]
    pub fn words(self, unit: &str) -> String {
        match self {
            Goal::Times(times) => format!("≥ {times}×"),
            Goal::Share(most) => format!("≤ {most}×"),
            Goal::AtMost(most) => format!("≤ {most} {unit}").trim_end().to_owned(),
            Goal::Both(most, part) => format!("≤ {most} {unit}, ≤ {part}×"),
            Goal::AtLeast(least) => format!("≥ {least}×"),
        }
    }

    /// The ratio that the goal refers to, in words.
    #[must_use]
    pub fn ratio(self, figure: &Figure) -> String {
        let Some(peer) = figure.peer else { return "–".to_owned() };
        match self {
            Goal::Times(_) => format!("{:.0}×", peer / figure.ours),
            _ => format!("{:.3}×", figure.ours / peer),
        }
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The key of its figure.
    pub key: &'static str,
    /// The operation.
    pub work: &'static str,
    /// The unit of its figures.
    pub unit: &'static str,
    /// The baseline; empty if there is none.
    pub against: &'static str,
    /// The goal.
    pub goal: Goal,
    /// The part that measures it.
    pub part: Part,
}

const ORIGINAL: &str = "the original's 10 s";
const PEER: &str = "onnxruntime-web, fp32 model";
const BARE: &str = "in flight ÷ latency of bare requests";

const fn row(
    key: &'static str,
    part: Part,
    work: &'static str,
    unit: &'static str,
    against: &'static str,
    goal: Goal,
) -> Row {
    Row { key, work, unit, against, goal, part }
}

/// Every row, in table order.
pub const ROWS: [Row; 19] = [
    row(
        "score-native",
        Part::Native,
        "score 399 Call items, native, one core",
        "s",
        ORIGINAL,
        Goal::Times(1000.0),
    ),
    row("score-browser", Part::Browser, "the same in Chromium", "s", ORIGINAL, Goal::Times(200.0)),
    row(
        "search",
        Part::Browser,
        "one search, 4 to 16 tokens, one thread",
        "ms",
        PEER,
        Goal::Share(0.8),
    ),
    row(
        "search-quick",
        Part::Browser,
        "the same in the build of `cargo xtask serve`",
        "ms",
        PEER,
        Goal::Share(0.8),
    ),
    row(
        "ready",
        Part::Browser,
        "worker ready to search, weights cached",
        "ms",
        PEER,
        Goal::Share(0.6),
    ),
    row("search-memory", Part::Browser, "memory of search", "MB", PEER, Goal::Share(0.4)),
    row(
        "bytes-search",
        Part::Sizes,
        "bytes to search: runtime and weights, brotli",
        "MB",
        PEER,
        Goal::Both(18.0, 0.3),
    ),
    row("bytes-paint", Part::Sizes, "bytes to first paint, brotli", "KB", "", Goal::AtMost(300.0)),
    row("paint", Part::Browser, "first paint at 4× CPU slow-down", "s", "", Goal::AtMost(1.0)),
    row(
        "interactive",
        Part::Browser,
        "interactive at 4× CPU slow-down",
        "s",
        "",
        Goal::AtMost(2.0),
    ),
    row("shift", Part::Browser, "layout shift while the page loads", "", "", Goal::AtMost(0.0)),
    row(
        "task",
        Part::Browser,
        "longest task of the page during a run of 314 dialogues",
        "ms",
        "",
        Goal::AtMost(50.0),
    ),
    row(
        "replay",
        Part::Browser,
        "gold replay of 314 dialogues in Chromium, worker warm",
        "s",
        "",
        Goal::AtMost(1.0),
    ),
    row(
        "overhead-6",
        Part::Load,
        "engine overhead a sample, 6 in flight, Chromium",
        "ms",
        "",
        Goal::AtMost(1.0),
    ),
    row(
        "overhead-100",
        Part::Load,
        "engine overhead a sample, 100 in flight, native",
        "ms",
        "",
        Goal::AtMost(1.0),
    ),
    row(
        "throughput-6",
        Part::Load,
        "throughput, 6 in flight, Chromium",
        "/s",
        BARE,
        Goal::AtLeast(0.95),
    ),
    row(
        "throughput-100",
        Part::Load,
        "throughput, 100 in flight, native",
        "/s",
        BARE,
        Goal::AtLeast(0.95),
    ),
    row(
        "tab",
        Part::Browser,
        "memory of a tab with a record of 10,000 samples",
        "MB",
        "",
        Goal::AtMost(300.0),
    ),
    row(
        "scale",
        Part::Browser,
        "the results page answers, 10,000 samples",
        "ms",
        "",
        Goal::AtMost(100.0),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_judge_figures() {
        let beside = |ours, peer| Figure::beside(ours, peer, "");
        for (goal, figure, expected) in [
            (Goal::Times(1000.0), beside(0.01, 10.0), Some(true)),
            (Goal::Times(1000.0), beside(0.011, 10.0), Some(false)),
            (Goal::Share(0.4), beside(4.1, 10.0), Some(false)),
            (Goal::Share(0.4), Figure::new(4.0, ""), None),
            (Goal::AtMost(0.0), Figure::new(0.0, ""), Some(true)),
            (Goal::Both(18.0, 0.3), beside(18.5, 70.0), Some(false)),
            (Goal::Both(18.0, 0.3), beside(12.0, 39.0), Some(false)),
            (Goal::Both(18.0, 0.3), beside(12.0, 70.0), Some(true)),
            (Goal::AtLeast(0.95), beside(94.0, 100.0), Some(false)),
        ] {
            assert_eq!(goal.reached(&figure), expected, "{goal:?} {figure:?}");
        }
    }

    #[test]
    fn every_row_has_a_key_of_its_own() {
        let mut keys: Vec<_> = ROWS.iter().map(|row| row.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), ROWS.len());
    }
}
