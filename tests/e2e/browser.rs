//! A headless Chromium with its driver, both of this test alone.

use std::{
    env, fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;
use thirtyfour::prelude::*;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

/// How long the driver may take to start.
const START: Duration = Duration::from_secs(30);
/// What the driver prints once it listens, in front of its port.
const LISTENING: &str = "started successfully on port ";

/// How a browser is started.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Where below its origin the site is served.
    pub prefix: &'static str,
    /// Size of the window in CSS pixels.
    pub window: (u32, u32),
    /// A proxy that every request goes through, those to this machine included.
    pub proxy: Option<SocketAddr>,
    /// A profile that outlives the browser; `None` for a fresh one.
    pub profile: Option<PathBuf>,
    /// What errors in the console hold that the test brings about.
    pub errors: &'static [&'static str],
}

impl Default for Setup {
    fn default() -> Self {
        Setup { prefix: "/", window: (1280, 900), proxy: None, profile: None, errors: &[] }
    }
}

/// A running browser.
pub struct Browser {
    /// The session.
    pub driver: WebDriver,
    /// The driver's process, the browser's ancestor.
    pub chromedriver: Child,
    /// Profile and downloads; removed at the end.
    dir: TempDir,
}

impl Browser {
    /// Starts driver and browser.
    ///
    /// # Errors
    /// When one of them does not start.
    pub async fn start(setup: &Setup) -> Result<Self> {
        let dir = tempfile::tempdir().context("a folder for the browser's profile")?;
        fs::create_dir(dir.path().join("downloads"))?;
        let (chromedriver, port) = start_chromedriver().await?;
        let capabilities = capabilities(setup, dir.path())?;
        let driver = WebDriver::builder(format!("http://127.0.0.1:{port}"), capabilities)
            .request_timeout(Duration::from_secs(60))
            .await
            .context("Chromium does not start")?;
        let browser = Browser { driver, chromedriver, dir };
        let (width, height) = setup.window;
        browser.resize(width, height).await?;
        Ok(browser)
    }

    /// The folder that downloads go to.
    pub fn downloads(&self) -> PathBuf {
        self.dir.path().join("downloads")
    }

    /// Makes the page as large as a screen of this size, down to that of a phone.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn resize(&self, width: u32, height: u32) -> Result<()> {
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
        });
        self.cdp("Emulation.setDeviceMetricsOverride", metrics).await
    }

    /// Makes the system's theme light or dark.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn prefer(&self, theme: &str) -> Result<()> {
        self.emulate("", "prefers-color-scheme", theme).await
    }

    /// Shows the page as for a medium, `print` for example, and with a preference of the user's.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn emulate(&self, media: &str, feature: &str, value: &str) -> Result<()> {
        let features = json!([{ "name": feature, "value": value }]);
        let all = json!({ "media": media, "features": features });
        self.cdp("Emulation.setEmulatedMedia", all).await
    }

    /// Sends a command of the DevTools protocol.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn cdp(&self, method: &str, parameters: Value) -> Result<()> {
        self.driver
            .cdp()
            .send_raw(method, parameters)
            .await
            .map(drop)
            .with_context(|| format!("the browser refused {method}"))
    }

    /// The lines of the console since the last time, those of the worker included.
    ///
    /// # Errors
    /// When the driver does not answer.
    pub async fn console(&self) -> Result<Vec<String>> {
        let entries = self.driver.browser_log().await.context("can't read the console")?;
        Ok(entries.into_iter().map(|entry| format!("{} {}", entry.level, entry.message)).collect())
    }

    /// Keeps what helps to understand a failure; says so when even that fails.
    pub async fn report_failure(&self, name: &str) {
        let dir = screenshots().join("failed");
        let file = dir.join(format!("{name}.png"));
        let saved = match fs::create_dir_all(&dir) {
            Ok(()) => self.driver.screenshot(&file).await.is_ok(),
            Err(_) => false,
        };
        let console = self.console().await.unwrap_or_default();
        let address = self.driver.current_url().await.map(|url| url.to_string());
        eprintln!("{name}: at {}", address.unwrap_or_default());
        if saved {
            eprintln!("{name}: screenshot in {}", file.display());
        }
        for line in console {
            eprintln!("{name}: console: {line}");
        }
    }

    /// Ends the browser as a crash would, without a word to it, and the driver.
    ///
    /// # Errors
    /// When its process can't be found or ended.
    pub async fn kill(mut self, profile: &Path) -> Result<()> {
        // The name of its process stands in the profile's lock: `<host>-<process id>`.
        let lock = fs::read_link(profile.join("SingletonLock")).context("the profile's lock")?;
        let name = lock.to_string_lossy().into_owned();
        let process = name.rsplit('-').next().context("a process id")?.to_owned();
        let ended = Command::new("kill").args(["-9", &process]).status().await?;
        anyhow::ensure!(ended.success(), "the browser, process {process}, can't be ended");
        self.chromedriver.kill().await.context("chromedriver did not end")?;
        // Its session is gone with it: closing it would wait for an answer.
        self.driver.leak()?;
        Ok(())
    }

    /// Ends browser and driver.
    pub async fn quit(mut self) {
        if let Err(error) = self.driver.quit().await {
            eprintln!("the browser did not quit: {error}");
        }
        // Its own command would do as well, and leave a zombie.
        if let Err(error) = self.chromedriver.kill().await {
            eprintln!("chromedriver did not end: {error}");
        }
    }
}

/// Where pictures of the pages are kept.
pub fn screenshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/screenshots")
}

async fn start_chromedriver() -> Result<(Child, u16)> {
    let program = named("API_BANK_CHROMEDRIVER", "chromedriver");
    let mut child = Command::new(&program)
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("can't start {program}: install it, or run `cargo xtask test`"))?;
    let output = child.stdout.take().context("the driver's output")?;
    let mut lines = BufReader::new(output).lines();
    let port = timeout(START, async {
        while let Some(line) = lines.next_line().await? {
            if let Some((_, rest)) = line.split_once(LISTENING) {
                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                return digits.parse().with_context(|| format!("no port in {line:?}"));
            }
        }
        bail!("{program} ended without listening")
    })
    .await
    .with_context(|| format!("{program} did not listen within {START:?}"))??;
    // Read on to the end: a full pipe would stop the driver.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Ok((child, port))
}

fn named(variable: &str, default: &str) -> String {
    env::var(variable).ok().filter(|value| !value.is_empty()).unwrap_or_else(|| default.to_owned())
}

fn capabilities(setup: &Setup, dir: &Path) -> Result<Capabilities> {
    let mut arguments: Vec<String> = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-default-apps",
        "--disable-extensions",
        "--disable-sync",
        "--disable-domain-reliability",
        "--disable-client-side-phishing-detection",
        "--disable-features=OptimizationHints,MediaRouter,Translate,\
         AutofillServerCommunication,PreconnectToSearch,NavigationPredictor,NetworkTimeServiceQuerying",
        "--metrics-recording-only",
        "--hide-scrollbars",
        "--lang=en-US",
    ]
    .map(str::to_owned)
    .into();
    let profile = setup.profile.clone().unwrap_or_else(|| dir.join("profile"));
    arguments.push(format!("--user-data-dir={}", profile.display()));
    let (width, height) = setup.window;
    arguments.push(format!("--window-size={width},{height}"));
    if let Some(proxy) = setup.proxy {
        arguments.push(format!("--proxy-server=http://{proxy}"));
        // Chromium leaves this machine out of any proxy unless told not to.
        arguments.push("--proxy-bypass-list=<-loopback>".to_owned());
    }
    let mut options = json!({
        "args": arguments,
        "prefs": {
            "download.default_directory": dir.join("downloads"),
            "download.prompt_for_download": false,
            // Nothing that the browser would ask for on its own account.
            "net.network_prediction_options": 2,
            "search.suggest_enabled": false,
            "credentials_enable_service": false,
            "profile.password_manager_leak_detection": false,
            "signin.allowed": false,
            "signin.allowed_on_next_startup": false,
            "homepage": "about:blank",
            "homepage_is_newtabpage": false,
        },
    });
    if let Ok(chromium) = env::var("API_BANK_CHROMIUM") {
        options["binary"] = Value::from(chromium);
    }
    let all = json!({
        "browserName": "chrome",
        "goog:chromeOptions": options,
        "goog:loggingPrefs": { "browser": "ALL" },
    });
    serde_json::from_value(all).context("the browser's capabilities")
}
