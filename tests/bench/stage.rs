//! The site with the bench page, and a browser.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use retrieval::{Encoder, Index, Search};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tempfile::TempDir;
use xtask::site_server::SiteServer;

use crate::browser::{Browser, Setup};

/// The files of the bench page.
const PAGE: [&str; 5] = ["page.html", "driver.js", "memory.js", "ours.js", "theirs.js"];
/// The peer's files: their names in the bench page and in the package.
const PEER: [(&str, &str); 3] = [
    ("script", "ort.wasm.min.mjs"),
    ("module", "ort-wasm-simd-threaded.mjs"),
    ("wasm", "ort-wasm-simd-threaded.wasm"),
];
/// The published model's name in the bench folder.
const MODEL: &str = "model.onnx";
/// The time limit per script.
const SCRIPT: Duration = Duration::from_secs(55);

/// A served site and a browser.
pub struct Stage {
    pub browser: Browser,
    /// The site's URL, with a trailing slash.
    pub url: String,
    /// Whether the peer's files are available.
    pub has_peer: bool,
    site: Site,
    _server: SiteServer,
}

/// The built site's files.
struct Site {
    dir: TempDir,
}

impl Stage {
    /// Copies the site, adds the bench page, serves both and starts a browser.
    ///
    /// # Errors
    /// When there is no site, or the browser does not start.
    pub async fn start() -> Result<Self> {
        Self::with(|_| Ok(false)).await
    }

    /// As [`Stage::start`], with the peer's files if available.
    ///
    /// # Errors
    /// As [`Stage::start`].
    pub async fn beside_peer() -> Result<Self> {
        Self::with(copy_peer).await
    }

    async fn with(more: impl FnOnce(&Path) -> Result<bool>) -> Result<Self> {
        let dist = env::var_os("API_BANK_DIST").map(PathBuf::from);
        let dist = dist.context("API_BANK_DIST names no built site: run `cargo xtask bench`")?;
        let dir = tempfile::tempdir()?;
        copy_folder(&dist, dir.path())?;
        let bench = dir.path().join("bench");
        fs::create_dir(&bench)?;
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/page");
        for file in PAGE {
            copy(&source.join(file), &bench.join(file))?;
        }
        let has_peer = more(&bench)?;
        let server = SiteServer::start(dir.path(), "/").await?;
        let browser = Browser::start(&Setup::default()).await?;
        browser.driver.set_script_timeout(SCRIPT).await?;
        let url = server.url();
        Ok(Stage { browser, url, has_peer, site: Site { dir }, _server: server })
    }

    /// Opens the bench page.
    pub async fn open_bench(&self) -> Result<()> {
        self.browser.driver.goto(format!("{}bench/page.html", self.url)).await?;
        Ok(())
    }

    /// Calls a function of the bench page and returns the resolved value.
    ///
    /// # Errors
    /// When the promise rejects.
    pub async fn call<T: DeserializeOwned>(&self, name: &str, given: &[Value]) -> Result<T> {
        let given = serde_json::to_string(given)?;
        let script = format!(
            "const done = arguments[arguments.length - 1];
             bench.{name}(...{given}).then(value => done({{ value }}), error => done({{ failed: String(error) }}))"
        );
        self.resolve(&script).await.with_context(|| format!("bench.{name}"))
    }

    /// Runs a script that calls `done` with `value` or `failed`.
    ///
    /// # Errors
    /// When the script fails.
    pub async fn resolve<T: DeserializeOwned>(&self, script: &str) -> Result<T> {
        let answer = self.browser.driver.execute_async(script, Vec::<Value>::new()).await?;
        let mut answer = answer.json().clone();
        if let Some(failed) = answer["failed"].as_str() {
            bail!("{failed}");
        }
        Ok(serde_json::from_value(answer["value"].take())?)
    }

    /// Runs a script in the page.
    pub async fn script<T: DeserializeOwned>(&self, script: &str) -> Result<T> {
        let answer = self.browser.driver.execute(script, Vec::<Value>::new()).await?;
        Ok(serde_json::from_value(answer.json().clone())?)
    }

    /// The peer's file names for the bench page.
    pub fn peer_files(&self) -> Value {
        let mut files: serde_json::Map<String, Value> = PEER
            .iter()
            .map(|(key, name)| ((*key).to_owned(), json!(format!("./{name}"))))
            .collect();
        files.insert("model".to_owned(), json!(format!("./{MODEL}")));
        Value::Object(files)
    }

    /// The site's file `NAME-HASH.EXTENSION`.
    pub fn file(&self, name: &str, extension: &str) -> Result<Vec<u8>> {
        self.site.file(name, extension)
    }

    /// API Search on the files that the site ships.
    pub fn search(&self) -> Result<Search> {
        let vocabulary = String::from_utf8(self.file("vocab", "txt")?)?;
        let encoder = Encoder::load(&self.file("model", "onnx")?, &vocabulary)?;
        Ok(Search::new(encoder, Index::from_bytes(&self.file("vectors", "bin")?)?)?)
    }
}

impl Site {
    /// The file `NAME-HASH.EXTENSION`.
    fn file(&self, name: &str, extension: &str) -> Result<Vec<u8>> {
        for entry in fs::read_dir(self.dir.path())? {
            let entry = entry?;
            let file = entry.file_name().to_string_lossy().into_owned();
            let parts =
                file.rsplit_once('.').and_then(|(stem, end)| Some((stem.rsplit_once('-')?.0, end)));
            if parts == Some((name, extension)) {
                return Ok(fs::read(entry.path())?);
            }
        }
        bail!("the site has no file {name}-….{extension}")
    }
}

/// Copies the peer's files and the published model next to the bench page.
fn copy_peer(bench: &Path) -> Result<bool> {
    let folder = |name| env::var_os(name).map(PathBuf::from);
    let (Some(peer), Some(model)) = (folder("API_BANK_BENCH_PEER"), folder("API_BANK_BENCH_ONNX"))
    else {
        println!("  SKIPPED the comparison with onnxruntime-web: its files are not there");
        return Ok(false);
    };
    for (_, name) in PEER {
        copy(&peer.join(name), &bench.join(name))?;
    }
    copy(&model, &bench.join(MODEL))?;
    Ok(true)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let page = from.join("index.html");
    ensure!(page.is_file(), "no built site in {}", from.display());
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("can't copy {}", from.display())).map(drop)
}
