//! Answers the requests of the Your tools page.

mod current;
mod view;

use super::Host;
use super::archive::file_of;
use super::ports::Browser;
use super::tell::Teller;
use crate::messages::own_tools::{
    ChangeOwnTools, OwnToolsView, ReadOwnTools, TasksProgress, WriteTasks,
};
use crate::messages::{MadeFile, PackFound, StoredPack};
use crate::platform::indexed_db::{ObjectStore, Store, StoreError, StoredText};
pub(super) use current::CurrentPack;
use dataset::own_tools::{ToolsError, ToolsFile, Toolset, example, logs};
use generator::own::{Outcome, Writer, Written};
use generator::{Spent, Stop, generate};
use ranking::parse_own_tools;
use retrieval::Encoder;

/// An error of a pack as a sentence.
fn sentence(error: ToolsError) -> String {
    format!("{error}.")
}

impl Host {
    /// Replaces the current pack with tools or a pack.
    ///
    /// # Errors
    /// A sentence with the field that is wrong and the remedy.
    pub(super) async fn read_own_tools(
        &self,
        request: &ReadOwnTools,
    ) -> Result<OwnToolsView, String> {
        let file = match ToolsFile::is_one(&request.text) {
            true => ToolsFile::read(&request.text),
            false => {
                let tools = parse_own_tools(request.text.as_bytes());
                let tools = tools.map_err(|error| format!("{error}."))?;
                ToolsFile::read(&ToolsFile::new(&request.name, tools).text())
            }
        };
        self.own_pack.replace(file.map_err(sentence)?, self.encoder()).await
    }

    /// Replaces the current pack with the example.
    ///
    /// # Errors
    /// While a model is writing tasks.
    pub(super) async fn read_example(&self) -> Result<OwnToolsView, String> {
        self.own_pack
            .replace(ToolsFile::read(example::PACK).map_err(sentence)?, self.encoder())
            .await
    }

    /// The tab's last pack; `None` without one, or after removing it.
    ///
    /// # Errors
    /// When the browser's storage fails.
    pub(super) async fn last_own_tools(
        &self,
        forget: bool,
    ) -> Result<Option<OwnToolsView>, String> {
        match forget {
            true => self.own_pack.clear().await.map(|()| None),
            false => self.own_pack.last(self.encoder()).await,
        }
    }

    /// Changes the pack on the page, also while a model writes tasks into it.
    ///
    /// # Errors
    /// What is wrong with the change; the pack is as before.
    pub(super) async fn change_own_tools(
        &self,
        wanted: ChangeOwnTools,
    ) -> Result<OwnToolsView, String> {
        self.own_pack.change(self.encoder(), |file| change(file, wanted)).await
    }

    /// What writing tasks would take.
    ///
    /// # Errors
    /// When there is no pack.
    pub(super) async fn estimate_tasks(&self, count: usize) -> Result<Spent, String> {
        Ok(generator::own::estimate(&self.own_pack.file().await?, count))
    }

    /// The pack's file, to save.
    ///
    /// # Errors
    /// When there is no pack, or the browser refuses.
    pub(super) async fn own_tools_file(&self) -> Result<MadeFile, String> {
        file_of("tools.json", self.own_pack.file().await?.text().as_bytes())
    }

    /// Writes tasks, and reports each answer to the page.
    ///
    /// # Errors
    /// Why none could be asked for, or judged.
    pub(super) async fn write_tasks(
        &self,
        request: WriteTasks,
        page: Teller<WriteTasks>,
    ) -> Result<Stop, String> {
        let own = self.own.borrow().clone().ok_or(super::NOT_LOADED)?;
        own.searchable().await?;
        let encoder = own.encoder().ok_or("The search model is not loaded; reload the page.")?;
        let task = self.run_alone()?;
        let ports = Browser::new(task.watch.clone());
        self.own_pack.set_writing(true);
        let stop = self.write(request, &encoder, &ports, page).await;
        self.own_pack.set_writing(false);
        stop
    }

    /// Writes tasks into the pack on the page; each is stored before the next request.
    async fn write(
        &self,
        request: WriteTasks,
        encoder: &Encoder,
        ports: &Browser,
        page: Teller<WriteTasks>,
    ) -> Result<Stop, String> {
        let WriteTasks { settings, asking, key } = request;
        let embed = |text: &str| encoder.encode(text);
        let writer = Writer::new(self.own_pack.file().await?, settings, &embed);
        let mut writer = writer.map_err(|error| error.to_string())?;
        let (mut accepted, mut spent) = (0, Spent::default());
        let keep = async |written: Written| {
            spent.add(written.spent);
            let mut progress = TasksProgress { accepted, spent, pack: None, refused: None };
            match written.outcome {
                Outcome::Passed => {}
                Outcome::Failed { message } => progress.refused = Some(message),
                Outcome::Rejected { reasons } => {
                    let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                    progress.refused = Some(format!("{}: {}", written.tool, reasons.join("; ")));
                }
                Outcome::Accepted { task } => {
                    accepted += 1;
                    progress.accepted = accepted;
                    let author = asking.endpoint.model.clone();
                    let add = |file: &mut ToolsFile| {
                        file.written_by = Some(author);
                        file.add(vec![task]);
                        Ok(())
                    };
                    progress.pack = Some(self.own_pack.change(self.encoder(), add).await?);
                }
            }
            page.tell(&progress);
            Ok::<(), String>(())
        };
        let stop = generate(&mut writer, &asking, key.as_ref(), ports, &embed, keep).await;
        stop.map_err(|error| error.to_string())
    }

    /// Stores the pack in this browser, where runs find it by its digest.
    ///
    /// # Errors
    /// When the pack has no tasks, or the browser has no room.
    pub(super) async fn keep_own_tools(&self) -> Result<StoredPack, String> {
        let file = self.own_pack.file().await?;
        let text = file.text();
        let pack = file.into_pack().map_err(sentence)?;
        let count = |what: &str, count| PackFound { what: what.to_owned(), count };
        let tools = pack.tools.as_deref().map_or(0, |it: &Toolset| it.tools.len());
        let stored = StoredPack {
            digest: pack.digest.clone(),
            label: format!("{} {}", pack.manifest.name, pack.manifest.version),
            found: vec![count("tools", tools), count("tasks", pack.dialogues.len())],
            missing: Vec::new(),
            files: 1,
            bytes: text.len() as u64,
            imported_ms: js_sys::Date::now(),
        };
        let put = async {
            let files = [("tools.json", text)];
            let entries = [
                StoredText::json(ObjectStore::Packs, &stored.digest, &stored)?,
                StoredText::json(ObjectStore::PackFiles, &stored.digest, &files)?,
            ];
            Store::open().await?.put(&entries).await
        };
        put.await.map_err(|error: StoreError| error.to_string())?;
        Ok(stored)
    }
}

/// Applies a change; the limits are checked after it.
fn change(file: &mut ToolsFile, change: ChangeOwnTools) -> Result<(), String> {
    match change {
        ChangeOwnTools::AddLog { log, model } => {
            file.add(logs::read(&log).map_err(sentence)?);
            let given = Some(model.trim().to_owned()).filter(|model| !model.is_empty());
            file.written_by =
                given.or_else(|| logs::model(&log)).or_else(|| file.written_by.take());
        }
        ChangeOwnTools::Accept(ids) => {
            let drafts = file.dialogues.iter_mut().filter(|dialogue| ids.contains(&dialogue.id));
            drafts.for_each(|draft| draft.draft = false);
        }
        ChangeOwnTools::Remove(ids) => file.dialogues.retain(|it| !ids.contains(&it.id)),
        ChangeOwnTools::Edit { id, turns } => {
            let lines = turns.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            let read = lines.map(|(index, line)| {
                serde_json::from_str(line)
                    .map_err(|error| format!("Line {}: expected JSON: {error}.", index + 1))
            });
            let turns: Vec<_> = read.collect::<Result<_, _>>()?;
            if let Some(dialogue) = file.dialogues.iter_mut().find(|dialogue| dialogue.id == id) {
                dialogue.turns = turns;
            }
        }
        ChangeOwnTools::Describe { name, description } => {
            if let Some(tool) = file.tools.iter_mut().find(|tool| tool.name == name) {
                tool.description = description;
            }
        }
    }
    Ok(())
}
