//! Chores with cities: restaurants, weather, flights, hotels.

use crate::Error;
use crate::draft::{Draft, Found, Meeting, Need};
use crate::english::{Day, clock, list};
use crate::names::Kind;
use crate::rows::{Doing, Trip};
use apis::store::Coordinates;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Reads a city's coordinates.
pub(super) fn locate(draft: &mut Draft<'_>, city: &str) -> Result<Coordinates, Error> {
    let point = draft.call("Geocoding", json!({"address": city}), Need::Value)?;
    let degrees = |field: &str| point[field].as_f64().unwrap_or_default();
    Ok(Coordinates { latitude: degrees("latitude"), longitude: degrees("longitude") })
}

/// Books a meeting at the restaurant nearest to a city's coordinates.
pub(super) fn dinner(draft: &mut Draft<'_>, guests: usize, _: usize) -> Result<(), Error> {
    let (city, phrase) = match draft.found_city() {
        Some(found) => found,
        None => {
            let city = draft.name(Kind::City)?;
            (city.clone(), city)
        }
    };
    draft.set("city", phrase);
    dine(draft, guests, &city, "dinner")
}

/// Books a meeting at the restaurant nearest to the city that a person travels to.
pub(super) fn dinner_away(draft: &mut Draft<'_>, guests: usize, _: usize) -> Result<(), Error> {
    let traveller = draft.name(Kind::Person)?;
    let city = draft.status(&traveller, Doing::Travelling)?;
    draft.query_status(&traveller, Need::Value)?;
    draft.set("city", traveller);
    dine(draft, guests, &city, "dinner_away")
}

fn dine(draft: &mut Draft<'_>, guests: usize, city: &str, key: &str) -> Result<(), Error> {
    let point = draft.place(city);
    let place = draft.restaurants(&point)?;
    let title = draft.title()?;
    let day = draft.when();
    let (start, minutes) = draft.span();
    let guests = draft.guests(guests)?;
    draft.say(key)?;
    let point = locate(draft, city)?;
    let near = json!({"latitude": point.latitude, "longitude": point.longitude, "distance": 3000});
    draft.call("NearbyRestaurants", near, Need::Value)?;
    let meeting = Meeting { title, day, start, minutes, place, guests };
    draft.add_meeting(&meeting)?;
    draft.publish(Found::Place(meeting.place), "known_place_title")
}

/// Reports the clothes recommended for the weather of `count` cities.
pub(super) fn packing(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let mut cities = Vec::new();
    for _ in 0..count {
        let city = draft.name(Kind::City)?;
        let point = draft.place(&city);
        let tenths = i32::try_from(draft.between(0, 420)).unwrap_or_default() - 100;
        let skies = &draft.names.parts.sky;
        let sky = skies[draft.random.below(skies.len())][0].as_str();
        draft.weather(&point, tenths, sky);
        cities.push(city);
    }
    draft.set("cities", list(&cities));
    draft.say(if count == 1 { "packing_one" } else { "packing" })?;
    let mut items = BTreeSet::new();
    for city in &cities {
        let point = locate(draft, city)?;
        let at = json!({"latitude": point.latitude, "longitude": point.longitude});
        let weather = draft.call("GetWeatherForCoordinates", at, Need::Value)?;
        let arguments = json!({
            "temperature": weather["temperature"],
            "humidity": weather["humidity"],
            "weather_conditions": weather["description"],
        });
        let clothes = draft.call("ClothingRecommendation", arguments, Need::Value)?;
        let clothes = clothes["clothing_options"].as_array().cloned().unwrap_or_default();
        items.extend(clothes.iter().filter_map(Value::as_str).map(str::to_owned));
    }
    draft.tell.extend(items);
    Ok(())
}

/// Reads a route's flights on a day.
fn search(
    draft: &mut Draft<'_>,
    from: &str,
    to: &str,
    day: Day,
    need: Need,
) -> Result<Value, Error> {
    let arguments = json!({"source": from, "destination": to, "travel_dates": day.iso()});
    draft.call("FlightSearch", arguments, need)
}

/// Reads a city's hotels for a stay.
fn search_hotels(
    draft: &mut Draft<'_>,
    city: &str,
    (from, to): (Day, Day),
    need: Need,
) -> Result<Value, Error> {
    let stay =
        json!({"destination": city, "check_in_date": from.iso(), "check_out_date": to.iso()});
    draft.call("HotelAvailability", stay, need)
}

/// Books a meeting after the last of `legs` connecting flights has landed.
pub(super) fn pickup(draft: &mut Draft<'_>, legs: usize, _: usize) -> Result<(), Error> {
    let traveller = draft.name(Kind::Person)?;
    let cities: Vec<String> =
        (0..=legs).map(|_| draft.name(Kind::City)).collect::<Result<_, _>>()?;
    let day = draft.when();
    let mut landed: usize = 6 * 60;
    for leg in cities.windows(2) {
        // One that has left before, the one taken, and a later one.
        let missed = (landed.saturating_sub(draft.between(30, 90)), draft.between(60, 110));
        let departure = landed + 5 * draft.between(5, 12);
        let arrival = departure + 5 * draft.between(12, 24);
        let later = (departure + 95, draft.between(60, 110));
        let trip = |(departure, length)| Trip { day, departure, arrival: departure + length };
        let mut trips = vec![trip((departure, arrival - departure)), trip(later)];
        if leg[0] != cities[0] {
            trips.push(trip(missed));
        }
        draft.flights(&leg[0], &leg[1], &trips)?;
        landed = arrival;
    }
    let title = draft.title()?;
    let (wait, minutes) = (5 * draft.between(4, 12), 15 * draft.between(1, 3));
    let place = draft.place_to_meet()?;
    let others = draft.guests(1)?;
    draft.set("person", traveller.as_str());
    draft.set("from", cities[0].as_str());
    draft.set("stops", list(&cities[1..]));
    draft.set("wait", wait.to_string());
    draft.set("minutes", minutes.to_string());
    draft.say(if legs == 1 { "pickup_one" } else { "pickup" })?;
    for leg in cities.windows(2) {
        search(draft, &leg[0], &leg[1], day, Need::Choice)?;
    }
    let (start, guests) = (landed + wait, [vec![traveller], others].concat());
    draft.add_meeting(&Meeting { title, day, start, minutes, place, guests })
}

/// Books a meeting in the first city on a list with a hotel available: number `tried`, with `spare` more
/// behind.
pub(super) fn first_city(draft: &mut Draft<'_>, tried: usize, spare: usize) -> Result<(), Error> {
    let from = draft.day();
    let to = from.plus(draft.between(2, 6));
    let mut cities = Vec::new();
    for at in 0..tried + spare {
        let city = draft.name(Kind::City)?;
        // A hotel that is free too late, and where it fits, one that is free all the time.
        draft.hotel(&city, from.plus(1), to.plus(3))?;
        if at + 1 == tried || (at >= tried && draft.random.below(2) == 0) {
            let (earlier, later) = (draft.between(1, 3), draft.between(0, 4));
            draft.hotel(&city, Day(from.0 - earlier), to.plus(later))?;
        }
        cities.push(city);
    }
    let title = draft.title()?;
    let (start, minutes) = draft.span();
    let guests = draft.guests(2)?;
    draft.set("cities", list(&cities));
    draft.set("first", from.words());
    draft.set("last", to.words());
    draft.say("first_city")?;
    for city in cities.iter().take(tried) {
        search_hotels(draft, city, (from, to), Need::Choice)?;
    }
    let place = cities.swap_remove(tried - 1);
    let meeting = Meeting { title, day: from, start, minutes, place, guests };
    draft.add_meeting(&meeting)?;
    draft.publish(Found::Place(meeting.place), "known_place_title")
}

/// Books a meeting on the first day with a flight, the last of `searched` days.
pub(super) fn first_flight(draft: &mut Draft<'_>, searched: usize, _: usize) -> Result<(), Error> {
    let (from, to) = (draft.name(Kind::City)?, draft.name(Kind::City)?);
    let first = draft.day();
    let day = first.plus(searched - 1);
    let trip = |day: Day, departure: usize| Trip { day, departure, arrival: departure + 110 };
    let early = 60 * draft.between(6, 12);
    let trips =
        [trip(day, early), trip(Day(first.0 - 1), early + 40), trip(day.plus(2), early + 15)];
    draft.flights(&from, &to, &trips)?;
    let title = draft.title()?;
    let (start, minutes) = draft.span();
    let place = draft.place_to_meet()?;
    let guests = draft.guests(2)?;
    draft.set("from", from.as_str());
    draft.set("to", to.as_str());
    draft.set("day", first.words());
    draft.say("first_flight")?;
    for later in 0..searched {
        search(draft, &from, &to, first.plus(later), Need::Choice)?;
    }
    draft.add_meeting(&Meeting { title, day, start, minutes, place, guests })?;
    draft.publish(Found::Day(day.plus(1)), "known_day_after")
}

/// Books a meeting at the latest landing before a deadline, among `count` flights.
pub(super) fn last_landing(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let (from, to) = (draft.name(Kind::City)?, draft.name(Kind::City)?);
    let day = draft.when();
    let arrivals = draft.distinct(count, 100, 260);
    let mut trips = Vec::new();
    for arrival in &arrivals {
        let arrival = 5 * arrival;
        trips.push(Trip { day, departure: arrival - 5 * draft.between(15, 60), arrival });
    }
    // Midway between the last but one and the last arrival, on a full minute.
    let start = arrivals[count - 2] * 5;
    let deadline = start + (arrivals[count - 1] * 5 - start).div_ceil(2);
    draft.shuffle(&mut trips);
    draft.flights(&from, &to, &trips)?;
    let title = draft.title()?;
    let minutes = 15 * draft.between(1, 4);
    let place = draft.place_to_meet()?;
    let guests = draft.guests(2)?;
    draft.set("from", from.as_str());
    draft.set("to", to.as_str());
    draft.set("deadline", clock(deadline));
    draft.set("minutes", minutes.to_string());
    draft.say("last_landing")?;
    search(draft, &from, &to, day, Need::Value)?;
    draft.add_meeting(&Meeting { title, day, start, minutes, place, guests })
}

/// Books a meeting at the earliest landing of flights from `count` cities.
pub(super) fn earliest_arrival(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let to = draft.name(Kind::City)?;
    let day = draft.when();
    let mut arrivals = draft.distinct(2 * count, 100, 260);
    let start = 5 * arrivals[0];
    draft.shuffle(&mut arrivals);
    let mut cities = Vec::new();
    for pair in arrivals.chunks(2) {
        let city = draft.name(Kind::City)?;
        let mut trips = Vec::new();
        for arrival in pair {
            let length = 5 * draft.between(12, 80);
            trips.push(Trip { day, departure: 5 * arrival - length, arrival: 5 * arrival });
        }
        draft.flights(&city, &to, &trips)?;
        cities.push(city);
    }
    let title = draft.title()?;
    let minutes = 15 * draft.between(1, 4);
    let place = draft.place_to_meet()?;
    let guests = draft.guests(2)?;
    draft.set("cities", list(&cities));
    draft.set("to", to.as_str());
    draft.set("minutes", minutes.to_string());
    draft.say("earliest_arrival")?;
    for city in &cities {
        search(draft, city, &to, day, Need::Choice)?;
    }
    draft.add_meeting(&Meeting { title, day, start, minutes, place, guests })
}

/// Reports how long the longest available of `count` hotels stays available.
pub(super) fn hotel_until(draft: &mut Draft<'_>, count: usize, _: usize) -> Result<(), Error> {
    let city = draft.name(Kind::City)?;
    let from = draft.day();
    let to = from.plus(draft.between(2, 4));
    let mut spans = draft.distinct(count, 1, 25);
    let last = to.plus(spans[count - 1]);
    draft.shuffle(&mut spans);
    for extra in spans {
        let earlier = draft.between(0, 5);
        draft.hotel(&city, Day(from.0 - earlier), to.plus(extra))?;
    }
    // One that is free for longer, but not on the first night.
    draft.hotel(&city, from.plus(1), to.plus(30))?;
    draft.set("city", city.as_str());
    draft.set("first", from.words());
    draft.set("last", to.words());
    draft.say("hotel_until")?;
    search_hotels(draft, &city, (from, to), Need::Value)?;
    draft.tell.push(last.fact());
    draft.publish(Found::Day(last), "known_day_hotel")
}
