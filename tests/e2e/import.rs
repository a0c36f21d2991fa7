//! User data: imported as files and as an archive, run, audited, removed; and malicious data.

use std::{
    fs,
    io::{Cursor, Write},
    path::PathBuf,
};

use anyhow::{Context, Result, ensure};
use thirtyfour::prelude::*;
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::{
    app::App,
    browser::Setup,
    stage::play,
    wait::{Found, LONG, SOON, until},
};

/// A level 1 dialogue: two parallel calls, the second with a parameter's old name.
const DIALOGUE: &str = r#"{"role": "User", "text": "Two and three? And switch the <b>lamp</b>."}
{"role": "API", "api_name": "Calculator", "param_dict": {"formula": "2+3"}, "result": {"api_name": "Calculator", "input": {"formula": "2+3"}, "output": 5.0, "exception": null}}
{"role": "API", "api_name": "TimedSwitch", "param_dict": {"device_id": "lamp", "time": "2023-01-01 08:00:00", "on": true}, "result": {"api_name": "TimedSwitch", "input": {}, "output": "success", "exception": null}}
{"role": "AI", "text": "It is five."}
"#;
const SWITCHES: &str = r#"{"lamp": [{"time": "2023-01-01 07:00:00", "on": false}]}"#;
const LEVEL_1: &str = "lv1-lv2-samples/level-1-given-desc/Sum-level-1-1.jsonl";

/// A temporary folder with some files.
fn folder(name: &str, files: &[(&str, &[u8])]) -> Result<Vec<PathBuf>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    files
        .iter()
        .map(|(path, bytes)| {
            let path = folder.join(path);
            fs::write(&path, bytes).with_context(|| path.display().to_string())?;
            Ok(path)
        })
        .collect()
}

fn archive(files: &[(&str, &str)]) -> Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, text) in files {
        zip.start_file(*path, SimpleFileOptions::default())?;
        zip.write_all(text.as_bytes())?;
    }
    Ok(zip.finish()?.into_inner())
}

/// Uploads files through the page's file input.
async fn give(app: &App, files: &[PathBuf]) -> Result<()> {
    let paths: Vec<String> = files.iter().map(|it| it.display().to_string()).collect();
    let input = app.driver().find(By::Css("[data-test=\"import-files\"]")).await?;
    input.send_keys(paths.join("\n")).await?;
    app.see("import-report", LONG, |text| !text.is_empty()).await.map(drop)
}

#[tokio::test]
async fn an_archive_is_imported_run_audited_and_forgotten() -> Result<()> {
    play("import-archive", Setup::default(), async |app| {
        let zip = archive(&[(LEVEL_1, DIALOGUE), ("init_database/TimeSwitch.json", SWITCHES)])?;
        let files = folder("import-archive", &[("mine.zip", &zip)])?;
        app.go("#/import").await?;
        give(app, &files).await?;
        app.see("import-found", SOON, |text| text == "1 Call dialogues, 1 databases").await?;
        app.press("use-imported").await?;
        // The data survive a reload and remain selected.
        app.driver().refresh().await?;
        app.element("pack").await?;
        app.go("#/run").await?;
        app.run_baseline("gold-replay").await?;
        let record = app.download_record().await?.record;
        ensure!(record.pack.name == "API-Bank original", "{:?}", record.pack);
        let all = record.summary.rows.last().context("a row")?;
        ensure!((all.calls.right, all.calls.n) == (3, 3), "{:?}", all.calls);
        ensure!(all.corrected == 2, "the repeated call is corrected twice: {all:?}");
        app.see("errata-counts", SOON, |text| text.contains("2 of these calls")).await?;
        ensure!(
            !app.has("profile-original").await?
                || record.samples.iter().any(|it| {
                    it.verdicts.as_ref().is_some_and(|verdicts| verdicts.original.is_some())
                })
        );
        app.go("#/audit").await?;
        app.press("audit-button").await?;
        app.see("audit-table", LONG, |text| text.contains("execution 3 3")).await?;
        app.go("#/import").await?;
        app.press("pack-delete").await?;
        app.press("pack-delete-yes").await?;
        until("the list without the pack", SOON, async || {
            let there = app.has("pack").await?;
            Ok(if there { Found::NotYet("it is listed".to_owned()) } else { Found::Yes(()) })
        })
        .await?;
        app.driver().refresh().await?;
        app.element("packs").await?;
        ensure!(!app.has("pack").await?, "the pack is still there");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn hostile_files_are_refused_with_their_place() -> Result<()> {
    play("import-hostile", Setup::default(), async |app| {
        let nested = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        let script = "{\"role\": \"User\", \"text\": \"<script>window.harmed = 1</script>\"}\n\
                      {\"role\": \"API\", \"api_name\": 7}\n";
        let bomb = archive(&[("init_database/Stock.json", &" ".repeat(17 << 20))])?;
        let files = folder(
            "import-hostile",
            &[
                ("<img src=x onerror=window.harmed=1>-level-1-1.jsonl", script.as_bytes()),
                ("planning-tables.json", nested.as_bytes()),
                ("level-3.json", br#"[{"requirement": 1e999, "response": "", "apis": []}]"#),
                ("level-1-api.json", br#"[{"file": "A", "id": -1, "instruction": "", "input": "", "expected_output": ""}]"#),
                ("bomb.zip", &bomb),
            ],
        )?;
        app.go("#/import").await?;
        give(app, &files).await?;
        let refused = app.text("import-refused").await?;
        for part in [
            "line 2: expected the API's name under api_name",
            "planning-tables.json, line 1: this is no JSON: recursion limit exceeded",
            "level-3.json, line 1: this is no JSON: number out of range",
            "level-1-api.json: expected a number under id",
            "init_database/Stock.json: expected at most 16 MB, got 17.0 MB",
        ] {
            ensure!(refused.contains(part), "{part:?} is not in\n{refused}");
        }
        let harmed = app.script("return window.harmed ?? null").await?;
        ensure!(harmed.is_null(), "a script of the data ran");
        ensure!(!app.has("use-imported").await?, "nothing of it is a pack");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_address_that_no_page_may_read_is_explained() -> Result<()> {
    play("import-address", Setup::default(), async |app| {
        app.go("#/import").await?;
        app.fill("import-url", "ftp://example.org/data.zip").await?;
        app.press("import-fetch").await?;
        app.see("import-url-error", SOON, |text| text.contains("https://")).await?;
        // Nothing listens on port 9 (discard).
        app.fill("import-url", "http://127.0.0.1:9/data.zip").await?;
        app.press("import-fetch").await?;
        app.see("import-failed", LONG, |text| text.contains("drop the file here")).await?;
        Ok(())
    })
    .await
}
