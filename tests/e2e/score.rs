//! What a score means, and what can be passed on: the line under the score, the picture, the page of a
//! sample and of a comparison.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use exchange::protocol::Protocol;
use record::leaderboard::Kind;
use scoring::Profile;
use serde_json::json;

use crate::{
    app::App,
    browser::Setup,
    leaderboard::shipped,
    stage::play,
    wait::{Found, SOON, until},
};

/// The first bytes of every PNG file.
const PNG: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Presses a button and returns the file that it saves, once it ends as it should.
pub async fn saved(app: &App, hook: &str, name: &str, end: &[u8]) -> Result<Vec<u8>> {
    let path = app.browser.downloads().join(name);
    app.press(hook).await?;
    until(name, SOON, async || {
        Ok(match fs::read(&path) {
            Ok(bytes) if bytes.ends_with(end) => Found::Yes(bytes),
            Ok(bytes) => Found::NotYet(format!("{} bytes", bytes.len())),
            Err(error) => Found::NotYet(error.to_string()),
        })
    })
    .await
}

/// Width and height of a PNG file.
fn size(png: &[u8]) -> Result<[u32; 2]> {
    ensure!(png.starts_with(&PNG), "it is no PNG file");
    let side = |at: usize| -> Result<u32> {
        let bytes = png.get(at..at + 4).context("a PNG header")?;
        Ok(u32::from_be_bytes(bytes.try_into()?))
    };
    Ok([side(16)?, side(20)?])
}

/// The marks under the score are the leaderboard's figures, in order.
async fn see_marks(app: &App, own: &str) -> Result<()> {
    let marks = app
        .script(
            "return [...document.querySelectorAll('[data-mark]')].map(it =>
                [it.dataset.mark, it.querySelector('[data-test=\"scale-share\"]').textContent])",
        )
        .await?;
    let marks: Vec<(String, String)> = serde_json::from_value(marks)?;
    let board = shipped(app)?;
    let models =
        board.rows.iter().filter(|it| it.kind == Kind::Model && it.protocol == Protocol::Bracket);
    let rates = models.filter_map(|model| model.scores(Profile::Execution)?.total.0.value());
    let best = format!("{:.1} %", 100.0 * rates.fold(0.0, f64::max));
    for expected in [("wrong", "0.0 %"), ("run", own), ("best", &best), ("right", "100.0 %")] {
        let found = marks.iter().any(|(kind, share)| (kind.as_str(), share.as_str()) == expected);
        ensure!(found, "{marks:?} lack {expected:?}");
    }
    let share = |it: &str| it.trim_end_matches(" %").parse::<f64>().unwrap_or(f64::NAN);
    ensure!(marks.is_sorted_by(|a, b| share(&a.1) <= share(&b.1)), "{marks:?}");
    Ok(())
}

/// A saved page is whole and has nothing that runs or is fetched.
pub fn see_page(html: &[u8], words: &[&str]) -> Result<()> {
    let html = String::from_utf8(html.to_vec())?;
    for word in words {
        ensure!(html.contains(word), "the page lacks {word}");
    }
    for bad in ["<script", "<link", "src=", "href=", "url("] {
        ensure!(!html.contains(bad), "the page has {bad}");
    }
    Ok(())
}

#[tokio::test]
async fn a_result_is_explained_and_passed_on() -> Result<()> {
    play("score", Setup::default(), async |app| {
        app.run_baseline("keyword-baseline").await?;
        let score = app.text("headline-score").await?;
        app.see("headline-words", SOON, |text| text.starts_with("Right on")).await?;
        app.see("headline-likely", SOON, |text| text.contains("likely")).await?;
        app.element("scale").await?;
        see_marks(app, &score).await?;
        app.press("next-model").await?;
        let form = "return [document.querySelector('.setup-fields').open,
                            document.activeElement.matches('.setup-fields > summary')]";
        ensure!(app.script(form).await? == json!([true, true]), "the form stays closed");
        let png = saved(app, "card-save", "api-bank-result.png", b"IEND\xaeB`\x82").await?;
        ensure!(size(&png)? == [1200, 630], "{:?}", size(&png)?);
        fs::write(crate::browser::screenshots().join("result-card.png"), &png)?;

        app.press("result-link").await?;
        let link = app.element("result-link-field").await?.value().await?.context("a link")?;
        app.press("filter-wrong").await?;
        let row = app.matching("[data-test=\"sample-row\"]").await?;
        let id = row.attr("data-id").await?.context("an id")?;
        app.open_sample(&id).await?;
        let name = format!("{}.html", id.replace(['/', '#'], "-"));
        let html = saved(app, "save-page", &name, b"</html>\n").await?;
        see_page(&html, &[&id, "Wrong", "Keyword baseline"])?;
        fs::write(crate::browser::screenshots().join("sample-page.html"), &html)?;

        // The link alone has score and marks, and warns.
        app.driver().goto("about:blank").await?;
        app.driver().goto(link.as_str()).await?;
        app.see("claim-score", SOON, |text| text.contains(&score)).await?;
        app.element("scale").await?;
        see_marks(app, &score).await?;
        app.see("claim", SOON, |text| text.contains("unverified")).await.map(drop)
    })
    .await
}

/// The picture that link previews show; `UPDATE=1` makes it.
#[tokio::test]
async fn the_site_has_a_picture_for_link_previews() -> Result<()> {
    play("site-card", Setup::default(), async |app| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let svg = fs::read_to_string(root.join("src/session/score/site-card.svg"))?;
        let script = format!(
            "globalThis.picture().then(it => it.png({}, 1200, 630)).then(it => it.arrayBuffer())
                 .then(it => done([...new Uint8Array(it)]), error => done(String(error)))",
            serde_json::to_string(&svg)?
        );
        let made: Vec<u8> = serde_json::from_value(app.script_async(&script).await?)?;
        // Its pixels depend on the machine's fonts, its size does not.
        ensure!(size(&made)? == [1200, 630], "the picture can't be made");
        let file = root.join("www/card.png");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&file, &made)?;
        }
        ensure!(size(&fs::read(&file)?)? == [1200, 630], "www/card.png: make it with UPDATE=1");
        Ok(())
    })
    .await
}
