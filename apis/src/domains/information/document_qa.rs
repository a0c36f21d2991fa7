//! DocumentQA: an answer to a question about a document, from recorded pairs.
//!
//! Answers the recorded question with the highest Jaccard index of [`terms`], if it is at
//! least [`LEAST_SHARED`]. The first of several wins. Words that the question shares with the address
//! are ignored: they name the document's subject.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use crate::text::fold;
use crate::text::words::{stem, words};
use serde_json::Value;
use std::collections::BTreeSet;

/// The least Jaccard index, as a fraction, at which a recorded question counts as the
/// one that was asked.
const LEAST_SHARED: (usize, usize) = (1, 3);

pub const API: Api = Api {
    name: "DocumentQA",
    suite: Suite::Dialogue,
    domain: Domain::Information,
    description: "Reads the document at a web address and answers a question about its content.",
    hints: &[
        "answer a question from a document",
        "what does the contract say about this",
        "find a detail in a PDF",
        "read an online file and tell me what's in it",
        "look something up in a manual",
        "ask about the text behind a link",
        "check the terms in a report",
        "find the answer in a document at this link",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "answer", label: "str", description: "The answer." }],
    reads: &[TableName::QuestionAnswering],
    writes: &[],
    errors: &[
        "The address or the question is empty.",
        "There is no such document.",
        "The document does not answer the question.",
    ],
    examples: &[
        Example {
            arguments: r#"{"url": "https://docs.brookfield-library.example/borrowing-rules.pdf", "question": "How many books can a member borrow at once?"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"url": "https://docs.brookfield-library.example/borrowing-rules.pdf", "question": "Who designed the roof?"}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The address of the document.
        #[rule(Trimmed)]
        url: String,
        /// The question that the document should answer.
        #[rule(Question)]
        question: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let url = filled("url", &args.url)?;
    let question = filled("question", &args.question)?;
    let answers =
        world.question_answering.get(url).ok_or_else(|| ApiError::not_found("document at", url))?;
    let asked = terms(question);
    let subject: BTreeSet<String> = &terms(&words(url).join(" ")) & &asked;
    let mut best: Option<((usize, usize), &str)> = None;
    for pair in answers {
        let recorded = terms(&pair.question);
        let share = match asked == subject {
            true => share(&asked, &recorded),
            false => share(&(&asked - &subject), &(&recorded - &subject)),
        };
        if at_least(share, LEAST_SHARED) && best.is_none_or(|(best, _)| above(share, best)) {
            best = Some((share, &pair.answer));
        }
    }
    match best {
        Some((_, answer)) => Ok(Value::from(answer)),
        None => Err(ApiError::Refused(format!(
            "The document does not answer the question {question:?}."
        ))),
    }
}

/// The stems of a question's content words.
fn terms(text: &str) -> BTreeSet<String> {
    fold::content(text).iter().map(|word| stem(word).to_owned()).collect()
}

/// Sizes of the intersection and the union of two questions' words.
fn share(a: &BTreeSet<String>, b: &BTreeSet<String>) -> (usize, usize) {
    (a.intersection(b).count(), a.union(b).count().max(1))
}

fn at_least(a: (usize, usize), b: (usize, usize)) -> bool {
    a.0 * b.1 >= b.0 * a.1
}

fn above(a: (usize, usize), b: (usize, usize)) -> bool {
    a.0 * b.1 > b.0 * a.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{does_the_same, exception, output, same, world};
    use serde_json::json;

    const RULES: &str = "https://docs.brookfield-library.example/borrowing-rules.pdf";

    fn ask(question: &str) -> Value {
        json!({"url": RULES, "question": question})
    }

    #[test]
    fn answers_in_other_words_and_any_case() {
        let mut world = world();
        let answer = output(&API, ask("How many books can a member borrow at once?"), &mut world);
        assert!(answer.as_str().unwrap().contains("twelve"), "{answer}");
        assert_eq!(output(&API, ask("HOW MANY BOOKS may members borrow?"), &mut world), answer);
    }

    #[test]
    fn every_recorded_question_finds_its_own_answer() {
        let mut world = world();
        for (url, answers) in world.clone().question_answering.iter() {
            for pair in answers {
                let call = json!({"url": url, "question": pair.question});
                assert_eq!(output(&API, call, &mut world), pair.answer.as_str());
            }
        }
    }

    #[test]
    fn the_subject_of_the_document_may_be_named() {
        let mut world = world();
        let url = "https://guides.trailmark.example/ridge-walk.html";
        let mut ask =
            |question| output(&API, json!({"url": url, "question": question}), &mut world);
        let dogs = ask("Are dogs allowed on the trail?");
        for question in ["Is a dog allowed on the ridge walk?", "Are dogs allowed on the ridge?"] {
            assert_eq!(ask(question), dogs, "{question}");
        }
        assert_ne!(ask("How long is the ridge walk?"), dogs);
    }

    #[test]
    fn refuses_unknown_documents_and_questions() {
        let mut world = world();
        let message = exception(&API, ask("Who designed the roof?"), &mut world);
        assert!(message.contains("does not answer"), "{message}");
        exception(&API, ask("??"), &mut world);
        assert_eq!(exception(&API, ask(" "), &mut world), "question must not be empty.");
        let call = json!({"url": "https://a.example/x.pdf", "question": "How long?"});
        assert!(exception(&API, call, &mut world).contains("no document at"));
    }

    #[test]
    fn the_question_matches_by_its_words() {
        let gold = ask("How many books can a member borrow at once?");
        assert!(does_the_same(&API, gold.clone(), ask("how many books can a member borrow")));
        assert!(!same(&API, gold, ask("What is the fine for a late return?")));
    }
}
