//! Claimed Without Acting: the rules, and their agreement with labels.

use crate::t;
use leptos::prelude::*;
use scoring::claims::{Agreement, Measured};

fn list_title(list: &str) -> String {
    match list {
        "tuned" => t!("Used to write the rules").to_owned(),
        "held_out" => t!("Held out at first").to_owned(),
        "later" => t!("Written later").to_owned(),
        other => other.to_owned(),
    }
}

fn row(agreement: &Agreement) -> impl IntoView + use<> {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let table = &agreement.table;
    let cells = [
        table.n().to_string(),
        table.true_positives.to_string(),
        table.false_negatives.to_string(),
        table.false_positives.to_string(),
        table.true_negatives.to_string(),
        percent(table.precision()),
        percent(table.recall()),
        format!("{:.2}", table.kappa()),
        agreement.agreed_at_first.map_or_else(
            || "–".to_owned(),
            |agreed| percent(agreed as f64 / f64::from(table.n().max(1))),
        ),
    ];
    let cells = cells.map(|cell| view! { <td class="num">{cell}</td> });
    view! { <tr><th scope="row">{list_title(&agreement.list)}</th>{cells.into_iter().collect_view()}</tr> }
}

pub(super) fn section() -> impl IntoView {
    let measured = Measured::published();
    let rows = measured.lists.iter().map(row).collect_view();
    view! {
        <h3>{t!("Claimed Without Acting")}</h3>
        <p>
            {t!("At a no-call step, execution also reads the words. A reply that says something was done \
            (“I've booked it”, “Your alarm is set”, “Done!”) is wrong if no call in the history did it. \
            Promises, offers, questions, refusals, denials, advice, quotes and what others did are no \
            claims; neither is a state that an earlier call looked up. A look-up is claimed only by \
            words like “I checked your balance”. The rules follow tense and the verbs of the APIs' \
            descriptions, and read English only. exact and f1 don't read words.")}
        </p>
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Agreement of rules and labels")>
            <table class="table" data-test="claims-agreement">
                <caption>{t!("Rules against labelled replies. A language model wrote and labelled the replies.")}</caption>
                <thead><tr>
                    <th scope="col">{t!("Replies")}</th>
                    <th scope="col" class="num">"n"</th>
                    <th scope="col" class="num">{t!("Claims found")}</th>
                    <th scope="col" class="num">{t!("Claims missed")}</th>
                    <th scope="col" class="num">{t!("Clean rejected")}</th>
                    <th scope="col" class="num">{t!("Clean accepted")}</th>
                    <th scope="col" class="num">{t!("Precision")}</th>
                    <th scope="col" class="num">{t!("Recall")}</th>
                    <th scope="col" class="num">{t!("Kappa")}</th>
                    <th scope="col" class="num">{t!("Agreed at first")}</th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        <p>
            {t!(
                "The rules were corrected after each list, so what to expect of unseen replies is how many they \
                agreed on at first. Of {n} pack replies that report a change, taken without the call that made \
                it, the rules find {found}; most others tell the future (“You'll be reminded”).",
                n = measured.unbacked,
                found = measured.unbacked_found
            )}
        </p>
    }
}
