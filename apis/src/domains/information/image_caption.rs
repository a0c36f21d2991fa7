//! ImageCaption: a caption for an image, from recorded ones.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::Value;

pub const API: Api = Api {
    name: "ImageCaption",
    suite: Suite::Dialogue,
    domain: Domain::Information,
    description: "Describes what a picture or photo shows and returns a caption for the image.",
    hints: &[
        "what is in this picture",
        "write a caption for an image",
        "tell me what the photo shows",
        "I can't see the image, explain it to me",
        "recognise what's in a picture",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "caption", label: "str", description: "The caption of the image." }],
    reads: &[TableName::ImageCaptioning],
    writes: &[],
    errors: &["The address does not end in .jpg, .jpeg or .png.", "There is no such image."],
    examples: &[
        Example {
            arguments: r#"{"url": "https://photos.harbourlight.example/pier-at-dawn.jpg"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"url": "https://photos.harbourlight.example/pier-at-dawn.tiff"}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The address of the image; it ends in .jpg, .jpeg or .png.
        #[rule(Trimmed)]
        url: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let url = filled("url", &args.url)?;
    if !super::ends_in(url, &[".jpg", ".jpeg", ".png"]) {
        return Err(ApiError::invalid("url", "an image's address ends in .jpg, .jpeg or .png"));
    }
    let image =
        world.image_captioning.get(url).ok_or_else(|| ApiError::not_found("image at", url))?;
    Ok(Value::from(image.caption.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    const PIER: &str = "https://photos.harbourlight.example/pier-at-dawn.jpg";

    #[test]
    fn gives_the_caption() {
        let caption = output(&API, json!({"url": format!(" {PIER}")}), &mut world());
        assert!(caption.as_str().unwrap().contains("pier"));
    }

    #[test]
    fn refuses_other_files_and_unknown_images() {
        let mut world = world();
        assert!(
            exception(&API, json!({"url": "https://a.example/b.gif"}), &mut world).contains(".png")
        );
        let message = exception(&API, json!({"url": "https://a.example/b.PNG"}), &mut world);
        assert_eq!(message, "There is no image at \"https://a.example/b.PNG\".");
    }

    #[test]
    fn another_image_is_another_call() {
        let other = "https://photos.harbourlight.example/fishing-nets.jpg";
        let gold = json!({"url": PIER});
        assert!(same(&API, gold.clone(), json!({"url": format!("{PIER} ")})));
        assert!(!same(&API, gold, json!({"url": other})));
    }
}
