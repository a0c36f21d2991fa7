//! Formats numbers for the page.

use crate::t;
use crate::texts::Texts;
use dataset::Split;
use record::metrics::horizon::length;
use record::{Model, Rate, RunSettings, Subset};
use scoring::statistics::horizon::{Bound, Horizon};

pub use record::table::{NONE, fraction, grouped as count, interval, percent, rouge};

/// A horizon: `11 calls (8.0 to 15)`, `at least 128 calls`, `below 1 call`.
pub fn horizon(estimate: &Horizon, texts: Texts) -> String {
    match estimate.bound {
        Some(Bound::AtLeast(calls)) => t!(texts, "at least {n} calls", n = length(calls)),
        Some(Bound::Below(calls)) if calls <= 1.0 => t!(texts, "below 1 call").to_owned(),
        Some(Bound::Below(calls)) => t!(texts, "below {n} calls", n = length(calls)),
        None => t!(
            texts,
            "{n} calls ({low} to {high})",
            n = length(estimate.horizon),
            low = length(estimate.low),
            high = length(estimate.high)
        ),
    }
}

/// A rate with its number and interval: `83.3 % of 6 (43.6 – 97.0)`.
pub fn whole(rate: &Rate, texts: Texts) -> String {
    match rate.n {
        0 => NONE.to_owned(),
        n => t!(
            texts,
            "{percent} of {n} ({interval})",
            percent = percent(rate),
            n = count(n),
            interval = interval(rate)
        ),
    }
}

/// A duration: `0.4 s`, `12 s`, `3 min 07 s`.
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

/// A number of rows of a table.
pub fn rows(n: usize, texts: Texts) -> String {
    match n {
        1 => t!(texts, "1 row").to_owned(),
        n => t!(texts, "{n} rows", n = count(n)),
    }
}

/// A rounded estimate of a duration: `about 40 s`, `about 12 min`, `about 3 h`.
pub fn about(ms: f64, texts: Texts) -> String {
    let seconds = (ms / 1000.0).max(0.0);
    if seconds < 55.0 {
        t!(texts, "about {n} s", n = (seconds / 5.0).ceil() * 5.0)
    } else if seconds < 90.0 * 60.0 {
        t!(texts, "about {n} min", n = (seconds / 60.0).ceil())
    } else {
        t!(texts, "about {n} h", n = (seconds / 3600.0).ceil())
    }
}

/// A rate per second: `2.4 samples/s`, or per minute below one per second: `12 samples/min`.
pub fn throughput(a_second: f64, texts: Texts) -> String {
    if a_second >= 1.0 {
        t!(texts, "{n} samples/s", n = format!("{a_second:.1}"))
    } else {
        t!(texts, "{n} samples/min", n = format!("{:.0}", 60.0 * a_second))
    }
}

/// Bytes as megabytes, or as gigabytes from 1000 MB on: `4.2 MB`, `1.6 GB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        ..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// A text on one line, truncated to `limit` characters.
pub fn one_line(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    exchange::shorten(&line, limit)
}

/// A table's caption: model, split, protocol with trials and prompts, profile.
pub fn caption(settings: &RunSettings, profile: &str, texts: Texts) -> String {
    let split = if settings.split == Split::Hard { t!(texts, ", hard split") } else { "" };
    let trials = match settings.trials {
        1 => String::new(),
        trials => t!(texts, ", {n} trials", n = trials),
    };
    let prompts =
        if settings.custom_prompts.is_some() { t!(texts, ", custom prompts") } else { "" };
    let grammar = if settings.has_grammar() { t!(texts, ", with a grammar") } else { "" };
    let roles = if settings.model.folds_roles() { t!(texts, ", roles folded") } else { "" };
    let retriever = match &settings.retriever {
        None => String::new(),
        Some(it) => t!(texts, ", retriever {name}", name = it.title()),
    };
    t!(
        texts,
        "{model}{split}, protocol {protocol}{grammar}{roles}{retriever}{trials}{prompts}, profile {profile}",
        model = model(&settings.model, texts),
        split = split,
        protocol = settings.protocol.as_str(),
        grammar = grammar,
        roles = roles,
        retriever = retriever,
        trials = trials,
        prompts = prompts,
        profile = profile
    )
}

/// Describes a subset.
pub fn subset(subset: &Subset, texts: Texts) -> String {
    match subset {
        Subset::All => t!(texts, "all dialogues").to_owned(),
        Subset::Percent(percent) => t!(texts, "{percent} % of the dialogues", percent = percent),
        Subset::PerAbility(each) => {
            t!(texts, "{count} dialogues of each ability", count = count(*each as usize))
        }
        Subset::Dialogues(ids) => t!(texts, "{n} chosen dialogues", n = count(ids.len())),
    }
}

/// A model's name, translated for built-in models.
pub fn model(model: &Model, texts: Texts) -> &str {
    match model {
        Model::Builtin { name } => texts.get(name.title()),
        Model::Endpoint(endpoint) => &endpoint.model,
        Model::Agent(agent) => &agent.name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_in_the_unit_that_fits() {
        let sizes = [526_336, 999_900_000, 1_000_000_000, 10_792_600_000].map(size);
        assert_eq!(sizes, ["0.5 MB", "999.9 MB", "1.0 GB", "10.8 GB"]);
    }

    #[test]
    fn numbers_have_units() {
        assert_eq!([400.0, 12_340.0, 187_000.0].map(span), ["0.4 s", "12 s", "3 min 07 s"]);
        assert_eq!(span(9_970.0), "10 s");
        assert_eq!(
            [1, 2, 1173].map(|n| rows(n, Texts::ENGLISH)),
            ["1 row", "2 rows", "1,173 rows"]
        );
        assert_eq!(
            [3_000.0, 56_000.0, 700_000.0, 9_000_000.0].map(|ms| about(ms, Texts::ENGLISH)),
            ["about 5 s", "about 1 min", "about 12 min", "about 3 h"]
        );
        assert_eq!(
            [2.44, 0.2].map(|rate| throughput(rate, Texts::ENGLISH)),
            ["2.4 samples/s", "12 samples/min"]
        );
        assert_eq!(one_line("a\n  b c", 3), "a b…");
    }
}
