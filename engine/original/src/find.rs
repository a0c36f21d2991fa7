//! Samples by the original's numbering.

use dataset::Pack;
use dataset::import::Place;
use exchange::protocol::{Sample, samples};
use std::collections::BTreeMap;

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
    pub fn find(&self, place: &Place) -> Result<&Sample<'a>, String> {
        self.by_place.get(place).ok_or_else(|| self.absent(place))
    }

    fn absent(&self, place: &Place) -> String {
        let Place { level, file, sample, step } = place;
        let original = self.pack.imported.as_ref().map(|it| &it.original);
        if *level == 3 {
            let plans = original.map_or(0, |it| it.plans.len());
            let steps = self.count(|it| it.level == 3 && it.sample == *sample);
            return match steps {
                0 => format!("sample_id {sample}: level 3 of the pack has {plans} dialogues"),
                _ => format!("api_id {step}: dialogue {sample} has {steps} steps"),
            };
        }
        match self.count(|it| it.level == *level && it.file == *file) {
            0 => format!("file: level {level} of the pack has no {file}"),
            count => format!("sample_id {sample}: {file} has {count} samples"),
        }
    }

    fn count(&self, of: impl Fn(&Place) -> bool) -> usize {
        self.by_place.keys().filter(|place| of(place)).count()
    }
}
