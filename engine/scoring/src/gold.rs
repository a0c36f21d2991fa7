//! Judges the gold answers like a model's: the scorer must accept all of them.

use super::{f1, judge_step, rouge::rouge_l};
use apis::World;
use dataset::checks::{Bound, Figure, Section, replies::replies};
use dataset::{Dialogue, Turn};
use exchange::call;
use exchange::protocol::{Sample, SampleKind, replayed, world_at};

/// The number of gold answers, and how many of them each measure accepts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoldReplay {
    /// Gold calls.
    pub calls: usize,
    /// Right under `execution`.
    pub execution: usize,
    /// Right under `exact`.
    pub exact: usize,
    /// With an `f1` of 1.
    pub f1: usize,
    /// Calls that return the recorded result.
    pub recorded: usize,
    /// Assistant turns.
    pub replies: usize,
    /// Assistant turns with ROUGE-L 1 against themselves.
    pub rouge: usize,
    /// Alternative calls.
    pub alternatives: usize,
    /// Alternatives that are right under `execution`, return the recorded result, and leave the
    /// rest of the dialogue valid.
    pub proved: usize,
    /// One line per defect.
    pub problems: Vec<String>,
}

/// Formats, parses, runs and judges every gold call. `fresh` is the world as loaded; it needs API
/// Search if the dialogues contain searches.
pub fn replay<'a>(dialogues: impl IntoIterator<Item = &'a Dialogue>, fresh: &World) -> GoldReplay {
    let mut replay = GoldReplay::default();
    for dialogue in dialogues {
        for (turn, said) in dialogue.turns.iter().enumerate() {
            match said {
                Turn::Api(_) => {
                    replay.call(&Sample::new(dialogue, turn, SampleKind::Call), fresh);
                }
                Turn::Assistant { text, .. } => {
                    replay.reply(&format!("{}#{turn}", dialogue.id), text);
                }
                Turn::User { .. } => {}
            }
        }
        for (turn, other) in dialogue.with_alternatives() {
            replay.alternative(dialogue, turn, &other, fresh);
        }
    }
    replay
}

impl GoldReplay {
    fn call(&mut self, sample: &Sample<'_>, fresh: &World) {
        let Some(gold) = sample.gold_call() else { return };
        let suite = sample.ability().suite();
        let due: Vec<String> = sample
            .due_calls()
            .into_iter()
            .map(|due| call::format(&due.api_name, &due.param_dict))
            .collect();
        let (parsed, further) = match call::parse_all(&due.join("\n")) {
            Ok((first, further)) => (Ok(first), further),
            Err(problem) => (Err(problem), Vec::new()),
        };
        let world = world_at(sample, fresh);
        let judgement = judge_step(sample, gold, parsed.as_ref(), &further, &world);
        let whole = f1::overlap(suite.into(), gold, parsed.as_ref().ok()).is_whole();
        let recorded = judgement.gold.result == gold.result;
        self.calls += 1;
        self.execution += usize::from(judgement.execution.correct);
        self.exact += usize::from(judgement.exact.correct);
        self.f1 += usize::from(whole);
        self.recorded += usize::from(recorded);
        let problems = [
            (!judgement.execution.correct).then(|| judgement.execution.explanation.clone()),
            (!judgement.exact.correct).then(|| judgement.exact.explanation.clone()),
            (!whole).then(|| "not every name and argument is shared with itself".to_owned()),
            (!recorded).then(|| "the result is not the recorded one".to_owned()),
        ];
        self.problems.extend(
            problems.into_iter().flatten().map(|problem| format!("{}: {problem}", sample.id())),
        );
    }

    /// `other` is the dialogue with the gold call replaced by an alternative.
    fn alternative(&mut self, dialogue: &Dialogue, turn: usize, other: &Dialogue, fresh: &World) {
        self.alternatives += 1;
        let sample = Sample::new(dialogue, turn, SampleKind::Call);
        let (Some(gold), Some(call)) = (sample.gold_call(), other.turns[turn].as_call()) else {
            return;
        };
        let parsed = call::parse(&call::format(&call.api_name, &call.param_dict));
        let world = world_at(&sample, fresh);
        let judgement = judge_step(&sample, gold, parsed.as_ref(), &[], &world);
        let silent =
            |it: &Dialogue| replies(it).iter().filter(|it| it.mentions == Some(false)).count();
        let wrong = [
            (!judgement.execution.correct).then_some("is not judged right"),
            (replayed(other, fresh) != *other)
                .then_some("its result or a later one is not the recorded one"),
            (silent(other) > silent(dialogue))
                .then_some("the dialogue does not go on to tell its result"),
        ];
        self.proved += usize::from(wrong.iter().all(Option::is_none));
        let name = &call.api_name;
        self.problems.extend(
            wrong
                .into_iter()
                .flatten()
                .map(|problem| format!("{}: alternative {name}: {problem}", sample.id())),
        );
    }

    fn reply(&mut self, step: &str, text: &str) {
        let score = rouge_l(text, text).map_or(0.0, |score| score.f1);
        self.replies += 1;
        if score > 0.999 {
            self.rouge += 1;
        } else {
            self.problems.push(format!("{step}: ROUGE-L {score} against itself"));
        }
    }

    /// The figures with their bounds: every gold answer must be right.
    pub fn section(&self, title: &'static str) -> Section {
        let all = |name, count, of| Figure::count(name, count, Bound::Equal(whole(of)));
        Section {
            title,
            figures: vec![
                all("gold calls right under execution", self.execution, self.calls),
                all("gold calls right under exact", self.exact, self.calls),
                all("gold calls with an f1 of 1", self.f1, self.calls),
                all("gold calls with the recorded result", self.recorded, self.calls),
                all("alternative calls proved", self.proved, self.alternatives),
                all("utterances with ROUGE-L 1 against themselves", self.rouge, self.replies),
            ],
            findings: self.problems.clone(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of a data set stay far below 2^52")]
fn whole(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alternative_is_proved_by_what_follows() {
        let pack = dataset::builtin().unwrap();
        let marked: Vec<Dialogue> = pack
            .dialogues
            .iter()
            .chain(&pack.hard)
            // Searches need a search model.
            .filter(|dialogue| dialogue.calls().all(|call| !call.is_search()))
            .filter(|dialogue| dialogue.with_alternatives().next().is_some())
            .cloned()
            .collect();
        let good = replay(&marked, &pack.world);
        assert!(good.problems.is_empty(), "{:?}", good.problems);
        assert!(good.alternatives > 0 && good.proved == good.alternatives);
        // The recorded result of the alternative no longer matches the replay.
        let mut spoilt = marked[0].clone();
        let turn = spoilt.with_alternatives().next().unwrap().0;
        if let Turn::Api(call) = &mut spoilt.turns[turn] {
            call.alternatives[0].result.exception = Some("planted".to_owned());
        }
        let bad = replay(&[spoilt], &pack.world);
        assert!(bad.proved < bad.alternatives && !bad.problems.is_empty());
    }

    #[test]
    fn gold_answers_are_right_and_damaged_ones_are_not() {
        let pack = dataset::builtin().unwrap();
        let mut dialogues: Vec<Dialogue> = pack
            .dialogues
            .iter()
            .filter(|dialogue| dialogue.calls().all(|call| !call.is_search()))
            .take(20)
            .cloned()
            .collect();
        let good = replay(&dialogues, &pack.world);
        assert!(good.problems.is_empty() && good.calls > 20, "{:?}", good.problems);
        assert!(good.section("Gold").figures.iter().all(Figure::holds));
        // A result that the replay does not return, and a reply without words.
        for turn in &mut dialogues[0].turns {
            match turn {
                Turn::Api(call) => call.result.exception = Some("planted".to_owned()),
                Turn::Assistant { text, .. } => "...".clone_into(text),
                Turn::User { .. } => {}
            }
        }
        let bad = replay(&dialogues, &pack.world);
        assert!(bad.recorded < bad.calls && bad.rouge < bad.replies, "{bad:?}");
        assert!(!bad.section("Gold").figures.iter().all(Figure::holds));
    }
}
