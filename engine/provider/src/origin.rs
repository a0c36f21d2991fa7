//! Scheme, host and port of an address.
//!
//! A key belongs to an origin, so parsing is stricter than a browser's: anything that the two could
//! parse differently (`\`, tabs, user names, percent signs in the host) is rejected.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use thiserror::Error;

/// Suffixes of host names that never resolve in public DNS.
const PRIVATE_ENDINGS: [&str; 5] = [".local", ".lan", ".internal", ".home.arpa", ".localdomain"];

/// Why an address is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AddressError {
    /// Another scheme, or none.
    #[error("expected one that starts with http:// or https://, got {0:?}")]
    Scheme(String),
    /// The host is missing.
    #[error("the host is missing")]
    NoHost,
    /// `user:password@host`.
    #[error("a user name or password must not be in it. Put the key into its own field")]
    UserInfo,
    /// A character that is not allowed in a host name.
    #[error("the host cannot contain {0:?}")]
    Host(char),
    /// A port that is not a number from 1 to 65535.
    #[error("expected a port from 1 to 65535, got {0:?}")]
    Port(String),
}

/// The network of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// This machine.
    Loopback,
    /// The private network: addresses and names that are not routed on the internet.
    Private,
    /// The internet.
    Public,
}

/// Scheme, host and port of an address. The host is lower-case ASCII (punycode for other scripts);
/// the scheme's default port is omitted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Origin {
    is_https: bool,
    host: String,
    port: Option<u16>,
}

impl Origin {
    /// The origin of an address.
    ///
    /// # Errors
    /// Which part of the address is invalid.
    pub fn of(address: &str) -> Result<Self, AddressError> {
        Origin::split(address).map(|(origin, _)| origin)
    }

    /// Splits an address into its origin and the rest: path, query and fragment.
    ///
    /// # Errors
    /// Which part of the address is invalid.
    pub fn split(address: &str) -> Result<(Self, &str), AddressError> {
        let address = address.trim();
        let (is_https, rest) = match (strip(address, "https://"), strip(address, "http://")) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return Err(AddressError::Scheme(exchange::shorten(address, 80))),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if authority.contains('@') {
            return Err(AddressError::UserInfo);
        }
        let (host, port) = host_and_port(authority)?;
        let host = ascii_host(host)?;
        let port = port.filter(|port| *port != if is_https { 443 } else { 80 });
        Ok((Origin { is_https, host, port }, path))
    }

    /// The host, in punycode for other scripts.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, even if it is the scheme's default.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(if self.is_https { 443 } else { 80 })
    }

    /// Host and port; a default port is omitted.
    pub fn authority(&self) -> String {
        match self.port {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.clone(),
        }
    }

    /// Whether requests are encrypted.
    pub const fn is_https(&self) -> bool {
        self.is_https
    }

    /// The network that the host is on.
    pub fn reach(&self) -> Reach {
        let host = self.host.trim_end_matches('.');
        if host == "localhost" || host.ends_with(".localhost") {
            return Reach::Loopback;
        }
        if let Ok(address) = host.parse::<Ipv4Addr>() {
            return reach_v4(address);
        }
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        if let Some(address) = bare.and_then(|host| host.parse::<Ipv6Addr>().ok()) {
            return reach_v6(address);
        }
        let is_private = !host.contains(['.', '['])
            || PRIVATE_ENDINGS.iter().any(|ending| host.ends_with(ending));
        if is_private { Reach::Private } else { Reach::Public }
    }

    /// Whether anyone on the network path can read the requests, including the key: plain HTTP to a
    /// host that is neither this machine nor on a private network.
    pub fn is_exposed(&self) -> bool {
        !self.is_https && self.reach() == Reach::Public
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.is_https { "https" } else { "http" }, self.authority())
    }
}

impl TryFrom<String> for Origin {
    type Error = AddressError;

    fn try_from(text: String) -> Result<Self, AddressError> {
        Origin::of(&text)
    }
}

impl From<Origin> for String {
    fn from(origin: Origin) -> String {
        origin.to_string()
    }
}

/// Strips a scheme, ignoring case.
fn strip<'a>(address: &'a str, scheme: &str) -> Option<&'a str> {
    let (start, rest) = address.split_at_checked(scheme.len())?;
    start.eq_ignore_ascii_case(scheme).then_some(rest)
}

fn host_and_port(authority: &str) -> Result<(&str, Option<u16>), AddressError> {
    // The colons of an IPv6 address are inside brackets.
    let from = authority.find(']').unwrap_or(0);
    let Some(colon) = authority[from..].find(':').map(|at| from + at) else {
        return Ok((authority, None));
    };
    let (host, port) = (&authority[..colon], &authority[colon + 1..]);
    let number = port.parse::<u16>().ok().filter(|number| *number > 0);
    match number.filter(|_| port.bytes().all(|byte| byte.is_ascii_digit())) {
        Some(number) => Ok((host, Some(number))),
        None => Err(AddressError::Port(exchange::shorten(port, 20))),
    }
}

/// The host in lower case, with labels of other scripts in punycode (RFC 3492).
fn ascii_host(host: &str) -> Result<String, AddressError> {
    if host.is_empty() {
        return Err(AddressError::NoHost);
    }
    if let Some(bare) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        let address = bare.parse::<Ipv6Addr>().map_err(|_| AddressError::Host('['))?;
        return Ok(format!("[{address}]"));
    }
    let labels: Result<Vec<String>, AddressError> = host.split('.').map(ascii_label).collect();
    Ok(labels?.join("."))
}

fn ascii_label(label: &str) -> Result<String, AddressError> {
    let label = label.to_lowercase();
    let odd = label.chars().find(|c| {
        let is_plain = c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        !is_plain && (c.is_ascii() || !c.is_alphanumeric())
    });
    match odd {
        Some(odd) => Err(AddressError::Host(odd)),
        None if label.is_ascii() => Ok(label),
        None => {
            let encoded = super::punycode::encode(&label);
            // Encoding fails only for labels of billions of characters.
            encoded.map(|text| format!("xn--{text}")).ok_or(AddressError::NoHost)
        }
    }
}

const fn reach_v4(address: Ipv4Addr) -> Reach {
    let [a, b, ..] = address.octets();
    // 100.64.0.0/10 is shared address space (RFC 6598), used by overlay networks.
    let is_shared = a == 100 && b & 0xc0 == 64;
    if address.is_loopback() {
        Reach::Loopback
    } else if address.is_private() || address.is_link_local() || is_shared {
        Reach::Private
    } else {
        Reach::Public
    }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return reach_v4(mapped);
    }
    if address.is_loopback() {
        Reach::Loopback
    } else if address.is_unique_local() || address.is_unicast_link_local() {
        Reach::Private
    } else {
        Reach::Public
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        for (address, expected) in [
            (" https://API.OpenAI.com/v1 ", "https://api.openai.com"),
            ("https://h:443/v1", "https://h"),
            ("http://h:80?x", "http://h"),
            ("HTTP://h:8080#x", "http://h:8080"),
            ("http://[::1]:11434/", "http://[::1]:11434"),
            ("http://[0:0:0:0:0:0:0:1]", "http://[::1]"),
            ("https://bücher.example/v1", "https://xn--bcher-kva.example"),
            // The first letter is Cyrillic.
            ("https://\u{430}pi.openai.com/v1", "https://xn--pi-6kc.openai.com"),
        ] {
            let origin = Origin::of(address).unwrap();
            assert_eq!(origin.to_string(), expected);
            assert_eq!(Origin::of(&origin.to_string()), Ok(origin), "an origin round-trips");
        }
        let (_, path) = Origin::split("https://h/v1?x#y").unwrap();
        assert_eq!(path, "/v1?x#y");
    }

    #[test]
    fn addresses_that_a_browser_could_parse_differently_are_rejected() {
        for address in [
            "",
            "localhost:11434",
            "ftp://h",
            "ws://h/",
            "data:text/plain,x",
            "https:/h",
            "http://",
            "https:///h",
            "https://api.openai.com\\@evil.example/v1",
            "https://evil.example\\.api.openai.com",
            "https://api.openai.com@evil.example",
            "https://api\t.openai.com",
            "https://h%2eevil.example",
            "https://h:",
            "https://h:x",
            "https://h:+80",
            "https://h:0",
            "https://h:65536",
            "https://[::1",
            "https://a。b",
            "https://a b",
        ] {
            assert!(Origin::of(address).is_err(), "{address:?}");
        }
    }

    #[test]
    fn loopback_and_private_hosts_are_recognized() {
        use Reach::{Loopback, Private, Public};
        for (host, reach) in [
            ("localhost", Loopback),
            ("ollama.localhost", Loopback),
            ("127.0.0.1", Loopback),
            ("127.8.0.1", Loopback),
            ("[::1]", Loopback),
            ("[::ffff:127.0.0.1]", Loopback),
            ("10.0.0.5", Private),
            ("172.31.0.1", Private),
            ("172.32.0.1", Public),
            ("192.168.1.20", Private),
            ("169.254.1.1", Private),
            ("100.100.1.1", Private),
            ("100.128.1.1", Public),
            ("[fd00::1]", Private),
            ("[fe80::1]", Private),
            ("[2001:db8::1]", Public),
            ("nas", Private),
            ("nas.local", Private),
            ("box.home.arpa", Private),
            ("api.openai.com", Public),
            ("localhost.evil.example", Public),
            ("local", Private),
            ("evillocal.example", Public),
        ] {
            let origin = Origin::of(&format!("http://{host}:8080/v1")).unwrap();
            assert_eq!(origin.reach(), reach, "{host}");
            assert_eq!(origin.is_exposed(), reach == Public);
        }
        assert!(!Origin::of("https://api.openai.com").unwrap().is_exposed());
    }
}
