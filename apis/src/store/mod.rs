//! The world: one typed table per database, copied on write.
//!
//! Each sample gets a clone of the loaded world. The clone shares every table; the
//! first write to a table copies its row handles, not the rows.

mod diff;
mod load;
mod recorded;
mod rows;
mod script;
mod search;
mod table;

pub use diff::{Change, ChangeKind, FieldChange, unordered};
pub use load::LoadError;
pub(crate) use recorded::Call;
pub use recorded::Recorded;
pub use rows::*;
pub use script::{Event, Reply, Script};
pub use search::{ApiSearch, SearchHandle, SearchResults};
pub use table::Table;

use crate::arguments::composed_value;
use crate::error::ApiError;
use crate::text::words::{contains, plain, plain_letters, words};
use crate::when::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use strum::{IntoStaticStr, VariantArray};

/// Declares the tables: the world's fields, their names and their loaders.
macro_rules! tables {
    ($($(#[$doc:meta])* $field:ident: $name:ident => $row:ty;)*) => {
        /// A table's name, which is also its file's: `Account` is `Account.json`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[derive(IntoStaticStr, VariantArray)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum TableName {
            $($(#[$doc])* $name,)*
        }

        impl TableName {
            /// Every table.
            pub const ALL: &'static [TableName] = TableName::VARIANTS;

            /// The name as text.
            pub fn as_str(self) -> &'static str {
                self.into()
            }
        }

        /// All databases of one sample.
        #[derive(Debug, Clone)]
        pub struct World {
            /// Returned by GetToday.
            pub today: Date,
            /// Ids and tokens are derived from it.
            pub seed: u64,
            /// Used by ToolSearcher.
            pub search: SearchHandle,
            /// Results for APIs whose databases the pack lacks.
            pub recorded: Recorded,
            /// Events that change how calls end.
            pub script: Script,
            $($(#[$doc])* pub $field: Table<$row>,)*
        }

        impl World {
            /// All tables are empty; today is 31 March 2023.
            pub fn empty(seed: u64) -> Self {
                World {
                    today: Date(jiff::civil::date(2023, 3, 31)),
                    seed,
                    search: SearchHandle::default(),
                    recorded: Recorded::default(),
                    script: Script::default(),
                    $($field: Table::default(),)*
                }
            }

            /// Replaces a table by the JSON of a database file, in the project's shape or
            /// the original's, with its texts in the form NFC. `file` is for error messages.
            ///
            /// # Errors
            /// If the file or a row has the wrong shape.
            pub fn load_table(&mut self, name: TableName, file: &str, json: &Value) -> Result<(), LoadError> {
                let json = composed_value(json.clone());
                match name {
                    $(TableName::$name => self.$field = load::table(file, &load::keyed(name, &json)?)?,)*
                }
                Ok(())
            }

            /// A table as a JSON object, rows in insertion order.
            pub fn table(&self, name: TableName) -> Value {
                match name { $(TableName::$name => self.$field.to_json(),)* }
            }

            /// Number of rows of a table.
            pub fn rows(&self, name: TableName) -> usize {
                match name { $(TableName::$name => self.$field.len(),)* }
            }

            /// Changes to the tables since `before`, by table, then key.
            /// An unwritten table costs one pointer comparison.
            pub fn changes_since(&self, before: &World) -> Vec<Change> {
                let mut changes = Vec::new();
                $(diff::table(TableName::$name, &before.$field, &self.$field, &mut changes);)*
                changes
            }
        }
    };
}

tables! {
    /// Users who can log in, by username.
    account: Account => Account;
    /// Agenda entries, by number.
    agenda: Agenda => AgendaEntry;
    /// Alarms, by number.
    alarm: Alarm => Alarm;
    /// Appointments with doctors, by eight-digit id.
    appointments: Appointments => Appointment;
    /// Balances and holders, by username.
    bank: Bank => BankCustomer;
    /// Accounts opened by name, by account.
    bank_account: BankAccount => BankAccount;
    /// Words and their meanings, by word.
    dictionary: Dictionary => Vec<Meaning>;
    /// Sent mail, by number.
    email: Email => Email;
    /// Sent mail reminders, by number.
    email_reminder: EmailReminder => EmailReminder;
    /// Measurements, by user id.
    health_data: HealthData => Vec<HealthRecord>;
    /// Historical events, by day of the year.
    history: History => Vec<HistoricEvent>;
    /// Booked stays, by number.
    hotel: Hotel => Stay;
    /// Captions of images, by address.
    image_captioning: ImageCaptioning => Caption;
    /// Meetings of the dialogue suite, by number.
    meeting: Meeting => Meeting;
    /// Codes sent to reset passwords, by username.
    password_reset: PasswordReset => PasswordReset;
    /// Questions and answers about documents, by address.
    question_answering: QuestionAnswering => Vec<Answer>;
    /// Reminders, by number.
    reminder: Reminder => Reminder;
    /// Scenes of a smart home, by lower-case name.
    scenes: Scenes => Vec<Device>;
    /// Documents of the search engine, by number.
    search_engine: SearchEngine => Document;
    /// Transcripts of recordings, by address.
    speech_recognition: SpeechRecognition => String;
    /// Prices by date, by stock code.
    stock: Stock => std::collections::BTreeMap<Date, f64>;
    /// Synonyms of keys, by table.
    synonym: Synonym => std::collections::BTreeMap<String, Vec<String>>;
    /// Possible diseases, by symptom.
    symptom: Symptom => Vec<Disease>;
    /// Switching times of devices, by device.
    time_switch: TimeSwitch => Vec<SwitchTime>;
    /// Translations, by number.
    translation: Translation => Translation;
    /// Articles, by lower-case keyword.
    wiki: Wiki => Article;

    /// Calendars of the planning suite, by user.
    calendar: Calendar => Vec<CalendarMeeting>;
    /// Flights, by number.
    flight: Flight => Flight;
    /// Films by genre.
    genre: Genre => Vec<String>;
    /// Available stays, by hotel.
    hotel_offer: HotelOffer => HotelOffer;
    /// Preferred genres, by user.
    movie_preferences: MoviePreferences => Vec<String>;
    /// Yearly salaries, by occupation.
    occupation: Occupation => serde_json::Number;
    /// Members, by organization.
    organization: Organization => Vec<String>;
    /// Coordinates, by address.
    place: Place => Coordinates;
    /// Meetings added by the planning suite, by number.
    planned_meeting: PlannedMeeting => PlannedMeeting;
    /// Likes, by post.
    post: Post => i64;
    /// Contact data, by username.
    profile: Profile => Profile;
    /// Restaurants, by name.
    restaurant: Restaurant => Coordinates;
    /// Tax rates, by lower bound of the salary.
    tax_bracket: TaxBracket => f64;
    /// Travel status of an organization's members, by name.
    travel_status: TravelStatus => String;
    /// Posts, by user id.
    user_posts: UserPosts => Vec<i64>;
    /// Watched films, by user.
    watched_movies: WatchedMovies => Vec<String>;
    /// Weather, by number.
    weather: Weather => Weather;
}

impl TableName {
    /// Whether a new row gets the next number ([`Table::next_key`]) as key, so that keys depend on
    /// the order of insertion.
    pub const fn numbers_rows(self) -> bool {
        matches!(
            self,
            TableName::Agenda
                | TableName::Alarm
                | TableName::Email
                | TableName::EmailReminder
                | TableName::Hotel
                | TableName::Meeting
                | TableName::PlannedMeeting
                | TableName::Reminder
        )
    }
}

impl World {
    /// The username that a token belongs to.
    ///
    /// # Errors
    /// [`ApiError::InvalidToken`] if no account has it.
    pub fn token_owner(&self, token: &str) -> Result<String, ApiError> {
        self.account
            .iter()
            .find(|(_, account)| account.token == token)
            .map(|(username, _)| username.to_owned())
            .ok_or(ApiError::InvalidToken)
    }

    /// The row whose key a name matches; if none, the row whose synonym it is.
    pub fn by_name_or_synonym<'w, R>(
        &self,
        table: TableName,
        rows: &'w Table<R>,
        name: &str,
        matches: impl Fn(&str) -> bool,
    ) -> Option<&'w R> {
        let direct = rows.iter().find(|(key, _)| matches(key)).map(|(_, row)| row);
        direct.or_else(|| rows.get(self.synonym_of(table.as_str(), name)?))
    }

    /// Finds the row whose name or synonym occurs in a text as whole words, such as `sore throat` in
    /// `severe sore throat`. `None` if the text names no row or several.
    pub fn named_within<'w, R>(
        &self,
        table: TableName,
        rows: &'w Table<R>,
        text: &str,
    ) -> Option<&'w R> {
        let text = words(text);
        let synonyms = self.synonym.get(table.as_str());
        let longest = |key: &str| {
            let others = synonyms.and_then(|synonyms| synonyms.get(key)).into_iter().flatten();
            let names = others.map(String::as_str).chain([key]).map(words);
            names.filter(|name| contains(&text, name)).max_by_key(Vec::len)
        };
        let mut found: Vec<_> =
            rows.iter().filter_map(|(key, row)| Some((longest(key)?, row))).collect();
        found.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        let ((best, row), others) = found.split_first()?;
        // A longer name may contain another row's name.
        others.iter().all(|(name, _)| contains(best, name)).then_some(*row)
    }

    /// Resolves a name or synonym to the key of its row; returns an unknown name unchanged.
    pub fn key_of<'w>(&'w self, table: TableName, name: &'w str) -> &'w str {
        self.synonym_of(table.as_str(), name).unwrap_or(name)
    }

    /// Resolves a synonym to its main name in a group of synonyms: that of a table, or `Illness`.
    /// Ignores case, blanks, punctuation and a leading "the".
    pub fn synonym_of(&self, group: &str, name: &str) -> Option<&str> {
        let name = name.trim().to_lowercase();
        let wanted = plain(name.strip_prefix("the ").unwrap_or(&name));
        let rows = self.synonym.get(group)?;
        let means = |(_, names): &(&String, &Vec<String>)| {
            let bare = names.iter().map(|name| name.strip_prefix("the ").unwrap_or(name));
            bare.map(plain_letters).any(|letters| letters.eq(wanted.chars()))
        };
        rows.iter().find(means).map(|(key, _)| key.as_str())
    }

    /// SHA-256 of all tables in canonical form (rows sorted by key), in hexadecimal.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for name in TableName::ALL {
            let Value::Object(rows) = self.table(*name) else { continue };
            let mut sorted: Vec<_> = rows.into_iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            hash.update(name.as_str());
            for (key, row) in sorted {
                hash.update(Value::from(key).to_string());
                hash.update(row.to_string());
            }
        }
        hex(&hash.finalize())
    }

    /// Pseudo-random bytes: SHA-256 of the seed, `purpose` and `key`.
    pub fn derive(&self, purpose: &str, key: &str) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_le_bytes());
        hash.update(purpose);
        hash.update([0]);
        hash.update(key);
        hash.finalize().into()
    }

    /// `length` (at most 32) lower-case letters and digits from [`World::derive`].
    pub fn derive_token(&self, purpose: &str, key: &str, length: usize) -> String {
        const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
        let bytes = self.derive(purpose, key);
        bytes.iter().take(length).map(|byte| char::from(LETTERS[usize::from(*byte) % 36])).collect()
    }

    /// A number of `digits` (at most 18) decimal digits without a leading zero, from
    /// [`World::derive`].
    pub fn derive_digits(&self, purpose: &str, key: &str, digits: u32) -> u64 {
        let bytes = self.derive(purpose, key);
        let lowest = 10_u64.pow(digits.clamp(1, 18) - 1);
        let drawn = bytes.iter().take(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
        lowest + drawn % (9 * lowest)
    }
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
