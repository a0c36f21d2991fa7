//! A result in an address: `#/shared?…` has the configuration of a run and its numbers. Anyone can
//! write such a link, so the numbers are only claims; the record is the proof.
//!
//! The configuration is encoded as in [`super::form_address`]. A row of numbers is
//! `calls_dialogues_restraint_searches_replies_failed_told`: the first four and the last are
//! `right/n/low-high` with the ends of the interval; replies are `mean/n` with the mean of ROUGE-L,
//! failed is a count. `paper` is a rate, too. Older links lack intervals, `told` and `paper`, and count searches among the calls.

use super::form_address::{Filled, Refused, fill_pairs, form_of, pairs, query};
use super::route::encode;
use super::{Choice, Form};
use crate::messages::RecordFacts;
use crate::t;
use crate::texts::Texts;
use dataset::{Ability, HardKind};
use record::RunSettings;
use record::{AbilityRow, Mean, Rate, Status, Summary};
use scoring::{Interval, IntervalMethod, Profile};

/// Maximum length of a free text in a claim, in characters.
const LONGEST_TEXT: usize = 120;
/// Maximum number of samples in a claim, above any pack with every trial.
const MOST: usize = 100_000_000;
/// The address of an endpoint that the link does not name; it is never asked.
const UNKNOWN_ADDRESS: &str = "https://unknown.invalid/v1";
/// Length of a record's digest in hexadecimal digits.
const DIGEST: usize = 64;

/// A result claimed by a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The claimed configuration.
    pub form: Form,
    /// Whether custom prompts were used; links don't contain them.
    pub custom_prompts: bool,
    /// Whether the run completed.
    pub finished: bool,
    /// Name and version of the pack; empty if the link has none.
    pub pack: String,
    /// Digest of the record; empty if the link has none.
    pub digest: String,
    /// The numbers.
    pub summary: Summary,
}

/// The link to a result; `None` for a run that the form cannot describe.
pub fn link(settings: &RunSettings, facts: &RecordFacts, summary: &Summary) -> Option<String> {
    let mut form = form_of(settings)?;
    // The preset's address: the user's own may be private.
    form.address = form.preset.facts().address.to_owned();
    let mut parts = vec![query(&form)];
    let mut put = |name: &str, value: &str| parts.push(format!("{name}={}", encode(value)));
    if settings.custom_prompts.is_some() {
        put("prompts", "custom");
    }
    put("pack", &facts.pack.title());
    put("record", &facts.digest);
    if facts.status != Status::Finished {
        put("status", "cancelled");
    }
    put("profile", summary.profile.as_str());
    for row in &summary.rows {
        put(name_of(row), &numbers(row));
    }
    if let Some(paper) = &summary.paper {
        put("paper", &rate(paper));
    }
    Some(format!("#/shared?{}", parts.join("&")))
}

impl Claim {
    /// Parses the query of an address. `origin` is the site's.
    ///
    /// # Errors
    /// Every invalid field.
    pub fn read(text: &str, origin: &str, texts: Texts) -> Result<Claim, Vec<Refused>> {
        let refuse = |name: &str, why: String| Refused { name: name.to_owned(), why };
        let all = pairs(text, texts).map_err(|why| vec![refuse(t!(texts, "The link"), why)])?;
        let (own, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|(name, _)| is_own(name));
        let Filled { form, refused, .. } = fill_pairs(&rest, origin, texts);
        let given = |name: &str| own.iter().find(|(it, _)| it == name).map(|(_, it)| it.as_str());
        let mut read = Reader { given, refused };
        let claim = Claim {
            custom_prompts: read.word("prompts", &["custom"], texts).is_some(),
            finished: read.word("status", &["finished", "cancelled"], texts) != Some("cancelled"),
            pack: read.text("pack", texts),
            digest: read.digest(texts),
            summary: Summary {
                profile: read.profile(texts),
                interval_method: IntervalMethod::ClusterWilson,
                rows: read.rows(texts),
                forms: None,
                paper: read.paper(texts),
            },
            form,
        };
        if read.refused.is_empty() { Ok(claim) } else { Err(read.refused) }
    }

    /// The model's name.
    pub fn model(&self, texts: Texts) -> &str {
        match self.form.choice {
            Choice::Endpoint => &self.form.model,
            other => other.title(texts),
        }
    }

    /// The claimed settings, as far as links have them: the user's own address is missing. `origin` is
    /// the site's. `None` if the form can't be run.
    pub fn settings(&self, origin: &str, texts: Texts) -> Option<RunSettings> {
        let mut form = self.form.clone();
        if form.address.trim().is_empty() {
            form.address = UNKNOWN_ADDRESS.to_owned();
        }
        form.settings(origin, texts).ok()
    }

    /// The link that fills in the form with the claimed configuration.
    pub fn again(&self) -> String {
        format!("#/run?{}", query(&self.form))
    }
}

/// The row's name in a link.
fn name_of(row: &AbilityRow) -> &'static str {
    match (row.ability, row.kind) {
        (Some(ability), _) => ability.as_str(),
        (None, Some(kind)) => kind.as_str(),
        (None, None) => TOTAL,
    }
}

const TOTAL: &str = "total";
const FACTS: [&str; 6] = ["prompts", "status", "pack", "record", "profile", "paper"];

/// Every possible row with its name.
fn rows() -> impl Iterator<Item = AbilityRow> {
    let abilities = Ability::ALL.into_iter().map(Some).zip(std::iter::repeat(None));
    let kinds = std::iter::repeat(None).zip(HardKind::ALL.into_iter().map(Some));
    let row = |(ability, kind)| AbilityRow { ability, kind, ..AbilityRow::default() };
    abilities.chain(kinds).chain([(None, None)]).map(row)
}

fn is_own(name: &str) -> bool {
    FACTS.contains(&name) || rows().any(|row| name_of(&row) == name)
}

fn rate(rate: &Rate) -> String {
    let interval = rate.interval.map(|it| format!("/{:.3}-{:.3}", it.low, it.high));
    format!("{}/{}{}", rate.right, rate.n, interval.unwrap_or_default())
}

fn numbers(row: &AbilityRow) -> String {
    let mean = row.rouge_l.mean.map_or_else(|| "-".to_owned(), |mean| format!("{mean:.4}"));
    [
        rate(&row.calls),
        rate(&row.dialogues),
        rate(&row.restraint),
        rate(&row.searches),
        format!("{mean}/{}", row.rouge_l.n),
        row.failed.to_string(),
        rate(&row.told),
    ]
    .join("_")
}

/// Parses facts and rows, and collects the invalid ones.
struct Reader<F> {
    given: F,
    refused: Vec<Refused>,
}

impl<'a, F: Fn(&str) -> Option<&'a str>> Reader<F> {
    fn refuse(&mut self, name: &str, expected: &str, value: &str, texts: Texts) {
        let value = exchange::shorten(value, LONGEST_TEXT);
        let value = format!("{value:?}");
        let why = t!(texts, "expected {expected}, got {value}", expected = expected, value = value);
        self.refused.push(Refused { name: name.to_owned(), why });
    }

    fn word(&mut self, name: &str, known: &[&'static str], texts: Texts) -> Option<&'static str> {
        let value = (self.given)(name)?;
        let found = known.iter().copied().find(|it| *it == value);
        if found.is_none() {
            self.refuse(name, &t!(texts, "one of {known}", known = known.join(", ")), value, texts);
        }
        found
    }

    fn text(&mut self, name: &str, texts: Texts) -> String {
        let value = (self.given)(name).unwrap_or_default();
        if value.chars().count() > LONGEST_TEXT || value.chars().any(char::is_control) {
            let expected = t!(texts, "a line of at most {most} characters", most = LONGEST_TEXT);
            self.refuse(name, &expected, value, texts);
        }
        value.to_owned()
    }

    fn digest(&mut self, texts: Texts) -> String {
        let value = (self.given)("record").unwrap_or_default();
        let is_hex = value.len() == DIGEST && value.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hex && !value.is_empty() {
            self.refuse("record", &t!(texts, "{n} hexadecimal digits", n = DIGEST), value, texts);
        }
        value.to_owned()
    }

    fn profile(&mut self, texts: Texts) -> Profile {
        let all = Profile::ALL.into_iter().chain([Profile::Original]);
        let names: Vec<&'static str> = all.clone().map(Profile::as_str).collect();
        match (self.given)("profile") {
            None => {
                let expected = t!(texts, "one of {known}", known = names.join(", "));
                self.refuse("profile", &expected, "", texts);
            }
            Some(_) => {
                let named = self.word("profile", &names, texts);
                if let Some(profile) = all.into_iter().find(|it| Some(it.as_str()) == named) {
                    return profile;
                }
            }
        }
        Profile::Execution
    }

    /// Calls and searches together, which older links lack.
    fn paper(&mut self, texts: Texts) -> Option<Rate> {
        let value = (self.given)("paper")?;
        let rate = rate_of(value);
        if rate.is_none() {
            let expected = t!(texts, "a rate such as {example}", example = "34/50/0.521-0.791");
            self.refuse("paper", &expected, value, texts);
        }
        rate
    }

    fn rows(&mut self, texts: Texts) -> Vec<AbilityRow> {
        let mut read = Vec::new();
        for row in rows() {
            let name = name_of(&row);
            let value = (self.given)(name);
            match value.map(|value| (value, row_of(value, row))) {
                Some((_, Some(row))) => read.push(row),
                Some((value, None)) => self.refuse(name, what_a_row_is(texts), value, texts),
                None if name == TOTAL => self.refuse(name, what_a_row_is(texts), "", texts),
                None => {}
            }
        }
        read
    }
}

fn what_a_row_is(texts: Texts) -> &'static str {
    t!(
        texts,
        "calls_dialogues_restraint_searches_replies_failed_told such as \
        34/50/0.521-0.791_6/10_0/0_0/0_0.5123/20_1_9/20, with no count above its total"
    )
}

/// By how much an interval's end in a link can differ from the computed one.
const ROUNDING: f64 = 0.000_5;

fn row_of(text: &str, row: AbilityRow) -> Option<AbilityRow> {
    let parts: Vec<&str> = text.split('_').collect();
    let [calls, dialogues, restraint, searches, replies, failed, told @ ..] = parts.as_slice()
    else {
        return None;
    };
    let told = match told {
        [] => "0/0",
        [told] => told,
        _ => return None,
    };
    let (mean, n) = replies.split_once('/')?;
    let n = count(n)?;
    let mean = match mean {
        "-" => None,
        text => Some(text.parse::<f64>().ok().filter(|mean| (0.0..=1.0).contains(mean))?),
    };
    let consistent = mean.is_some() == (n > 0);
    consistent.then_some(AbilityRow {
        calls: rate_of(calls)?,
        dialogues: rate_of(dialogues)?,
        restraint: rate_of(restraint)?,
        searches: rate_of(searches)?,
        told: rate_of(told)?,
        rouge_l: Mean { mean, n },
        failed: count(failed)?,
        ..row
    })
}

fn rate_of(text: &str) -> Option<Rate> {
    let (right, rest) = text.split_once('/')?;
    let (n, interval) = match rest.split_once('/') {
        None => (rest, None),
        Some((n, interval)) => (n, Some(interval_of(interval)?)),
    };
    let rate = Rate { right: count(right)?, n: count(n)?, interval };
    let contains =
        |share: f64, it: &Interval| (it.low - ROUNDING..=it.high + ROUNDING).contains(&share);
    let possible = match (rate.value(), &rate.interval) {
        (Some(share), Some(interval)) => contains(share, interval),
        (share, interval) => share.is_some() || interval.is_none(),
    };
    (rate.right <= rate.n && possible).then_some(rate)
}

fn interval_of(text: &str) -> Option<Interval> {
    let (low, high) = text.split_once('-')?;
    let share = |text: &str| text.parse::<f64>().ok().filter(|it| (0.0..=1.0).contains(it));
    let (low, high) = (share(low)?, share(high)?);
    (low <= high).then_some(Interval { low, high })
}

fn count(text: &str) -> Option<usize> {
    text.parse().ok().filter(|count| *count <= MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::form_address::fill;
    use exchange::protocol::Protocol;
    use provider::Preset;

    const SITE: &str = "https://site.example";

    fn facts() -> RecordFacts {
        let pack = dataset::Source {
            name: "api-bank".to_owned(),
            version: "1".to_owned(),
            digest: "d".to_owned(),
            variant: None,
            language: None,
            horizon: None,
            tools: None,
        };
        RecordFacts { digest: "0f".repeat(32), pack, status: Status::Finished, planned: 4 }
    }

    fn row(ability: Option<Ability>) -> AbilityRow {
        AbilityRow {
            ability,
            calls: rate(34, 50, 0.521, 0.791),
            dialogues: rate(6, 10, 0.313, 0.832),
            searches: Rate { right: 1, n: 2, interval: None },
            rouge_l: Mean { mean: Some(0.5123), n: 20 },
            failed: 1,
            ..AbilityRow::default()
        }
    }

    fn rate(right: usize, n: usize, low: f64, high: f64) -> Rate {
        Rate { right, n, interval: Some(Interval { low, high }) }
    }

    fn shared() -> (RunSettings, Summary, String) {
        let form = fill("preset=vllm&model=a/b:c&protocol=tools&seed=4", SITE, Texts::ENGLISH).form;
        let settings = form.settings(SITE, Texts::ENGLISH).unwrap();
        let rows = vec![row(Some(Ability::Call)), row(None)];
        let interval_method = IntervalMethod::ClusterWilson;
        let summary = Summary {
            profile: Profile::Exact,
            interval_method,
            rows,
            forms: None,
            paper: Some(rate(40, 60, 0.5, 0.8)),
        };
        let link = link(&settings, &facts(), &summary).unwrap();
        (settings, summary, link)
    }

    fn query_of(link: &str) -> &str {
        link.strip_prefix("#/shared?").unwrap()
    }

    #[test]
    fn a_link_round_trips_configuration_and_numbers() {
        let (settings, summary, link) = shared();
        let claim = Claim::read(query_of(&link), SITE, Texts::ENGLISH).unwrap();
        assert_eq!(claim.summary, summary);
        assert_eq!(claim.form.settings(SITE, Texts::ENGLISH).unwrap(), settings);
        assert_eq!((claim.model(Texts::ENGLISH), claim.pack.as_str()), ("a/b:c", "api-bank 1"));
        assert_eq!((claim.digest, claim.finished), (facts().digest, true));
        assert!(link.len() < 500, "{link}");
    }

    #[test]
    fn private_addresses_are_omitted_and_the_configuration_can_be_rerun() {
        let link_of = |query: &str| {
            let settings =
                fill(query, SITE, Texts::ENGLISH).form.settings(SITE, Texts::ENGLISH).unwrap();
            link(&settings, &facts(), &shared().1).unwrap()
        };
        let link = link_of("preset=custom&address=https://secret.example/v1&model=m");
        assert!(!link.contains("secret"), "{link}");
        let claim = Claim::read(query_of(&link), SITE, Texts::ENGLISH).unwrap();
        assert_eq!(claim.form.preset, Preset::Custom);
        let settings = claim.settings(SITE, Texts::ENGLISH).unwrap();
        assert_eq!((settings.model.title(), settings.protocol), ("m", Protocol::Bracket));
        let link = link_of("preset=ollama&address=http://localhost:7777&model=m&protocol=agent");
        assert!(!link.contains("7777"), "{link}");
        let again = Claim::read(query_of(&link), SITE, Texts::ENGLISH).unwrap().again();
        let form = fill(again.strip_prefix("#/run?").unwrap(), SITE, Texts::ENGLISH).form;
        assert_eq!((form.model.as_str(), form.protocol()), ("m", Protocol::Agent));
    }

    #[test]
    fn impossible_values_are_rejected_by_name() {
        let (_, _, link) = shared();
        let good = query_of(&link);
        for (old, new, name) in [
            ("34/50", "51/50", "call"),
            ("34/50", "-1/50", "call"),
            ("0.5123/20", "1.5/20", "call"),
            ("0.5123/20", "NaN/20", "call"),
            ("0.5123/20", "-/20", "call"),
            ("34/50", "34/50_1", "call"),
            ("0.521-0.791", "0.791-0.521", "call"),
            ("0.521-0.791", "0.521-1.1", "call"),
            ("0.521-0.791", "0.521", "call"),
            ("0.521-0.791", "NaN-NaN", "call"),
            ("0.521-0.791", "0.000-0.100", "call"),
            ("0.521-0.791", "0.900-1.000", "call"),
            ("profile=exact", "profile=best", "profile"),
            ("profile=exact&", "", "profile"),
            ("total=", "call2=", "total"),
            ("record=0f", "record=%3Cscript%3E", "record"),
            ("pack=api-bank", "pack=%00", "pack"),
            ("protocol=tools", "protocol=magic", "protocol"),
            ("seed=4", "key=sk-1", "key"),
        ] {
            let bad = good.replacen(old, new, 1);
            assert_ne!(bad, good, "{old}");
            let refused = Claim::read(&bad, SITE, Texts::ENGLISH).unwrap_err();
            assert!(refused.iter().any(|refused| refused.name == name), "{new}: {refused:?}");
        }
        assert!(Claim::read("", SITE, Texts::ENGLISH).is_err());
    }
}
