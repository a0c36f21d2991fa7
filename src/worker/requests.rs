//! Answers requests; each type of request has its type of answer.

use super::tell::Teller;
use super::{Host, NOT_LOADED, browse, demo, generate};
use crate::messages::compare::{Change, CompareRecords, Comparison};
use crate::messages::in_page::DigestModel;
use crate::messages::request::{AnyRequest, Call, EstimateRun, Request, Search, SearchHit, encode};
use crate::platform::runs as stored;
use apis::search::find;
use apis::{Suite, effect};
use dataset::Edition;
use js_sys::Array;
use record::RunSize;
use runner::benchmark::Benchmark;
use runner::estimate;
use std::rc::Rc;
use wasm_bindgen::JsCast;

/// Answers a request with the expression for its type, serialized for the page.
macro_rules! answers {
    ($request:ident: $($kind:ident($it:ident) => $answer:expr,)+) => {
        match $request {
            $(AnyRequest::$kind($it) => {
                let encode = encoder(&$it);
                encode($answer)
            })+
        }
    };
}

/// How the answer to a request is serialized.
fn encoder<R: Request>(_: &R) -> fn(Result<R::Answer, String>) -> Result<String, String> {
    encode::<R>
}

impl Host {
    /// Answers a request, serialized for the page. `files` were sent with it.
    pub(super) async fn answer(
        &self,
        id: u32,
        request: AnyRequest,
        files: Array,
    ) -> Result<String, String> {
        answers! { request:
            Load(it) => self.load(it, Teller::new(id)).await,
            UsePack(it) => self.use_pack(it).await,
            Import(it) => self.import(it, files, Teller::new(id)).await,
            CancelImport(it) => {
                self.cancel_import();
                Ok(())
            },
            AuditGold(it) => self.audit(Teller::new(id)).await,
            StartRun(it) => self.start_run(it, Teller::new(id)).await,
            Pause(it) => Ok(self.pause(it.on)),
            Cancel(it) => {
                self.cancel();
                Ok(())
            },
            MakeFile(it) => self.make_file(it).await,
            CompareEndpoints(it) => self.compare_endpoints(it, Teller::new(id)).await,
            Generate(it) => self.generate(it, Teller::new(id)).await,
            ShowGeneration(it) => generate::show(Teller::new(id)).await,
            TraceDialogue(it) => generate::trace(it.slot).await,
            ResetWorld(it) => self.reset_world(),
            Search(it) => search(&*self.searching().await?, &it),
            Call(it) => self.call(&it).await,
            EstimateRun(it) => self.estimate(&it),
            VerifyRecord(it) => self.verify(files, Teller::new(id)).await,
            SignRecord(it) => self.sign(it).await,
            CompareRecords(it) => self.compare(it, &files).await,
            CompareSample(it) => self.compared.borrow().sample(it),
            ListDialogues(it) => Ok(runner::demo::entries(&*self.bench()?, it.ability)),
            WalkDialogue(it) => demo::walk(&*self.searching().await?, &it),
            JudgeAnswer(it) => demo::judge(&*self.searching().await?, &it),
            JudgeAnswers(it) => demo::judge_all(&*self.searching().await?, &it),
            AskModel(it) => demo::ask_model(&*self.searching().await?, &it).await,
            ReadTable(it) => demo::table(&*self.searching().await?, &it),
            DescribeModel(it) => self.describe_model(files).await,
            DigestModel(it) => {
                let page = Teller::<DigestModel>::new(id);
                self.digest_model(|progress| page.tell(&progress)).await
            },
            LoadModel(it) => self.load_model(it, Teller::new(id)).await,
            UseBrowserModel(it) => self.use_browser_model(it, files.get(0)).await,
            UnloadModel(it) => self.unload_model().await,
            ListKept(it) => self.list_kept().await,
            KeepModel(it) => self.keep_model(Teller::new(id)).await,
            StopKeeping(it) => {
                self.stop_keeping();
                Ok(())
            },
            ChooseKept(it) => self.choose_kept(it).await,
            DeleteKept(it) => self.delete_kept(it).await,
            AddRetriever(it) => self.lab.add(it, &files).await,
            RemoveRetriever(it) => self.lab.remove(it),
            ReadTools(it) => self.lab.read_tools(&files).await,
            ReadQueries(it) => self.lab.read_queries(&files).await,
            Evaluate(it) => self.evaluate(it, Teller::new(id)).await,
            SearchCorpus(it) => self.lab.search(&it),
            ReadOwnTools(it) => self.read_own_tools(&it).await,
            ChangeOwnTools(it) => self.change_own_tools(it).await,
            ReadExample(it) => self.read_example().await,
            KeepOwnTools(it) => self.keep_own_tools().await,
            LastOwnTools(it) => self.last_own_tools(it.forget).await,
            EstimateTasks(it) => self.estimate_tasks(it.count).await,
            WriteTasks(it) => self.write_tasks(it, Teller::new(id)).await,
            DatasetOverview(it) => browse::overview(&*self.bench()?),
            ReadDialogue(it) => browse::dialogue(&*self.bench()?, &it),
        }
    }

    async fn compare(&self, request: CompareRecords, files: &Array) -> Result<Comparison, String> {
        let last = self.last.borrow().as_ref().map(|last| Rc::clone(&last.record));
        let file = files.get(0).dyn_into::<web_sys::File>().ok();
        let stored = match &request.change {
            Change::AddStored { id } => Some(stored::whole(id).await?),
            _ => None,
        };
        let mut compared = self.compared.borrow_mut();
        compared.compare(request, last.as_ref(), file.as_ref(), stored)
    }

    pub(super) fn bench(&self) -> Result<Rc<Benchmark>, String> {
        self.bench.borrow().clone().ok_or_else(|| NOT_LOADED.to_owned())
    }

    /// The search model, if it is loaded.
    pub(super) fn encoder(&self) -> Option<std::sync::Arc<retrieval::Encoder>> {
        self.own.borrow().as_ref().and_then(|bench| bench.encoder())
    }

    /// The current pack, once it can answer any search.
    pub(super) async fn searching(&self) -> Result<Rc<Benchmark>, String> {
        let bench = self.bench()?;
        bench.searchable().await?;
        Ok(bench)
    }

    fn estimate(&self, request: &EstimateRun) -> Result<RunSize, String> {
        let bench = self.bench()?;
        request.settings.check().map_err(|error| error.to_string())?;
        // A variant has the pack's size, within a percent; drawing it takes longer than an estimate may.
        let bench = match request.settings.edition {
            edition @ (Edition::Language(_) | Edition::Horizon(_)) => {
                bench.edition(edition).map_err(|error| error.to_string())?
            }
            Edition::Original | Edition::Variant(_) => (*bench).clone(),
        };
        Ok(estimate(&bench, &request.settings))
    }

    async fn call(&self, request: &Call) -> Result<effect::Effect, String> {
        self.searching().await?;
        let mut scratch = self.scratch.borrow_mut();
        let world = scratch.as_mut().ok_or(NOT_LOADED)?;
        let suite = suite_of(&request.suite).ok_or(NOT_LOADED)?;
        let api = &request.api;
        let found = find(suite, api)
            .ok_or_else(|| format!("The {} suite has no API {api}.", suite.as_str()))?;
        let arguments = serde_json::from_str(&request.arguments)
            .map_err(|error| format!("The arguments are not a JSON object: {error}"))?;
        let before = world.clone();
        let result = found.call(&arguments, world);
        let changes = world.changes_since(&before);
        Ok(effect::Effect { result, changes })
    }
}

fn search(bench: &Benchmark, request: &Search) -> Result<Vec<SearchHit>, String> {
    let Search { suite, keywords, k } = request;
    let suite = suite_of(suite).ok_or(NOT_LOADED)?;
    let hits = bench.rank(suite, keywords, *k).map_err(|error| error.to_string())?;
    Ok(hits.into_iter().map(|hit| SearchHit { name: hit.name, cosine: hit.cosine }).collect())
}

fn suite_of(name: &str) -> Option<Suite> {
    Suite::ALL.into_iter().find(|suite| suite.as_str() == name)
}
