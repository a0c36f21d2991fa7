//! The Method page: what is measured, and how.

mod examples;

use crate::session::Route;
use crate::session::examples::ExampleKind;
use crate::state::use_app;
use crate::t;
use crate::texts::translated;
use examples::{Examples, example, invitation, pass_example, wilson_example};
use leptos::prelude::*;
use scoring::ErrorClass;

/// When a wrong call gets this class.
fn when(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::NoApiCall => t!("The answer holds nothing that looks like a call."),
        ErrorClass::FalseApiCallFormat => {
            t!("Something looks like a call but cannot be read as one.")
        }
        ErrorClass::UnneededApiCall => {
            t!("An API is called where no call is right (hard split only).")
        }
        ErrorClass::FailedApiRetrieval => {
            t!("A search was due: none was made, or its keywords find another API.")
        }
        ErrorClass::ApiHallucination => t!("The API that is called is not in the pool."),
        ErrorClass::WrongApi => t!("Another API of the pool is called."),
        ErrorClass::MissingInputParameters => t!("A required parameter is absent."),
        ErrorClass::InvalidInputParameters => {
            t!("A parameter is unknown, or its value has the wrong type.")
        }
        ErrorClass::HasException => t!("The call is refused where the gold call succeeds."),
        ErrorClass::WrongResult => {
            t!("The call returns or changes something else than the gold call.")
        }
    }
}

/// A link to a dialogue, step by step.
fn watch(dialogue: &str) -> impl IntoView + use<> {
    let href = Route::Demo(Some(dialogue.to_owned())).href();
    view! { <a href=href>{t!("Watch one")}</a> }
}

/// The page.
#[component]
pub fn MethodPage() -> impl IntoView {
    let live = Examples::new(use_app());
    let classes = ErrorClass::ALL
        .map(|class| view! {
            <li><b>{translated(class.title())}</b>": " {when(class)} {example(live, ExampleKind::Class(class))}</li>
        })
        .into_iter()
        .collect_view();
    view! {
        <article class="prose">
            <h1>{t!("Method")}</h1>
            <p>
                {t!("The design follows API-Bank by Li and others (EMNLP 2023, arXiv 2304.08244). APIs, databases \
                and dialogues here are this project's own, in the shapes of the original. Scores are therefore \
                not comparable with published ones; compare runs made here with each other.")}
            </p>
            {invitation(live)}

            <h2>{t!("What is asked")}</h2>
            <dl class="terms">
                <dt>{t!("Call")}</dt>
                <dd>{t!("The APIs that the dialogue needs are described. The model gives each call, then the reply after it.")} " " {watch("call/already-covered")}</dd>
                <dt>{t!("Retrieve+Call")}</dt>
                <dd>{t!("Only API Search is described. The model searches by keywords, then calls what was found.")} " " {watch("retrieve/after-the-fever")}</dd>
                <dt>{t!("Plan+Retrieve+Call")}</dt>
                <dd>{t!("The user states one requirement. The model searches and calls in a chain, then answers.")} " " {watch("plan/scary-movie-shed")}</dd>
            </dl>
            <p>
                {t!("Each call, and each reply that follows one, is a sample of its own. The model sees the \
                dialogue up to that point as it was recorded, whatever it answered before: a mistake is \
                counted once. API Search compares sentence embeddings (paraphrase-MiniLM-L3-v2) and returns \
                the best match.")}
            </p>

            <h2>{t!("The hard split")}</h2>
            <p>
                {t!("60 further Call dialogues with a snare each, ten a kind: no API is needed, something required \
                was not said, other APIs have nearly the same name, the fact lies far back, a call is refused \
                and has to be mended, a tool's result holds instructions that are not the user's. They are run \
                and reported apart. At every decision the model is asked for one API call or for words, and is \
                not told which.")}
            </p>
            <p>
                {t!("Where no call is right, an answer is right when it says something and calls no API. Whether it \
                asks back or declines is not told apart. A call there is an Unneeded API Call. The page of a \
                sample says what is right and why, and whether a hidden instruction was followed.")}
            </p>

            <h2>{t!("Protocol bracket")}</h2>
            <p>
                {t!("Calls are text: ")} <code>"[ApiName(key='value')]"</code>
                {t!(". The first call in square brackets that can be read counts, else the first without \
                brackets. Literals may be written as in JSON or as in Python.")}
            </p>

            <h2>{t!("Protocols tools, all-tools, agent")}</h2>
            <dl class="terms">
                <dt>"tools"</dt>
                <dd>
                    {t!("Native tool calls on the recorded history, results in the tool role. Where API Search finds \
                    the APIs, the model has API Search and what the recorded searches have found. The first tool \
                    call counts; a call in the text is a wrong format.")}
                </dd>
                <dt>"all-tools"</dt>
                <dd>
                    {t!("As tools, with every API of the suite described. Searches are left out of the history and of n.")}
                </dd>
                <dt>"agent"</dt>
                <dd>
                    {t!("The model's own calls run. When it answers without a call, the user says the next line of \
                    the script. A dialogue is right when the databases end as after the gold calls and every \
                    result that the gold calls only read was returned to the model too. New rows may come in any \
                    order; match rules hold; a gold call that is refused need not be repeated.")}
                </dd>
            </dl>
            <p>
                {t!("With several trials pass^k is the chance that a dialogue is right in all of k trials: \
                C(c, k) / C(n, k) for c right ones of n, averaged over dialogues. Intervals count each sample \
                once, however often it was asked.")}
                " " {pass_example()}
            </p>

            <h2>{t!("When a call is right")}</h2>
            <dl class="terms">
                <dt>"execution"</dt>
                <dd>
                    {t!("Gold and predicted call run on two copies of the same databases, with the gold calls before \
                    them replayed. The call is right when it returns the same and changes the same. Every \
                    parameter declares when two values agree, for example dates in any notation, names in any \
                    case; those rules are on each API's page.")}
                </dd>
                <dt>"exact"</dt>
                <dd>{t!("The name and every argument are equal, once read by their declared types.")}</dd>
                <dt>"f1"</dt>
                <dd>
                    {t!("The harmonic mean of precision and recall, once over names and once over pairs of parameter \
                    and value, summed over all calls before dividing. A call is right under it when nothing is \
                    missing and nothing is too much.")}
                </dd>
                <dt>"original"</dt>
                <dd>
                    {t!("On the original's own data alone: what its evaluator says, its mistakes included: \
                    it fails a part of its own answer key, which the Gold audit counts.")}
                </dd>
            </dl>
            {example(live, ExampleKind::Right)}
            {example(live, ExampleKind::Profiles)}
            <p>
                {t!("A request that gets no answer (network, server, wrong key) is not scored. It is counted apart \
                and never as a wrong answer. An empty answer is a wrong one.")}
            </p>

            <h2>{t!("Error classes")}</h2>
            <p>{t!("A wrong call has exactly one class, the first that fits:")}</p>
            <ol>{classes}</ol>

            <h2>{t!("Numbers")}</h2>
            <dl class="terms">
                <dt>{t!("Calls correct")}</dt>
                <dd>{t!("Right calls of all scored ones, with Wilson's 95 % score interval (Wilson, 1927).")} " " {wilson_example()}</dd>
                <dt>{t!("Dialogues all right")}</dt>
                <dd>{t!("Dialogues of which every call is right. One with an unscored call is left out.")}</dd>
                <dt>{t!("Search top-1")}</dt>
                <dd>{t!("Searches whose keywords find the annotated API; of a dialogue under agent, its first one.")}</dd>
                <dt>"ROUGE-L"</dt>
                <dd>
                    {t!("Of replies: the longest common subsequence of words with the gold reply, as F-measure from 0 \
                    to 1, averaged over replies (Lin, 2004).")}
                </dd>
            </dl>
            {example(live, ExampleKind::Reply)}

            <h2>{t!("The two built-in models")}</h2>
            <dl class="terms">
                <dt>{t!("Gold replay")}</dt>
                <dd>{t!("Answers with the gold itself. It shows that the benchmark can be solved: 100 %.")}</dd>
                <dt>{t!("Keyword baseline")}</dt>
                <dd>
                    {t!("No language model. API Search on the user's last words picks the API; patterns fill the \
                    parameters by type. A model below it has not understood the task.")}
                </dd>
            </dl>

            <h2>{t!("The record")}</h2>
            <p>
                {t!("Download JSON saves the whole run: settings without the key, every prompt, answer, call, effect \
                and verdict. The tables on this site are computed from it, and so can any other profile be later.")}
            </p>

            <h2>{t!("Generated training data")}</h2>
            <p>
                {t!("Five agents, all played by one endpoint, as in section 4 of the paper: domains, APIs, a \
                user's query, calls with simulated results and reply, and a tester. Checks that cost no \
                request come before the tester: calls name defined APIs, arguments fit their types and \
                follow from what was said or returned before, results fit the API's output, searches find \
                what they say, and the ability has its number of calls and searches.")}
            </p>
            <p>
                {t!("A dialogue is refused as a near-duplicate when its user shares more than half of the \
                four-word phrases with an earlier one, or has a cosine above 0.85 with it. Against the \
                evaluation set the bounds are 30 % and 0.8; its own dialogues, all different, reach 22 % \
                and 0.63. Every refusal is kept with its reasons.")}
            </p>
        </article>
    }
}
