//! User data: imported as files and as an archive, run, audited, removed; and malicious data.

use std::{
    fs,
    io::{Cursor, Write},
    path::PathBuf,
};

use anyhow::{Context, Result, ensure};
use flate2::{Compression, write::GzEncoder};
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
    let paths: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let input = app.element("import-files").await?;
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
                || record.samples.iter().any(|sample| {
                    sample.verdicts.as_ref().is_some_and(|verdicts| verdicts.original.is_some())
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

/// The original's repository as a GitHub archive: all three levels, tables, descriptions in Python,
/// and unrelated projects.
fn repository() -> Result<Vec<u8>> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let level_1 = format!("api-bank/{LEVEL_1}");
    let files = [
        ("another-project/data.json", "not for this page"),
        ("api-bank/apis/api.py", "class API:\n    pass\n"),
        ("api-bank/apis/calculator.py", CALCULATOR),
        ("api-bank/evaluator.py", "print('never run')\n"),
        ("api-bank/init_database/TimeSwitch.json", SWITCHES),
        ("api-bank/lv3_apis/like_count.py", LIKE_COUNT),
        (&level_1, DIALOGUE),
        ("api-bank/test-data/level-3.json", PLAN),
    ];
    for (path, text) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, format!("DAMO-ConvAI-main/{path}"), text.as_bytes())?;
    }
    Ok(tar.into_inner()?.finish()?)
}

const CALCULATOR: &str = r#"from apis.api import API

class Calculator(API):
    description = "Adds " \
                  'numbers.'
    input_parameters = {'formula': {'type': 'str', 'description': "What to add."}}
    output_parameters = {'result': {'type': 'float', 'description': 'The sum.'}}
"#;
const LIKE_COUNT: &str = r#"from apis.api import API

class LikeCount(API):
    description = 'Counts likes.'
    input_parameters = {'post_id': {'type': 'int', 'description': 'The post.'}}
    output_parameters = {'like_count': {'type': 'int', 'description': 'The likes.'}}

    def __init__(self):
        self.database = {
            1: 10,  # the first post
            2: 25,
        }
"#;
const PLAN: &str = r#"[{"requirement": "How many likes has post 2?", "response": "It has 25.", "apis": [
    {"api_name": "LikeCount", "input": {"post_id": 2}, "output": {"api_name": "LikeCount",
     "input": {"post_id": 2}, "output": {"like_count": 25}, "exception": null}}]}]"#;

#[tokio::test]
async fn the_repositorys_archive_holds_all_levels() -> Result<()> {
    play("import-repository", Setup::default(), async |app| {
        let broken = "class UserPosts(API):\n    description = 'never closed\n";
        let files = folder(
            "import-repository",
            &[
                ("DAMO-ConvAI-main.tar.gz", &repository()?),
                ("level-3.json", PLAN.as_bytes()),
                ("like_count.py", LIKE_COUNT.as_bytes()),
                ("user_posts.py", broken.as_bytes()),
            ],
        )?;
        let [archive, several @ ..] = &files[..] else { anyhow::bail!("{files:?}") };
        app.go("#/import").await?;
        // Related files in one upload.
        give(app, several).await?;
        let parts = "1 Plan+Retrieve+Call dialogues, 1 planning tables, 1 API descriptions";
        app.see("import-found", SOON, |text| text == parts).await?;
        let refused = app.text("import-refused").await?;
        ensure!(refused.contains("user_posts.py, line 2: expected the end of"), "{refused}");

        give(app, std::slice::from_ref(archive)).await?;
        let parts = "1 Call dialogues, 1 Plan+Retrieve+Call dialogues, 1 databases, 1 planning tables, \
                     2 API descriptions";
        app.see("import-found", LONG, |text| text == parts).await?;
        ensure!(!app.has("import-refused").await?, "{}", app.text("import-refused").await?);
        app.picture_here("import-repository").await?;
        app.press("use-imported").await?;
        app.go("#/audit").await?;
        app.press("audit-button").await?;
        let rows = app.see("audit-table", LONG, |text| text.contains("execution 3 3")).await?;
        for row in ["execution 1 1", "original 1 1"] {
            ensure!(rows.contains(row), "{row:?} is not in\n{rows}");
        }
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
