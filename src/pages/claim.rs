//! `#/shared?…`: a result claimed by a link, clearly marked as a claim.

use crate::components::result_card::ResultCard;
use crate::components::results_table::ResultsTable;
use crate::components::score_scale::score_scale;
use crate::pages::leaderboard;
use crate::pages::run::card::what;
use crate::platform::fetch;
use crate::session::claim::Claim;
use crate::session::form_address::Refused;
use crate::session::format;
use crate::session::retriever_choice::RetrieverChoice;
use crate::session::score::card::{Card, Of, result};
use crate::session::score::{scale, words};
use crate::session::{Choice, Route};
use crate::state::Latest;
use crate::t;
use crate::texts::{self, translated};
use dataset::Split;
use leptos::prelude::*;
use record::Rate;
use record::leaderboard::Leaderboard;
use record::options::{MAX_TOKENS, OPTIONS, PROTOCOL, SEED, TEMPERATURE, TRIALS};
use record::table::Shape;

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
    let digest = match claim.digest.is_empty() {
        true => view! { <p>{t!("The link names no record, so nothing supports its numbers.")}</p> }
            .into_any(),
        false => view! {
            <p>{t!("Record digest: ")} <code class="digest">{claim.digest.clone()}</code> "."</p>
        }
        .into_any(),
    };
    let facts = facts(&claim);
    let score = score(&claim);
    let summary = claim.summary;
    view! {
        <div class="intro">
            <h1>{t!("A shared result")}</h1>
        </div>
        {score}
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
            <ResultsTable summary=Signal::stored(summary) caption=Signal::stored(caption)/>
        </section>
        <section class="panel" aria-label=t!("Configuration")>
            <h2>{t!("Configuration")}</h2>
            {facts}
            <p><a class="button" data-test="claim-again" href=again>{t!("Use these settings")}</a></p>
        </section>
    }
}

/// The claimed score with its explanation; a warning for a cancelled run.
fn score(claim: &Claim) -> AnyView {
    let model = claim.model(texts::current()).to_owned();
    if !claim.finished {
        return view! {
            <section class="panel" aria-label=t!("Score")>
                <p><bdi class="strong">{model}</bdi></p>
                <p class="warn" data-test="claim-incomplete">{t!("Not a result: the run was cancelled before its end.")}</p>
            </section>
        }
        .into_any();
    }
    let total = claim.summary.rows.last().cloned().unwrap_or_default();
    let rate = *Shape::of(&claim.summary).rate(&total);
    let of = claim.clone();
    let marks = Memo::new({
        let board = Latest::new();
        board.follow(leaderboard::load());
        move |_| match board.get() {
            Some(Ok(board)) => claimed_marks(&of, &rate, &board),
            _ => Vec::new(),
        }
    });
    let of = claim.clone();
    view! {
        <section class="panel headline" aria-label=t!("Score") data-test="claim-score">
            <div class="headline-total">
                <bdi class="strong">{model}</bdi>
                <span class="figure num">{format::percent(&rate)}</span>
                <span class="num">{words::likely(&claim.summary, texts::current())}</span>
                <span class="tag tag-warn">{t!("not verified")}</span>
            </div>
            <div class="headline-meaning">
                <p class="headline-words">{words::sentence(&claim.summary, texts::current())}</p>
                {move || marks.with(|marks| (!marks.is_empty()).then(|| score_scale(marks)))}
            </div>
            <div class="exports"><ResultCard card=move || card(&of)/></div>
        </section>
    }
    .into_any()
}

/// The marks of the claimed score, if the leaderboard is of the claimed data.
fn claimed_marks(claim: &Claim, rate: &Rate, board: &Leaderboard) -> Vec<scale::Mark> {
    let Some(settings) = claim.settings(&fetch::origin(), texts::current()) else {
        return Vec::new();
    };
    let is_same = claim.pack == board.pack.title() && !claim.custom_prompts;
    match is_same {
        true => scale::marks(&settings, &board.pack, claim.summary.profile, rate, board),
        false => Vec::new(),
    }
}

/// The picture of the claimed result, which says that nothing proves it.
fn card(claim: &Claim) -> Result<Card, String> {
    let damaged = || t!("No finished run yet.").to_owned();
    let settings = claim.settings(&fetch::origin(), texts::current()).ok_or_else(damaged)?;
    let proof = match claim.digest.as_str() {
        "" => t!("Claimed in a link, not verified").to_owned(),
        digest => t!("Claimed in a link, not verified. Record {digest}", digest = digest),
    };
    let of = Of {
        model: claim.model(texts::current()),
        what: &what(&settings, &claim.pack, claim.summary.profile),
        proof: &proof,
    };
    result(&claim.summary, of, texts::current()).ok_or_else(damaged)
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
    for option in OPTIONS.into_iter().filter(|option| (option.counts)(&draft)) {
        let text = form.option(option);
        let always = [PROTOCOL.name, SEED.name, TRIALS.name, TEMPERATURE.name, MAX_TOKENS.name];
        if always.contains(&option.name) || option.differs(&draft) {
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
