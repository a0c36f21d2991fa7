//! NearbyRestaurants: restaurants within a distance of a point, in metres.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{Coordinates, TableName, World};
use serde_json::{Value, json};

/// The earth's mean radius in metres.
const EARTH_RADIUS: f64 = 6_371_008.8;

pub const API: Api = Api {
    name: "NearbyRestaurants",
    suite: Suite::Planning,
    domain: Domain::Travel,
    description: "Finds restaurants near a point, places to eat within the given distance in \
                  metres.",
    hints: &[
        "where can we eat around here",
        "find a place for dinner",
        "somewhere to have lunch within walking distance",
        "cafes close to the hotel",
        "good food in the area",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "restaurants",
        label: "list",
        description: "Records, the nearest first, with name and coordinates (a list of \
                      latitude and longitude); empty when none is so near.",
    }],
    reads: &[TableName::Restaurant],
    writes: &[],
    errors: &["The point is not on the globe.", "The distance is not above zero."],
    examples: &[
        Example {
            arguments: r#"{"latitude": 38.7223, "longitude": -9.1393, "distance": 2000}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"latitude": 38.7223, "longitude": -9.1393, "distance": -5}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// Degrees north; south is negative.
        #[rule(Degrees)]
        latitude: f64,
        /// Degrees east; west is negative.
        #[rule(Degrees)]
        longitude: f64,
        /// How far away at most, in metres.
        #[rule(Exact)]
        distance: i64,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    super::check_point(args.latitude, args.longitude)?;
    if args.distance < 1 {
        return Err(ApiError::invalid("distance", "it is a number of metres above zero"));
    }
    let here = Coordinates { latitude: args.latitude, longitude: args.longitude };
    let mut near: Vec<(i64, &str, &Coordinates)> = world
        .restaurant
        .iter()
        .map(|(name, there)| (metres(&here, there), name, there))
        .filter(|(away, _, _)| *away <= args.distance)
        .collect();
    near.sort_by_key(|(away, name, _)| (*away, *name));
    let restaurants: Vec<Value> = near
        .into_iter()
        .map(|(_, name, there)| {
            json!({"coordinates": [there.latitude, there.longitude], "name": name})
        })
        .collect();
    Ok(json!({ "restaurants": restaurants }))
}

/// The great-circle distance (haversine), rounded to metres: platforms can differ in
/// the last bit.
fn metres(a: &Coordinates, b: &Coordinates) -> i64 {
    let half = |from: f64, to: f64| ((to - from).to_radians() / 2.0).sin().powi(2);
    let across = half(a.latitude, b.latitude)
        + a.latitude.to_radians().cos()
            * b.latitude.to_radians().cos()
            * half(a.longitude, b.longitude);
    (2.0 * EARTH_RADIUS * across.clamp(0.0, 1.0).sqrt().asin()).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    fn near(latitude: f64, longitude: f64, distance: i64) -> Value {
        json!({"latitude": latitude, "longitude": longitude, "distance": distance})
    }

    #[test]
    fn distances_are_those_of_the_globe() {
        let point = |latitude, longitude| Coordinates { latitude, longitude };
        assert_eq!(metres(&point(0.0, 0.0), &point(0.0, 0.0)), 0);
        // A sixtieth of a degree along a meridian is a nautical mile.
        assert!((metres(&point(10.0, 5.0), &point(10.0 + 1.0 / 60.0, 5.0)) - 1853).abs() <= 1);
        // Across the date line, the shorter way counts.
        assert!(metres(&point(0.0, 179.99), &point(0.0, -179.99)) < 3_000);
        assert_eq!(metres(&point(90.0, 0.0), &point(-90.0, 0.0)), 20_015_114);
    }

    #[test]
    fn lists_the_nearest_first_and_nothing_farther() {
        let mut world = world();
        let found = output(&API, near(38.7223, -9.1393, 5000), &mut world);
        let found = found["restaurants"].as_array().unwrap();
        assert!(found.len() >= 2);
        let away: Vec<i64> = found
            .iter()
            .map(|one| {
                let there = world.restaurant.get(one["name"].as_str().unwrap()).unwrap();
                metres(&Coordinates { latitude: 38.7223, longitude: -9.1393 }, there)
            })
            .collect();
        assert!(away.is_sorted() && away.iter().all(|away| *away <= 5000), "{away:?}");
        let sea = output(&API, near(0.0, -150.0, 1000), &mut world);
        assert_eq!(sea, json!({"restaurants": []}));
        let all = output(&API, near(0.0, -150.0, i64::from(i32::MAX)), &mut world);
        assert_eq!(all["restaurants"].as_array().unwrap().len(), world.restaurant.len());
    }

    #[test]
    fn refuses_no_distance_and_points_off_the_globe() {
        let mut world = world();
        assert!(exception(&API, near(38.7, -9.1, 0), &mut world).contains("metres"));
        assert!(exception(&API, near(-91.0, -9.1, 10), &mut world).contains("latitude"));
    }

    #[test]
    fn another_distance_counts_when_it_finds_others() {
        let gold = near(38.7223, -9.1393, 5000);
        let text = json!({"latitude": "38.7223", "longitude": "-9.1393", "distance": "5000"});
        assert!(same(&API, gold.clone(), text));
        assert!(!same(&API, gold, near(38.7223, -9.1393, 1)));
    }
}
