//! Builds a task: its databases, gold calls and requirement.

use crate::Error;
use crate::english::{Day, clock, list};
use crate::names::{Kind, Names};
use crate::sentences::{Sentences, Slots, filled};
use apis::store::{CalendarMeeting, Profile, Table};
use apis::{ApiResult, Suite, World, registry};
use dataset::random::SplitMix;
use dataset::{Declared, RecordedCall};
use serde_json::Value;

/// Why a gold call is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// It changes a table.
    Write,
    /// A later call or a fact in the answer uses a value of its result.
    Value,
    /// Its result decides who or what a later call is about, or counts in a told sum.
    Choice,
    /// An attempt without effect, which is unavoidable: it fails, or its change is refused later.
    Vain,
}

/// A gold call with its reason.
#[derive(Debug, Clone)]
pub(crate) struct Gold {
    pub(crate) call: RecordedCall,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check what each call is for"))]
    pub(crate) need: Need,
}

/// The gold calls of one chore.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    pub(crate) calls: Vec<Gold>,
    /// Indices of the blocks whose results it takes.
    pub(crate) after: Vec<usize>,
}

/// A value that a chore found and a later one may take.
#[derive(Debug, Clone)]
pub(crate) enum Found {
    Day(Day),
    Person(String),
    City(String),
    Place(String),
}

/// A found value, how the requirement refers to it, and the block that finds it.
#[derive(Debug, Clone)]
struct Known {
    found: Found,
    phrase: String,
    block: usize,
}

/// A task under construction.
pub(crate) struct Draft<'a> {
    pub(crate) random: SplitMix,
    pub(crate) names: Names<'a>,
    pub(crate) sentences: &'a Sentences,
    /// The task's own rows, and the tax brackets.
    pub(crate) world: World,
    /// The profiles before the gold calls.
    pub(crate) profiles: Table<Profile>,
    /// The calendars before the gold calls.
    pub(crate) calendars: Table<Vec<CalendarMeeting>>,
    /// Whether look-alike rows are added.
    pub(crate) lookalikes: bool,
    pub(crate) blocks: Vec<Block>,
    pub(crate) paragraphs: Vec<String>,
    pub(crate) tell: Vec<String>,
    known: Vec<Known>,
    /// Values for the slots of the current chore's sentences.
    slots: Slots,
    /// First number of the task's user ids, post ids and meeting ids.
    pub(crate) next_id: usize,
}

/// A meeting to book.
pub(crate) struct Meeting {
    pub(crate) title: String,
    pub(crate) day: Day,
    /// Minutes after midnight.
    pub(crate) start: usize,
    pub(crate) minutes: usize,
    pub(crate) place: String,
    pub(crate) guests: Vec<String>,
}

/// A reminder to send.
pub(crate) struct Reminder {
    pub(crate) content: String,
    pub(crate) day: Day,
    /// Minutes after midnight.
    pub(crate) start: usize,
    pub(crate) place: String,
}

impl Meeting {
    /// The arguments of AddMeeting.
    pub(crate) fn arguments(&self) -> Value {
        serde_json::json!({
            "meeting_topic": self.title,
            "start_time": self.day.at(self.start),
            "end_time": self.day.at(self.start + self.minutes),
            "location": self.place,
            "attendees": self.guests,
        })
    }
}

impl Reminder {
    /// The arguments of EmailReminder.
    pub(crate) fn arguments(&self, recipient: &str) -> Value {
        serde_json::json!({
            "content": self.content,
            "time": self.day.at(self.start),
            "location": self.place,
            "recipient": recipient,
        })
    }
}

impl<'a> Draft<'a> {
    pub(crate) fn new(
        random: SplitMix,
        names: Names<'a>,
        sentences: &'a Sentences,
        world: World,
        lookalikes: bool,
        next_id: usize,
    ) -> Self {
        Draft {
            random,
            names,
            sentences,
            world,
            profiles: Table::default(),
            calendars: Table::default(),
            lookalikes,
            blocks: Vec::new(),
            paragraphs: Vec::new(),
            tell: Vec::new(),
            known: Vec::new(),
            slots: Slots::new(),
            next_id,
        }
    }

    /// Starts the next chore's block of gold calls.
    pub(crate) fn begin(&mut self) {
        self.blocks.push(Block::default());
        self.slots.clear();
    }

    /// Sets a slot of the current chore's sentences.
    pub(crate) fn set(&mut self, slot: &'static str, value: impl Into<String>) {
        self.slots.insert(slot, value.into());
    }

    /// Makes a gold call in the current block and returns its output.
    ///
    /// # Errors
    /// If the API is unknown or refuses the call.
    pub(crate) fn call(&mut self, api: &str, arguments: Value, need: Need) -> Result<Value, Error> {
        let result = self.make(api, arguments, need)?;
        let reason = result.exception.unwrap_or_default();
        result.output.ok_or(Error::Refused { api: api.to_owned(), reason })
    }

    /// Makes a gold call that an event turns into a failure.
    ///
    /// # Errors
    /// If the API is unknown or the call succeeds.
    pub(crate) fn fail(&mut self, api: &str, arguments: Value, need: Need) -> Result<(), Error> {
        match self.make(api, arguments, need)?.exception {
            Some(_) => Ok(()),
            None => Err(Error::Refused { api: api.to_owned(), reason: "no event".to_owned() }),
        }
    }

    fn make(&mut self, api: &str, arguments: Value, need: Need) -> Result<ApiResult, Error> {
        let refused =
            |reason: &str| Error::Refused { api: api.to_owned(), reason: reason.to_owned() };
        let found = registry::find(Suite::Planning, api).ok_or_else(|| refused("unknown"))?;
        let Value::Object(param_dict) = arguments else { return Err(refused("no object")) };
        let result = found.call(&param_dict, &mut self.world);
        let call = RecordedCall {
            api_name: api.to_owned(),
            param_dict,
            result: result.clone(),
            alternatives: Vec::new(),
            declared: Declared::default(),
        };
        if let Some(block) = self.blocks.last_mut() {
            block.calls.push(Gold { call, need });
        }
        Ok(result)
    }

    /// # Errors
    /// As [`Draft::call`].
    pub(crate) fn add_meeting(&mut self, meeting: &Meeting) -> Result<(), Error> {
        self.call("AddMeeting", meeting.arguments(), Need::Write).map(|_| ())
    }

    /// # Errors
    /// As [`Draft::call`].
    pub(crate) fn remind(&mut self, reminder: &Reminder, recipient: &str) -> Result<(), Error> {
        self.call("EmailReminder", reminder.arguments(recipient), Need::Write).map(|_| ())
    }

    /// Reads an organization's members.
    ///
    /// # Errors
    /// As [`Draft::call`].
    pub(crate) fn query_members(&mut self, organization: &str, need: Need) -> Result<(), Error> {
        let arguments = serde_json::json!({"organization": organization});
        self.call("OrganizationMembers", arguments, need).map(|_| ())
    }

    /// Reads a person's calendar.
    ///
    /// # Errors
    /// As [`Draft::call`].
    pub(crate) fn query_meetings(&mut self, person: &str, need: Need) -> Result<Value, Error> {
        self.call("QueryMeeting", serde_json::json!({"user_name": person}), need)
    }

    /// Reads a person's status.
    ///
    /// # Errors
    /// As [`Draft::call`].
    pub(crate) fn query_status(&mut self, person: &str, need: Need) -> Result<(), Error> {
        self.call("TravelStatus", serde_json::json!({"member_name": person}), need).map(|_| ())
    }

    /// Reads the email address of an account.
    ///
    /// # Errors
    /// As [`Draft::call`].
    pub(crate) fn email(&mut self, person: &str, password: &str) -> Result<String, Error> {
        let arguments = serde_json::json!({"username": person, "password": password});
        let account = self.call("AccountInfo", arguments, Need::Value)?;
        Ok(text(&account, "email"))
    }

    /// Appends a paragraph to the requirement.
    ///
    /// # Errors
    /// As [`Draft::phrase`].
    pub(crate) fn say(&mut self, key: &str) -> Result<(), Error> {
        let text = self.phrase(key)?;
        self.paragraphs.push(text);
        Ok(())
    }

    /// A phrasing of `key`, with its slots filled in.
    ///
    /// # Errors
    /// If the sentences lack the key, or a slot has no value.
    pub(crate) fn phrase(&mut self, key: &str) -> Result<String, Error> {
        let phrasings = self.sentences.of(key)?;
        let chosen = &phrasings[self.random.below(phrasings.len())];
        filled(chosen, &self.slots)
    }

    /// Publishes a value for later chores; `key` says how they refer to it.
    ///
    /// # Errors
    /// As [`Draft::phrase`].
    pub(crate) fn publish(&mut self, found: Found, key: &str) -> Result<(), Error> {
        let phrase = self.phrase(key)?;
        let block = self.blocks.len().saturating_sub(1);
        self.known.push(Known { found, phrase, block });
        Ok(())
    }

    /// Takes a value that an earlier chore found, in five of six cases if there is one. A value is
    /// taken once.
    fn take(&mut self, wanted: fn(&Found) -> bool) -> Option<(Found, String)> {
        let current = self.blocks.len().saturating_sub(1);
        let fits = |known: &Known| wanted(&known.found) && known.block < current;
        let places: Vec<usize> =
            (0..self.known.len()).filter(|at| fits(&self.known[*at])).collect();
        if places.is_empty() || self.random.below(6) == 0 {
            return None;
        }
        let at = places[self.random.below(places.len())];
        let Known { found, phrase, block } = self.known.swap_remove(at);
        if let Some(own) = self.blocks.last_mut() {
            own.after.push(block);
        }
        Some((found, phrase))
    }

    /// A meeting without guests. Draws and sets title, day, span and place, in this order.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn meeting(&mut self) -> Result<Meeting, Error> {
        let title = self.title()?;
        let day = self.when();
        let (start, minutes) = self.span();
        let place = self.place_to_meet()?;
        Ok(Meeting { title, day, start, minutes, place, guests: Vec::new() })
    }

    /// A reminder. Draws and sets content, day, time and place, in this order.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn reminder(&mut self) -> Result<Reminder, Error> {
        let content = self.content()?;
        let day = self.when();
        let (start, _) = self.span();
        let place = self.place_to_meet()?;
        Ok(Reminder { content, day, start, place })
    }

    /// A day, new or found earlier; sets `when`, such as `on 4 June`.
    pub(crate) fn when(&mut self) -> Day {
        let (day, phrase) = match self.take(|found| matches!(found, Found::Day(_))) {
            Some((Found::Day(day), phrase)) => (day, phrase),
            _ => {
                let day = self.day();
                (day, format!("on {}", day.words()))
            }
        };
        self.set("when", phrase);
        day
    }

    /// A venue, new or found earlier; sets `place`.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn place_to_meet(&mut self) -> Result<String, Error> {
        let (place, phrase) = match self.take(|found| matches!(found, Found::Place(_))) {
            Some((Found::Place(place), phrase)) => (place, phrase),
            _ => {
                let place = self.name(Kind::Venue)?;
                (place.clone(), place)
            }
        };
        self.set("place", phrase);
        Ok(place)
    }

    /// A city found earlier, with its phrase.
    pub(crate) fn found_city(&mut self) -> Option<(String, String)> {
        match self.take(|found| matches!(found, Found::City(_))) {
            Some((Found::City(city), phrase)) => Some((city, phrase)),
            _ => None,
        }
    }

    /// People to invite, of whom one may have been found earlier; sets `guests`.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn guests(&mut self, count: usize) -> Result<Vec<String>, Error> {
        let mut people = self.people(count)?;
        let mut phrases = people.clone();
        if let Some((Found::Person(person), phrase)) =
            self.take(|found| matches!(found, Found::Person(_)))
        {
            people[count - 1] = person;
            phrases[count - 1] = phrase;
        }
        self.set("guests", list(&phrases));
        Ok(people)
    }

    /// A day from 10 June to mid-November, for a meeting.
    pub(crate) fn day(&mut self) -> Day {
        Day(9 + self.random.below(160))
    }

    /// A number from a range, both ends included.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.random.below(high - low + 1)
    }

    /// Start and length of a meeting in minutes; sets `span` and `time`.
    pub(crate) fn span(&mut self) -> (usize, usize) {
        let start = 8 * 60 + 15 * self.random.below(36);
        let minutes = 15 * self.between(2, 6);
        self.set("span", span_words(start, minutes));
        self.set("time", clock(start));
        (start, minutes)
    }

    /// Shuffles (Fisher-Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.random.below(at + 1));
        }
    }

    /// Distinct numbers from a range, both ends included, ascending. The range has to have as many.
    pub(crate) fn distinct(&mut self, count: usize, low: usize, high: usize) -> Vec<usize> {
        let mut numbers = std::collections::BTreeSet::new();
        while numbers.len() < count.min(high - low + 1) {
            numbers.insert(self.between(low, high));
        }
        numbers.into_iter().collect()
    }

    /// Tells a number.
    pub(crate) fn tell_number(&mut self, number: usize) {
        self.tell.push(number.to_string());
    }

    /// A meeting's title, such as `Budget review`; sets `title`.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn title(&mut self) -> Result<String, Error> {
        let title = self.name(Kind::Topic)?;
        self.set("title", title.as_str());
        Ok(title)
    }

    /// A reminder's text; sets `content`.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn content(&mut self) -> Result<String, Error> {
        let content = self.name(Kind::Topic)?;
        self.set("content", content.as_str());
        Ok(content)
    }

    /// The next name of any kind.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn name(&mut self, kind: Kind) -> Result<String, Error> {
        Ok(kind.join(&self.names.next(kind)?))
    }

    /// New people. With look-alikes, every second one's name is the one before it with a middle
    /// initial.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn people(&mut self, count: usize) -> Result<Vec<String>, Error> {
        let mut people: Vec<String> = Vec::new();
        while people.len() < count {
            let person = self.name(Kind::Person)?;
            people.push(person.clone());
            if self.lookalikes && people.len() < count {
                people.push(self.namesake(&person));
            }
        }
        self.shuffle(&mut people);
        Ok(people)
    }

    /// An address such as `14 Weaver Lane, 40123`.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn address(&mut self) -> Result<String, Error> {
        let street = self.name(Kind::Street)?;
        Ok(format!("{} {street}, {}", self.between(1, 180), self.between(10_000, 99_999)))
    }

    /// A password such as `tamarisk-42`.
    pub(crate) fn password(&mut self) -> String {
        let word = &self.names.parts.password[self.random.below(self.names.parts.password.len())];
        format!("{word}-{}", self.between(10, 99))
    }
}

/// A text field of an output; empty if absent.
pub(crate) fn text(output: &Value, field: &str) -> String {
    output[field].as_str().unwrap_or_default().to_owned()
}

/// A span in words: `from 09:00 to 10:30`.
pub(crate) fn span_words(start: usize, minutes: usize) -> String {
    format!("from {} to {}", clock(start), clock(start + minutes))
}
