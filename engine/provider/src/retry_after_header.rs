//! Parses `Retry-After`.
//!
//! Source: RFC 9110, sections 10.2.3 (`Retry-After`) and 5.6.7 (dates). Some servers send
//! fractional seconds, which the RFC does not allow.

use std::time::{Duration, UNIX_EPOCH};

/// Parses a `Retry-After` header: seconds, whole or fractional, or a date. A date is relative to
/// the response's `Date` header, or else to `now_ms`, milliseconds since 1970; a past date means no
/// wait. `None` for anything else.
pub(super) fn read(value: &str, date: Option<&str>, now_ms: u64) -> Option<Duration> {
    let value = value.trim();
    if value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        let seconds: f64 = value.parse().ok()?;
        return Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    }
    let until = read_date(value)?;
    let now = date.and_then(read_date).unwrap_or(Duration::from_millis(now_ms));
    Some(until.saturating_sub(now))
}

/// Time since 1970.
fn read_date(text: &str) -> Option<Duration> {
    httpdate::parse_http_date(text.trim()).ok()?.duration_since(UNIX_EPOCH).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    const NOW_MS: u64 = 784_111_777_000;

    #[test]
    fn whole_and_fractional_seconds_are_parsed() {
        for (value, ms) in [
            ("0", 0),
            ("7", 7000),
            (" 30 ", 30_000),
            ("1.5", 1500),
            ("0.25", 250),
            ("86400", 86_400_000),
        ] {
            assert_eq!(read(value, None, 0), Some(Duration::from_millis(ms)), "{value:?}");
        }
        assert_eq!(read("99999999999999999999999", None, 0), Some(Duration::MAX));
        for wrong in ["", ".", "1.2.3", "-1", "+1", "1e3", "inf", "NaN", "soon", "1 s", "Sun, 6"] {
            assert_eq!(read(wrong, None, 0), None, "{wrong:?}");
        }
    }

    #[test]
    fn dates_are_relative_to_the_servers_clock() {
        for value in [
            "Sun, 06 Nov 1994 08:50:07 GMT",
            "Sunday, 06-Nov-94 08:50:07 GMT",
            "Sun Nov  6 08:50:07 1994",
        ] {
            let wait = Some(Duration::from_secs(30));
            assert_eq!(read(value, None, NOW_MS), wait, "{value}");
            // The server's clock is a day off: its own `Date` header decides.
            assert_eq!(read(value, Some(DATE), NOW_MS + 86_400_000), wait, "{value}");
            assert_eq!(read(value, Some("no date"), NOW_MS), wait, "{value}");
            assert_eq!(read(value, None, NOW_MS + 60_000), Some(Duration::ZERO), "{value}");
        }
    }
}
