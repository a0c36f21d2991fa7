//! Ranks, and which records the table takes.

use super::*;
use crate::compare::samples::{Sample, Samples, Trials};
use crate::metrics::tests::call;
use crate::{Baseline, Model, Record, RunTimes, Subset};
use dataset::horizon::LEVELS;
use dataset::{TaskId, Tier};
use provider::{Backend, Endpoint, InPageModel};
use std::collections::BTreeMap;

const VERSION_1: &str = include_str!("../../tests/data/record_v1.json");

/// A run of `ids`, of which those below `right` are right.
fn run(ids: &[String], right: usize) -> Samples<'_> {
    let mut samples = Samples::new();
    for (index, id) in ids.iter().enumerate() {
        let trials = Trials { right: usize::from(index < right), n: 1 };
        samples.insert(id, Sample { ability: Ability::Call, dialogue: id, trials });
    }
    samples
}

fn ids(from: usize, to: usize) -> Vec<String> {
    (from..to).map(|index| format!("call/{index:03}#1")).collect()
}

#[test]
fn runs_that_no_test_separates_share_a_rank() {
    let ids = ids(0, 100);
    let ranks = |rights: &[usize]| {
        rank::ranks(&rights.iter().map(|right| run(&ids, *right)).collect::<Vec<_>>())
    };
    assert_eq!(ranks(&[100, 40]), [1, 2]);
    assert_eq!(ranks(&[40, 100, 10]), [2, 1, 3]);
    // 98 against 100: two disagreements prove nothing.
    assert_eq!(ranks(&[98, 100, 50]), [1, 1, 3]);
    // 90 is separated from 100, but 95 from neither.
    assert_eq!(ranks(&[100, 95, 90]), [1, 1, 2]);
    assert_eq!(ranks(&[50, 50]), [1, 1]);
    assert_eq!((ranks(&[7]), ranks(&[])), (vec![1], vec![]));
}

#[test]
fn many_comparisons_take_more_evidence() {
    // Seven against none: p = 2 / 256 alone, more than 0.05 among 45 pairs.
    let ids = ids(0, 100);
    let alone: Vec<_> = [57, 50].iter().map(|right| run(&ids, *right)).collect();
    assert_eq!(rank::ranks(&alone), [1, 2]);
    let mut many = alone;
    many.extend((0..8).map(|_| run(&ids, 53)));
    assert_eq!(rank::ranks(&many), [1; 10]);
}

#[test]
fn only_shared_samples_count() {
    let (all, upper, lower) = (ids(0, 100), ids(50, 100), ids(0, 50));
    // The first run is wrong where the second has no sample.
    let mut first = run(&all, 100);
    lower.iter().for_each(|id| {
        first.entry(id.as_str()).and_modify(|sample| sample.trials.right = 0);
    });
    assert_eq!(rank::ranks(&[first, run(&upper, 50)]), [1, 1]);
    assert_eq!(rank::ranks(&[run(&lower, 50), run(&upper, 0)]), [1, 1]);
    assert_eq!(rank::ranks(&[BTreeMap::new(), run(&upper, 50)]), [1, 1]);
}

/// A complete record of 60 dialogues, of which `right` are right.
fn record(model: Model, split: Split, right: usize) -> Record {
    let samples: Vec<_> = (0..60)
        .map(|index| {
            let name = format!("call/{index:02}");
            call(Ability::Call, &name, 1, "Wiki", Some(index < right))
        })
        .collect();
    let frame = Record::from_json(VERSION_1).unwrap();
    let record = Record {
        model,
        split,
        abilities: Ability::ALL.to_vec(),
        subset: Subset::All,
        described_apis: exchange::protocol::DescribedApis::default(),
        search: crate::SearchSource { results: apis::search::SearchResults::Five, ..frame.search },
        planned: samples.len(),
        seed: 1,
        ..frame
    };
    record.filled(samples, RunTimes::default())
}

fn builtin(name: Baseline, right: usize) -> Record {
    record(Model::Builtin { name }, Split::Standard, right)
}

fn endpoint(model: &str, split: Split, right: usize) -> Record {
    let endpoint = Endpoint { model: model.to_owned(), ..Endpoint::default() };
    record(Model::Endpoint(endpoint), split, right)
}

fn entry(record: &Record) -> Result<Entry, Refused> {
    Entry::new(&format!("{}{ENDING}", slug(record)), 1000, record, Vec::new())
}

fn table(records: &[Record]) -> Result<Leaderboard, Refused> {
    let entries = records.iter().map(|record| entry(record).unwrap()).collect();
    Leaderboard::of(records[0].pack.clone(), entries)
}

#[test]
fn rows_join_both_splits_and_only_models_have_ranks() {
    let board = table(&[
        builtin(Baseline::SaysNothing, 0),
        builtin(Baseline::ObeysToolResults, 35),
        endpoint("small", Split::Standard, 20),
        endpoint("large", Split::Standard, 50),
        endpoint("large", Split::Hard, 30),
        builtin(Baseline::GoldReplay, 60),
    ])
    .unwrap();
    let shown: Vec<_> = board
        .rows
        .iter()
        .map(|row| {
            let scores = row.scores(Profile::Execution).unwrap();
            (row.model.as_str(), row.kind, scores.rank, row.records.len())
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("Gold replay", Kind::Reference, None, 1),
            ("large", Kind::Model, Some(1), 2),
            ("Obeys tool results", Kind::Trivial, None, 1),
            ("small", Kind::Model, Some(2), 1),
            ("Says nothing", Kind::Trivial, None, 1),
        ]
    );
    let large = board.rows[1].scores(Profile::Execution).unwrap();
    assert_eq!((large.total.0.right, large.hard.unwrap().0.right), (50, 30));
    assert_eq!(board.rows[1].record(Split::Hard).unwrap().url, "./large-hard.json.gz");
    assert_eq!(board.rows[0].records[0].proof, Proof::Reproduced);
    assert_eq!(board.rows[1].records[0].proof, Proof::Recomputed);
    assert_eq!((board.rows[0].latency_ms, board.rows[1].latency_ms), (None, Some(0)));
}

#[test]
fn hardware_is_shown_as_claimed_and_tells_no_models_apart() {
    let on = |split, right, hardware: &str| {
        let mut record = endpoint("large", split, right);
        let Model::Endpoint(endpoint) = &mut record.model else { panic!("an endpoint") };
        endpoint.hardware = Some(hardware.to_owned());
        let samples = std::mem::take(&mut record.samples);
        record.filled(samples, RunTimes::default())
    };
    let (laptop, server) = (on(Split::Standard, 50, "a laptop"), on(Split::Hard, 30, "a server"));
    let board = table(&[laptop.clone(), server]).unwrap();
    let [row] = &board.rows[..] else { panic!("{:?}", board.rows) };
    assert_eq!((row.hardware.as_deref(), row.records.len()), (Some("a laptop"), 2));
    assert!(row.settings.iter().all(|it| it.name != "hardware"), "{:?}", row.settings);
    assert!(!row.records[0].command.contains("laptop"), "{}", row.records[0].command);
    let refused = entry(&on(Split::Standard, 50, "a\nb")).unwrap_err();
    assert_eq!(refused.field, "hardware");
    assert!(refused.to_string().contains("at most 200 characters"), "{refused}");
}

#[test]
fn a_language_is_a_column_of_its_models_row() {
    let mut spanish = endpoint("large", Split::Standard, 40);
    spanish.pack.language = Some(Language::Spanish);
    let samples = std::mem::take(&mut spanish.samples);
    let spanish = spanish.filled(samples, RunTimes::default());
    assert_eq!(slug(&spanish), "large-es");
    let board = table(&[endpoint("large", Split::Standard, 50), spanish.clone()]).unwrap();
    let [row] = &board.rows[..] else { panic!("{:?}", board.rows) };
    let scores = row.scores(Profile::Execution).unwrap();
    let [(Language::Spanish, score)] = scores.languages[..] else { panic!("{scores:?}") };
    assert_eq!((score.0.right, scores.total.0.right), (40, 50));
    assert!(row.records[1].command.contains("--language es"), "{}", row.records[1].command);
    assert_eq!(table(&[spanish]).unwrap_err().expected, "a record of the standard split beside it");
}

/// A run of a quarter, with `right` of its 15 dialogues right.
fn quarter(model: &str, right: usize) -> Record {
    let whole = endpoint(model, Split::Standard, right);
    let samples = whole.samples[..15].to_vec();
    let part = Record { subset: Subset::Percent(25), planned: samples.len(), ..whole };
    part.filled(samples, RunTimes::default())
}

#[test]
fn a_part_has_a_row_that_says_so_and_ranks_by_what_it_shares() {
    let part = quarter("quick", 0);
    assert_eq!(slug(&part), "quick-25-percent");
    let board = table(&[
        endpoint("whole", Split::Standard, 15),
        endpoint("other", Split::Standard, 0),
        part,
    ]);
    let rows = board.unwrap().rows;
    let shown: Vec<_> = rows
        .iter()
        .map(|row| {
            let scores = row.scores(Profile::Execution).unwrap();
            (row.model.as_str(), row.percent, scores.total.0.n, scores.rank)
        })
        .collect();
    // All that `whole` has right is in the part, so 15 against 0 separates both others.
    let expected = [
        ("whole", None, 60, Some(1)),
        ("other", None, 60, Some(2)),
        ("quick", Some(25), 15, Some(2)),
    ];
    assert_eq!(shown, expected);
    assert!(rows[2].records[0].command.contains("--subset 25%"));
}

#[test]
fn the_table_survives_json() {
    let board = table(&[builtin(Baseline::GoldReplay, 59), builtin(Baseline::SaysNothing, 0)]);
    let board = board.unwrap();
    let text = serde_json::to_string(&board).unwrap();
    let read: Leaderboard = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
    let (was, is) = (&board.rows[0].scores[0].total.0, &read.rows[0].scores[0].total.0);
    assert_eq!((was.right, was.n), (is.right, is.n));
    let (was, is) = (was.interval.unwrap(), is.interval.unwrap());
    assert!((was.low - is.low).abs() < 1e-6 && (was.high - is.high).abs() < 1e-6);
    assert_eq!(Score::from((0, 0, 0.0, 0.0)).0, Rate::default());
}

#[test]
fn partial_and_unusual_runs_are_refused_by_field() {
    let whole = || builtin(Baseline::GoldReplay, 60);
    let field = |record: Record| entry(&record).unwrap_err().field;
    for percent in [5, 24, 26, 50, 99] {
        assert_eq!(field(Record { subset: Subset::Percent(percent), ..whole() }), "subset");
    }
    for subset in [Subset::PerAbility(50), Subset::Dialogues(Vec::new())] {
        assert_eq!(field(Record { subset, ..whole() }), "subset");
    }
    assert_eq!(field(Record { subset: Subset::Percent(25), seed: 2, ..whole() }), "seed");
    let facts = InPageModel { backend: Backend::Browser, ..InPageModel::default() };
    let in_page = Some(Box::new(facts));
    let browsers = Endpoint { model: "b".to_owned(), in_page, ..Endpoint::default() };
    assert_eq!(field(Record { model: Model::Endpoint(browsers), ..whole() }), "model.in_page");
    assert_eq!(field(Record { abilities: vec![Ability::Call], ..whole() }), "abilities");
    assert_eq!(field(Record { turn_limit: Some(3), ..whole() }), "turn_limit");
    assert_eq!(field(Record { planned: 61, ..whole() }), "samples");
    let named = Endpoint { model: "m".to_owned(), grammar: true, ..Endpoint::default() };
    let constrained = Model::Endpoint(named);
    assert_eq!(field(Record { model: constrained, ..whole() }), "model.grammar");
    let mut extra = Endpoint { model: "m".to_owned(), ..Endpoint::default() };
    extra.extra.insert("n".to_owned(), 50.into());
    assert_eq!(field(Record { model: Model::Endpoint(extra), ..whole() }), "model.extra.n");
    let agent = Model::Agent(crate::Agent { name: "a".to_owned(), ..crate::Agent::default() });
    assert_eq!(field(Record { model: agent, ..whole() }), "protocol");
    let mut failed = whole().samples;
    failed[7] = call(Ability::Call, "call/07", 1, "Wiki", None);
    let failed = whole().filled(failed, RunTimes::default());
    let refused = entry(&failed).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "gold-replay.json.gz: samples: expected an answer to each, got 1 without one. `api-bank run --resume` asks for them again"
    );
    assert_eq!(field(Record { digest: "0".to_owned(), ..whole() }), "digest");
    let mut better = whole();
    better.summary.rows[0].calls.right -= 1;
    better.digest = better.computed_digest().unwrap();
    assert_eq!(field(better), "summary");
    let named = |name: &str| Entry::new(name, 1, &whole(), Vec::new()).unwrap_err().field;
    assert_eq!([named("../a.json.gz"), named("A.json.gz"), named("a.json")], ["name"; 3]);
}

#[test]
fn a_signature_that_is_not_valid_is_refused() {
    let state = crate::SignatureState::Broken;
    let broken = CheckedSignature { state, signer: None, fingerprint: None };
    let record = builtin(Baseline::GoldReplay, 60);
    let refused = Entry::new("gold-replay.json.gz", 1, &record, vec![broken]).unwrap_err();
    assert_eq!((refused.field.as_str(), refused.got.as_str()), ("signatures[0]", "broken"));
}

#[test]
fn a_model_has_one_record_per_split() {
    let twice = [endpoint("a", Split::Standard, 1), endpoint("a", Split::Standard, 2)];
    assert_eq!(table(&twice).unwrap_err().field, "model");
    assert_eq!(table(&[endpoint("a", Split::Hard, 1)]).unwrap_err().field, "split");
    let other = Endpoint { model: "a".to_owned(), temperature: Some(1.0), ..Endpoint::default() };
    let other = record(Model::Endpoint(other), Split::Standard, 1);
    assert_eq!(table(&[endpoint("a", Split::Standard, 1), other]).unwrap().rows.len(), 2);
}

#[test]
fn a_row_lists_its_settings() {
    let mut asked = Endpoint { model: "a".to_owned(), ..Endpoint::default() };
    (asked.temperature, asked.max_tokens, asked.streaming) = (Some(0.0), Some(256), true);
    asked.extra.insert("min_p".to_owned(), serde_json::json!(0.1));
    let board = table(&[record(Model::Endpoint(asked), Split::Standard, 1)]).unwrap();
    let listed: Vec<String> = board.rows[0].settings.iter().map(ToString::to_string).collect();
    assert_eq!(listed, ["extra.min_p = 0.1 (can make tasks easier)", "max_tokens = 256"]);
    let reference = table(&[builtin(Baseline::GoldReplay, 60)]).unwrap();
    assert_eq!(reference.rows[0].settings, []);
}

#[test]
fn a_slug_is_a_file_name() {
    for (model, expected) in [
        ("gpt-5-mini", "gpt-5-mini"),
        ("Qwen/Qwen3-8B:free", "qwen-qwen3-8b-free"),
        ("../../etc/passwd", "etc-passwd"),
        ("模型 7", "7"),
    ] {
        let record = endpoint(model, Split::Standard, 1);
        assert_eq!(slug(&record), expected);
        assert!(is_file_name(&format!("{}{ENDING}", slug(&record))));
    }
    let long = slug(&endpoint(&"long ".repeat(60), Split::Hard, 1));
    assert!(is_file_name(&format!("{long}{ENDING}")), "{long}");
    let hard = Record { protocol: Protocol::AllTools, ..endpoint("m", Split::Hard, 1) };
    assert_eq!(slug(&hard), "m-all-tools-hard");
}

#[test]
fn a_command_names_what_is_not_the_default_and_quotes_it() {
    let gold = builtin(Baseline::GoldReplay, 60);
    assert_eq!(command(&gold, "g.json"), "api-bank run --model gold-replay --out g.json");
    let endpoint = Endpoint {
        base_url: "http://h:1/v1".to_owned(),
        model: "it's; rm -rf /".to_owned(),
        ..Endpoint::default()
    };
    let record = record(Model::Endpoint(endpoint), Split::Hard, 1);
    assert_eq!(
        command(&record, "m.json"),
        "api-bank run --endpoint ADDRESS --model 'it'\\''s; rm -rf /' --split hard \
         --temperature none --max-tokens none --no-stream --out m.json"
    );
}

#[test]
fn a_game_has_the_steps_that_both_rivals_answered() {
    let baseline = builtin(Baseline::KeywordBaseline, 10);
    let part = |model: &str, right: usize| {
        let whole = endpoint(model, Split::Standard, right);
        let samples = whole.samples.iter().take(30).cloned().collect();
        let frame = Record { subset: Subset::Percent(25), planned: 30, ..whole };
        frame.filled(samples, RunTimes::default())
    };
    let board = table(&[baseline.clone(), part("weak", 1), part("strong", 20)]).unwrap();
    let game = board.game.unwrap();
    let names: Vec<&str> = game.rivals.iter().map(|rival| rival.record.as_str()).collect();
    assert_eq!(names, ["keyword-baseline", "strong-25-percent"]);
    assert_eq!(game.steps[&StepKind::Call].len(), 30);
    assert_eq!(game.right("call/05#1"), Some(vec![true, true]));
    assert_eq!(game.right("call/15#1"), Some(vec![false, true]));
    assert_eq!(game.right("call/25#1"), Some(vec![false, false]));
    // The baseline answered it, and the model did not.
    assert_eq!(game.right("call/35#1"), None);
    assert_eq!(table(&[baseline]).unwrap().game, None);
}

/// A run of two horizon tasks of each level and tier, of which those of up to `longest` calls are
/// completed.
fn horizon(model: &str, seed: u32, longest: u16) -> Record {
    let frame = endpoint(model, Split::Standard, 0);
    let ids = Tier::ALL.into_iter().flat_map(|tier| {
        LEVELS
            .into_iter()
            .flat_map(move |level| [1, 2].map(|number| TaskId { tier, level, number }))
    });
    let samples: Vec<_> = ids
        .map(|id| call(Ability::Plan, &id.to_string(), 0, "Wiki", Some(id.level <= longest)))
        .collect();
    let record = Record {
        pack: Source { horizon: Some(seed), ..frame.pack.clone() },
        protocol: Protocol::Agent,
        abilities: vec![Ability::Plan],
        planned: samples.len(),
        seed,
        ..frame
    };
    record.filled(samples, RunTimes::default())
}

#[test]
fn horizons_are_ranked_among_themselves() {
    let long = horizon("long", 1, 64);
    assert_eq!(slug(&long), "long-agent-horizon-1");
    let all = [
        horizon("short", 1, 4),
        long,
        horizon("near", 1, 64),
        endpoint("step", Split::Standard, 9),
    ];
    let board = table(&all).unwrap();
    assert_eq!(board.rows.len(), 1, "of the steps");
    let shown: Vec<_> = board.horizons.iter().map(|it| (it.model.as_str(), it.rank)).collect();
    assert_eq!(shown, [("long", Some(1)), ("near", Some(1)), ("short", Some(3))]);
    let first = &board.horizons[0];
    assert_eq!((first.horizons.len(), first.adaptive), (4, false));
    assert!(first.settings.iter().all(|setting| setting.name != "edition"), "{:?}", first.settings);
    assert!(first.total().unwrap().estimate.horizon > 60.0);
    assert!(first.records[0].command.contains("--split horizon"), "{}", first.records[0].command);
    let read: Leaderboard = serde_json::from_str(&serde_json::to_string(&board).unwrap()).unwrap();
    assert_eq!(read.horizons, board.horizons);
}

#[test]
fn seeds_of_a_model_are_one_row_and_have_no_gap() {
    let [one, two, three] = [1, 2, 3].map(|seed| horizon("m", seed, 8));
    let alone = table(std::slice::from_ref(&one)).unwrap();
    let both = table(&[two.clone(), one.clone()]).unwrap();
    let [row] = &both.horizons[..] else { panic!("{:?}", both.horizons) };
    assert_eq!((row.seeds.as_slice(), row.records.len()), ([1, 2].as_slice(), 2));
    let width = |board: &Leaderboard| {
        let all = board.horizons[0].total().unwrap();
        (all.estimate.high / all.estimate.low, all.tasks)
    };
    assert!(width(&both).0 < width(&alone).0, "{:?} {:?}", width(&both), width(&alone));
    assert_eq!(width(&both).1, 2 * width(&alone).1);
    for records in [vec![two.clone()], vec![one.clone(), three], vec![one.clone(), one]] {
        assert_eq!(table(&records).unwrap_err().field, "seed");
    }
}

#[test]
fn an_adaptive_run_says_so_and_has_a_fixed_size() {
    let adaptive = |most: u32| {
        let whole = horizon("m", 1, 8);
        let samples = whole.samples.clone();
        Record { subset: Subset::PerAbility(most), ..whole }.filled(samples, RunTimes::default())
    };
    let board = table(&[adaptive(16)]).unwrap();
    assert!(board.horizons[0].adaptive);
    assert!(board.horizons[0].records[0].command.contains("--subset 16"));
    assert_eq!(entry(&adaptive(15)).unwrap_err().expected, "all tasks, or 16 of each tier");
    let ids = vec!["horizon/errands-001-1".to_owned()];
    let chosen = Record { subset: Subset::Dialogues(ids), ..horizon("m", 1, 8) };
    assert_eq!(entry(&chosen).unwrap_err().field, "subset");
}
