//! Runs `finish` on a small site.

use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

const INDEX: &str = r#"<!doctype html>
<link rel="icon" href="./icon.svg">
<link rel="stylesheet" href="./app.css"/>
<link rel="modulepreload" href="./app.js">
<link rel="preload" href="./app_bg.wasm" as="fetch">
<script type="module" src="./boot.js"></script>
<script type="application/json" id="assets">
{ "worker": { "url": "./worker.js", "integrity": "integrity-of:worker.js" } }
</script>
"#;

const FILES: [(&str, &str); 9] = [
    ("index.html", INDEX),
    ("icon.svg", "<svg/>"),
    ("app.css", "body { background: url(icon.svg) }"),
    (
        "app.js",
        "import * as a from './snippets/x-1/inline0.js'; new URL('app_bg.wasm', import.meta.url);",
    ),
    ("app_bg.wasm", "page code"),
    (
        "boot.js",
        "// `integrity-of:NAME` is explained here\nfetch(\"./app_bg.wasm\", {integrity: \"integrity-of:app_bg.wasm\"}); import(\"./app.js\")",
    ),
    ("worker.js", "worker();"),
    ("snippets/x-1/inline0.js", "import \"../y-2/inline0.js\";"),
    ("snippets/y-2/inline0.js", "export const n = 1;"),
];

const SERVICE_WORKER_TEXT: &str = "// \"site-files\" is explained\nconst F = \"site-files\";\n\
                                   const H = \"isolation-headers\";\nconst V = \"site-version\";\n";

struct Sample {
    dir: TempDir,
}

impl Sample {
    fn new(changes: &[(&str, &str)]) -> Result<Self> {
        let sample = Self { dir: tempfile::tempdir()? };
        for (path, text) in FILES.iter().chain(changes) {
            let file = sample.from().join(path);
            fs::create_dir_all(file.parent().context("a folder")?)?;
            fs::write(file, text)?;
        }
        fs::create_dir(sample.to())?;
        Ok(sample)
    }

    fn from(&self) -> PathBuf {
        self.dir.path().join("from")
    }

    fn to(&self) -> PathBuf {
        self.dir.path().join("to")
    }

    fn finish(&self) -> Result<Vec<SiteFile>> {
        finish(&self.from(), &self.to())
    }

    /// The name and text of the finished file `stem-*.extension` or `stem.extension`.
    fn read(&self, stem: &str, extension: &str) -> Result<(String, String)> {
        let mut names: Vec<String> = fs::read_dir(self.to())?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<Result<_>>()?;
        names.retain(|name| {
            let start = name.split(['-', '.']).next() == Some(stem);
            start && name.ends_with(extension)
        });
        ensure!(names.len() == 1, "one file is {stem}.{extension}: {names:?}");
        let text = fs::read_to_string(self.to().join(&names[0]))?;
        Ok((names.remove(0), text))
    }
}

#[test]
fn every_name_is_the_digest_of_the_content() -> Result<()> {
    let sample = Sample::new(&[])?;
    let files = sample.finish()?;
    assert_eq!(files.len(), FILES.len());
    for file in files {
        let bytes = fs::read(sample.to().join(&file.name))?;
        assert_eq!(file.integrity, digest::integrity(&bytes));
        assert_eq!(file.bytes, bytes.len());
        let hash = &digest::hex(&bytes)[..HASH_DIGITS];
        assert!(file.name == PAGE || file.name.contains(hash), "{}", file.name);
    }
    Ok(())
}

#[test]
fn what_points_to_a_file_follows_its_name() -> Result<()> {
    let sample = Sample::new(&[])?;
    sample.finish()?;
    let (_, page) = sample.read("index", "html")?;
    let (_, app_text) = sample.read("app", "js")?;
    let (wasm, wasm_text) = sample.read("app_bg", "wasm")?;
    assert!(app_text.contains(&format!("'./{wasm}'")), "{app_text}");
    let (_, boot) = sample.read("boot", "js")?;
    let digest = digest::integrity(wasm_text.as_bytes());
    assert!(boot.contains(&format!("integrity: \"{digest}\"")), "{boot}");
    assert!(boot.contains("`integrity-of:NAME` is explained"), "{boot}");
    let (worker, worker_text) = sample.read("worker", "js")?;
    let digest = digest::integrity(worker_text.as_bytes());
    assert!(page.contains(&format!(r#""url": "./{worker}", "integrity": "{digest}""#)), "{page}");
    Ok(())
}

#[test]
fn scripts_and_styles_carry_their_digest_and_icons_none() -> Result<()> {
    let sample = Sample::new(&[])?;
    sample.finish()?;
    let (_, page) = sample.read("index", "html")?;
    let (boot, boot_text) = sample.read("boot", "js")?;
    let tag = format!(
        r#"<script type="module" src="./{boot}" integrity="{}"></script>"#,
        digest::integrity(boot_text.as_bytes())
    );
    assert!(page.contains(&tag), "{page}");
    assert_eq!(page.matches(" integrity=\"").count(), 3, "{page}");
    let (style, style_text) = sample.read("app", "css")?;
    let tag = format!(
        r#"<link rel="stylesheet" href="./{style}" integrity="{}"/>"#,
        digest::integrity(style_text.as_bytes())
    );
    assert!(page.contains(&tag), "{page}");
    let (icon, _) = sample.read("icon", "svg")?;
    assert!(page.contains(&format!(r#"<link rel="icon" href="./{icon}">"#)), "{page}");
    Ok(())
}

#[test]
fn a_change_deep_down_renames_all_that_lead_to_it() -> Result<()> {
    let before = Sample::new(&[])?;
    before.finish()?;
    let after = Sample::new(&[("snippets/y-2/inline0.js", "export const n = 2;")])?;
    after.finish()?;
    assert_ne!(before.read("boot", "js")?.0, after.read("boot", "js")?.0);
    assert_eq!(before.read("worker", "js")?.0, after.read("worker", "js")?.0);
    assert_eq!(before.read("app_bg", "wasm")?.0, after.read("app_bg", "wasm")?.0);
    Ok(())
}

#[test]
fn what_the_page_does_not_lead_to_is_left_out() -> Result<()> {
    let sample = Sample::new(&[("snippets/old-9/inline0.js", "stale()")])?;
    assert_eq!(sample.finish()?.len(), FILES.len());
    Ok(())
}

#[test]
fn the_leaderboard_leads_to_its_records_and_to_nothing_else() -> Result<()> {
    let page = INDEX.replace(
        "<script type=\"module\"",
        "<link href=\"./leaderboard.json\"><script type=\"module\"",
    );
    let table =
        r#"[{"model": "app.js", "url": "./a-1.json.gz", "integrity": "integrity-of:a-1.json.gz"}]"#;
    let sample = Sample::new(&[
        ("index.html", &page),
        ("leaderboard.json", table),
        ("a-1.json.gz", "record"),
        ("service-worker.js", SERVICE_WORKER_TEXT),
    ])?;
    let files = sample.finish()?;
    let record = files.iter().find(|file| file.name.ends_with(".json.gz")).context("the record")?;
    let (name, table) = sample.read("leaderboard", "json")?;
    let expected = format!(
        r#"[{{"model": "app.js", "url": "./{}", "integrity": "{}"}}]"#,
        record.name, record.integrity
    );
    assert_eq!(table, expected);
    let worker = fs::read_to_string(sample.to().join(SERVICE_WORKER))?;
    assert!(worker.contains(&name) && !worker.contains(&record.name), "{worker}");
    Ok(())
}

#[test]
fn broken_sites_are_refused() -> Result<()> {
    let missing = INDEX.replace("./boot.js", "./gone.js");
    let digest_of_none = INDEX.replace("integrity-of:worker.js", "integrity-of:gone.js");
    let cases: [(&str, &str, &str); 4] = [
        ("index.html", &missing, "points to \"./gone.js\""),
        ("index.html", &digest_of_none, "no such file to take the digest of"),
        ("snippets/y-2/inline0.js", "import '../x-1/inline0.js'", "points to itself"),
        ("index.html", "<link href=\"https://elsewhere.example/a.css\">", "points to"),
    ];
    for (path, text, expected) in cases {
        let error = Sample::new(&[(path, text)])?.finish().expect_err(expected);
        assert!(error.to_string().contains(expected), "{error}");
    }
    Ok(())
}

#[test]
fn the_service_worker_keeps_its_name_and_lists_all_others() -> Result<()> {
    let boot = "fetch(\"./app_bg.wasm\"); import(\"./app.js\"); register(\"./service-worker.js\")";
    let built = |style: &str| -> Result<(Vec<SiteFile>, String)> {
        let sample = Sample::new(&[
            ("service-worker.js", SERVICE_WORKER_TEXT),
            ("boot.js", boot),
            ("app.css", style),
        ])?;
        let files = sample.finish()?;
        let (_, boot) = sample.read("boot", "js")?;
        assert!(boot.contains("\"./service-worker.js\""), "{boot}");
        Ok((files, fs::read_to_string(sample.to().join("service-worker.js"))?))
    };
    let (files, worker) = built("body {}")?;
    assert_eq!(files.len(), FILES.len() + 1);
    for file in &files {
        let entry = format!("[\"{}\",\"{}\"]", file.name, file.integrity);
        let apart = [PAGE, "service-worker.js"].contains(&file.name.as_str());
        assert_eq!(worker.contains(&entry), !apart, "{}: {worker}", file.name);
    }
    assert!(worker.starts_with("// \"site-files\" is explained\n"), "{worker}");
    let headers = "const H = [[\"Cross-Origin-Opener-Policy\",\"same-origin\"],\
                   [\"Cross-Origin-Embedder-Policy\",\"credentialless\"]];";
    assert!(worker.contains(headers), "{worker}");
    let version = |worker: &str| worker.lines().last().map(str::to_owned);
    let (_, other) = built("main {}")?;
    assert_ne!(version(&worker), version(&other), "a changed file must change the version");

    let picture = INDEX.replace("./icon.svg", "./llama.svg");
    let changes = [("service-worker.js", SERVICE_WORKER_TEXT), ("index.html", &*picture)];
    let boot = [("llama.svg", "<svg/>"), ("boot.js", boot)];
    let error = Sample::new(&[&changes[..], &boot].concat())?.finish().expect_err("not kept");
    assert!(error.to_string().contains("names llama.svg"), "{error}");

    let error = Sample::new(&[("service-worker.js", "self")])?.finish().expect_err("no place");
    assert!(error.to_string().contains("site-files"), "{error}");
    Ok(())
}
