//! The records, and their rates with paired differences.

use super::pairs::interval;

use super::{Change, Table};
use crate::messages::compare::Column;
use crate::session::format;
use crate::t;
use crate::texts::translated;
use leptos::prelude::*;
use record::compare::{Against, letter};
use record::table::{count, p_value, points};

/// The records, each with its actions; the first is the base.
pub(super) fn records(table: Table, records: &[Column]) -> impl IntoView + use<> {
    let items = records.iter().enumerate().map(|(index, record)| item(table, index, record));
    view! { <ol class="compared" data-test="compare-records">{items.collect_view()}</ol> }
}

fn item(table: Table, index: usize, record: &Column) -> impl IntoView + use<> {
    let retriever =
        record.retriever.as_ref().map(|name| t!(", retriever {name}", name = name.clone()));
    let facts = format!("{}, {}{}", record.protocol, record.pack, retriever.unwrap_or_default());
    let base = move |_| table.change(Change::Base { index });
    let remove = move |_| table.change(Change::Remove { index });
    view! {
        <li>
            <span class="strong">{letter(index)} " " {record.title.clone()}</span>
            <span class="quiet">{facts}</span>
            {(!record.complete).then(|| view! { <span class="tag tag-warn">{t!("incomplete")}</span> })}
            <span class="actions">
                {if index == 0 {
                    view! { <span class="tag">{t!("base")}</span> }.into_any()
                } else {
                    view! { <button type="button" class="button button-small" on:click=base>{t!("Set as base")}</button> }.into_any()
                }}
                <button type="button" class="button button-small" on:click=remove>{t!("Remove")}</button>
            </span>
        </li>
    }
}

/// Rates by ability and record; below, each record against the base.
pub(super) fn rates(records: &[Column], against: &[Against]) -> impl IntoView + use<> {
    let heads = records
        .iter()
        .enumerate()
        .map(|(index, record)| view! { <th scope="col" class="num">{letter(index)} " " {record.title.clone()}</th> })
        .collect_view();
    let abilities: Vec<_> = records
        .iter()
        .flat_map(|record| record.rates.iter().map(|(ability, _)| *ability))
        .fold(Vec::new(), |mut known, ability| {
            if !known.contains(&ability) {
                known.push(ability);
            }
            known
        });
    // The total comes last, even if the records have different abilities.
    let (mut rows, total): (Vec<_>, Vec<_>) =
        abilities.into_iter().partition(|ability| ability.is_some());
    rows.extend(total);
    let body = rows
        .into_iter()
        .map(|ability| {
            let cells = records
                .iter()
                .map(|record| {
                    let rate = record.rates.iter().find(|(known, _)| *known == ability);
                    match rate {
                        Some((_, rate)) => view! {
                            <td class="num">
                                <span class="strong">{format::percent(rate)}</span>
                                <span class="quiet">" (" {format::interval(rate)} ", n " {format::count(rate.n)} ")"</span>
                            </td>
                        }
                        .into_any(),
                        None => view! { <td class="num">{format::NONE}</td> }.into_any(),
                    }
                })
                .collect_view();
            view! {
                <tr class:total=ability.is_none()>
                    <th scope="row">{ability.map_or_else(|| t!("Total"), |ability| translated(ability.title()))}</th>
                    {cells}
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Rates")>
            <table class="table" data-test="compare-rates">
                <caption>{t!("Correct, with 95 % interval")}</caption>
                <thead><tr><th scope="col">{t!("Ability")}</th>{heads}</tr></thead>
                <tbody>{body}</tbody>
            </table>
        </div>
        {against.iter().enumerate().map(|(index, against)| pair(index + 1, against)).collect_view()}
    }
}

fn pair(index: usize, against: &Against) -> impl IntoView + use<> {
    let rows = against.rows.iter().map(|row| {
        let paired = row.paired;
        view! {
            <tr class:total=row.ability.is_none()>
                <th scope="row">{row.ability.map_or_else(|| t!("Total"), |ability| translated(ability.title()))}</th>
                <td class="num">{format::count(paired.samples)}</td>
                <td class="num strong">{points(paired.difference)}</td>
                <td class="num">{interval(paired.interval)}</td>
                <td class="num">{count(paired.only_second)}</td>
                <td class="num">{count(paired.only_first)}</td>
                <td class="num">{p_value(paired.p)}</td>
            </tr>
        }
    });
    let horizon = against.horizon.map(|horizon| horizon.sentence('A', letter(index)));
    let caveats =
        against.caveats.iter().map(|text| view! { <li>{text.clone()}</li> }).collect_view();
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Paired differences")>
            <table class="table" data-test="compare-pair">
                <caption>
                    {t!("{record} minus A, on samples scored in both", record = letter(index))}
                </caption>
                <thead><tr>
                    <th scope="col">{t!("Ability")}</th>
                    <th scope="col" class="num">"n"</th>
                    <th scope="col" class="num">{t!("Difference (percentage points)")}</th>
                    <th scope="col" class="num">{t!("95 % interval")}</th>
                    <th scope="col" class="num">{t!("Only {record} right", record = letter(index))}</th>
                    <th scope="col" class="num">{t!("Only A right")}</th>
                    <th scope="col" class="num">"p"</th>
                </tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
        {horizon.map(|text| view! { <p data-test="compare-horizon">{text}</p> })}
        <ul class="caveats">{caveats}</ul>
        {(against.unmatched > 0).then(|| view! {
            <p class="quiet">{t!("{n} samples scored in only one record are excluded.", n = format::count(against.unmatched))}</p>
        })}
    }
}
