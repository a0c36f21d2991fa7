//! Numbers as the pages print them.

use engine::record::{Mean, Rate};

/// What stands where there is no number.
pub const NONE: &str = "–";

/// A rate as a percentage with one decimal: `83.3 %`.
pub fn percent(rate: &Rate) -> String {
    rate.value().map_or_else(|| NONE.to_owned(), |value| format!("{:.1} %", 100.0 * value))
}

/// The 95 % interval in percent: `55.2 – 95.3`.
pub fn interval(rate: &Rate) -> String {
    rate.interval.map_or_else(
        || NONE.to_owned(),
        |it| format!("{:.1} – {:.1}", 100.0 * it.low, 100.0 * it.high),
    )
}

/// A count of a count: `3 / 4`.
pub fn fraction(rate: &Rate) -> String {
    if rate.n == 0 { NONE.to_owned() } else { format!("{} / {}", rate.right, rate.n) }
}

/// A mean of ROUGE-L with three decimals: `0.512`.
pub fn rouge(mean: &Mean) -> String {
    mean.mean.map_or_else(|| NONE.to_owned(), |value| format!("{value:.3}"))
}

/// A time span: `0.4 s`, `12 s`, `3 min 07 s`.
pub fn span(ms: f64) -> String {
    let seconds = (ms / 1000.0).max(0.0);
    if seconds < 9.95 {
        format!("{seconds:.1} s")
    } else if seconds < 60.0 {
        format!("{seconds:.0} s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

/// Bytes as megabytes: `4.2 MB`.
pub fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// A text on one line, cut to `limit` characters.
pub fn one_line(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    engine::provider::shorten(&line, limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::scoring::wilson;

    #[test]
    fn numbers_have_units_and_gaps_a_dash() {
        let rate = Rate { right: 5, n: 6, interval: wilson(5, 6) };
        assert_eq!((percent(&rate), fraction(&rate)), ("83.3 %".to_owned(), "5 / 6".to_owned()));
        assert_eq!(interval(&rate), "43.6 – 97.0");
        let none = Rate::default();
        assert_eq!((percent(&none).as_str(), interval(&none).as_str()), (NONE, NONE));
        assert_eq!(rouge(&Mean { mean: Some(0.5), n: 2 }), "0.500");
        assert_eq!([400.0, 12_340.0, 187_000.0].map(span), ["0.4 s", "12 s", "3 min 07 s"]);
        assert_eq!(span(9_970.0), "10 s");
        assert_eq!(one_line("a\n  b c", 3), "a b…");
    }
}
