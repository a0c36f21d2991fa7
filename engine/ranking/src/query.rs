//! Queries with the tools that they need.

use crate::corpus::Corpus;
use apis::search::{found_names, needed};
use apis::{Suite, registry};
use dataset::{Ability, Dialogue, Pack, Turn, encoding};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use strum::IntoStaticStr;

/// The most queries in a file.
pub const MOST_QUERIES: usize = 20_000;
/// The most bytes in a file of queries.
const MOST_BYTES: usize = 64 << 20;
/// The most characters of a query that are read.
const MOST_CHARACTERS: usize = 4_000;

/// Where queries come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum QueryKind {
    /// The keywords of the gold searches.
    Gold,
    /// Paraphrases of the gold keywords.
    Paraphrases,
    /// Phrases that were written from the dialogues alone.
    HeldOut,
    /// Phrases that were written by API.
    Phrases,
    /// What the user last said before the gold searches; a requirement needs several APIs.
    User,
    /// A file.
    File,
}

impl QueryKind {
    /// The built-in ones.
    pub const BUILTIN: [QueryKind; 5] = [
        QueryKind::Gold,
        QueryKind::Paraphrases,
        QueryKind::HeldOut,
        QueryKind::Phrases,
        QueryKind::User,
    ];

    /// The identifier.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The display name.
    pub const fn title(self) -> &'static str {
        match self {
            QueryKind::Gold => "gold keywords",
            QueryKind::Paraphrases => "paraphrases",
            QueryKind::HeldOut => "held-out phrases",
            QueryKind::Phrases => "phrases by API",
            QueryKind::User => "the user's words",
            QueryKind::File => "file",
        }
    }
}

/// A text to search with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// Unique among the queries of an evaluation.
    pub id: String,
    /// Queries of one cluster are not independent: the dialogue, or the API that phrases are for.
    pub cluster: String,
    /// Where it comes from.
    pub kind: QueryKind,
    /// The text.
    pub text: String,
    /// The names of the tools that it needs; at least one.
    pub relevant: Vec<String>,
    /// The suite that is searched in a pool by suite.
    pub suite: Option<Suite>,
    /// The domain of the first relevant tool.
    pub group: String,
}

/// Why queries can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {field}: {reason}")]
pub struct QueryError {
    /// The file, or the line.
    pub place: String,
    /// The field, or `line` for all of it.
    pub field: String,
    /// What was expected and what was found.
    pub reason: String,
}

/// The contents of the files in `dataset/search`.
#[derive(Debug, Clone, Copy)]
pub struct QueryFiles<'a> {
    /// `paraphrases.jsonl`.
    pub paraphrases: &'a str,
    /// `held-out.jsonl`.
    pub held_out: &'a str,
    /// `phrases/*.jsonl`, one after the other.
    pub phrases: &'a str,
}

impl QueryFiles<'static> {
    /// The files, for programs that contain them.
    pub const BUILTIN: Self = QueryFiles {
        paraphrases: include_str!("../../../dataset/search/paraphrases.jsonl"),
        held_out: include_str!("../../../dataset/search/held-out.jsonl"),
        phrases: concat!(
            include_str!("../../../dataset/search/phrases/account.jsonl"),
            include_str!("../../../dataset/search/phrases/communication.jsonl"),
            include_str!("../../../dataset/search/phrases/entertainment.jsonl"),
            include_str!("../../../dataset/search/phrases/finance.jsonl"),
            include_str!("../../../dataset/search/phrases/health.jsonl"),
            include_str!("../../../dataset/search/phrases/information.jsonl"),
            include_str!("../../../dataset/search/phrases/schedule.jsonl"),
            include_str!("../../../dataset/search/phrases/smart_home.jsonl"),
            include_str!("../../../dataset/search/phrases/travel.jsonl"),
        ),
    };
}

#[derive(Deserialize)]
struct Paraphrased {
    sample: String,
    api: String,
    phrases: Vec<String>,
}

#[derive(Deserialize)]
struct HeldOut {
    sample: String,
    api: String,
    phrase: String,
}

#[derive(Deserialize)]
struct Phrase {
    suite: Suite,
    api: String,
    phrase: String,
}

impl Query {
    /// The queries of one kind; none of [`QueryKind::File`].
    ///
    /// # Errors
    /// When a line of a file can't be read.
    pub fn builtin(
        pack: &Pack,
        files: QueryFiles<'_>,
        kind: QueryKind,
    ) -> Result<Vec<Self>, QueryError> {
        match kind {
            QueryKind::Gold => Ok(pack.dialogues.iter().flat_map(gold).collect()),
            QueryKind::User => Ok(pack.dialogues.iter().flat_map(user).collect()),
            QueryKind::Paraphrases => paraphrases(pack, files.paraphrases),
            QueryKind::HeldOut => held_out(pack, files.held_out),
            QueryKind::Phrases => phrases(files.phrases),
            QueryKind::File => Ok(Vec::new()),
        }
    }

    /// A text without gold, for a single search.
    pub fn free(text: &str) -> Self {
        let text: String = text.chars().take(MOST_CHARACTERS).collect();
        Query {
            id: text.clone(),
            cluster: String::new(),
            kind: QueryKind::File,
            text,
            relevant: Vec::new(),
            suite: None,
            group: String::new(),
        }
    }

    /// The queries that need a tool of a corpus.
    pub fn answerable(queries: &[Self], corpus: &Corpus) -> Vec<Self> {
        let names = corpus.names();
        let is_there = |query: &&Query| query.relevant.iter().any(|name| names.contains(name));
        queries.iter().filter(is_there).cloned().collect()
    }

    /// A query for one API of a suite.
    fn of(kind: QueryKind, id: String, cluster: &str, text: &str, suite: Suite, api: &str) -> Self {
        Query {
            id: format!("{}:{id}", kind.as_str()),
            cluster: cluster.to_owned(),
            kind,
            text: text.to_owned(),
            relevant: vec![api.to_owned()],
            suite: Some(suite),
            group: domain(suite, api),
        }
    }
}

fn domain(suite: Suite, api: &str) -> String {
    registry::find(suite, api).map_or_else(String::new, |api| api.domain.title().to_owned())
}

/// The searches of a dialogue: turn, keywords and the API that is called afterwards.
fn searches(dialogue: &Dialogue) -> Vec<(usize, &str, String)> {
    let calls =
        dialogue.turns.iter().enumerate().filter_map(|(turn, it)| Some((turn, it.as_call()?)));
    let searches = calls.filter(|(_, call)| call.is_search());
    searches
        .filter_map(|(turn, call)| {
            let keywords = call.param_dict.get("keywords")?.as_str()?;
            let found = found_names(&call.result);
            let later = dialogue.turns.iter().skip(turn + 1).filter_map(Turn::as_call);
            // The last result is the match; a login may stand before it.
            let wanted = needed(&call.result)?;
            let called = later.map(|call| &call.api_name).find(|name| **name == wanted);
            let api = called.cloned().or_else(|| found.last().cloned())?;
            Some((turn, keywords, api))
        })
        .collect()
}

fn gold(dialogue: &Dialogue) -> Vec<Query> {
    let suite = dialogue.ability.suite();
    let query = |(turn, keywords, api): (usize, &str, String)| {
        let id = format!("{}#{turn}", dialogue.id);
        Query::of(QueryKind::Gold, id, &dialogue.id, keywords, suite, &api)
    };
    searches(dialogue).into_iter().map(query).collect()
}

/// One query per user turn that leads to searches, for all of their APIs.
fn user(dialogue: &Dialogue) -> Vec<Query> {
    let suite = dialogue.ability.suite();
    let mut by_turn: BTreeMap<usize, (&str, Vec<String>)> = BTreeMap::new();
    for (turn, _, api) in searches(dialogue) {
        let before = dialogue.turns.iter().enumerate().take(turn);
        let said = before.rev().find_map(|(turn, it)| match it {
            Turn::User { text } => Some((turn, text.as_str())),
            _ => None,
        });
        let Some((turn, text)) = said else { continue };
        let relevant = &mut by_turn.entry(turn).or_insert((text, Vec::new())).1;
        if !relevant.contains(&api) {
            relevant.push(api);
        }
    }
    let query = |(turn, (text, relevant)): (usize, (&str, Vec<String>))| {
        let first = relevant.first().map(String::as_str).unwrap_or_default();
        let id = format!("{}#{turn}", dialogue.id);
        let one = Query::of(QueryKind::User, id, &dialogue.id, text, suite, first);
        Query { relevant, ..one }
    };
    by_turn.into_iter().map(query).collect()
}

/// The dialogue and suite of a sample's id.
fn dialogue_of<'a>(
    pack: &'a Pack,
    place: &str,
    sample: &str,
) -> Result<(&'a str, Suite), QueryError> {
    let id = sample.split('#').next().unwrap_or_default();
    let dialogue = pack.dialogue(id).ok_or_else(|| QueryError {
        place: place.to_owned(),
        field: "sample".to_owned(),
        reason: format!("expected a sample of the pack, found {sample}"),
    })?;
    Ok((&dialogue.id, Ability::suite(dialogue.ability)))
}

fn rows<'a, T: Deserialize<'a>>(
    file: &'static str,
    text: &'a str,
) -> impl Iterator<Item = Result<(String, T), QueryError>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(move |(index, line)| {
        let place = format!("{file}, line {}", index + 1);
        match serde_json::from_str(line) {
            Ok(row) => Ok((place, row)),
            Err(error) => {
                let reason = error.to_string();
                Err(QueryError { place, field: "line".to_owned(), reason })
            }
        }
    })
}

fn paraphrases(pack: &Pack, text: &str) -> Result<Vec<Query>, QueryError> {
    let mut queries = Vec::new();
    for row in rows("paraphrases.jsonl", text) {
        let (place, Paraphrased { sample, api, phrases }) = row?;
        let (dialogue, suite) = dialogue_of(pack, &place, &sample)?;
        for (index, phrase) in phrases.iter().enumerate() {
            let id = format!("{sample}/{}", index + 1);
            queries.push(Query::of(QueryKind::Paraphrases, id, dialogue, phrase, suite, &api));
        }
    }
    Ok(queries)
}

fn held_out(pack: &Pack, text: &str) -> Result<Vec<Query>, QueryError> {
    let mut queries = Vec::new();
    for (index, row) in rows("held-out.jsonl", text).enumerate() {
        let (place, HeldOut { sample, api, phrase }) = row?;
        let (dialogue, suite) = dialogue_of(pack, &place, &sample)?;
        let id = format!("{sample}/{}", index + 1);
        queries.push(Query::of(QueryKind::HeldOut, id, dialogue, &phrase, suite, &api));
    }
    Ok(queries)
}

fn phrases(text: &str) -> Result<Vec<Query>, QueryError> {
    let mut queries = Vec::new();
    for (index, row) in rows("phrases", text).enumerate() {
        let (_, Phrase { suite, api, phrase }) = row?;
        let (id, cluster) = ((index + 1).to_string(), format!("{}/{api}", suite.as_str()));
        queries.push(Query::of(QueryKind::Phrases, id, &cluster, &phrase, suite, &api));
    }
    Ok(queries)
}

/// Parses queries in the shape of ToolRet, as JSON lines or a list: `id`, `query`, and `labels`, a
/// list of tool ids or of objects with `id` and `relevance` (0 is not relevant), or such a list as
/// text.
///
/// # Errors
/// The line and field that are wrong.
pub fn parse_queries(bytes: &[u8]) -> Result<Vec<Query>, QueryError> {
    let fail = |place: &str, field: &str, reason: String| {
        Err(QueryError { place: place.to_owned(), field: field.to_owned(), reason })
    };
    if bytes.len() > MOST_BYTES {
        let (most, found) = (MOST_BYTES >> 20, bytes.len() >> 20);
        return fail("queries", "file", format!("expected at most {most} MiB, found {found}"));
    }
    let text = match encoding::utf8(bytes) {
        Ok(text) => text,
        Err(error) => return fail("queries", "file", error.to_string()),
    };
    let bytes = &*text;
    let rows: Vec<(String, Value)> = match serde_json::from_slice::<Vec<Value>>(bytes) {
        Ok(rows) => {
            rows.into_iter().enumerate().map(|(at, row)| (format!("queries[{at}]"), row)).collect()
        }
        Err(_) => {
            let mut rows = Vec::new();
            for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
                if line.trim_ascii().is_empty() {
                    continue;
                }
                let place = format!("line {}", index + 1);
                match serde_json::from_slice(line) {
                    Ok(row) => rows.push((place, row)),
                    Err(error) => return fail(&place, "line", format!("expected JSON: {error}")),
                }
                if rows.len() > MOST_QUERIES {
                    break;
                }
            }
            rows
        }
    };
    if rows.is_empty() || rows.len() > MOST_QUERIES {
        let reason = format!("expected 1 to {MOST_QUERIES} queries, found {}", rows.len());
        return fail("queries", "file", reason);
    }
    let mut seen = BTreeSet::new();
    let mut queries = Vec::with_capacity(rows.len());
    for (place, row) in rows {
        let query = query(&place, &row)?;
        if !seen.insert(query.id.clone()) {
            return fail(&place, "id", format!("expected a unique id, found {:?} again", query.id));
        }
        queries.push(query);
    }
    Ok(queries)
}

fn query(place: &str, row: &Value) -> Result<Query, QueryError> {
    let wrong = |field: &str, expected: &str, found: &Value| QueryError {
        place: place.to_owned(),
        field: field.to_owned(),
        reason: format!("expected {expected}, found {}", shortened(found)),
    };
    let text = |field: &str| match row.get(field) {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text.clone()),
        Some(Value::Number(number)) if field == "id" => Ok(number.to_string()),
        found => Err(wrong(field, "a text", found.unwrap_or(&Value::Null))),
    };
    let (id, said) = (text("id")?, text("query")?);
    let labels = row.get("labels").unwrap_or(&Value::Null);
    let parsed = match labels {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| labels.clone()),
        other => other.clone(),
    };
    let list = parsed.as_array().ok_or_else(|| wrong("labels", "a list of tools", &parsed))?;
    let mut relevant: Vec<String> = Vec::new();
    for (index, label) in list.iter().enumerate() {
        let name = label.as_str().or_else(|| label.get("id").and_then(Value::as_str));
        let field = format!("labels[{index}]");
        let name = name.ok_or_else(|| wrong(&field, "a tool's id", label))?;
        let relevance = label.get("relevance").map_or(Some(1.0), Value::as_f64);
        let relevance = relevance.ok_or_else(|| wrong(&field, "a number as relevance", label))?;
        if relevance > 0.0 && !relevant.iter().any(|it| it == name) {
            relevant.push(name.to_owned());
        }
    }
    if relevant.is_empty() {
        return Err(wrong("labels", "at least one relevant tool", &parsed));
    }
    let group = row.get("category").and_then(Value::as_str).unwrap_or_default().to_owned();
    let text = said.chars().take(MOST_CHARACTERS).collect();
    let (cluster, kind) = (id.clone(), QueryKind::File);
    Ok(Query { id, cluster, kind, text, relevant, suite: None, group })
}

fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, Vec<String>)>, String> {
        let queries = parse_queries(text.as_bytes()).map_err(|error| error.to_string())?;
        Ok(queries.into_iter().map(|query| (query.text, query.relevant)).collect())
    }

    #[test]
    fn toolret_queries_are_read() {
        let expected = Ok(vec![("weather?".to_owned(), vec!["a".to_owned(), "b".to_owned()])]);
        for labels in [
            r#"["a", "b", "a"]"#,
            r#"[{"id": "a", "relevance": 1}, {"id": "b", "doc": {}}, {"id": "c", "relevance": 0}]"#,
            r#""[{\"id\": \"a\"}, {\"id\": \"b\"}]""#,
        ] {
            let row = format!(r#"{{"id": "q", "query": "weather?", "labels": {labels}}}"#);
            assert_eq!(read(&row), expected, "{row}");
            assert_eq!(read(&format!("[{row}]")), expected, "{row}");
        }
    }

    #[test]
    fn the_built_in_files_are_whole() {
        let folder =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dataset/search/phrases");
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let all: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        assert_eq!(QueryFiles::BUILTIN.phrases, all);
    }

    #[test]
    fn errors_name_line_and_field() {
        for (text, expected) in [
            ("", "queries: file: expected 1 to 20000 queries, found 0"),
            ("{", "line 1: line: expected JSON"),
            (r#"{"query": "x"}"#, "line 1: id: expected a text, found null"),
            (r#"{"id": 1, "query": ""}"#, "line 1: query: expected a text"),
            (r#"{"id": 1, "query": "x"}"#, "line 1: labels: expected a list of tools, found null"),
            (
                r#"{"id": 1, "query": "x", "labels": [1]}"#,
                "line 1: labels[0]: expected a tool's id",
            ),
            (r#"{"id": 1, "query": "x", "labels": []}"#, "line 1: labels: expected at least one"),
            (r#"[{"id": 1, "query": "x", "labels": "y"}]"#, "queries[0]: labels: expected a list"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.starts_with(expected), "{text}: {found}");
        }
        let row = r#"{"id": 1, "query": "x", "labels": ["a"]}"#;
        let found = read(&format!("{row}\n{row}")).unwrap_err();
        assert!(found.starts_with("line 2: id: expected a unique id"), "{found}");
    }
}
