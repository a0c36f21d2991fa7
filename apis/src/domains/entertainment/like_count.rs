//! LikeCount: how many likes a post has.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "LikeCount",
    suite: Suite::Planning,
    domain: Domain::Entertainment,
    description: "Counts the likes of one post: how many people liked it, by post id.",
    hints: &[
        "how many likes did my post get",
        "how popular is this post",
        "count the hearts on a photo",
        "did people like what I posted",
        "which of my posts did best",
        "post engagement",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "like_count", label: "int", description: "How many likes it has." }],
    reads: &[TableName::Post],
    writes: &[],
    errors: &["No post has the number."],
    examples: &[
        Example { arguments: r#"{"post_id": 5001}"#, succeeds: true },
        Example { arguments: r#"{"post_id": 12}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The number of the post.
        #[rule(Exact)]
        post_id: i64,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let key = args.post_id.to_string();
    let likes = world.post.get(&key).ok_or_else(|| ApiError::not_found("post with the id", key))?;
    Ok(json!({ "like_count": likes }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn counts_the_likes() {
        let mut world = world();
        let expected = json!({"like_count": world.post.get("5001").unwrap()});
        assert_eq!(output(&API, json!({"post_id": 5001}), &mut world), expected);
    }

    #[test]
    fn refuses_an_unknown_post() {
        let mut world = world();
        let message = exception(&API, json!({"post_id": 12}), &mut world);
        assert_eq!(message, "There is no post with the id \"12\".");
        exception(&API, json!({"post_id": 5001.5}), &mut world);
    }

    #[test]
    fn every_post_belongs_to_one_user() {
        let world = world();
        let mut owned: Vec<String> =
            world.user_posts.iter().flat_map(|(_, posts)| posts).map(i64::to_string).collect();
        let mut known: Vec<String> = world.post.iter().map(|(key, _)| key.to_owned()).collect();
        owned.sort();
        known.sort();
        assert_eq!(owned, known);
    }

    #[test]
    fn another_number_is_another_post() {
        let gold = json!({"post_id": 5001});
        assert!(same(&API, gold.clone(), json!({"post_id": "5001"})));
        assert!(!same(&API, gold, json!({"post_id": 5006})));
    }
}
