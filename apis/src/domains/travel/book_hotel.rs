//! BookHotel: book rooms in a hotel for a stay.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{Stay, TableName, World};
use crate::when::Date;
use serde_json::Value;

/// Adults per room.
const ADULTS_A_ROOM: i64 = 2;

pub const API: Api = Api {
    name: "BookHotel",
    suite: Suite::Dialogue,
    domain: Domain::Travel,
    description: "Books rooms in a hotel from the check-in day to the check-out day for the \
                  given numbers of adults and children.",
    hints: &[
        "find us somewhere to stay the night",
        "hotel reservation for the weekend",
        "accommodation for two adults and a child",
        "make a booking with check-in and check-out dates",
        "book a room for two nights",
        "reserve hotel rooms",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "id", label: "str", description: "The number of the booking." }],
    reads: &[TableName::Hotel],
    writes: &[TableName::Hotel],
    errors: &[
        "The name is empty.",
        "The departure is not after the arrival.",
        "There is no room or no adult, or a count is negative.",
        "There are more than two adults to a room.",
        "The hotel is taken on one of the nights.",
    ],
    examples: &[
        Example {
            arguments: r#"{"hotel_name": "Seabright Inn", "check_in_time": "2024-07-02", "check_out_time": "2024-07-06", "room_count": 1, "adult_count": 2, "child_count": 1}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"hotel_name": "Seabright Inn", "check_in_time": "2024-07-06", "check_out_time": "2024-07-02", "room_count": 1, "adult_count": 2, "child_count": 1}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The name of the hotel.
        #[rule(Named)]
        hotel_name: String,
        /// The day of arrival.
        #[rule(Date)]
        check_in_time: Date,
        /// The day of departure.
        #[rule(Date)]
        check_out_time: Date,
        /// How many rooms.
        #[rule(Exact)]
        room_count: i64,
        /// How many adults.
        #[rule(Exact)]
        adult_count: i64,
        /// How many children.
        #[rule(Exact)]
        child_count: i64,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let hotel_name = filled("hotel_name", &args.hotel_name)?.to_owned();
    if args.check_out_time <= args.check_in_time {
        return Err(ApiError::invalid("check_out_time", "it is not after the day of arrival"));
    }
    if args.room_count < 1 || args.adult_count < 1 || args.child_count < 0 {
        return Err(ApiError::Refused(
            "A booking needs at least one room and one adult, and no negative count.".to_owned(),
        ));
    }
    let sleeps = args.room_count.saturating_mul(ADULTS_A_ROOM);
    if args.adult_count > sleeps {
        return Err(ApiError::invalid(
            "room_count",
            format!("{sleeps} adults at the most fit, {} were given", args.adult_count),
        ));
    }
    let taken = world.hotel.find(|stay| {
        stay.hotel_name.eq_ignore_ascii_case(&hotel_name)
            && stay.check_in_time < args.check_out_time
            && args.check_in_time < stay.check_out_time
    });
    if let Some((_, stay)) = taken {
        return Err(ApiError::Refused(format!(
            "{} is taken from {} to {}.",
            stay.hotel_name, stay.check_in_time, stay.check_out_time
        )));
    }
    let id = world.hotel.next_key();
    let stay = Stay {
        hotel_name,
        check_in_time: args.check_in_time,
        check_out_time: args.check_out_time,
        room_count: args.room_count,
        adult_count: args.adult_count,
        child_count: args.child_count,
    };
    world.hotel.insert(id.clone(), stay);
    Ok(Value::from(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn stay(hotel: &str, from: &str, to: &str, rooms: i64, adults: i64) -> Value {
        json!({"hotel_name": hotel, "check_in_time": from, "check_out_time": to,
               "room_count": rooms, "adult_count": adults, "child_count": 0})
    }

    #[test]
    fn books_and_returns_the_number() {
        let mut world = world();
        let next = world.hotel.next_key();
        let booked =
            output(&API, stay("Seabright Inn", "2024-07-02", "2024-07-06", 1, 2), &mut world);
        assert_eq!(booked, next);
        // The day of departure is free for another stay.
        output(&API, stay("Seabright Inn", "2024-07-06", "2024-07-07", 1, 2), &mut world);
    }

    #[test]
    fn refuses_what_overlaps_even_when_it_encloses() {
        let mut world = world();
        output(&API, stay("Seabright Inn", "2024-07-02", "2024-07-06", 1, 2), &mut world);
        for (from, to) in [("2024-07-05", "2024-07-08"), ("2024-07-01", "2024-07-20")] {
            let message = exception(&API, stay("seabright inn", from, to, 1, 1), &mut world);
            assert!(message.contains("taken from 2024-07-02 to 2024-07-06"), "{message}");
        }
    }

    #[test]
    fn refuses_impossible_stays() {
        let mut world = world();
        let back = stay("Seabright Inn", "2024-07-06", "2024-07-06", 1, 1);
        assert!(exception(&API, back, &mut world).contains("check_out_time"));
        let crowd = stay("Seabright Inn", "2024-07-02", "2024-07-06", 1, 3);
        assert!(exception(&API, crowd, &mut world).contains("room_count"));
        let nobody = stay("Seabright Inn", "2024-07-02", "2024-07-06", 1, 0);
        exception(&API, nobody, &mut world);
    }

    #[test]
    fn the_name_matches_in_any_case_and_counts_exactly() {
        let gold = stay("Seabright Inn", "2024-07-02", "2024-07-06", 1, 2);
        assert!(same(&API, gold.clone(), stay("seabright inn", "2024/07/02", "2024-07-06", 1, 2)));
        assert!(!same(&API, gold, stay("Seabright Inn", "2024-07-02", "2024-07-06", 2, 2)));
    }
}
