//! Shape of the conversations: whether the assistant asks before it calls, and where no call is due.

use super::figure::{Bound, Figure};
use super::section::Section;
use crate::ability::Ability;
use crate::dialogue::{Dialogue, RecordedCall, Turn};
use serde_json::Value;

/// Minimum share of the Call calls that come after a question of the assistant.
const MIN_ASKED: f64 = 0.5;
/// Minimum share of no-call steps among the calls and no-call steps.
const MIN_NO_CALL: f64 = 0.2;

/// Counts of an ability's dialogues.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    calls: usize,
    /// Calls after a question of the assistant that no earlier stretch of calls has answered.
    asked: usize,
    no_call: usize,
    /// Tokens that a user says instead of logging in.
    recited: usize,
}

/// Measures the standard split.
pub fn measure(dialogues: &[Dialogue]) -> Section {
    let mut figures = Vec::new();
    for ability in [Ability::Call, Ability::Retrieve] {
        let mut counts = Counts::default();
        dialogues.iter().filter(|it| it.ability == ability).for_each(|it| counts.add(it));
        let title = ability.title();
        let asked = if ability == Ability::Call { Bound::AtLeast(MIN_ASKED) } else { Bound::Free };
        let steps = counts.calls + counts.no_call;
        figures.extend([
            Figure::new(
                format!("{title}: calls after a question, part"),
                share(counts.asked, counts.calls),
                asked,
            ),
            Figure::count(format!("{title}: no-call steps"), counts.no_call, Bound::Free),
            Figure::new(
                format!("{title}: no-call steps, part"),
                share(counts.no_call, steps),
                Bound::AtLeast(MIN_NO_CALL),
            ),
            Figure::count(format!("{title}: recited tokens"), counts.recited, Bound::Free),
        ]);
    }
    Section { title: "Conversation", figures, findings: Vec::new() }
}

impl Counts {
    fn add(&mut self, dialogue: &Dialogue) {
        let (mut asked, mut in_stretch, mut said) = (false, false, String::new());
        for turn in &dialogue.turns {
            match turn {
                Turn::Api(call) => {
                    self.calls += 1;
                    self.asked += usize::from(asked);
                    self.recited += usize::from(recites(call, &said));
                }
                Turn::Assistant { text, .. } => {
                    // A stretch of calls answers the question before it.
                    asked = text.contains('?') || (asked && !in_stretch);
                    self.no_call += usize::from(turn.expects_no_call());
                }
                Turn::User { text } => said.push_str(text),
            }
            in_stretch = turn.as_call().is_some();
        }
    }
}

/// Whether the call's token is the user's words.
fn recites(call: &RecordedCall, said: &str) -> bool {
    call.param_dict.get("token").and_then(Value::as_str).is_some_and(|it| said.contains(it))
}

#[expect(clippy::cast_precision_loss, reason = "counts of a data set stay far below 2^52")]
fn share(part: usize, of: usize) -> f64 {
    part as f64 / of.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_count_for_the_stretch_after_them() {
        let call = r#"{"role": "API", "api_name": "A", "param_dict": {"token": "abc"}, "result": {"api_name": "A"}}"#;
        let file = format!(
            r#"{{"role": "User", "text": "My token is abc."}}
{{"role": "AI", "text": "When?", "expect": "no_call"}}
{{"role": "User", "text": "Now."}}
{call}
{call}
{{"role": "AI", "text": "Done."}}
{{"role": "User", "text": "Again."}}
{call}"#
        );
        let dialogue = Dialogue::read_lines("x.jsonl", Ability::Call, &file).unwrap();
        let mut counts = Counts::default();
        counts.add(&dialogue);
        assert_eq!(counts, Counts { calls: 3, asked: 2, no_call: 1, recited: 3 });
    }
}
