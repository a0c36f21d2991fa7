//! Verifies the user's record files, and exports the last run.

use super::archive::save_bytes;
use super::journal::show_earlier;
use super::ports::Browser;
use super::{Host, answered, post};
use crate::platform::cancel;
use crate::platform::runs as stored;
use crate::protocol::Event;
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
    pub(super) async fn verify(&self, files: js_sys::Array) -> Result<Verification, String> {
        let bench = self.searching().await?;
        if self.running.borrow().is_some() {
            return Err("A run is in progress. Cancel it or wait until it ends.".to_owned());
        }
        let file = files.get(0).dyn_into::<File>();
        let file = file.map_err(|_| "There is no file to verify. Choose one.")?;
        let (switch, watch) = cancel::pair();
        *self.running.borrow_mut() = Some(switch);
        let verified = self.verified(&bench, &file, &Browser::new(watch)).await;
        *self.running.borrow_mut() = None;
        verified.map_err(|message| format!("{}: {message}", file.name()))
    }

    async fn verified(
        &self,
        bench: &Benchmark,
        file: &File,
        ports: &Browser,
    ) -> Result<Verification, String> {
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let mut record = record_of(file)?;
        let samples = std::mem::take(&mut record.samples);
        let bench = bench.edition(record.pack.edition()).map_err(|it| told(&it))?;
        let bench = self.lab.offered(bench, record.search.retriever.as_ref())?;
        let mut verifier = Verifier::new(&bench, record.clone()).map_err(|it| told(&it))?;
        record.samples = samples;
        let record = self.show(record);
        for (index, sample) in record.samples.iter().enumerate() {
            if index % STRIDE == 0 {
                post(&Event::Verifying { done: index, of: record.samples.len() });
                ports.wait(0).await;
                if ports.cancelled() {
                    return Err("cancelled; its numbers are not verified.".to_owned());
                }
            }
            verifier.sample(sample).map_err(|it| told(&it))?;
        }
        verifier.finish().map_err(|it| told(&it))
    }

    /// Shows a record, which becomes the last run.
    fn show(&self, record: Record) -> Rc<Record> {
        let settings = record.settings();
        let of =
            |it: &Ability| record.samples.iter().filter(|sample| sample.ability == *it).count();
        let planned = Ability::ALL
            .into_iter()
            .map(|ability| (ability, of(&ability)))
            .filter(|(_, count)| *count > 0)
            .collect();
        post(&Event::Opened { settings: Box::new(settings.clone()) });
        post(&Event::Started { id: None, settings: Box::new(settings.clone()), planned });
        show_earlier(&record.samples);
        let record = Rc::new(record);
        post(&self.remember(settings, Rc::clone(&record)));
        record
    }

    /// Sends the last run as a file that holds all of it.
    pub(super) fn save_whole(&self, save: impl FnOnce(&Record) -> Result<(), String>) {
        self.save_last(|record| {
            save(record)?;
            post(&Event::RunSaved);
            Ok(())
        });
    }

    /// Sends the last run as a file.
    pub(super) fn save_last(&self, save: impl FnOnce(&Record) -> Result<(), String>) {
        let record = self.last.borrow().as_ref().map(|last| Rc::clone(&last.record));
        let record = record.ok_or("There is no finished run to save yet.".to_owned());
        answered(record.and_then(|record| save(&record)));
    }
}

/// Sends a record as a file for the leaderboard.
///
/// # Errors
/// When the leaderboard does not take it, or the browser refuses.
pub(super) fn save_result(record: &Record) -> Result<(), String> {
    let name = format!("{}{ENDING}", slug(record));
    let bytes = record.to_gzip().map_err(|error| error.to_string())?;
    Entry::new(&name, bytes.len(), record, Vec::new()).map_err(|error| error.to_string())?;
    save_bytes(&name, &bytes)
}

/// Sends a record in another format.
///
/// # Errors
/// When the format can't hold it, or the browser refuses.
pub(super) fn export(record: &Record, format: Format) -> Result<(), String> {
    let written = Exporter::new(format, record, Vec::new()).and_then(|mut exporter| {
        record.samples.iter().try_for_each(|sample| exporter.sample(sample))?;
        exporter.finish()
    });
    let bytes = written.map_err(|error| error.to_string())?;
    save_bytes(&format!("{}.{}", stored::file_name(record), format.ending()), &bytes)
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
