//! Torn journals and full disks.

use super::*;
use record::Outcome;

/// A record's frame, and samples whose answers contain multi-byte characters.
fn record() -> (Record, Vec<SampleRecord>) {
    let text = include_str!("../../../engine/record/tests/data/record_v1.json");
    let mut record = Record::from_json(text).unwrap();
    let mut samples = std::mem::take(&mut record.samples);
    for sample in &mut samples {
        if let Outcome::Answered(answer) = &mut sample.outcome {
            answer.text.push_str("für 天气 🌦");
        }
        // Keep rows short, because every cut is tried.
        sample.messages.clear();
        (sample.gold_effect, sample.effect, sample.verdicts) = (None, None, None);
    }
    (record, samples)
}

fn line(value: &impl serde::Serialize) -> Vec<u8> {
    (serde_json::to_string(value).unwrap() + "\n").into_bytes()
}

fn journal(frame: &Record, samples: &[SampleRecord]) -> Vec<u8> {
    [line(frame), samples.iter().flat_map(line).collect()].concat()
}

fn back(bytes: &[u8]) -> Kept {
    read_rows(bytes).unwrap()
}

#[test]
fn a_journal_is_read_however_its_last_two_lines_are_cut() {
    let (frame, samples) = record();
    let samples = &samples[..4];
    let whole = journal(&frame, samples);
    let ends: Vec<usize> = (2..=4).map(|count| journal(&frame, &samples[..count]).len()).collect();
    for cut in ends[0]..=whole.len() {
        let kept = back(&whole[..cut]);
        // A row without its line feed counts as complete.
        let rows = 2 + ends[1..].iter().filter(|end| cut >= **end - 1).count();
        assert!(kept.samples == samples[..rows], "cut at {cut} of {}", whole.len());
        let torn = cut > ends[rows - 2];
        assert_eq!(kept.unreadable, usize::from(torn), "cut at {cut}");
    }
}

#[test]
fn rows_behind_a_bad_one_are_kept() {
    let (frame, samples) = record();
    let torn = line(&samples[1]);
    let letter = torn.windows(2).position(|pair| pair == "ü".as_bytes()).unwrap();
    for (bad, unreadable) in [
        (&b"{\"id\": 1}\n"[..], 1),
        (b"\xff\xfe\n", 1),
        (b"\n", 0),
        // Cut within a character, and another run continued on the same line.
        (&torn[..=letter], 1),
        (&torn[..9], 1),
    ] {
        let bytes = [&journal(&frame, &samples[..1]), bad, &line(&samples[2]), &line(&samples[3])];
        let kept = back(&bytes.concat());
        let expected = [&samples[0], &samples[2], &samples[3]];
        assert!(kept.samples.iter().eq(expected), "{}", String::from_utf8_lossy(bad));
        assert_eq!(kept.unreadable, unreadable);
    }
}

#[test]
fn a_journal_without_its_first_line_says_so() {
    let (frame, samples) = record();
    let whole = journal(&frame, &samples);
    for damaged in [&b""[..], &whole[..100], b"\xff\n"] {
        let error = format!("{:#}", read_rows(damaged).unwrap_err());
        assert!(error.contains("its first line"), "{error}");
    }
}

/// A disk with limited space.
#[derive(Default)]
struct Disk {
    bytes: Vec<u8>,
    room: usize,
    /// Whether even truncating fails.
    stuck: bool,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes.len().min(self.room - self.bytes.len());
        if fits == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend(&bytes[..fits]);
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Disk {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        if self.stuck {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.truncate(usize::try_from(length).unwrap());
        Ok(())
    }
}

#[test]
fn rows_that_met_a_full_disk_are_written_once_there_is_room() {
    let (frame, samples) = record();
    let head = line(&frame);
    let whole = journal(&frame, &samples);
    // Space for the head, two rows and every possible part of the third.
    let two = journal(&frame, &samples[..2]).len();
    let three = journal(&frame, &samples[..3]).len();
    for room in two..three {
        let disk = Disk { bytes: head.clone(), room, stuck: false };
        let mut rows = Rows::new(disk, head.len() as u64);
        for (index, sample) in samples.iter().enumerate() {
            if index == 4 {
                rows.sink.stuck = true;
            }
            if index + 1 == samples.len() {
                let kept = back(&rows.sink.bytes).samples;
                // The third row may be complete except for its line feed.
                assert!(kept.len() >= 2 && kept.iter().eq(&samples[..kept.len()]));
                (rows.sink.room, rows.sink.stuck) = (usize::MAX, false);
            }
            let added = rows.add(serde_json::to_string(sample).unwrap());
            assert_eq!(added.is_ok(), index < 2 || index + 1 == samples.len(), "row {index}");
            assert_eq!(rows.waits(), added.is_err());
        }
        assert!(rows.sink.bytes == whole, "with room for {room} bytes");
    }
}

#[test]
fn a_journal_that_is_gone_has_no_sample_and_stops_the_run() {
    let (frame, samples) = record();
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    fs::create_dir(&gone).unwrap();
    let mut journal = Journal::begin(&gone.join("r.json"), &frame, &[]).unwrap();
    journal.add(&samples[0]);
    assert!(journal.is_whole() && !journal.is_stuck());
    fs::remove_dir_all(&gone).unwrap();
    assert!(!journal.is_whole(), "the samples are in a file that is gone");
    for _ in 0..MOST_UNSAVED {
        assert!(!journal.is_stuck());
        journal.add(&samples[0]);
    }
    assert!(journal.is_stuck());
    // Another file in its place has other samples.
    fs::create_dir(&gone).unwrap();
    fs::write(gone.join("r.json.partial"), "").unwrap();
    assert!(!journal.is_whole());
}
