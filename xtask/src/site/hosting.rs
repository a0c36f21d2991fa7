//! The headers that a server must send with the site, and configuration files for common hosts.
//!
//! Only `index.html` states the CSP; everything here reads it from there. The page obeys its `meta`
//! tag on any host. A worker obeys the headers of its script instead, and `frame-ancestors` works
//! only in a header, so a host should send the headers.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};

use super::{HASH_DIGITS, SiteFile};

/// The headers file of Netlify and Cloudflare Pages.
pub const HEADERS_FILE: &str = "_headers";
/// The folder of configuration snippets for servers.
pub const HOSTING: &str = "hosting";

/// For files with a content hash in the name.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";
/// For files with a stable name: browsers revalidate them.
const ASK_AGAIN: &str = "no-cache";

/// The headers that isolate the page from other origins, which browsers demand for threads.
/// `credentialless` leaves requests to endpoints as they are: they ask by CORS and send no credentials.
/// The build writes them into the service worker too, for hosts that send none.
pub const ISOLATION: [(&str, &str); 2] = [
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Embedder-Policy", "credentialless"),
];

/// The headers of every response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headers {
    policy: String,
}

impl Headers {
    /// Reads the CSP from a site's `index.html`.
    ///
    /// # Errors
    /// When the page is missing or has no CSP that is valid in a header.
    pub fn of_site(site: &Path) -> Result<Self> {
        let page = site.join("index.html");
        let text =
            fs::read_to_string(&page).with_context(|| format!("can't read {}", page.display()))?;
        Self::of_page(&text).with_context(|| page.display().to_string())
    }

    fn of_page(page: &str) -> Result<Self> {
        let policy = page
            .split_once("<meta http-equiv=\"Content-Security-Policy\"")
            .and_then(|(_, rest)| rest.split_once('>'))
            .and_then(|(tag, _)| tag.split_once("content=\""))
            .and_then(|(_, rest)| rest.split_once('"'))
            .map(|(policy, _)| policy.trim())
            .context("expected <meta http-equiv=\"Content-Security-Policy\" content=\"…\">")?;
        let fits = |it: char| it.is_ascii_graphic() && !"\"\\${}#".contains(it) || it == ' ';
        ensure!(
            policy.chars().all(fits) && !policy.is_empty(),
            "the policy has to fit a quoted line of a configuration file: {policy:?}"
        );
        ensure!(
            !policy.contains("frame-ancestors"),
            "browsers ignore frame-ancestors in a meta tag: it is added to the header"
        );
        let policy = policy.trim_end_matches(';');
        Ok(Self { policy: format!("{policy}; frame-ancestors 'none'") })
    }

    /// Names and values.
    #[must_use]
    pub fn list(&self) -> [(&'static str, &str); 5] {
        let [opener, embedder] = ISOLATION;
        [
            ("Content-Security-Policy", &self.policy),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            opener,
            embedder,
        ]
    }
}

/// The `Cache-Control` header for a path of the site.
#[must_use]
pub fn cache_control(path: &str) -> &'static str {
    if is_hashed(path) { FOR_GOOD } else { ASK_AGAIN }
}

/// Whether a file name is hashed: `name-0123456789abcdef.ext`.
fn is_hashed(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default();
    let Some((stem, _)) = file.split_once('.') else {
        return false;
    };
    stem.rsplit_once('-').is_some_and(|(_, digest)| {
        digest.len() == HASH_DIGITS && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Writes the host configuration next to the files of the finished site.
///
/// # Errors
/// When the page has no CSP, or a file can't be written.
pub(super) fn write(site: &Path, files: &[SiteFile]) -> Result<()> {
    let headers = Headers::of_site(site)?;
    let folder = site.join(HOSTING);
    fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
    for (file, text) in [
        (site.join(HEADERS_FILE), headers_file(&headers, files)),
        (folder.join("nginx.conf"), nginx(&headers)),
        (folder.join("Caddyfile"), caddy(&headers)),
    ] {
        fs::write(&file, text).with_context(|| format!("can't write {}", file.display()))?;
    }
    Ok(())
}

/// Both hosts join header values when several rules match, so each file has a single caching rule.
fn headers_file(headers: &Headers, files: &[SiteFile]) -> String {
    let mut text = String::from("/*\n");
    for (name, value) in headers.list() {
        text.push_str(&format!("  {name}: {value}\n"));
    }
    let mut rule = |path: &str, file: &str| {
        text.push_str(&format!("/{path}\n  Cache-Control: {}\n", cache_control(file)));
        if file.ends_with(".wasm") {
            text.push_str("  Content-Type: application/wasm\n");
        }
    };
    rule("", "index.html");
    for file in files {
        rule(&file.name, &file.name);
    }
    text
}

fn nginx(headers: &Headers) -> String {
    let mut text = String::from(
        "# In a `server` block: `root` is the site's folder, and `include` names this file.\n",
    );
    for (name, value) in headers.list() {
        text.push_str(&format!("add_header {name} \"{value}\" always;\n"));
    }
    text.push_str(&format!(
        "set $api_bank_cache \"{ASK_AGAIN}\";\n\
         if ($uri ~ \"-[0-9a-f]{{{HASH_DIGITS}}}\\.[^/]+$\") {{\n    \
             set $api_bank_cache \"{FOR_GOOD}\";\n\
         }}\n\
         # Not with `always`: an error is not cached.\n\
         add_header Cache-Control $api_bank_cache;\n\
         location ~ \\.wasm$ {{\n    \
             types {{ }}\n    \
             default_type application/wasm;\n\
         }}\n"
    ));
    text
}

fn caddy(headers: &Headers) -> String {
    let mut text = String::from(
        "# In a site block, with `root` as the site's folder and `file_server`: `import` this file.\n\
         header {\n",
    );
    for (name, value) in headers.list() {
        text.push_str(&format!("\t{name} \"{value}\"\n"));
    }
    let hashed = format!("path_regexp -[0-9a-f]{{{HASH_DIGITS}}}\\.[^/]+$\n");
    text.push_str(&format!(
        "}}\n\
         @hashed {{\n\tfile\n\t{hashed}}}\n\
         header @hashed Cache-Control \"{FOR_GOOD}\"\n\
         @named {{\n\tnot {{\n\t\tfile\n\t\t{hashed}\t}}\n}}\n\
         header @named Cache-Control \"{ASK_AGAIN}\"\n\
         @wasm path *.wasm\n\
         header @wasm Content-Type application/wasm\n"
    ));
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::process::root;

    const PAGE: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
                        script-src 'self'\">";

    #[test]
    fn the_pages_policy_becomes_a_header() -> Result<()> {
        let headers = Headers::of_page(PAGE)?;
        let policy = "default-src 'none'; script-src 'self'; frame-ancestors 'none'";
        assert_eq!(headers.list()[0], ("Content-Security-Policy", policy));
        for spoilt in ["", "<meta http-equiv=\"Content-Security-Policy\" content=\"a ${b}\">"] {
            assert!(Headers::of_page(spoilt).is_err(), "{spoilt}");
        }
        Ok(())
    }

    #[test]
    fn endpoints_may_be_anywhere_and_nothing_else_may() -> Result<()> {
        let headers = Headers::of_site(&root())?;
        let (_, policy) = headers.list()[0];
        let directives: Vec<&str> = policy.split("; ").collect();
        assert!(directives.contains(&"connect-src 'self' http: https:"), "{policy}");
        assert!(directives.contains(&"default-src 'none'"), "{policy}");
        let elsewhere = directives.iter().filter(|directive| directive.contains("http"));
        assert_eq!(elsewhere.count(), 1, "{policy}");
        Ok(())
    }

    #[test]
    fn trunk_serves_with_the_same_headers() -> Result<()> {
        let trunk: toml::Table = fs::read_to_string(root().join("Trunk.toml"))?.parse()?;
        let served: Vec<(&str, &str)> = trunk["serve"]["headers"]
            .as_table()
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
            .collect();
        let headers = Headers::of_site(&root())?;
        assert_eq!(BTreeMap::from_iter(served), BTreeMap::from(headers.list()));
        Ok(())
    }

    #[test]
    fn every_host_gets_the_policy_and_the_rules_for_caching() -> Result<()> {
        let site = tempfile::tempdir()?;
        fs::write(site.path().join("index.html"), PAGE)?;
        let named = ["app_bg-0123456789abcdef.wasm", "index.html", "service-worker.js"];
        let files = named.map(|name| SiteFile {
            name: name.to_owned(),
            integrity: String::new(),
            bytes: 1,
        });
        write(site.path(), &files)?;
        let headers = Headers::of_page(PAGE)?;
        for file in ["_headers", "hosting/nginx.conf", "hosting/Caddyfile"] {
            let text = fs::read_to_string(site.path().join(file))?;
            for (name, value) in headers.list() {
                let line = text.lines().find(|line| line.contains(name));
                assert!(line.is_some_and(|line| line.contains(value)), "{file}: {name}\n{text}");
            }
            for value in [FOR_GOOD, ASK_AGAIN, "application/wasm"] {
                assert!(text.contains(value), "{file}: {value}\n{text}");
            }
            let (open, close) = (text.matches('{').count(), text.matches('}').count());
            assert_eq!(open, close, "{file}:\n{text}");
        }
        let text = fs::read_to_string(site.path().join(HEADERS_FILE))?;
        let caching: Vec<&str> = text.split("\n/").skip(1).collect();
        assert_eq!(
            caching,
            [
                "\n  Cache-Control: no-cache",
                "app_bg-0123456789abcdef.wasm\n  Cache-Control: public, max-age=31536000, immutable\
                 \n  Content-Type: application/wasm",
                "index.html\n  Cache-Control: no-cache",
                "service-worker.js\n  Cache-Control: no-cache\n",
            ]
        );
        Ok(())
    }

    #[test]
    fn the_servers_know_hashed_names_as_the_build_makes_them() {
        let digits = format!("{{{HASH_DIGITS}}}");
        let headers = Headers { policy: String::new() };
        for text in [nginx(&headers), caddy(&headers)] {
            assert!(text.contains(&format!("-[0-9a-f]{digits}\\.[^/]+$")), "{text}");
        }
        assert_eq!(cache_control("/a/app-0123456789abcdef.js"), FOR_GOOD);
        for name in ["index.html", "service-worker.js", "app-0123.js", "LICENSE"] {
            assert_eq!(cache_control(name), ASK_AGAIN, "{name}");
        }
    }
}
