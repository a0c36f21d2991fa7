//! OrganizationMembers: the members of an organization.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "OrganizationMembers",
    suite: Suite::Planning,
    domain: Domain::Schedule,
    description: "Lists the members of an organization: the people, employees or staff who belong \
                  to a company, club or team.",
    hints: &[
        "who works at this company",
        "list the members of a team",
        "find the people in a department",
        "members of the club",
        "staff list",
        "who is on the committee",
        "employees of an organization",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "members", label: "list", description: "Full names of the members." }],
    reads: &[TableName::Organization],
    writes: &[],
    errors: &["The name is empty.", "There is no organization of this name."],
    examples: &[
        Example { arguments: r#"{"organization": "Kestrel Freight"}"#, succeeds: true },
        Example { arguments: r#"{"organization": "Moonbase Bakery"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The organization's name, for example Kestrel Freight.
        #[rule(Key)]
        organization: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let name = filled("organization", &args.organization)?;
    let members = super::named(&world.organization, name)
        .ok_or_else(|| ApiError::not_found("organization", name))?;
    Ok(json!({ "members": members }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn lists_the_members_in_any_case_of_the_name() {
        let members = output(&API, json!({"organization": "kestrel freight"}), &mut world());
        assert_eq!(
            members,
            json!({"members":
                ["Dmitri Volkov", "Binh Tran", "Maria Kowalska", "Patrick Mwangi"]})
        );
    }

    #[test]
    fn refuses_an_unknown_organization() {
        let message = exception(&API, json!({"organization": "Moonbase Bakery"}), &mut world());
        assert_eq!(message, "There is no organization \"Moonbase Bakery\".");
    }

    #[test]
    fn another_organization_is_another_call() {
        let gold = json!({"organization": "Kestrel Freight"});
        assert!(same(&API, gold.clone(), json!({"organization": " KESTREL FREIGHT"})));
        assert!(!same(&API, gold, json!({"organization": "Riverbank Choir"})));
    }

    #[test]
    fn every_member_has_a_calendar_and_a_status() {
        let world = world();
        for (name, members) in world.organization.iter() {
            for member in members {
                assert!(world.calendar.contains(member), "{name}: {member}");
                assert!(world.travel_status.contains(member), "{name}: {member}");
            }
        }
    }
}
