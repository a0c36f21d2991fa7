//! The comparison of endpoints: means, differences from the reference, and samples that part.

use crate::pages::compare::share;
use crate::session::{Route, format};
use crate::t;
use crate::texts::translated;
use leptos::prelude::*;
use record::compare::{Cell, EndpointDifference, EndpointReport, Measure, Parting, Trials, letter};
use record::table::p_value;

/// Samples shown at first.
const PAGE: usize = 50;

/// The tables.
#[component]
pub(super) fn Report(
    /// Names of the runs.
    titles: Vec<String>,
    /// The comparison.
    report: EndpointReport,
) -> impl IntoView {
    let differing = report.differences.iter().filter(|difference| difference.differs).count();
    let verdict = match differing {
        0 => t!("No endpoint differs from the reference by more than noise.").to_owned(),
        n => t!("Differences beyond noise: {n}, marked below.", n = n),
    };
    view! {
        <section class="stack" aria-labelledby="endpoints-report">
            <h2 id="endpoints-report">{t!("Result")}</h2>
            <p class="strong" data-test="endpoints-verdict">{verdict}</p>
            {means(&titles, &report)}
            {differences(&titles, &report.differences)}
            {parted(&titles, report.parted)}
        </section>
    }
}

fn heads(titles: &[String]) -> impl IntoView + use<> {
    let titles = titles.iter().enumerate();
    titles
        .map(|(index, title)| view! { <th scope="col" class="num">{letter(index)} " " {title.clone()}</th> })
        .collect_view()
}

fn means(titles: &[String], report: &EndpointReport) -> impl IntoView + use<> {
    let cell = |measure: Measure, cell: &Cell| match cell.mean {
        Some(mean) => view! {
            <td class="num">
                <span class="strong">{measure.number(mean)}</span>
                <span class="quiet">" (n " {format::count(cell.n)} ")"</span>
            </td>
        }
        .into_any(),
        None => view! { <td class="num">"–"</td> }.into_any(),
    };
    let rows = report.cells.iter().map(|(measure, cells)| {
        let cells = cells.iter().map(|it| cell(*measure, it)).collect_view();
        view! { <tr><th scope="row">{translated(measure.title())}</th>{cells}</tr> }
    });
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Means")>
            <table class="table" data-test="endpoints-means">
                <caption>{t!("Means over the samples of each run")}</caption>
                <thead><tr><th scope="col">{t!("Measure")}</th>{heads(titles)}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

fn differences(titles: &[String], rows: &[EndpointDifference]) -> impl IntoView + use<> {
    let row = |it: &EndpointDifference| {
        let measure = it.measure;
        let (low, high) = (measure.signed(it.interval.low), measure.signed(it.interval.high));
        let title = titles.get(it.run).cloned().unwrap_or_default();
        view! {
            <tr>
                <th scope="row">{letter(it.run)} " " {title}</th>
                <td>{translated(measure.title())}</td>
                <td>{it.differs.then(|| view! { <span class="tag tag-warn">{t!("differs")}</span> })}</td>
                <td class="num">{format::count(it.samples)}</td>
                <td class="num strong">{measure.signed(it.difference)}</td>
                <td class="num">{t!("{low} to {high}", low = low, high = high)}</td>
                <td class="num">{it.noise.map_or_else(|| "–".to_owned(), |noise| measure.number(noise))}</td>
                <td class="num">{p_value(it.adjusted_p)}</td>
            </tr>
        }
    };
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Differences from the reference")>
            <table class="table" data-test="endpoints-differences">
                <caption>{t!("Minus the reference, on samples that both have")}</caption>
                <thead><tr>
                    <th scope="col">{t!("Endpoint")}</th>
                    <th scope="col">{t!("Measure")}</th>
                    <th scope="col">{t!("Verdict")}</th>
                    <th scope="col" class="num">"n"</th>
                    <th scope="col" class="num">{t!("Difference")}</th>
                    <th scope="col" class="num">{t!("95 % interval")}</th>
                    <th scope="col" class="num">{t!("Noise floor")}</th>
                    <th scope="col" class="num">{t!("p (Holm)")}</th>
                </tr></thead>
                <tbody>{rows.iter().map(row).collect_view()}</tbody>
            </table>
        </div>
        <p class="hint">
            {t!("Noise floor: two runs of the reference stay within it in 95 % of cases. An endpoint differs if its adjusted p is below 0.05 and the difference is beyond the noise floor. Shares in percentage points.")}
        </p>
    }
}

fn parted(titles: &[String], found: Vec<Parting>) -> impl IntoView + use<> {
    if found.is_empty() {
        return view! {
            <p class="empty">{t!("On every shared sample, all runs get the same verdict.")}</p>
        }
        .into_any();
    }
    let count = found.len();
    let shown = RwSignal::new(PAGE);
    let heads = heads(titles);
    let rows = move || found.iter().take(shown.get()).map(sample).collect_view();
    view! {
        <h3>{t!("Samples where they part: {n}", n = format::count(count))}</h3>
        <p class="quiet">
            <a href=Route::Compare.href()>{t!("Compare")}</a> " " {t!("shows their answers side by side.")}
        </p>
        <div class="scroll differing" role="region" tabindex="0" aria-label=t!("Samples where they part")>
            <table class="table" data-test="endpoints-parted">
                <thead><tr><th scope="col">{t!("Sample")}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {move || (shown.get() < count).then(|| view! {
            <button type="button" class="button" on:click=move |_| shown.update(|shown| *shown += PAGE)>
                {t!("Show {n} more", n = PAGE)}
            </button>
        })}
    }
    .into_any()
}

fn sample(it: &Parting) -> impl IntoView + use<> {
    let cell = |trials: &Option<Trials>| {
        let (text, class) = share(*trials);
        view! { <td class="num"><span class=class>{text}</span></td> }
    };
    let cells = it.trials.iter().map(cell).collect_view();
    view! { <tr><th scope="row">{it.id.clone()}</th>{cells}</tr> }
}
