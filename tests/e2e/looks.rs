//! Every page in both themes, wide and narrow: screenshots, and no overflow.

use std::fs;

use anyhow::{Context, Result, ensure};
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};

use crate::{
    app::App,
    browser::{Setup, screenshots},
    stage::play,
};

const WIDTHS: [u32; 2] = [1280, 390];
const HEIGHT: u32 = 900;
/// Maximum height of a screenshot; taller pages are cropped.
const HIGHEST: u32 = 6000;

/// Takes screenshots in both themes and widths. Fails if the page is wider than the window.
pub async fn picture(app: &App, name: &str) -> Result<()> {
    let dir = screenshots();
    fs::create_dir_all(&dir)?;
    for width in WIDTHS {
        app.browser.resize(width, HEIGHT).await?;
        let size = app
            .script(
                "const root = document.documentElement;
                 return [root.scrollWidth, innerWidth, root.scrollHeight]",
            )
            .await?;
        let [content, window, height]: [u32; 3] = serde_json::from_value(size)?;
        app.browser.resize(width, height.clamp(HEIGHT, HIGHEST)).await?;
        for theme in ["light", "dark"] {
            app.browser.prefer(theme).await?;
            let file = dir.join(format!("{name}-{theme}-{width}.png"));
            app.driver().screenshot(&file).await.context("no screenshot")?;
        }
        ensure!(content <= window, "{name} is {content} px wide in a window of {window} px");
    }
    app.browser.resize(WIDTHS[0], HEIGHT).await
}

/// Screenshots of Test connection: a success with all settings shown, and a failure.
async fn picture_connections(app: &App) -> Result<()> {
    let config = Config::new(Script::all(Rule::Right));
    let server = ScriptedEndpoint::start(Gold::builtin()?, config).await?;
    app.enter_endpoint(&server.url(), "scripted", "").await?;
    app.test_connection().await?;
    picture(app, "run-connection-works").await?;
    app.press("preset-ollama").await?;
    app.fill("endpoint-url", "http://localhost:9").await?;
    app.test_connection().await?;
    picture(app, "run-connection-fails").await
}

/// Checks that the link to the results scrolls to them.
async fn in_sight_at_its_address(app: &App) -> Result<()> {
    app.go("#/method").await?;
    app.matching("main h1").await?;
    app.go("#/results").await?;
    app.element("sample-row").await?;
    let top = "return document.getElementById('results').getBoundingClientRect().top";
    let top = app.script(top).await?.as_f64().context("a number")?;
    ensure!((0.0..200.0).contains(&top), "the results start {top} px below the window's top");
    Ok(())
}

#[tokio::test]
async fn pages_fit_a_desk_and_a_phone() -> Result<()> {
    play("looks", Setup::default(), async |app| {
        picture(app, "run").await?;
        app.choose("endpoint").await?;
        picture(app, "run-endpoint").await?;
        picture_connections(app).await?;
        app.run_baseline("keyword-baseline").await?;
        picture(app, "results").await?;
        app.script("document.querySelectorAll('#results details').forEach(it => it.open = true)")
            .await?;
        app.element("reference").await?;
        picture(app, "results-opened").await?;
        in_sight_at_its_address(app).await?;
        app.press("filter-wrong").await?;
        let wrong = app.matching("[data-test=\"sample-row\"][data-state=\"wrong\"]").await?;
        let id = wrong.attr("data-id").await?.context("an id")?;
        app.open_sample(&id).await?;
        picture(app, "sample").await?;
        app.go("#/results").await?;
        app.press("filter-all").await?;
        app.open_sample("call/late-with-rent#5").await?;
        let facts = app.text("sample-facts").await?;
        ensure!(facts.contains("content") && facts.contains("“Friday”"), "{facts}");
        picture(app, "sample-facts").await?;
        app.go("#/compare").await?;
        app.press("compare-last").await?;
        app.element("compare-rates").await?;
        picture(app, "compare").await?;
        app.go("#/demo").await?;
        for _ in 0..3 {
            app.press("demo-next").await?;
        }
        picture(app, "demo").await?;
        app.go("#/play?seed=1").await?;
        app.element("answer-submit").await?;
        picture(app, "play").await?;
        app.go("#/dataset").await?;
        app.element("dialogue-row").await?;
        picture(app, "dataset").await?;
        app.go("#/dataset/call/already-covered").await?;
        app.element("dialogue-call").await?;
        app.script("document.querySelectorAll('article details').forEach(it => it.open = true)")
            .await?;
        picture(app, "dialogue").await?;
        app.go("#/audit").await?;
        app.press("audit-button").await?;
        app.element("audit-clean").await?;
        picture(app, "audit").await?;
        for page in ["import", "method", "apis", "apis/dialogue/AddAlarm"] {
            app.go(&format!("#/{page}")).await?;
            app.matching("main h1").await?;
            picture(app, &page.replace('/', "-").to_lowercase()).await?;
        }
        Ok(())
    })
    .await
}

/// The widest supported window.
const WIDEST: u32 = 2560;

#[tokio::test]
async fn pages_fit_the_widest_screen_and_run_from_right_to_left() -> Result<()> {
    play("looks-wide", Setup::default(), async |app| {
        app.run_baseline("gold-replay").await?;
        for (width, dir) in [(WIDEST, "ltr"), (1280, "rtl"), (390, "rtl")] {
            for page in ["run", "records", "dataset", "apis", "generate", "method"] {
                app.go(&format!("#/{page}")).await?;
                app.matching("main h1").await?;
                app.browser.resize(width, HEIGHT).await?;
                app.script(&format!("document.documentElement.dir = '{dir}'")).await?;
                let size =
                    "const it = document.documentElement; return [it.scrollWidth, innerWidth]";
                let size = app.script(size).await?;
                let [content, window]: [u32; 2] = serde_json::from_value(size)?;
                let file = screenshots().join(format!("{page}-{dir}-{width}.png"));
                app.driver().screenshot(&file).await.context("no screenshot")?;
                ensure!(content <= window, "{page} {dir}: {content} px in {window} px");
            }
        }
        Ok(())
    })
    .await
}

/// Every kind of page.
const PAGES: [&str; 18] = [
    "run",
    "results",
    "sample/call/none%231",
    "shared?",
    "demo",
    "play?seed=1",
    "compare",
    "leaderboard",
    "records",
    "verify",
    "dataset",
    "dataset/call/already-covered",
    "apis",
    "apis/dialogue/AddAlarm",
    "import",
    "audit",
    "method",
    "search-lab",
];

#[tokio::test]
async fn a_phone_shows_every_page_with_the_link_of_its_section() -> Result<()> {
    play("looks-phone", Setup { window: (390, 844), ..Setup::default() }, async |app| {
        for page in PAGES.iter().chain(&["generate", "nowhere"]) {
            app.go(&format!("#/{page}")).await?;
            app.matching("main h1").await?;
            // The list scrolls in an effect.
            let state = "return new Promise(done => setTimeout(() => {
                 const root = document.documentElement;
                 const list = document.querySelector('.nav-main .nav').getBoundingClientRect();
                 const link = document.querySelector('.nav-main [aria-current]');
                 const own = link?.getBoundingClientRect() ?? list;
                 const fits = own.left >= list.left - 1 && own.right <= list.right + 1
                     || !link;
                 const lines = new Set([...document.querySelectorAll('.nav-main a')]
                     .map(it => Math.round(it.getBoundingClientRect().top))).size;
                 done([root.scrollWidth <= innerWidth, fits, lines === 1]);
             }, 100))";
            let [narrow, fits, one_line]: [bool; 3] =
                serde_json::from_value(app.script(state).await?)?;
            ensure!(narrow, "{page} scrolls sideways");
            ensure!(fits, "{page}: the link of its section is out of view");
            ensure!(one_line, "{page}: the header has several lines");
        }
        Ok(())
    })
    .await
}
