//! Answers requests; each type of request has its type of answer.

use super::tell::Teller;
use super::{Host, NOT_LOADED, browse, demo, generate, own_tools};
use crate::messages::compare::Change;
use crate::messages::endpoints::CompareEndpoints;
use crate::messages::generate::{Generate, ShowGeneration, TraceDialogue};
use crate::messages::request::{
    AnyRequest, Call, EstimateRun, Search, SearchHit, SignRecord, VerifyRecord, encode,
};
use crate::messages::{
    AuditGold, Cancel, CancelImport, Import, Load, MakeFile, Pause, ResetWorld, StartRun, UsePack,
    browse as dataset_page, compare, demo as demo_page, in_page, kept, own_tools as tools_page,
    search_lab,
};
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

impl Host {
    /// Answers a request, serialized for the page. `files` were sent with it.
    pub(super) async fn answer(
        &self,
        id: u32,
        request: AnyRequest,
        files: Array,
    ) -> Result<String, String> {
        match request {
            AnyRequest::Load(it) => encode::<Load>(self.load(it, Teller::new(id)).await),
            AnyRequest::UsePack(it) => encode::<UsePack>(self.use_pack(it).await),
            AnyRequest::Import(it) => {
                encode::<Import>(self.import(it, files, Teller::new(id)).await)
            }
            AnyRequest::CancelImport(_) => {
                self.cancel_import();
                encode::<CancelImport>(Ok(()))
            }
            AnyRequest::AuditGold(_) => encode::<AuditGold>(self.audit(Teller::new(id)).await),
            AnyRequest::StartRun(it) => {
                encode::<StartRun>(self.start_run(it, Teller::new(id)).await)
            }
            AnyRequest::Pause(it) => encode::<Pause>(Ok(self.pause(it.on))),
            AnyRequest::Cancel(_) => {
                self.cancel();
                encode::<Cancel>(Ok(()))
            }
            AnyRequest::MakeFile(it) => encode::<MakeFile>(self.make_file(it.content).await),
            AnyRequest::CompareEndpoints(it) => {
                encode::<CompareEndpoints>(self.compare_endpoints(it, Teller::new(id)).await)
            }
            AnyRequest::Generate(it) => {
                encode::<Generate>(self.generate(it, Teller::new(id)).await)
            }
            AnyRequest::ShowGeneration(_) => {
                encode::<ShowGeneration>(generate::show(Teller::new(id)).await)
            }
            AnyRequest::TraceDialogue(it) => {
                encode::<TraceDialogue>(generate::trace(it.slot).await)
            }
            AnyRequest::ResetWorld(_) => encode::<ResetWorld>(self.reset_world()),
            AnyRequest::Search(it) => encode::<Search>(search(&*self.searching().await?, &it)),
            AnyRequest::Call(it) => {
                self.searching().await?;
                encode::<Call>(self.call(&it))
            }
            AnyRequest::EstimateRun(it) => encode::<EstimateRun>(self.estimate(&it)),
            AnyRequest::VerifyRecord(_) => {
                encode::<VerifyRecord>(self.verify(files, Teller::new(id)).await)
            }
            AnyRequest::SignRecord(it) => encode::<SignRecord>(self.sign(it).await),
            AnyRequest::CompareRecords(it) => {
                let last = self.last.borrow().as_ref().map(|last| Rc::clone(&last.record));
                let file = files.get(0).dyn_into::<web_sys::File>().ok();
                let stored = match &it.change {
                    Change::AddStored { id } => Some(stored::whole(id).await?),
                    _ => None,
                };
                let mut compared = self.compared.borrow_mut();
                let compared = compared.compare(it, last.as_ref(), file.as_ref(), stored);
                encode::<compare::CompareRecords>(compared)
            }
            AnyRequest::CompareSample(it) => {
                encode::<compare::CompareSample>(self.compared.borrow().sample(it))
            }
            AnyRequest::ListDialogues(it) => {
                let entries = runner::demo::entries(&*self.bench()?, it.ability);
                encode::<demo_page::ListDialogues>(Ok(entries))
            }
            AnyRequest::WalkDialogue(it) => {
                encode::<demo_page::WalkDialogue>(demo::walk(&*self.searching().await?, &it))
            }
            AnyRequest::JudgeAnswer(it) => {
                encode::<demo_page::JudgeAnswer>(demo::judge(&*self.searching().await?, &it))
            }
            AnyRequest::JudgeAnswers(it) => {
                encode::<demo_page::JudgeAnswers>(demo::judge_all(&*self.searching().await?, &it))
            }
            AnyRequest::AskModel(it) => {
                let bench = self.searching().await?;
                encode::<demo_page::AskModel>(demo::ask_model(&bench, &it).await)
            }
            AnyRequest::ReadTable(it) => {
                encode::<demo_page::ReadTable>(demo::table(&*self.searching().await?, &it))
            }
            AnyRequest::DescribeModel(_) => {
                encode::<in_page::DescribeModel>(self.describe_model(files).await)
            }
            AnyRequest::DigestModel(_) => {
                let page = Teller::<in_page::DigestModel>::new(id);
                let digests = self.digest_model(|progress| page.tell(&progress)).await;
                encode::<in_page::DigestModel>(digests)
            }
            AnyRequest::LoadModel(it) => {
                encode::<in_page::LoadModel>(self.load_model(it, Teller::new(id)).await)
            }
            AnyRequest::UseBrowserModel(it) => {
                encode::<in_page::UseBrowserModel>(self.use_browser_model(it, files.get(0)).await)
            }
            AnyRequest::UnloadModel(_) => encode::<in_page::UnloadModel>(self.unload_model().await),
            AnyRequest::ListKept(_) => encode::<kept::ListKept>(self.list_kept().await),
            AnyRequest::KeepModel(_) => {
                encode::<kept::KeepModel>(self.keep_model(Teller::new(id)).await)
            }
            AnyRequest::StopKeeping(_) => {
                self.stop_keeping();
                encode::<kept::StopKeeping>(Ok(()))
            }
            AnyRequest::ChooseKept(it) => encode::<kept::ChooseKept>(self.choose_kept(it).await),
            AnyRequest::DeleteKept(it) => encode::<kept::DeleteKept>(self.delete_kept(it).await),
            AnyRequest::AddRetriever(it) => {
                encode::<search_lab::AddRetriever>(self.lab.add(it, &files).await)
            }
            AnyRequest::RemoveRetriever(it) => {
                encode::<search_lab::RemoveRetriever>(self.lab.remove(it))
            }
            AnyRequest::ReadTools(_) => {
                encode::<search_lab::ReadTools>(self.lab.read_tools(&files).await)
            }
            AnyRequest::ReadQueries(_) => {
                encode::<search_lab::ReadQueries>(self.lab.read_queries(&files).await)
            }
            AnyRequest::Evaluate(it) => {
                encode::<search_lab::Evaluate>(self.evaluate(it, Teller::new(id)).await)
            }
            AnyRequest::SearchCorpus(it) => {
                encode::<search_lab::SearchCorpus>(self.lab.search(&it))
            }
            AnyRequest::ReadOwnTools(it) => {
                encode::<tools_page::ReadOwnTools>(own_tools::read(it, self.encoder()).await)
            }
            AnyRequest::ReadExample(_) => {
                encode::<tools_page::ReadExample>(own_tools::read_example(self.encoder()).await)
            }
            AnyRequest::KeepOwnTools(it) => {
                encode::<tools_page::KeepOwnTools>(own_tools::keep(&it.text).await)
            }
            AnyRequest::LastOwnTools(it) => {
                encode::<tools_page::LastOwnTools>(own_tools::last(it, self.encoder()).await)
            }
            AnyRequest::EstimateTasks(it) => {
                encode::<tools_page::EstimateTasks>(own_tools::estimate(&it))
            }
            AnyRequest::WriteTasks(it) => {
                encode::<tools_page::WriteTasks>(self.write_tasks(it, Teller::new(id)).await)
            }
            AnyRequest::DatasetOverview(_) => {
                encode::<dataset_page::DatasetOverview>(browse::overview(&*self.bench()?))
            }
            AnyRequest::ReadDialogue(it) => {
                encode::<dataset_page::ReadDialogue>(browse::dialogue(&*self.bench()?, &it))
            }
        }
    }

    pub(super) fn bench(&self) -> Result<Rc<Benchmark>, String> {
        self.bench.borrow().clone().ok_or_else(|| NOT_LOADED.to_owned())
    }

    /// The search model, if it is loaded.
    fn encoder(&self) -> Option<std::sync::Arc<retrieval::Encoder>> {
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
                bench.edition(edition).map_err(|it| it.to_string())?
            }
            Edition::Original | Edition::Variant(_) => (*bench).clone(),
        };
        Ok(estimate(&bench, &request.settings))
    }

    fn call(&self, request: &Call) -> Result<effect::Effect, String> {
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
