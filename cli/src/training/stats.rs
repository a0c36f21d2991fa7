//! `api-bank training stats`: a set's statistics, as in the paper's Table 2.

use super::load;
use crate::FINISHED;
use crate::shown::{put, say, shown};
use crate::table::aligned;
use anyhow::Result;
use clap::Args;
use dataset::Ability;
use generator::statistics::{AbilityStatistics, PAPER, Statistics};
use generator::{Budget, Spent};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Which set.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The set's folder, with domains/ and rejected/.
    folder: PathBuf,
    /// Price per million prompt tokens, for the cost of a dialogue.
    #[arg(long, default_value_t = 0.0)]
    prompt_price: f64,
    /// Price per million completion tokens.
    #[arg(long, default_value_t = 0.0)]
    completion_price: f64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Counts and prints.
pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let set = load(&arguments.folder)?;
    let mut statistics = Statistics::default();
    for (domain, item) in set.items() {
        statistics.add(&domain.domain, item);
    }
    let abilities = Ability::ALL.map(|ability| (ability.title(), statistics.row(ability)));
    let spent = set.estimate();
    let defined: usize = set.domains.values().map(|domain| domain.apis.len()).sum();
    if arguments.json {
        let rows: serde_json::Map<String, serde_json::Value> = abilities
            .iter()
            .map(|(title, row)| ((*title).to_owned(), serde_json::json!(row)))
            .chain([("All".to_owned(), serde_json::json!(statistics.total()))])
            .chain([("apis_defined".to_owned(), defined.into())])
            .chain([("estimate".to_owned(), serde_json::json!(spent))])
            .collect();
        put(&format!("{:#}\n", serde_json::Value::Object(rows)));
        return Ok(FINISHED);
    }
    let mut rows = vec![head()];
    rows.extend(abilities.iter().map(|(title, row)| cells(title, row)));
    rows.push(cells("All", &statistics.total()));
    put(&shown(&aligned(&rows)));
    let (domains, apis, dialogues) = PAPER;
    say!(
        "\n{} domains and {defined} APIs are defined. The paper's training set: {domains} domains, \
         {apis} APIs, {dialogues} dialogues.",
        set.domains.len()
    );
    say!("{}", cost(spent, statistics.total().dialogues, arguments));
    Ok(FINISHED)
}

/// What the agents would need for each accepted dialogue.
fn cost(spent: Spent, dialogues: usize, arguments: &Arguments) -> String {
    let Arguments { prompt_price, completion_price, .. } = *arguments;
    let each = |count: u64| count as f64 / dialogues.max(1) as f64;
    let mut text = format!(
        "The five agents need about {:.1} requests, {:.0} prompt tokens and {:.0} completion tokens \
         a dialogue, if every answer has the right form (four bytes count as a token).",
        each(spent.requests),
        each(spent.prompt_tokens),
        each(spent.completion_tokens)
    );
    if prompt_price > 0.0 || completion_price > 0.0 {
        let prices = Budget { prompt_price, completion_price, ..Budget::default() };
        let cost = prices.cost(spent) / dialogues.max(1) as f64;
        let _ =
            write!(text, " At these prices a dialogue costs {cost:.4}; in the paper, 0.1 dollars.");
    }
    text
}

fn head() -> Vec<String> {
    [
        "",
        "dialogues",
        "turns",
        "calls",
        "searches",
        "one call",
        "several",
        "calls each",
        "APIs",
        "domains",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn cells(title: &str, row: &AbilityStatistics) -> Vec<String> {
    vec![
        title.to_owned(),
        row.dialogues.to_string(),
        row.turns.to_string(),
        row.calls.to_string(),
        row.searches.to_string(),
        row.single_call.to_string(),
        row.multi_call.to_string(),
        format!("{:.2}", row.calls_each()),
        row.apis.to_string(),
        row.domains.to_string(),
    ]
}
