//! How a verdict is made, in ten lines.

use crate::t;
use leptos::prelude::*;

#[component]
pub(super) fn Verdict() -> impl IntoView {
    view! {
        <h2>{t!("How a verdict is made")}</h2>
        <p>{t!("What is right is declared in each dialogue as data, and looked up.")}</p>
        <ol data-test="verdict-rules">
            <li>{t!("The calls up to the next utterance are due. The dialogue says which of them have to come before others.")}</li>
            <li>{t!("A call is right if it is one of those that are due, and each of its arguments is right.")}</li>
            <li>{t!("Numbers, dates, times, names, places and lists are compared as what they are: case, accents, punctuation and the order of a list make no difference.")}</li>
            <li>{t!("Of a free text the dialogue lists the facts that it must state. It may add what was said and one more word, but no number, date or denial of its own.")}</li>
            <li>{t!("Where other values or other calls are as right, the dialogue lists them.")}</li>
            <li>{t!("Other calls of the answer may look something up that the dialogue does not forbid. They may change nothing that is not due.")}</li>
            <li>{t!("A search is right if it returns the API that is needed.")}</li>
            <li>{t!("Where no call is due, words are right, and a call in any form is wrong. Where a sum is due, words that tell it are right, too.")}</li>
            <li>{t!("A reply tells the result if it states the facts that the dialogue lists for it.")}</li>
            <li>{t!("Every verdict comes with one sentence that names what it rests on.")}</li>
        </ol>
    }
}
