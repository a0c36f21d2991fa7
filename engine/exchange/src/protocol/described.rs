//! Which APIs the prompt of a Call dialogue describes.
//!
//! With the dialogue's own APIs alone, a third of the steps leave no choice. Distractors make the
//! model choose: near neighbours first, because they are what a model confuses.

use apis::text::words::{is_content, stem, words};
use apis::{Api, Suite, registry};
use dataset::Dialogue;
use dataset::own_tools::{Tool, Toolset};
use dataset::random::draw;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// The number of APIs under [`DescribedApis::Fifteen`].
pub const MENU: usize = 15;
/// The seed of the distractors that are not near. Fixed, so that all runs see the same prompts.
const SEED: u32 = 1;
/// What a shared domain adds to the overlap of two descriptions, 0 to 1.
const SAME_DOMAIN: f64 = 0.1;

/// The APIs that a Call prompt describes. The hard split has its own distractors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum DescribedApis {
    /// The dialogue's own, in the order of their calls, as in the paper.
    #[serde(rename = "own")]
    #[strum(serialize = "own")]
    Own,
    /// 15 in all: the dialogue's own, `GetToday`, near neighbours, and others by seed; by name.
    #[default]
    #[serde(rename = "15")]
    #[strum(serialize = "15")]
    Fifteen,
    /// The whole pool, by name.
    #[serde(rename = "all")]
    #[strum(serialize = "all")]
    All,
}

impl DescribedApis {
    /// All variants, the smallest menu first.
    pub const ALL: [DescribedApis; DescribedApis::COUNT] =
        *DescribedApis::VARIANTS.first_chunk().unwrap();

    /// The identifier in records and on the command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The value of a record that does not name it.
    pub const fn unnamed() -> Self {
        DescribedApis::Own
    }

    /// Whether it is [`Self::unnamed`], which records omit.
    pub fn is_own(&self) -> bool {
        *self == DescribedApis::Own
    }

    /// The APIs for a dialogue that calls `own`.
    pub(super) fn select(
        self,
        dialogue: &str,
        suite: Suite,
        own: Vec<&'static Api>,
    ) -> Vec<&'static Api> {
        let mut apis = match self {
            DescribedApis::Own => return own,
            DescribedApis::Fifteen => with_distractors(dialogue, suite, own),
            DescribedApis::All => registry::pool(suite).collect(),
        };
        apis.sort_by_key(|api| api.name);
        apis
    }

    /// The own tools for a dialogue, by name: those that it calls and those near them; up to [`MENU`] in
    /// all, the nearest by words first; or all.
    pub(super) fn select_own<'a>(self, dialogue: &Dialogue, tools: &'a Toolset) -> Vec<&'a Tool> {
        let near = tools.near.get(&dialogue.id);
        let called = |tool: &Tool| dialogue.calls().any(|call| call.api_name == tool.name);
        let is_near = |tool: &Tool| near.is_some_and(|near| near.contains(&tool.name));
        let (own, mut others): (Vec<&Tool>, Vec<&Tool>) =
            tools.tools.iter().partition(|tool| called(tool) || is_near(tool));
        let more = match self {
            // A step where no call is right needs a tool to refrain from.
            DescribedApis::Own => usize::from(own.is_empty()),
            DescribedApis::Fifteen => MENU.saturating_sub(own.len()),
            DescribedApis::All => others.len(),
        };
        let known: Vec<BTreeSet<String>> = own.iter().map(|api| stems_of(&api.text())).collect();
        others.sort_by_cached_key(|tool| {
            let stems = stems_of(&tool.text());
            let nearest = known.iter().map(|it| jaccard(it, &stems)).fold(0.0, f64::max);
            // Shares of words, at most 1; the largest first.
            (((1.0 - nearest) * 1e6) as u32, draw(SEED, &format!("{}/{}", dialogue.id, tool.name)))
        });
        let mut described: Vec<&Tool> =
            own.into_iter().chain(others.into_iter().take(more)).collect();
        described.sort_by(|a, b| a.name.cmp(&b.name));
        described
    }
}

/// Adds distractors up to [`MENU`]: half of them the nearest to any of `own`, the others drawn.
fn with_distractors(
    dialogue: &str,
    suite: Suite,
    mut apis: Vec<&'static Api>,
) -> Vec<&'static Api> {
    let own = apis.clone();
    // Always described, so that its presence is no hint that a date is needed.
    add(&mut apis, Some(registry::TODAY).filter(|today| today.suite == suite));
    let near = apis.len() + MENU.saturating_sub(apis.len()).div_ceil(2);
    for rank in 0..registry::pool(suite).count() {
        for api in &own {
            if apis.len() < near {
                add(&mut apis, neighbours(suite, api).get(rank).copied());
            }
        }
    }
    let mut others: Vec<&'static Api> = registry::pool(suite).collect();
    others.sort_by_cached_key(|api| draw(SEED, &format!("{dialogue}/{}", api.name)));
    for api in others {
        if apis.len() < MENU {
            add(&mut apis, Some(api));
        }
    }
    apis
}

fn add(apis: &mut Vec<&'static Api>, api: Option<&'static Api>) {
    apis.extend(api.filter(|api| !apis.iter().any(|known| known.name == api.name)));
}

/// The other APIs of the suite, the nearest first: by the Jaccard index of the stemmed content words
/// of names and descriptions, plus [`SAME_DOMAIN`]; ties in pool order.
fn neighbours(suite: Suite, api: &Api) -> &'static [&'static Api] {
    type Neighbours = BTreeMap<(Suite, &'static str), Vec<&'static Api>>;
    static NEIGHBOURS: LazyLock<Neighbours> = LazyLock::new(|| {
        let pools = Suite::ALL.into_iter().flat_map(registry::pool);
        pools.map(|api| ((api.suite, api.name), ranked(api))).collect()
    });
    NEIGHBOURS.get(&(suite, api.name)).map_or(&[], Vec::as_slice)
}

fn ranked(api: &Api) -> Vec<&'static Api> {
    let own = stems(api);
    let nearness = |other: &Api| {
        jaccard(&own, &stems(other)) + if other.domain == api.domain { SAME_DOMAIN } else { 0.0 }
    };
    let others = registry::pool(api.suite).filter(|other| other.name != api.name);
    let mut ranked: Vec<(f64, &'static Api)> = others.map(|it| (nearness(it), it)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().map(|(_, api)| api).collect()
}

/// The share of two sets that both have.
fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let shared = a.intersection(b).count() as f64;
    shared / a.union(b).count().max(1) as f64
}

/// Stemmed content words of name and description.
fn stems(api: &Api) -> BTreeSet<String> {
    stems_of(&format!("{} {}", dataset::import::spaced_name(api.name), api.description))
}

fn stems_of(text: &str) -> BTreeSet<String> {
    let words = words(text);
    words.iter().filter(|word| is_content(word)).map(|word| stem(word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(described: DescribedApis, dialogue: &str, own: &[&str]) -> Vec<&'static str> {
        let own = own.iter().filter_map(|name| registry::find(Suite::Dialogue, name)).collect();
        let apis = described.select(dialogue, Suite::Dialogue, own);
        apis.into_iter().map(|api| api.name).collect()
    }

    #[test]
    fn fifteen_hold_the_own_ones_today_and_near_neighbours_by_name() {
        let own = ["GetUserToken", "DeleteAlarm"];
        let fifteen = names(DescribedApis::Fifteen, "call/a", &own);
        assert_eq!(fifteen.len(), MENU);
        assert!(fifteen.is_sorted());
        for name in own.iter().chain(&["GetToday", "AddAlarm", "ModifyAlarm", "QueryAlarm"]) {
            assert!(fifteen.contains(name), "{name} in {fifteen:?}");
        }
        let other = names(DescribedApis::Fifteen, "call/b", &own);
        assert_ne!(fifteen, other, "the rest is drawn by dialogue");
        assert_eq!(fifteen, names(DescribedApis::Fifteen, "call/a", &own));
    }

    #[test]
    fn own_keeps_the_order_of_calls_and_all_is_the_pool() {
        let own = ["GetUserToken", "DeleteAlarm"];
        assert_eq!(names(DescribedApis::Own, "call/a", &own), own);
        assert_eq!(
            names(DescribedApis::All, "call/a", &own).len(),
            registry::pool(Suite::Dialogue).count()
        );
    }

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in DescribedApis::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }
}
