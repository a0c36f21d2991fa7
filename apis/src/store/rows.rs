//! The rows of the tables. Fields are named as in the database files.

use crate::when::{Date, DateTime};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A user who can log in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are named as in the file and say what they are")]
pub struct Account {
    pub password: String,
    pub token: String,
    pub email: String,
}

macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident { $($(#[$attr:meta])* $field:ident: $type:ty),* $(,)? })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            #[expect(missing_docs, reason = "the fields are named as in the file and say what they are")]
            pub struct $name { $($(#[$attr])* pub $field: $type,)* }
        )*
    };
}

rows! {
    /// An agenda entry.
    AgendaEntry { content: String, time: DateTime, location: String, username: String }

    /// An alarm.
    Alarm { time: DateTime, username: String }

    /// An appointment with a doctor.
    Appointment { patient_name: String, date: Date, doctor_name: String }

    /// A customer of the bank.
    BankCustomer { balance: f64, age: u32, city: String }

    /// An account opened under a name.
    BankAccount { password: String, name: String }

    /// One sense of a word.
    Meaning {
        #[serde(rename = "partOfSpeech")] part_of_speech: String,
        definitions: Vec<Definition>,
        #[serde(default)] synonyms: Vec<String>,
        #[serde(default)] antonyms: Vec<String>,
    }

    /// One definition, in the shape of the dictionary service that API-Bank called.
    Definition {
        definition: String,
        #[serde(default)] synonyms: Vec<String>,
        #[serde(default)] antonyms: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")] example: Option<String>,
    }

    /// A sent mail.
    Email { receiver: String, subject: String, content: String }

    /// A sent mail reminder.
    EmailReminder { content: String, time: DateTime, location: String, recipient: String }

    /// Measurements at one time; a measure is a text, a number or a list of numbers.
    HealthRecord { time: DateTime, #[serde(flatten)] measures: Map<String, Value> }

    /// An event of the past.
    HistoricEvent {
        #[serde(rename = "Title")] title: String,
        #[serde(rename = "Date")] date: String,
        #[serde(rename = "Description")] description: String,
    }

    /// A booked stay.
    Stay {
        hotel_name: String, check_in_time: Date, check_out_time: Date,
        room_count: i64, adult_count: i64, child_count: i64,
    }

    /// The caption of an image.
    Caption { caption: String }

    /// A meeting of the dialogue suite.
    Meeting {
        meeting_topic: String, start_time: DateTime, end_time: DateTime,
        location: String, attendees: Vec<String>, username: String,
    }

    /// A code for a password reset.
    PasswordReset { code: i64 }

    /// A question about a document with its answer.
    Answer { question: String, answer: String }

    /// A reminder.
    Reminder { content: String, time: DateTime, username: String }

    /// A device of a scene and its setting.
    Device { name: String, description: String }

    /// A document of the search engine.
    Document { title: String, url: String, #[serde(rename = "abstract")] summary: String }

    /// A possible cause of a symptom.
    Disease { name: String, description: String, aid: String }

    /// When a device is switched on or off.
    SwitchTime { time: DateTime, on: bool }

    /// A recorded translation.
    Translation { src: String, src_lang: String, tgt_lang: String, text: String }

    /// An article.
    Article { url: String, summary: String, #[serde(default)] content: String }

    /// A meeting in a user's calendar.
    CalendarMeeting {
        meeting_id: i64, meeting_name: String, meeting_time: DateTime,
        meeting_location: String, meeting_attendees: Vec<String>,
    }

    /// A flight.
    Flight { source: String, destination: String, departure_date: DateTime, arrival_date: DateTime }

    /// An available stay.
    HotelOffer { destination: String, check_in_date: Date, check_out_date: Date }

    /// A point on the globe, in degrees.
    Coordinates { latitude: f64, longitude: f64 }

    /// A meeting that the planning suite added.
    PlannedMeeting {
        meeting_topic: String, start_time: DateTime, end_time: DateTime,
        location: String, attendees: Vec<String>,
    }

    /// A user's contact data.
    Profile {
        password: String, email: String, phone: String,
        #[serde(default, skip_serializing_if = "Option::is_none")] address: Option<String>,
    }

    /// Weather at a point: temperature in degrees Celsius, humidity from 0 to 1.
    Weather { latitude: f64, longitude: f64, temperature: f64, humidity: f64, description: String }
}
