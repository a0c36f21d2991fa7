//! HotelAvailability: free stays in a city that cover the wanted nights.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{HotelOffer, TableName, World};
use crate::when::Date;
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "HotelAvailability",
    suite: Suite::Planning,
    domain: Domain::Travel,
    description: "Checks which hotels in a city are available, with free rooms between \
                  check-in and check-out.",
    hints: &[
        "which hotels have rooms free",
        "check hotel vacancies",
        "is there a room for those dates",
        "find places to stay in a city",
        "look for accommodation between two dates",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "hotels",
        label: "list",
        description: "Records with destination, check_in_date and check_out_date, the span in \
                      which a hotel is free; empty when none is.",
    }],
    reads: &[TableName::HotelOffer, TableName::Synonym],
    writes: &[],
    errors: &[
        "The destination is empty.",
        "The departure is not after the arrival.",
        "There is no hotel in the city.",
    ],
    examples: &[
        Example {
            arguments: r#"{"destination": "Lisbon", "check_in_date": "2024-06-03", "check_out_date": "2024-06-07"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"destination": "Lisbon, Portugal", "check_in_date": "2024-06-03", "check_out_date": "2024-06-07"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"destination": "Lisbon", "check_in_date": "2024-06-07", "check_out_date": "2024-06-03"}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The city to stay in.
        #[rule(Key)]
        destination: String,
        /// The day of arrival.
        #[rule(Date)]
        check_in_date: Date,
        /// The day of departure.
        #[rule(Date)]
        check_out_date: Date,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let destination = filled("destination", &args.destination)?;
    if args.check_out_date <= args.check_in_date {
        return Err(ApiError::invalid("check_out_date", "it is not after the day of arrival"));
    }
    let wanted = super::place_name(world.key_of(TableName::Place, destination));
    let in_city: Vec<&HotelOffer> = world
        .hotel_offer
        .iter()
        .map(|(_, offer)| offer)
        .filter(|offer| super::place_name(&offer.destination) == wanted)
        .collect();
    if in_city.is_empty() {
        return Err(ApiError::not_found("hotel in", destination));
    }
    let free: Vec<&HotelOffer> = in_city
        .into_iter()
        .filter(|offer| covers(offer, args.check_in_date, args.check_out_date))
        .collect();
    Ok(json!({ "hotels": free }))
}

/// Whether the offer covers the whole stay.
fn covers(offer: &HotelOffer, check_in: Date, check_out: Date) -> bool {
    offer.check_in_date <= check_in && check_out <= offer.check_out_date
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    fn stay(destination: &str, from: &str, to: &str) -> Value {
        json!({"destination": destination, "check_in_date": from, "check_out_date": to})
    }

    #[test]
    fn offers_cover_the_whole_stay() {
        let mut world = world();
        let found = output(&API, stay("Lisbon", "2024-06-03", "2024-06-07"), &mut world);
        let hotels = found["hotels"].as_array().unwrap();
        assert!(!hotels.is_empty());
        for hotel in hotels {
            assert_eq!(hotel["destination"], "Lisbon");
            assert!(hotel["check_in_date"].as_str().unwrap() <= "2024-06-03");
            assert!(hotel["check_out_date"].as_str().unwrap() >= "2024-06-07");
        }
        let long = output(&API, stay("lisbon", "2024-01-01", "2024-12-31"), &mut world);
        assert_eq!(long, json!({"hotels": []}));
    }

    #[test]
    fn refuses_stays_without_a_night_and_unknown_cities() {
        let mut world = world();
        let message = exception(&API, stay("Lisbon", "2024-06-07", "2024-06-07"), &mut world);
        assert!(message.contains("check_out_date"), "{message}");
        let message = exception(&API, stay("Atlantis", "2024-06-03", "2024-06-07"), &mut world);
        assert_eq!(message, "There is no hotel in \"Atlantis\".");
        exception(&API, stay("", "2024-06-03", "2024-06-07"), &mut world);
    }

    #[test]
    fn the_city_matches_in_any_case_and_days_by_date() {
        let gold = stay("Lisbon", "2024-06-03", "2024-06-07");
        assert!(same(&API, gold.clone(), stay(" LISBON", "2024/6/3", "2024-06-07")));
        assert!(!same(&API, gold, stay("Lisbon", "2024-01-01", "2024-12-31")));
    }
}
