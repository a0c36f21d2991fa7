//! The retriever of a run: the form's choice, and the runs that differ by it alone.

use crate::stored_runs::StoredRun;
use crate::t;
use crate::texts::Texts;
use record::{Retriever, RunSettings};
use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// What answers a run's searches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum RetrieverChoice {
    /// API Search's model.
    #[default]
    Builtin,
    /// Okapi BM25.
    Bm25,
    /// The gold.
    Oracle,
}

impl RetrieverChoice {
    /// All, in the order of the form.
    pub const ALL: [RetrieverChoice; RetrieverChoice::COUNT] =
        *RetrieverChoice::VARIANTS.first_chunk().unwrap();

    /// The identifier.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The label in the form.
    pub fn title(self, texts: Texts) -> &'static str {
        match self {
            RetrieverChoice::Builtin => t!(texts, "Built-in embedding model"),
            RetrieverChoice::Bm25 => t!(texts, "BM25: shared words"),
            RetrieverChoice::Oracle => t!(texts, "Oracle: the needed API first"),
        }
    }

    /// The setting of a run.
    pub fn setting(self) -> Option<Retriever> {
        match self {
            RetrieverChoice::Builtin => None,
            RetrieverChoice::Bm25 => Some(Retriever::BM25),
            RetrieverChoice::Oracle => Some(Retriever::Oracle),
        }
    }

    /// The choice that gives a setting; `None` for a user's model, or other parameters of BM25.
    pub fn of(setting: Option<&Retriever>) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.setting().as_ref() == setting)
    }
}

/// Of stored runs that are complete and differ from a run by the retriever alone, the ids of the latest
/// with the built-in one and with the oracle. Empty if the run has the built-in one.
pub fn counterparts(
    settings: &RunSettings,
    stored: &[StoredRun],
) -> Vec<(RetrieverChoice, String)> {
    if settings.retriever.is_none() {
        return Vec::new();
    }
    // How requests were sent makes no difference.
    let alike = |it: &RunSettings| RunSettings {
        retriever: None,
        concurrency: 1,
        timeouts: settings.timeouts,
        retries: settings.retries,
        backoff_ms: settings.backoff_ms,
        ..it.clone()
    };
    let wanted = alike(settings);
    let choices = [RetrieverChoice::Builtin, RetrieverChoice::Oracle].into_iter();
    let others = choices.filter(|choice| choice.setting() != settings.retriever);
    others
        .filter_map(|choice| {
            let fits = |run: &&StoredRun| {
                let is_whole = run.over && !run.is_short();
                is_whole
                    && run.settings.retriever == choice.setting()
                    && alike(&run.settings) == wanted
            };
            // Ids sort by time.
            let latest = stored.iter().filter(fits).max_by(|one, other| one.id.cmp(&other.id));
            Some((choice, latest?.id.clone()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::head;
    use record::{Baseline, Model};

    #[test]
    fn choices_and_settings_convert() {
        for choice in RetrieverChoice::ALL {
            assert_eq!(RetrieverChoice::of(choice.setting().as_ref()), Some(choice));
            assert_eq!(serde_json::json!(choice), choice.as_str());
        }
        assert_eq!(RetrieverChoice::of(Some(&Retriever::Bm25 { k1: 2.0, b: 0.5 })), None);
    }

    #[test]
    fn counterparts_differ_by_the_retriever_alone() {
        let settings = RunSettings::new(Model::Builtin { name: Baseline::KeywordBaseline });
        let with = |choice: RetrieverChoice| RunSettings {
            retriever: choice.setting(),
            ..settings.clone()
        };
        let run = |id: &str, settings: RunSettings| {
            let mut run = StoredRun::begin(id.to_owned(), settings, head(0));
            run.over = true;
            run
        };
        let other_seed = RunSettings { seed: 9, ..settings.clone() };
        let mut unfinished = run("5", with(RetrieverChoice::Oracle));
        unfinished.over = false;
        let stored = [
            run("1", settings.clone()),
            run("3", RunSettings { concurrency: 8, ..settings.clone() }),
            run("2", with(RetrieverChoice::Oracle)),
            run("4", other_seed),
            unfinished,
            run("6", with(RetrieverChoice::Bm25)),
        ];
        let found = counterparts(&with(RetrieverChoice::Bm25), &stored);
        let expected = [(RetrieverChoice::Builtin, "3"), (RetrieverChoice::Oracle, "2")];
        assert_eq!(found, expected.map(|(choice, id)| (choice, id.to_owned())));
        let of_oracle = counterparts(&with(RetrieverChoice::Oracle), &stored);
        assert_eq!(of_oracle, [(RetrieverChoice::Builtin, "3".to_owned())]);
        assert_eq!(counterparts(&settings, &stored), []);
    }
}
