//! Metrics of a finished run: totals, times, tokens, cost, groups.

use crate::components::collapsible::Collapsible;
use crate::components::deferred::after_frames;
use crate::session::format;
use crate::state::{App, use_app};
use crate::t;
use crate::texts::translated;
use leptos::prelude::*;
use record::metrics::{Estimate, Group, Grouping, Metrics, Prices, Spread, groups, measure};
use record::{Gold, RunTimes, SampleRecord};

/// Facts of the run, then its calls by group. Empty during the run, and rendered last, because it
/// reads all samples.
#[component]
pub fn Measures() -> impl IntoView {
    let app = use_app();
    let metrics = RwSignal::new(None);
    let over = Memo::new(move |_| {
        app.run.current.with(|run| !run.phase.is_active() && !run.samples.is_empty())
    });
    Effect::new(move || {
        let profile = app.run.profile.get();
        app.run.current.track();
        if !over.get() {
            return metrics.set(None);
        }
        after_frames(1, move || {
            // The page may have changed, or another run may have started.
            if over.try_get_untracked() == Some(true) {
                let measured = app.run.current.with_untracked(|run| measure(&run.samples, profile));
                let _ = metrics.try_set(Some(measured));
            }
        });
    });
    view! {
        <Show when=move || metrics.read().is_some()>
            <div class="measures" data-test="measures">
                {move || metrics.get().map(|metrics| view! { <Facts app metrics/> })}
                <Groups app/>
            </div>
        </Show>
    }
}

/// Single numbers.
#[component]
fn Facts(app: App, metrics: Metrics) -> impl IntoView {
    let run = app.run.current.with_untracked(|run| RunTimes {
        started_ms: 0,
        // The clock does not matter for an ended run.
        finished_ms: run.elapsed_ms(0.0).max(0.0) as u64,
    });
    let per_second = metrics.times.per_second(run);
    let per_second = per_second.map_or_else(|| format::NONE.to_owned(), |it| format!("{it:.1}"));
    let pass = metrics
        .pass
        .iter()
        .filter(|_| metrics.pass.len() > 1)
        .map(|pass| (format!("pass^{}", pass.k), share(&pass.value)))
        .map(|(name, value)| view! { <dt>{name}</dt><dd class="num">{value}</dd> })
        .collect_view();
    let tokens = metrics.tokens;
    view! {
        <dl class="facts" data-test="measures-facts">
            <dt>{t!("Paper's metric")}</dt>
            <dd class="num" data-test="paper-total">
                {format::fraction(&metrics.paper.mixed)} " · " {format::percent(&metrics.paper.mixed)}
            </dd>
            <dt>{t!("Whole dialogues")}</dt>
            <dd class="num">
                {format::fraction(&metrics.paper.dialogues)} " · " {format::percent(&metrics.paper.dialogues)}
            </dd>
            {pass}
            <dt>"ROUGE-L"</dt><dd class="num">{rouge(&metrics.rouge_l)}</dd>
            <dt>{t!("Latency, p50 and p95")}</dt><dd class="num">{spread(metrics.times.latency)}</dd>
            <dt>{t!("First token, p50 and p95")}</dt><dd class="num">{spread(metrics.times.first_token)}</dd>
            <dt>{t!("Answers per second")}</dt><dd class="num">{per_second}</dd>
            <dt>{t!("Answer tokens per second")}</dt>
            <dd class="num">{metrics.tokens_per_second.map_or_else(|| format::NONE.to_owned(), |it| format!("{it:.1}"))}</dd>
            <dt>{t!("Tokens in and out")}</dt>
            <dd class="num">{match tokens.counted {
                0 => format::NONE.to_owned(),
                _ => t!("{a} and {b}", a = format::count(tokens.prompt as usize), b = format::count(tokens.completion as usize)),
            }}</dd>
        </dl>
        <p class="quiet note">
            {t!("The paper counts calls for Call and Retrieve+Call and whole dialogues for Plan+Retrieve+Call.")}
        </p>
        {(tokens.counted > 0).then(|| view! { <Cost tokens/> })}
    }
}

/// The cost of the tokens at the user's prices.
#[component]
fn Cost(tokens: record::metrics::Tokens) -> impl IntoView {
    let prompt = RwSignal::new(String::new());
    let completion = RwSignal::new(String::new());
    let cost = move || {
        let price = |text: String| text.trim().replace(',', ".").parse().ok();
        let prices = Prices { prompt: price(prompt.get())?, completion: price(completion.get())? };
        tokens.cost(prices)
    };
    let field = |label: &'static str, test: &'static str, value: RwSignal<String>| {
        view! {
            <label class="inline">
                <span class="label">{label}</span>
                <input type="text" inputmode="decimal" autocomplete="off" data-test=test
                    prop:value=move || value.get()
                    on:input=move |event| value.set(event_target_value(&event))/>
            </label>
        }
    };
    view! {
        <div class="filters">
            {field(t!("Price per million tokens in"), "price-in", prompt)}
            {field(t!("out"), "price-out", completion)}
            <p data-test="cost" role="status">
                {move || match cost() {
                    Some(cost) => t!("This run cost {cost}.", cost = format!("{cost:.4}")),
                    None => t!("Enter both prices to see the cost of this run.").to_owned(),
                }}
            </p>
        </div>
    }
}

/// Calls grouped by domain, API, number of calls, position.
#[component]
fn Groups(app: App) -> impl IntoView {
    let by = RwSignal::new(Grouping::default());
    let button = move |grouping: Grouping| {
        let on = move || by.get() == grouping;
        view! {
            <button class="segment" data-test=format!("group-{}", grouping.as_str())
                aria-pressed=move || on().to_string() on:click=move |_| by.set(grouping)>
                {translated(grouping.title())}
            </button>
        }
    };
    let any = Memo::new(move |_| {
        let profile = app.run.profile.get();
        let is_scored = |sample: &SampleRecord| {
            matches!(sample.gold, Gold::Call(_)) && sample.verdict(profile).is_some()
        };
        app.run.current.with(|run| run.samples.iter().any(is_scored))
    });
    let rows = move || {
        let groups =
            app.run.current.with(|run| groups(&run.samples, app.run.profile.get(), by.get()));
        groups.iter().map(row).collect_view()
    };
    view! {
        <Show when=move || any.get()>
            <Collapsible class="groups" test="groups" title=t!("Calls by group")>
                <div class="segments" role="group" aria-label=t!("Group by")>
                    {Grouping::ALL.into_iter().map(button).collect_view()}
                </div>
                <div class="scroll" role="region" tabindex="0" aria-label=t!("Calls by group")>
                    <table class="table">
                        <caption class="visually-hidden">{t!("Calls by group")}</caption>
                        <thead><tr>
                            <th scope="col">{move || translated(by.get().title())}</th>
                            <th scope="col" class="num">{t!("Correct")}</th>
                            <th scope="col" class="num">"n"</th>
                            <th scope="col" class="num">{t!("95 % interval")}</th>
                        </tr></thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            </Collapsible>
        </Show>
    }
}

fn row(group: &Group) -> impl IntoView + use<> {
    view! {
        <tr>
            <th scope="row">{group.name.clone()}</th>
            <td class="num strong">{format::percent(&group.calls)}</td>
            <td class="num">{format::count(group.calls.n)}</td>
            <td class="num">{format::interval(&group.calls)}</td>
        </tr>
    }
}

/// A share with its interval in percent.
fn share(estimate: &Estimate) -> String {
    numbers(estimate, |value| format!("{:.1} %", 100.0 * value))
}

/// A ROUGE-L with its interval.
fn rouge(estimate: &Estimate) -> String {
    numbers(estimate, |value| format!("{value:.3}"))
}

fn numbers(estimate: &Estimate, show: fn(f64) -> String) -> String {
    match (estimate.mean, estimate.interval) {
        (Some(mean), Some(it)) => {
            format!("{} ({} – {})", show(mean), show(it.low), show(it.high))
        }
        (Some(mean), None) => show(mean),
        (None, _) => format::NONE.to_owned(),
    }
}

fn spread(spread: Spread) -> String {
    match spread.n {
        0 => format::NONE.to_owned(),
        _ => t!(
            "{a} and {b}",
            a = format::span(spread.p50_ms as f64),
            b = format::span(spread.p95_ms as f64)
        ),
    }
}
