//! A bench that needs no files: gold keywords return the recorded API, other queries the API with
//! the most words in common.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use apis::search::found_names;
use apis::{Suite, registry};
use dataset::{Pack, Split};
use retrieval::Hit;
use runner::benchmark::{Benchmark, Ranker};
use std::collections::{BTreeMap, BTreeSet};

/// Ranks by recorded gold searches and by common words.
struct Words {
    /// Suite, name and words of each API.
    pool: Vec<(Suite, &'static str, BTreeSet<String>)>,
    /// The API that each gold search found, by suite and keywords.
    gold: BTreeMap<(Suite, String), String>,
}

impl Words {
    fn of(pack: &Pack) -> Self {
        let mut gold = BTreeMap::new();
        let dialogues = [Split::Standard, Split::Hard].into_iter().flat_map(|it| pack.split(it));
        for dialogue in dialogues {
            let searches = dialogue.calls().filter(|call| call.is_search());
            for search in searches {
                let keywords = search.param_dict.get("keywords").and_then(|it| it.as_str());
                if let (Some(keywords), Some(found)) = (keywords, found_names(&search.result).pop())
                {
                    gold.insert((dialogue.ability.suite(), keywords.to_owned()), found);
                }
            }
        }
        let pool = registry::all()
            .map(|api| (api.suite, api.name, words(&api.search_texts().join(" "))))
            .collect();
        Words { pool, gold }
    }
}

fn words(text: &str) -> BTreeSet<String> {
    text.to_lowercase().split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect()
}

impl Ranker for Words {
    fn rank(&self, suite: Suite, text: &str, k: usize) -> Vec<Hit> {
        let known = self.gold.get(&(suite, text.to_owned()));
        let asked = words(text);
        let pool = self.pool.iter().filter(|(own, ..)| *own == suite);
        let mut hits: Vec<Hit> = pool
            .map(|(_, name, own)| {
                let common = own.intersection(&asked).count();
                let found = known.is_some_and(|known| known == name);
                let cosine = if found { 1.0 } else { common as f32 / 1000.0 };
                Hit { name: (*name).to_owned(), cosine }
            })
            .collect();
        hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.name.cmp(&b.name)));
        hits.truncate(k);
        hits
    }
}

/// The built-in pack with this ranker.
pub fn bench() -> Benchmark {
    let pack = dataset::builtin().expect("the embedded pack is valid");
    let words = Words::of(&pack);
    Benchmark::with_ranker(pack, Box::new(words))
}
