//! The end of a game: everyone's score on the same steps, in a sentence, as marks, and as a text to send.

use super::Play;
use super::question::translated_name;
use crate::platform::page;
use crate::session::game::{scores, shared};
use crate::session::{Route, game};
use crate::t;
use leptos::prelude::*;
use leptos::task::spawn_local;
use record::SampleRecord;
use scoring::Profile;
use std::cmp::Ordering;

#[component]
pub(super) fn Outcome(play: Play) -> impl IntoView {
    let shown = move || match play.judged.get() {
        Some(Ok(samples)) if samples.len() == play.count() => end(play, &samples).into_any(),
        Some(Err(reason)) => view! { <p class="field-error" role="alert">{reason}</p> }.into_any(),
        _ => view! { <p class="empty" role="status">{t!("Judging…")}</p> }.into_any(),
    };
    view! { <section class="panel demo-stack" data-test="play-result">{shown}</section> }
}

/// Whether each answer is right.
fn own(samples: &[SampleRecord]) -> Vec<bool> {
    let right = |it: &SampleRecord| it.verdict(Profile::Execution).is_some_and(|it| it.correct);
    samples.iter().map(right).collect()
}

fn end(play: Play, samples: &[SampleRecord]) -> impl IntoView + use<> {
    let own = own(samples);
    let (ids, game) = (play.ids.get_value(), play.game.get_value());
    let scores = scores(&game, &ids, &own);
    let mut names = vec![t!("You").to_owned()];
    names.extend(game.rivals.iter().map(|rival| translated_name(&rival.model)));
    let sentence = sentence(&names, &scores);
    let mut marks = vec![own];
    for rival in 0..game.rivals.len() {
        let right = |id: &String| game.right(id).and_then(|rights| rights.get(rival).copied());
        marks.push(ids.iter().map(|id| right(id).unwrap_or_default()).collect());
    }
    let figures = names.iter().zip(&scores).map(|(name, score)| {
        view! { <div><dt>{name.clone()}</dt><dd class="num">{t!("{n} of {all}", n = score, all = ids.len())}</dd></div> }
    });
    let figures = figures.collect_view();
    let records: Vec<String> = game.rivals.iter().map(|rival| rival.record.clone()).collect();
    let text = shared(&names, &marks, &play.link());
    let table = table(&names, &marks, &ids, &records);
    view! {
        <h2 class="play-count" tabindex="-1" data-test="play-sentence">{sentence}</h2>
        <dl class="play-scores" data-test="play-scores">{figures}</dl>
        <div class="actions">
            <button type="button" class="button button-primary" data-test="play-again" on:click=move |_| play.again()>
                {t!("Play again")}
            </button>
            <CopyText text/>
            <a href=Route::Leaderboard.href()>{t!("Leaderboard")}</a>
        </div>
        {table}
    }
}

/// Whom the visitor beat.
fn sentence(names: &[String], scores: &[usize]) -> String {
    let Some((own, theirs)) = scores.split_first() else { return String::new() };
    let sentences = names.iter().skip(1).zip(theirs).map(|(name, score)| match own.cmp(score) {
        Ordering::Greater => {
            t!("You beat {model}, {own} to {score}.", model = name, own = own, score = score)
        }
        Ordering::Equal => t!("You and {model} are level, {own} each.", model = name, own = own),
        Ordering::Less => {
            t!("{model} beat you, {score} to {own}.", model = name, own = own, score = score)
        }
    });
    // The model first: it is whom the game is about.
    sentences.rev().collect::<Vec<_>>().join(" ")
}

/// A row per question. A rival's mark leads to its answer.
fn table(
    names: &[String],
    marks: &[Vec<bool>],
    ids: &[String],
    records: &[String],
) -> impl IntoView + use<> {
    let heads =
        names.iter().map(|name| view! { <th scope="col">{name.clone()}</th> }).collect_view();
    let row = |(at, id): (usize, &String)| {
        let cells = marks.iter().enumerate().map(|(player, marks)| {
            let right = marks.get(at).copied().unwrap_or_default();
            let word = mark(right);
            let run = player.checked_sub(1).and_then(|rival| records.get(rival));
            match run {
                Some(run) => {
                    let href = Route::Sample { run: Some(run.clone()), id: id.clone() }.href();
                    view! { <td><a href=href>{word}</a></td> }.into_any()
                }
                None => view! { <td>{word}</td> }.into_any(),
            }
        });
        let cells = cells.collect_view();
        view! {
            <tr>
                <th scope="row"><a href=Route::Dialogue(game::dialogue(id).to_owned()).href()>{at + 1}</a></th>
                {cells}
            </tr>
        }
    };
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Questions")>
            <table class="table">
                <thead><tr><th scope="col">{t!("Question")}</th>{heads}</tr></thead>
                <tbody>{ids.iter().enumerate().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}

fn mark(right: bool) -> impl IntoView {
    match right {
        true => view! { <span class="tag tag-right">"✓ " {t!("right")}</span> },
        false => view! { <span class="tag tag-wrong">"✗ " {t!("wrong")}</span> },
    }
}

/// A button that copies the result, and shows it if the browser denies clipboard access.
#[component]
fn CopyText(text: String) -> impl IntoView {
    let denied = RwSignal::new(None::<String>);
    let said = RwSignal::new("");
    let press = move |_| {
        let text = text.clone();
        spawn_local(async move {
            let copied = page::copy(&text).await;
            said.set(if copied { t!("Copied.") } else { t!("Copy the text from the field.") });
            denied.set((!copied).then_some(text));
        });
    };
    view! {
        <button type="button" class="button" data-test="play-copy" on:click=press>{t!("Copy the result")}</button>
        <span class="quiet" role="status">{said}</span>
        {move || denied.get().map(|text| view! { <textarea readonly rows="4" aria-label=t!("Result")>{text}</textarea> })}
    }
}
