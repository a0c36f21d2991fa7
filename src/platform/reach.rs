//! Why an endpoint cannot be reached, and what to do about it.
//!
//! A browser reports a refused connection, missing CORS headers and a denied
//! permission with the same words, so the likely cause is told from the address.

/// What the browser says of access to servers on this machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Permission {
    /// The user said no.
    Denied,
    /// The user has not been asked.
    Prompt,
    /// The user said yes.
    Granted,
    /// The browser has no such permission, or does not say.
    #[default]
    Unknown,
}

/// Where the request came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Situation {
    /// The site's origin, for example `https://example.org`.
    pub origin: String,
    /// The permission for servers on this machine.
    pub permission: Permission,
}

/// Host and port of an address, in lower case; `None` when it has none.
fn authority(url: &str) -> Option<String> {
    let rest = url.trim().split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next()?;
    (!authority.is_empty()).then(|| authority.to_lowercase())
}

/// Whether an address is on this machine.
pub fn is_local(url: &str) -> bool {
    authority(url).is_some_and(|authority| {
        let host = if authority.starts_with('[') {
            authority.split_inclusive(']').next().unwrap_or_default()
        } else {
            authority.split(':').next().unwrap_or_default()
        };
        matches!(host, "localhost" | "127.0.0.1" | "[::1]") || host.ends_with(".localhost")
    })
}

/// Why the site's own policy refuses an address; `None` for one that it lets through.
///
/// Mirrors `connect-src` in `index.html`.
pub fn refused_by_policy(url: &str, origin: &str) -> Option<String> {
    let url = url.trim();
    let authority = authority(url)?;
    let host = authority.split(':').next().unwrap_or_default();
    let allowed = url.starts_with("https://")
        || matches!(host, "localhost" | "127.0.0.1")
        || (!origin.is_empty()
            && url.strip_prefix(origin).is_some_and(|rest| rest.starts_with('/')));
    (!allowed).then(|| {
        "Address: plain http:// is allowed for localhost and 127.0.0.1 only. Use https://, or \
         forward the server's port to this machine."
            .to_owned()
    })
}

/// What happened to a request that got no answer, and what to do.
pub fn explain(url: &str, reason: &str, situation: &Situation) -> String {
    let host = authority(url).unwrap_or_else(|| url.to_owned());
    let mut text = format!("No answer from {host}: the browser says only \"{reason}\".");
    for hint in hints(url, &host, situation) {
        text.push(' ');
        text.push_str(&hint);
    }
    text
}

fn hints(url: &str, host: &str, situation: &Situation) -> Vec<String> {
    if let Some(policy) = refused_by_policy(url, &situation.origin) {
        return vec![policy];
    }
    if is_local(url) {
        let mut hints = Vec::new();
        match situation.permission {
            Permission::Denied => hints.push(
                "This browser denies the site access to servers on this machine: allow it in the \
                 site's settings, beside the address bar."
                    .to_owned(),
            ),
            // A page of this machine needs no permission.
            Permission::Prompt if !is_local(&situation.origin) => hints.push(
                "The browser wants to ask first: press Test connection and allow access to this \
                 machine."
                    .to_owned(),
            ),
            _ => {}
        }
        hints.push(local_server(host, &situation.origin));
        return hints;
    }
    vec![
        "Likely causes: a mistyped address, no network, a vendor that refuses requests from web \
         pages (CORS), or a wrong key (OpenAI answers one so that the browser hides it)."
            .to_owned(),
    ]
}

/// The likely server by its usual port.
fn local_server(host: &str, origin: &str) -> String {
    match host.rsplit(':').next() {
        Some("11434") => format!(
            "Is Ollama running? It also refuses web pages unless started with \
             OLLAMA_ORIGINS={origin}."
        ),
        Some("1234") => "Is LM Studio's server running? Turn on Enable CORS in its Developer tab, \
             or start it with: lms server start --cors."
            .to_owned(),
        Some("8000") => "Is vLLM running? It answers web pages by default, unless \
             --allowed-origins names others."
            .to_owned(),
        Some("8080") => "Is llama-server running on this port? It answers web pages without \
             further settings."
            .to_owned(),
        _ => format!(
            "Is the server running on this port, and does it allow requests from {origin} (CORS)?"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(url: &str, permission: Permission) -> String {
        let origin = "https://example.org".to_owned();
        explain(url, "Failed to fetch", &Situation { origin, permission })
    }

    #[test]
    fn the_usual_port_names_the_remedy() {
        for (url, part) in [
            ("http://localhost:11434/v1", "OLLAMA_ORIGINS=https://example.org"),
            ("http://localhost:1234/v1", "--cors"),
            ("http://127.0.0.1:8080/v1", "llama-server"),
            ("http://localhost:8000/v1", "--allowed-origins"),
            ("http://localhost:5000/v1", "https://example.org (CORS)"),
            ("https://api.openai.com/v1", "wrong key"),
            ("http://10.0.0.7:8000/v1", "plain http://"),
        ] {
            let text = explained(url, Permission::Unknown);
            assert!(text.contains(part), "{url}: {text}");
        }
    }

    #[test]
    fn a_denied_permission_is_named_first() {
        let text = explained("http://localhost:11434/v1", Permission::Denied);
        assert!(text.contains("site's settings"), "{text}");
        let text = explained("http://localhost:11434/v1", Permission::Prompt);
        assert!(text.contains("Test connection"), "{text}");
        let far = explained("https://api.openai.com/v1", Permission::Denied);
        assert!(!far.contains("site's settings"), "{far}");
    }

    #[test]
    fn the_policy_lets_https_and_this_machine_through() {
        let refused = |url| refused_by_policy(url, "http://box:9000").is_some();
        assert!(!refused("https://h/v1"));
        assert!(!refused("http://localhost:1/v1"));
        assert!(!refused("http://127.0.0.1/v1"));
        assert!(!refused("http://box:9000/v1"));
        assert!(refused("http://box:90/v1"));
        assert!(refused("http://[::1]:8080/v1"));
        assert!(refused("http://localhost.evil.example/v1"));
    }

    #[test]
    fn this_machine_is_told_from_others() {
        assert!(is_local("http://LOCALHOST:11434/v1") && is_local("http://[::1]:1/"));
        assert!(!is_local("https://localhost.example/v1") && !is_local("nothing"));
    }
}
