//! What leaves the page: its own files and the user's endpoint, nothing else.

use anyhow::{Result, ensure};
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};
use serde_json::Value;

use crate::{
    app::App,
    browser::Setup,
    proxy::{Made, Proxy},
    stage::{dist, play},
    wait::{Found, SOON, until},
};

const KEY: &str = "sk-proxied";
/// A name that never resolves: no proxy, no answer.
const THIRD: &str = "http://third.invalid";

/// Hosts that Chromium asks on its own account, whatever page is open, and that its switches do not
/// silence for good: updates, time, accounts, leaked passwords, the default search. Whole names, as
/// a page could well use others of the same owners.
const CHROMIUMS_OWN: [&str; 5] = [
    "update.googleapis.com",
    "clients2.google.com",
    "accounts.google.com",
    "passwordsleakcheck-pa.googleapis.com",
    "start.duckduckgo.com",
];

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
        // The proof that this proxy would have seen it.
        app.driver().goto(format!("{THIRD}/seen")).await.ok();
        ensure!(
            proxy.requests().iter().any(|request| request.url.starts_with(THIRD)),
            "a request to a third origin passed the proxy by"
        );
        Ok(())
    })
    .await
}

/// Does something in the page and gives the violation of its policy, or what came instead.
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

        let third = violation(app, &format!("fetch('{THIRD}/').catch(() => {{}});")).await?;
        ensure!(third["directive"] == "connect-src", "a request elsewhere: {third}");
        // In a task of its own: what the driver runs itself may use `eval`.
        let eval = violation(app, "setTimeout(() => eval('window.evalRan = true'));").await?;
        ensure!(eval["directive"] == "script-src", "eval: {eval}");
        let image = violation(app, &format!("new Image().src = '{THIRD}/x.png';")).await?;
        ensure!(image["directive"] == "img-src", "an image from elsewhere: {image}");
        until("the violations in the console", SOON, async || {
            let console = app.browser.console().await?;
            let told = console.iter().any(|line| line.contains("Content Security Policy"));
            Ok(if told { Found::Yes(()) } else { Found::NotYet(format!("{console:?}")) })
        })
        .await
    })
    .await
}
