//! The second language: complete, remembered, and switchable during a run.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::{
    app::App,
    browser::Setup,
    looks::picture,
    stage::play,
    wait::{Found, LONG, SOON, until},
};

/// Pages with only the UI's own texts: no dialogues, APIs or engine messages.
const OWN_TEXTS: [&str; 8] =
    ["run", "records", "verify", "import", "compare", "generate", "method", "nowhere"];

/// Visible English sentences, except for code and text marked as untranslatable.
const ENGLISH: &str = r#"
    const found = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const node = walk.currentNode, at = node.parentElement;
        if (at.closest("code, pre, textarea, script, noscript, [translate=no]")) continue;
        if (/[A-Za-z][a-z']+(?:,? [A-Za-z][a-z']+){2,}/.test(node.data)) found.push(node.data.trim());
    }
    for (const it of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
        if (it.closest("[translate=no]")) continue;
        for (const name of ["aria-label", "title", "placeholder"]) {
            const text = it.getAttribute(name) ?? "";
            if (/[A-Za-z][a-z']+(?:,? [A-Za-z][a-z']+){2,}/.test(text)) found.push(`${name}: ${text}`);
        }
    }
    return found"#;

/// Waits until the page's language changes.
async fn see_lang(app: &App, wanted: &str) -> Result<()> {
    until(wanted, SOON, async || {
        let lang = app.script("return document.documentElement.lang").await?;
        Ok(if lang == wanted { Found::Yes(()) } else { Found::NotYet(lang.to_string()) })
    })
    .await
}

/// Switches to Chinese.
async fn speak_chinese(app: &App) -> Result<()> {
    app.pick("language", "zh-Hans").await?;
    see_lang(app, "zh-Hans").await?;
    let title = app.text_of("main h1").await?;
    ensure!(title.contains("语言模型"), "the page speaks Chinese: {title}");
    Ok(())
}

#[tokio::test]
async fn every_page_speaks_chinese() -> Result<()> {
    play("chinese", Setup::default(), async |app| {
        see_lang(app, "en").await?;
        speak_chinese(app).await?;
        app.choose("endpoint").await?;
        let mut left = Vec::new();
        for page in OWN_TEXTS {
            app.go(&format!("#/{page}")).await?;
            app.matching("main h1").await?;
            picture(app, &format!("chinese-{page}")).await?;
            let english = app.script(ENGLISH).await?;
            let english = english.as_array().context("a list")?;
            left.extend(english.iter().map(|text| format!("{page}: {text}")));
        }
        ensure!(left.is_empty(), "not translated:\n{}", left.join("\n"));

        app.go("#/run").await?;
        app.choose("gold-replay").await?;
        app.press_run().await?;
        app.see("status-text", LONG, |text| text == "已完成").await?;
        picture(app, "chinese-results").await?;
        app.press("filter-right").await?;
        app.matching("[data-test=\"sample-row\"] a").await?.click().await?;
        app.element("sample-verdict").await?;
        picture(app, "chinese-sample").await?;

        app.driver().refresh().await?;
        see_lang(app, "zh-Hans").await
    })
    .await
}

#[tokio::test]
async fn a_change_of_language_keeps_what_goes_on() -> Result<()> {
    play("language-switch", Setup::default(), async |app| {
        app.choose("endpoint").await?;
        app.fill("endpoint-model", "typed before").await?;
        app.choose("gold-replay").await?;
        app.press_run().await?;
        speak_chinese(app).await?;
        app.see("status-text", LONG, |text| text == "已完成").await?;
        app.pick("language", "en").await?;
        app.see_status("Finished").await?;
        let right = app.text("cell-total-calls").await?;
        ensure!(right == "100.0 %", "the results stay: {right}");
        app.choose("endpoint").await?;
        let typed = app.element("endpoint-model").await?.value().await?;
        ensure!(typed.as_deref() == Some("typed before"), "what was typed stays: {typed:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_browser_that_asks_for_chinese_gets_it() -> Result<()> {
    play("chinese-first", Setup::default(), async |app| {
        let agent = app.script("return navigator.userAgent").await?;
        let asks = json!({ "userAgent": agent, "acceptLanguage": "zh-CN,zh;q=0.9,en;q=0.8" });
        app.browser.cdp("Network.setUserAgentOverride", asks).await?;
        app.driver().refresh().await?;
        see_lang(app, "zh-Hans").await?;
        app.see("run-button", SOON, |text| text.contains("运行")).await.map(drop)
    })
    .await
}
