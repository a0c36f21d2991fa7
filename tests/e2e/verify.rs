//! The Verify page: a valid record, an invalid one, and malicious files.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, ensure};
use record::{Limits, Record};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{app::App, browser::Setup, stage::play, wait::LONG};

/// Has a visible effect if a file's text is interpreted as markup or script.
const HARM: &str = "<script>window.harmed = 1</script><img src=x onerror='window.harmed = 2'>\
                    <b data-harm>bold</b>\u{0}\u{1}\u{1b}[31m\u{202e}\u{2028}\u{feff}";

/// Files that a test creates for the page.
struct Files {
    dir: TempDir,
}

impl Files {
    fn new() -> Result<Self> {
        Ok(Files { dir: tempfile::tempdir()? })
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.dir.path().join(name);
        fs::write(&path, text)?;
        Ok(path)
    }
}

/// Verifies a file on the page.
async fn verify(app: &App, file: &std::path::Path) -> Result<()> {
    app.go("#/method").await?;
    app.go("#/verify").await?;
    let input = app.element("verify-file").await?;
    input.send_keys(file.to_string_lossy()).await.context("can't choose a file")
}

/// Verifies a file and returns the verdict.
async fn verdict(app: &App, file: &std::path::Path) -> Result<String> {
    verify(app, file).await?;
    app.see("verify-result", LONG, |text| !text.is_empty()).await
}

/// Verifies a file and returns the reason for rejecting it.
async fn refusal(app: &App, file: &std::path::Path) -> Result<String> {
    verify(app, file).await?;
    app.see("verify-trouble", LONG, |text| !text.is_empty()).await
}

/// The record of a small run of the keyword baseline.
async fn small_record(app: &App) -> Result<Value> {
    app.pick("amount", "count").await?;
    app.fill("per-ability", "2").await?;
    app.run_baseline("keyword-baseline").await?;
    Ok(serde_json::from_str(&app.download_record().await?.text)?)
}

#[tokio::test]
async fn a_record_holds_and_a_changed_one_is_told_field_by_field() -> Result<()> {
    play("verify", Setup::default(), async |app| {
        let good = small_record(app).await?;
        let files = Files::new()?;
        let found = verdict(app, &files.write("good.json", &good.to_string())?).await?;
        ensure!(found.starts_with("Consistent"), "{found}");
        let facts = app.text("verify-facts").await?;
        for fact in ["2 dialogues of each ability, seed", "Finished", "failures counted wrong"] {
            ensure!(facts.contains(fact), "{facts} lacks {fact}");
        }
        ensure!(!app.has("verify-warnings").await?, "there is nothing to warn of");
        ensure!(!app.has("verify-differences").await?, "a record that holds has no differences");

        let mut changed = good.clone();
        let rows = changed["summary"]["rows"].as_array_mut().context("rows")?;
        let right = &mut rows.last_mut().context("a total")?["calls"]["right"];
        let recorded = right.as_u64().context("a number")?;
        *right = json!(recorded + 1);
        let found = verdict(app, &files.write("changed.json", &changed.to_string())?).await?;
        ensure!(found.starts_with("Inconsistent"), "{found}");
        let table = app.text("verify-differences").await?;
        for expected in ["calls.right", &(recorded + 1).to_string(), &recorded.to_string()] {
            ensure!(table.contains(expected), "{table} lacks {expected}");
        }
        app.picture_here("verify").await
    })
    .await
}

#[tokio::test]
async fn a_record_is_shown_before_it_is_verified_and_says_so() -> Result<()> {
    play("unverified", Setup::default(), async |app| {
        let files = Files::new()?;
        let file = files.write("record.json", &small_record(app).await?.to_string())?;
        app.script(
            "window.appeared = [];
             new MutationObserver(() => {
                 for (const hook of ['verify-pending', 'verify-result'])
                     if (document.querySelector(`[data-test=${hook}]`) && !appeared.includes(hook))
                         appeared.push(hook);
             }).observe(document.body, { childList: true, subtree: true })",
        )
        .await?;
        verdict(app, &file).await?;
        let order = app.script("return appeared").await?;
        ensure!(order == json!(["verify-pending", "verify-result"]), "{order}");
        ensure!(!app.has("verify-pending").await?, "a verified record is still marked");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_is_missing_from_a_record_is_said_before_its_numbers() -> Result<()> {
    play("missing", Setup::default(), async |app| {
        let whole: Record = serde_json::from_value(small_record(app).await?)?;
        let (times, mut samples) = (whole.times, whole.samples.clone());
        samples.pop();
        let counts = format!("Stopped early, {} of {} planned", samples.len(), whole.planned);
        let files = Files::new()?;
        let cut = files.write("cut.json", &whole.filled(samples, times).to_json()?)?;
        let found = verdict(app, &cut).await?;
        ensure!(found.starts_with("Consistent"), "{found}");
        let warnings = app.text("verify-warnings").await?;
        ensure!(warnings.contains("samples are missing"), "{warnings}");
        let facts = app.text("verify-facts").await?;
        ensure!(facts.contains(&counts), "{facts} lacks {counts}");
        ensure!(facts.contains("failures and missing samples counted wrong"), "{facts}");
        Ok(())
    })
    .await
}

/// Injects the payload into every free-text field of a sample, but not into field names or enum values.
fn poison(value: &mut Value, key: &str) {
    const FREE: [&str; 9] = [
        "content",
        "text",
        "explanation",
        "message",
        "reasoning",
        "arguments",
        "finish_reason",
        "exception",
        "model",
    ];
    match value {
        Value::String(text) if FREE.contains(&key) => text.push_str(HARM),
        Value::Array(items) => items.iter_mut().for_each(|item| poison(item, key)),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, it)| poison(it, name)),
        _ => {}
    }
}

/// Replaces every string with the payload.
fn poison_all(value: &mut Value) {
    match value {
        Value::String(text) => HARM.clone_into(text),
        Value::Array(items) => items.iter_mut().for_each(poison_all),
        Value::Object(fields) => fields.values_mut().for_each(poison_all),
        _ => {}
    }
}

/// Checks that no text of a file was interpreted as markup or script.
async fn unharmed(app: &App) -> Result<()> {
    let found = app
        .script(
            "return [window.harmed ?? 0, document.querySelectorAll('[data-harm], main script, main img').length]",
        )
        .await?;
    ensure!(found == json!([0, 0]), "a text of a file came to life: {found}");
    Ok(())
}

#[tokio::test]
async fn texts_of_a_record_stay_texts() -> Result<()> {
    play("harm", Setup::default(), async |app| {
        let mut record = small_record(app).await?;
        poison(&mut record["samples"], "");
        let files = Files::new()?;
        let found = verdict(app, &files.write("harm.json", &record.to_string())?).await?;
        ensure!(found.starts_with("Inconsistent"), "{found}");
        unharmed(app).await?;
        app.go("#/results").await?;
        let ids: Vec<String> = crate::list::listed(app).await?.into_iter().map(|it| it.0).collect();
        ensure!(ids.len() == record["samples"].as_array().map_or(0, Vec::len), "rows are missing");
        for id in ids.iter().take(5) {
            app.go("#/results").await?;
            app.open_sample(id).await?;
            let shown = app.text("sample-answer").await?;
            ensure!(shown.contains("<script>window.harmed"), "{id}: {shown:?}");
            unharmed(app).await?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_is_no_record_is_refused_with_the_reason() -> Result<()> {
    play("refused", Setup::default(), async |app| {
        let good = small_record(app).await?;
        let files = Files::new()?;
        let with = |path: &str, value: Value| -> Result<String> {
            let mut record = good.clone();
            *record.pointer_mut(path).with_context(|| format!("no {path}"))? = value;
            Ok(record.to_string())
        };
        let mut poisoned = good.clone();
        poison_all(&mut poisoned);
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let nested = with("/samples/0/messages", json!("deep"))?.replacen("\"deep\"", &deep, 1);
        let long = "x".repeat(usize::try_from(Limits::PAGE.value)? + (2 << 20));
        for (name, text, reason) in [
            ("texts", poisoned.to_string(), "expected a record of api-bank-record"),
            ("nothing", String::new(), "this is no run record"),
            ("prose", "This is a run record.".to_owned(), "this is no run record"),
            ("cut", good.to_string().chars().take(2000).collect(), "this is no run record"),
            ("kind", with("/schema", json!("another"))?, "got another version"),
            ("version", with("/schema_version", json!(99))?, "version 99"),
            ("counts", with("/planned", json!("many"))?, "planned"),
            ("samples", with("/samples", json!({"a": 1}))?, "this is no run record"),
            ("negative", with("/trials", json!(-1))?, "trials"),
            ("nested", nested, "this is no run record"),
            ("long", with("/samples/0/outcome", json!(long))?, "too large"),
        ] {
            let file = files.write(&format!("{name}.json"), &text)?;
            let message = refusal(app, &file).await?;
            ensure!(
                message.starts_with(&format!("{name}.json: ")),
                "{message:?} does not name {name}"
            );
            ensure!(message.contains(reason), "{name}: {message:?} does not say {reason:?}");
            unharmed(app).await?;
        }
        // Larger than the page's limit: a sparse file.
        let huge = files.write("huge.json", "")?;
        fs::File::options().write(true).open(&huge)?.set_len(Limits::PAGE.bytes + 1)?;
        let message = refusal(app, &huge).await?;
        ensure!(message.contains("too large"), "{message:?}");
        // The engine still works.
        let found = verdict(app, &files.write("good.json", &good.to_string())?).await?;
        ensure!(found.starts_with("Consistent"), "{found}");
        Record::from_json(&good.to_string()).context("the good one is one").map(drop)
    })
    .await
}
