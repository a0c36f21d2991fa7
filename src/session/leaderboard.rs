//! What the Leaderboard page shows: choices, order, ranks.

use dataset::{Ability, HardKind, Language};
use exchange::protocol::Protocol;
use record::Rate;
use record::leaderboard::{
    ENDING, HorizonEntry, Kind, Leaderboard, LeaderboardRow, RecordFile, Score, Scores,
};
use record::table::SecondaryMetric;
use scoring::Profile;
use std::cmp::Ordering;

/// Heading of the hard split, in English.
pub const HARD: &str = "Hard split";

/// A column to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The rank.
    Rank,
    /// The model's name.
    Model,
    /// The standard split.
    Total,
    /// An ability.
    Ability(Ability),
    /// A secondary metric.
    Secondary(SecondaryMetric),
    /// The hard split.
    Hard,
    /// A kind of the hard split.
    Kind(HardKind),
    /// The translated dialogues in a language.
    Language(Language),
    /// Tokens of the standard split.
    Tokens,
    /// The median response time.
    Latency,
}

impl Column {
    /// Whether the best value is the highest, which the first click puts on top.
    const fn is_descending(self) -> bool {
        matches!(
            self,
            Column::Total
                | Column::Ability(_)
                | Column::Secondary(_)
                | Column::Hard
                | Column::Kind(_)
                | Column::Language(_)
        )
    }
}

/// The reader's choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choices {
    /// The protocol.
    pub protocol: Protocol,
    /// The profile.
    pub profile: Profile,
    /// Whether to show the references: gold replay and the keyword baseline.
    pub builtin: bool,
    /// Whether to show the trivial models.
    pub trivial: bool,
    /// Whether to show secondary metrics.
    pub secondary: bool,
    /// Whether to show the hard split by kind.
    pub kinds: bool,
    /// Whether to show languages.
    pub languages: bool,
    /// The column to sort by.
    pub column: Column,
    /// Whether the highest value comes first.
    pub descending: bool,
}

impl Default for Choices {
    fn default() -> Self {
        Choices {
            protocol: Protocol::default(),
            profile: Profile::Execution,
            builtin: true,
            trivial: false,
            secondary: false,
            kinds: false,
            languages: false,
            column: Column::Total,
            descending: true,
        }
    }
}

impl Choices {
    /// Sorts by a column; a second time, in the other direction.
    pub fn sort(&mut self, column: Column) {
        self.descending =
            if self.column == column { !self.descending } else { column.is_descending() };
        self.column = column;
    }

    /// The rows in order, each with its scores. Missing values come last.
    pub fn rows(self, board: &Leaderboard) -> Vec<(&LeaderboardRow, &Scores)> {
        let is_shown =
            |row: &&LeaderboardRow| row.protocol == self.protocol && self.shows(row.kind);
        let rows = board.rows.iter().filter(is_shown);
        let mut rows: Vec<_> =
            rows.filter_map(|row| Some((row, row.scores(self.profile)?))).collect();
        rows.sort_by(|a, b| {
            let right = |it: &(&LeaderboardRow, &Scores)| -it.1.total.0.value().unwrap_or_default();
            self.compare(*a, *b).then_with(|| right(a).total_cmp(&right(b)))
        });
        rows
    }

    /// The horizons of the shown kinds.
    pub fn horizons(self, board: &Leaderboard) -> Vec<&HorizonEntry> {
        board.horizons.iter().filter(|horizon| self.shows(horizon.kind)).collect()
    }

    const fn shows(self, kind: Kind) -> bool {
        match kind {
            Kind::Model => true,
            Kind::Reference => self.builtin,
            Kind::Trivial => self.trivial,
        }
    }

    /// The columns of rates after the score, with their headings in English.
    pub fn rates(self) -> Vec<(Column, &'static str)> {
        let mut columns = Vec::from(Ability::ALL.map(|it| (Column::Ability(it), it.title())));
        if self.secondary {
            columns.extend(SecondaryMetric::ALL.map(|it| (Column::Secondary(it), it.title())));
        }
        columns.push((Column::Hard, HARD));
        if self.kinds {
            columns.extend(HardKind::ALL.map(|kind| (Column::Kind(kind), kind.title())));
        }
        if self.languages {
            columns.extend(Language::ALL.map(|it| (Column::Language(it), it.title())));
        }
        columns
    }

    /// Whether another of these rows has the same rank.
    pub fn shares_rank(rows: &[(&LeaderboardRow, &Scores)], scores: &Scores) -> bool {
        let same = |it: &&(&LeaderboardRow, &Scores)| it.1.rank == scores.rank;
        scores.rank.is_some() && rows.iter().filter(same).count() > 1
    }

    fn compare(self, a: (&LeaderboardRow, &Scores), b: (&LeaderboardRow, &Scores)) -> Ordering {
        if self.column == Column::Model {
            let order = a.0.model.to_lowercase().cmp(&b.0.model.to_lowercase());
            return if self.descending { order.reverse() } else { order };
        }
        match (self.value(a.0, a.1), self.value(b.0, b.1)) {
            (Some(a), Some(b)) if self.descending => b.total_cmp(&a),
            (Some(a), Some(b)) => a.total_cmp(&b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }

    fn value(self, row: &LeaderboardRow, scores: &Scores) -> Option<f64> {
        match self.column {
            Column::Model => None,
            Column::Rank => scores.rank.map(|rank| rank as f64),
            Column::Tokens => tokens(row).map(|count| count as f64),
            Column::Latency => row.latency_ms.map(|ms| ms as f64),
            column => rate(scores, column)?.value(),
        }
    }
}

/// Digits of the content hash that the build appends to a file's name.
const HASH_DIGITS: usize = 16;

/// A record's name in addresses: that of its file in `results/`, without ending.
pub fn name_of(record: &RecordFile) -> &str {
    let file = record.url.rsplit('/').next().unwrap_or_default();
    let file = file.strip_suffix(ENDING).unwrap_or(file);
    let is_hash =
        |it: &str| it.len() == HASH_DIGITS && it.bytes().all(|byte| byte.is_ascii_hexdigit());
    match file.rsplit_once('-') {
        Some((name, hash)) if is_hash(hash) => name,
        _ => file,
    }
}

/// The record with a name.
pub fn find<'a>(board: &'a Leaderboard, name: &str) -> Option<&'a RecordFile> {
    let horizons = board.horizons.iter().flat_map(|horizon| &horizon.records);
    let rows = board.rows.iter().flat_map(|row| &row.records);
    rows.chain(horizons).find(|row| name_of(row) == name)
}

/// The rate in a column; `None` for columns of other values.
pub fn rate(scores: &Scores, column: Column) -> Option<Rate> {
    fn of<T: PartialEq>(scores: &[(T, Score)], key: &T) -> Option<Rate> {
        scores.iter().find(|(it, _)| it == key).map(|(_, score)| score.0)
    }
    match column {
        Column::Total => Some(scores.total.0),
        Column::Ability(it) => of(&scores.abilities, &it),
        Column::Secondary(it) => of(&scores.secondary, &it),
        Column::Hard => scores.hard.as_ref().map(|it| it.0),
        Column::Kind(it) => of(&scores.kinds, &it),
        Column::Language(it) => of(&scores.languages, &it),
        Column::Rank | Column::Model | Column::Tokens | Column::Latency => None,
    }
}

/// Prompt and completion tokens of the whole standard split; `None` unless the endpoint counted those
/// of every answer.
pub fn tokens(row: &LeaderboardRow) -> Option<u64> {
    let it = &row.tokens;
    let is_whole = row.percent.is_none() && it.counted > 0 && it.counted == it.answered;
    is_whole.then(|| it.prompt.saturating_add(it.completion))
}

/// The cost of a row's score.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// The model.
    pub model: String,
    /// The score, 0 to 1.
    pub share: f64,
    /// Prompt and completion tokens per answer, on average.
    pub tokens: f64,
    /// The median response time in milliseconds, if it is known.
    pub latency_ms: Option<u64>,
    /// Answer tokens per second after the first one, if they are known.
    pub tokens_per_second: Option<f64>,
    /// What served the model, if its user says so.
    pub hardware: Option<String>,
}

/// The costs of the rows whose endpoint counted the tokens of every answer.
pub fn costs(rows: &[(&LeaderboardRow, &Scores)]) -> Vec<Cost> {
    let cost = |(row, scores): &(&LeaderboardRow, &Scores)| {
        let it = &row.tokens;
        let is_counted = it.counted > 0 && it.counted == it.answered;
        let all = it.prompt.saturating_add(it.completion);
        is_counted.then_some(())?;
        Some(Cost {
            model: row.model.clone(),
            share: scores.total.0.value()?,
            tokens: all as f64 / it.counted as f64,
            latency_ms: row.latency_ms,
            tokens_per_second: row.tokens_per_second,
            hardware: row.hardware.clone(),
        })
    };
    rows.iter().filter_map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(model: &str, kind: &str, rank: Option<usize>, right: usize) -> LeaderboardRow {
        let tokens = if kind == "model" { 10 * right } else { 0 };
        serde_json::from_value(json!({
            "model": model, "kind": kind, "protocol": "bracket", "trials": 1, "records": [],
            "tokens": {"prompt": tokens, "completion": 1, "counted": tokens.min(1), "answered": 1},
            "latency_ms": (kind == "model").then_some(1000 - right), "finished_ms": 0,
            "scores": [{
                "profile": "execution", "rank": rank,
                "total": [right, 100, 0.0, 1.0], "abilities": [["call", [right, 100, 0.0, 1.0]]],
                "secondary": if model == "Small" { json!([["told", [1, 2, 0.0, 1.0]]]) } else { json!([]) },
                "hard": null, "kinds": []
            }],
        }))
        .unwrap()
    }

    fn board() -> Leaderboard {
        let rows = vec![
            row("Gold replay", "reference", None, 100),
            row("large", "model", Some(1), 60),
            row("Small", "model", Some(1), 70),
            row("Says nothing", "trivial", None, 0),
        ];
        let source = json!({"name": "p", "version": "1", "digest": "d"});
        Leaderboard {
            pack: serde_json::from_value(source).unwrap(),
            rows,
            horizons: Vec::new(),
            game: None,
        }
    }

    fn names(choices: Choices) -> Vec<String> {
        let board = board();
        choices.rows(&board).iter().map(|(row, _)| row.model.clone()).collect()
    }

    #[test]
    fn kinds_are_shown_and_hidden() {
        let mut choices = Choices::default();
        assert_eq!(names(choices), ["Gold replay", "Small", "large"], "without trivial models");
        choices.trivial = true;
        assert_eq!(names(choices), ["Gold replay", "Small", "large", "Says nothing"]);
        choices.builtin = false;
        assert_eq!(names(choices), ["Small", "large", "Says nothing"], "without references");
        choices.trivial = false;
        assert_eq!(names(choices), ["Small", "large"]);
        choices.protocol = Protocol::Agent;
        assert!(names(choices).is_empty());
    }

    #[test]
    fn the_best_score_comes_first_and_rows_of_one_rank_share_it() {
        let choices = Choices { trivial: true, ..Choices::default() };
        assert_eq!((choices.column, choices.descending), (Column::Total, true));
        let board = board();
        let rows = choices.rows(&board);
        let shares = rows.iter().map(|(_, it)| Choices::shares_rank(&rows, it));
        assert_eq!(shares.collect::<Vec<_>>(), [false, true, true, false]);
    }

    #[test]
    fn a_second_click_turns_the_order_and_missing_values_stay_last() {
        let mut choices = Choices { trivial: true, ..Choices::default() };
        choices.sort(Column::Rank);
        assert_eq!(names(choices), ["Small", "large", "Gold replay", "Says nothing"]);
        choices.sort(Column::Total);
        assert_eq!(names(choices), ["Gold replay", "Small", "large", "Says nothing"]);
        choices.sort(Column::Total);
        assert_eq!(names(choices), ["Says nothing", "large", "Small", "Gold replay"]);
        choices.sort(Column::Latency);
        assert_eq!(names(choices), ["Small", "large", "Gold replay", "Says nothing"]);
        choices.sort(Column::Latency);
        assert_eq!(names(choices), ["large", "Small", "Gold replay", "Says nothing"]);
        choices.sort(Column::Model);
        assert_eq!(names(choices), ["Gold replay", "large", "Says nothing", "Small"]);
        choices.sort(Column::Hard);
        assert_eq!(names(choices)[0], "Gold replay");
        choices.sort(Column::Secondary(SecondaryMetric::Told));
        assert_eq!(names(choices)[0], "Small", "only one says what its result was");
        choices.sort(Column::Tokens);
        assert_eq!(names(choices)[..2], ["large", "Small"]);
        choices.sort(Column::Ability(Ability::Call));
        assert_eq!(names(choices)[0], "Gold replay");
    }

    #[test]
    fn records_are_found_by_the_names_of_their_files() {
        let mut board = board();
        let file = |url: &str| -> RecordFile {
            serde_json::from_value(json!({
                "split": "standard", "url": url, "integrity": "", "bytes": 1, "digest": "d",
                "command": "c", "proof": "recomputed", "signatures": [],
            }))
            .unwrap()
        };
        board.rows[1].records.push(file("./large-25-percent-0123456789abcdef.json.gz"));
        board.rows[2].records.push(file("./small.json.gz"));
        let found = |name: &str| find(&board, name).map(|record| record.url.as_str());
        let large = "./large-25-percent-0123456789abcdef.json.gz";
        assert_eq!(found("large-25-percent"), Some(large));
        assert_eq!(found("small"), Some("./small.json.gz"));
        for name in ["", "large", "large-25-percent-0123456789abcdef", "../small", large] {
            assert_eq!(found(name), None, "{name}");
        }
    }

    #[test]
    fn costs_are_per_answer_and_of_counted_rows_alone() {
        let mut board = board();
        board.rows[1].tokens.counted = 2;
        board.rows[1].tokens.answered = 2;
        let costs = costs(&Choices::default().rows(&board));
        let found: Vec<_> = costs.iter().map(|cost| (cost.model.as_str(), cost.tokens)).collect();
        assert_eq!(found, [("Small", 701.0), ("large", 300.5)]);
        board.rows[1].tokens.answered = 3;
        assert_eq!(super::costs(&Choices::default().rows(&board)).len(), 1);
    }

    #[test]
    fn tokens_of_a_part_are_not_those_of_the_split() {
        let whole = row("large", "model", Some(1), 60);
        assert_eq!(tokens(&whole), Some(601));
        assert_eq!(tokens(&LeaderboardRow { percent: Some(25), ..whole }), None);
    }
}
