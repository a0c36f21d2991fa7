//! The Method page: tasks, protocols, scoring and metrics.

mod examples;
mod labels;
mod trivial;
mod verdict;

use crate::components::contents::Contents;
use crate::session::Route;
use crate::session::examples::ExampleKind;
use crate::state::use_app;
use crate::t;
use crate::texts::translated;
use examples::{Examples, example, interval_example, invitation, pass_example};
use labels::LabelAgreement;
use leptos::prelude::*;
use record::reference::NAMED;
use scoring::ErrorClass;
use trivial::TrivialModels;
use verdict::Verdict;

/// The condition of an error class.
fn when(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::NoApiCall => t!("The answer contains no call."),
        ErrorClass::FalseApiCallFormat => {
            t!("The answer contains a malformed call.")
        }
        ErrorClass::UnneededApiCall => {
            t!("The model calls an API at a no-call step.")
        }
        ErrorClass::FailedApiRetrieval => {
            t!("A required search is missing, or the needed API is not among its results.")
        }
        ErrorClass::ApiHallucination => t!("The pool has no such API."),
        ErrorClass::WrongApi => t!("The model calls another API from the pool."),
        ErrorClass::MissingInputParameters => t!("A required parameter is missing."),
        ErrorClass::InvalidInputParameters => {
            t!("A parameter is unknown or its value has the wrong type.")
        }
        ErrorClass::HasException => t!("The call fails where the gold call succeeds."),
        ErrorClass::WrongResult => {
            t!("The call's result or database changes differ from the gold call's.")
        }
    }
}

/// A link to a dialogue in the Demo.
fn watch(dialogue: &str) -> impl IntoView + use<> {
    let href = Route::Demo(Some(dialogue.to_owned())).href();
    view! { <a href=href>{t!("See an example")}</a> }
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
            <p>{t!("What the benchmark asks of a language model, and how it decides that an answer is right.")}</p>
            <p>
                {t!("The design follows API-Bank by Li et al. (EMNLP 2023, arXiv 2304.08244). This project \
                wrote its own APIs, databases and dialogues in the original's format. Its scores are \
                therefore not comparable with published ones; compare only runs made here.")}
            </p>
            {invitation(live)}
            <Contents/>

            <h2>{t!("Tasks")}</h2>
            <dl class="terms">
                <dt>{t!("Call")}</dt>
                <dd>{t!("The prompt describes 15 APIs, those the dialogue needs among them. The model makes each call, then writes the reply.")} " " {watch("call/already-covered")}</dd>
                <dt>{t!("Retrieve+Call")}</dt>
                <dd>{t!("The prompt describes only API Search. The model searches by keywords, then calls one of the APIs it finds.")} " " {watch("retrieve/after-the-fever")}</dd>
                <dt>{t!("Plan+Retrieve+Call")}</dt>
                <dd>{t!("The user states one requirement. The model chains searches and calls, then answers.")} " " {watch("plan/scary-movie-shed")}</dd>
            </dl>
            <p>
                {t!("Each call, and each reply after a call, is a separate sample. The model sees the \
                recorded dialogue up to that point, regardless of its earlier answers, so each mistake \
                counts once. API Search compares sentence embeddings (paraphrase-MiniLM-L3-v2) and returns \
                the five best matches with their descriptions, plus GetUserToken if one of them needs a \
                token; with the setting 1, as in the paper, the best match alone.")}
            </p>

            <p>
                {t!("At some steps no call is right: a fact is missing, a confirmation is wanted, nothing is \
                to be done, or in Plan+Retrieve+Call all is done. The question is the same at every step, a \
                call or words, so that it does not give the answer away. These no-call steps are a rate of \
                their own beside the rate of calls.")}
            </p>

            <h2>{t!("The hard split")}</h2>
            <p>
                {t!("144 more Call dialogues, twelve for each of twelve traps: a call that fits the words and is \
                not right, several missing facts, parallel calls, an API that is described only later, a rule \
                that wants a confirmation, a rule about whose data may be used, a step that the user does not \
                name, values in another form than the API's, two rows that fit, a fact in a long conversation, \
                instructions hidden in a tool result, and a call that fails for good. They run and are \
                reported separately. At each step the model may call or answer in words, and is not told which \
                is expected. Every dialogue needs a call somewhere, so silence passes none.")}
            </p>
            <p>
                {t!("At a no-call step, any words without a call are right; clarifying questions and \
                refusals count the same, silence is wrong. A call there, in whatever form, is an \
                Unneeded API Call. The sample page shows the expected \
                behavior, the reason, and whether the model followed a hidden instruction.")}
            </p>

            <h2 id="horizon">{t!("Horizon")}</h2>
            <p>
                {t!("How long a chain of calls does a model carry? Tasks of 1 to 256 calls are generated by a \
                seed, so that none can be learnt by heart. A task is one message. The model calls tools until \
                it answers in words. The task is completed if the databases end as they should, nothing else \
                has changed, and the last words tell what was asked.")}
            </p>
            <p>
                {t!("The horizon is the number of calls of the shortest solution at which half of the tasks \
                are completed, read off a logistic curve over the logarithm of that number. Each next task has \
                the length that tells most about it, so a small model never gets long tasks. Beside it stands \
                the price of the completed tasks: calls, tokens and seconds.")}
            </p>

            <h2>{t!("Protocols bracket and paper")}</h2>
            <p>
                {t!("The model writes calls as text: ")} <code>"[ApiName(key='value')]"</code>
                {t!(". The first parsable call in square brackets counts, or else the first without \
                brackets. Literals may use JSON or Python syntax.")}
            </p>
            <p>
                {t!("paper asks as the paper does: the prompt says that a call is due, Call describes the \
                dialogue's own APIs alone, and no-call steps are left out.")}
            </p>

            <h2>{t!("Protocols tools, all-tools, agent")}</h2>
            <dl class="terms">
                <dt>"tools"</dt>
                <dd>
                    {t!("Native tool calls on the recorded history, with results in the tool role. In search \
                    tasks, the model gets API Search plus the APIs that the recorded searches return, and \
                    chooses among them. The first tool call counts; a call in the text is a format error.")}
                </dd>
                <dt>"all-tools"</dt>
                <dd>
                    {t!("Like tools, but describes every API in the suite. Searches are omitted from the history and from n.")}
                </dd>
                <dt>"agent"</dt>
                <dd>
                    {t!("The model's own calls are executed. When it answers without a call, the scripted user goes \
                    on: with the lines that answer its questions, else with the next line. Asked for \
                    permission, the user says yes while a call is due and no after the last one; asked for \
                    what was said, it says it again; each once. A dialogue is right if the databases end in \
                    the gold state and the model read whatever the gold calls read for the user to be told. \
                    New rows may come in any order, values that count as gold ones count, failing gold calls need not be \
                    repeated, and a sum may be done without Calculator.")}
                </dd>
            </dl>
            <p>
                {t!("With several trials, pass^k is the probability that a dialogue is right in all of k \
                trials: C(c, k) / C(n, k) for c right trials of n, averaged over dialogues. Intervals count \
                each sample once, regardless of the number of trials.")}
                " " {pass_example()}
            </p>

            <h2>{t!("Protocols of published numbers")}</h2>
            <p>
                {t!("Published API-Bank numbers differ in what was asked and how it was judged. A run with \
                api-bank run --published NAME on the original data repeats one of these protocols:")}
            </p>
            <dl class="terms" data-test="named-protocols">{named_protocols()}</dl>

            <Verdict/>

            <h2>{t!("Scoring profiles")}</h2>
            <dl class="terms">
                <dt>"execution"</dt>
                <dd>
                    {t!("The verdict by these ten rules. Scores are of this profile unless another one is named.")}
                </dd>
                <dt>"exact"</dt>
                <dd>
                    {t!("The name and all arguments are equal after parsing by declared type. Keywords of \
                    searches are left out: a search is right if it returns the needed API. With one search \
                    result, keywords are compared.")}
                </dd>
                <dt>"f1"</dt>
                <dd>
                    {t!("Micro-averaged F1 (harmonic mean of precision and recall) over API names and over \
                    parameter-value pairs. A call is right if nothing is missing or extra. Keywords of \
                    searches are left out, as under exact.")}
                </dd>
                <dt>"original"</dt>
                <dd>
                    {t!("Only for the original data: the verdict of the original evaluator, bugs included. \
                    It rejects part of its own gold, as the Gold audit shows.")}
                </dd>
            </dl>
            {example(live, ExampleKind::Right)}
            {example(live, ExampleKind::Profiles)}
            <p>
                {t!("Requests without an answer (network, server, wrong key) are not scored; they are \
                counted separately, never as wrong answers. An empty answer is wrong.")}
            </p>

            <LabelAgreement/>

            <h2>{t!("Error classes")}</h2>
            <p>{t!("Each wrong call gets the first class that applies:")}</p>
            <ol>{classes}</ol>

            <h2>{t!("Metrics")}</h2>
            <dl class="terms">
                <dt>{t!("Calls right")}</dt>
                <dd>{t!("Share of the calls, searches apart, that are right. The 95 % interval counts dialogues, whose calls hang together: Wilson's score interval (1927) of the calls divided by their design effect (Rao and Scott, 1992).")} " " {interval_example()}</dd>
                <dt>{t!("Better, equal, no difference shown")}</dt>
                <dd>{t!("Compare takes the samples scored in both records. A record is better if flipping the signs of the dialogues' differences at random rarely gives as large a sum (p ≤ 0.05, adjusted over all pairs by Holm, 1979). Two are equal within a margin if the 90 % interval of their difference lies inside it (Schuirmann, 1987). Anything else shows nothing.")}</dd>
                <dt>{t!("Whole dialogues")}</dt>
                <dd>{t!("Dialogues with every call and every no-call step right. Dialogues with an unscored step are excluded.")}</dd>
                <dt>{t!("Finds the API")}</dt>
                <dd>{t!("Searches that return the needed API; under agent, the first search of each dialogue. A search for an API that an earlier one has returned already does not count.")}</dd>
                <dt>{t!("Knows when not to call")}</dt>
                <dd>{t!("No-call steps answered in words.")}</dd>
                <dt>{t!("Tells the result")}</dt>
                <dd>{t!("Replies that state every fact that the dialogue lists for them; under agent, dialogues.")}</dd>
                <dt>{t!("As in the paper")}</dt>
                <dd>{t!("Calls and searches together, as the paper counts them.")}</dd>
                <dt>"ROUGE-L"</dt>
                <dd>
                    {t!("F-measure (0 to 1) of the longest common word subsequence with the gold reply, \
                    averaged over replies (Lin, 2004).")}
                </dd>
            </dl>
            {example(live, ExampleKind::Reply)}

            <h2>{t!("Built-in models")}</h2>
            <dl class="terms">
                <dt>{t!("Gold replay")}</dt>
                <dd>{t!("Answers with the gold. Shows that the benchmark is solvable: 100 %.")}</dd>
                <dt>{t!("Keyword baseline")}</dt>
                <dd>
                    {t!("No language model. Runs API Search on the user's last message to pick the API; \
                    type-based patterns fill the parameters. A model that scores lower has not understood \
                    the task.")}
                </dd>
            </dl>
            <TrivialModels/>

            <h2>{t!("The record")}</h2>
            <p>
                {t!("Download JSON saves the whole run: settings without the key, and every prompt, answer, \
                call, effect and verdict. The tables on this site are computed from it, and any other \
                profile can be computed later.")}
            </p>

            <h2>{t!("Generated training data")}</h2>
            <p>
                {t!("As in section 4 of the paper, one endpoint plays five agents: domains, APIs, user \
                query, calls with simulated results and reply, and tester. Checks that cost no request run \
                before the tester: calls name defined APIs, arguments match their types and follow from \
                earlier messages or results, results match the API's output, searches find the stated API, \
                and the number of calls and searches fits the ability.")}
            </p>
            <p>
                {t!("A dialogue is rejected as a near-duplicate if its user turns share more than half of \
                their four-word phrases with an earlier dialogue, or their cosine similarity exceeds 0.85. \
                Against the evaluation set the limits are 30 % and 0.8; its own dialogues, all distinct, \
                reach at most 22 % and 0.63. Every rejection is recorded with its reasons.")}
            </p>
        </article>
    }
}

/// The named protocols: settings, omissions, and publications that use them.
fn named_protocols() -> impl IntoView {
    NAMED
        .iter()
        .map(|it| {
            let setting = t!(
                "Protocol {protocol}, steps {steps}, profile {profile}.",
                protocol = it.protocol.as_str(),
                steps = it.steps.as_str(),
                profile = it.profile.as_str()
            );
            view! {
                <dt>{it.name}</dt>
                <dd>
                    {translated(it.asks)} " " {setting} " "
                    {t!("Left out: {what}", what = translated(it.leaves_out))} " "
                    {t!("Published: {what}", what = translated(it.published))}
                </dd>
            }
        })
        .collect_view()
}
