//! PersonalInfoUpdate: set the postal address of a profile.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::{Value, json};

/// The address has to match in full: with word overlap the house next door would
/// count as the right one.
pub const API: Api = Api {
    name: "PersonalInfoUpdate",
    suite: Suite::Planning,
    domain: Domain::Account,
    description: "Updates a user's personal information with a new home address, for example \
                  after moving house.",
    hints: &[
        "I've moved to a new flat",
        "change of address",
        "save my new home address",
        "update the personal details on my profile",
        "edit a user's personal information",
        "my street has changed",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Profile],
    writes: &[TableName::Profile],
    errors: &[
        "There is no profile of this name.",
        "The password is not the profile's.",
        "The address is empty.",
    ],
    examples: &[
        Example {
            arguments: r#"{"username": "Jonas Lindqvist", "password": "Fjord1987", "address": "Karl Johansgatan 61, 414 55 Gothenburg"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"username": "Jonas Lindqvist", "password": "Fjord1987", "address": " "}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The user's name.
        #[rule(CaseFolded)]
        username: String,
        /// The user's password.
        #[rule(Exact)]
        password: String,
        /// The new postal address.
        #[rule(Place)]
        address: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let key = super::profile_of(world, &args.username, &args.password)?;
    let address = filled("address", &args.address)?.to_owned();
    world.profile.update(&key, |profile| profile.address = Some(address));
    Ok(json!({ "status": "success" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    fn moved(username: &str, password: &str, address: &str) -> Value {
        json!({"username": username, "password": password, "address": address})
    }

    #[test]
    fn writes_the_address_and_nothing_else() {
        let mut world = world();
        let mut expected = world.profile.get("Jonas Lindqvist").unwrap().clone();
        expected.address = Some("Karl Johansgatan 61".to_owned());
        let call = moved("Jonas Lindqvist", "Fjord1987", " Karl Johansgatan 61 ");
        assert_eq!(output(&API, call, &mut world), json!({"status": "success"}));
        assert_eq!(world.profile.get("Jonas Lindqvist"), Some(&expected));
    }

    #[test]
    fn refuses_strangers_and_blank_addresses() {
        let mut world = world();
        exception(&API, moved("Nobody Atall", "Fjord1987", "Quay 1"), &mut world);
        exception(&API, moved("Jonas Lindqvist", "fjord1987", "Quay 1"), &mut world);
        let message = exception(&API, moved("Jonas Lindqvist", "Fjord1987", "\t"), &mut world);
        assert_eq!(message, "address must not be empty.");
    }

    #[test]
    fn the_address_matches_in_any_case_but_as_a_whole() {
        let gold = moved("Jonas Lindqvist", "Fjord1987", "Karl Johansgatan 61, Gothenburg");
        let folded = moved("jonas lindqvist", "Fjord1987", "karl johansgatan 61, gothenburg");
        assert!(same(&API, gold.clone(), folded));
        let next_door = moved("Jonas Lindqvist", "Fjord1987", "Karl Johansgatan 63, Gothenburg");
        assert!(!same(&API, gold, next_door));
    }
}
