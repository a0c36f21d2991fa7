//! Coverage: how often each API occurs, which dialogues handle errors, which calls depend on earlier
//! ones, and the size compared with the paper's.

use super::chains::{self, Link};
use super::figure::{Bound, Figure};
use super::grounding;
use crate::ability::Ability;
use crate::dialogue::{Dialogue, RecordedCall, Turn};
use crate::statistics::{self, published};
use apis::{Suite, registry};
use std::collections::{BTreeMap, BTreeSet};

/// Minimum number of dialogues per API.
const MIN_DIALOGUES: usize = 3;
/// Minimum number of dialogues in which a call fails and the conversation continues.
const MIN_ERRORS: usize = 20;
/// Minimum number of dialogues with several calls between two utterances, or dependent calls.
const MIN_SEVERAL: usize = 60;

/// The coverage of a set of dialogues.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// Number of dialogues by API, without API Search.
    pub apis: Vec<(Suite, &'static str, usize)>,
    /// Dialogues in which a call fails and the conversation continues.
    pub errors: Vec<String>,
    /// Dialogues with several calls between two utterances, not counting login, date and search.
    pub several: Vec<String>,
    /// Dialogues with an argument that only an earlier result contains.
    pub dependent: Vec<String>,
    /// The subset where such an argument is not a token.
    pub dependent_beyond_tokens: Vec<String>,
    /// Plan dialogues with a number of calls outside [`chains::CALLS`].
    pub odd_chains: Vec<String>,
    /// Plan dialogues with their strongest link.
    pub chains: Vec<(String, Link)>,
    /// Dialogues and calls by ability.
    sizes: Vec<(Ability, usize, usize)>,
}

/// Measures a set of dialogues. `year` is the prompt's.
pub fn measure(dialogues: &[Dialogue], year: i16) -> Coverage {
    let ids = |keeps: &dyn Fn(&Dialogue) -> bool| -> Vec<String> {
        dialogues.iter().filter(|dialogue| keeps(dialogue)).map(|it| it.id.clone()).collect()
    };
    let links: BTreeMap<&str, (bool, bool)> =
        dialogues.iter().map(|it| (it.id.as_str(), dependencies(it, year))).collect();
    let odd = |it: &&Dialogue| !chains::CALLS.contains(&chains::calls(it).len());
    let of = statistics::measure(dialogues);
    Coverage {
        apis: uses(dialogues),
        errors: ids(&handles_an_error),
        several: ids(&has_several_calls),
        dependent: ids(&|dialogue| links[dialogue.id.as_str()].0),
        dependent_beyond_tokens: ids(&|dialogue| links[dialogue.id.as_str()].1),
        odd_chains: chains::plans(dialogues).filter(odd).map(|plan| plan.id.clone()).collect(),
        chains: chains::plans(dialogues)
            .map(|plan| (plan.id.clone(), chains::link(plan, year)))
            .collect(),
        sizes: of
            .abilities
            .iter()
            .map(|ability| (ability.ability, ability.counts.dialogues, ability.counts.calls))
            .collect(),
    }
}

impl Coverage {
    /// The figures with their bounds.
    pub fn figures(&self) -> Vec<Figure> {
        let rare = self.apis.iter().map(|(.., count)| *count).min().unwrap_or_default();
        let used = self.apis.iter().filter(|(.., count)| *count > 0).count();
        let several: BTreeSet<&String> = self.several.iter().chain(&self.dependent).collect();
        let mut figures = vec![
            Figure::count("APIs that occur, API Search apart", used, exactly(self.apis.len())),
            Figure::count("dialogues of the rarest API", rare, at_least(MIN_DIALOGUES)),
            Figure::count(
                "dialogues with an error that is handled",
                self.errors.len(),
                at_least(MIN_ERRORS),
            ),
            Figure::count(
                "dialogues with several or dependent calls",
                several.len(),
                at_least(MIN_SEVERAL),
            ),
            Figure::count(
                "dialogues with several calls between two utterances",
                self.several.len(),
                Bound::Free,
            ),
            Figure::count(
                "dialogues where an argument stands only in a result",
                self.dependent.len(),
                Bound::Free,
            ),
            Figure::count(
                "the same, tokens not counted",
                self.dependent_beyond_tokens.len(),
                Bound::Free,
            ),
            Figure::count(
                "Plan chains of other than 2 to 6 calls",
                self.odd_chains.len(),
                Bound::Equal(0.0),
            ),
            self.chain_figure("an argument from an earlier result", Link::Argument, Bound::Free),
            self.chain_figure("an alternative after an empty result", Link::Fallback, Bound::Free),
            self.chain_figure(
                "a row that one call writes and another reads",
                Link::State,
                Bound::Free,
            ),
            // Calls that don't depend on each other are not a chain.
            self.chain_figure("the reply alone", Link::Reply, Bound::Equal(0.0)),
        ];
        for (ability, dialogues, calls) in &self.sizes {
            let paper = published::size(*ability);
            figures.push(Figure::count(
                format!("{} dialogues", ability.title()),
                *dialogues,
                exactly(paper.dialogues),
            ));
            figures.push(Figure::count(
                format!("{} calls", ability.title()),
                *calls,
                exactly(paper.calls),
            ));
        }
        figures
    }
}

impl Coverage {
    fn chain_figure(&self, by: &str, link: Link, bound: Bound) -> Figure {
        let count = self.chains.iter().filter(|(_, it)| *it == link).count();
        Figure::count(format!("Plan chains held together by {by}"), count, bound)
    }
}

fn at_least(count: usize) -> Bound {
    Bound::AtLeast(Figure::count("", count, Bound::Free).value)
}

fn exactly(count: usize) -> Bound {
    Bound::Equal(Figure::count("", count, Bound::Free).value)
}

fn uses(dialogues: &[Dialogue]) -> Vec<(Suite, &'static str, usize)> {
    registry::all()
        .map(|api| {
            let of_suite = dialogues.iter().filter(|it| it.ability.suite() == api.suite);
            let count =
                of_suite.filter(|it| it.calls().any(|call| call.api_name == api.name)).count();
            (api.suite, api.name, count)
        })
        .collect()
}

/// Whether a call fails and a later call or reply follows.
fn handles_an_error(dialogue: &Dialogue) -> bool {
    dialogue.turns.iter().enumerate().any(|(at, turn)| {
        turn.as_call().is_some_and(|call| call.result.exception.is_some())
            && dialogue.turns[at + 1..].iter().any(|turn| !matches!(turn, Turn::User { .. }))
    })
}

/// Whether a call does more than prepare another one.
fn works(call: &RecordedCall) -> bool {
    let prepares = [registry::LOGIN, registry::TODAY].iter().any(|api| api.name == call.api_name);
    !call.is_search() && !prepares
}

fn has_several_calls(dialogue: &Dialogue) -> bool {
    dialogue
        .turns
        .split(|turn| turn.as_call().is_none())
        .any(|calls| calls.iter().filter_map(Turn::as_call).filter(|call| works(call)).count() > 1)
}

/// Whether only an earlier result contains an argument; and whether one such argument is not a
/// token.
fn dependencies(dialogue: &Dialogue, year: i16) -> (bool, bool) {
    let from_results: Vec<_> =
        grounding::arguments(dialogue, year).into_iter().filter(|it| it.from_result).collect();
    (!from_results.is_empty(), from_results.iter().any(|argument| argument.param != "token"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pack_keeps_the_bounds_of_coverage() {
        let pack = crate::builtin().unwrap();
        let coverage = measure(&pack.dialogues, pack.manifest.today.0.year());
        let broken: Vec<_> = coverage.figures().into_iter().filter(|it| !it.holds()).collect();
        assert!(broken.is_empty(), "{broken:#?} {:?}", coverage.odd_chains);
    }

    #[test]
    fn a_single_chain_without_a_link_breaks_the_bound() {
        let mut pack = crate::builtin().unwrap();
        let loose = |pack: &crate::Pack| {
            let figures = measure(&pack.dialogues, 2024).figures();
            let of = figures.into_iter().find(|it| it.name.ends_with("the reply alone")).unwrap();
            (of.value, of.holds())
        };
        assert_eq!(loose(&pack), (0.0, true));
        // With both dates given, the second call does not need the first one's result.
        let at =
            pack.dialogues.iter().position(|it| it.id == "plan/violin-there-and-back").unwrap();
        let text = "A violin, San Francisco to New York on 4 June 2024 and back on 5 June 2024.";
        pack.dialogues[at].turns[0] = Turn::User { text: text.to_owned() };
        assert_eq!(loose(&pack), (1.0, false));
    }

    #[test]
    fn half_of_the_pack_breaks_the_bounds() {
        let pack = crate::builtin().unwrap();
        let few = &pack.dialogues[..30];
        let broken = measure(few, 2024).figures().into_iter().filter(|it| !it.holds()).count();
        assert!(broken >= 6, "{broken}");
    }
}
