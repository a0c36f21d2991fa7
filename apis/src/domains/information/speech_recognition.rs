//! SpeechRecognition: the transcript of a recording, from recorded ones.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::Value;

pub const API: Api = Api {
    name: "SpeechRecognition",
    suite: Suite::Dialogue,
    domain: Domain::Information,
    description: "Transcribes spoken words from an audio recording or voice memo into text.",
    hints: &[
        "transcribe a voice message",
        "turn speech into text",
        "what is said in this recording",
        "write down an audio file",
        "convert a voice note to text",
        "listen to a clip and tell me what they say",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "transcript", label: "str", description: "What is said." }],
    reads: &[TableName::SpeechRecognition],
    writes: &[],
    errors: &["The address does not end in .wav.", "There is no such recording."],
    examples: &[
        Example {
            arguments: r#"{"url": "https://audio.voicebox.example/memo/dentist-callback.wav"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"url": "https://audio.voicebox.example/memo/dentist-callback.mp3"}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The address of the recording; it ends in .wav.
        #[rule(Trimmed)]
        url: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let url = filled("url", &args.url)?;
    if !super::ends_in(url, &[".wav"]) {
        return Err(ApiError::invalid("url", "a recording's address ends in .wav"));
    }
    let transcript = world
        .speech_recognition
        .get(url)
        .ok_or_else(|| ApiError::not_found("recording at", url))?;
    Ok(Value::from(transcript.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    const MEMO: &str = "https://audio.voicebox.example/memo/dentist-callback.wav";

    #[test]
    fn gives_what_is_said() {
        let text = output(&API, json!({"url": MEMO}), &mut world());
        assert!(text.as_str().unwrap().contains("dentist"));
    }

    #[test]
    fn refuses_other_files_and_unknown_recordings() {
        let mut world = world();
        assert!(
            exception(&API, json!({"url": "https://a.example/b.mp3"}), &mut world).contains(".wav")
        );
        let message = exception(&API, json!({"url": "https://a.example/b.wav"}), &mut world);
        assert_eq!(message, "There is no recording at \"https://a.example/b.wav\".");
    }

    #[test]
    fn another_recording_is_another_call() {
        let other = "https://audio.voicebox.example/memo/parking-spot.wav";
        let gold = json!({"url": MEMO});
        assert!(same(&API, gold.clone(), json!({"url": format!(" {MEMO}")})));
        assert!(!same(&API, gold, json!({"url": other})));
    }
}
