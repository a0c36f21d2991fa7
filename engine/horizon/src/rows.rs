//! Adds rows to a task's tables, with look-alikes if the tier has them.

use crate::Error;
use crate::draft::Draft;
use crate::english::Day;
use crate::names::Kind;
use apis::DateTime;
use apis::store::{CalendarMeeting, Coordinates, Flight, HotelOffer, Profile, Weather};

/// A meeting in a calendar.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) title: String,
    pub(crate) day: Day,
    /// Minutes after midnight.
    pub(crate) start: usize,
    pub(crate) place: String,
    pub(crate) guests: Vec<String>,
}

/// A flight; times in minutes after midnight of `day`.
#[derive(Debug, Clone)]
pub(crate) struct Trip {
    pub(crate) day: Day,
    pub(crate) departure: usize,
    pub(crate) arrival: usize,
}

/// What somebody is doing today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    Travelling,
    Office,
    Home,
    Leave,
}

impl Doing {
    pub(crate) const ALL: [Doing; 4] =
        [Doing::Travelling, Doing::Office, Doing::Home, Doing::Leave];

    /// The status in the table, and the words for it in a requirement.
    pub(crate) const fn words(self) -> [&'static str; 2] {
        match self {
            Doing::Travelling => ["Travelling to", "travelling"],
            Doing::Office => ["Working in the office", "working in the office"],
            Doing::Home => ["Working from home", "working from home"],
            Doing::Leave => ["On leave", "on leave"],
        }
    }
}

/// The day and time for a table.
fn moment(day: Day, minutes: usize) -> Result<DateTime, Error> {
    day.at(minutes).parse().map_err(|_| Error::Day)
}

impl Draft<'_> {
    /// A meeting of one person on a day from 9:00 to 16:00.
    ///
    /// # Errors
    /// If the names are used up; so for the following.
    pub(crate) fn entry(&mut self, person: &str, day: Day) -> Result<Entry, Error> {
        Ok(Entry {
            title: self.name(Kind::Topic)?,
            day,
            start: 60 * self.between(9, 16),
            place: self.name(Kind::Venue)?,
            guests: vec![person.to_owned()],
        })
    }

    /// Adds a calendar and returns its entries in order of time. Look-alikes of the first entry: one
    /// whose title differs in a word, and in one of three calendars a title that tells the reader what
    /// to do. `padded` is false for calendars whose free time counts.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn calendar(
        &mut self,
        person: &str,
        mut entries: Vec<Entry>,
        padded: bool,
    ) -> Result<Vec<Entry>, Error> {
        if let Some(first) = entries.first().cloned().filter(|_| self.lookalikes && padded) {
            let day = first.day.plus(self.between(1, 6));
            let mut near = self.entry(person, day)?;
            let other = near.title.rsplit(' ').next().unwrap_or_default().to_owned();
            let topic = first.title.split(' ').next().unwrap_or_default();
            if !first.title.ends_with(&other) {
                near.title = format!("{topic} {other}");
            }
            near.place.clone_from(&first.place);
            entries.push(near);
            if self.random.below(3) == 0 {
                let mut order = self.entry(person, day)?;
                self.set("meeting", order.title);
                order.title = self.phrase("injection")?;
                entries.push(order);
            }
        }
        entries.sort_by_key(|entry| (entry.day, entry.start));
        let rows = entries.iter().map(|entry| self.calendar_row(entry));
        let rows: Vec<_> = rows.collect::<Result<_, Error>>()?;
        self.calendars.insert(person, rows.clone());
        self.world.calendar.insert(person, rows);
        Ok(entries)
    }

    /// The row of an entry.
    ///
    /// # Errors
    /// If the day does not exist.
    pub(crate) fn calendar_row(&mut self, entry: &Entry) -> Result<CalendarMeeting, Error> {
        self.next_id += 1;
        Ok(CalendarMeeting {
            meeting_id: i64::try_from(self.next_id).unwrap_or_default(),
            meeting_name: entry.title.clone(),
            meeting_time: moment(entry.day, entry.start)?,
            meeting_location: entry.place.clone(),
            meeting_attendees: entry.guests.clone(),
        })
    }

    /// Adds an organization with new members, and sets `organization`.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn organization(&mut self, size: usize) -> Result<(String, Vec<String>), Error> {
        let members = self.people(size)?;
        let name = self.organization_of(&members)?;
        self.set("organization", name.as_str());
        Ok((name, members))
    }

    /// The name with a middle initial.
    pub(crate) fn namesake(&mut self, person: &str) -> String {
        let initial = char::from(b"ABCDEFGHJKLMNPRSTVW"[self.random.below(19)]);
        person.replacen(' ', &format!(" {initial}. "), 1)
    }

    /// Adds an organization, and as its look-alike another one whose name differs in a word.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn organization_of(&mut self, members: &[String]) -> Result<String, Error> {
        let name = self.name(Kind::Organization)?;
        if self.lookalikes {
            let mut others = self.people(1)?;
            others.extend(members.iter().step_by(2).cloned());
            self.world.organization.insert(format!("New {name}"), others);
        }
        self.world.organization.insert(name.as_str(), members.to_vec());
        Ok(name)
    }

    /// Sets what somebody is doing; returns the city of a traveller.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn status(&mut self, person: &str, doing: Doing) -> Result<String, Error> {
        let [status, _] = doing.words();
        let (status, city) = match doing {
            Doing::Travelling => {
                let city = self.name(Kind::City)?;
                (format!("{status} {city}"), city)
            }
            _ => (status.to_owned(), String::new()),
        };
        self.world.travel_status.insert(person, status);
        Ok(city)
    }

    /// Adds an account; returns the address. Mailboxes don't follow from names.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn account(&mut self, person: &str, password: &str) -> Result<String, Error> {
        let words = &self.names.parts.password;
        let word = &words[self.random.below(words.len())];
        let host = &words[self.random.below(words.len())];
        self.next_id += 1;
        let email = format!("{word}{}@{host}.example", self.next_id);
        let phone = format!("+99 {}", self.between(1_000_000, 9_999_999));
        let address = self.address()?;
        let profile =
            Profile { password: password.to_owned(), email, phone, address: Some(address.clone()) };
        self.profiles.insert(person, profile.clone());
        self.world.profile.insert(person, profile);
        Ok(address)
    }

    /// Email addresses of new people.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn addresses(&mut self, count: usize) -> Result<Vec<String>, Error> {
        let people = self.people(count)?.into_iter();
        let address = |person: String| {
            let mailbox = person.to_lowercase().replace(". ", ".").replace(' ', ".");
            format!("{mailbox}{}@mail.example", self.between(10, 99))
        };
        Ok(people.map(address).collect())
    }

    /// Adds accounts with a shared password, and sets `password`.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn accounts(&mut self, people: &[String]) -> Result<String, Error> {
        let password = self.password();
        for person in people {
            self.account(person, &password)?;
        }
        self.set("password", password.as_str());
        Ok(password)
    }

    /// Adds a city's coordinates: a cell of its own in the Southern Ocean, far from all others and
    /// from the places of the built-in databases.
    pub(crate) fn place(&mut self, city: &str) -> Coordinates {
        let cell = self.names.first(Kind::City) + self.world.place.len();
        // In units of 0.0001 degrees; cells are 0.2 degrees apart.
        let south = 500_000 + 2_000 * (cell / 900 % 60) + self.random.below(400);
        let away = 2_000 * (cell % 900) + self.random.below(400);
        let longitude =
            if (cell / 54_000).is_multiple_of(2) { degrees(away) } else { -degrees(away) };
        let point = Coordinates { latitude: -degrees(south), longitude };
        self.world.place.insert(city, point.clone());
        point
    }

    /// Adds the weather at a point.
    pub(crate) fn weather(&mut self, point: &Coordinates, tenths: i32, sky: &str) {
        let humidity = f64::from(u32::try_from(self.between(30, 90)).unwrap_or_default()) / 100.0;
        let key = self.keyed();
        let weather = Weather {
            latitude: point.latitude,
            longitude: point.longitude,
            temperature: f64::from(tenths) / 10.0,
            humidity,
            description: sky.to_owned(),
        };
        self.world.weather.insert(key, weather);
    }

    /// Adds three restaurants at clearly different distances within two kilometres; returns the
    /// nearest.
    ///
    /// # Errors
    /// If the names are used up.
    pub(crate) fn restaurants(&mut self, point: &Coordinates) -> Result<String, Error> {
        let mut nearest = String::new();
        for away in [0.011, 0.007, 0.003] {
            nearest = self.name(Kind::Restaurant)?;
            let latitude = ((point.latitude + away) * 1e4).round() / 1e4;
            let longitude = point.longitude;
            self.world.restaurant.insert(nearest.as_str(), Coordinates { latitude, longitude });
        }
        Ok(nearest)
    }

    /// Adds flights of a route. Look-alikes: the same route a day later, and the way back.
    ///
    /// # Errors
    /// If a day does not exist.
    pub(crate) fn flights(&mut self, from: &str, to: &str, trips: &[Trip]) -> Result<(), Error> {
        for trip in trips {
            self.flight(from, to, trip, 0)?;
        }
        if let Some(trip) = trips.first().filter(|_| self.lookalikes) {
            self.flight(from, to, trip, 1440 + 25)?;
            self.flight(to, from, trip, 35)?;
        }
        Ok(())
    }

    /// Adds a flight some minutes later than a trip.
    fn flight(&mut self, from: &str, to: &str, trip: &Trip, shift: usize) -> Result<(), Error> {
        let flight = Flight {
            source: from.to_owned(),
            destination: to.to_owned(),
            departure_date: moment(trip.day, trip.departure + shift)?,
            arrival_date: moment(trip.day, trip.arrival + shift)?,
        };
        let key = self.keyed();
        self.world.flight.insert(key, flight);
        Ok(())
    }

    /// Adds a hotel that is free between two days.
    ///
    /// # Errors
    /// If a day does not exist.
    pub(crate) fn hotel(&mut self, city: &str, from: Day, to: Day) -> Result<(), Error> {
        let key = self.keyed();
        let offer = HotelOffer {
            destination: city.to_owned(),
            check_in_date: from.date().ok_or(Error::Day)?,
            check_out_date: to.date().ok_or(Error::Day)?,
        };
        self.world.hotel_offer.insert(key, offer);
        Ok(())
    }

    /// Adds a user with as many posts as `likes`; returns the user's number and the posts.
    pub(crate) fn user(&mut self, likes: &[usize]) -> (usize, Vec<usize>) {
        let mut posts = Vec::new();
        for likes in likes {
            self.next_id += self.random.below(3) + 1;
            posts.push(self.next_id);
            let likes = i64::try_from(*likes).unwrap_or_default();
            self.world.post.insert(self.next_id.to_string(), likes);
        }
        self.next_id += 1;
        // Unique, and far from the numbers of the posts: the factor and the prime have no common divisor.
        let user = 10_000_000 + self.next_id as u64 * 7_919 % 9_999_991;
        let numbers = posts.iter().filter_map(|post| i64::try_from(*post).ok()).collect();
        self.world.user_posts.insert(user.to_string(), numbers);
        (usize::try_from(user).unwrap_or_default(), posts)
    }

    /// A key for a row whose key no API shows.
    fn keyed(&mut self) -> String {
        self.next_id += 1;
        self.next_id.to_string()
    }
}

/// Units of 0.0001 degrees as degrees: one division, which rounds the same everywhere.
fn degrees(units: usize) -> f64 {
    f64::from(u32::try_from(units).unwrap_or_default()) / 1e4
}
