//! The file of a sample.

use super::{OnePage, Part};
use crate::session::{Run, SampleState, format, terms};
use crate::t;
use crate::texts::{Texts, reasons::reason};
use apis::effect::Effect;
use exchange::protocol::{Message, Role};
use record::{Outcome, SampleRecord, expected, received};
use scoring::Profile;

/// A sample of a run with prompt, answer and verdicts. `language` is the tag of `texts`.
pub fn sample(
    run: &Run,
    sample: &SampleRecord,
    profile: Profile,
    language: &str,
    texts: Texts,
) -> OnePage {
    let mut page = OnePage {
        language: language.to_owned(),
        title: sample.id.clone(),
        parts: vec![Part::Facts(facts(run, sample, profile, texts))],
    };
    verdicts(&mut page, sample, profile, texts);
    if let Some(hard) = &sample.hard {
        let heading = t!(texts, "Hard: {kind}", kind = texts.get(hard.kind.title()));
        page.section(&heading, Part::Text(hard.right.clone()));
    }
    page.section(t!(texts, "Expected"), Part::Code(expected(sample)));
    effect(&mut page, sample.gold_effect.as_deref(), texts);
    page.section(t!(texts, "Actual"), Part::Code(received(sample)));
    effect(&mut page, sample.effect.as_deref(), texts);
    if let Outcome::Answered(answer) = &sample.outcome
        && let Some(reasoning) = &answer.reasoning
    {
        page.section(t!(texts, "Reasoning"), Part::Code(reasoning.clone()));
    }
    page.parts.push(Part::Heading(t!(texts, "Prompt").to_owned()));
    for message in &sample.messages {
        page.parts.push(Part::Quiet(role(message.role, texts).to_owned()));
        page.parts.push(Part::Code(said(message)));
    }
    page.parts.push(Part::Quiet(
        t!(
            texts,
            "Saved from API-Bank. Anyone can change this file; only the run's record can prove it."
        )
        .to_owned(),
    ));
    page
}

fn facts(
    run: &Run,
    sample: &SampleRecord,
    profile: Profile,
    texts: Texts,
) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut put = |name: &str, value: String| facts.push((name.to_owned(), value));
    put(t!(texts, "State"), SampleState::of(sample, profile).title(texts).to_owned());
    put(t!(texts, "Ability"), texts.get(sample.ability.title()).to_owned());
    if let Some(settings) = &run.settings {
        put(t!(texts, "Model"), format::model(&settings.model, texts).to_owned());
        put(t!(texts, "Protocol"), settings.protocol.as_str().to_owned());
    }
    if let Some(of) = &run.facts {
        put(t!(texts, "Data"), of.pack.title());
        put(t!(texts, "Record digest"), of.digest.clone());
    }
    facts
}

fn verdicts(page: &mut OnePage, sample: &SampleRecord, shown: Profile, texts: Texts) {
    if let Some(score) = sample.rouge_l {
        page.parts.push(Part::Text(format!("ROUGE-L {score:.3}")));
    }
    if let Outcome::Failed { message, .. } = &sample.outcome {
        page.section(t!(texts, "Not scored"), Part::Text(message.clone()));
    }
    let others = Profile::ALL.into_iter().filter(|profile| *profile != shown);
    let rows: Vec<Vec<String>> = std::iter::once(shown)
        .chain(others)
        .filter_map(|profile| {
            let verdict = sample.verdict(profile)?;
            let word = match verdict.error_class {
                _ if verdict.correct => t!(texts, "Right").to_owned(),
                Some(class) => {
                    t!(texts, "Wrong: {class}", class = terms::class(class, texts))
                }
                None => t!(texts, "Wrong").to_owned(),
            };
            Some(vec![
                terms::profile(profile, texts).to_owned(),
                word,
                reason(&verdict.explanation, texts),
            ])
        })
        .collect();
    if !rows.is_empty() {
        let head = [t!(texts, "Count as right"), t!(texts, "Verdict"), t!(texts, "Reason")];
        page.parts.push(Part::Table {
            caption: t!(texts, "Verdict").to_owned(),
            head: head.map(str::to_owned).to_vec(),
            rows,
        });
    }
}

/// Result and changes of a call.
fn effect(page: &mut OnePage, effect: Option<&Effect>, texts: Texts) {
    let Some(effect) = effect else { return };
    let result = match (&effect.result.exception, &effect.result.output) {
        (Some(message), _) => message.clone(),
        (None, Some(output)) => format!("{output:#}"),
        (None, None) => t!(texts, "No return value.").to_owned(),
    };
    page.parts.push(Part::Quiet(t!(texts, "Result").to_owned()));
    page.parts.push(Part::Code(result));
    if let Ok(changes) = serde_json::to_string_pretty(&effect.changes)
        && !effect.changes.is_empty()
    {
        page.parts.push(Part::Quiet(t!(texts, "Database changes").to_owned()));
        page.parts.push(Part::Code(changes));
    }
}

fn role(role: Role, texts: Texts) -> &'static str {
    match role {
        Role::System => t!(texts, "system"),
        Role::User => t!(texts, "user"),
        Role::Assistant => t!(texts, "assistant"),
        Role::Tool => t!(texts, "tool"),
    }
}

fn said(message: &Message) -> String {
    let text = Some(message.content.to_string()).filter(|text| !text.is_empty());
    let calls = message.calls.iter().map(|call| format!("{}({})", call.name, call.arguments));
    text.into_iter().chain(calls).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{HOSTILE, assert_harmless};
    use super::*;
    use crate::fixture::call;
    use crate::session::run::tests::run_of;
    use dataset::Ability;
    use record::Gold;
    use scoring::{ErrorClass, Verdict};

    #[test]
    fn a_sample_is_whole_and_its_texts_are_harmless() {
        let mut it = call(Ability::Call, "call/a", 1, Some(false));
        if let Outcome::Answered(answer) = &mut it.outcome {
            HOSTILE.clone_into(&mut answer.text);
            answer.reasoning = Some(HOSTILE.to_owned());
        }
        if let Some(verdicts) = &mut it.verdicts {
            verdicts.execution = Verdict::wrong(ErrorClass::HasException, HOSTILE);
        }
        it.gold = Gold::NoCall(HOSTILE.to_owned());
        it.messages = vec![Message::text(Role::User, HOSTILE)];
        let run = run_of(vec![it.clone()]);
        let page = sample(&run, &it, Profile::Execution, "en", Texts::ENGLISH);
        let html = page.html();
        assert_harmless(&html);
        for expected in ["call/a#1", "Wrong: Call failed", "bracket", "Gold replay", "No call:"] {
            assert!(html.contains(expected), "{expected}");
        }
        assert_eq!(html.matches("&lt;script&gt;").count(), 5);
    }
}
