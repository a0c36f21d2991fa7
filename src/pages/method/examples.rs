//! Live examples: answers to samples, judged by the engine while the page is open.

use crate::messages::demo::JudgeAnswers;
use crate::session::examples::{EXAMPLES, ExampleKind, place};
use crate::session::{Engine, Route, terms};
use crate::state::{App, Latest};
use crate::t;
use crate::texts::{self, reasons::reason};
use leptos::prelude::*;
use record::metrics::pass_hat;
use record::{Gold, SampleRecord};
use scoring::Profile;
use scoring::statistics::{Dialogue, clustered};

/// The engine's verdicts on the examples.
#[derive(Clone, Copy)]
pub(super) struct Examples {
    app: App,
    answer: Latest<Vec<SampleRecord>>,
}

impl Examples {
    /// Requests the verdicts if the engine is already loaded; loading it is left to the user.
    pub(super) fn new(app: App) -> Self {
        let it = Examples { app, answer: Latest::new() };
        if matches!(app.worker.engine.get_untracked(), Engine::Ready(_)) {
            it.ask();
        }
        it
    }

    fn ask(self) {
        let answers = EXAMPLES.map(|it| (it.sample.to_owned(), it.answer.to_owned())).to_vec();
        self.answer.ask(self.app, JudgeAnswers { answers });
    }

    fn sample(self, of: ExampleKind) -> Option<SampleRecord> {
        let place = place(of)?;
        self.answer.with(|answer| match answer {
            Some(Ok(samples)) => samples.get(place).cloned(),
            _ => None,
        })
    }
}

/// The button that requests the verdicts, then the state of the request.
pub(super) fn invitation(examples: Examples) -> impl IntoView {
    move || {
        match (examples.answer.is_asked(), examples.answer.get()) {
        (false, _) => view! {
            <p>
                <button type="button" class="button" data-test="judge-examples" on:click=move |_| examples.ask()>
                    {t!("Show live examples")}
                </button>
            </p>
        }
        .into_any(),
        (true, None) => {
            view! { <p class="quiet" role="status">{t!("Scoring examples…")}</p> }.into_any()
        }
        (true, Some(Err(message))) => view! { <p class="field-error">{message}</p> }.into_any(),
        (true, Some(Ok(_))) => view! {
            <p class="quiet" role="status" data-test="examples-judged">
                {t!("The boxes below show examples from the data, scored by the engine just now.")}
            </p>
        }
        .into_any(),
    }
    }
}

/// An example: gold, answer, and every profile's verdict.
pub(super) fn example(examples: Examples, of: ExampleKind) -> impl IntoView {
    move || {
        let sample = examples.sample(of)?;
        let place = place(of)?;
        let answer = EXAMPLES.get(place)?.answer;
        let class = match of {
            ExampleKind::Class(class) => class.title(),
            ExampleKind::Profiles => "profiles",
            ExampleKind::Right | ExampleKind::Reply => "",
        };
        let href = Route::Dialogue(sample.dialogue.clone()).href();
        Some(view! {
            <div class="example" data-test="example" data-of=class>
                <p><span class="quiet">{t!("Gold")}</span> " " <code>{gold(&sample)}</code></p>
                <p><span class="quiet">{t!("Answer")}</span> " " <code>{answer}</code></p>
                {verdicts(&sample)}
                <p class="quiet"><a href=href>{sample.id.clone()}</a></p>
            </div>
        })
    }
}

fn gold(sample: &SampleRecord) -> String {
    match &sample.gold {
        Gold::Call(call) => exchange::call::format(&call.api_name, &call.param_dict),
        Gold::Reply(text) | Gold::NoCall(text) => text.clone(),
        Gold::Episode(_) => String::new(),
    }
}

fn verdicts(sample: &SampleRecord) -> AnyView {
    if let Some(score) = sample.rouge_l {
        let score = format!("{score:.3}");
        return view! { <p>"ROUGE-L " <strong data-test="example-rouge">{score}</strong></p> }
            .into_any();
    }
    let row = |profile: Profile| {
        let verdict = sample.verdict(profile)?;
        let (style, word) = match (verdict.correct, verdict.error_class) {
            (true, _) => ("tag tag-right", t!("Right").to_owned()),
            (false, Some(class)) => (
                "tag tag-wrong",
                t!("Wrong: {class}", class = terms::class(class, texts::current())),
            ),
            (false, None) => ("tag tag-wrong", t!("Wrong").to_owned()),
        };
        Some(view! {
            <p>
                <span class="quiet">{profile.as_str()}</span> " " <span class=style>{word}</span>
                " " <span translate="no">{reason(&verdict.explanation, texts::current())}</span>
            </p>
        })
    };
    let rows = [Profile::Execution, Profile::Exact, Profile::F1].map(row);
    rows.into_iter().flatten().collect_view().into_any()
}

/// A worked example of the clustered interval, computed by the scoring code.
pub(super) fn interval_example() -> String {
    let percent = |value: f64| format!("{:.1} %", 100.0 * value);
    let dialogue = |sum: f64| Dialogue { sum, n: 2.0, samples: 2.0 };
    let dialogues: Vec<Dialogue> =
        (0..20).map(|n| dialogue(if n < 4 { 0.0 } else { 2.0 })).collect();
    let interval = clustered(&dialogues);
    t!(
        "32 right of 40 calls, two in each of 20 dialogues and right or wrong together: {rate}, interval {low} to {high}.",
        rate = percent(0.8),
        low = interval.map_or_else(String::new, |it| percent(it.low)),
        high = interval.map_or_else(String::new, |it| percent(it.high)),
    )
}

/// A worked example of pass^k.
pub(super) fn pass_example() -> String {
    let value = pass_hat(4, 5, 2).unwrap_or_default();
    t!("4 right of 5 trials: pass^2 = C(4, 2) / C(5, 2) = {value}.", value = format!("{value:.2}"))
}
