//! Agreement of verdicts with labelled answers.

use crate::t;
use leptos::prelude::*;
use scoring::labels::{Agreement, LabelSet, published};

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
            rules. Searches return one API here, as when the labels were set.")}
        </p>
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Agreement with labelled answers")>
            <table class="table" data-test="agreement">
                <thead>
                    <tr>
                        <th scope="col">{t!("Labels")}</th>
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
    view! {
        <tr>
            <th scope="row">{set}</th>
            <td>{of.profile.as_str()}</td>
            <td class="num">{of.n()}</td>
            <td class="num">{format!("{:.2}", of.kappa())}</td>
            <td class="num">{of.right_right}</td>
            <td class="num">{of.right_wrong}</td>
            <td class="num">{of.wrong_right}</td>
            <td class="num">{of.wrong_wrong}</td>
        </tr>
    }
}
