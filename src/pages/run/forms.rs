//! Notes below the results table: calls in another form than the protocol's, and reasoning in the text.

use crate::session::format;
use crate::state::App;
use crate::t;
use crate::texts::translated;
use exchange::call::Form;
use leptos::prelude::*;
use record::Summary;
use record::metrics::reasoning_in_text;
use record::table::Shape;

/// The calls in another form, what they would score, and how to get the protocol's form.
pub fn forms_note(app: App, summary: &Summary) -> Option<impl IntoView + use<>> {
    let forms = summary.forms.as_ref()?;
    let one = |(form, count): (&Form, &usize)| {
        format!("{} {}", translated(form.title()), format::count(*count))
    };
    let list = forms.answers.iter().map(one).collect::<Vec<_>>().join(", ");
    let native = app
        .run
        .current
        .with(|run| run.settings.as_ref().is_some_and(|settings| settings.protocol.is_native()));
    let shape = Shape::of(summary);
    let would = summary.forgiven().zip(summary.rows.last()).map(|(forgiven, total)| {
        let is = format::percent(shape.rate(total));
        let would = format::percent(shape.rate(forgiven));
        if native {
            t!(
                "{is}, and {would} with your server's tool parser switched on. vLLM: \
                 --enable-auto-tool-choice --tool-call-parser. llama.cpp: --jinja. Ollama: a template \
                 with .Tools. LM Studio: a model with tool support.",
                is = is,
                would = would
            )
        } else {
            t!(
                "{is}, and {would} if the form were forgiven. If your server parses tool calls, try \
                 the protocol tools.",
                is = is,
                would = would
            )
        }
    });
    Some(view! {
        <p class="note" data-test="other-forms">
            {t!("Calls in another form: {list}.", list = list)} " " {would}
        </p>
    })
}

/// The number of answers with reasoning in their text, if any.
pub fn reasoning_note(app: App) -> Option<impl IntoView + use<>> {
    let count = app.run.current.with(|run| reasoning_in_text(&run.samples));
    (count > 0).then(|| {
        view! {
            <p class="quiet note" data-test="reasoning-in-text">
                {t!(
                    "Reasoning was in the text of {n} answers. It is not scored; servers with a \
                     reasoning parser return it separately.",
                    n = format::count(count)
                )}
            </p>
        }
    })
}
