//! A headless Chromium with its driver, exclusive to one test.

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
use xtask::site_server::Held;

/// The driver's startup timeout.
const START: Duration = Duration::from_secs(30);
/// The driver's output before its port, once it listens.
const LISTENING: &str = "started successfully on port ";

/// Browser settings.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The path prefix under which the site is served.
    pub prefix: &'static str,
    /// Whether the host sends no headers of the site's own.
    pub plain_host: bool,
    /// Window size in CSS pixels.
    pub window: (u32, u32),
    /// A proxy for every request, including those to this machine.
    pub proxy: Option<SocketAddr>,
    /// A persistent profile; `None` for a fresh one.
    pub profile: Option<PathBuf>,
    /// A file of the site that arrives late.
    pub held: Option<Held>,
    /// Substrings of console errors that the test provokes.
    pub errors: &'static [&'static str],
}

impl Default for Setup {
    fn default() -> Self {
        Setup {
            prefix: "/",
            plain_host: false,
            window: (1280, 900),
            proxy: None,
            profile: None,
            held: None,
            errors: &[],
        }
    }
}

/// A running browser.
pub struct Browser {
    pub driver: WebDriver,
    /// The driver's process, an ancestor of the browser's.
    pub chromedriver: Child,
    /// Profile and downloads; removed at the end.
    dir: TempDir,
}

impl Browser {
    /// Starts the driver and the browser.
    ///
    /// # Errors
    /// When either does not start.
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

    /// The download folder.
    pub fn downloads(&self) -> PathBuf {
        self.dir.path().join("downloads")
    }

    /// Resizes the page to a screen of this size, down to a phone's.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn resize(&self, width: u32, height: u32) -> Result<()> {
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
        });
        self.cdp("Emulation.setDeviceMetricsOverride", metrics).await
    }

    /// Sets the system theme to light or dark.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn prefer(&self, theme: &str) -> Result<()> {
        self.emulate("", "prefers-color-scheme", theme).await
    }

    /// Emulates a medium, such as `print`, and a user preference.
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

    /// The console lines since the last call, including the worker's.
    ///
    /// # Errors
    /// When the driver does not answer.
    pub async fn console(&self) -> Result<Vec<String>> {
        let entries = self.driver.browser_log().await.context("can't read the console")?;
        Ok(entries.into_iter().map(|entry| format!("{} {}", entry.level, entry.message)).collect())
    }

    /// Saves diagnostics of a failure; reports if even that fails.
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
        // Where nobody can open the picture.
        let alerts = "return [...document.querySelectorAll('[role=alert], [role=status]')]
            .map((it) => it.innerText).filter(Boolean)";
        if let Ok(found) = self.driver.execute(alerts, vec![]).await {
            eprintln!("{name}: alerts: {}", found.json());
        }
    }

    /// Kills the browser, as a crash would, and the driver.
    ///
    /// # Errors
    /// When the process can't be found or killed.
    pub async fn kill(mut self, profile: &Path) -> Result<()> {
        // The profile's lock names the process: `<host>-<process id>`.
        let lock = fs::read_link(profile.join("SingletonLock")).context("the profile's lock")?;
        let name = lock.to_string_lossy().into_owned();
        let process = name.rsplit('-').next().context("a process id")?.to_owned();
        let ended = Command::new("kill").args(["-9", &process]).status().await?;
        anyhow::ensure!(ended.success(), "the browser, process {process}, can't be ended");
        self.chromedriver.kill().await.context("chromedriver did not end")?;
        // The session is gone: closing it would wait for a response.
        self.driver.leak()?;
        Ok(())
    }

    /// Stops the browser and the driver.
    pub async fn quit(mut self) {
        if let Err(error) = self.driver.quit().await {
            eprintln!("the browser did not quit: {error}");
        }
        // The driver's quit command would work too, but leave a zombie.
        if let Err(error) = self.chromedriver.kill().await {
            eprintln!("chromedriver did not end: {error}");
        }
    }
}

/// The folder for screenshots.
pub fn screenshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/screenshots")
}

/// The driver, started again if it ends at once: the port that it chose for IPv4 may be taken for
/// IPv6, by another test's driver.
async fn start_chromedriver() -> Result<(Child, u16)> {
    let program = named("API_BANK_CHROMEDRIVER", "chromedriver");
    for _ in 0..4 {
        match listen(&program).await {
            Err(error) => eprintln!("{error}"),
            started => return started,
        }
    }
    listen(&program).await
}

async fn listen(program: &str) -> Result<(Child, u16)> {
    let mut child = Command::new(program)
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
    // Keep reading: a full pipe would block the driver.
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
        // Chromium bypasses proxies for this machine unless told otherwise.
        arguments.push("--proxy-bypass-list=<-loopback>".to_owned());
    }
    let mut options = json!({
        "args": arguments,
        "prefs": {
            "download.default_directory": dir.join("downloads"),
            "download.prompt_for_download": false,
            // Disable the browser's own background requests.
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
