//! The picture of the run's result.

use crate::components::result_card::ResultCard;
use crate::session::score::card::{Card, Of, result};
use crate::session::{Run, Source, format, terms};
use crate::state::App;
use crate::t;
use crate::texts;
use dataset::Split;
use leptos::prelude::*;
use record::RunSettings;
use scoring::Profile;

/// The buttons.
#[component]
pub fn RunCard(
    /// The shared state.
    app: App,
    /// Whether the buttons are disabled.
    disabled: Signal<bool>,
) -> impl IntoView {
    let card = move || {
        let profile = app.run.profile.get_untracked();
        app.run.current.with_untracked(|run| card_of(run, profile))
    };
    view! { <ResultCard card disabled/> }
}

fn card_of(run: &Run, profile: Profile) -> Result<Card, String> {
    let none = || t!("No finished run yet.").to_owned();
    let (settings, facts) = run.settings.as_ref().zip(run.facts.as_ref()).ok_or_else(none)?;
    if run.part().is_some() {
        return Err(t!("Not a result: the run is incomplete.").to_owned());
    }
    if run.is_adaptive() {
        return Err(t!("A horizon can't be shared as a link. Share the record file.").to_owned());
    }
    let proof = match run.source {
        Source::File => t!("Record {digest}, opened from a file", digest = facts.digest),
        _ => t!("Record {digest}", digest = facts.digest),
    };
    let of = Of {
        model: format::model(&settings.model, texts::current()),
        what: &what(settings, &facts.pack.title(), profile),
        proof: &proof,
    };
    result(&run.summary(profile), of, texts::current()).ok_or_else(none)
}

/// What was run, in words: `25 % of the dialogues, protocol bracket; count as right: same effect`.
pub fn what(settings: &RunSettings, pack: &str, profile: Profile) -> String {
    let split = if settings.split == Split::Hard { t!(", hard split") } else { "" };
    t!(
        "{subset}{split} of {pack}, protocol {protocol}; count as right: {profile}",
        subset = format::subset(&settings.subset, texts::current()),
        split = split,
        pack = pack,
        protocol = settings.protocol.as_str(),
        profile = terms::profile(profile, texts::current())
    )
}
