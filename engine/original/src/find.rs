//! Looks up samples by the original's numbering.

use dataset::Pack;
use dataset::import::Place;
use exchange::protocol::{Sample, samples};
use std::collections::BTreeMap;
use thiserror::Error;

/// The pack has no sample at a place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlaceError {
    /// Level 3 has no such dialogue.
    #[error("sample_id {sample}: level 3 of the pack has {dialogues} dialogues")]
    Dialogue {
        /// The requested dialogue.
        sample: usize,
        /// Number of dialogues at level 3.
        dialogues: usize,
    },
    /// The level-3 dialogue has no such step.
    #[error("api_id {step}: dialogue {sample} has {steps} steps")]
    Step {
        /// The dialogue.
        sample: usize,
        /// The requested step.
        step: usize,
        /// Number of steps.
        steps: usize,
    },
    /// Level 1 or 2 has no such file.
    #[error("file: level {level} of the pack has no {file}")]
    File {
        /// The level.
        level: u8,
        /// The requested file.
        file: String,
    },
    /// The file has no such sample.
    #[error("sample_id {sample}: {file} has {samples} samples")]
    Sample {
        /// The file.
        file: String,
        /// The requested sample.
        sample: usize,
        /// Number of samples.
        samples: usize,
    },
}

/// An index of an imported pack's samples by place.
#[derive(Debug)]
pub struct Samples<'a> {
    pack: &'a Pack,
    by_place: BTreeMap<Place, Sample<'a>>,
}

impl<'a> Samples<'a> {
    /// Indexes a pack.
    pub fn new(pack: &'a Pack) -> Self {
        let placed = samples(pack).into_iter().filter_map(|sample| {
            let place = sample.source.and_then(|source| source.sample.place.clone())?;
            Some((place, sample))
        });
        Samples { pack, by_place: placed.collect() }
    }

    /// The sample at a place.
    ///
    /// # Errors
    /// When there is none; names the part of the place that the pack lacks.
    pub fn find(&self, place: &Place) -> Result<&Sample<'a>, PlaceError> {
        self.by_place.get(place).ok_or_else(|| self.absent(place))
    }

    fn absent(&self, place: &Place) -> PlaceError {
        let Place { level, ref file, sample, step } = *place;
        if level == 3 {
            let original = self.pack.imported.as_ref().map(|it| &it.original);
            return match self.count(|place| place.level == 3 && place.sample == sample) {
                0 => PlaceError::Dialogue {
                    sample,
                    dialogues: original.map_or(0, |it| it.plans.len()),
                },
                steps => PlaceError::Step { sample, step, steps },
            };
        }
        let file = file.clone();
        match self.count(|place| place.level == level && place.file == file) {
            0 => PlaceError::File { level, file },
            samples => PlaceError::Sample { file, sample, samples },
        }
    }

    fn count(&self, of: impl Fn(&Place) -> bool) -> usize {
        self.by_place.keys().filter(|place| of(place)).count()
    }
}
