//! TravelStatus: what a member of an organization is doing today.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "TravelStatus",
    suite: Suite::Planning,
    domain: Domain::Schedule,
    description: "Tells where a member is at present: travelling, working in the office, working \
                  from home or on leave.",
    hints: &[
        "is she in the office today",
        "where is my colleague right now",
        "is he on a business trip",
        "is anyone on leave",
        "travel status of an employee",
        "can I meet him in person",
        "is someone away at the moment",
        "who is out of the office",
        "where is a member of the team at the moment",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "status",
        label: "str",
        description: "What the member is doing, for example Working from home in Lyon.",
    }],
    reads: &[TableName::TravelStatus],
    writes: &[],
    errors: &["The name is empty.", "Nothing is known of this member."],
    examples: &[
        Example { arguments: r#"{"member_name": "Dmitri Volkov"}"#, succeeds: true },
        Example { arguments: r#"{"member_name": "Captain Nobody"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The member's full name, for example Dmitri Volkov.
        #[rule(Titled)]
        member_name: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let name = filled("member_name", &args.member_name)?;
    let status = super::named(&world.travel_status, name)
        .ok_or_else(|| ApiError::not_found("member named", name))?;
    Ok(json!(status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    fn of(name: &str) -> Value {
        json!({"member_name": name})
    }

    #[test]
    fn tells_the_status_as_text() {
        let mut world = world();
        assert_eq!(output(&API, of("dmitri volkov"), &mut world), "Travelling to Hamburg");
        assert_eq!(output(&API, of("Tomás Herrera"), &mut world), "Working in the Valencia office");
    }

    #[test]
    fn refuses_an_unknown_member() {
        let message = exception(&API, of("Captain Nobody"), &mut world());
        assert_eq!(message, "There is no member named \"Captain Nobody\".");
    }

    #[test]
    fn no_two_members_have_the_same_status() {
        // With equal statuses, a call could not distinguish the members.
        let world = world();
        let mut statuses: Vec<&String> = world.travel_status.iter().map(|row| row.1).collect();
        statuses.sort_unstable();
        statuses.dedup();
        assert_eq!(statuses.len(), world.travel_status.len());
    }

    #[test]
    fn another_member_is_another_call() {
        let gold = of("Dmitri Volkov");
        assert!(same(&API, gold.clone(), of(" DMITRI VOLKOV ")));
        assert!(!same(&API, gold, of("Maria Kowalska")));
    }
}
