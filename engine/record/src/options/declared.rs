//! The declarations. To add an option: its field in [`RunSettings`](crate::RunSettings) or
//! [`Endpoint`], an entry here, and the translations of its texts.

use super::{Group, Name, RunOption, Value, Values, endpoint, with_endpoint};
use crate::Model;
use crate::settings::{LONGEST_EPISODE, MOST_TRIALS};
use apis::search::SearchResults;
use exchange::protocol::{DescribedApis, Protocol, Steps};
use provider::{Endpoint, ToolChoice};

/// Declares the options and lists them in [`OPTIONS`].
macro_rules! options {
    ($($name:ident = $option:expr;)+) => {
        /// Every option, in the order of forms and of the command line. The protocol comes first, because
        /// it decides which others count.
        pub static OPTIONS: [&RunOption; [$(stringify!($name)),+].len()] = [$(&$name),+];

        $(
            #[allow(missing_docs, reason = "label and help document it")]
            pub static $name: RunOption = $option;
        )+
    };
}

options! {
    PROTOCOL = RunOption {
        help: "How the model is prompted, and which of its calls count.",
        values: Values::Names(&PROTOCOLS),
        read: |run| run.protocol.as_str().to_owned(),
        write: |run, value| run.protocol = named(&Protocol::ALL, Protocol::as_str, &value),
        ..prompts("protocol", "Protocol", "bracket")
    };

    STEPS = RunOption {
        help: "The graded steps of each dialogue. Some published numbers count only first calls.",
        values: Values::Names(&[
            name("all", "All calls and replies"),
            name("first", "The first call of each dialogue"),
        ]),
        counts: |run| !run.protocol.is_agent(),
        is_easier: |value| value == "first",
        is_ranked: true,
        read: |run| run.steps.as_str().to_owned(),
        write: |run, value| run.steps = named(&Steps::ALL, Steps::as_str, &value),
        ..prompts("steps", "Steps", "all")
    };

    DESCRIBED_APIS = RunOption {
        help: "The APIs that prompts of Call describe. The hard split has its own distractors; imported \
               data describes only its own.",
        values: Values::Names(&[
            name("own", "Only those of the dialogue"),
            name("15", "15, with distractors"),
            name("all", "All"),
        ]),
        counts: |run| !matches!(run.protocol, Protocol::Paper | Protocol::AllTools),
        is_easier: |value| value == "own",
        is_ranked: true,
        read: |run| run.described_apis.as_str().to_owned(),
        write: |run, value| {
            run.described_apis = named(&DescribedApis::ALL, DescribedApis::as_str, &value);
        },
        ..prompts("described_apis", "Described APIs", "15")
    };

    SEARCH_RESULTS = RunOption {
        help: "How many APIs a search returns. A search is right if the needed API is among them. \
               Imported data always returns 1.",
        values: Values::Names(&[name("5", "5 APIs"), name("1", "1 API, as in the paper")]),
        counts: |run| run.protocol != Protocol::AllTools,
        is_ranked: true,
        read: |run| run.search_results.as_str().to_owned(),
        write: |run, value| {
            run.search_results = named(&SearchResults::ALL, SearchResults::as_str, &value);
        },
        ..prompts("search_results", "API Search returns", "5")
    };

    TRIALS = RunOption {
        help: "Trials per sample. More than one reports pass^k.",
        values: Values::Whole { from: 1, to: MOST_TRIALS as u64 },
        read: |run| run.trials.to_string(),
        write: |run, value| run.trials = value.whole().unwrap_or_default(),
        ..prompts("trials", "Trials", "1")
    };

    TURN_LIMIT = RunOption {
        help: "The maximum number of answers per dialogue under agent and agent-text.",
        values: Values::Whole { from: 1, to: LONGEST_EPISODE as u64 },
        counts: |run| run.protocol.is_agent(),
        is_easier: |value| value.parse().is_ok_and(|it: usize| it > crate::turn_limit()),
        is_ranked: true,
        read: |run| run.turn_limit.to_string(),
        write: |run, value| run.turn_limit = value.whole().unwrap_or_default(),
        ..prompts("turn_limit", "Turn limit", "40")
    };

    SEED = RunOption {
        help: "Seed of the subset, its order, and the horizon tasks.",
        values: Values::Whole { from: 0, to: u32::MAX as u64 },
        read: |run| run.seed.to_string(),
        write: |run, value| run.seed = value.whole().unwrap_or_default(),
        ..prompts("seed", "Seed", "1")
    };

    TEMPERATURE = RunOption {
        help: "Sampling temperature.",
        values: Values::Decimal { zero: true, to: 2.0 },
        read: |run| text(endpoint(run).map(|endpoint| endpoint.temperature)),
        write: |run, value| with_endpoint(run, |endpoint| endpoint.temperature = value.decimal()),
        ..sampling("temperature", "Temperature", "0")
    };

    MAX_TOKENS = RunOption {
        help: "The maximum length of an answer, in tokens.",
        values: Values::Whole { from: 1, to: u32::MAX as u64 },
        // Small models write to the limit, and slowly in a page.
        suits: |model| is_in_page(model).then(|| "512".to_owned()),
        read: |run| text(endpoint(run).map(|endpoint| endpoint.max_tokens)),
        write: |run, value| with_endpoint(run, |endpoint| endpoint.max_tokens = value.whole()),
        ..sampling("max_tokens", "Max answer tokens", "4096")
    };

    TOP_P = RunOption {
        help: "Nucleus sampling (top-p).",
        values: Values::Decimal { zero: false, to: 1.0 },
        read: |run| text(endpoint(run).map(|endpoint| endpoint.top_p)),
        write: |run, value| with_endpoint(run, |endpoint| endpoint.top_p = value.decimal()),
        ..sampling("top_p", "Top p", "")
    };

    SAMPLING_SEED = RunOption {
        help: "The endpoint's sampling seed.",
        values: Values::Whole { from: 0, to: u64::MAX },
        field: "sampling_seed",
        read: |run| text(endpoint(run).map(|endpoint| endpoint.seed)),
        write: |run, value| {
            with_endpoint(run, |endpoint| endpoint.seed = value.whole());
        },
        ..sampling("sampling_seed", "Sampling seed", "")
    };

    NUM_CTX = RunOption {
        help: "The context length in tokens. Only Ollama takes it per request.",
        values: Values::Whole { from: 256, to: u32::MAX as u64 },
        counts: |run| endpoint(run).is_some_and(takes_num_ctx),
        read: |run| text(endpoint(run).map(|endpoint| endpoint.num_ctx)),
        write: |run, value| {
            with_endpoint(run, |it| it.num_ctx = value.whole().filter(|_| takes_num_ctx(it)));
        },
        ..sampling("num_ctx", "Context window (tokens)", "8192")
    };

    STREAMING = RunOption {
        flag: Some("no-stream"),
        help: "Whether answers stream, or come in one piece.",
        read: |run| switch(endpoint(run).map(|endpoint| endpoint.streaming), true),
        write: |run, value| with_endpoint(run, |endpoint| endpoint.streaming = value.is_on()),
        ..toggle("streaming", "Stream answers", "true")
    };

    MUST_CALL = RunOption {
        flag: Some("require-tools"),
        help: "Require a tool call where tools are described.",
        field: "tool_choice",
        is_easier: |value| value == "required",
        read: |run| {
            let required = |it: &Endpoint| it.tool_choice == ToolChoice::Required;
            switch(endpoint(run).map(required), false)
        },
        write: |run, value| {
            let required = value.is_on();
            let choice = if required { ToolChoice::Required } else { ToolChoice::Auto };
            with_endpoint(run, |endpoint| endpoint.tool_choice = choice);
        },
        ..toggle("must_call", "Require tool calls", "false")
    };

    CONSTRAINED = RunOption {
        help: "Constrains answers to a grammar of calls or words. Needs a llama.cpp server, and the protocol bracket or paper.",
        field: "grammar",
        read: |run| switch(endpoint(run).map(|endpoint| endpoint.constrained), false),
        write: |run, value| {
            let on = value.is_on();
            with_endpoint(run, |endpoint| (endpoint.constrained, endpoint.grammar) = (on, on));
        },
        ..toggle("constrained", "Constrain the form of answers", "false")
    };

    FOLD_ROLES = RunOption {
        help: "For chat templates without these roles. The connection test says when it is needed.",
        read: |run| switch(endpoint(run).map(|endpoint| endpoint.fold_roles), false),
        write: |run, value| with_endpoint(run, |endpoint| endpoint.fold_roles = value.is_on()),
        ..toggle("fold_roles", "Fold system messages and tool results into the user's turns", "false")
    };

    EXTRA = RunOption {
        help: "Extra members of the request body, a JSON object such as {\"reasoning_effort\": \"low\"}.",
        values: Values::Object,
        read: |run| {
            let extra = endpoint(run).map(|endpoint| &endpoint.extra).filter(|it| !it.is_empty());
            extra.map_or_else(String::new, |extra| serde_json::to_string(extra).unwrap_or_default())
        },
        write: |run, value| {
            with_endpoint(run, |endpoint| {
                endpoint.extra = match value {
                    Value::Object(members) => members,
                    _ => serde_json::Map::new(),
                }
            });
        },
        ..sampling("extra", "Extra request fields (JSON)", "")
    };

    CONCURRENCY = RunOption {
        help: "Lowered while the endpoint throttles. Defaults to the server's preset.",
        values: Values::Whole { from: 1, to: 100 },
        suits: |model| match model {
            Model::Endpoint(endpoint) if endpoint.in_page.is_none() => {
                Some(endpoint.server().facts().concurrency.to_string())
            }
            _ => None,
        },
        read: |run| run.concurrency.to_string(),
        write: |run, value| run.concurrency = value.whole().unwrap_or_default(),
        ..requests("concurrency", "Requests in flight", "1")
    };

    RETRIES = RunOption {
        help: "Retries per failed request.",
        values: Values::Whole { from: 0, to: 20 },
        read: |run| run.retries.to_string(),
        write: |run, value| run.retries = value.whole().unwrap_or_default(),
        ..requests("retries", "Retries", "2")
    };

    TIMEOUT = RunOption {
        help: "Seconds to wait for a response before a request times out.",
        values: Values::Whole { from: 1, to: 86_400 },
        read: |run| run.timeouts.headers_s.to_string(),
        write: |run, value| run.timeouts.headers_s = value.whole().unwrap_or_default(),
        ..requests("timeout", "Header timeout (seconds)", "120")
    };

    BODY_TIMEOUT = RunOption {
        help: "The maximum number of seconds from an answer's first byte to its last.",
        values: Values::Whole { from: 1, to: 86_400 },
        read: |run| run.timeouts.body_s.to_string(),
        write: |run, value| run.timeouts.body_s = value.whole().unwrap_or_default(),
        ..requests("body_timeout", "Body timeout (seconds)", "300")
    };

    HARDWARE = RunOption {
        help: "Device, memory, and the size of the model's file, for readers of the record: \
               \"RTX 4090, 24 GB; 4.7 GB\". It affects no result.",
        values: Values::Text { longest: 200 },
        is_optional: true,
        counts: |run| endpoint(run).is_some(),
        read: |run| endpoint(run).and_then(|it| it.hardware.clone()).unwrap_or_default(),
        write: |run, value| with_endpoint(run, |it| it.hardware = value.text()),
        ..option(Group::Claims, "hardware", "Hardware", "")
    };
}

const PROTOCOLS: [Name; Protocol::ALL.len()] = [
    Name {
        id: "bracket",
        title: "bracket",
        help: "Calls are text in square brackets, with the recorded history. The model decides whether a \
               call is due. Works with any model.",
    },
    Name {
        id: "paper",
        title: "paper",
        help: "Like bracket, but as in the paper: the prompt asks for a call, and describes only the APIs \
               that the dialogue uses.",
    },
    Name {
        id: "tools",
        title: "tools",
        help: "Native tool calls on the recorded history. The model must support tools.",
    },
    Name {
        id: "all-tools",
        title: "all-tools",
        help: "Like tools, but describes the whole pool. Searches are omitted and not counted.",
    },
    Name {
        id: "agent",
        title: "agent",
        help: "The model acts autonomously: its calls run, the user follows a script, and the final \
               database state decides.",
    },
    Name {
        id: "agent-text",
        title: "agent-text",
        help: "Like agent, but calls are text. Works with any model.",
    },
];

const fn name(id: &'static str, title: &'static str) -> Name {
    Name { id, title, help: "" }
}

/// The defaults of a declaration.
const fn option(
    group: Group,
    name: &'static str,
    label: &'static str,
    default: &'static str,
) -> RunOption {
    RunOption {
        name,
        flag: None,
        field: name,
        label,
        help: "",
        group,
        values: Values::Switch,
        default,
        is_optional: false,
        suits: |_| None,
        counts: |_| true,
        is_easier: |_| false,
        is_ranked: false,
        read: |_| String::new(),
        write: |_, _| {},
    }
}

const fn prompts(name: &'static str, label: &'static str, default: &'static str) -> RunOption {
    option(Group::Prompts, name, label, default)
}

const fn toggle(name: &'static str, label: &'static str, default: &'static str) -> RunOption {
    RunOption {
        counts: |run| endpoint(run).is_some(),
        ..option(Group::Sampling, name, label, default)
    }
}

const fn sampling(name: &'static str, label: &'static str, default: &'static str) -> RunOption {
    RunOption { is_optional: true, ..toggle(name, label, default) }
}

const fn requests(name: &'static str, label: &'static str, default: &'static str) -> RunOption {
    RunOption {
        counts: |run| endpoint(run).is_some_and(|endpoint| endpoint.in_page.is_none()),
        ..option(Group::Requests, name, label, default)
    }
}

fn is_in_page(model: &Model) -> bool {
    matches!(model, Model::Endpoint(endpoint) if endpoint.in_page.is_some())
}

fn takes_num_ctx(endpoint: &Endpoint) -> bool {
    endpoint.format.takes_context() && endpoint.in_page.is_none()
}

/// The value with an identifier. Parsing has found it among the declared ones, which a test holds to `all`.
fn named<T: Copy>(all: &[T], id: fn(T) -> &'static str, value: &Value) -> T {
    let found = all.iter().copied().find(|&it| *value == Value::Name(id(it)));
    found.unwrap_or(all[0])
}

/// A number that may be left to the endpoint, as text.
fn text<T: ToString>(value: Option<Option<T>>) -> String {
    value.flatten().map(|it| it.to_string()).unwrap_or_default()
}

fn switch(value: Option<bool>, default: bool) -> String {
    value.unwrap_or(default).to_string()
}
