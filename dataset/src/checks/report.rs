//! The report of all checks: figures with bounds, and the findings behind them.

use super::figure::{Bound, Figure};
use super::grounding::{self, Ground};
use super::section::Section;
use super::{conversation, coverage, replies, wording};
use crate::pack::Pack;
use crate::statistics;

/// Minimum share of swapped arguments that the grounding check must reject.
const MIN_CAUGHT: f64 = 0.9;
/// Seed of the swap.
const SWAP_SEED: u64 = 314;
/// Maximum share of the calls in one domain.
const MAX_DOMAIN: f64 = 0.4;

/// Runs every check that needs no search model.
pub fn report(pack: &Pack) -> Vec<Section> {
    vec![
        words(pack),
        conversation::measure(&pack.dialogues),
        grounds(pack),
        answers(pack),
        covered(pack),
        balance(pack),
    ]
}

fn year(pack: &Pack) -> i16 {
    pack.manifest.today.0.year()
}

fn words(pack: &Pack) -> Section {
    let measured = wording::measure(pack.dialogues.iter().chain(&pack.hard));
    let findings = measured
        .pairs
        .iter()
        .map(|pair| format!("{} and {} share {:.2}", pair.first, pair.second, pair.shared))
        .chain([
            format!("most frequent openings: {}", listed(&measured.openings, 5)),
            format!("most frequent first words: {}", listed(&measured.first_words, 10)),
            format!("polite words by turns: {}", listed(&measured.polite, 8)),
        ]);
    Section { title: "Wording", findings: findings.collect(), figures: measured.figures() }
}

fn listed<T: std::fmt::Display>(counted: &[(T, usize)], most: usize) -> String {
    let items = counted.iter().take(most).map(|(name, count)| format!("{name} {count}"));
    items.collect::<Vec<_>>().join(", ")
}

fn grounds(pack: &Pack) -> Section {
    let all: Vec<_> = pack
        .dialogues
        .iter()
        .chain(&pack.hard)
        .flat_map(|dialogue| grounding::arguments(dialogue, year(pack)))
        .collect();
    let missing: Vec<_> = all.iter().filter(|argument| argument.ground.is_none()).collect();
    let caught = grounding::shuffled(&pack.dialogues, year(pack), SWAP_SEED);
    let mut figures = vec![
        Figure::count("arguments of gold calls", all.len(), Bound::Free),
        Figure::count("arguments that nothing grounds", missing.len(), Bound::Equal(0.0)),
    ];
    figures.extend(Ground::ALL.into_iter().map(|rule| {
        let count = all.iter().filter(|argument| argument.ground == Some(rule)).count();
        Figure::count(format!("  {}", rule.explain()), count, Bound::Free)
    }));
    figures.push(Figure::count("arguments swapped between dialogues", caught.planted, Bound::Free));
    figures.push(Figure::new(
        "part of the swapped arguments that is noticed",
        caught.share(),
        Bound::AtLeast(MIN_CAUGHT),
    ));
    let findings = missing
        .iter()
        .map(|it| format!("{}: {}.{} = {:?} cannot be known", it.step, it.api, it.param, it.value));
    Section { title: "Grounding", findings: findings.collect(), figures }
}

fn answers(pack: &Pack) -> Section {
    let all: Vec<_> = pack.dialogues.iter().chain(&pack.hard).flat_map(replies::replies).collect();
    let silent: Vec<_> = all.iter().filter(|reply| reply.mentions == Some(false)).collect();
    let bare = all.iter().filter(|reply| reply.mentions.is_none()).count();
    Section {
        title: "Replies",
        figures: vec![
            Figure::count("replies after calls", all.len(), Bound::Free),
            Figure::count("  after results that hold no fact", bare, Bound::Free),
            Figure::count("  that take up nothing of the result", silent.len(), Bound::Equal(0.0)),
        ],
        findings: silent.iter().map(|reply| format!("{}: {}", reply.step, reply.text)).collect(),
    }
}

fn covered(pack: &Pack) -> Section {
    let coverage = coverage::measure(&pack.dialogues, year(pack));
    let of = |kind: &str, ids: &[String]| format!("{kind}: {}", ids.join(", "));
    let loose: Vec<String> = coverage
        .chains
        .iter()
        .filter(|(_, link)| *link == super::chains::Link::Reply)
        .map(|(id, _)| id.clone())
        .collect();
    let mut rare: Vec<_> = coverage.apis.iter().map(|(_, name, count)| (*name, *count)).collect();
    rare.sort_by_key(|(_, count)| *count);
    let mut findings = vec![format!("rarest APIs by dialogues: {}", listed(&rare, 5))];
    if !coverage.odd_chains.is_empty() {
        findings.push(of("chains of other lengths", &coverage.odd_chains));
    }
    if !loose.is_empty() {
        findings.push(of("results meet in the reply alone", &loose));
    }
    Section { title: "Coverage", figures: coverage.figures(), findings }
}

fn balance(pack: &Pack) -> Section {
    let figures = statistics::measure(&pack.dialogues)
        .domains
        .iter()
        .map(|row| {
            let name = format!("{}: part of the calls", row.domain.title());
            Figure::new(name, row.share, Bound::AtMost(MAX_DOMAIN))
        })
        .collect();
    Section { title: "Domains", figures, findings: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pack_keeps_every_bound() {
        let sections = report(&crate::builtin().unwrap());
        for section in &sections {
            for figure in section.figures.iter().filter(|figure| !figure.holds()) {
                println!("{}: {figure:?} {:#?}", section.title, section.findings);
            }
        }
        assert!(sections.iter().flat_map(|section| &section.figures).all(Figure::holds));
    }

    #[test]
    fn a_damaged_pack_breaks_bounds() {
        let mut pack = crate::builtin().unwrap();
        // A duplicate dialogue, and arguments without grounding.
        let copy = pack.dialogues[0].clone();
        pack.dialogues.push(crate::Dialogue { id: "call/copy".to_owned(), ..copy });
        if let Some(first) = pack.dialogues.get_mut(1) {
            first.turns.retain(|turn| !matches!(turn, crate::Turn::User { .. }));
        }
        let sections = report(&pack);
        for title in ["Wording", "Grounding", "Coverage"] {
            let section = sections.iter().find(|section| section.title == title).unwrap();
            assert!(section.figures.iter().any(|figure| !figure.holds()), "{title}");
        }
    }
}
