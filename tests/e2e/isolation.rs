//! Network isolation: the page contacts only its own origin and the user's endpoint.

use anyhow::{Result, ensure};
use provider::Endpoint;
use record::{Model, RunSettings, Subset};
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};
use serde_json::Value;
use xtask::site::hosting::Headers;

use crate::{
    app::App,
    browser::Setup,
    proxy::{Made, Proxy},
    stage::{dist, play},
    wait::{Found, SOON, until},
};

const KEY: &str = "sk-proxied";
/// A name that never resolves: only a proxy could answer.
const THIRD: &str = "http://third.invalid";

/// Hosts that Chromium itself contacts on any page despite its switches: updates, time, accounts,
/// leaked passwords, the default search. Full host names, because a page could use other hosts of
/// the same owners.
const CHROMIUMS_OWN: [&str; 5] = [
    "update.googleapis.com",
    "clients2.google.com",
    "accounts.google.com",
    "passwordsleakcheck-pa.googleapis.com",
    "start.duckduckgo.com",
];

/// Requests that went neither to the site nor to Chromium's own hosts.
pub fn elsewhere(proxy: &Proxy, app: &App) -> Vec<String> {
    proxy
        .requests()
        .iter()
        .filter(|request| request.origin() != app.origin())
        .filter(|request| !CHROMIUMS_OWN.contains(&request.host()))
        .map(|request| format!("{} {}", request.method, request.url))
        .collect()
}

#[tokio::test]
async fn requests_go_to_the_site_and_the_endpoint_alone() -> Result<()> {
    if dist()?.is_none() {
        return Ok(());
    }
    let proxy = Proxy::start().await?;
    let setup = Setup { proxy: Some(proxy.address), ..Setup::default() };
    play("isolation", setup, async |app| {
        let gold = Gold::builtin()?;
        let config = Config { key: Some(KEY.to_owned()), ..Config::new(Script::all(Rule::Right)) };
        let server = ScriptedEndpoint::start(gold, config).await?;
        app.run_baseline("keyword-baseline").await?;
        app.enter_endpoint(&server.url(), "scripted", KEY).await?;
        app.press("size-all").await?;
        app.fill("endpoint-concurrency", "8").await?;
        app.test_connection().await?;
        app.press_run().await?;
        app.see_status("Finished").await?;
        app.download_record().await?;
        for page in ["#/method", "#/apis", "#/results"] {
            app.go(page).await?;
        }

        let mut made = proxy.requests();
        made.retain(|request| !CHROMIUMS_OWN.contains(&request.host()));
        let (site, endpoint) = (app.origin().to_owned(), server.origin());
        ensure!(made.iter().any(|request| request.url.contains("worker_bg")), "no worker is seen");
        ensure!(made.iter().any(|request| request.origin() == endpoint), "no endpoint is seen");
        let allowed = |request: &&Made| [&site, &endpoint].contains(&&request.origin());
        let left: Vec<String> = made
            .iter()
            .filter(|request| !allowed(request))
            .map(|request| format!("{} {}", request.method, request.url))
            .collect();
        ensure!(left.is_empty(), "requests went elsewhere: {left:?}");
        for request in &made {
            let (origin, url) = (request.origin(), &request.url);
            let text = format!("{url} {:?} {}", request.headers, request.body);
            ensure!(origin == endpoint || !text.contains(KEY), "the key went to {url}");
            ensure!(!request.body.contains(KEY), "the key is in a body to {url}");
            ensure!(!url.contains(KEY), "the key is in the address {url}");
        }
        // Proves that the proxy would have seen such a request.
        app.driver().goto(format!("{THIRD}/seen")).await.ok();
        ensure!(
            proxy.requests().iter().any(|request| request.url.starts_with(THIRD)),
            "a request to a third origin passed the proxy by"
        );
        Ok(())
    })
    .await
}

/// Runs a script in the page; returns the CSP violation, or a description of the failure.
async fn violation(app: &App, script: &str) -> Result<Value> {
    app.script_async(&format!(
        "document.addEventListener('securitypolicyviolation',
            event => done({{ directive: event.effectiveDirective, blocked: event.blockedURI }}));
         setTimeout(() => done('no violation'), 5000);
         {script}"
    ))
    .await
}

#[tokio::test]
async fn a_content_security_policy_is_in_force() -> Result<()> {
    let errors = &["Content Security Policy"];
    play("policy", Setup { errors, ..Setup::default() }, async |app| {
        app.run_baseline("gold-replay").await?;
        for line in app.browser.console().await? {
            ensure!(!line.starts_with("SEVERE"), "the console has an error: {line}");
        }

        let inline = violation(
            app,
            "const script = document.createElement('script');
             script.textContent = 'window.inlineRan = true';
             document.head.append(script);",
        )
        .await?;
        ensure!(inline["directive"] == "script-src-elem", "an inline script: {inline}");
        ensure!(app.script("return window.inlineRan").await?.is_null(), "an inline script ran");

        // Any endpoint is allowed, but only over HTTP.
        let socket = "try { new WebSocket('ws://third.invalid/') } catch { }";
        let third = violation(app, socket).await?;
        ensure!(third["directive"] == "connect-src", "a socket: {third}");
        let worker = app
            .script_async(
                "const { worker } = JSON.parse(document.getElementById('assets').textContent);
                 fetch(worker.url)
                     .then(answer => done(answer.headers.get('content-security-policy')));",
            )
            .await?;
        let headers = Headers::of_site(&app.dist)?;
        ensure!(worker == headers.list()[0].1, "the worker's script comes with {worker}");
        // In a separate task: scripts run by the driver may use `eval`.
        let eval = violation(app, "setTimeout(() => eval('window.evalRan = true'));").await?;
        ensure!(eval["directive"] == "script-src", "eval: {eval}");
        let image = violation(app, &format!("new Image().src = '{THIRD}/x.png';")).await?;
        ensure!(image["directive"] == "img-src", "an image from elsewhere: {image}");
        until("the violations in the console", SOON, async || {
            let console = app.browser.console().await?;
            let reported = console.iter().any(|line| line.contains("Content Security Policy"));
            Ok(if reported { Found::Yes(()) } else { Found::NotYet(format!("{console:?}")) })
        })
        .await
    })
    .await
}

/// Starts a worker as the page does and requests a run; returns the first sample, or what happened
/// instead.
const ASK_A_WORKER: &str = r#"
    const assets = JSON.parse(document.getElementById("assets").textContent);
    const absolute = (asset) => ({ ...asset, url: new URL(asset.url, document.baseURI).href });
    const { worker, chinese, ...load } = assets;
    const files = Object.fromEntries(Object.entries(load).map(([name, it]) => [name, absolute(it)]));
    const asked = new Worker(absolute(worker).url, { type: "module" });
    asked.onerror = (event) => done(`the worker broke: ${event.message}`);
    const ask = (id, request) => asked.postMessage({ id, request });
    asked.onmessage = ({ data }) => {
        if (data === "listening") return ask(1, { load: { assets: files, pack: null, tab: "" } });
        const { id, progress } = data.progress ?? {};
        const { ready, sample } = progress ? JSON.parse(progress) : {};
        if (id === 1 && ready) {
            ask(2, { start_run: { origin: { new: __SETTINGS__ }, key: null } });
        } else if (sample || data.answered?.id === 2 || data.panicked) {
            asked.terminate();
            done(sample?.sample ?? JSON.stringify(data));
        }
    };
"#;

#[tokio::test]
async fn the_worker_itself_refuses_addresses_that_no_endpoint_has() -> Result<()> {
    play("worker_addresses", Setup::default(), async |app| {
        // A request to these URLs would succeed if it were sent.
        for address in ["data:application/json,{}#", "blob:http://localhost/x", "ftp://localhost"] {
            let endpoint = Endpoint {
                base_url: address.to_owned(),
                model: "m".to_owned(),
                ..Endpoint::default()
            };
            let settings = RunSettings {
                subset: Subset::PerAbility(1),
                ..RunSettings::new(Model::Endpoint(endpoint))
            };
            let settings = serde_json::to_string(&settings)?;
            let sample = app
                .script_async(&ASK_A_WORKER.replace("__SETTINGS__", &settings))
                .await?
                .to_string();
            let refused = sample.contains("expected one that starts with http");
            ensure!(refused && sample.contains("configuration"), "{address}: {sample}");
        }
        Ok(())
    })
    .await
}
