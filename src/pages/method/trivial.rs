//! Scores of trivial models, and the reasons for those above the tolerance.

use crate::session::format;
use crate::t;
use crate::texts::translated;
use exchange::protocol::Protocol;
use leptos::prelude::*;
use record::Baseline;
use record::reference::trivial::{Cell, Group, Reason, TOLERATED, TrivialTable};
use scoring::Profile;

fn explain(model: Baseline) -> &'static str {
    match model {
        Baseline::SaysNothing => t!("Empty answers."),
        Baseline::RepeatsTheUser => t!("Answers with the user's last message."),
        Baseline::CallsTheFirstApi => t!("Calls the first API described, without arguments."),
        Baseline::CallsEveryApi => t!("Calls every API described, without arguments."),
        Baseline::SearchesForever => t!("Searches for the user's last message at every step."),
        Baseline::RefusesPolitely => t!("“I'm sorry, I can't help with that.”"),
        Baseline::ClaimsSuccess => t!("“Done! I've taken care of it.”"),
        Baseline::ObeysToolResults => {
            t!("Makes the call that a tool result asks for; otherwise says “OK.”")
        }
        Baseline::GoldReplay | Baseline::KeywordBaseline => "",
    }
}

fn title(group: Group, protocol: Protocol) -> &'static str {
    let whole = protocol.is_agent();
    match group {
        Group::Call => t!("Call"),
        Group::CallWords => t!("Call: words"),
        Group::RetrieveSearches => t!("Retrieve: searches"),
        Group::RetrieveCalls if whole => t!("Retrieve"),
        Group::RetrieveCalls => t!("Retrieve: calls"),
        Group::RetrieveWords => t!("Retrieve: words"),
        Group::PlanSearches => t!("Plan: searches"),
        Group::PlanCalls if whole => t!("Plan"),
        Group::PlanCalls => t!("Plan: calls"),
        Group::PlanWords => t!("Plan: words"),
        Group::HardCalls => t!("Hard: calls"),
        Group::HardWords => t!("Hard: words"),
    }
}

fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::AnyWords => {
            t!(
                "Words. Any words pass, so a refusal or an echo passes, too. That is why these steps have a \
            column of their own: read them only together with the calls."
            )
        }
        Reason::NothingChanges => {
            t!(
                "Call under agent. A few dialogues end in the state in which they begin: their calls fail, \
                or nothing has to be read for the user. Whoever changes nothing gets them right."
            )
        }
        Reason::UserWords => {
            t!(
                "Searches. A search is right if it finds the API, and the user's own message often names \
            what is wanted. Without the calls that follow, no dialogue is right."
            )
        }
    }
}

fn right(cell: &Cell, profile: Profile) -> usize {
    match profile {
        Profile::Exact => cell.exact,
        Profile::F1 => cell.f1,
        Profile::Execution | Profile::Original => cell.execution,
    }
}

fn percent(right: usize, n: usize) -> String {
    format!("{:.1} %", 100.0 * right as f64 / n.max(1) as f64)
}

/// A row of the table: a model under a protocol and a profile.
fn row(
    table: &TrivialTable,
    groups: &[Group],
    model: Baseline,
    protocol: Protocol,
    profile: Profile,
) -> impl IntoView + use<> {
    let cells: Vec<_> = groups
        .iter()
        .map(|group| {
            let cell = table.cell(model, protocol, *group);
            let high = cell
                .is_some_and(|cell| right(cell, profile) as f64 / cell.n.max(1) as f64 > TOLERATED);
            let text = cell.map(|cell| percent(right(cell, profile), cell.n));
            view! { <td class="num" class:strong=high>{text.unwrap_or_else(|| "–".to_owned())}</td> }
        })
        .collect();
    let rouge = table.replies.iter().find(|it| it.model == model && it.protocol == protocol);
    let rouge = rouge.map(
        |it| view! { <td class="num">{format!("{:.3}", f64::from(it.rouge_l) / 1000.0)}</td> },
    );
    view! {
        <tr>
            <th scope="row">{translated(model.title())}</th>
            {cells}
            {rouge}
        </tr>
    }
}

#[component]
pub(super) fn TrivialModels() -> impl IntoView {
    let table = StoredValue::new(TrivialTable::published());
    let protocol = RwSignal::new(Protocol::Bracket);
    let profile = RwSignal::new(Profile::Execution);
    let models = Baseline::TRIVIAL
        .iter()
        .map(|&model| view! { <dt>{translated(model.title())}</dt><dd>{explain(model)}</dd> })
        .collect_view();
    let reasons = table
        .with_value(TrivialTable::reasons)
        .into_iter()
        .map(|reason| view! { <li>{why(reason)}</li> })
        .collect_view();
    view! {
        <h2>{t!("Trivial models")}</h2>
        <p>
            {t!("Eight built-in models understand nothing. What they score, the benchmark gives away. Run \
            one with the command line: ")} <code>"api-bank run --model says-nothing"</code> "."
        </p>
        <dl class="terms">{models}</dl>
        <div class="field-row">
            <Pick label=t!("Protocol") test="trivial-protocol" options=Protocol::ALL.map(Protocol::as_str).to_vec()
                pick=move |name: String| if let Some(picked) = Protocol::named(&name) { protocol.set(picked) }/>
            <Pick label=t!("Profile") test="trivial-profile" options=Profile::ALL.map(Profile::as_str).to_vec()
                pick=move |name: String| {
                    if let Some(picked) = Profile::ALL.into_iter().find(|it| it.as_str() == name) {
                        profile.set(picked);
                    }
                }/>
        </div>
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Trivial models")>
            {move || table.with_value(|table| figures(table, protocol.get(), profile.get()))}
        </div>
        <p>{t!("Above 3 %, shown in bold, has these reasons:")}</p>
        <ul class="reasons">{reasons}</ul>
    }
}

/// A menu of names.
#[component]
fn Pick(
    label: &'static str,
    test: &'static str,
    options: Vec<&'static str>,
    pick: impl Fn(String) + Send + Sync + 'static,
) -> impl IntoView {
    let options =
        options.into_iter().map(|it| view! { <option value=it>{it}</option> }).collect_view();
    view! {
        <label class="field">
            <span class="label">{label}</span>
            <select data-test=test on:change=move |event| pick(event_target_value(&event))>{options}</select>
        </label>
    }
}

fn figures(table: &TrivialTable, protocol: Protocol, profile: Profile) -> AnyView {
    let groups: Vec<Group> = Group::ALL
        .into_iter()
        .filter(|group| table.cell(Baseline::SaysNothing, protocol, *group).is_some())
        .collect();
    let heads = groups
        .iter()
        .map(|group| {
            let n = table.cell(Baseline::SaysNothing, protocol, *group).map_or(0, |cell| cell.n);
            view! { <th scope="col" class="num">{title(*group, protocol)}<br/>{format!("n = {}", format::count(n))}</th> }
        })
        .collect_view();
    let replies = table.replies.iter().any(|reply| reply.protocol == protocol);
    let rows = Baseline::TRIVIAL
        .iter()
        .map(|&model| row(table, &groups, model, protocol, profile))
        .collect_view();
    view! {
        <table class="table" data-test="trivial-table">
            <caption>{match protocol.is_agent() {
                true => t!("Share of dialogues that are right."),
                false => t!("Share of steps that are right; ROUGE-L of replies."),
            }}</caption>
            <thead><tr>
                <th scope="col">{t!("Model")}</th>
                {heads}
                {replies.then(|| view! { <th scope="col" class="num">"ROUGE-L"</th> })}
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}
