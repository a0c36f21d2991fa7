//! GetWeatherForCoordinates: the weather now at a point, from recorded observations.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use serde_json::{Value, json};

/// The largest distance of an observation in latitude and in longitude, in degrees.
/// Slightly above 0.01, so that a point exactly that far still counts.
const REACH: f64 = 0.01 + 1e-9;

pub const API: Api = Api {
    name: "GetWeatherForCoordinates",
    suite: Suite::Planning,
    domain: Domain::Travel,
    description: "Gets the current weather at a latitude and longitude: temperature, humidity \
                  and sky, such as rain or sun.",
    hints: &[
        "what's the weather like there",
        "is it going to rain",
        "how warm is it outside",
        "weather at these coordinates",
        "humidity and sky conditions",
        "weather report",
        "weather for a given latitude and longitude",
    ],
    params: Args::PARAMS,
    returns: &[
        Field { name: "temperature", label: "float", description: "Degrees Celsius." },
        Field { name: "humidity", label: "float", description: "Relative humidity from 0 to 1." },
        Field { name: "description", label: "str", description: "The weather in a few words." },
    ],
    reads: &[TableName::Weather],
    writes: &[],
    errors: &[
        "The point is not on the globe.",
        "No weather is recorded within a hundredth of a degree.",
    ],
    examples: &[
        Example { arguments: r#"{"latitude": 38.7223, "longitude": -9.1393}"#, succeeds: true },
        Example { arguments: r#"{"latitude": 0.0, "longitude": -150.0}"#, succeeds: false },
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
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    super::check_point(args.latitude, args.longitude)?;
    let away = |latitude: f64, longitude: f64| {
        (latitude - args.latitude).abs().max((longitude - args.longitude).abs())
    };
    let nearest = world
        .weather
        .iter()
        .map(|(_, weather)| (away(weather.latitude, weather.longitude), weather))
        .filter(|(away, _)| *away <= REACH)
        .min_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, weather)| weather)
        .ok_or_else(|| {
            ApiError::not_found(
                "recorded weather at",
                format!("{}, {}", args.latitude, args.longitude),
            )
        })?;
    Ok(json!({
        "temperature": nearest.temperature,
        "humidity": nearest.humidity,
        "description": nearest.description,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    fn at(latitude: f64, longitude: f64) -> Value {
        json!({"latitude": latitude, "longitude": longitude})
    }

    #[test]
    fn gives_the_weather_of_a_place_nearby() {
        let mut world = world();
        let lisbon = output(&API, at(38.7223, -9.1393), &mut world);
        assert!(lisbon["temperature"].is_number() && lisbon["description"].is_string());
        assert_eq!(output(&API, at(38.7173, -9.1293), &mut world), lisbon);
    }

    #[test]
    fn every_place_has_weather() {
        let mut world = world();
        for (name, place) in world.clone().place.iter() {
            let weather = output(&API, at(place.latitude, place.longitude), &mut world);
            let humidity = weather["humidity"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&humidity), "{name}");
        }
    }

    #[test]
    fn refuses_the_open_sea_and_points_off_the_globe() {
        let mut world = world();
        let message = exception(&API, at(0.0, -150.0), &mut world);
        assert_eq!(message, "There is no recorded weather at \"0, -150\".");
        assert!(exception(&API, at(91.0, 0.0), &mut world).contains("latitude"));
        assert!(exception(&API, at(0.0, 1e300), &mut world).contains("longitude"));
        exception(&API, at(38.7423, -9.1393), &mut world);
    }

    #[test]
    fn numbers_may_be_texts_but_not_others() {
        let gold = at(38.7223, -9.1393);
        let text = json!({"latitude": "38.7223", "longitude": "-9.1393"});
        assert!(same(&API, gold.clone(), text));
        assert!(!same(&API, gold, at(-1.2921, 36.8219)));
    }
}
