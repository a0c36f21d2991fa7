//! Evaluates retrievers for the Search lab, one step at a time, so that other messages get through.

use super::ports::Browser;
use super::tell::Teller;
use super::{Host, NOT_LOADED};
use crate::messages::search_lab::{
    AddRetriever, AddedRetriever, DISTRACTORS, Evaluate, Evaluated, EvaluationProgress, LabCorpus,
    LabDifference, LabHits, LabMiss, LabPoint, LabQueries, LabReport, LabRetriever, LabRow, LabRun,
    MOST_RETRIEVERS, RESULTS, ReadList, RemoveRetriever, SearchCorpus,
};
use crate::messages::{Asset, Count};
use crate::platform::{fetch, files};
use js_sys::{Array, Reflect};
use provider::Ports;
use ranking::{
    Corpus, Evaluation, Indexed, Measure, Projection, Query, QueryFiles, QueryKind, Rankings,
    Retriever, difference, misses, parse_queries, parse_tools, rows,
};
use record::EmbeddingModel;
use retrieval::{Bm25Parameters, Encoder};
use runner::benchmark::Benchmark;
use runner::{ModelFiles, NamedFile, OwnRetriever, UserModel};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use wasm_bindgen::JsCast;
use web_sys::File;

/// Time of computing between turns of the event loop, in milliseconds.
const SLICE_MS: f64 = 50.0;
/// The most bytes of a model's file, and of a list.
const MOST_MODEL_BYTES: f64 = (512 << 20) as f64;
const MOST_LIST_BYTES: f64 = (64 << 20) as f64;
/// The most misses that a report lists per retriever.
const MOST_MISSES: usize = 3_000;
/// The measures that the page shows.
const MEASURES: [Measure; 7] = [
    Measure::Recall(1),
    Measure::Recall(3),
    Measure::Recall(5),
    Measure::Recall(10),
    Measure::Ndcg(10),
    Measure::ReciprocalRank,
    Measure::Completeness(5),
];
/// The measures of differences.
const COMPARED: [Measure; 4] =
    [Measure::Recall(1), Measure::Recall(5), Measure::Ndcg(10), Measure::Completeness(5)];

/// The user's models and lists, and the indexes of the last evaluation.
#[derive(Default)]
pub(super) struct Lab {
    own: RefCell<BTreeMap<u32, (EmbeddingModel, Arc<Encoder>)>>,
    last_id: Cell<u32>,
    /// The model of the last run, with the vectors of the pool.
    of_run: RefCell<Option<Arc<OwnRetriever>>>,
    tools: RefCell<Option<Arc<Corpus>>>,
    queries: RefCell<Option<Vec<Query>>>,
    training: RefCell<Option<Arc<Corpus>>>,
    shown: RefCell<Vec<Shown>>,
}

/// An index of the last evaluation.
struct Shown {
    retriever: LabRetriever,
    seed: u32,
    index: Indexed,
    projection: Option<Projection>,
}

fn sentence(error: &dyn std::fmt::Display) -> String {
    format!("{error}.")
}

impl Host {
    /// Evaluates retrievers.
    pub(super) async fn evaluate(
        &self,
        request: Evaluate,
        page: Teller<Evaluate>,
    ) -> Result<Evaluated, String> {
        let own = self.own.borrow().clone().ok_or(NOT_LOADED)?;
        let task = self.run_alone()?;
        let ports = Browser::new(task.watch.clone());
        let mut builtin = None;
        if request.retrievers.contains(&LabRetriever::Builtin) {
            own.searchable().await?;
            builtin = own.encoder();
        }
        self.lab.evaluate(&request, &own.pack, builtin, &ports, page).await
    }
}

impl Lab {
    /// Loads a model from the user's files.
    pub(super) async fn add(
        &self,
        request: AddRetriever,
        attached: &Array,
    ) -> Result<AddedRetriever, String> {
        let AddRetriever { paths } = request;
        let found = ModelFiles::among(&paths).map_err(|error| sentence(&error))?;
        let mut contents = BTreeMap::new();
        for at in found.indices() {
            let path = paths.get(at).map(String::as_str).unwrap_or_default();
            contents.insert(at, content(attached, at, path, MOST_MODEL_BYTES).await?);
        }
        let name = self.free_name(&name_of(&paths, found.onnx));
        let file = |at: usize| {
            let (path, bytes) = (paths.get(at)?, contents.get(&at)?);
            Some(NamedFile { path, bytes })
        };
        let loaded = UserModel::load(&name, &found, file).map_err(|error| sentence(&error))?;
        let id = self.last_id.get().wrapping_add(1);
        self.last_id.set(id);
        let UserModel { model, encoder, dimensions } = loaded;
        self.own.borrow_mut().insert(id, (model.clone(), Arc::new(encoder)));
        Ok(AddedRetriever {
            id,
            model,
            files: found.indices().into_iter().filter_map(|at| paths.get(at).cloned()).collect(),
            bytes: contents.get(&found.onnx).map_or(0, Vec::len) as u64,
            dimensions,
        })
    }

    /// A name that no other model has.
    fn free_name(&self, wanted: &str) -> String {
        let own = self.own.borrow();
        let is_taken = |name: &str| {
            ["builtin", "bm25", "random"].contains(&name)
                || own.values().any(|own| own.0.name == name)
        };
        let numbered = (2..).map(|number| format!("{wanted} {number}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        names.find(|name| !is_taken(name)).unwrap_or_default()
    }

    /// The benchmark with the model that a run's searches need, if it is loaded. Embeds the pool.
    pub(super) fn offered(
        &self,
        bench: Benchmark,
        retriever: Option<&record::Retriever>,
    ) -> Result<Benchmark, String> {
        let Some(record::Retriever::Model(model)) = retriever else { return Ok(bench) };
        let known = self.of_run.borrow().clone().filter(|it| it.model() == model);
        if let Some(known) = known {
            return Ok(bench.with_own(known));
        }
        let found = self.own.borrow().values().find(|own| own.0 == *model).cloned();
        let Some((model, encoder)) = found else { return Ok(bench) };
        let own = OwnRetriever::new(model, encoder).map_err(|error| sentence(&error))?;
        let own = Arc::new(own);
        *self.of_run.borrow_mut() = Some(own.clone());
        Ok(bench.with_own(own))
    }

    /// Forgets a model.
    pub(super) fn remove(&self, request: RemoveRetriever) -> Result<(), String> {
        if let Some((model, _)) = self.own.borrow_mut().remove(&request.id) {
            self.of_run.borrow_mut().take_if(|it| *it.model() == model);
        }
        Ok(())
    }

    /// Reads a list of tools.
    pub(super) async fn read_tools(&self, attached: &Array) -> Result<ReadList, String> {
        let (name, bytes) = single(attached).await?;
        let corpus = parse_tools(&name, &bytes).map_err(|error| format!("{name}: {error}."))?;
        let read = ReadList { name, count: corpus.tools.len() };
        *self.tools.borrow_mut() = Some(Arc::new(corpus));
        Ok(read)
    }

    /// Reads a list of queries.
    pub(super) async fn read_queries(&self, attached: &Array) -> Result<ReadList, String> {
        let (name, bytes) = single(attached).await?;
        let queries = parse_queries(&bytes).map_err(|error| format!("{name}: {error}."))?;
        let read = ReadList { name, count: queries.len() };
        *self.queries.borrow_mut() = Some(queries);
        Ok(read)
    }

    async fn evaluate(
        &self,
        request: &Evaluate,
        pack: &dataset::Pack,
        builtin: Option<Arc<Encoder>>,
        ports: &Browser,
        page: Teller<Evaluate>,
    ) -> Result<Evaluated, String> {
        let corpus = self.corpus(request).await?;
        let all = self.all_queries(request, pack)?;
        let queries = Query::answerable(&all, &corpus);
        // Without queries, the corpus is indexed for single searches.
        if queries.is_empty() && !all.is_empty() {
            return Err(format!(
                "None of the {} queries needs a tool of {}. Add a file of queries for these tools.",
                all.len(),
                corpus.title
            ));
        }
        let left_out = all.len() - queries.len();
        let queries: Arc<[Query]> = queries.into();
        let (mut runs, mut reports, mut shown) = (Vec::new(), Vec::new(), Vec::new());
        for (at, choice) in request.retrievers.iter().take(MOST_RETRIEVERS).enumerate() {
            let index = match self.known(*choice, &corpus, request.seed) {
                Some(index) => index,
                None => {
                    let retriever = self.retriever(*choice, request.seed, builtin.as_ref())?;
                    Indexed::new(retriever, Arc::clone(&corpus))
                }
            };
            let evaluation = Evaluation::on(index, Arc::clone(&queries));
            let Some((evaluation, index_ms)) = driven(evaluation, at, ports, page).await? else {
                return Ok(Evaluated::Cancelled);
            };
            let (run, index) = evaluation.into_parts();
            let projection = Projection::of(&run.vectors);
            let is_named = request.corpus == LabCorpus::File;
            reports.push(report(&run, projection.as_ref(), index_ms, is_named));
            shown.push(Shown { retriever: *choice, seed: request.seed, index, projection });
            runs.push(run);
        }
        *self.shown.borrow_mut() = shown;
        Ok(Evaluated::Done(Box::new(LabReport {
            corpus: corpus.title.clone(),
            tools: corpus.tools.len(),
            queries: queries.len(),
            left_out,
            seed: request.seed,
            measures: MEASURES.map(Measure::title).to_vec(),
            runs: reports,
            differences: differences(&runs),
        })))
    }

    async fn corpus(&self, request: &Evaluate) -> Result<Arc<Corpus>, String> {
        Ok(match request.corpus {
            LabCorpus::PoolBySuite => Arc::new(Corpus::by_suite()),
            LabCorpus::Pool => Arc::new(Corpus::pool()),
            LabCorpus::Distractors => {
                let corpus = Corpus::with_distractors(DISTRACTORS, request.seed);
                Arc::new(corpus.map_err(|error| sentence(&error))?)
            }
            LabCorpus::File => {
                let tools = self.tools.borrow().clone();
                tools.ok_or("No list of tools is loaded. Choose a file first.")?
            }
            LabCorpus::Training => {
                let known = self.training.borrow().clone();
                if let Some(known) = known {
                    return Ok(known);
                }
                let bytes = fetch::asset(&training_tools()?).await?;
                let text = String::from_utf8_lossy(&bytes);
                let corpus = Corpus::with_training_list("training-tools.json", &text);
                let corpus = Arc::new(corpus.map_err(|error| sentence(&error))?);
                *self.training.borrow_mut() = Some(Arc::clone(&corpus));
                corpus
            }
        })
    }

    fn all_queries(&self, request: &Evaluate, pack: &dataset::Pack) -> Result<Vec<Query>, String> {
        let mut all = Vec::new();
        for kind in &request.queries {
            let kind = match kind {
                LabQueries::Gold => QueryKind::Gold,
                LabQueries::Paraphrases => QueryKind::Paraphrases,
                LabQueries::HeldOut => QueryKind::HeldOut,
                LabQueries::Phrases => QueryKind::Phrases,
                LabQueries::User => QueryKind::User,
                LabQueries::File => {
                    let queries = self.queries.borrow();
                    all.extend(queries.iter().flatten().cloned());
                    continue;
                }
            };
            let found = Query::builtin(pack, QueryFiles::BUILTIN, kind);
            all.extend(found.map_err(|error| sentence(&error))?);
        }
        Ok(all)
    }

    /// The index of an earlier evaluation on the same corpus.
    fn known(&self, retriever: LabRetriever, corpus: &Corpus, seed: u32) -> Option<Indexed> {
        let shown = self.shown.borrow();
        let known = shown.iter().find(|known| {
            let same_order = retriever != LabRetriever::Random || known.seed == seed;
            known.retriever == retriever && same_order && **known.index.corpus() == *corpus
        });
        known.map(|it| it.index.clone())
    }

    fn retriever(
        &self,
        choice: LabRetriever,
        seed: u32,
        builtin: Option<&Arc<Encoder>>,
    ) -> Result<Retriever, String> {
        Ok(match choice {
            LabRetriever::Bm25 => Retriever::Bm25(Bm25Parameters::default()),
            LabRetriever::Random => Retriever::Random(seed),
            LabRetriever::Builtin => {
                let encoder = Arc::clone(builtin.ok_or(NOT_LOADED)?);
                Retriever::Encoder { name: "builtin".to_owned(), encoder }
            }
            LabRetriever::Own(id) => {
                let own = self.own.borrow();
                let (model, encoder) = own
                    .get(&id)
                    .ok_or("This model is no longer loaded. Choose its files again.")?;
                Retriever::Encoder { name: model.name.clone(), encoder: Arc::clone(encoder) }
            }
        })
    }

    /// Searches the last corpus with its retrievers.
    pub(super) fn search(&self, request: &SearchCorpus) -> Result<Vec<LabHits>, String> {
        let query = Query::free(request.text.trim());
        let hits = |it: &Shown| {
            let found = it.index.search(&query).map_err(|error| sentence(&error))?;
            let mut hits: Vec<(String, f64)> = Vec::new();
            for (tool, score) in found {
                let tool = it.index.corpus().tools.get(tool);
                // Two suites may have an API of one name.
                let new = tool.filter(|tool| hits.iter().all(|(name, _)| *name != tool.name));
                hits.extend(new.map(|tool| (tool.name.clone(), score)));
                if hits.len() == RESULTS {
                    break;
                }
            }
            let vector = it.index.vector(&query.text).map_err(|error| sentence(&error))?;
            let at = it.projection.as_ref().zip(vector).map(|(map, it)| map.place(&it));
            Ok(LabHits { retriever: it.index.retriever().name().to_owned(), hits, at })
        };
        self.shown.borrow().iter().map(hits).collect()
    }
}

/// The file that `www/worker-boot.js` names: the page names only files that the service worker keeps.
fn training_tools() -> Result<Asset, String> {
    let named = Reflect::get(&js_sys::global(), &"trainingTools".into()).unwrap_or_default();
    serde_wasm_bindgen::from_value(named)
        .map_err(|error| format!("The site has no list of the training set's tools: {error}."))
}

/// Runs an evaluation to its end, with the time of indexing; `None` if cancelled.
async fn driven(
    mut evaluation: Evaluation,
    retriever: usize,
    ports: &Browser,
    page: Teller<Evaluate>,
) -> Result<Option<(Evaluation, Option<f64>)>, String> {
    let began = ports.clock_ms();
    let before = evaluation.progress();
    let mut index_ms = None;
    let mut slice = None;
    loop {
        let progress = evaluation.progress();
        if progress.ranked == 0 && progress.indexed == progress.tools && progress != before {
            index_ms = Some(ports.clock_ms() - began);
        }
        if slice.is_none_or(|since| ports.clock_ms() - since >= SLICE_MS) {
            let done = progress.indexed + progress.ranked;
            let steps = Count { done, of: progress.tools + progress.queries };
            page.tell(&EvaluationProgress { retriever, steps });
            ports.wait(0).await;
            if ports.cancelled() {
                return Ok(None);
            }
            slice = Some(ports.clock_ms());
        }
        if !evaluation.step(&|| ports.clock_ms()).map_err(|error| sentence(&error))? {
            return Ok(Some((evaluation, index_ms)));
        }
    }
}

fn report(
    run: &Rankings,
    projection: Option<&Projection>,
    index_ms: Option<f64>,
    is_named: bool,
) -> LabRun {
    let row = |row: ranking::GroupMeasures| LabRow {
        estimates: MEASURES
            .iter()
            .filter_map(|measure| row.estimates.iter().find(|it| it.measure == *measure))
            .map(|estimate| (estimate.mean, estimate.interval))
            .collect(),
        group: row.group,
        queries: row.queries,
        clusters: row.clusters,
        median_ms: row.median_ms,
    };
    let all = misses(run, RESULTS);
    let missed = all.len();
    let listed = all.into_iter().take(MOST_MISSES).filter_map(|miss| {
        let query = run.queries.get(miss.query)?;
        Some(LabMiss {
            text: query.text.clone(),
            kind: query.kind.title().to_owned(),
            relevant: miss.relevant,
            neighbours: miss.neighbours,
        })
    });
    let pool = Corpus::pool().names();
    let point = |(tool, vector): (&ranking::Tool, &Vec<f32>)| {
        Some(LabPoint {
            name: tool.name.clone(),
            group: tool.group.clone(),
            is_named: is_named || pool.contains(&tool.name),
            at: projection?.place(vector),
        })
    };
    LabRun {
        retriever: run.retriever.clone(),
        rows: rows(run).into_iter().map(row).collect(),
        index_bytes: run.index_bytes as u64,
        index_ms,
        missed,
        misses: listed.collect(),
        map: run.corpus.tools.iter().zip(&run.vectors).filter_map(point).collect(),
    }
}

/// The differences of all runs from the first.
fn differences(runs: &[Rankings]) -> Vec<LabDifference> {
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    let of = |(at, run): (usize, &Rankings)| {
        COMPARED.map(|measure| {
            difference(first, run, measure).map(|found| LabDifference {
                run: at + 1,
                measure: measure.title(),
                difference: found.difference,
                interval: found.interval,
                p: found.p,
                only_first: found.only_first,
                only_second: found.only_second,
            })
        })
    };
    others.iter().enumerate().flat_map(of).flatten().collect()
}

/// The folder that all files share, or else the name of the ONNX file.
fn name_of(paths: &[String], onnx: usize) -> String {
    let top = |path: &String| path.split_once('/').map(|(top, _)| top.to_owned());
    let shared = paths.first().and_then(top);
    let is_shared = paths.iter().all(|path| top(path) == shared);
    let stem = || {
        let name = paths.get(onnx)?.rsplit('/').next()?;
        Some(name.trim_end_matches(".onnx").to_owned())
    };
    shared.filter(|_| is_shared).or_else(stem).unwrap_or_else(|| "model".to_owned())
}

/// The content of an attached file.
async fn content(attached: &Array, at: usize, path: &str, most: f64) -> Result<Vec<u8>, String> {
    let file = attached.get(at as u32).dyn_into::<File>();
    let file = file.map_err(|_| format!("{path}: this is not a file. Choose it again."))?;
    if file.size() > most {
        let (most, found) = (most / 1e6, file.size() / 1e6);
        return Err(format!("{path}: expected at most {most:.0} MB, found {found:.0} MB."));
    }
    files::read(&file).await.map_err(|reason| format!("{path}: {reason}. Choose it again."))
}

/// The only attached file, with its name.
async fn single(attached: &Array) -> Result<(String, Vec<u8>), String> {
    let file = attached.get(0).dyn_into::<File>();
    let name = file.map_err(|_| "There is no file to read. Choose one.")?.name();
    let bytes = content(attached, 0, &name, MOST_LIST_BYTES).await?;
    Ok((name, bytes))
}
