//! UserPosts: the posts of a user of the social network.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "UserPosts",
    suite: Suite::Planning,
    domain: Domain::Entertainment,
    description: "Lists what a user has posted on social media: the post ids of everything that \
                  the user published, by user id.",
    hints: &[
        "show everything I've posted",
        "list a user's posts",
        "find the ids of someone's posts",
        "what has this person shared online",
        "my social media posts",
        "all updates published by a user",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "post_ids",
        label: "list",
        description: "The numbers of the user's posts, oldest first.",
    }],
    reads: &[TableName::UserPosts],
    writes: &[],
    errors: &["No user has the number."],
    examples: &[
        Example { arguments: r#"{"user_id": 1001}"#, succeeds: true },
        Example { arguments: r#"{"user_id": 9}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The number of the user.
        #[rule(Exact)]
        user_id: i64,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let key = args.user_id.to_string();
    let posts =
        world.user_posts.get(&key).ok_or_else(|| ApiError::not_found("user with the id", key))?;
    Ok(json!({ "post_ids": posts }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn lists_posts_that_exist() {
        let mut world = world();
        let posts = output(&API, json!({"user_id": "1001"}), &mut world);
        let posts = posts["post_ids"].as_array().unwrap();
        assert!(!posts.is_empty());
        assert!(posts.iter().all(|post| world.post.contains(&post.to_string())));
    }

    #[test]
    fn refuses_an_unknown_user() {
        let mut world = world();
        let message = exception(&API, json!({"user_id": 9}), &mut world);
        assert_eq!(message, "There is no user with the id \"9\".");
        exception(&API, json!({"user_id": i64::MIN}), &mut world);
    }

    #[test]
    fn another_number_is_another_user() {
        let gold = json!({"user_id": 1001});
        assert!(same(&API, gold.clone(), json!({"user_id": "1001"})));
        assert!(!same(&API, gold, json!({"user_id": 1002})));
    }
}
