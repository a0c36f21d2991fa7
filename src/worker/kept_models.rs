//! Models that this browser keeps: lists, writes, opens and deletes their files.

use super::Host;
use super::in_page::name;
use super::tell::Teller;
use crate::messages::Count;
use crate::messages::in_page::ModelDescription;
use crate::messages::kept_models::{ChooseKept, DeleteKept, KeepModel, KeptList, KeptModel};
use crate::platform::kept_models::{self, FileError};
use crate::platform::lock;
use web_sys::AbortController;

/// The Web Lock of the worker that lists, writes or deletes models: what is half written is only
/// its own.
const LOCK: &str = "api-bank.kept-models";
/// Milliseconds to wait for the lock: lists take less, writing a model takes longer.
const PATIENCE: u32 = 3_000;
const ELSEWHERE: &str =
    "Another tab of this browser is storing or deleting a model. Try again when it is done.";

impl Host {
    /// Lists the kept models, and deletes what an ended tab left half written.
    pub(super) async fn list_kept(&self) -> Result<KeptList, String> {
        // Held to the end: a list that takes long is not answered after a later one.
        let lock = lock::take_within(LOCK, PATIENCE).await;
        let found = kept_models::list(lock.is_some()).await.map_err(|error| unavailable(&error))?;
        let mut models: Vec<KeptModel> =
            found.iter().filter_map(|text| KeptModel::read(text)).collect();
        models.sort_by(|a, b| (&a.name, a.id()).cmp(&(&b.name, b.id())));
        Ok(KeptList { models, space: kept_models::space().await })
    }

    /// Keeps the chosen model. After a cancel, lists the models without it.
    pub(super) async fn keep_model(&self, page: Teller<KeepModel>) -> Result<KeptList, String> {
        let stop = AbortController::new().map_err(|_| "This browser can't cancel.".to_owned())?;
        if self.keeping.borrow().is_some() {
            return Err("A model is being stored. Wait until it is done.".to_owned());
        }
        *self.keeping.borrow_mut() = Some(stop.clone());
        let kept = self.write_model(&stop, page).await;
        self.keeping.take();
        kept?;
        self.list_kept().await
    }

    async fn write_model(
        &self,
        stop: &AbortController,
        page: Teller<KeepModel>,
    ) -> Result<(), String> {
        let chosen = self.chosen()?;
        let digests = self.digest_model(|_| {}).await?;
        let description = &chosen.description;
        let model = KeptModel::of(description, name(description), &digests)
            .ok_or("The model has no digest. Choose it again.")?;
        let _lock = lock::take_within(LOCK, PATIENCE).await.ok_or(ELSEWHERE)?;
        let of = model.bytes();
        if let Some(space) = kept_models::space().await
            && space.left() < of
        {
            return Err(full(of, Some(space.left())));
        }
        let about = serde_json::to_string(&model).map_err(|error| error.to_string())?;
        let progress = move |done| page.tell(&Count { done, of });
        progress(0);
        match kept_models::keep(model.id(), &chosen.files, &about, progress, &stop.signal()).await {
            Err(error) if error.name == "AbortError" => Ok(()),
            Err(error) if error.name == "QuotaExceededError" => Err(full(of, None)),
            Err(error) if error.name == "NotReadableError" => Err(format!(
                "The file can't be read ({}). If it has changed or moved, choose it again.",
                error.message
            )),
            Err(error) => Err(unavailable(&error)),
            Ok(()) => Ok(()),
        }
    }

    /// Stops writing.
    pub(super) fn stop_keeping(&self) {
        if let Some(stop) = self.keeping.borrow().as_ref() {
            stop.abort();
        }
    }

    /// Describes a kept model.
    pub(super) async fn choose_kept(
        &self,
        request: ChooseKept,
    ) -> Result<ModelDescription, String> {
        let files = kept_models::open(&request.id).await.map_err(|error| {
            format!(
                "The stored model is incomplete ({}). Delete it, then choose its file again.",
                error.message
            )
        })?;
        let description = self.describe_model(files).await?;
        self.chosen()?.kept.replace(Some(request.id));
        Ok(description)
    }

    /// Deletes a kept model; if it is the chosen one, unloads it.
    pub(super) async fn delete_kept(&self, request: DeleteKept) -> Result<KeptList, String> {
        let lock = lock::take_within(LOCK, PATIENCE).await.ok_or(ELSEWHERE)?;
        if self.chosen().is_ok_and(|it| it.kept.borrow().as_ref() == Some(&request.id)) {
            // The engine reads the files again after a crash.
            self.unload_model().await?;
        }
        kept_models::remove(&request.id).await.map_err(|error| unavailable(&error))?;
        drop(lock);
        self.list_kept().await
    }
}

/// There is no room for a model of `of` bytes.
fn full(of: u64, left: Option<u64>) -> String {
    let left = left.map_or_else(String::new, |left| {
        format!(", and this browser gives the site only {} MB more", left / 1_000_000)
    });
    format!(
        "There is no room for this model: it has {} MB{left}. Delete models, packs or runs that are \
         no longer needed, or free space on the disk.",
        of.div_ceil(1_000_000)
    )
}

/// The browser gives this site no files.
fn unavailable(error: &FileError) -> String {
    format!(
        "This browser stores no files for this site ({}: {}). Leave the private window, allow site \
         data for this address, or choose the file at each visit.",
        error.name, error.message
    )
}
