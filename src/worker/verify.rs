//! Verifies the user's record files, and exports the last run.

use super::Host;
use super::archive::file_of;
use super::journal::show_earlier;
use super::ports::Browser;
use super::tell::Teller;
use crate::messages::request::{VerifyProgress, VerifyRecord};
use crate::messages::{Count, MadeFile, RunProgress};
use crate::platform::runs as stored;
use dataset::Ability;
use provider::Ports;
use record::export::{Exporter, Format};
use record::leaderboard::{ENDING, Entry, slug};
use record::{Limits, Record, Verification, unpacked};
use runner::Verifier;
use runner::benchmark::Benchmark;
use std::io::{self, BufReader, Read};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{File, FileReaderSync};

/// Samples verified between yields to the event loop.
const STRIDE: usize = 20;
/// Bytes read at a time.
const CHUNK: usize = 1 << 20;

impl Host {
    /// Verifies a record file and opens it.
    pub(super) async fn verify(
        &self,
        files: js_sys::Array,
        page: Teller<VerifyRecord>,
    ) -> Result<Verification, String> {
        let bench = self.searching().await?;
        let task = self.run_alone()?;
        let file = files.get(0).dyn_into::<File>();
        let file = file.map_err(|_| "There is no file to verify. Choose one.")?;
        let ports = Browser::new(task.watch.clone());
        let verified = self.verified(&bench, &file, &ports, page).await;
        verified.map_err(|message| format!("{}: {message}", file.name()))
    }

    async fn verified(
        &self,
        bench: &Benchmark,
        file: &File,
        ports: &Browser,
        page: Teller<VerifyRecord>,
    ) -> Result<Verification, String> {
        let message = |error: &dyn std::fmt::Display| error.to_string();
        let mut record = record_of(file)?;
        let samples = std::mem::take(&mut record.samples);
        let bench = bench.edition(record.pack.edition()).map_err(|error| message(&error))?;
        let bench = self.lab.offered(bench, record.search.retriever.as_ref())?;
        let mut verifier = Verifier::new(&bench, record.clone()).map_err(|it| message(&it))?;
        record.samples = samples;
        let record = self.show(record, page);
        for (index, sample) in record.samples.iter().enumerate() {
            if index % STRIDE == 0 {
                let count = Count { done: index, of: record.samples.len() };
                page.tell(&VerifyProgress::Verified(count));
                ports.wait(0).await;
                if ports.cancelled() {
                    return Err("cancelled; its numbers are not verified.".to_owned());
                }
            }
            verifier.sample(sample).map_err(|error| message(&error))?;
        }
        verifier.finish().map_err(|error| message(&error))
    }

    /// Shows a record, which becomes the last run.
    fn show(&self, record: Record, page: Teller<VerifyRecord>) -> Rc<Record> {
        let settings = record.settings();
        let of =
            |it: &Ability| record.samples.iter().filter(|sample| sample.ability == *it).count();
        let planned = Ability::ALL
            .into_iter()
            .map(|ability| (ability, of(&ability)))
            .filter(|(_, count)| *count > 0)
            .collect();
        let show = |progress| page.tell(&VerifyProgress::Run(progress));
        show(RunProgress::Started { id: None, settings: Box::new(settings.clone()), planned });
        show_earlier(&record.samples, show);
        let record = Rc::new(record);
        page.tell(&VerifyProgress::Shown(self.remember(settings, Rc::clone(&record))));
        record
    }
}

/// A record as a file for the leaderboard.
///
/// # Errors
/// When the leaderboard does not take it, or the browser refuses.
pub(super) fn result_file(record: &Record) -> Result<MadeFile, String> {
    let name = format!("{}{ENDING}", slug(record));
    let bytes = record.to_gzip().map_err(|error| error.to_string())?;
    Entry::new(&name, bytes.len(), record, Vec::new()).map_err(|error| error.to_string())?;
    file_of(&name, &bytes)
}

/// A record in another format.
///
/// # Errors
/// When the format can't hold it, or the browser refuses.
pub(super) fn exported(record: &Record, format: Format) -> Result<MadeFile, String> {
    let written = Exporter::new(format, record, Vec::new()).and_then(|mut exporter| {
        record.samples.iter().try_for_each(|sample| exporter.sample(sample))?;
        exporter.finish()
    });
    let bytes = written.map_err(|error| error.to_string())?;
    file_of(&format!("{}.{}", stored::file_name(record), format.ending()), &bytes)
}

/// Reads a record file, compressed or not.
///
/// # Errors
/// When it is not a record, or too large.
pub(super) fn record_of(file: &File) -> Result<Record, String> {
    // Check the size before reading.
    Limits::PAGE.admit(file.size() as u64).map_err(|error| error.to_string())?;
    let input = BufReader::with_capacity(CHUNK, Slices::new(file)?);
    let input = unpacked(input).map_err(|error| error.to_string())?;
    Record::read_whole(input, &Limits::PAGE).map_err(|error| error.to_string())
}

/// Reads a file in slices, so that it is never completely in memory.
struct Slices {
    reader: FileReaderSync,
    file: File,
    at: f64,
}

impl Slices {
    fn new(file: &File) -> Result<Self, String> {
        let reader = FileReaderSync::new().map_err(|error| format!("{error:?}"))?;
        Ok(Slices { reader, file: file.clone(), at: 0.0 })
    }
}

impl Read for Slices {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let end = self.at + buffer.len() as f64;
        let failed = |error| io::Error::other(format!("the browser cannot read it: {error:?}"));
        let slice = self.file.slice_with_f64_and_f64(self.at, end).map_err(failed)?;
        let bytes = js_sys::Uint8Array::new(
            self.reader.read_as_array_buffer(&slice).map_err(failed)?.as_ref(),
        );
        let length = bytes.length() as usize;
        let Some(space) = buffer.get_mut(..length) else {
            return Err(io::Error::other("the browser returned more than requested"));
        };
        bytes.copy_to(space);
        self.at += length as f64;
        Ok(length)
    }
}
