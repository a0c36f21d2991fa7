//! Answers the questions of the Demo page.

use super::ports::Browser;
use crate::platform::cancel;
use crate::protocol::demo::{Answer, Question};
use runner::bench::Bench;
use runner::demo;

/// The answer to a question.
///
/// # Errors
/// Why there is none, and what to do.
pub(super) async fn answer(bench: &Bench, question: Question) -> Result<Answer, String> {
    let unknown = |what: &str, id: &str| {
        format!("The loaded data has no {what} {id}. Choose another from the list.")
    };
    match question {
        Question::Dialogues { ability } => {
            Ok(Answer::Dialogues { entries: demo::entries(bench, ability) })
        }
        Question::Walk { dialogue } => demo::walk(bench, &dialogue)
            .map(|walk| Answer::Walk { walk })
            .ok_or_else(|| unknown("dialogue", &dialogue)),
        Question::Judge { sample, answer } => demo::judge_text(bench, &sample, &answer)
            .map(|judged| Answer::Judged { sample: Box::new(judged) })
            .ok_or_else(|| unknown("sample", &sample)),
        Question::Examples { answers } => {
            let judged = |(sample, answer): &(String, String)| {
                demo::judge_text(bench, sample, answer).ok_or_else(|| unknown("sample", sample))
            };
            let samples = answers.iter().map(judged).collect::<Result<_, _>>()?;
            Ok(Answer::Examples { samples })
        }
        Question::AskModel { sample, settings, key } => {
            // Nobody holds the switch: one sample ends by itself, at the latest by its time limit.
            let (_switch, watch) = cancel::pair();
            let ports = Browser::new(watch);
            runner::run_one(bench, &settings, key.as_ref(), &ports, &sample)
                .await
                .map(|judged| Answer::Judged { sample: Box::new(judged) })
                .ok_or_else(|| unknown("sample", &sample))
        }
        Question::Table { sample, table } => demo::table_after(bench, &sample, table)
            .map(|table| Answer::Table { table })
            .ok_or_else(|| unknown("sample", &sample)),
    }
}
