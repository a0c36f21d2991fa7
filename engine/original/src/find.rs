//! Samples by the original's numbering.

use dataset::Pack;
use dataset::import::Place;
use exchange::protocol::{Sample, samples};
use std::collections::BTreeMap;
use thiserror::Error;

/// A place that the pack has no sample for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlaceError {
    /// A dialogue of level 3.
    #[error("sample_id {sample}: level 3 of the pack has {dialogues} dialogues")]
    Dialogue {
        /// The dialogue that was asked for.
        sample: usize,
        /// How many there are.
        dialogues: usize,
    },
    /// A step of a dialogue of level 3.
    #[error("api_id {step}: dialogue {sample} has {steps} steps")]
    Step {
        /// The dialogue.
        sample: usize,
        /// The step that was asked for.
        step: usize,
        /// How many it has.
        steps: usize,
    },
    /// A file of level 1 or 2.
    #[error("file: level {level} of the pack has no {file}")]
    File {
        /// The level.
        level: u8,
        /// The file that was asked for.
        file: String,
    },
    /// A sample of a file.
    #[error("sample_id {sample}: {file} has {samples} samples")]
    Sample {
        /// The file.
        file: String,
        /// The sample that was asked for.
        sample: usize,
        /// How many it has.
        samples: usize,
    },
}

/// The samples of an imported pack by their place.
#[derive(Debug)]
pub struct Samples<'a> {
    pack: &'a Pack,
    by_place: BTreeMap<Place, Sample<'a>>,
}

impl<'a> Samples<'a> {
    /// Of a pack.
    pub fn new(pack: &'a Pack) -> Self {
        let placed = samples(pack).into_iter().filter_map(|sample| {
            let place = sample.source.and_then(|source| source.sample.place.clone())?;
            Some((place, sample))
        });
        Samples { pack, by_place: placed.collect() }
    }

    /// The sample of a place.
    ///
    /// # Errors
    /// Which part of the place is not in the pack, and what is.
    pub fn find(&self, place: &Place) -> Result<&Sample<'a>, PlaceError> {
        self.by_place.get(place).ok_or_else(|| self.absent(place))
    }

    fn absent(&self, place: &Place) -> PlaceError {
        let Place { level, ref file, sample, step } = *place;
        if level == 3 {
            let original = self.pack.imported.as_ref().map(|it| &it.original);
            return match self.count(|it| it.level == 3 && it.sample == sample) {
                0 => PlaceError::Dialogue {
                    sample,
                    dialogues: original.map_or(0, |it| it.plans.len()),
                },
                steps => PlaceError::Step { sample, step, steps },
            };
        }
        let file = file.clone();
        match self.count(|it| it.level == level && it.file == file) {
            0 => PlaceError::File { level, file },
            samples => PlaceError::Sample { file, sample, samples },
        }
    }

    fn count(&self, of: impl Fn(&Place) -> bool) -> usize {
        self.by_place.keys().filter(|place| of(place)).count()
    }
}
