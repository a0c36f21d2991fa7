//! A model that the browser keeps: after a reload it is loaded without its file; it is deleted; a
//! full disk and a cancel leave nothing.

use anyhow::{Result, ensure};
use gguf::tiny;
use serde_json::json;
use xtask::digest;

use crate::{
    app::App,
    browser::Setup,
    looks::picture,
    model_in_page::give,
    stage::{file, play},
    wait::{Found, LONG, SOON, until},
};

/// What the browser has of models, as `folder/file`.
async fn stored(app: &App) -> Result<Vec<String>> {
    const LIST: &str = "
        const names = [];
        const root = await navigator.storage.getDirectory();
        const models = await root.getDirectoryHandle('models', { create: true });
        for await (const [id, folder] of models.entries())
          for await (const name of folder.keys()) names.push(`${id}/${name}`);
        return names.sort();";
    Ok(serde_json::from_value(app.script(LIST).await?)?)
}

#[tokio::test]
async fn a_kept_model_is_loaded_after_a_reload_and_deleted() -> Result<()> {
    play("kept-model", Setup::default(), async |app| {
        let bytes = tiny::model();
        give(app, &[file("tiny.gguf", &bytes)?]).await?;
        app.see("in-page-digest", LONG, |text| text.len() >= 64).await?;
        ensure!(!app.has("in-page-kept").await?, "nothing was kept");
        // Another tab's list, which takes a moment.
        app.script(
            "navigator.locks.request('api-bank.kept-models',
                () => new Promise((done) => setTimeout(done, 1000)));",
        )
        .await?;
        app.press("in-page-keep").await?;
        app.see("in-page-is-kept", LONG, |text| !text.is_empty()).await?;
        let kept = app.see("in-page-kept", SOON, |text| text.contains(tiny::NAME)).await?;
        ensure!(kept.contains("llama · F32 · 0.5 MB"), "{kept}");
        let id = digest::hex(&bytes);
        ensure!(stored(app).await? == [format!("{id}/0"), format!("{id}/model.json")]);
        picture(app, "kept-model").await?;

        // What an ended tab left half written is not offered, and deleted with the next list.
        let rest = "const root = await navigator.storage.getDirectory();
            const models = await root.getDirectoryHandle('models');
            const folder = await models.getDirectoryHandle('half', { create: true });
            await folder.getFileHandle('0', { create: true });";
        app.script(rest).await?;
        app.driver().refresh().await?;
        app.choose("in-page").await?;
        app.press("in-page-kept-load").await?;
        app.see("in-page-ready", LONG, |text| text.contains("is loaded")).await?;
        ensure!(stored(app).await?.len() == 2, "{:?}", stored(app).await?);
        app.see("in-page-digest", SOON, |text| text == id).await?;
        app.picture_here("kept-model-loaded").await?;

        app.press("in-page-kept-delete").await?;
        app.press("in-page-kept-delete-yes").await?;
        until("the list is gone", SOON, async || {
            let found = app.has("in-page-kept").await?;
            Ok(if found { Found::NotYet("still there".to_owned()) } else { Found::Yes(()) })
        })
        .await?;
        ensure!(!app.has("in-page-ready").await?, "the deleted model is still loaded");
        ensure!(stored(app).await?.is_empty(), "{:?}", stored(app).await?);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_model_that_is_not_kept_leaves_nothing() -> Result<()> {
    play("kept-model-full", Setup::default(), async |app| {
        // Nothing reads what stands after the tensors.
        let bytes = [tiny::model(), vec![0; 96 << 20]].concat();
        give(app, &[file("long.gguf", &bytes)?]).await?;
        app.see("in-page-digest", LONG, |text| text.len() >= 64).await?;
        let origin = app.script("return location.origin").await?;
        let quota = json!({"origin": origin, "quotaSize": 50 << 20});
        app.browser.cdp("Storage.overrideQuotaForOrigin", quota).await?;
        app.press("in-page-keep").await?;
        app.see("in-page-kept-failure", LONG, |text| text.contains("no room for this model"))
            .await?;
        ensure!(stored(app).await?.is_empty(), "{:?}", stored(app).await?);
        let no_limit = json!({ "origin": origin });
        app.browser.cdp("Storage.overrideQuotaForOrigin", no_limit).await?;

        app.press("in-page-keep").await?;
        app.press("in-page-keep-cancel").await?;
        app.element("in-page-keep").await?;
        ensure!(!app.has("in-page-kept").await?, "the cancelled model is listed");
        ensure!(stored(app).await?.is_empty(), "{:?}", stored(app).await?);
        // It can be kept after all.
        app.press("in-page-keep").await?;
        app.see("in-page-is-kept", LONG, |text| !text.is_empty()).await.map(drop)
    })
    .await
}
