//! Progress, cost, statistics as in the paper's Table 2, and the yield of each agent.

use crate::session::format;
use crate::session::generation::{Generation, Phase};
use crate::state::{App, use_app};
use crate::texts::{self, translated};
use crate::{english, t};
use dataset::Ability;
use generator::statistics::{AbilityStatistics, PAPER};
use generator::{Agent, Yield};
use leptos::prelude::*;

/// The label of a phase.
const fn phase_text(phase: Phase) -> &'static str {
    match phase {
        Phase::Unknown | Phase::Idle => english!("Idle"),
        Phase::Preparing => english!("Preparing"),
        Phase::Running => english!("Running"),
        Phase::Paused => english!("Paused"),
        Phase::Stopped => english!("Stopped"),
    }
}

/// The panel next to the form.
#[component]
pub fn FiguresPanel() -> impl IntoView {
    let app = use_app();
    let phase = Memo::new(move |_| app.generation.current.with(|current| current.phase));
    let ending = Memo::new(move |_| {
        app.generation
            .current
            .with(|it| (!it.phase.is_active()).then(|| it.ending(texts::current())).flatten())
    });
    view! {
        <section class="panel progress" aria-labelledby="generate-progress">
            <div class="progress-head">
                <h2 id="generate-progress">{t!("Progress")}</h2>
                <p class="status" role="status" data-phase=move || phase_text(phase.get())>
                    <strong data-test="generate-phase">{move || translated(phase_text(phase.get()))}</strong>
                </p>
            </div>
            <p role="status" data-test="generate-ending">{ending}</p>
            <Show when=move || phase.get() == Phase::Preparing>
                <p class="quiet">{t!("Reads the evaluation set, so that no generated dialogue repeats it. This takes up to a minute.")}</p>
            </Show>
            <ul class="abilities-progress">
                {Ability::ALL.map(|ability| view! { <AbilityBar app ability/> }).into_iter().collect_view()}
            </ul>
            <dl class="facts" data-test="generate-facts">
                <dt>{t!("Domains")}</dt><dd class="num">{move || app.generation.current.with(domains)}</dd>
                <dt>{t!("APIs")}</dt><dd class="num">{move || app.generation.current.with(apis)}</dd>
                <dt>{t!("Requests")}</dt><dd class="num">{move || app.generation.current.with(requests)}</dd>
                <dt>{t!("Tokens")}</dt><dd class="num">{move || app.generation.current.with(tokens)}</dd>
                <dt>{t!("Cost")}</dt><dd class="num">{move || app.generation.current.with(cost)}</dd>
            </dl>
        </section>
    }
}

fn of(count: usize, target: Option<usize>) -> String {
    match target {
        Some(target) => {
            t!("{n} of {all}", n = format::count(count), all = format::count(target))
        }
        None => format::count(count),
    }
}

fn domains(it: &Generation) -> String {
    of(it.tally.figures.domains, it.settings.as_ref().map(|it| it.targets.domains))
}

fn apis(it: &Generation) -> String {
    of(it.tally.figures.apis, it.settings.as_ref().map(|it| it.targets.apis))
}

fn requests(it: &Generation) -> String {
    format::count(it.tally.figures.spent.requests as usize)
}

fn tokens(it: &Generation) -> String {
    let spent = it.tally.figures.spent;
    let count = |tokens: u64| format::count(tokens as usize);
    let (prompt, answer) = (count(spent.prompt_tokens), count(spent.completion_tokens));
    match spent.estimated {
        true => t!("about {prompt} in, {answer} out", prompt = prompt, answer = answer),
        false => t!("{prompt} in, {answer} out", prompt = prompt, answer = answer),
    }
}

fn cost(it: &Generation) -> String {
    let settings = it.settings.as_ref();
    let priced = settings
        .filter(|it| it.budget.prompt_price > 0.0 || it.budget.completion_price > 0.0)
        .map(|settings| settings.budget.cost(it.tally.figures.spent));
    priced.map_or_else(|| t!("no price").to_owned(), |cost| format!("{cost:.2}"))
}

/// Accepted dialogues of an ability against the target.
#[component]
fn AbilityBar(app: App, ability: Ability) -> impl IntoView {
    let done = Memo::new(move |_| {
        app.generation
            .current
            .with(|current| current.tally.figures.accepted.get(&ability).copied().unwrap_or(0))
    });
    let wanted = Memo::new(move |_| {
        app.generation.current.with(|generation| {
            generation.settings.as_ref().map_or(0, |settings| match ability {
                Ability::Call => settings.targets.call,
                Ability::Retrieve => settings.targets.retrieve,
                Ability::Plan => settings.targets.plan,
            })
        })
    });
    view! {
        <li data-test=format!("generated-{}", ability.as_str())>
            <div class="ability-head">
                <h3>{translated(ability.title())}</h3>
                <span class="num">{move || of(done.get(), Some(wanted.get()))}</span>
            </div>
            <progress max=move || wanted.get().max(1) value=done aria-label=translated(ability.title())></progress>
        </li>
    }
}

/// Statistics so far, as in Table 2 of the paper.
#[component]
pub fn SetTable() -> impl IntoView {
    let app = use_app();
    let rows = Memo::new(move |_| app.generation.current.with(|it| it.tally.rows.clone()));
    let (domains, apis, dialogues) = PAPER;
    view! {
        <section class="results" aria-labelledby="set-title">
            <div class="section-head"><h2 id="set-title">{t!("Dataset so far")}</h2></div>
            <div class="scroll" role="region" tabindex="0" aria-label=t!("Dataset by ability")>
                <table class="table" data-test="set-table">
                    <caption>{t!("Same format as Table 2 of the paper, whose training set has {dialogues} dialogues, {apis} APIs and {domains} domains.",
                        dialogues = format::count(dialogues), apis = format::count(apis), domains = format::count(domains))}</caption>
                    <thead><tr>
                        <th scope="col">{t!("Ability")}</th>
                        {[t!("Dialogues"), t!("Turns"), t!("Calls"), t!("Searches"), t!("One call"), t!("Several calls"),
                            t!("Calls per dialogue"), t!("APIs"), t!("Domains")]
                            .map(|name| view! { <th scope="col" class="num">{name}</th> })}
                    </tr></thead>
                    <tbody>{move || rows.get().into_iter().map(|(ability, row)| set_row(ability, &row)).collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
}

fn set_row(ability: Option<Ability>, row: &AbilityStatistics) -> impl IntoView + use<> {
    let each = row.calls as f64 / row.dialogues.max(1) as f64;
    let each = if row.dialogues == 0 { format::NONE.to_owned() } else { format!("{each:.2}") };
    let count = format::count;
    let cells = [
        count(row.dialogues),
        count(row.turns),
        count(row.calls),
        count(row.searches),
        count(row.single_call),
        count(row.multi_call),
        each,
        count(row.apis),
        count(row.domains),
    ];
    view! {
        <tr class=ability.is_none().then_some("total")>
            <th scope="row">{ability.map_or_else(|| t!("All"), |it| translated(it.title()))}</th>
            {cells.map(|text| view! { <td class="num">{text}</td> })}
        </tr>
    }
}

/// Yield by agent, with reasons for rejection.
#[component]
pub fn Yields() -> impl IntoView {
    let app = use_app();
    let figures = Memo::new(move |_| app.generation.current.with(|it| it.tally.figures.clone()));
    let rows = move || {
        let figures = figures.get();
        let mut rows = Vec::new();
        for agent in Agent::ALL {
            rows.push(yield_row(translated(agent.title()), true, &figures.of(agent)).into_any());
            for ability in Ability::ALL {
                let of = figures.yields.iter().find(|it| (it.0, it.1) == (agent, Some(ability)));
                rows.extend(
                    of.map(|it| yield_row(translated(ability.title()), false, &it.2).into_any()),
                );
            }
        }
        rows
    };
    view! {
        <section class="results" aria-labelledby="yield-title">
            <div class="section-head"><h2 id="yield-title">{t!("Yield")}</h2></div>
            <div class="scroll" role="region" tabindex="0" aria-label=t!("Yield by agent")>
                <table class="table" data-test="yield-table">
                    <caption class="visually-hidden">{t!("Passed answers by agent and ability")}</caption>
                    <thead><tr>
                        <th scope="col">{t!("Agent")}</th>
                        <th scope="col" class="num">{t!("Passed")}</th>
                        <th scope="col" class="num">{t!("Rejected")}</th>
                        <th scope="col" class="num">{t!("Yield")}</th>
                        <th scope="col" class="num">{t!("No answer")}</th>
                        <th scope="col">{t!("Reasons")}</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}

fn yield_row(name: &'static str, whole: bool, of: &Yield) -> impl IntoView + use<> {
    let rate =
        of.rate().map_or_else(|| format::NONE.to_owned(), |it| format!("{:.1} %", 100.0 * it));
    let mut reasons: Vec<_> = of.reasons.iter().map(|(code, count)| (*count, *code)).collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.0));
    let reasons = reasons
        .into_iter()
        .map(|(count, code)| {
            view! { <span class="chip" title=translated(code.explain())>{code.as_str()} " " {format::count(count)}</span> }
        })
        .collect_view();
    view! {
        <tr class=(!whole).then_some("sub-row")>
            <th scope="row">{name}</th>
            <td class="num">{format::count(of.passed)}</td>
            <td class="num">{format::count(of.rejected)}</td>
            <td class="num">{rate}</td>
            <td class="num">{format::count(of.failed)}</td>
            <td><span class="chips">{whole.then_some(reasons)}</span></td>
        </tr>
    }
}
