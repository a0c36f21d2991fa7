//! The result of an evaluation.

use super::Lab;
use super::copy::Copy;
use super::misses::Misses;
use super::tables::{differences, groups, measures};
use super::trial::Trial;
use crate::components::collapsible::Collapsible;
use crate::messages::search_lab::LabReport;
use crate::session::format;
use crate::t;
use leptos::prelude::*;

/// Tables, misses, single queries.
#[component]
pub(super) fn Report(lab: Lab, report: LabReport) -> impl IntoView {
    let report = StoredValue::new(report);
    let is_measured = report.with_value(|report| report.queries > 0);
    let about = report.with_value(|report| {
        t!(
            "{corpus}: {tools} tools, {queries} queries.",
            corpus = report.corpus,
            tools = format::count(report.tools),
            queries = format::count(report.queries)
        )
    });
    let left_out = report.with_value(|report| report.left_out);
    let left_out = (left_out > 0).then(|| {
        t!("{n} queries need no tool of this list and are left out.", n = format::count(left_out))
    });
    let change = move |_| {
        if let Some(heading) = lab.choices.get_untracked() {
            heading.scroll_into_view();
            let _ = heading.focus();
        }
    };
    let measured = is_measured.then(|| {
        view! {
            {report.with_value(measures)}
            <p class="hint">
                {t!("Means with 95 % intervals over dialogues. COMP@5: queries with all their tools among the first five. Time: median of a query on this device. Index: memory without the model.")}
            </p>
            <Copy report/>
            {report.with_value(differences)}
            <Collapsible class="lab-fold" test="lab-groups" title=t!("By kind of query and domain")>
                {report.with_value(groups)}
            </Collapsible>
            <Misses report/>
        }
    });
    view! {
        <section class="lab-report" aria-labelledby="lab-result" data-test="lab-report">
            <div class="lab-head">
                <h2 id="lab-result">{t!("Result")}</h2>
                <p class="quiet grow" data-test="lab-about">{about} " " {left_out}</p>
                <button type="button" class="button button-small lab-change" on:click=change>
                    {t!("Change the comparison")}
                </button>
            </div>
            {measured}
            <Trial lab report/>
        </section>
    }
}
