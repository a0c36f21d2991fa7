//! ClothingRecommendation: what to wear in given weather, by fixed rules.
//!
//! Temperature picks the basic clothes (see [`basics`]); rain, snow, wind and sun
//! in the weather conditions add to them, and so does humid heat. Humidity is a
//! fraction from 0 to 1 or a percentage above 1 up to 100.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::World;
use serde_json::{Value, json};

/// Plausible outdoor temperatures, in degrees Celsius.
const TEMPERATURES: std::ops::RangeInclusive<f64> = -90.0..=60.0;
/// The least humidity, from 0 to 1, at which heat is muggy.
const HUMID: f64 = 0.7;
/// The least temperature, in degrees Celsius, at which sun and humidity add to the clothes.
const WARM: f64 = 20.0;

pub const API: Api = Api {
    name: "ClothingRecommendation",
    suite: Suite::Planning,
    domain: Domain::Travel,
    description: "Recommends clothes to wear, an outfit that suits the temperature, humidity \
                  and weather conditions.",
    hints: &[
        "what to pack for the weather",
        "suggest an outfit",
        "how to dress for a cold day",
        "clothes for rain or sunshine",
        "is it cold enough for a coat",
        "dress code for the temperature outside",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "clothing_options",
        label: "list",
        description: "Texts, each a garment or accessory.",
    }],
    reads: &[],
    writes: &[],
    errors: &[
        "The temperature is not between -90 and 60 degrees.",
        "The humidity is below 0 or above 100.",
        "The weather conditions are empty.",
    ],
    examples: &[
        Example {
            arguments: r#"{"temperature": 12.5, "humidity": 0.82, "weather_conditions": "Light rain"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"temperature": 12.5, "humidity": 140, "weather_conditions": "Light rain"}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// Degrees Celsius.
        #[rule(Number)]
        temperature: f64,
        /// Relative humidity, from 0 to 1 or in percent.
        #[rule(Share)]
        humidity: f64,
        /// The weather in words, for example light rain.
        #[rule(Facts)]
        weather_conditions: String,
    }
}

fn call(args: Args, _world: &mut World) -> Result<Value, ApiError> {
    if !TEMPERATURES.contains(&args.temperature) {
        return Err(ApiError::invalid("temperature", "it lies between -90 and 60 degrees Celsius"));
    }
    if !(0.0..=100.0).contains(&args.humidity) {
        return Err(ApiError::invalid("humidity", "it lies between 0 and 1, or 0 and 100 percent"));
    }
    let conditions = filled("weather_conditions", &args.weather_conditions)?.to_lowercase();
    let humidity = if args.humidity > 1.0 { args.humidity / 100.0 } else { args.humidity };
    let mut clothes = basics(args.temperature).to_vec();
    clothes.extend(extras(args.temperature, humidity, &conditions));
    Ok(json!({ "clothing_options": clothes }))
}

/// The basic clothes for a temperature in degrees Celsius.
fn basics(temperature: f64) -> &'static [&'static str] {
    match temperature {
        t if t < 0.0 => &["Down coat", "Thermal underwear", "Wool hat", "Gloves"],
        t if t < 10.0 => &["Winter coat", "Wool sweater", "Scarf"],
        t if t < 20.0 => &["Light jacket", "Long-sleeved shirt", "Trousers"],
        t if t < 28.0 => &["T-shirt", "Light trousers"],
        _ => &["Linen shirt", "Shorts", "Sandals"],
    }
}

/// The additions for weather and humidity.
fn extras(temperature: f64, humidity: f64, conditions: &str) -> Vec<&'static str> {
    let any = |words: &[&str]| words.iter().any(|word| conditions.contains(word));
    let warm = temperature >= WARM;
    let mut extras = Vec::new();
    if any(&["rain", "drizzl", "shower", "storm"]) && !conditions.contains("sandstorm") {
        extras.extend(["Waterproof jacket", "Umbrella"]);
    }
    if any(&["snow", "sleet", "blizzard", "hail"]) {
        extras.extend(["Waterproof boots", "Warm socks"]);
    }
    if any(&["wind", "gale", "breez", "gust"]) {
        extras.push("Windbreaker");
    }
    if warm && any(&["sun", "clear"]) {
        extras.extend(["Sunglasses", "Sun hat"]);
    }
    if warm && humidity >= HUMID {
        extras.push("Breathable cotton top");
    }
    extras
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{does_the_same, exception, output, same, world};

    fn weather(temperature: f64, humidity: f64, conditions: &str) -> Value {
        json!({"temperature": temperature, "humidity": humidity, "weather_conditions": conditions})
    }

    fn clothes(temperature: f64, humidity: f64, conditions: &str) -> Vec<String> {
        let call = weather(temperature, humidity, conditions);
        let found = output(&API, call, &mut world());
        serde_json::from_value(found["clothing_options"].clone()).unwrap()
    }

    #[test]
    fn the_temperature_picks_the_basics_from_its_lower_end_on() {
        for (temperature, expected) in [
            (-0.1, "Down coat"),
            (0.0, "Winter coat"),
            (10.0, "Light jacket"),
            (20.0, "T-shirt"),
            (28.0, "Linen shirt"),
        ] {
            assert_eq!(clothes(temperature, 0.4, "Cloudy")[0], expected, "{temperature}");
        }
    }

    #[test]
    fn words_and_damp_add_to_them() {
        let has = |clothes: Vec<String>, one: &str| clothes.iter().any(|other| other == one);
        assert!(has(clothes(12.0, 0.5, "Light RAIN"), "Umbrella"));
        assert!(has(clothes(-4.0, 0.5, "Heavy snow"), "Waterproof boots"));
        assert!(has(clothes(14.0, 0.5, "Sunny and windy"), "Windbreaker"));
        assert!(has(clothes(25.0, 0.5, "Sunny"), "Sunglasses"));
        assert!(!has(clothes(5.0, 0.5, "Sunny"), "Sunglasses"));
        assert_eq!(clothes(25.0, 0.7, "Cloudy"), clothes(25.0, 70.0, "Cloudy"));
        assert_ne!(clothes(25.0, 0.7, "Cloudy"), clothes(25.0, 0.69, "Cloudy"));
    }

    #[test]
    fn refuses_weather_that_does_not_exist() {
        let mut world = world();
        assert!(exception(&API, weather(1e9, 0.5, "Clear"), &mut world).contains("temperature"));
        assert!(exception(&API, weather(9.0, 140.0, "Clear"), &mut world).contains("humidity"));
        assert!(exception(&API, weather(9.0, 0.5, " "), &mut world).contains("weather_conditions"));
    }

    #[test]
    fn other_words_count_when_the_clothes_are_the_same() {
        let gold = weather(12.5, 0.82, "Light rain");
        assert!(does_the_same(&API, gold.clone(), weather(12.5, 82.0, "rainy")));
        assert!(!same(&API, gold.clone(), weather(12.5, 0.82, "Clear")));
        assert!(!same(&API, gold, weather(22.5, 0.82, "Light rain")));
    }
}
