//! Agreement of verdicts with labelled answers.

use crate::t;
use leptos::prelude::*;
use scoring::labels::{Agreement, LabelSet, Searches, published};

/// Kappa and the confusion table of each label set and profile.
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
            {t!("Development: one model wrote the answers, two others labelled them without knowing the \
            intent. Held-out: one model of this project wrote and labelled them before it changed the match \
            rules. The labels assume one result per search. With five, as in a run, searches that were \
            labelled wrong return the needed API among others.")}
        </p>
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Agreement with labelled answers")>
            <table class="table" data-test="agreement">
                <thead>
                    <tr>
                        <th scope="col">{t!("Labels")}</th>
                        <th scope="col">{t!("Results per search")}</th>
                        <th scope="col">{t!("Profile")}</th>
                        <th scope="col" class="num">"n"</th>
                        <th scope="col" class="num">{t!("Kappa")}</th>
                        <th scope="col" class="num">{t!("Labelled right: found right")}</th>
                        <th scope="col" class="num">{t!("Labelled right: found wrong")}</th>
                        <th scope="col" class="num">{t!("Labelled wrong: found right")}</th>
                        <th scope="col" class="num">{t!("Labelled wrong: found wrong")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

fn row(of: Agreement) -> impl IntoView {
    let set = match of.set {
        LabelSet::Development => t!("Development"),
        LabelSet::HeldOut => t!("Held-out"),
    };
    let searches = match of.searches {
        Searches::One => "1",
        Searches::Five => "5",
        Searches::LeftOut => t!("No searches"),
    };
    view! {
        <tr>
            <th scope="row">{set}</th>
            <td>{searches}</td>
            <td>{of.profile.as_str()}</td>
            <td class="num">{of.table.n()}</td>
            <td class="num">{format!("{:.2}", of.table.kappa())}</td>
            <td class="num">{of.table.true_positives}</td>
            <td class="num">{of.table.false_negatives}</td>
            <td class="num">{of.table.false_positives}</td>
            <td class="num">{of.table.true_negatives}</td>
        </tr>
    }
}
