//! The headings of a long page, as buttons: the address's fragment is the route.

use crate::platform::page;
use crate::t;
use leptos::prelude::*;

/// What the list leads to.
const HEADINGS: &str = ".prose > h2";

/// The list of the page's second-level headings.
#[component]
pub fn Contents() -> impl IntoView {
    let titles = RwSignal::new(Vec::<String>::new());
    Effect::new(move || {
        let found = page::elements(HEADINGS);
        titles.set(found.iter().filter_map(|heading| heading.text_content()).collect());
    });
    let item = |(at, title): (usize, String)| {
        let show = move |_| {
            if let Some(heading) = page::elements(HEADINGS).get(at) {
                heading.scroll_into_view();
            }
        };
        view! { <li><button type="button" class="link" on:click=show>{title}</button></li> }
    };
    view! {
        <nav class="contents" aria-label=t!("On this page")>
            <ul>{move || titles.get().into_iter().enumerate().map(item).collect_view()}</ul>
        </nav>
    }
}
