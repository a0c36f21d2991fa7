//! State of the Search lab: what to compare, the evaluation, its result as tables and files.

pub mod map;

use crate::messages::search_lab::{
    AddedRetriever, Evaluate, Evaluated, LabCorpus, LabMiss, LabQueries, LabReport, LabRetriever,
    MOST_RETRIEVERS, ReadList,
};
use crate::t;
use crate::texts::Texts;
use record::export::table;
use record::table::percentage;
use scoring::Interval;

/// The phase of the evaluation.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum LabPhase {
    /// None in progress.
    #[default]
    Idle,
    /// In progress.
    Running {
        /// The retriever, by its index.
        retriever: usize,
        /// Tools indexed and queries ranked.
        done: usize,
        /// Tools and queries in total; 0 until they are known.
        of: usize,
    },
    /// The user cancelled it.
    Cancelled,
    /// It failed, with the reason and the remedy.
    Failed(String),
}

/// A file of the user: a list, or the reason why it can't be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum LabFile {
    /// None.
    #[default]
    None,
    /// Being read.
    Reading,
    /// Read.
    Read(ReadList),
    /// Why not, with the remedy.
    Failed(String),
}

impl LabFile {
    fn of(read: Result<ReadList, String>) -> Self {
        read.map_or_else(LabFile::Failed, LabFile::Read)
    }

    /// Whether the file can be used.
    pub fn is_read(&self) -> bool {
        matches!(self, LabFile::Read(_))
    }
}

/// The choices, the evaluation and its result.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchLab {
    /// The chosen retrievers; the first is the reference.
    pub retrievers: Vec<LabRetriever>,
    /// The user's models.
    pub own: Vec<AddedRetriever>,
    /// Whether a model is being read.
    pub is_reading: bool,
    /// Why the last files are no model.
    pub refused: Option<String>,
    /// The tools to search.
    pub corpus: LabCorpus,
    /// The user's list of tools.
    pub tools: LabFile,
    /// The chosen kinds of queries.
    pub queries: Vec<LabQueries>,
    /// The user's queries.
    pub query_file: LabFile,
    /// The seed as typed.
    pub seed: String,
    /// The evaluation.
    pub phase: LabPhase,
    /// The retrievers of the evaluation in progress.
    pub evaluated: Vec<String>,
    /// Counts results: answers to questions about an earlier one are dropped.
    pub turn: u32,
    /// The last result.
    pub report: Option<LabReport>,
}

/// The standard comparison: API Search's model against BM25, on the pool, by the gold keywords.
impl Default for SearchLab {
    fn default() -> Self {
        SearchLab {
            retrievers: vec![LabRetriever::Builtin, LabRetriever::Bm25],
            own: Vec::new(),
            is_reading: false,
            refused: None,
            corpus: LabCorpus::PoolBySuite,
            tools: LabFile::None,
            queries: vec![LabQueries::Gold],
            query_file: LabFile::None,
            seed: "1".to_owned(),
            phase: LabPhase::Idle,
            evaluated: Vec::new(),
            turn: 0,
            report: None,
        }
    }
}

impl SearchLab {
    /// The retrievers to choose from.
    pub fn offered(&self) -> Vec<LabRetriever> {
        let own = self.own.iter().map(|own| LabRetriever::Own(own.id));
        [LabRetriever::Builtin, LabRetriever::Bm25, LabRetriever::Random]
            .into_iter()
            .chain(own)
            .collect()
    }

    /// A retriever's name in tables.
    pub fn name(&self, retriever: LabRetriever) -> String {
        match retriever {
            LabRetriever::Builtin => "builtin".to_owned(),
            LabRetriever::Bm25 => "bm25".to_owned(),
            LabRetriever::Random => "random".to_owned(),
            LabRetriever::Own(id) => {
                let own = self.own.iter().find(|own| own.id == id);
                own.map(|it| it.model.name.clone()).unwrap_or_default()
            }
        }
    }

    /// Chooses a retriever or not; the order is that of [`Self::offered`].
    pub fn choose(&mut self, retriever: LabRetriever, on: bool) {
        self.retrievers.retain(|it| *it != retriever);
        if on {
            self.retrievers.push(retriever);
            self.retrievers.sort_unstable();
        }
    }

    /// Chooses a kind of queries or not.
    pub fn ask(&mut self, kind: LabQueries, on: bool) {
        self.queries.retain(|query| *query != kind);
        if on {
            self.queries.push(kind);
            self.queries.sort_unstable();
        }
    }

    /// Whether a kind of queries can be measured on the chosen corpus: the built-in ones need APIs of
    /// the pool.
    pub fn can_ask(&self, kind: LabQueries) -> bool {
        match kind {
            LabQueries::File => self.query_file.is_read(),
            _ => self.corpus != LabCorpus::File,
        }
    }

    /// The kinds of queries that the evaluation will use.
    pub fn asked(&self) -> Vec<LabQueries> {
        self.queries.iter().copied().filter(|kind| self.can_ask(*kind)).collect()
    }

    /// Begins to read a model.
    pub fn read_model(&mut self) {
        (self.is_reading, self.refused) = (true, None);
    }

    /// Takes a model, and chooses it if there is room.
    pub fn add(&mut self, added: Result<AddedRetriever, String>) {
        self.is_reading = false;
        match added {
            Ok(added) => {
                let id = LabRetriever::Own(added.id);
                self.own.push(added);
                if self.retrievers.len() < MOST_RETRIEVERS {
                    self.choose(id, true);
                }
            }
            Err(reason) => self.refused = Some(reason),
        }
    }

    /// Forgets a model.
    pub fn remove(&mut self, id: u32) {
        self.own.retain(|own| own.id != id);
        self.choose(LabRetriever::Own(id), false);
    }

    /// Takes a list of tools, and chooses it.
    pub fn set_tools(&mut self, read: Result<ReadList, String>) {
        self.tools = LabFile::of(read);
        if self.tools.is_read() {
            self.corpus = LabCorpus::File;
        }
    }

    /// Takes a list of queries, and chooses it.
    pub fn set_queries(&mut self, read: Result<ReadList, String>) {
        self.query_file = LabFile::of(read);
        self.ask(LabQueries::File, self.query_file.is_read());
    }

    /// Why the evaluation can't start; `None` if it can.
    pub fn problem(&self, texts: Texts) -> Option<String> {
        let chosen = self.retrievers.len();
        if !(1..=MOST_RETRIEVERS).contains(&chosen) {
            return Some(t!(
                texts,
                "Retrievers: choose 1 to {most}; {n} are chosen.",
                most = MOST_RETRIEVERS,
                n = chosen
            ));
        }
        if self.corpus == LabCorpus::File && !self.tools.is_read() {
            return Some(t!(texts, "Tools: choose a file with a list of tools.").to_owned());
        }
        // Without queries, the user's tools are indexed for single searches.
        if self.asked().is_empty() && self.corpus != LabCorpus::File {
            return Some(t!(texts, "Queries: choose at least one kind.").to_owned());
        }
        self.seed.trim().parse::<u32>().is_err().then(|| {
            t!(
                texts,
                "Seed: expected a whole number from 0 to {most}, got {text}.",
                most = u32::MAX,
                text = format!("{:?}", self.seed)
            )
        })
    }

    /// Starts an evaluation of the choices; `None` if it can't start.
    pub fn start(&mut self) -> Option<Evaluate> {
        if self.is_running() || self.problem(Texts::ENGLISH).is_some() {
            return None;
        }
        let request = Evaluate {
            retrievers: self.retrievers.clone(),
            corpus: self.corpus,
            queries: self.asked(),
            seed: self.seed.trim().parse().ok()?,
        };
        self.evaluated = self.retrievers.iter().map(|retriever| self.name(*retriever)).collect();
        self.phase = LabPhase::Running { retriever: 0, done: 0, of: 0 };
        Some(request)
    }

    /// Makes the standard comparison's choices; models and files stay.
    pub fn choose_standard(&mut self) {
        let SearchLab { retrievers, corpus, queries, seed, .. } = SearchLab::default();
        (self.retrievers, self.corpus, self.queries, self.seed) =
            (retrievers, corpus, queries, seed);
    }

    /// Whether an evaluation is in progress.
    pub fn is_running(&self) -> bool {
        matches!(self.phase, LabPhase::Running { .. })
    }

    /// Applies the worker's progress.
    pub fn progress(&mut self, retriever: usize, done: usize, of: usize) {
        if self.is_running() {
            self.phase = LabPhase::Running { retriever, done, of };
        }
    }

    /// Takes the result; the previous one stays after a failure.
    pub fn end(&mut self, ended: Result<Evaluated, String>) {
        self.phase = match ended {
            Ok(Evaluated::Done(report)) => {
                self.report = Some(*report);
                self.turn = self.turn.wrapping_add(1);
                LabPhase::Idle
            }
            Ok(Evaluated::Cancelled) => LabPhase::Cancelled,
            Err(reason) => LabPhase::Failed(reason),
        };
    }

    /// The worker crashed: what it held is gone.
    pub fn lost(&mut self) {
        let own = std::mem::take(&mut self.own);
        own.into_iter().for_each(|own| self.choose(LabRetriever::Own(own.id), false));
        self.ask(LabQueries::File, false);
        (self.tools, self.query_file) = (LabFile::None, LabFile::None);
        self.is_reading = false;
        if self.corpus == LabCorpus::File {
            self.corpus = LabCorpus::default();
        }
    }
}

/// Mean and interval in percent: `98.7 (98.1 – 99.1)`.
pub fn estimate(mean: f64, interval: Interval) -> (String, String) {
    let number = |share: f64| format!("{:.1}", 100.0 * share);
    (percentage(mean), format!("{} – {}", number(interval.low), number(interval.high)))
}

/// The time of a query: `4.2 ms`, `< 0.1 ms`, which is what browsers can tell.
pub fn milliseconds(ms: f64) -> String {
    if ms < 0.1 { "< 0.1 ms".to_owned() } else { format!("{ms:.1} ms") }
}

/// The memory of an index: `0 KB`, `112 KB`, `3.2 MB`.
pub fn memory(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes < 999_500.0 {
        format!("{:.0} KB", bytes / 1e3)
    } else {
        format!("{:.1} MB", bytes / 1e6)
    }
}

/// The name of a group of queries: a kind's is translated, a domain's is data.
pub fn group_title(group: &str, texts: Texts) -> String {
    let known = match group {
        "all" => t!(texts, "All queries"),
        "gold keywords" => t!(texts, "Gold keywords"),
        "paraphrases" => t!(texts, "Paraphrases"),
        "held-out phrases" => t!(texts, "Held-out phrases"),
        "phrases by API" => t!(texts, "Phrases by API"),
        "the user's words" => t!(texts, "The user's own words"),
        "file" => t!(texts, "Your file"),
        _ => return group.to_owned(),
    };
    known.to_owned()
}

/// Whether a miss has the filter's words in its query or tools, in any case.
pub fn matches(miss: &LabMiss, filter: &str) -> bool {
    let filter = filter.trim().to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&filter);
    has(&miss.text)
        || miss.relevant.iter().any(|(name, _)| has(name))
        || miss.neighbours.iter().any(|(name, _)| has(name))
}

/// The table as CSV: a row per retriever and group, shares from 0 to 1.
pub fn csv(report: &LabReport) -> String {
    let mut head = vec!["retriever".to_owned(), "corpus".to_owned(), "group".to_owned()];
    head.push("queries".to_owned());
    for measure in &report.measures {
        head.extend(["", " low", " high"].map(|part| format!("{measure}{part}")));
    }
    head.extend(["ms per query".to_owned(), "index bytes".to_owned()]);
    let mut lines = vec![head];
    for run in &report.runs {
        for row in &run.rows {
            let mut line = vec![run.retriever.clone(), report.corpus.clone(), row.group.clone()];
            line.push(row.queries.to_string());
            for (mean, Interval { low, high }) in &row.estimates {
                line.extend([mean, low, high].map(|share| format!("{share:.6}")));
            }
            line.extend([format!("{:.3}", row.median_ms), run.index_bytes.to_string()]);
            lines.push(line);
        }
    }
    table(&lines).unwrap_or_default()
}

/// The whole result as JSON.
pub fn json(report: &LabReport) -> String {
    serde_json::to_string_pretty(report).unwrap_or_default()
}

#[cfg(test)]
#[path = "search_lab/tests.rs"]
mod tests;
