//! Signatures: created in the page with a non-extractable key, verified on the Verify page.

use std::fs;

use anyhow::{Context, Result, ensure};
use record::{Record, SignatureState, jws};
use serde_json::json;

use crate::{
    app::App,
    browser::Setup,
    stage::play,
    wait::{LONG, SOON},
};

/// Signs the open record and downloads it.
async fn signed(app: &App, name: &str) -> Result<Record> {
    app.press("sign").await?;
    app.fill("sign-name", name).await?;
    app.press("sign-now").await?;
    app.see("sign-outcome", LONG, |text| text.starts_with("Signed;")).await?;
    Ok(app.download_record().await?.record)
}

/// Verifies a record on the page.
async fn verify(app: &App, record: &Record) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("record.json");
    fs::write(&file, record.to_json()?)?;
    app.go("#/method").await?;
    app.go("#/verify").await?;
    let input = app.element("verify-file").await?;
    input.send_keys(file.to_string_lossy()).await.context("can't choose a file")?;
    app.see("verify-result", LONG, |text| !text.is_empty()).await.map(drop)
}

/// The state of the only signature.
async fn state(app: &App) -> Result<Option<String>> {
    Ok(app.element("signature").await?.attr("data-state").await?)
}

#[tokio::test]
async fn what_this_page_signs_the_verify_page_trusts() -> Result<()> {
    play("sign", Setup::default(), async |app| {
        app.pick("amount", "count").await?;
        app.fill("per-ability", "2").await?;
        app.run_baseline("keyword-baseline").await?;
        let plain = app.download_record().await?.record;
        let record = signed(app, "Ada").await?;
        let fingerprint = app.text_of("[data-test=\"sign-outcome\"] code").await?;
        app.picture_here("sign").await?;

        // The engine accepts the browser's signature, and the digest is unchanged.
        ensure!(record.digest == plain.digest, "signing changes no digest");
        let checked: Vec<_> =
            record.signatures.iter().map(|it| jws::check(it, &record.digest)).collect();
        let [signature] = checked.as_slice() else { anyhow::bail!("one signature: {checked:?}") };
        ensure!(signature.state == SignatureState::Valid, "{signature:?}");
        ensure!(signature.signer.as_deref() == Some("Ada"), "{signature:?}");
        let key = signature.fingerprint.as_ref().context("a fingerprint")?.grouped();
        ensure!(key == fingerprint, "{key} is shown as {fingerprint}");

        // No script can export the key.
        let extractable = app
            .script_async(
                "const open = indexedDB.open('api-bank-keys');
                 open.onsuccess = () => {
                   const get = open.result.transaction('keys').objectStore('keys').get('signing');
                   get.onsuccess = () => {
                     const key = get.result.privateKey;
                     crypto.subtle.exportKey('pkcs8', key).then(
                       () => done('taken'), () => done([key.type, key.extractable]));
                   };
                 };",
            )
            .await?;
        ensure!(extractable == json!(["private", false]), "{extractable}");

        verify(app, &record).await?;
        ensure!(state(app).await?.as_deref() == Some("valid"));
        let shown = app.text("signature").await?;
        ensure!(shown.contains("Ada") && shown.contains(&fingerprint), "{shown}");
        ensure!(!app.has("trusted").await?, "nobody is trusted unasked");
        ensure!(app.has("unknown-key").await?, "an unknown key is called so");
        app.fill("trust-label", "Ada from next door").await?;
        app.press("trust").await?;
        app.see("trusted", SOON, |text| text == "Trusted as Ada from next door").await?;
        app.picture_here("signatures").await?;

        // Trust survives a reload, and the key signs no other record.
        app.driver().refresh().await?;
        let mut changed = record.clone();
        changed.dropped_parameters = vec!["seed".to_owned()];
        changed.digest = changed.computed_digest()?;
        verify(app, &changed).await?;
        ensure!(state(app).await?.as_deref() == Some("broken"));
        let warnings = app.text("verify-warnings").await?;
        ensure!(warnings.contains("Broken signatures: 1"), "{warnings}");
        ensure!(!app.has("trusted").await?, "a broken signature is nobody's");
        verify(app, &record).await?;
        app.see("trusted", SOON, |text| text.contains("next door")).await?;
        app.press("distrust").await?;
        app.element("trust-label").await?;

        // The stored run has the signature, and signing again with the same key replaces it.
        app.go("#/records").await?;
        app.see("kept-signed", SOON, |text| text == "signed").await?;
        app.press("open-run").await?;
        app.see_status("Finished").await?;
        let kept = app.download_record().await?.record;
        ensure!(kept.signatures == record.signatures, "the kept run is signed");
        let again = signed(app, "Ada Lovelace").await?;
        let checked: Vec<_> =
            again.signatures.iter().map(|signature| jws::check(signature, &again.digest)).collect();
        let [signature] = checked.as_slice() else { anyhow::bail!("one signature: {checked:?}") };
        ensure!(signature.state == SignatureState::Valid, "{signature:?}");
        ensure!(signature.signer.as_deref() == Some("Ada Lovelace"), "{signature:?}");
        let key = signature.fingerprint.as_ref().context("a fingerprint")?.grouped();
        ensure!(key == fingerprint, "the key survives a reload");
        Ok(())
    })
    .await
}
