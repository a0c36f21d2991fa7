//! Reads and writes records: old versions, limits, malicious files, digests.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]

use super::*;
use proptest::prelude::*;
use scoring::Profile;
use serde_json::{Value, json};

/// A version 1 file, written by that version and cut to seven samples.
const VERSION_1: &str = include_str!("../tests/data/record_v1.json");

fn old() -> Record {
    Record::from_json(VERSION_1).unwrap()
}

/// The record in the current version.
fn current() -> Record {
    let record = old();
    let (samples, times) = (record.samples.clone(), record.times);
    record.filled(samples, times)
}

fn with(change: impl FnOnce(&mut Value)) -> String {
    let mut value: Value = serde_json::from_str(&current().to_json().unwrap()).unwrap();
    change(&mut value);
    value.to_string()
}

#[test]
fn a_record_of_version_1_opens_with_its_f1_verdicts() {
    let record = old();
    assert_eq!(record.schema_version, SCHEMA_VERSION);
    assert_eq!((record.app.version.as_str(), record.app.build.as_str()), ("0.1.0", ""));
    assert_eq!(record.prompts, "bracket-1");
    assert_eq!(record.samples.len(), 7);
    let calls: Vec<&Verdicts> =
        record.samples.iter().filter_map(|sample| sample.verdicts.as_ref()).collect();
    assert_eq!(calls.len(), 5);
    assert!(calls.iter().all(|call| call.f1.correct == call.overlap.is_whole()));
    assert!(calls.iter().any(|call| call.f1.correct) && calls.iter().any(|call| !call.f1.correct));
}

#[test]
fn a_record_without_a_method_has_wilsons_intervals_and_keeps_its_form() {
    use scoring::{IntervalMethod, wilson};
    let record = old();
    assert_eq!(record.summary.interval_method, IntervalMethod::Wilson);
    assert!(!record.to_json().unwrap().contains("interval_method"));
    let of = |method| {
        let mut summarizer = Summarizer::with(Profile::Execution, method);
        record.samples.iter().for_each(|sample| summarizer.add(sample));
        summarizer.finish()
    };
    let (before, now) = (of(IntervalMethod::Wilson), of(IntervalMethod::ClusterWilson));
    for row in &before.rows {
        assert_eq!(row.calls.interval, wilson(row.calls.right, row.calls.n));
    }
    assert_ne!(before.rows.last().unwrap().calls, now.rows.last().unwrap().calls);
    let current = current();
    assert_eq!(current.summary, now);
    assert!(current.to_json().unwrap().contains("cluster-wilson"));
}

#[test]
fn what_is_written_is_read_back() {
    let record = current();
    for record in [record.clone(), Record { samples: Vec::new(), ..record }] {
        let text = record.to_json().unwrap();
        assert_eq!(Record::from_json(&text).unwrap(), record);
        let frame = Record { samples: Vec::new(), ..record.clone() };
        let mut writer = Writer::new(Vec::new(), &frame).unwrap();
        record.samples.iter().for_each(|sample| writer.sample(sample).unwrap());
        assert_eq!(String::from_utf8(writer.finish().unwrap()).unwrap(), text);
    }
}

#[test]
fn the_digest_covers_all_but_times() {
    let record = current();
    assert_eq!(record.digest.len(), 64);
    assert_eq!(record.clone().without_times().computed_digest().unwrap(), record.digest);
    let mut shuffled = record.samples.clone();
    shuffled.reverse();
    assert_eq!(record.clone().filled(shuffled, RunTimes::default()).digest, record.digest);
    let mut other = record.clone();
    other.samples[0].attempts += 1;
    assert_ne!(other.computed_digest().unwrap(), record.digest);
    let mut other = record.clone();
    other.planned += 1;
    assert_ne!(other.computed_digest().unwrap(), record.digest);
}

#[test]
fn the_order_of_keys_does_not_matter() {
    let record = current();
    let sorted = canonical(&serde_json::to_value(&record).unwrap());
    assert!(sorted.find("\"samples\"") < sorted.find("\"schema\""));
    let read = Record::from_json(&sorted).unwrap();
    assert_eq!(read.computed_digest().unwrap(), record.digest);
}

#[test]
fn numbers_that_are_none_are_not_written() {
    let mut record = current();
    record.samples[0].rouge_l = Some(f64::NAN);
    assert!(record.to_json().unwrap_err().to_string().contains("finite"));
    let samples = record.samples.clone();
    assert_eq!(record.filled(samples, RunTimes::default()).digest, "");
}

#[test]
fn what_is_no_record_is_refused_with_the_reason() {
    let deep = "[".repeat(100_000);
    for (file, part) in [
        ("".to_owned(), "EOF"),
        ("{}".to_owned(), "samples"),
        ("[1]".to_owned(), "expected a JSON object"),
        (with(|record| record["schema"] = json!("other")), "got other version 2"),
        (with(|record| record["schema_version"] = json!(3)), "version 3. A newer version"),
        (with(|record| record["schema_version"] = json!("<script>")), "version <script>"),
        (with(|it| it["planned"] = json!("many")), "planned: invalid type: string \"many\""),
        (with(|record| record["samples"] = json!({})), "a list of samples"),
        (with(|record| record["samples"][2]["turn"] = json!(-1)), "samples[2].turn: invalid value"),
        (with(|it| it["samples"][1]["ability"] = json!("cook")), "samples[1].ability: unknown"),
        (with(|it| drop(it.as_object_mut().unwrap().remove("digest"))), "missing field `digest`"),
        (deep.clone(), "expected a JSON object"),
        (format!("{{\"a\": {deep}"), "recursion limit"),
        (current().to_json().unwrap() + "{}", "trailing characters"),
        (format!("{{\"samples\": [], {}", &with(|_| ())[1..]), "samples stands twice"),
        (
            with(|_| ()).replacen("\"model\":{", "\"model\":{\"provider\":1,", 1),
            "\"provider\" stands twice",
        ),
    ] {
        let error = Record::from_json(&file).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_file_is_read_no_further_than_the_limits() {
    let text = current().to_json().unwrap();
    let read = |limits: Limits| Record::read_whole(text.as_bytes(), &limits).map(drop);
    let enough = Limits { bytes: 1 << 20, value: 1 << 16, samples: 7 };
    assert_eq!(read(enough), Ok(()));
    let too_large = |limits, part: &str| {
        let error = read(limits).unwrap_err();
        assert!(matches!(error, RecordError::TooLarge { .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    too_large(Limits { bytes: 1000, ..enough }, "bytes it may have are 1000");
    too_large(Limits { value: 900, ..enough }, "one sample may have are 900");
    too_large(Limits { samples: 6, ..enough }, "samples it may have are 6");
    // An unterminated string is rejected long before it ends.
    let endless = std::io::Read::chain(&b"{\"schema\": \""[..], std::io::repeat(b'x'));
    let error = Record::read_whole(std::io::BufReader::new(endless), &enough).unwrap_err();
    assert!(matches!(error, RecordError::TooLarge { .. }), "{error}");
}

#[test]
fn who_takes_the_samples_can_stop() {
    let text = current().to_json().unwrap();
    let mut seen = 0;
    let stopped = Record::read(text.as_bytes(), &Limits::DISK, |_| {
        seen += 1;
        if seen == 3 { Err(RecordError::Stopped("enough".to_owned())) } else { Ok(()) }
    });
    assert_eq!((stopped.unwrap_err().to_string(), seen), ("enough".to_owned(), 3));
}

#[test]
fn f1_counts_names_and_arguments() {
    let row = summarize(&current().samples, Profile::F1).rows.pop().unwrap();
    assert_eq!(row.calls.n, 4);
    assert_eq!((row.overlap.name.gold, row.overlap.name.predicted), (4, 4));
    assert!(row.overlap.arguments.shared < row.overlap.arguments.gold);
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "[\\[\\]{}:,\"a-z0-9 .-]{0,200}") {
        let _ = Record::from_json(&text);
    }

    #[test]
    fn a_damaged_record_is_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = VERSION_1.as_bytes().to_vec();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        if let Ok(record) = Record::read_whole(bytes.as_slice(), &Limits::PAGE) {
            let samples = record.samples.clone();
            let sealed = record.filled(samples, RunTimes::default());
            prop_assert!(sealed.to_json().is_ok());
        }
    }
}
