//! The list of the run's samples: order, keyboard navigation, links.
//!
//! Only visible rows are rendered, because ten thousand would make the page slow. Rows have equal
//! height, so that the scroll bar is accurate.

use super::sample_filters::Filters;
use crate::components::deferred::{Deferred, after_frames};
use crate::platform::page;
use crate::session::filter::{Order, SortBy, expected, kind, received};
use crate::session::virtual_list::Rows;
use crate::session::{Filter, Route, SampleState, format, terms};
use crate::state::{App, go, use_app};
use crate::t;
use crate::texts;
use leptos::prelude::*;
use leptos::{ev, html};
use record::SampleRecord;
use scoring::Profile;

/// Characters of a text in a row.
const CELL: usize = 90;
/// `data-test` attribute of the list.
const LIST: &str = "samples-list";
/// `data-test` attribute of a row.
const ROW: &str = "sample-row";
/// Height of a row until measured, in pixels.
const USUAL_HEIGHT: f64 = 36.0;
/// Height of the list until measured, in pixels.
const USUAL_WINDOW: f64 = 600.0;

/// Lists only these samples and moves to the list, at once rather than smoothly: some users want no
/// motion.
pub fn list_only(app: App, filter: Filter) {
    app.run.filter.set(filter);
    if let Some(title) = document().get_element_by_id("samples-title") {
        title.scroll_into_view();
    }
    page::focus("#samples-title");
}

/// State of the list.
#[derive(Clone, Copy)]
struct List {
    app: App,
    /// Indices of the listed samples, in order.
    listed: Memo<Vec<usize>>,
    /// The scrolling element.
    scroll: NodeRef<html::Div>,
    height: RwSignal<f64>,
    window: RwSignal<f64>,
    /// The row last focused by the keyboard.
    current: RwSignal<Option<usize>>,
    /// The run's name, which changes if the browser stops storing it.
    run: Memo<Option<String>>,
}

impl List {
    fn rows(self) -> Rows {
        Rows {
            count: self.listed.read().len(),
            height: self.height.get(),
            top: self.app.run.list_top.get(),
            window: self.window.get(),
        }
    }

    /// Measures the layout.
    fn measure(self) {
        let Some(scroll) = self.scroll.get_untracked() else { return };
        // The header row is sticky.
        let heads = page::elements(&format!("[data-test=\"{LIST}\"] thead"));
        let heads = heads.first().map_or(0, |it| it.offset_height());
        self.window.set(f64::from(scroll.client_height() - heads));
        self.app.run.list_top.set(f64::from(scroll.scroll_top()));
        let rows = page::elements(&format!("[data-test=\"{ROW}\"]"));
        if let (Some(first), Some(last)) = (rows.first(), rows.last())
            && rows.len() > 1
        {
            let span = f64::from(last.offset_top() - first.offset_top());
            self.height.set(span / (rows.len() - 1) as f64);
        }
    }

    fn scroll_to(self, top: f64) {
        if let Some(scroll) = self.scroll.get_untracked() {
            scroll.set_scroll_top(top.round() as i32);
        }
        self.app.run.list_top.set(top);
    }

    /// Moves the focus by some rows.
    fn step(self, by: isize) {
        let rows = untrack(|| self.rows());
        if rows.count == 0 {
            return;
        }
        let sight = rows.in_sight();
        let from = self.current.get_untracked().filter(|row| rows.shown().contains(row));
        let to = from.map_or(sight.start, |row| row.saturating_add_signed(by)).min(rows.count - 1);
        self.current.set(Some(to));
        self.scroll_to(rows.reveal(to));
        // The row may have been rendered only now.
        request_animation_frame(move || {
            let links = page::elements(&format!("[data-test=\"{ROW}\"][data-at=\"{to}\"] a"));
            if let Some(link) = links.first() {
                let _ = link.focus();
            }
        });
    }
}

/// The section below the results.
#[component]
pub fn Samples(
    /// Whether the run is in progress: then the list is rendered a frame later, and all rows but
    /// the first another frame later.
    goes_on: bool,
) -> impl IntoView {
    let app = use_app();
    let listed = Memo::new(move |_| {
        app.run.current.with(|run| {
            app.run.filter.with(|filter| filter.apply(run, app.run.profile.get(), texts::current()))
        })
    });
    let list = List {
        app,
        listed,
        scroll: NodeRef::new(),
        height: RwSignal::new(USUAL_HEIGHT),
        window: RwSignal::new(if goes_on { 0.0 } else { USUAL_WINDOW }),
        current: RwSignal::new(None),
        run: Memo::new(move |_| app.run.current.with(|run| run.name().map(str::to_owned))),
    };
    let search = NodeRef::<html::Input>::new();
    keys(list, search);
    settle(list, goes_on);
    let total = move || app.run.current.with(|run| run.samples.len());
    let can_rerun = Memo::new(move |_| {
        let n = listed.read().len();
        app.run.current.with(|run| !run.phase.is_active() && 0 < n && n < run.samples.len())
    });
    view! {
        <section class="samples" aria-labelledby="samples-title">
            <div class="section-head">
                <h2 id="samples-title" tabindex="-1">{t!("Samples")}</h2>
                <span class="quiet num" role="status" data-test="samples-count">
                    {move || t!("{n} of {all}", n = format::count(listed.read().len()), all = format::count(total()))}
                </span>
                <Show when=move || can_rerun.get()>
                    <button type="button" class="button button-small" data-test="rerun-listed"
                        title=t!("Starts a separate run; this one stays under Records.")
                        on:click=move |_| app.rerun_listed()>
                        {t!("Rerun these samples' dialogues")}
                    </button>
                </Show>
                <span class="hint wide-only">{t!("j/k to move, Enter to open, / to search")}</span>
            </div>
            <Filters app search/>
            <Deferred frames=goes_on.then_some(1)><Table list/></Deferred>
            {move || listed.read().is_empty().then(|| view! {
                <p class="empty">{t!("No samples match this filter.")}</p>
            })}
        </section>
    }
}

/// Measures the list once rendered, after each paint during a run, and on resize; scrolls to the
/// top when the filter changes.
fn settle(list: List, goes_on: bool) {
    let resized = window_event_listener(ev::resize, move |_| list.measure());
    on_cleanup(move || resized.remove());
    let remembered = list.app.run.list_top.get_untracked();
    Effect::new(move |settled: Option<bool>| {
        let there = list.scroll.get().is_some();
        if there && settled != Some(true) {
            let measure = move || {
                // The page may have changed in the meantime.
                if list.scroll.try_get_untracked().flatten().is_some() {
                    list.scroll_to(remembered);
                    list.measure();
                }
            };
            match goes_on {
                true => after_frames(1, measure),
                false => request_animation_frame(measure),
            }
        }
        there
    });
    Effect::new(move |before: Option<()>| {
        list.app.run.filter.track();
        list.app.run.profile.track();
        if before.is_some() {
            list.current.set(None);
            list.scroll_to(0.0);
        }
    });
}

#[component]
fn Table(list: List) -> impl IntoView {
    let rows = move || {
        let profile = list.app.run.profile.get();
        let shown = list.rows().shown();
        let listed = list.listed.read();
        let shown = shown.filter_map(|at| {
            let index = *listed.get(at)?;
            list.app.run.current.with_untracked(|run| {
                let sample = run.samples.get(index)?;
                Some((at, index, sample.id.clone(), SampleState::of(sample, profile)))
            })
        });
        shown.collect::<Vec<_>>()
    };
    let space = move |px: f64| {
        (px > 0.0).then(|| {
            view! { <tr aria-hidden="true"><td class="space" colspan="6" style:height=format!("{px}px")></td></tr> }
        })
    };
    let row_count = move || list.listed.read().len() + 1;
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Sample table") data-test=LIST
            node_ref=list.scroll on:scroll=move |_| list.measure()>
            <table class="table list rows" aria-rowcount=row_count>
                <caption class="visually-hidden">{t!("Samples of the run")}</caption>
                <thead>
                    <tr aria-rowindex="1">
                        <SortHead list by=SortBy::State/>
                        <SortHead list by=SortBy::Place/>
                        <th scope="col">{t!("Expected")}</th>
                        <th scope="col">{t!("Answer")}</th>
                        <SortHead list by=SortBy::Verdict/>
                        <SortHead list by=SortBy::Latency/>
                    </tr>
                </thead>
                <tbody>
                    {move || space(list.rows().space().0)}
                    <For each=rows key=|row| row.clone()
                        children=move |(at, index, _, state)| row(list, at, index, state)/>
                    {move || space(list.rows().space().1)}
                </tbody>
            </table>
        </div>
    }
}

/// A sortable column header.
#[component]
fn SortHead(list: List, by: SortBy) -> impl IntoView {
    let filter = list.app.run.filter;
    let order = Memo::new(move |_| filter.with(|filter| filter.order));
    let direction = move || {
        let Order { by: own, descending } = order.get();
        (own == by).then_some(if descending { "descending" } else { "ascending" })
    };
    let arrow = move || direction().map(|it| if it == "descending" { " ↓" } else { " ↑" });
    view! {
        <th scope="col" class:num=by == SortBy::Latency aria-sort=direction>
            <button type="button" class="sort" data-test=format!("sort-{}", by.as_str())
                on:click=move |_| filter.update(|filter| filter.order = filter.order.pressed(by))>
                {by.title(texts::current())}<span aria-hidden="true">{arrow}</span>
            </button>
        </th>
    }
}

fn row(list: List, at: usize, index: usize, state: SampleState) -> impl IntoView + use<> {
    list.app
        .run
        .current
        .with_untracked(|run| run.samples.get(index).map(|sample| cells(list, sample, at, state)))
}

fn cells(
    list: List,
    sample: &SampleRecord,
    at: usize,
    state: SampleState,
) -> impl IntoView + use<> {
    let profile = list.app.run.profile.get_untracked();
    let id = sample.id.clone();
    let route = move || Route::Sample { run: list.run.get(), id: id.clone() };
    let pressed = route.clone();
    let href = move || route().href();
    // The header is row 1.
    let number = at + 2;
    view! {
        <tr data-test=ROW data-id=sample.id.clone() data-at=at data-state=state.as_str() aria-rowindex=number
            on:click=move |_| go(&untrack(&pressed))>
            <td><span class=format!("tag tag-{}", state.as_str())>{state.title(texts::current())}</span></td>
            <th scope="row" class="text-cell"><a href=href>{sample.id.clone()}</a></th>
            <td class="text-cell"><code>{format::one_line(&expected(sample), CELL)}</code></td>
            <td class="text-cell">{format::one_line(&received(sample), CELL)}</td>
            <td class="text-cell">{verdict(sample, profile)}</td>
            <td class="num">{format::span(sample.times.latency_ms as f64)}</td>
        </tr>
    }
}

/// The error class, the ROUGE-L, or the kind of the sample.
fn verdict(sample: &SampleRecord, profile: Profile) -> String {
    let class = sample.verdict(profile).and_then(|verdict| verdict.error_class);
    match (class, sample.rouge_l) {
        (Some(class), _) => terms::class(class, texts::current()).to_owned(),
        (None, Some(score)) => format!("ROUGE-L {score:.3}"),
        (None, None) => kind(sample, texts::current()).to_owned(),
    }
}

/// `j` and `k` move the focus, Enter follows the focused link, `/` focuses the search field.
fn keys(list: List, search: NodeRef<html::Input>) {
    let pressed = window_event_listener(ev::keydown, move |event| {
        if page::is_typing(&event) {
            return;
        }
        match event.key().as_str() {
            "j" => list.step(1),
            "k" => list.step(-1),
            "/" => {
                if let Some(field) = search.get_untracked() {
                    event.prevent_default();
                    let _ = field.focus();
                }
            }
            _ => {}
        }
    });
    on_cleanup(move || pressed.remove());
}
