//! The state of the game: questions, answers, result.

use super::answer::Draft;
use crate::t;
use crate::texts::Texts;
use dataset::Ability;
use dataset::random::draw;
use record::leaderboard::{Game, StepKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Questions of a game whose link does not say.
pub const QUESTIONS: usize = 10;
/// The most questions of a game.
pub const MOST: usize = 20;
/// What questions ask for, in turn.
const KINDS: [StepKind; 10] = {
    use StepKind::{Call, Search, Words};
    [Call, Call, Words, Search, Call, Words, Call, Call, Words, Call]
};
/// The abilities of a mixed game, in turn.
const MIX: [Ability; 4] = [Ability::Call, Ability::Retrieve, Ability::Call, Ability::Plan];

/// What the link of a game says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// One ability; `None` for all.
    pub ability: Option<Ability>,
    /// Number of questions, 1 to [`MOST`].
    pub questions: usize,
    /// Decides which questions are drawn; `None` for a new one.
    pub seed: Option<u32>,
}

impl Terms {
    /// Reads a query, and says which of its values it does not take.
    pub fn from_query(query: &str, texts: Texts) -> (Self, Vec<String>) {
        let mut terms = Terms { ability: None, questions: QUESTIONS, seed: None };
        let mut refused = Vec::new();
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            let expected = match name {
                "ability" => {
                    terms.ability = Ability::ALL.into_iter().find(|it| it.as_str() == value);
                    terms.ability.is_none().then(|| "call, retrieve, plan".to_owned())
                }
                "questions" => match value.parse() {
                    Ok(count) if (1..=MOST).contains(&count) => {
                        terms.questions = count;
                        None
                    }
                    _ => Some(format!("1–{MOST}")),
                },
                "seed" => {
                    terms.seed = value.parse().ok();
                    terms.seed.is_none().then(|| format!("0–{}", u32::MAX))
                }
                _ => continue,
            };
            refused.extend(expected.map(|expected| {
                t!(
                    texts,
                    "The link's {name} is “{value}”, which is none of: {expected}. The default is used.",
                    name = name,
                    value = value,
                    expected = expected
                )
            }));
        }
        (terms, refused)
    }

    /// The query of the link.
    pub fn query(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.ability.map(|it| format!("ability={}", it.as_str())));
        if self.questions != QUESTIONS {
            parts.push(format!("questions={}", self.questions));
        }
        parts.extend(self.seed.map(|it| format!("seed={it}")));
        parts.join("&")
    }

    /// Ids of the samples to ask, the same for everyone with the same terms. No two are of one
    /// dialogue, since a later step gives an earlier answer away; so there may be fewer than asked for.
    pub fn draw(&self, game: &Game) -> Vec<String> {
        let seed = self.seed.unwrap_or_default();
        let mut pool: Vec<(StepKind, &str)> = Vec::new();
        for (kind, steps) in &game.steps {
            pool.extend(steps.keys().map(|id| (*kind, id.as_str())));
        }
        pool.sort_by_key(|(_, id)| draw(seed, id));
        let (mut drawn, mut taken) = (Vec::new(), BTreeSet::new());
        for at in 0..self.questions {
            let ability = self.ability.unwrap_or(MIX[at % MIX.len()]);
            let kind = KINDS[at % KINDS.len()];
            let free = || pool.iter().filter(|(_, id)| !taken.contains(dialogue(id)));
            let of = |(_, id): &&&(StepKind, &str)| id.starts_with(ability.as_str());
            let found = free()
                .find(|entry| entry.0 == kind && of(&entry))
                .or_else(|| free().find(|entry| of(&entry)))
                .or_else(|| free().find(|_| self.ability.is_none()));
            let Some((_, id)) = found.copied() else { break };
            taken.insert(dialogue(id));
            drawn.push(id.to_owned());
        }
        drawn.sort_by_key(|id| draw(!seed, id));
        drawn
    }
}

/// The dialogue of a sample.
pub fn dialogue(sample: &str) -> &str {
    sample.rsplit_once('#').map_or(sample, |(dialogue, _)| dialogue)
}

/// The state that survives a reload. Verdicts are not stored; they are recomputed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The query of its link.
    pub query: String,
    /// The answers so far, as the judge reads them.
    pub answers: Vec<String>,
    /// Whether the verdict on the last answer is still shown.
    pub reviewing: bool,
    /// The answer that is being filled in.
    pub draft: Draft,
}

impl Progress {
    /// The kept game if it is this one and fits its questions, else a new one.
    pub fn of(query: &str, questions: usize, kept: Option<&str>) -> Self {
        kept.and_then(|text| serde_json::from_str::<Progress>(text).ok())
            .filter(|game| game.query == query && game.answers.len() <= questions)
            .filter(|game| !game.reviewing || !game.answers.is_empty())
            .unwrap_or_else(|| Progress { query: query.to_owned(), ..Progress::default() })
    }

    /// Takes an answer to the current question.
    pub fn answer(&mut self, text: String) {
        self.answers.push(text);
        self.reviewing = true;
        self.draft = Draft::default();
    }

    /// The index of the question on the screen; the number of questions once the game is over.
    pub fn current(&self) -> usize {
        self.answers.len() - usize::from(self.reviewing)
    }
}

/// How many of the questions each player got right: the visitor, then the rivals.
pub fn scores(game: &Game, ids: &[String], own: &[bool]) -> Vec<usize> {
    let mut scores = vec![own.iter().filter(|right| **right).count()];
    for rival in 0..game.rivals.len() {
        let right = |id: &&String| game.right(id).and_then(|rights| rights.get(rival).copied());
        scores.push(ids.iter().filter(|id| right(id) == Some(true)).count());
    }
    scores
}

/// The result as a text to send: a line per player, a mark per question.
pub fn shared(names: &[String], marks: &[Vec<bool>], link: &str) -> String {
    let line = |(name, marks): (&String, &Vec<bool>)| {
        let right = marks.iter().filter(|mark| **mark).count();
        let drawn: String = marks.iter().map(|mark| if *mark { '✓' } else { '✗' }).collect();
        format!("{drawn} {right}/{} {name}\n", marks.len())
    };
    names.iter().zip(marks).map(line).collect::<String>() + link
}

#[cfg(test)]
mod tests {
    use super::super::answer::WORDS;
    use super::*;
    use crate::texts::Texts;

    fn game() -> Game {
        let board: record::leaderboard::Leaderboard =
            serde_json::from_str(include_str!("../../www/leaderboard.json")).unwrap();
        board.game.unwrap()
    }

    fn terms(query: &str) -> Terms {
        Terms::from_query(query, Texts::ENGLISH).0
    }

    #[test]
    fn a_link_round_trips_and_wrong_values_are_told() {
        for query in ["", "seed=7", "ability=plan&questions=5&seed=4294967295"] {
            assert_eq!(Terms::from_query(query, Texts::ENGLISH), (terms(query), Vec::new()));
            assert_eq!(terms(query).query(), query);
        }
        let (terms, refused) = Terms::from_query("ability=all&questions=0&seed=-1", Texts::ENGLISH);
        assert_eq!(terms, Terms { ability: None, questions: QUESTIONS, seed: None });
        let named = ["ability", "questions", "seed"];
        assert!(
            refused.len() == 3
                && named.iter().zip(&refused).all(|(it, message)| message.contains(it))
        );
    }

    #[test]
    fn two_people_with_one_link_get_the_same_mixed_questions() {
        let game = game();
        let mut games = BTreeSet::new();
        for seed in 0..20 {
            let drawn = terms(&format!("seed={seed}")).draw(&game);
            assert_eq!(drawn, terms(&format!("seed={seed}")).draw(&game));
            let dialogues: BTreeSet<&str> = drawn.iter().map(|id| dialogue(id)).collect();
            assert_eq!((drawn.len(), dialogues.len()), (QUESTIONS, QUESTIONS), "{drawn:?}");
            for ability in Ability::ALL {
                let own = drawn.iter().filter(|id| id.starts_with(ability.as_str())).count();
                assert!(own >= 2, "{ability:?}: {drawn:?}");
            }
            for (kind, least) in [(StepKind::Call, 4), (StepKind::Words, 2), (StepKind::Search, 1)]
            {
                let own = drawn.iter().filter(|id| game.steps[&kind].contains_key(*id)).count();
                assert!(own >= least, "{kind:?}: {drawn:?}");
            }
            games.insert(drawn);
        }
        assert_eq!(games.len(), 20);
    }

    #[test]
    fn a_game_of_one_ability_ends_with_its_dialogues() {
        let game = game();
        for ability in Ability::ALL {
            let drawn =
                terms(&format!("ability={}&questions={MOST}", ability.as_str())).draw(&game);
            assert!(drawn.iter().all(|id| id.starts_with(ability.as_str())), "{drawn:?}");
            let ids = game.steps.values().flat_map(|step| step.keys());
            let own = ids.filter(|id| id.starts_with(ability.as_str()));
            let dialogues = own.map(|id| dialogue(id)).collect::<BTreeSet<_>>().len();
            assert_eq!(drawn.len(), dialogues.min(MOST));
        }
    }

    #[test]
    fn a_reload_goes_on_where_the_game_was() {
        let mut played = Progress::of("seed=1", 2, None);
        assert_eq!(played.current(), 0);
        played.answer(WORDS.to_owned());
        assert_eq!((played.current(), played.reviewing), (0, true));
        let kept = |it: &Progress| serde_json::to_string(it).unwrap();
        assert_eq!(Progress::of("seed=1", 2, Some(&kept(&played))), played);
        played.reviewing = false;
        played.draft = Draft { api: Some("AddAlarm".to_owned()), fields: vec!["8".to_owned()] };
        assert_eq!(played.current(), 1);
        assert_eq!(Progress::of("seed=1", 2, Some(&kept(&played))), played);
        // Another link, fewer questions, damage: a new game.
        let new = |query: &str| Progress { query: query.to_owned(), ..Progress::default() };
        assert_eq!(Progress::of("seed=2", 2, Some(&kept(&played))), new("seed=2"));
        assert_eq!(Progress::of("seed=1", 0, Some(&kept(&played))), new("seed=1"));
        assert_eq!(Progress::of("seed=1", 2, Some("{")), new("seed=1"));
    }

    #[test]
    fn the_result_has_a_line_per_player() {
        let game = game();
        let ids = terms("seed=3").draw(&game);
        let own = vec![true; ids.len()];
        let scores = scores(&game, &ids, &own);
        assert_eq!((scores.len(), scores[0]), (3, ids.len()));
        let text = shared(
            &["You".to_owned(), "Model".to_owned()],
            &[vec![true, false], vec![false, false]],
            "L",
        );
        assert_eq!(text, "✓✗ 1/2 You\n✗✗ 0/2 Model\nL");
    }
}
