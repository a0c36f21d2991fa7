//! Geocoding: the coordinates of an address or city.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "Geocoding",
    suite: Suite::Planning,
    domain: Domain::Travel,
    description: "Converts an address or place name into its geographic coordinates, latitude \
                  and longitude.",
    hints: &[
        "get the coordinates of a place",
        "find the latitude and longitude of an address",
        "where exactly is this on the map",
        "turn an address into coordinates",
        "locate a landmark",
        "GPS position of a city",
        "find the position of an address",
    ],
    params: Args::PARAMS,
    returns: &[
        Field {
            name: "latitude",
            label: "float",
            description: "Degrees north of the equator; south is negative.",
        },
        Field {
            name: "longitude",
            label: "float",
            description: "Degrees east of Greenwich; west is negative.",
        },
    ],
    reads: &[TableName::Place, TableName::Synonym],
    writes: &[],
    errors: &["The address is empty or unknown."],
    examples: &[
        Example { arguments: r#"{"address": "Lisbon"}"#, succeeds: true },
        Example { arguments: r#"{"address": "NYC"}"#, succeeds: true },
        Example { arguments: r#"{"address": "1 Nowhere Lane"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The address, landmark or city by any common name, for example Lisbon.
        #[rule(Key)]
        address: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let address = filled("address", &args.address)?;
    let wanted = super::place_name(address);
    let point = world
        .by_name_or_synonym(TableName::Place, &world.place, address, |name| {
            super::place_name(name) == wanted
        })
        .ok_or_else(|| ApiError::not_found("place called", address))?;
    Ok(json!({ "latitude": point.latitude, "longitude": point.longitude }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn a_country_after_a_place_changes_nothing() {
        let mut world = world();
        let synonyms = world.synonym.get("Place").unwrap().clone();
        let places: Vec<String> = world.place.iter().map(|(name, _)| name.to_string()).collect();
        for name in places {
            let names = synonyms.get(&name).cloned().unwrap_or_default();
            let city = name.rsplit(", ").next().unwrap().to_lowercase();
            let longer = names.iter().find(|name| name.contains(&format!("{city}, ")));
            let longer = longer.unwrap_or_else(|| panic!("{name} has no name with its country"));
            let (short, long) = (json!({ "address": name }), json!({ "address": longer }));
            assert_eq!(output(&API, long, &mut world), output(&API, short, &mut world), "{longer}");
        }
        let chennai = output(&API, json!({"address": "Chennai, India"}), &mut world);
        assert_eq!(chennai, output(&API, json!({"address": "Chennai"}), &mut world));
    }

    #[test]
    fn gives_degrees_north_and_east() {
        let mut world = world();
        let lisbon = output(&API, json!({"address": "lisbon"}), &mut world);
        let (north, east) =
            (lisbon["latitude"].as_f64().unwrap(), lisbon["longitude"].as_f64().unwrap());
        assert!((north - 38.7).abs() < 0.1 && (east + 9.1).abs() < 0.1, "{lisbon}");
        let tower = output(&API, json!({"address": "Eiffel Tower Paris"}), &mut world);
        assert_eq!(tower, output(&API, json!({"address": "Eiffel Tower, Paris"}), &mut world));
        assert_eq!(tower, output(&API, json!({"address": "the Eiffel Tower"}), &mut world));
    }

    #[test]
    fn every_place_is_on_the_globe_and_found_by_its_name() {
        let mut world = world();
        for (name, point) in world.clone().place.iter() {
            super::super::check_point(point.latitude, point.longitude).unwrap();
            let found = output(&API, json!({"address": name}), &mut world);
            assert_eq!(found, json!(point), "{name}");
        }
    }

    #[test]
    fn refuses_unknown_addresses() {
        let message = exception(&API, json!({"address": "1 Nowhere Lane"}), &mut world());
        assert_eq!(message, "There is no place called \"1 Nowhere Lane\".");
        exception(&API, json!({"address": "\u{7}"}), &mut world());
    }

    #[test]
    fn another_place_is_another_call() {
        let gold = json!({"address": "Lisbon"});
        assert!(same(&API, gold.clone(), json!({"address": " LISBON"})));
        assert!(!same(&API, gold, json!({"address": "Nairobi"})));
    }
}
