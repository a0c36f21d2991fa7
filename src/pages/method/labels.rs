//! Agreement of verdicts with labelled answers.

use crate::session::format;
use crate::t;
use leptos::prelude::*;
use scoring::labels::{Agreement, Due, LabelSet, published};

/// Kappa and both kinds of disagreement, by label set and kind of step.
#[component]
pub(super) fn LabelAgreement() -> impl IntoView {
    let rows = published().into_iter().map(row).collect_view();
    view! {
        <h2>{t!("Agreement with labelled answers")}</h2>
        <p>
            {t!("Answers to steps of the dialogues were labelled right or wrong without the scorer: would a \
            fair, strict supervisor accept this answer as well as the gold one? Cohen's kappa (Cohen, 1960) \
            is the agreement beyond chance, 1 at most. Language models wrote and labelled all answers, so \
            this is weaker evidence than labels by people. A test recomputes the table.")}
        </p>
        <p>
            {t!("Words are right wherever no call is due, whatever they say, so labels of what \
            they say are not met. A search is right if it returns the needed API, also where its words ask for another.")}
        </p>
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Agreement with labelled answers")>
            <table class="table" data-test="agreement">
                <thead>
                    <tr>
                        <th scope="col">{t!("Labels")}</th>
                        <th scope="col">{t!("Due")}</th>
                        <th scope="col" class="num">"n"</th>
                        <th scope="col" class="num">{t!("Right, refused")}</th>
                        <th scope="col" class="num">{t!("Wrong, accepted")}</th>
                        <th scope="col" class="num">{t!("Kappa")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

fn row(of: Agreement) -> impl IntoView {
    let set = match of.set {
        LabelSet::Readers => t!("Readers"),
        LabelSet::Own => t!("This project"),
        LabelSet::Known => t!("Once got wrong"),
    };
    let due = match of.due {
        Due::Call => t!("a call"),
        Due::HardCall => t!("a call, hard split"),
        Due::Search => t!("a search"),
        Due::Words => t!("words"),
    };
    let table = of.table;
    let count = |n: u32| format::count(n as usize);
    let of = |n, all| t!("{n} of {all}", n = count(n), all = count(all));
    view! {
        <tr>
            <th scope="row">{set}</th>
            <td>{due}</td>
            <td class="num">{count(table.n())}</td>
            <td class="num">{of(table.false_negatives, table.true_positives + table.false_negatives)}</td>
            <td class="num">{of(table.false_positives, table.true_negatives + table.false_positives)}</td>
            <td class="num">{format!("{:.2}", table.kappa())}</td>
        </tr>
    }
}
