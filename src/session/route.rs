//! Routes, encoded in the fragment of the address, so that the site works under any path.

use super::browse::DatasetFilter;
use crate::t;
use crate::texts::Texts;
use apis::Suite;
use dataset::{Ability, Split, horizon, own_tools};
use std::fmt::Write as _;

/// A route of the app.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Route {
    /// `#/run`: settings, progress, results.
    #[default]
    Run,
    /// `#/run?…`: fills in the form from the query, see [`super::form_address`].
    Fill(String),
    /// `#/shared?…`: a result claimed by the query, see [`super::claim`].
    Shared(String),
    /// `#/results`: the same page, scrolled to the results.
    Results,
    /// `#/records`: the runs stored in this browser.
    Records,
    /// `#/verify`: verification of a record file.
    Verify,
    /// `#/sample/<run>/<id>`: one sample of the run with this name, see [`super::Run::name`];
    /// `#/sample/<id>`: of the loaded run.
    Sample {
        /// The run; `None` for the loaded one.
        run: Option<String>,
        /// The sample's id.
        id: String,
    },
    /// `#/import`: the available packs.
    Data,
    /// `#/audit`: the gold judged by every profile.
    Audit,
    /// `#/apis`: the pool.
    Apis,
    /// `#/apis/<suite>/<Name>`: one API.
    Api(Suite, String),
    /// `#/compare`: comparison of records.
    Compare,
    /// `#/endpoints`: one model behind several endpoints.
    Endpoints,
    /// `#/leaderboard`: the records of the repository.
    Leaderboard,
    /// `#/demo`: a dialogue step by step; `#/demo/<dialogue>` a specific one.
    Demo(Option<String>),
    /// `#/play?…`: the game of this query, see [`super::game::Terms`].
    Play(String),
    /// `#/dataset`: the dialogues, filtered by the query.
    Dataset(DatasetFilter),
    /// `#/dataset/<id>`: one dialogue.
    Dialogue(String),
    /// `#/generate`: generation of training dialogues.
    Generate,
    /// `#/search-lab`: evaluation of retrievers.
    SearchLab,
    /// `#/tools`: the user's own tools; with `?file=ADDRESS`, the page offers to fetch this file.
    Tools(String),
    /// `#/method`: tasks, protocols, scoring and metrics.
    Method,
    /// Anything else.
    Unknown(String),
}

impl Route {
    /// Parses a fragment, with or without `#`.
    pub fn parse(fragment: &str) -> Route {
        let address = fragment.trim_start_matches('#');
        if let Some((path, query)) = address.split_once('?') {
            match path.trim_matches('/') {
                "" | "run" => return Route::Fill(query.to_owned()),
                "shared" => return Route::Shared(query.to_owned()),
                "tools" => {
                    let file = query.split('&').find_map(|part| part.strip_prefix("file="));
                    return Route::Tools(file.map(decode).unwrap_or_default());
                }
                "play" => return Route::Play(query.to_owned()),
                "dataset" => return Route::Dataset(DatasetFilter::from_query(query, decode)),
                _ => {}
            }
        }
        let path = address.trim_matches('/');
        let parts: Vec<String> = path.split('/').map(decode).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match parts.as_slice() {
            [""] | ["run"] => Route::Run,
            ["results"] => Route::Results,
            ["records"] => Route::Records,
            ["verify"] => Route::Verify,
            ["sample", run, id @ ..] if !id.is_empty() && !is_folder(run) => {
                Route::Sample { run: Some((*run).to_owned()), id: id.join("/") }
            }
            ["sample", id @ ..] if !id.is_empty() => Route::Sample { run: None, id: id.join("/") },
            ["import"] => Route::Data,
            ["audit"] => Route::Audit,
            ["apis"] => Route::Apis,
            ["apis", suite, name] => match suite_of(suite) {
                Some(suite) => Route::Api(suite, (*name).to_owned()),
                None => Route::Unknown(path.to_owned()),
            },
            ["compare"] => Route::Compare,
            ["endpoints"] => Route::Endpoints,
            ["leaderboard"] => Route::Leaderboard,
            ["demo"] => Route::Demo(None),
            ["demo", id @ ..] => Route::Demo(Some(id.join("/"))),
            ["play"] => Route::Play(String::new()),
            ["dataset"] => Route::Dataset(DatasetFilter::default()),
            ["dataset", id @ ..] => Route::Dialogue(id.join("/")),
            ["generate"] => Route::Generate,
            ["search-lab"] => Route::SearchLab,
            ["tools"] => Route::Tools(String::new()),
            ["method"] => Route::Method,
            _ => Route::Unknown(path.to_owned()),
        }
    }

    /// The fragment of the route.
    pub fn href(&self) -> String {
        match self {
            Route::Run => "#/run".to_owned(),
            Route::Fill(query) => format!("#/run?{query}"),
            Route::Shared(query) => format!("#/shared?{query}"),
            Route::Results => "#/results".to_owned(),
            Route::Records => "#/records".to_owned(),
            Route::Verify => "#/verify".to_owned(),
            Route::Sample { run: Some(run), id } => {
                format!("#/sample/{}/{}", encode(run), encode(id))
            }
            Route::Sample { run: None, id } => format!("#/sample/{}", encode(id)),
            Route::Data => "#/import".to_owned(),
            Route::Audit => "#/audit".to_owned(),
            Route::Apis => "#/apis".to_owned(),
            Route::Api(suite, name) => format!("#/apis/{}/{}", suite.as_str(), encode(name)),
            Route::Compare => "#/compare".to_owned(),
            Route::Endpoints => "#/endpoints".to_owned(),
            Route::Leaderboard => "#/leaderboard".to_owned(),
            Route::Demo(None) => "#/demo".to_owned(),
            Route::Demo(Some(id)) => format!("#/demo/{}", encode(id)),
            Route::Play(query) if query.is_empty() => "#/play".to_owned(),
            Route::Play(query) => format!("#/play?{query}"),
            Route::Dataset(filter) if filter.is_empty() => "#/dataset".to_owned(),
            Route::Dataset(filter) => format!("#/dataset?{}", filter.query(encode)),
            Route::Dialogue(id) => format!("#/dataset/{}", encode(id)),
            Route::Generate => "#/generate".to_owned(),
            Route::SearchLab => "#/search-lab".to_owned(),
            Route::Tools(file) if file.is_empty() => "#/tools".to_owned(),
            Route::Tools(file) => format!("#/tools?file={}", encode(file)),
            Route::Method => "#/method".to_owned(),
            Route::Unknown(path) => format!("#/{path}"),
        }
    }

    /// Whether `?embed` shows the page without the frame.
    pub const fn is_embeddable(&self) -> bool {
        matches!(self, Route::Demo(_) | Route::Play(_))
    }

    /// The name of the page, for the window title.
    pub fn title(&self, texts: Texts) -> String {
        match self {
            Route::Run | Route::Fill(_) => t!(texts, "Run").to_owned(),
            Route::Shared(_) => t!(texts, "Shared result").to_owned(),
            Route::Results => t!(texts, "Results").to_owned(),
            Route::Records => t!(texts, "Records").to_owned(),
            Route::Verify => t!(texts, "Verify").to_owned(),
            Route::Sample { id, .. } => t!(texts, "Sample {id}", id = id),
            Route::Data => t!(texts, "Import").to_owned(),
            Route::Audit => t!(texts, "Gold audit").to_owned(),
            Route::Apis => t!(texts, "APIs").to_owned(),
            Route::Api(_, name) => name.clone(),
            Route::Compare => t!(texts, "Compare").to_owned(),
            Route::Endpoints => t!(texts, "Endpoints").to_owned(),
            Route::Leaderboard => t!(texts, "Leaderboard").to_owned(),
            Route::Demo(_) => t!(texts, "Demo").to_owned(),
            Route::Play(_) => t!(texts, "Game").to_owned(),
            Route::Dataset(_) => t!(texts, "Dataset").to_owned(),
            Route::Dialogue(id) => t!(texts, "Dialogue {id}", id = id),
            Route::Generate => t!(texts, "Generate").to_owned(),
            Route::SearchLab => t!(texts, "Search lab").to_owned(),
            Route::Tools(_) => t!(texts, "Your tools").to_owned(),
            Route::Method => t!(texts, "Method").to_owned(),
            Route::Unknown(_) => t!(texts, "Not found").to_owned(),
        }
    }
}

fn suite_of(name: &str) -> Option<Suite> {
    Suite::ALL.into_iter().find(|suite| suite.as_str() == name)
}

/// Whether ids of dialogues start with this folder: then no run's name precedes them.
fn is_folder(name: &str) -> bool {
    name == Split::Hard.as_str()
        || own_tools::FOLDER.strip_suffix('/') == Some(name)
        || name == horizon::NAME
        || Ability::ALL.iter().any(|ability| ability.as_str() == name)
}

/// Percent-encodes all characters except letters, digits and `-._~/`.
pub(super) fn encode(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

/// Decodes percent-encoding; invalid sequences stay unchanged.
pub(super) fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (bytes[at], byte) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(run: Option<&str>, id: &str) -> Route {
        Route::Sample { run: run.map(str::to_owned), id: id.to_owned() }
    }

    #[test]
    fn a_samples_address_names_its_run_or_means_the_loaded_one() {
        for (address, run, id) in [
            ("#/sample/call/a%231", None, "call/a#1"),
            ("#/sample/hard/a%231", None, "hard/a#1"),
            ("#/sample/horizon/errands-003-7@1", None, "horizon/errands-003-7@1"),
            ("#/sample/a%231", None, "a#1"),
            ("#/sample/gold-replay/call/a%231", Some("gold-replay"), "call/a#1"),
            // Data, not an address: the page compares it with the runs that it knows.
            ("#/sample/https%3A%2F%2Fx.org%2Fr/call/a%231", Some("https://x.org/r"), "call/a#1"),
        ] {
            assert_eq!(Route::parse(address), sample(run, id), "{address}");
        }
        assert!(matches!(Route::parse("#/sample"), Route::Unknown(_)));
    }

    #[test]
    fn routes_round_trip() {
        for route in [
            Route::Run,
            Route::Fill("model=a%26b&seed=2".to_owned()),
            Route::Shared("profile=exact".to_owned()),
            Route::Results,
            Route::Records,
            Route::Verify,
            sample(None, "call/early-train#3"),
            sample(None, "plan/50 % off#10"),
            sample(None, "hard/left-on-read#3"),
            sample(Some("keyword-baseline"), "call/early-train#3"),
            sample(Some("keyword-baseline-hard"), "hard/left-on-read#3-stop"),
            sample(Some("0001795809600-0a1b2c3d"), "plan/50 % off#10@2"),
            sample(Some("https:"), "call/a#1"),
            Route::Data,
            Route::Audit,
            Route::Apis,
            Route::Api(Suite::Planning, "AddMeeting".to_owned()),
            Route::Compare,
            Route::Endpoints,
            Route::Leaderboard,
            Route::Demo(None),
            Route::Demo(Some("retrieve/a b".to_owned())),
            Route::Play(String::new()),
            Route::Play("ability=plan&seed=7".to_owned()),
            Route::Dataset(DatasetFilter::default()),
            Route::Dataset(DatasetFilter {
                text: "50 % & more/less".to_owned(),
                ..DatasetFilter::default()
            }),
            Route::Dialogue("plan/one two".to_owned()),
            Route::SearchLab,
            Route::Method,
        ] {
            assert_eq!(Route::parse(&route.href()), route, "{}", route.href());
        }
        assert_eq!(sample(None, "call/b#3").href(), "#/sample/call/b%233");
        assert_eq!(sample(Some("run-1"), "call/b#3").href(), "#/sample/run-1/call/b%233");
    }

    #[test]
    fn unknown_fragments_are_unknown_routes() {
        assert_eq!(Route::parse(""), Route::Run);
        assert_eq!(Route::parse("#/?model=m"), Route::Fill("model=m".to_owned()));
        assert_eq!(Route::parse("#/apis/other/X"), Route::Unknown("apis/other/X".to_owned()));
        assert_eq!(Route::parse("#/sample/%"), sample(None, "%"));
        assert!(matches!(Route::parse("#/nowhere"), Route::Unknown(_)));
        assert_eq!(Route::parse("#/debug/panic"), Route::Unknown("debug/panic".to_owned()));
    }
}
