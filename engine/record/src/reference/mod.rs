//! Published API-Bank results, and whether they are comparable with a run.
//!
//! A result is comparable with a run only if data, protocol, profile and n are the same. Most
//! published results are not comparable with each other either; [`Reference::differs`] says why.

mod named;
pub mod trivial;

pub use named::{NAMED, NamedProtocol};

use crate::Record;
use dataset::Ability;
use exchange::protocol::{Protocol, Steps};
use scoring::Profile;
use serde::Deserialize;
use thiserror::Error;

/// The published results, as JSON.
const PUBLISHED: &str = include_str!("published.json");

/// A published table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Who published it, and where in the source.
    pub source: String,
    /// arXiv id or another address.
    pub cite: String,
    /// How models were prompted and judged, in words.
    pub protocol: String,
    /// The unit of the columns, in words.
    pub unit: String,
    /// The settings that a comparable run must share.
    pub setting: Setting,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<ReferenceRow>,
}

/// The data, protocol and profile behind a table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Whether the data are the original's as released.
    pub original_data: bool,
    /// The protocol, if this program implements it.
    #[serde(default)]
    pub protocol: Option<Protocol>,
    /// The graded steps.
    #[serde(default)]
    pub steps: Steps,
    /// The profile, if this program implements it.
    #[serde(default)]
    pub profile: Option<Profile>,
    /// Any other difference from every run here.
    #[serde(default)]
    pub other: Option<String>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// The column's title.
    pub title: String,
    /// The ability measured; `None` for several abilities or an error share.
    #[serde(default)]
    pub ability: Option<Ability>,
    /// The number of items; `None` if not published.
    #[serde(default)]
    pub n: Option<usize>,
    /// Whether the items are dialogues rather than calls.
    #[serde(default)]
    pub dialogues: bool,
}

/// A model's row, with one value per column; `None` where not published.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceRow {
    /// The model, as the source names it.
    pub model: String,
    /// The values in the table's unit.
    pub values: Vec<Option<f64>>,
}

/// The embedded JSON is invalid.
#[derive(Debug, Error)]
#[error("the published numbers cannot be read: {0}")]
pub struct ReferenceError(#[from] serde_json::Error);

/// Every published table.
///
/// # Errors
/// Never in a build that passed its tests, which read every table.
pub fn published() -> Result<Vec<Reference>, ReferenceError> {
    Ok(serde_json::from_str(PUBLISHED)?)
}

/// The properties of a run that decide whether a published result is comparable.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Whether it ran on the original's data as released.
    pub original_data: bool,
    /// The protocol that prompted the model.
    pub protocol: Protocol,
    /// The graded steps.
    pub steps: Steps,
    /// The profile that judges the answers.
    pub profile: Profile,
    /// Scored calls and dialogues by ability.
    pub counts: Vec<(Ability, usize, usize)>,
}

impl Measured {
    /// The properties of a record under a profile.
    pub fn of(record: &Record, profile: Profile) -> Self {
        let summary = crate::summarize(&record.samples, profile);
        let counts = summary
            .rows
            .iter()
            .filter_map(|row| Some((row.ability?, row.calls.n, row.dialogues.n)));
        let original_data = record.pack.name == dataset::import::ORIGINAL;
        Measured {
            original_data,
            protocol: record.protocol,
            steps: record.steps,
            profile,
            counts: counts.collect(),
        }
    }
}

impl Reference {
    /// Why the table is not comparable with a run; empty if it is.
    pub fn differs(&self, run: &Measured) -> Vec<String> {
        let mut reasons = Vec::new();
        let Setting { original_data, protocol, steps, profile, other } = &self.setting;
        match (original_data, run.original_data) {
            (true, false) => reasons.push("other data: the original's".to_owned()),
            (false, _) => reasons.push("other data: changed by its authors".to_owned()),
            (true, true) => {}
        }
        // On imported data `bracket` asks the paper's question.
        let paper = run.original_data && run.protocol == Protocol::Bracket;
        let asked = if paper { Protocol::Paper } else { run.protocol };
        match protocol {
            Some(protocol) if *protocol == asked => {}
            Some(protocol) => reasons.push(format!("another protocol: {}", protocol.as_str())),
            None => reasons.push("a protocol of its own".to_owned()),
        }
        if *steps != run.steps {
            reasons.push(format!("other steps: {}", steps.as_str()));
        }
        match profile {
            Some(profile) if *profile == run.profile => {}
            Some(profile) => reasons.push(format!("another profile: {}", profile.as_str())),
            None => reasons.push("a metric of its own".to_owned()),
        }
        reasons.extend(other.clone());
        reasons.extend(self.other_n(run));
        reasons
    }

    /// The first column whose n differs from the run's.
    fn other_n(&self, run: &Measured) -> Option<String> {
        self.columns.iter().find_map(|column| {
            let (ability, n) = (column.ability?, column.n?);
            let (_, calls, dialogues) = run.counts.iter().find(|count| count.0 == ability)?;
            let here = if column.dialogues { *dialogues } else { *calls };
            (here != n).then(|| format!("another n: {n} in {}, {here} here", column.title))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper() -> Reference {
        published().unwrap().into_iter().next().unwrap()
    }

    fn run(profile: Profile, call: usize) -> Measured {
        let counts = vec![
            (Ability::Call, call, 214),
            (Ability::Retrieve, 135, 50),
            (Ability::Plan, 245, 50),
        ];
        let (protocol, steps) = (Protocol::Paper, Steps::All);
        Measured { original_data: true, protocol, steps, profile, counts }
    }

    #[test]
    fn every_row_has_a_value_for_each_column() {
        let all = published().unwrap();
        assert!(all.len() >= 9, "{}", all.len());
        for table in &all {
            for row in &table.rows {
                assert_eq!(row.values.len(), table.columns.len(), "{} {}", table.source, row.model);
                assert!(row.values.iter().flatten().all(|value| (0.0..=100.0).contains(value)));
            }
        }
    }

    #[test]
    fn counts_in_the_paper_fit_its_n() {
        // A share that is not a whole number of 399 or 135 calls would be a typo.
        let table = paper();
        let gpt4 = table.rows.iter().find(|row| row.model == "GPT-4-0613").unwrap();
        for (column, value) in table.columns.iter().zip(&gpt4.values) {
            let (Some(n), Some(value)) = (column.n.filter(|n| *n < 500), value) else { continue };
            let count = value * n as f64 / 100.0;
            assert!((count - count.round()).abs() < 0.03, "{}: {count}", column.title);
        }
    }

    #[test]
    fn only_the_same_measurement_is_comparable() {
        let table = paper();
        assert_eq!(table.differs(&run(Profile::Original, 399)), Vec::<String>::new());
        assert_eq!(
            table.differs(&run(Profile::Execution, 236)),
            ["another profile: original", "another n: 399 in Call, 236 here"]
        );
        let first = Measured { steps: Steps::First, ..run(Profile::Original, 399) };
        assert_eq!(table.differs(&first), ["other steps: all"]);
        let own = Measured { original_data: false, ..run(Profile::Original, 399) };
        assert_eq!(table.differs(&own), ["other data: the original's"]);
    }
}
