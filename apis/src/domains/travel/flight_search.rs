//! FlightSearch: the flights from one city to another that leave on a day.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{Flight, TableName, World};
use crate::when::Date;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub const API: Api = Api {
    name: "FlightSearch",
    suite: Suite::Planning,
    domain: Domain::Travel,
    description: "Finds flights by plane from one city to another on the day of departure.",
    hints: &[
        "which planes fly there on Monday",
        "cheap air tickets between two cities",
        "how can I get there by air",
        "departure times of flights",
        "look for flights on a date",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "flights",
        label: "list",
        description: "Records in order of departure, each with source, destination, \
                      departure_date and arrival_date (local dates and times); empty when none \
                      leaves on the day.",
    }],
    reads: &[TableName::Flight, TableName::Synonym],
    writes: &[],
    errors: &[
        "A city is empty.",
        "Departure and arrival are the same city.",
        "There is no flight from the first city to the second on any day.",
    ],
    examples: &[
        Example {
            arguments: r#"{"source": "Lisbon", "destination": "Nairobi", "travel_dates": "2024-05-21"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"source": "Lisbon, Portugal", "destination": "Nairobi, Kenya", "travel_dates": "2024-05-21"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"source": "Atlantis", "destination": "Nairobi", "travel_dates": "2024-05-21"}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The city of departure.
        #[rule(Key)]
        source: String,
        /// The city of arrival.
        #[rule(Key)]
        destination: String,
        /// The day of departure.
        #[rule(Date)]
        travel_dates: Date,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let city = |name| super::place_name(world.key_of(TableName::Place, name));
    let source = city(filled("source", &args.source)?);
    let destination = city(filled("destination", &args.destination)?);
    if source == destination {
        return Err(ApiError::invalid("destination", "it is the city of departure"));
    }
    // Many flights name the same city, and finding a city reads all synonyms.
    let flights = || world.flight.iter().map(|(_, flight)| flight);
    let names: BTreeSet<&str> =
        flights().flat_map(|it| [it.source.as_str(), it.destination.as_str()]).collect();
    let cities: BTreeMap<&str, String> = names.into_iter().map(|name| (name, city(name))).collect();
    let is = |name: &str, wanted: &str| cities.get(name).is_some_and(|city| city == wanted);
    let route: Vec<&Flight> = flights()
        .filter(|flight| is(&flight.source, &source) && is(&flight.destination, &destination))
        .collect();
    if route.is_empty() {
        return Err(ApiError::Refused(format!(
            "There is no flight from {:?} to {:?} on any day.",
            args.source.trim(),
            args.destination.trim()
        )));
    }
    let mut flights: Vec<&Flight> = route
        .into_iter()
        .filter(|flight| flight.departure_date.date() == args.travel_dates)
        .collect();
    flights.sort_by_key(|flight| flight.departure_date.moment());
    Ok(json!({ "flights": flights }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{does_the_same, exception, output, same, world};

    fn flight(source: &str, destination: &str, date: &str) -> Value {
        json!({"source": source, "destination": destination, "travel_dates": date})
    }

    #[test]
    fn finds_the_flights_of_the_day_again_and_again() {
        let mut world = world();
        let call = flight("Lisbon", "Nairobi", "2024-05-21");
        let found = output(&API, call.clone(), &mut world);
        let first = &found["flights"][0];
        assert_eq!(
            (&first["source"], &first["destination"]),
            (&json!("Lisbon"), &json!("Nairobi"))
        );
        assert!(first["departure_date"].as_str().unwrap().starts_with("2024-05-21 "));
        assert_eq!(output(&API, call, &mut world), found);
    }

    #[test]
    fn a_day_without_flights_gives_none() {
        let found = output(&API, flight("lisbon", "nairobi", "2024-02-29"), &mut world());
        assert_eq!(found, json!({"flights": []}));
    }

    #[test]
    fn every_flight_arrives_at_another_place() {
        for (key, flight) in world().flight.iter() {
            assert_ne!(flight.source, flight.destination, "flight {key}");
        }
    }

    #[test]
    fn refuses_routes_that_nobody_flies() {
        let mut world = world();
        let message = exception(&API, flight("Atlantis", "Nairobi", "2024-05-21"), &mut world);
        assert_eq!(message, "There is no flight from \"Atlantis\" to \"Nairobi\" on any day.");
        exception(&API, flight("Lisbon", "LISBON", "2024-05-21"), &mut world);
        exception(&API, flight(" ", "Nairobi", "2024-05-21"), &mut world);
    }

    #[test]
    fn cities_match_in_any_case_and_days_by_date() {
        let gold = flight("Lisbon", "Nairobi", "2024-05-21");
        assert!(same(&API, gold.clone(), flight("lisbon ", "NAIROBI", "2024/05/21")));
        assert!(does_the_same(
            &API,
            gold.clone(),
            flight("Lisbon, Portugal", "Nairobi, Kenya", "2024-05-21")
        ));
        assert!(!same(&API, gold, flight("Lisbon", "Nairobi", "2024-02-29")));
    }
}
