//! The file of a pack of own tools: read with limits, written with its digest.

use super::{FOLDER, Pool, Tool, Toolset, schema};
use crate::dialogue::Dialogue;
use crate::pack::{Manifest, Pack};
use apis::nesting::is_too_deep;
use apis::search::TOOL_SEARCHER;
use apis::store::hex;
use apis::{Date, World};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Name of the format.
pub const SCHEMA: &str = "api-bank-tools";
/// Version of the format.
pub const SCHEMA_VERSION: u32 = 1;

/// The maximum sizes of a file.
#[derive(Debug, Clone, Copy)]
pub struct Limits;

impl Limits {
    /// Bytes of a file.
    pub const BYTES: usize = 8 << 20;
    /// Tools.
    pub const TOOLS: usize = 500;
    /// Dialogues.
    pub const DIALOGUES: usize = 2_000;
    /// Turns of a dialogue.
    pub const TURNS: usize = 100;
    /// Bytes of a name.
    pub const NAME: usize = 64;
    /// Bytes of a tool's description and schema together.
    pub const TOOL: usize = 64 << 10;
    /// Bytes of a turn.
    pub const TURN: usize = 256 << 10;
}

/// Why a pack can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct ToolsError {
    /// The field, such as `tools[3].name`.
    pub field: String,
    /// What was expected, what was found, and the remedy.
    pub reason: String,
}

fn error(field: impl Into<String>, reason: impl Into<String>) -> ToolsError {
    ToolsError { field: field.into(), reason: reason.into() }
}

/// A pack of own tools as one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ToolsFile {
    /// Name of the format: [`SCHEMA`].
    pub schema: String,
    /// Version of the format: [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Name of the pack.
    pub name: String,
    /// The version, for example `1`.
    pub version: String,
    /// The date of the conversations; prompts name its year.
    #[serde(default = "first_of_2026")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub today: Date,
    /// The model that wrote the tasks; absent for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_by: Option<String>,
    /// SHA-256 of the rest of the file, see [`ToolsFile::digest`]; absent before it is written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The tools, 1 to [`Limits::TOOLS`].
    pub tools: Vec<Tool>,
    /// The tasks.
    #[serde(default)]
    pub dialogues: Vec<OwnDialogue>,
}

fn first_of_2026() -> Date {
    Date(jiff::civil::date(2026, 1, 1))
}

/// A task: a dialogue with its gold calls and their recorded results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OwnDialogue {
    /// Unique: lower-case letters, digits and `-`.
    pub id: String,
    /// Whether a model wrote it and nobody has accepted it yet. Runs leave drafts out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// Tools that a model could mistake for the right ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
    /// The turns, as in `dataset/dialogues`.
    pub turns: Vec<Value>,
}

impl ToolsFile {
    /// A pack without tasks.
    pub fn new(name: &str, tools: Vec<Tool>) -> Self {
        ToolsFile {
            schema: SCHEMA.to_owned(),
            schema_version: SCHEMA_VERSION,
            name: name.to_owned(),
            version: "1".to_owned(),
            today: first_of_2026(),
            written_by: None,
            digest: String::new(),
            tools,
            dialogues: Vec::new(),
        }
    }

    /// Whether a text looks like a pack, so that errors are about its fields.
    pub fn is_one(text: &str) -> bool {
        let head: String = text.chars().take(1_000).collect();
        text.trim_start().starts_with('{') && head.contains(&format!("\"{SCHEMA}\""))
    }

    /// Reads a pack and checks everything but the tasks' meaning, see [`super::checks`].
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn read(text: &str) -> Result<Self, ToolsError> {
        if text.len() > Limits::BYTES {
            let (most, found) = (Limits::BYTES >> 20, text.len().div_ceil(1 << 20));
            return Err(error("file", format!("expected at most {most} MiB, found {found}")));
        }
        let value: Value = serde_json::from_str(text)
            .map_err(|it| error("file", format!("expected JSON: {it}")))?;
        if value["schema"] != SCHEMA {
            return Err(error("schema", format!("expected {SCHEMA:?}, found {}", value["schema"])));
        }
        if value["schema_version"] != SCHEMA_VERSION {
            let found = &value["schema_version"];
            let reason = format!("expected {SCHEMA_VERSION}, found {found}: use a newer program");
            return Err(error("schema_version", reason));
        }
        if is_too_deep(&value) {
            let most = apis::nesting::MOST_LEVELS;
            return Err(error("file", format!("is nested deeper than {most} levels; flatten it")));
        }
        let mut file =
            ToolsFile::deserialize(&value).map_err(|it| error("file", it.to_string()))?;
        file.check()?;
        for tool in &mut file.tools {
            tool.parameters = schema::inlined(&tool.parameters, &tool.parameters);
        }
        let digest = file.digest();
        if !file.digest.is_empty() && file.digest != digest {
            let reason = format!(
                "is not that of this file, {digest}: the file was changed; remove the field to take it \
                 as a new pack"
            );
            return Err(error("digest", reason));
        }
        file.digest = digest;
        Ok(file)
    }

    fn check(&self) -> Result<(), ToolsError> {
        for (field, text) in [("name", &self.name), ("version", &self.version)] {
            check_title(field, text)?;
        }
        if let Some(model) = &self.written_by {
            check_title("written_by", model)?;
        }
        check_tools(&self.tools)?;
        if self.dialogues.len() > Limits::DIALOGUES {
            let (most, found) = (Limits::DIALOGUES, self.dialogues.len());
            return Err(error("dialogues", format!("expected at most {most}, found {found}")));
        }
        let mut seen = BTreeSet::new();
        for (index, dialogue) in self.dialogues.iter().enumerate() {
            let field = format!("dialogues[{index}]");
            let OwnDialogue { id, near, turns, .. } = dialogue;
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if id.is_empty() || id.len() > Limits::NAME || !id.chars().all(fits) {
                let reason = "expected 1 to 64 lower-case letters, digits and -";
                return Err(error(format!("{field}.id"), reason));
            }
            if !seen.insert(id) {
                return Err(error(format!("{field}.id"), format!("{id:?} is there twice")));
            }
            if let Some(name) =
                near.iter().find(|name| !self.tools.iter().any(|own| own.name == **name))
            {
                return Err(error(format!("{field}.near"), format!("there is no tool {name:?}")));
            }
            if turns.is_empty() || turns.len() > Limits::TURNS {
                let (most, found) = (Limits::TURNS, turns.len());
                let reason = format!("expected 1 to {most} turns, found {found}");
                return Err(error(format!("{field}.turns"), reason));
            }
            let long = turns.iter().position(|turn| turn.to_string().len() > Limits::TURN);
            if let Some(turn) = long {
                let reason = format!("is longer than {} KiB; shorten it", Limits::TURN >> 10);
                return Err(error(format!("{field}.turns[{turn}]"), reason));
            }
        }
        Ok(())
    }

    /// SHA-256 of the file without its digest, as minified JSON in the order of its fields; hexadecimal.
    pub fn digest(&self) -> String {
        let bare = ToolsFile { digest: String::new(), ..self.clone() };
        let text = serde_json::to_string(&bare).unwrap_or_default();
        hex(&Sha256::digest(text))
    }

    /// The file's text, with its digest.
    pub fn text(&self) -> String {
        let whole = ToolsFile { digest: self.digest(), ..self.clone() };
        serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
    }

    /// Adds tasks, with ids of the same stem that are free.
    pub fn add(&mut self, tasks: Vec<OwnDialogue>) {
        let mut next = 1;
        for task in tasks {
            let stem = task.id.trim_end_matches(|c: char| c.is_ascii_digit());
            let is_taken = |id: &String| self.dialogues.iter().any(|dialogue| dialogue.id == *id);
            let mut free = (next..).map(|number| (number, format!("{stem}{number}")));
            let Some((number, id)) = free.find(|(_, id)| !is_taken(id)) else { return };
            next = number + 1;
            self.dialogues.push(OwnDialogue { id, ..task });
        }
    }

    /// The tools, with each dialogue's near misses.
    pub fn toolset(&self) -> Toolset {
        let near = self.dialogues.iter().map(|it| (format!("{FOLDER}{}", it.id), it.near.clone()));
        Toolset {
            tools: self.tools.clone(),
            near: near.filter(|(_, near)| !near.is_empty()).collect::<BTreeMap<_, _>>(),
            written_by: self.written_by.clone(),
        }
    }

    /// The dialogues, read.
    ///
    /// # Errors
    /// The first turn that is wrong.
    pub fn read_dialogues(&self, tools: &Toolset) -> Result<Vec<Dialogue>, ToolsError> {
        let read = |(index, it): (usize, &OwnDialogue)| {
            let (file, id) = (format!("dialogues[{index}]"), format!("{FOLDER}{}", it.id));
            Dialogue::read_own(&file, id, &it.turns, Pool::Own(tools))
                .map_err(|it| error("dialogues", it.to_string().replace(", line ", ", turn ")))
        };
        let mut dialogues: Vec<Dialogue> =
            self.dialogues.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        dialogues.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(dialogues)
    }

    /// The pack that runs, without drafts.
    ///
    /// # Errors
    /// If it has no accepted tasks, or one has a wrong turn.
    pub fn into_pack(mut self) -> Result<Pack, ToolsError> {
        let digest = self.digest();
        let drafts = self.dialogues.len();
        self.dialogues.retain(|dialogue| !dialogue.draft);
        if self.dialogues.is_empty() {
            let found = match drafts {
                0 => "none",
                _ => "only drafts: read and accept them",
            };
            return Err(error("dialogues", format!("expected at least one task, found {found}")));
        }
        let tools = self.toolset();
        let dialogues = self.read_dialogues(&tools)?;
        let manifest = Manifest {
            name: self.name,
            version: self.version,
            today: self.today,
            seed: 1,
            variant: None,
            language: None,
            horizon: None,
            canary: None,
        };
        let mut world = World::empty(manifest.seed);
        world.today = manifest.today;
        let (hard, tools) = (Vec::new(), Some(Arc::new(tools)));
        Ok(Pack { manifest, world, dialogues, hard, digest, imported: None, tools })
    }
}

fn check_title(field: &str, text: &str) -> Result<(), ToolsError> {
    let count = text.chars().count();
    if text.trim().is_empty() || count > 100 || text.chars().any(char::is_control) {
        return Err(error(field, format!("expected 1 to 100 characters on a line, found {count}")));
    }
    Ok(())
}

/// Checks names, sizes and schemas of tools.
fn check_tools(tools: &[Tool]) -> Result<(), ToolsError> {
    if tools.is_empty() || tools.len() > Limits::TOOLS {
        let (most, found) = (Limits::TOOLS, tools.len());
        return Err(error("tools", format!("expected 1 to {most}, found {found}")));
    }
    let mut seen = BTreeSet::new();
    for (index, tool) in tools.iter().enumerate() {
        let (field, name) = (format!("tools[{index}]"), &tool.name);
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !begins || name.len() > Limits::NAME || !name.chars().all(letter) {
            let shown: String = name.chars().take(Limits::NAME).collect();
            let reason =
                format!("expected a letter, then up to 63 letters, digits and _, found {shown:?}");
            return Err(error(format!("{field}.name"), reason));
        }
        if name == TOOL_SEARCHER {
            let reason = format!("{name} is API Search's own name; rename the tool");
            return Err(error(format!("{field}.name"), reason));
        }
        if !seen.insert(name) {
            return Err(error(format!("{field}.name"), format!("{name:?} is there twice")));
        }
        let parameters = &tool.parameters;
        let is_object =
            parameters.is_object() && parameters.get("type").is_none_or(|it| it == "object");
        if !is_object {
            let reason =
                "expected a JSON Schema of an object: {\"type\": \"object\", \"properties\": {…}}";
            return Err(error(format!("{field}.parameters"), reason));
        }
        if tool.description.len() + parameters.to_string().len() > Limits::TOOL {
            let reason = format!("is longer than {} KiB; shorten it", Limits::TOOL >> 10);
            return Err(error(field, reason));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn file() -> Value {
        json!({
            "schema": SCHEMA, "schema_version": 1, "name": "n", "version": "1",
            "tools": [{"name": "AddAlarm", "description": "Adds it.", "parameters":
                {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}}],
            "dialogues": [{"id": "a", "turns": [
                {"role": "User", "text": "Wake me at six."},
                {"role": "API", "api_name": "AddAlarm", "param_dict": {"at": "six"},
                 "result": {"api_name": "AddAlarm", "output": "ok"}},
                {"role": "AI", "text": "Done."}]}],
        })
    }

    fn refused(change: impl Fn(&mut Value), words: &str) {
        let mut value = file();
        change(&mut value);
        let read = ToolsFile::read(&value.to_string()).and_then(ToolsFile::into_pack);
        let error = read.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }

    #[test]
    fn a_pack_is_read_written_and_keeps_its_digest() {
        let read = ToolsFile::read(&file().to_string()).unwrap();
        let again = ToolsFile::read(&read.text()).unwrap();
        assert_eq!(again, read);
        let pack = again.into_pack().unwrap();
        assert_eq!((pack.digest.clone(), pack.dialogues[0].id.as_str()), (read.digest, "tools/a"));
        assert_eq!(pack.source().tools.unwrap().count, 1);
        // Its own tool, although a built-in API has the name.
        assert!(pack.pool(crate::Ability::Call).own().unwrap().find("AddAlarm").is_some());
    }

    #[test]
    fn drafts_are_left_out_of_runs() {
        let mut two = file();
        two["dialogues"][0]["draft"] = json!(true);
        let drafts = ToolsFile::read(&two.to_string()).unwrap();
        let error = drafts.clone().into_pack().unwrap_err().to_string();
        assert!(error.contains("found only drafts"), "{error}");
        let mut both = drafts;
        both.add(vec![OwnDialogue { draft: false, ..both.dialogues[0].clone() }]);
        let pack = both.clone().into_pack().unwrap();
        assert_eq!(pack.dialogues.len(), 1);
        assert_eq!(pack.digest, both.digest());
    }

    #[test]
    fn hostile_packs_are_refused_where_they_are_wrong() {
        refused(|file| file["schema"] = json!("x"), "schema: expected");
        refused(|file| file["schema_version"] = json!(2), "newer program");
        refused(|file| file["digest"] = json!("00"), "the file was changed");
        refused(|file| file["endpoint"] = json!("https://example.com"), "unknown field `endpoint`");
        refused(|file| file["tools"] = json!([]), "tools: expected 1 to 500, found 0");
        refused(|file| file["tools"] = json!(vec![file["tools"][0].clone(); 501]), "found 501");
        refused(|file| file["tools"] = json!(vec![file["tools"][0].clone(); 2]), "is there twice");
        refused(|file| file["tools"][0]["name"] = json!("<b>x</b>"), "tools[0].name");
        refused(|file| file["tools"][0]["name"] = json!("ToolSearcher"), "rename the tool");
        refused(|file| file["tools"][0]["parameters"] = json!({"type": "string"}), "JSON Schema");
        refused(
            |file| file["tools"][0]["description"] = json!("x".repeat(70_000)),
            "longer than 64 KiB",
        );
        refused(|file| file["dialogues"] = json!([]), "at least one task");
        refused(|file| file["dialogues"][0]["id"] = json!("../a"), "dialogues[0].id");
        refused(
            |file| file["dialogues"] = json!(vec![file["dialogues"][0].clone(); 2]),
            "is there twice",
        );
        refused(|file| file["dialogues"][0]["near"] = json!(["Other"]), "no tool \"Other\"");
        refused(|file| file["dialogues"][0]["turns"][0]["key"] = json!(1), "turn 1: unknown field");
        refused(
            |file| file["dialogues"][0]["turns"][0]["text"] = json!("x".repeat(300_000)),
            "turns[0]",
        );
        let deep = (0..70).fold(json!(1), |inner, _| json!([inner]));
        refused(move |file| file["tools"][0]["parameters"]["x"] = deep.clone(), "nested deeper");
        let forbidden = json!([{"api_name": "QueryStock"}]);
        refused(
            move |file| file["dialogues"][0]["turns"][1]["forbid"] = forbidden.clone(),
            "has no API",
        );
        let bomb = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(ToolsFile::read(&bomb).unwrap_err().to_string().contains("expected JSON"));
        let large = " ".repeat(Limits::BYTES + 1);
        assert!(ToolsFile::read(&large).unwrap_err().to_string().contains("at most 8 MiB"));
    }
}
