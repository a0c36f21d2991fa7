//! The Search lab: figures as the engine has them natively, the user's model, what can't be read, a
//! cancelled evaluation.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result, ensure};
use ranking::{
    Corpus, Evaluation, Measure, Query, QueryFiles, QueryKind, Rankings, Retriever, difference,
    misses, rows,
};
use retrieval::Bm25Parameters;
use serde_json::Value;
use thirtyfour::prelude::*;

use crate::{
    app::App,
    browser::Setup,
    native,
    proxy::Proxy,
    stage::{dist, file, play},
    wait::{Found, LONG, SOON, until},
};

/// The measures of the page's table, from left to right.
const MEASURES: [Measure; 7] = [
    Measure::Recall(1),
    Measure::Recall(3),
    Measure::Recall(5),
    Measure::Recall(10),
    Measure::Ndcg(10),
    Measure::ReciprocalRank,
    Measure::Completeness(5),
];

/// What the page says of the pool.
fn pool() -> String {
    format!("pool by suite: {} tools", apis::registry::all().count())
}

/// The built-in model and BM25 on a corpus, natively.
fn natively(dist: &Path, corpus: Corpus, kind: QueryKind) -> Result<[Rankings; 2]> {
    let queries = Query::builtin(&dataset::builtin()?, QueryFiles::BUILTIN, kind)?;
    let (corpus, queries): (_, Arc<[Query]>) = (Arc::new(corpus), queries.into());
    let encoder = Arc::new(native::encoder(dist)?);
    let builtin = Retriever::Encoder { name: "builtin".to_owned(), encoder };
    let run = |retriever| {
        let new = Evaluation::new(retriever, Arc::clone(&corpus), Arc::clone(&queries));
        new.complete(&|| 0.0, |_| {})
    };
    Ok([run(builtin)?, run(Retriever::Bm25(Bm25Parameters::default()))?])
}

/// Compares every figure of a row with a run.
async fn see_row(app: &App, at: usize, run: &Rankings) -> Result<()> {
    let row = rows(run).into_iter().next().context("a row")?;
    for (column, measure) in MEASURES.into_iter().enumerate() {
        let found = row.estimates.iter().find(|it| it.measure == measure).context("an estimate")?;
        let expected = format!("{:.1} %", 100.0 * found.mean);
        let shown = app.text(&format!("lab-cell-{at}-{column}")).await?;
        let (name, title) = (&run.retriever, measure.title());
        ensure!(shown == expected, "{name}, {title}: the page says {shown}, the engine {expected}");
    }
    Ok(())
}

/// Gives files to one of the page's inputs.
async fn give(app: &App, hook: &str, files: &[PathBuf]) -> Result<()> {
    let paths: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let input = app.driver().find(By::Css(format!("[data-test=\"{hook}\"]"))).await?;
    input.send_keys(paths.join("\n")).await.context("can't choose files")
}

async fn differences_are_the_engines(app: &App, [first, second]: &[Rankings; 2]) -> Result<()> {
    let shown = app.text("lab-differences").await?;
    for measure in [Measure::Recall(1), Measure::Recall(5), Measure::Ndcg(10)] {
        let found = difference(first, second, measure).context("a difference")?;
        let expected = format!("{:+.1}", 100.0 * found.difference);
        ensure!(shown.contains(&expected), "{}: {expected} is not in {shown}", measure.title());
    }
    Ok(())
}

async fn misses_are_listed_and_filtered(app: &App, run: &Rankings) -> Result<()> {
    let missed = misses(run, 5);
    let one = missed.first().context("bm25 misses something")?;
    app.press("lab-misses-1").await?;
    let about = format!("{} of {} queries", missed.len(), run.queries.len());
    app.see("lab-missed", SOON, |text| text.starts_with(&about)).await?;
    let (needed, _) = one.relevant.first().context("a tool")?;
    app.fill("lab-filter", needed).await?;
    let list = app.see("lab-miss-list", SOON, |text| text.contains(needed.as_str())).await?;
    let text = &run.queries[one.query].text;
    ensure!(list.contains(text.as_str()), "{text} is not in {list}");
    for (name, _) in &one.neighbours {
        ensure!(list.contains(name.as_str()), "{name} came first, but is not in {list}");
    }
    app.fill("lab-filter", "no query has this").await?;
    app.see("lab-missed", SOON, |text| text.contains(" 0 match the filter")).await?;
    // The driver's clearing is no input.
    app.script(
        "const it = document.querySelector('[data-test=\"lab-filter\"]');
         it.value = ''; it.dispatchEvent(new Event('input'))",
    )
    .await?;
    app.see("lab-miss-list", SOON, |list| list.contains(text.as_str())).await.map(drop)
}

/// A typed query gets hits, a place on the map, and lines to what it finds.
async fn a_query_is_placed(app: &App) -> Result<()> {
    app.fill("lab-text", "wake me up at seven").await?;
    let hits = app.see("lab-hits", LONG, |text| text.contains("AddAlarm")).await?;
    ensure!(hits.contains("builtin") && hits.contains("bm25"), "{hits}");
    app.element("lab-query-place").await?;
    // The map's points are one stop of the keyboard.
    let stops = "return document.querySelectorAll('.lab-point[tabindex=\"0\"]').length";
    ensure!(app.script(stops).await? == 1, "several stops");
    app.script("document.querySelector('.lab-point[tabindex=\"0\"]').focus()").await?;
    app.driver().active_element().await?.send_keys(Key::Right + "").await?;
    let name = app.script("return document.activeElement.getAttribute('aria-label')").await?;
    let name =
        name.as_str().context("a named point")?.split(',').next().unwrap_or_default().to_owned();
    until("the name of the point", SOON, async || {
        let labels =
            "return [...document.querySelectorAll('.lab-label')].map(it => it.textContent)";
        let labels: Vec<String> = serde_json::from_value(app.script(labels).await?)?;
        let is_there = labels.contains(&name);
        Ok(if is_there { Found::Yes(()) } else { Found::NotYet(format!("{labels:?}")) })
    })
    .await
}

/// What a button copies.
async fn copied(app: &App, hook: &str) -> Result<String> {
    app.script(
        "Object.defineProperty(navigator, 'clipboard', { configurable: true, value: {
             writeText: text => { window.copied = text; return Promise.resolve(); } } })",
    )
    .await?;
    app.press(hook).await?;
    until("a copied text", SOON, async || {
        let text = app.script("return window.copied ?? null").await?;
        Ok(text
            .as_str()
            .map_or(Found::NotYet("nothing".to_owned()), |it| Found::Yes(it.to_owned())))
    })
    .await
}

#[tokio::test]
async fn search_lab_has_the_engines_figures_and_asks_no_other_host() -> Result<()> {
    if dist()?.is_none() {
        return Ok(());
    }
    let proxy = Proxy::start().await?;
    let setup = Setup { proxy: Some(proxy.address), ..Setup::default() };
    play("search-lab", setup, async |app| {
        app.go("#/search-lab").await?;
        app.element("lab-standard").await?;
        app.picture_here("search-lab-empty").await?;
        app.press("lab-standard").await?;
        app.see("lab-about", LONG, |text| text.starts_with(&pool())).await?;
        let runs = natively(&app.dist, Corpus::by_suite(), QueryKind::Gold)?;
        for (at, run) in runs.iter().enumerate() {
            see_row(app, at, run).await?;
        }
        differences_are_the_engines(app, &runs).await?;
        misses_are_listed_and_filtered(app, &runs[1]).await?;
        a_query_is_placed(app).await?;
        let table = copied(app, "lab-csv").await?;
        let recall = rows(&runs[0])[0].estimates[0].mean;
        let count = runs[0].queries.len();
        let start = format!("\"builtin\",\"pool by suite\",\"all\",{count},{recall:.6}");
        ensure!(table.contains(&start), "{start} is not in {table}");
        app.script("delete window.copied").await?;
        let json: Value = serde_json::from_str(&copied(app, "lab-json").await?)?;
        ensure!(json["runs"][1]["retriever"] == "bm25", "{json}");
        app.script("document.querySelector('[data-test=\"lab-groups\"]').open = true").await?;
        app.picture_here("search-lab").await?;
        // The training set's tools are fetched when they are needed.
        let fetched = || proxy.requests().iter().any(|it| it.url.contains("training-tools"));
        ensure!(!fetched(), "the training set was fetched early");
        app.press("lab-corpus-training").await?;
        app.press("lab-retriever-builtin").await?;
        app.press("lab-start").await?;
        app.see("lab-about", LONG, |text| text.starts_with("pool + training")).await?;
        ensure!(fetched(), "nothing was fetched");
        let left = crate::isolation::elsewhere(&proxy, app);
        ensure!(left.is_empty(), "requests went elsewhere: {left:?}");
        Ok(())
    })
    .await
}

/// All built-in queries in the page: shares, misses with their cosines, and the map, which every
/// coordinate of the vectors decides, are natively the same to the last bit.
#[tokio::test]
async fn search_lab_computes_the_bits_of_the_native_engine() -> Result<()> {
    play("search-lab-bits", Setup::default(), async |app| {
        app.go("#/search-lab").await?;
        app.press("lab-standard").await?;
        app.see("lab-about", LONG, |text| text.starts_with(&pool())).await?;
        for kind in QueryKind::BUILTIN.into_iter().filter(|kind| *kind != QueryKind::Gold) {
            app.press(&format!("lab-queries-{}", kind.as_str())).await?;
        }
        app.press("lab-start").await?;
        let pack = dataset::builtin()?;
        let queries = QueryKind::BUILTIN.into_iter();
        let queries = queries.map(|kind| Query::builtin(&pack, QueryFiles::BUILTIN, kind));
        let queries: Vec<Query> = queries.collect::<Result<Vec<_>, _>>()?.concat();
        let count = queries.len();
        let encoder = Arc::new(native::encoder(&app.dist)?);
        let builtin = Retriever::Encoder { name: "builtin".to_owned(), encoder };
        let run = Evaluation::new(builtin, Arc::new(Corpus::by_suite()), queries.into());
        let run = run.complete(&|| 0.0, |_| {})?;
        let json = until("the result of all queries", LONG, async || {
            app.script("delete window.copied").await?;
            let json: Value = serde_json::from_str(&copied(app, "lab-json").await?)?;
            let is_all = json["queries"] == count;
            Ok(if is_all { Found::Yes(json) } else { Found::NotYet(json["queries"].to_string()) })
        })
        .await?;
        let page = &json["runs"][0];
        let figures: Vec<Value> = rows(&run)[0]
            .estimates
            .iter()
            .filter(|estimate| MEASURES.contains(&estimate.measure))
            .map(|estimate| Value::from(estimate.mean))
            .collect();
        let shown = page["rows"][0]["estimates"].as_array().context("estimates")?;
        let shown: Vec<Value> = shown.iter().map(|row| row[0].clone()).collect();
        ensure!(shown.len() == figures.len(), "{shown:?}");
        for figure in &figures {
            ensure!(shown.contains(figure), "{figure} is not in {shown:?}");
        }
        let places: Vec<Value> =
            page["map"].as_array().context("a map")?.iter().map(|it| it["at"].clone()).collect();
        let native =
            ranking::projected(&run.vectors).into_iter().map(|at| Value::from(at.to_vec()));
        ensure!(places == native.collect::<Vec<_>>(), "the maps differ");
        let missed = misses(&run, 5);
        ensure!(page["missed"] == missed.len(), "{} misses, not {}", page["missed"], missed.len());
        for (page, native) in page["misses"].as_array().context("misses")?.iter().zip(&missed) {
            let expected = serde_json::to_value(&native.neighbours)?;
            ensure!(page["neighbours"] == expected, "{}, not {expected}", page["neighbours"]);
        }
        Ok(())
    })
    .await
}

/// An ONNX file whose graph has identities and no outputs, in protobuf's wire format.
fn graph_without_outputs(nodes: usize) -> Vec<u8> {
    let field = |number: u8, bytes: &[u8]| {
        let mut out = vec![number << 3 | 2];
        let mut length = bytes.len();
        while length >= 0x80 {
            out.push(length as u8 | 0x80);
            length >>= 7;
        }
        out.push(length as u8);
        [out.as_slice(), bytes].concat()
    };
    let node = [field(1, b"a"), field(2, b"b"), field(4, b"Identity")].concat();
    let graph = field(1, &node).repeat(nodes);
    // The format's version 8; the operators' version 13.
    [&[0x08, 8][..], &field(7, &graph), &field(8, &[0x10, 13])].concat()
}

#[tokio::test]
async fn search_lab_takes_a_model_and_lists_of_the_user() -> Result<()> {
    play("search-lab-own", Setup::default(), async |app| {
        let (onnx, vocabulary) = native::model_files(&app.dist)?;
        let (model, vocab) = (file("model.onnx", &onnx)?, file("vocab.txt", &vocabulary)?);
        app.go("#/search-lab").await?;
        app.element("lab-start").await?;
        // What can't be read is named with the remedy, and loses nothing.
        give(app, "lab-model", std::slice::from_ref(&vocab)).await?;
        app.see("lab-model-refused", LONG, |text| text.contains("expected model.onnx")).await?;
        give(app, "lab-model", std::slice::from_ref(&model)).await?;
        app.see("lab-model-refused", LONG, |text| text.contains("tokenizer.json or vocab.txt"))
            .await?;
        let cut = file("cut.onnx", &onnx[..onnx.len() / 2])?;
        give(app, "lab-model", &[cut, vocab.clone()]).await?;
        app.see("lab-model-refused", LONG, |text| text.starts_with("cut.onnx: model: ")).await?;
        // A graph without outputs, and one that would take minutes, stop nothing else.
        let bare = file("bare.onnx", &graph_without_outputs(1))?;
        give(app, "lab-model", &[bare, vocab.clone()]).await?;
        app.see("lab-model-refused", LONG, |text| text.contains("bare.onnx")).await?;
        let many = file("many.onnx", &graph_without_outputs(100_000))?;
        give(app, "lab-model", &[many, vocab.clone()]).await?;
        app.see("lab-model-refused", LONG, |text| text.contains("at most 20000 nodes")).await?;
        give(app, "lab-model", &[model, vocab]).await?;
        let facts = app.see("lab-model-facts", LONG, |text| text.contains("model")).await?;
        ensure!(!app.has("lab-model-refused").await?, "an old error is shown beside {facts}");
        app.script("document.querySelector('[data-test=\"lab-model-facts\"] details').open = true")
            .await?;
        let facts = app.text("lab-model-facts").await?;
        for fact in ["384", "mean", "128", &retrieval::sha256_hex(&onnx)] {
            ensure!(facts.contains(fact), "{fact} is missing: {facts}");
        }
        app.press("lab-start").await?;
        app.see("lab-about", LONG, |text| text.starts_with("pool by suite")).await?;
        let runs = natively(&app.dist, Corpus::by_suite(), QueryKind::Gold)?;
        see_row(app, 0, &runs[0]).await?;
        // The user's model, which is the built-in one, is the third.
        see_row(app, 2, &runs[0]).await?;
        app.picture_here("search-lab-own").await?;

        give(app, "lab-queries", &[file("broken.jsonl", b"{\"id\": 1}")?]).await?;
        app.see("lab-queries-said", LONG, |text| text.contains("line 1: query: expected a text"))
            .await?;
        give(app, "lab-tools", &[file("wrong.json", br#"{"tools": 3}"#)?]).await?;
        app.see("lab-tools-said", LONG, |text| text.contains("tools: expected a list")).await?;
        let tools = br#"[{"name": "brew", "description": "Makes coffee."},
                         {"name": "sweep", "description": "Cleans the floor."}]"#;
        give(app, "lab-tools", &[file("tools.json", tools)?]).await?;
        app.see("lab-tools-said", LONG, |text| text.contains("2 entries")).await?;
        app.element("lab-own-tools").await?;
        // Without queries, the tools are indexed for single searches.
        app.press("lab-start").await?;
        app.see("lab-about", LONG, |text| text.starts_with("tools.json: 2 tools, 0")).await?;
        app.fill("lab-text", "coffee please").await?;
        app.see("lab-hits", LONG, |text| text.contains("brew")).await?;
        let queries = br#"{"id": "q", "query": "a cup of coffee", "labels": ["brew"]}"#;
        give(app, "lab-queries", &[file("queries.jsonl", queries)?]).await?;
        app.see("lab-queries-said", LONG, |text| text.contains("1 entries")).await?;
        app.press("lab-start").await?;
        app.see("lab-about", LONG, |text| text.starts_with("tools.json: 2 tools, 1")).await?;
        app.see("lab-cell-1-0", SOON, |text| text == "100.0 %").await.map(drop)
    })
    .await
}

#[tokio::test]
async fn search_lab_is_cancelled_and_compares_again() -> Result<()> {
    play("search-lab-cancel", Setup::default(), async |app| {
        app.go("#/search-lab").await?;
        app.press("lab-corpus-distractors").await?;
        app.press("lab-start").await?;
        app.see("lab-progress", LONG, |text| text.contains("builtin") && text.contains(" of "))
            .await?;
        app.picture_here("search-lab-progress").await?;
        app.press("lab-cancel").await?;
        app.see("lab-trouble", LONG, |text| text == "Cancelled").await?;
        ensure!(!app.has("lab-report").await?, "a cancelled evaluation has a result");
        app.press("lab-retriever-builtin").await?;
        app.press("lab-retriever-bm25").await?;
        app.see("lab-problem", SOON, |text| text.contains("choose 1 to 4")).await?;
        app.press("lab-retriever-random").await?;
        app.fill("lab-seed", "x").await?;
        app.see("lab-problem", SOON, |text| text.contains("whole number")).await?;
        app.fill("lab-seed", "2").await?;
        app.press("lab-start").await?;
        app.see("lab-about", LONG, |text| text.contains("2,070 tools")).await?;
        ensure!(!app.has("lab-trouble").await?, "an old message is shown");
        let recall = app.text("lab-cell-0-0").await?;
        let recall: f64 = recall.trim_end_matches(" %").parse()?;
        ensure!(recall < 5.0, "a random order finds {recall} %");
        Ok(())
    })
    .await
}
