//! Diagnoses why an endpoint does not answer and names the fix.
//!
//! A browser reports a refused connection, missing CORS headers, a denied permission and, with some
//! vendors, a wrong key as the same error, so the likely cause is inferred from the address, the
//! server and the browser's permissions. Pure: the platform passes in the facts.

use super::{Endpoint, Failure, KeyNeed, Origin, Preset, Reach};
use exchange::slots::fill;

/// The browser's permission to access servers on this machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Permission {
    /// The user denied it.
    Denied,
    /// The user has not been asked.
    Prompt,
    /// The user granted it.
    Granted,
    /// The browser has no such permission, or does not report it.
    #[default]
    Unknown,
}

/// Where a request comes from. Defaults to a native program, which has no browser restrictions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The page's origin, for example `https://example.org`; `None` for a native program.
    pub origin: Option<String>,
    /// The permission to access servers on this machine.
    pub permission: Permission,
    /// Whether the browser is Safari, which always blocks http on this machine from an https page.
    pub is_safari: bool,
}

/// A cause and its fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The cause.
    pub cause: String,
    /// The fix, with the exact setting if there is one.
    pub fix: String,
}

impl std::fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.cause, self.fix)
    }
}

/// Whether an address is on this machine.
pub fn is_local(url: &str) -> bool {
    Origin::of(url).is_ok_and(|origin| origin.reach() == Reach::Loopback)
}

/// Why browsers block a page from an address, with the workaround; `None` if they allow it.
///
/// An https page may call plain http only on this machine (mixed content). An http page may call
/// any address.
pub fn refused_by_browser(url: &str, page: &str) -> Option<String> {
    let origin = Origin::of(url).ok()?;
    if !page.starts_with("https://") || origin.is_https() || origin.reach() == Reach::Loopback {
        return None;
    }
    Some(format!(
        "Address: this page is on https, and browsers let such a page call plain http on this machine \
         alone. Serve the page over http (cargo xtask serve), put {} behind https, or forward its port \
         to this machine: ssh -N -L {port}:localhost:{port} {}",
        origin.host(),
        origin.host(),
        port = origin.port(),
    ))
}

/// The request to diagnose: endpoint, origin and whether a key is sent.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The endpoint.
    pub endpoint: &'a Endpoint,
    /// Whether a key is sent.
    pub has_key: bool,
    /// The origin of the request.
    pub place: &'a Place,
}

impl Case<'_> {
    pub(crate) fn url(&self) -> &str {
        self.endpoint.base_url.trim()
    }

    fn host(&self) -> String {
        Origin::of(self.url()).map_or_else(|_| self.url().to_owned(), |it| it.authority())
    }

    /// Fills the page's origin into a preset's remark.
    fn with_origin(&self, remark: &str) -> String {
        fill(remark, &[("origin", self.place.origin.as_deref().unwrap_or("this machine"))])
    }

    /// Diagnoses a missing response.
    pub fn no_answer(&self, reason: &str) -> Diagnosis {
        let host = self.host();
        let Some(origin) = self.place.origin.as_deref() else {
            return self.no_answer_to_program(reason);
        };
        let cause = format!("No answer from {host}: the browser says only \"{reason}\".");
        if let Some(fix) = refused_by_browser(self.url(), origin) {
            return Diagnosis { cause, fix };
        }
        let fix = if is_local(self.url()) { self.fix_local(origin) } else { self.fix_remote() };
        Diagnosis { cause, fix }
    }

    /// Diagnoses a server that answers, but whose answers the browser keeps from the page.
    pub(crate) fn shut(&self) -> Diagnosis {
        let facts = self.endpoint.server().facts();
        let cause = format!(
            "{} answers, but the browser keeps its answers from this page, because the server does not \
             let this page in (CORS).",
            self.host()
        );
        let fix = match facts.key {
            KeyNeed::Required => self.fix_remote(),
            _ => self.with_origin(facts.cors),
        };
        Diagnosis { cause, fix }
    }

    fn no_answer_to_program(&self, reason: &str) -> Diagnosis {
        let facts = self.endpoint.server().facts();
        let fix = if is_local(self.url()) {
            format!("Check the address and that {} is running.", self.name())
        } else if facts.key == KeyNeed::Required {
            "Check the address and the network.".to_owned()
        } else {
            "Check the address and that the server is running.".to_owned()
        };
        Diagnosis { cause: format!("{} gives no answer ({reason}).", self.host()), fix }
    }

    /// The server's name for use in a sentence.
    fn name(&self) -> &'static str {
        match self.endpoint.server() {
            Preset::Custom => "the server",
            known => known.facts().title,
        }
    }

    fn fix_local(&self, origin: &str) -> String {
        let https_page = origin.starts_with("https://");
        if https_page && self.place.is_safari && self.url().starts_with("http://") {
            return "Safari never lets an https page call http:// on this machine. Use Chrome, Edge \
                    or Firefox, or serve this page from localhost: cargo xtask serve"
                .to_owned();
        }
        if self.place.permission == Permission::Denied {
            return "This browser denies the site access to servers on this machine. Allow it in \
                    the site's settings, beside the address bar (Local network access), and test \
                    again."
                .to_owned();
        }
        if self.url().starts_with("https://") {
            return "The browser may not trust the server's certificate: open the address in a tab \
                    once, accept it, and test again."
                .to_owned();
        }
        // A page served from this machine needs no permission.
        let asks = self.place.permission == Permission::Prompt && !is_local(origin);
        let first = if asks {
            "The browser wants to ask first: press Test connection and allow access to this \
             machine. "
        } else {
            ""
        };
        let cors = self.with_origin(self.endpoint.server().facts().cors);
        let name = self.name();
        format!(
            "{first}Is {name} running on this port, and does it let this page in (CORS)? {cors}"
        )
    }

    fn fix_remote(&self) -> String {
        let facts = self.endpoint.server().facts();
        if facts.key == KeyNeed::Required {
            let key = if self.has_key { "" } else { "No key is given: enter one. " };
            return format!("{key}{}", self.with_origin(facts.cors));
        }
        "Likely causes: a mistyped address, no network, or a server that refuses requests from web \
         pages (CORS). Bedrock and NVIDIA's hosted models do refuse them: use the command line."
            .to_owned()
    }

    /// The fix for a failure with a status code; `None` if its message already names the fix.
    pub fn advice(&self, failure: &Failure) -> Option<String> {
        let status = failure.status?;
        let facts = self.endpoint.server().facts();
        let text = failure.message.to_lowercase();
        match status {
            401 | 403 if !self.has_key => Some("No key is given: enter one.".to_owned()),
            403 if self.endpoint.server() == Preset::Ollama => Some(self.with_origin(facts.cors)),
            404 | 405 | 200 if text.contains("web page") || status != 200 => self.fix_path(&text),
            _ if text.contains("context") => Some(self.fix_context()),
            400 | 500 if text.contains("tool") => Some(facts.tools.to_owned()),
            _ => None,
        }
    }

    /// The fix for a 404: the address lacks its version, or the model does not exist.
    fn fix_path(&self, text: &str) -> Option<String> {
        let said = text.split_once("it says: ").map_or("", |(_, said)| said);
        if said.contains("model") {
            let model = &self.endpoint.model;
            return Some(match self.endpoint.server() {
                Preset::Ollama => format!("Fetch the model first: ollama pull {model}"),
                _ => "Pick one of the models that the endpoint lists.".to_owned(),
            });
        }
        let url = self.url().trim_end_matches('/');
        let usual = self.endpoint.server().facts().address;
        if !usual.is_empty() && !url.starts_with(usual) {
            return Some(format!("The usual address is {usual}."));
        }
        let has_version = url.rsplit('/').next().is_some_and(|end| end.starts_with('v'));
        let has_own_path = !self.endpoint.format.facts().own_prefixes.is_empty();
        let wants_version = !has_own_path && !has_version;
        wants_version.then(|| format!("Try {url}/v1 as the address."))
    }

    /// The fix for a context that is too short.
    pub fn fix_context(&self) -> String {
        match self.endpoint.server() {
            Preset::Ollama => "Enter a longer context window below.".to_owned(),
            Preset::LlamaCpp => "Start it with a longer context: llama-server -c 8192".to_owned(),
            Preset::Vllm => "Start it with a longer context: --max-model-len 8192".to_owned(),
            Preset::LmStudio => "Load the model with a longer context length.".to_owned(),
            _ => "Use a model with a longer context.".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "https://example.org";

    fn endpoint(url: &str) -> Endpoint {
        Endpoint { base_url: url.to_owned(), model: "m".to_owned(), ..Endpoint::default() }
    }

    /// The diagnosis of an address that does not answer a page.
    fn said(url: &str, place: &Place) -> String {
        let endpoint = endpoint(url);
        Case { endpoint: &endpoint, has_key: true, place }.no_answer("Failed to fetch").to_string()
    }

    fn page() -> Place {
        Place { origin: Some(PAGE.to_owned()), ..Place::default() }
    }

    #[test]
    fn a_missing_answer_names_the_servers_fix() {
        for (url, part) in [
            ("http://localhost:11434", "OLLAMA_ORIGINS=https://example.org ollama serve"),
            ("http://localhost:1234/v1", "lms server start --cors"),
            ("http://127.0.0.1:8080/v1", "llama-server -m MODEL.gguf"),
            ("http://localhost:8000/v1", "--allowed-origins '[\"https://example.org\"]'"),
            ("http://localhost:5000/v1", "answers requests from https://example.org"),
            ("https://localhost:5000/v1", "certificate"),
            ("https://api.openai.com/v1", "wrong key"),
            ("https://api.anthropic.com/v1", "browser access"),
            ("https://api.groq.com/openai/v1", "wrong key"),
            ("https://models.example/v1", "CORS"),
            ("http://10.0.0.7:8000/v1", "ssh -N -L 8000:localhost:8000 10.0.0.7"),
        ] {
            let text = said(url, &page());
            assert!(text.contains(part), "{url}: {text}");
            assert!(!text.contains("{origin}"), "{url}: {text}");
        }
    }

    #[test]
    fn browser_restrictions_come_first() {
        let local = "http://localhost:11434";
        let with = |permission| Place { permission, ..page() };
        assert!(said(local, &with(Permission::Denied)).contains("site's settings"));
        assert!(said(local, &with(Permission::Prompt)).contains("allow access"));
        assert!(!said(local, &with(Permission::Granted)).contains("allow access"));
        let far = said("https://api.openai.com/v1", &with(Permission::Denied));
        assert!(!far.contains("site's settings"), "{far}");
        let safari = Place { is_safari: true, ..page() };
        assert!(said(local, &safari).contains("Safari never"), "{}", said(local, &safari));
        let at_home = Place {
            origin: Some("http://localhost:8000".to_owned()),
            is_safari: true,
            permission: Permission::Prompt,
        };
        let text = said(local, &at_home);
        assert!(text.contains("OLLAMA_ORIGINS") && !text.contains("allow access"), "{text}");
    }

    #[test]
    fn a_server_that_shuts_pages_out_is_told_from_one_that_is_gone() {
        for (url, part) in [
            ("http://localhost:11434", "OLLAMA_ORIGINS=https://example.org ollama serve"),
            ("http://localhost:5000/v1", "answers requests from https://example.org"),
            ("https://api.openai.com/v1", "wrong key"),
        ] {
            let (endpoint, place) = (endpoint(url), page());
            let case = Case { endpoint: &endpoint, has_key: true, place: &place };
            let text = case.shut().to_string();
            assert!(text.contains("answers, but") && text.contains(part), "{text}");
            assert!(!text.contains("running on this port"), "{text}");
        }
    }

    #[test]
    fn a_native_program_gets_no_browser_advice() {
        let endpoint = endpoint("http://localhost:11434");
        let place = Place::default();
        let case = Case { endpoint: &endpoint, has_key: false, place: &place };
        let text = case.no_answer("connection refused").to_string();
        assert!(
            text.contains("connection refused") && text.contains("Ollama is running"),
            "{text}"
        );
        assert!(!text.contains("CORS"), "{text}");
    }

    #[test]
    fn a_status_gets_the_servers_advice() {
        let failure = |status: u16, message: &str| Failure {
            status: Some(status),
            ..Failure::configuration(message)
        };
        for (url, has_key, failure, expected) in [
            ("https://api.openai.com/v1", false, failure(401, "refused"), Some("enter one")),
            ("https://api.openai.com/v1", true, failure(401, "refused"), None),
            (
                "http://localhost:9/",
                true,
                failure(404, "unknown"),
                Some("Try http://localhost:9/v1"),
            ),
            ("http://localhost:9/v1", true, failure(404, "unknown"), None),
            ("http://localhost:9", true, failure(200, "a web page"), Some("/v1")),
            (
                "http://localhost:8080",
                true,
                failure(404, "unknown"),
                Some("http://localhost:8080/v1"),
            ),
            (
                "http://localhost:11434",
                true,
                failure(404, "It says: model \"m\" not found"),
                Some("ollama pull m"),
            ),
            (
                "http://localhost:8080/v1",
                true,
                failure(400, "the context is too short"),
                Some("llama-server -c"),
            ),
            (
                "http://localhost:8000/v1",
                true,
                failure(400, "\"auto\" tool choice"),
                Some("--enable-auto-tool-choice"),
            ),
            ("http://localhost:8000/v1", true, failure(500, "boom"), None),
        ] {
            let (endpoint, place) = (endpoint(url), page());
            let advice = Case { endpoint: &endpoint, has_key, place: &place }.advice(&failure);
            match expected {
                Some(part) => assert!(
                    advice.as_ref().is_some_and(|advice| advice.contains(part)),
                    "{url}: {advice:?}"
                ),
                None => assert_eq!(advice, None, "{url} {failure:?}"),
            }
        }
    }

    #[test]
    fn an_https_page_reaches_https_and_this_machine_an_http_page_anything() {
        let from = |page: &'static str| move |url| refused_by_browser(url, page).is_some();
        let refused = from("https://site.example");
        assert!(!refused("https://h/v1"));
        assert!(!refused("http://localhost:1/v1"));
        assert!(!refused("http://127.0.0.1/v1"));
        assert!(!refused("http://[::1]:8080/v1"));
        assert!(refused("http://box:90/v1"));
        assert!(refused("http://192.168.1.20:11434"));
        assert!(refused("http://localhost.evil.example/v1"));
        let refused = from("http://localhost:8080");
        assert!(!refused("http://192.168.1.20:11434") && !refused("https://h/v1"));
        let way_out = refused_by_browser("http://nas:11434", "https://site.example").unwrap();
        assert!(way_out.contains("ssh -N -L 11434:localhost:11434 nas"), "{way_out}");
    }

    #[test]
    fn local_addresses_are_recognized() {
        assert!(is_local("http://LOCALHOST:11434/v1") && is_local("http://[::1]:1/"));
        assert!(!is_local("https://localhost.example/v1") && !is_local("nothing"));
    }
}
