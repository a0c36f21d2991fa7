//! Tests of the Search lab's state.

use super::*;
use crate::messages::search_lab::{LabRow, LabRun};
use record::EmbeddingModel;

fn model(id: u32) -> AddedRetriever {
    AddedRetriever {
        id,
        model: EmbeddingModel {
            name: format!("model {id}"),
            digest: "ab".repeat(32),
            tokenizer_digest: "cd".repeat(32),
            pooling: "mean".to_owned(),
            max_tokens: 128,
            query_prefix: String::new(),
            passage_prefix: String::new(),
        },
        files: vec!["model.onnx".to_owned()],
        bytes: 1,
        dimensions: 384,
    }
}

fn list() -> ReadList {
    ReadList { name: "tools.json".to_owned(), count: 3 }
}

fn report() -> LabReport {
    let interval = Interval { low: 0.5, high: 1.0 };
    let row = LabRow {
        group: "=1+1, \"all\"".to_owned(),
        queries: 2,
        clusters: 2,
        estimates: vec![(0.75, interval)],
        median_ms: 1.5,
    };
    let run = LabRun {
        retriever: "bm25".to_owned(),
        rows: vec![row],
        index_bytes: 1_234,
        index_ms: Some(1.0),
        missed: 0,
        misses: Vec::new(),
        map: Vec::new(),
    };
    LabReport {
        corpus: "pool".to_owned(),
        tools: 70,
        queries: 2,
        left_out: 0,
        seed: 1,
        measures: vec!["Recall@1".to_owned()],
        runs: vec![run],
        differences: Vec::new(),
    }
}

#[test]
fn the_start_is_the_standard_comparison() {
    let mut lab = SearchLab::default();
    let request = lab.start().unwrap();
    assert_eq!(request.retrievers, [LabRetriever::Builtin, LabRetriever::Bm25]);
    assert_eq!((request.corpus, request.queries), (LabCorpus::PoolBySuite, vec![LabQueries::Gold]));
    assert_eq!(lab.evaluated, ["builtin", "bm25"]);
    assert!(lab.is_running() && lab.start().is_none(), "one at a time");
    lab.progress(1, 5, 9);
    assert_eq!(lab.phase, LabPhase::Running { retriever: 1, done: 5, of: 9 });
    lab.end(Ok(Evaluated::Done(Box::new(report()))));
    assert_eq!((lab.phase.clone(), lab.turn), (LabPhase::Idle, 1));
    lab.progress(0, 1, 9);
    assert_eq!(lab.phase, LabPhase::Idle, "late progress");
    assert!(lab.start().is_some());
    lab.end(Ok(Evaluated::Cancelled));
    assert_eq!(lab.phase, LabPhase::Cancelled);
    lab.end(Err("no".to_owned()));
    assert_eq!(lab.phase, LabPhase::Failed("no".to_owned()));
    assert!(lab.report.is_some(), "the last result stays");
    lab.choose(LabRetriever::Builtin, false);
    (lab.corpus, lab.queries, lab.seed) = (LabCorpus::Training, Vec::new(), "9".to_owned());
    lab.choose_standard();
    let standard = SearchLab::default();
    assert_eq!(lab.retrievers, standard.retrievers);
    assert_eq!(
        (lab.corpus, lab.queries, lab.seed),
        (standard.corpus, standard.queries, standard.seed)
    );
}

#[test]
fn one_to_four_retrievers_are_chosen() {
    let mut lab = SearchLab::default();
    for id in [1, 2, 3] {
        lab.read_model();
        lab.add(Ok(model(id)));
    }
    assert_eq!(lab.retrievers.len(), 4, "the fifth waits for a choice");
    assert_eq!(lab.problem(Texts::ENGLISH), None);
    lab.choose(LabRetriever::Own(3), true);
    assert!(lab.problem(Texts::ENGLISH).unwrap().contains("5 are chosen"));
    lab.remove(3);
    lab.choose(LabRetriever::Random, true);
    lab.remove(1);
    assert_eq!(lab.name(lab.retrievers[3]), "model 2");
    assert_eq!(lab.offered().len(), 4);
    lab.retrievers.clear();
    assert!(lab.problem(Texts::ENGLISH).unwrap().contains("0 are chosen"));
    lab.read_model();
    lab.add(Err("model.onnx: no".to_owned()));
    assert_eq!((lab.is_reading, lab.refused.as_deref()), (false, Some("model.onnx: no")));
}

#[test]
fn a_users_tools_are_measured_by_the_users_queries() {
    let mut lab = SearchLab::default();
    lab.set_tools(Err("tools: no".to_owned()));
    assert_eq!(lab.corpus, LabCorpus::PoolBySuite);
    lab.corpus = LabCorpus::File;
    assert!(lab.problem(Texts::ENGLISH).unwrap().starts_with("Tools: "));
    lab.set_tools(Ok(list()));
    assert!(!lab.can_ask(LabQueries::Gold));
    let request = lab.start().unwrap();
    assert!(request.queries.is_empty(), "the tools are indexed for single searches");
    lab.end(Ok(Evaluated::Cancelled));
    lab.set_queries(Ok(list()));
    let request = lab.start().unwrap();
    assert_eq!((request.corpus, request.queries), (LabCorpus::File, vec![LabQueries::File]));
    lab.end(Ok(Evaluated::Cancelled));
    // On the pool, both kinds count.
    lab.corpus = LabCorpus::Pool;
    assert_eq!(lab.asked(), [LabQueries::Gold, LabQueries::File]);
    lab.set_queries(Err("line 1: no".to_owned()));
    assert_eq!(lab.asked(), [LabQueries::Gold]);
    lab.ask(LabQueries::Gold, false);
    assert!(lab.problem(Texts::ENGLISH).unwrap().contains("at least one kind"));
    lab.ask(LabQueries::User, true);
    lab.seed = "-1".to_owned();
    assert!(lab.problem(Texts::ENGLISH).unwrap().contains("got \"-1\""));
}

#[test]
fn a_crash_loses_what_the_worker_held() {
    let mut lab = SearchLab::default();
    lab.add(Ok(model(1)));
    lab.set_tools(Ok(list()));
    lab.set_queries(Ok(list()));
    lab.lost();
    assert_eq!((lab.own.len(), lab.retrievers.len()), (0, 2));
    assert_eq!((lab.tools.clone(), lab.query_file.clone()), (LabFile::None, LabFile::None));
    assert_eq!(lab.problem(Texts::ENGLISH), None);
}

#[test]
fn the_table_is_copied_as_csv_and_json() {
    let report = report();
    let expected = "\"retriever\",\"corpus\",\"group\",\"queries\",\"Recall@1\",\"Recall@1 low\",\
                    \"Recall@1 high\",\"ms per query\",\"index bytes\"\r\n\
                    \"bm25\",\"pool\",\"'=1+1, \"\"all\"\"\",2,0.750000,0.500000,1.000000,1.500,1234\r\n";
    assert_eq!(csv(&report), expected);
    assert_eq!(serde_json::from_str::<LabReport>(&json(&report)).unwrap(), report);
}

#[test]
fn numbers_have_their_units() {
    let interval = Interval { low: 0.981, high: 0.991 };
    assert_eq!(estimate(0.987, interval), ("98.7 %".to_owned(), "98.1 – 99.1".to_owned()));
    assert_eq!((milliseconds(0.084), milliseconds(4.21)), ("< 0.1 ms".into(), "4.2 ms".into()));
    assert_eq!(
        (memory(0), memory(112_300), memory(3_180_000)),
        ("0 KB".into(), "112 KB".into(), "3.2 MB".into())
    );
}

#[test]
fn misses_are_filtered_by_query_and_tools() {
    let miss = LabMiss {
        text: "Wake me".to_owned(),
        kind: "gold keywords".to_owned(),
        relevant: vec![("AddAlarm".to_owned(), None)],
        neighbours: vec![("QueryStock".to_owned(), 0.5)],
    };
    for (filter, found) in
        [("", true), ("wake", true), (" ALARM ", true), ("stock", true), ("x", false)]
    {
        assert_eq!(matches(&miss, filter), found, "{filter}");
    }
    assert_eq!(group_title("all", Texts::ENGLISH), "All queries");
    assert_eq!(group_title("Smart home", Texts::ENGLISH), "Smart home");
}
