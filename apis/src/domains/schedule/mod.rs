//! Agendas, alarms, meetings, reminders.

use crate::api::Api;
use crate::store::World;
use crate::when::DateTime;

pub mod add_alarm;
pub mod add_reminder;
pub mod delete_alarm;
pub mod query_alarm;

/// The APIs of this domain.
pub const APIS: &[&Api] =
    &[&add_alarm::API, &query_alarm::API, &delete_alarm::API, &add_reminder::API];

/// Key of a user's alarm at a time.
fn alarm_of(world: &World, username: &str, time: DateTime) -> Option<String> {
    world
        .alarm
        .find(|alarm| alarm.username == username && alarm.time.moment() == time.moment())
        .map(|(key, _)| key.to_owned())
}
