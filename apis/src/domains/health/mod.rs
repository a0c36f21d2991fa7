//! Appointments, symptoms, health records.
//!
//! Health ids such as `H-4821` are unrelated to usernames. In the project's databases
//! they follow the order of the accounts.

use crate::api::Api;
use crate::error::{ApiError, filled};
use crate::store::{Appointment, Disease, TableName, World};
use crate::text::words::{plain, stem, words};
use crate::when::Date;

mod appointment_registration;
mod cancel_registration;
mod emergency_knowledge;
mod modify_registration;
mod query_health_data;
mod query_registration;
mod record_health_data;
mod symptom_search;

pub const APIS: &[&Api] = &[
    &symptom_search::API,
    &emergency_knowledge::API,
    &appointment_registration::API,
    &query_registration::API,
    &modify_registration::API,
    &cancel_registration::API,
    &query_health_data::API,
    &record_health_data::API,
];

/// Ignores case and outer blanks.
fn same_name(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

/// A patient's appointments on a day, with their ids.
fn appointments_of<'w>(
    world: &'w World,
    patient: &'w str,
    date: Date,
) -> impl Iterator<Item = (&'w str, &'w Appointment)> {
    world
        .appointments
        .iter()
        .filter(move |(_, row)| row.date == date && same_name(&row.patient_name, patient))
}

/// Ignores case, blanks and plural endings: `dry eyes` is `dry eye`.
fn same_illness(a: &str, b: &str) -> bool {
    let stems = |name| words(name).iter().map(|word| stem(word).to_owned()).collect::<Vec<_>>();
    plain(a) == plain(b) || stems(a) == stems(b)
}

/// Possible diseases for a symptom, by any of its names, also among other words, such as `burn on the
/// hand`. Hyphens and underscores count as blanks: models also write `sore_throat`.
fn diseases_of<'w>(world: &'w World, symptom: &str) -> Result<&'w [Disease], ApiError> {
    let text = filled("symptom", symptom)?.to_lowercase().replace(['_', '-'], " ");
    let wanted = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let same = |key: &str| same_illness(key, &wanted);
    world
        .by_name_or_synonym(TableName::Symptom, &world.symptom, &wanted, same)
        .or_else(|| world.named_within(TableName::Symptom, &world.symptom, &wanted))
        .map(Vec::as_slice)
        .ok_or_else(|| ApiError::not_found("symptom", wanted))
}

/// Possible causes of a symptom. An illness resolves to the first symptom that lists it.
fn causes_of<'w>(world: &'w World, symptom: &str) -> Result<&'w [Disease], ApiError> {
    let illness = world.synonym_of("Illness", symptom).unwrap_or(symptom);
    let lists = |(_, diseases): &(&str, &Vec<Disease>)| {
        diseases.iter().any(|disease| same_illness(&disease.name, illness))
    };
    diseases_of(world, symptom).or_else(|refusal| {
        world.symptom.iter().find(lists).map(|(_, diseases)| diseases.as_slice()).ok_or(refusal)
    })
}

/// The key of a user's health records, in capitals.
fn health_key(user_id: &str) -> Result<String, ApiError> {
    Ok(filled("user_id", user_id)?.to_uppercase())
}
