//! Events that change how calls end, such as a time-out. Only worlds of horizon tasks have any.

use super::World;
use super::rows::CalendarMeeting;
use crate::api::{Api, ApiResult};
use crate::arguments::Arguments;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The events of a world, and which of them have happened. They depend only on the calls, not on time, so
/// calls with different events can be made in any order.
#[derive(Debug, Clone, Default)]
pub struct Script {
    events: Arc<Vec<Event>>,
    happened: BTreeSet<usize>,
}

/// Something that happens to a call that would succeed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// The API that is called.
    pub api: &'static str,
    /// Arguments that the call must have, compared by the rules of their parameters. It may have others.
    pub with: Arguments,
    /// The event that must have happened before.
    pub after: Option<usize>,
    /// The event that must not have happened yet.
    pub until: Option<usize>,
    /// Whether it happens to every such call, not only the first.
    pub again: bool,
    /// Whether the call takes effect.
    pub takes_effect: bool,
    /// The result.
    pub reply: Reply,
    /// Entries added to calendars, by person.
    pub entries: Vec<(String, CalendarMeeting)>,
}

/// The result of a call with an event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Reply {
    /// Its own output.
    Own,
    /// Its own output with further fields.
    With(Map<String, Value>),
    /// Another output.
    Output(Value),
    /// An error with this message.
    Error(String),
}

impl Event {
    /// An event that happens once: the call has no effect, but returns its usual output.
    pub fn new(api: &'static str, with: Arguments) -> Self {
        Event {
            api,
            with,
            after: None,
            until: None,
            again: false,
            takes_effect: false,
            reply: Reply::Own,
            entries: Vec::new(),
        }
    }

    fn fits(&self, api: &Api, arguments: &Arguments) -> bool {
        let same = |(name, wanted): (&String, &Value)| {
            let rule = api.param(name).map(|param| param.rule);
            let value = arguments.get(name);
            rule.zip(value).is_some_and(|(rule, value)| rule.same(wanted, value))
        };
        self.api == api.name && self.with.iter().all(same)
    }
}

impl Script {
    /// Adds an event and returns its number.
    pub fn add(&mut self, event: Event) -> usize {
        let events = Arc::make_mut(&mut self.events);
        events.push(event);
        events.len() - 1
    }

    /// The events.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The script before its first event.
    #[must_use]
    pub fn restarted(&self) -> Self {
        Script { events: Arc::clone(&self.events), happened: BTreeSet::new() }
    }

    /// Finds the first event that fits a call, and marks it as happened.
    fn next(&mut self, api: &Api, arguments: &Arguments) -> Option<Event> {
        let happened = &self.happened;
        let is_due = |at: usize, event: &Event| {
            (event.again || !happened.contains(&at))
                && event.after.is_none_or(|after| happened.contains(&after))
                && event.until.is_none_or(|until| !happened.contains(&until))
                && event.fits(api, arguments)
        };
        let at = (0..).zip(self.events.iter()).find(|(at, it)| is_due(*at, it))?.0;
        self.happened.insert(at);
        self.events.get(at).cloned()
    }
}

impl World {
    /// Applies a successful call: `after` is the world with its effect. An event may withhold the effect or
    /// replace the result.
    pub(crate) fn settle(
        &mut self,
        api: &Api,
        arguments: Arguments,
        after: World,
        output: Value,
    ) -> ApiResult {
        let event = match self.script.events.is_empty() {
            true => None,
            false => self.script.next(api, &arguments),
        };
        let script = std::mem::take(&mut self.script);
        if event.as_ref().is_none_or(|event| event.takes_effect) {
            *self = after;
        }
        self.script = script;
        let (reply, entries) = event.map_or((Reply::Own, Vec::new()), |it| (it.reply, it.entries));
        for (person, entry) in entries {
            self.calendar.update(&person, |meetings| {
                meetings.push(entry);
                meetings.sort_by_key(|meeting| meeting.meeting_time);
            });
        }
        let input = Value::Object(arguments);
        let output = match reply {
            Reply::Error(message) => return ApiResult::failure(api.name, input, message),
            Reply::Own => output,
            Reply::Output(other) => other,
            Reply::With(more) => {
                let mut output = output;
                if let Value::Object(fields) = &mut output {
                    fields.extend(more);
                }
                output
            }
        };
        let api_name = api.name.to_owned();
        ApiResult { api_name, input, output: Some(output), exception: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Suite;
    use crate::registry;
    use crate::store::Profile;
    use serde_json::json;

    fn call(world: &mut World, api: &str, arguments: Value) -> Result<Value, String> {
        let api = registry::find(Suite::Planning, api).unwrap();
        let result = api.call(arguments.as_object().unwrap(), world);
        result.output.ok_or_else(|| result.exception.unwrap_or_default())
    }

    fn with(arguments: Value) -> Arguments {
        arguments.as_object().unwrap().clone()
    }

    fn book(world: &mut World, topic: &str) -> Result<Value, String> {
        let arguments = json!({
            "meeting_topic": topic, "start_time": "2024-06-21 14:00:00",
            "end_time": "2024-06-21 15:00:00", "location": "Room 1", "attendees": ["Ann"],
        });
        call(world, "AddMeeting", arguments)
    }

    #[test]
    fn an_event_happens_once_to_the_call_that_it_names() {
        let mut world = World::empty(1);
        let mut event = Event::new("AddMeeting", with(json!({"meeting_topic": "Budget review"})));
        event.reply = Reply::Error("The service is busy.".to_owned());
        world.script.add(event);
        let fresh = world.clone();
        assert_eq!(book(&mut world, "Bilge review"), Ok(json!("success")));
        let before = world.clone();
        assert_eq!(book(&mut world, "budget review"), Err("The service is busy.".to_owned()));
        assert!(world.changes_since(&before).is_empty());
        assert_eq!(book(&mut world, "Budget review"), Ok(json!("success")));
        assert_eq!(world.planned_meeting.len(), 2);
        // A call that fails anyway does not trigger the event.
        let mut again = fresh;
        assert!(book(&mut again, " ").is_err());
        assert!(book(&mut again, "Budget review").is_err());
        world.script = world.script.restarted();
        assert!(book(&mut world, "Budget review").is_err());
    }

    #[test]
    fn a_call_that_times_out_may_have_taken_effect() {
        let mut world = World::empty(1);
        world.calendar.insert("Ann", Vec::new());
        let entry = CalendarMeeting {
            meeting_id: 7,
            meeting_name: "Budget review".to_owned(),
            meeting_time: "2024-06-21 14:00:00".parse().unwrap(),
            meeting_location: "Room 1".to_owned(),
            meeting_attendees: vec!["Ann".to_owned()],
        };
        world.script.add(Event {
            takes_effect: true,
            reply: Reply::Error("No answer in time.".to_owned()),
            entries: vec![("Ann".to_owned(), entry)],
            ..Event::new("AddMeeting", with(json!({"meeting_topic": "Budget review"})))
        });
        assert!(book(&mut world, "Budget review").is_err());
        assert_eq!(world.planned_meeting.len(), 1);
        let seen = call(&mut world, "QueryMeeting", json!({"user_name": "ann"})).unwrap();
        assert_eq!(seen["meetings"][0]["meeting_name"], "Budget review");
        assert_eq!(book(&mut world, "Budget review"), Ok(json!("success")), "it is doubled");
        assert_eq!(world.planned_meeting.len(), 2);
    }

    #[test]
    fn events_may_wait_for_each_other() {
        let mut world = World::empty(1);
        let profile = Profile {
            password: "p".to_owned(),
            email: "a@b.example".to_owned(),
            phone: "1".to_owned(),
            address: Some("Old".to_owned()),
        };
        world.profile.insert("Ann", profile);
        let ann = || with(json!({"username": "Ann"}));
        let queued = world.script.add(Event {
            reply: Reply::Output(json!({"status": "queued"})),
            ..Event::new("PersonalInfoUpdate", ann())
        });
        let read = world.script.add(Event {
            after: Some(queued),
            takes_effect: true,
            reply: Reply::With(with(json!({"last_change": "refused"}))),
            ..Event::new("AccountInfo", ann())
        });
        world.script.add(Event {
            after: Some(queued),
            until: Some(read),
            again: true,
            reply: Reply::Error("Still queued.".to_owned()),
            ..Event::new("PersonalInfoUpdate", ann())
        });
        let account = |world: &mut World| {
            call(world, "AccountInfo", json!({"username": "Ann", "password": "p"})).unwrap()
        };
        let change = |world: &mut World| {
            let to = json!({"username": "Ann", "password": "p", "address": "New"});
            call(world, "PersonalInfoUpdate", to)
        };
        assert_eq!(account(&mut world).get("last_change"), None);
        assert_eq!(change(&mut world), Ok(json!({"status": "queued"})));
        assert_eq!(change(&mut world), Err("Still queued.".to_owned()));
        assert_eq!(change(&mut world), Err("Still queued.".to_owned()));
        let seen = account(&mut world);
        assert_eq!((&seen["last_change"], &seen["address"]), (&json!("refused"), &json!("Old")));
        assert_eq!(change(&mut world), Ok(json!({"status": "success"})));
        assert_eq!(account(&mut world)["address"], "New");
    }
}
