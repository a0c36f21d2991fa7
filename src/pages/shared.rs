//! `#/shared?…`: a result claimed by a link, clearly marked as a claim.

use crate::components::results_table::ResultsTable;
use crate::platform::fetch;
use crate::session::claim::Claim;
use crate::session::fill::Refused;
use crate::session::retriever::RetrieverChoice;
use crate::session::{Choice, Route};
use crate::t;
use crate::texts::{self, translated};
use dataset::Split;
use leptos::prelude::*;
use record::options::{MAX_TOKENS, OPTIONS, PROTOCOL, SEED, TEMPERATURE, TRIALS};

/// The page.
#[component]
pub fn SharedPage(
    /// The query.
    query: String,
) -> impl IntoView {
    match Claim::read(&query, &fetch::origin(), texts::current()) {
        Ok(claim) => claimed(claim).into_any(),
        Err(refused) => damaged(refused).into_any(),
    }
}

fn claimed(claim: Claim) -> impl IntoView {
    let again = claim.again();
    let caption = t!(
        "{model}, protocol {protocol}, profile {profile}, as claimed in the link",
        model = claim.model(texts::current()),
        protocol = claim.form.protocol().as_str(),
        profile = claim.summary.profile.as_str()
    );
    let unfinished = (!claim.finished).then(|| {
        view! { <p class="warn">{t!("The run was cancelled before its end.")}</p> }
    });
    let digest = match claim.digest.is_empty() {
        true => view! { <p>{t!("The link names no record, so nothing supports its numbers.")}</p> }
            .into_any(),
        false => view! {
            <p>{t!("Record digest: ")} <code class="digest">{claim.digest.clone()}</code> "."</p>
        }
        .into_any(),
    };
    let facts = facts(&claim);
    let summary = claim.summary;
    view! {
        <div class="intro">
            <h1>{t!("A shared result")}</h1>
        </div>
        <section class="claim" data-test="claim" aria-label=t!("About this page")>
            <h2>{t!("These numbers are unverified claims")}</h2>
            <p>
                {t!("They come from the link, which anyone can write. Only the run's record can prove them: \
                ask for the file and ")}
                <a href=Route::Verify.href()>{t!("verify it here")}</a>
                {t!(", which replays every call.")}
            </p>
            {digest}
        </section>
        <section class="results" aria-label=t!("Claimed numbers")>
            {unfinished}
            <ResultsTable summary=Signal::stored(summary) caption=Signal::stored(caption)/>
        </section>
        <section class="panel" aria-label=t!("Configuration")>
            <h2>{t!("Configuration")}</h2>
            {facts}
            <p><a class="button" data-test="claim-again" href=again>{t!("Use these settings")}</a></p>
        </section>
    }
}

fn facts(claim: &Claim) -> impl IntoView + use<> {
    let form = &claim.form;
    let abilities: Vec<&str> = form.abilities.iter().map(|it| translated(it.title())).collect();
    let mut facts = vec![(t!("Model"), claim.model(texts::current()).to_owned())];
    if form.choice == Choice::Endpoint {
        facts.push((t!("Server"), translated(form.preset.facts().title).to_owned()));
    }
    facts.push((t!("Data"), claim.pack.clone()));
    facts.push((t!("Dialogues"), translated(form.split.title()).to_owned()));
    if form.split == Split::Standard {
        facts.push((t!("Abilities"), abilities.join(", ")));
    }
    facts.push((t!("Amount"), form.amount.title(texts::current()).to_owned()));
    let draft = form.draft();
    for option in OPTIONS.into_iter().filter(|it| (it.counts)(&draft)) {
        let text = form.option(option);
        let told = [PROTOCOL.name, SEED.name, TRIALS.name, TEMPERATURE.name, MAX_TOKENS.name];
        if told.contains(&option.name) || option.differs(&draft) {
            let text = if text.is_empty() { t!("endpoint default").to_owned() } else { text };
            facts.push((translated(option.label), text));
        }
    }
    if form.searches() && form.asking.retriever != RetrieverChoice::default() {
        facts.push((t!("Retriever"), form.asking.retriever.title(texts::current()).to_owned()));
    }
    let prompts = if claim.custom_prompts { t!("custom, not in the link") } else { t!("default") };
    facts.push((t!("Prompts"), prompts.to_owned()));
    let facts = facts.into_iter().map(|(name, value)| view! { <dt>{name}</dt><dd>{value}</dd> });
    view! { <dl class="terms">{facts.collect_view()}</dl> }
}

fn damaged(refused: Vec<Refused>) -> impl IntoView {
    let list =
        refused.into_iter().map(|it| view! { <li><code>{it.name}</code> ": " {it.why}</li> });
    view! {
        <h1>{t!("This link can't be read")}</h1>
        <section class="alert" role="alert" data-test="claim-refused">
            <p>{t!("It was truncated or altered. Ask for a new link or, better, for the record file.")}</p>
            <ul class="refused">{list.collect_view()}</ul>
        </section>
    }
}
