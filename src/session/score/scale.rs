//! The scale from 0 to 100 % under a score, with comparable results.

use crate::t;
use crate::texts::Texts;
use dataset::{Ability, Edition, Language, Source, Split};
use exchange::protocol::Protocol;
use record::leaderboard::{Kind, Leaderboard, LeaderboardRow, Scores};
use record::options::unranked;
use record::reference::trivial::{Cell, Group, TrivialTable};
use record::{Baseline, Model, Rate, RunSettings, Subset};
use scoring::{Interval, Profile};

/// The kind of a mark on the scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// 0 %.
    Wrong,
    /// The best of the trivial models.
    Trivial,
    /// The keyword baseline.
    Keyword,
    /// The run.
    Run,
    /// The best model of the leaderboard.
    Best,
    /// 100 %.
    Right,
}

impl MarkKind {
    /// The identifier in the page.
    pub const fn as_str(self) -> &'static str {
        match self {
            MarkKind::Wrong => "wrong",
            MarkKind::Trivial => "trivial",
            MarkKind::Keyword => "keyword",
            MarkKind::Run => "run",
            MarkKind::Best => "best",
            MarkKind::Right => "right",
        }
    }

    /// The label.
    pub fn title(self, texts: Texts) -> &'static str {
        match self {
            MarkKind::Wrong => t!(texts, "Always wrong"),
            MarkKind::Trivial => t!(texts, "Best trivial model"),
            MarkKind::Keyword => t!(texts, "Keyword baseline"),
            MarkKind::Run => t!(texts, "This run"),
            MarkKind::Best => t!(texts, "Best on the leaderboard"),
            MarkKind::Right => t!(texts, "Always right"),
        }
    }
}

/// A mark on the line.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// What it stands for.
    pub kind: MarkKind,
    /// The model's name, where the label does not say it.
    pub name: Option<String>,
    /// The rate, 0 to 1.
    pub share: f64,
    /// The 95 % interval, of the run alone.
    pub interval: Option<Interval>,
}

impl Mark {
    fn new(kind: MarkKind, share: f64) -> Self {
        Mark { kind, name: None, share, interval: None }
    }
}

/// The samples on which a run is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Samples {
    /// The standard split, of these abilities.
    Standard(Vec<Ability>),
    /// The hard split.
    Hard,
    /// The dialogues that are translated into a language.
    Translated(Language),
}

/// The marks of a run with a score, from the lowest to the highest rate; empty if nothing can be
/// compared with it. `pack` is the data that it ran on.
pub fn marks(
    settings: &RunSettings,
    pack: &Source,
    profile: Profile,
    score: &Rate,
    board: &Leaderboard,
) -> Vec<Mark> {
    let Some(share) = score.value() else { return Vec::new() };
    let Some(samples) = comparable(settings, pack, board) else { return Vec::new() };
    let protocol = settings.protocol;
    let rows: Vec<(&LeaderboardRow, f64)> = board
        .rows
        .iter()
        .filter(|row| row.protocol == protocol)
        .filter_map(|row| Some((row, rate(row.scores(profile)?, &samples)?.value()?)))
        .collect();
    let keyword = rows.iter().find(|(row, _)| {
        row.kind == Kind::Reference && row.model == Baseline::KeywordBaseline.title()
    });
    let is_keyword = matches!(&settings.model, Model::Builtin { name: Baseline::KeywordBaseline });
    let best = rows
        .iter()
        .filter(|(row, _)| row.kind == Kind::Model)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(row, share)| Mark {
            name: Some(row.model.clone()),
            ..Mark::new(MarkKind::Best, *share)
        });
    let others: Vec<Mark> = trivial(protocol, profile, &samples)
        .into_iter()
        .chain(
            keyword.filter(|_| !is_keyword).map(|(_, share)| Mark::new(MarkKind::Keyword, *share)),
        )
        .chain(best)
        .collect();
    if others.is_empty() {
        return others;
    }
    let run = Mark { interval: score.interval, ..Mark::new(MarkKind::Run, share) };
    let ends = [Mark::new(MarkKind::Wrong, 0.0), Mark::new(MarkKind::Right, 1.0)];
    let mut marks: Vec<Mark> = others.into_iter().chain([run]).chain(ends).collect();
    marks.sort_by(|a, b| a.share.total_cmp(&b.share).then((a.kind as u8).cmp(&(b.kind as u8))));
    marks
}

/// The samples on which the run and the leaderboard's records were asked the same; `None` if it was
/// asked in another way, on other data, or on dialogues that somebody chose.
fn comparable(settings: &RunSettings, pack: &Source, board: &Leaderboard) -> Option<Samples> {
    let is_asked_alike = unranked(settings).is_none()
        && settings.custom_prompts.is_none()
        && settings.retriever.is_none();
    // A part of each ability has another mix of abilities than the whole.
    let is_drawn = matches!(settings.subset, Subset::All | Subset::Percent(_));
    let is_same_pack = pack.name == board.pack.name && pack.version == board.pack.version;
    if !(is_asked_alike && is_drawn && is_same_pack) {
        return None;
    }
    match pack.edition() {
        Edition::Variant(_) | Edition::Horizon(_) => None,
        Edition::Language(language) => Some(Samples::Translated(language)),
        Edition::Original if pack.digest != board.pack.digest => None,
        Edition::Original if settings.split == Split::Hard => Some(Samples::Hard),
        Edition::Original => Some(Samples::Standard(settings.abilities.clone())),
    }
}

/// The rate of a row of the leaderboard on these samples.
fn rate(scores: &Scores, samples: &Samples) -> Option<Rate> {
    match samples {
        Samples::Hard => scores.hard.map(|it| it.0),
        Samples::Translated(language) => {
            scores.languages.iter().find(|(it, _)| it == language).map(|(_, score)| score.0)
        }
        Samples::Standard(abilities) => {
            let own = scores.abilities.iter().filter(|(it, _)| abilities.contains(it));
            Some(sum(own.map(|(_, score)| (score.0.right, score.0.n))))
        }
    }
}

fn sum(counts: impl Iterator<Item = (usize, usize)>) -> Rate {
    let (right, n) = counts.fold((0, 0), |all, it| (all.0 + it.0, all.1 + it.1));
    Rate { right, n, interval: None }
}

/// The best trivial model on these samples, by the table of the Method page.
fn trivial(protocol: Protocol, profile: Profile, samples: &Samples) -> Option<Mark> {
    let groups: Vec<Group> = match samples {
        Samples::Hard => vec![Group::HardCalls],
        Samples::Standard(abilities) => abilities.iter().map(|ability| calls(*ability)).collect(),
        Samples::Translated(_) => return None,
    };
    let right: fn(&Cell) -> usize = match profile {
        Profile::Execution => |cell| cell.execution,
        Profile::Exact => |cell| cell.exact,
        Profile::F1 => |cell| cell.f1,
        Profile::Original => return None,
    };
    let table = TrivialTable::published();
    let share = |model: &Baseline| {
        let cells = groups.iter().filter_map(|group| table.cell(*model, protocol, *group));
        let share = sum(cells.map(|cell| (right(cell), cell.n))).value()?;
        Some((*model, share))
    };
    // Of several equals the first one counts.
    let (model, share) = Baseline::TRIVIAL
        .iter()
        .filter_map(share)
        .reduce(|best, it| if it.1 > best.1 { it } else { best })?;
    Some(Mark { name: Some(model.title().to_owned()), ..Mark::new(MarkKind::Trivial, share) })
}

/// The group of an ability's calls.
const fn calls(ability: Ability) -> Group {
    match ability {
        Ability::Call => Group::Call,
        Ability::Retrieve => Group::RetrieveCalls,
        Ability::Plan => Group::PlanCalls,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exchange::protocol::{DescribedApis, Steps};
    use serde_json::json;

    /// Half of the calls of each ability: call 10, retrieve 20, plan 30.
    fn row(model: &str, kind: &str, right: [usize; 3]) -> LeaderboardRow {
        let abilities: Vec<_> = ["call", "retrieve", "plan"]
            .into_iter()
            .zip(right.into_iter().zip([10, 20, 30]))
            .map(|(ability, (right, n))| json!([ability, [right, n, 0.0, 1.0]]))
            .collect();
        serde_json::from_value(json!({
            "model": model, "kind": kind, "protocol": "bracket", "trials": 1, "records": [],
            "tokens": {"prompt": 0, "completion": 0, "counted": 0, "answered": 0},
            "latency_ms": null, "finished_ms": 0,
            "scores": [{
                "profile": "execution", "rank": 1,
                "total": [right.iter().sum::<usize>(), 60, 0.0, 1.0], "abilities": abilities,
                "hard": [right[0], 10, 0.0, 1.0], "kinds": [],
                "languages": [["zh", [right[1], 20, 0.0, 1.0]]],
            }],
        }))
        .unwrap()
    }

    fn source(edition: serde_json::Value) -> Source {
        let mut source = json!({"name": "p", "version": "1", "digest": "d"});
        source.as_object_mut().unwrap().extend(edition.as_object().unwrap().clone());
        serde_json::from_value(source).unwrap()
    }

    fn board() -> Leaderboard {
        let rows = vec![
            row("Keyword baseline", "reference", [1, 2, 3]),
            row("small", "model", [1, 4, 3]),
            row("large", "model", [9, 1, 20]),
        ];
        Leaderboard { pack: source(json!({})), rows, horizons: Vec::new(), game: None }
    }

    fn settings() -> RunSettings {
        RunSettings::new(Model::Endpoint(provider::Endpoint::default()))
    }

    fn shown(settings: &RunSettings, pack: &Source) -> Vec<(MarkKind, f64)> {
        let score = Rate { right: 1, n: 4, interval: None };
        let marks = marks(settings, pack, Profile::Execution, &score, &board());
        marks.into_iter().map(|mark| (mark.kind, mark.share)).collect()
    }

    #[test]
    fn a_run_stands_among_the_models_of_its_samples() {
        let settings = settings();
        let pack = source(json!({}));
        let whole = shown(&settings, &pack);
        let trivial = whole.iter().find(|mark| mark.0 == MarkKind::Trivial).unwrap().1;
        let expected = [
            (MarkKind::Wrong, 0.0),
            (MarkKind::Trivial, trivial),
            (MarkKind::Keyword, 0.1),
            (MarkKind::Run, 0.25),
            (MarkKind::Best, 0.5),
            (MarkKind::Right, 1.0),
        ];
        assert_eq!(whole, expected);
        let retrieve = RunSettings { abilities: vec![Ability::Retrieve], ..settings.clone() };
        let best = |marks: Vec<(MarkKind, f64)>| {
            marks.into_iter().find(|mark| mark.0 == MarkKind::Best).map(|mark| mark.1)
        };
        assert_eq!(best(shown(&retrieve, &pack)), Some(0.2), "another model is best there");
        let hard = RunSettings { split: Split::Hard, ..settings.clone() };
        assert_eq!(best(shown(&hard, &pack)), Some(0.9));
        let chinese = source(json!({"language": "zh", "digest": "e"}));
        assert_eq!(best(shown(&settings, &chinese)), Some(0.2));
    }

    #[test]
    fn what_was_asked_otherwise_has_no_marks() {
        let (settings, pack) = (settings(), source(json!({})));
        for other in [
            source(json!({"variant": 1})),
            source(json!({"horizon": 1})),
            source(json!({"digest": "imported"})),
            source(json!({"version": "2"})),
        ] {
            assert_eq!(shown(&settings, &other), [], "{}", other.title());
        }
        let chosen = Subset::Dialogues(vec!["call/a".to_owned()]);
        for other in [
            RunSettings { subset: chosen, ..settings.clone() },
            RunSettings { subset: Subset::PerAbility(5), ..settings.clone() },
            RunSettings { described_apis: DescribedApis::Own, ..settings.clone() },
            RunSettings { steps: Steps::First, ..settings.clone() },
        ] {
            assert_eq!(shown(&other, &pack), [], "{other:?}");
        }
    }

    #[test]
    fn trivial_models_stand_under_every_protocol() {
        let agent = RunSettings { protocol: Protocol::Agent, ..settings() };
        let kinds: Vec<MarkKind> =
            shown(&agent, &source(json!({}))).into_iter().map(|mark| mark.0).collect();
        assert_eq!(kinds.len(), 4, "the leaderboard has no record under agent: {kinds:?}");
        assert!(kinds.contains(&MarkKind::Trivial));
    }
}
