//! PlayMusic: the URL that starts the music player.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::World;
use serde_json::Value;

pub const API: Api = Api {
    name: "PlayMusic",
    suite: Suite::Dialogue,
    domain: Domain::Entertainment,
    description: "Starts the music player and plays the song, track or piece of music with the \
                  given title.",
    hints: &[
        "put some music on",
        "I'd like to hear a tune",
        "start a track on the speaker",
        "play my favourite album",
        "listen to music",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "status",
        label: "str",
        description: "The address that the player opens: music:// and the title in lower case.",
    }],
    reads: &[],
    writes: &[],
    errors: &["The title is empty."],
    examples: &[
        Example { arguments: r#"{"music_name": "Lanterns on the Quay"}"#, succeeds: true },
        Example { arguments: r#"{"music_name": " "}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The title of the song or piece.
        #[rule(Key)]
        music_name: String,
    }
}

fn call(args: Args, _world: &mut World) -> Result<Value, ApiError> {
    let title = filled("music_name", &args.music_name)?.to_lowercase();
    Ok(Value::from(format!("music://{title}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    #[test]
    fn gives_the_players_address() {
        let call = json!({"music_name": " Lanterns on the Quay "});
        assert_eq!(output(&API, call, &mut world()), "music://lanterns on the quay");
    }

    #[test]
    fn refuses_a_blank_title() {
        let message = exception(&API, json!({"music_name": "\t"}), &mut world());
        assert_eq!(message, "music_name must not be empty.");
    }

    #[test]
    fn another_title_is_another_song() {
        let gold = json!({"music_name": "Lanterns on the Quay"});
        assert!(same(&API, gold.clone(), json!({"music_name": "lanterns on the quay"})));
        assert!(!same(&API, gold, json!({"music_name": "Lanterns on the Hill"})));
    }
}
