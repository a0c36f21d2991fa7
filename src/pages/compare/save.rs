//! The comparison as one HTML file.

use super::differences::share;
use super::pairs;
use crate::messages::compare::{Column, Comparison};
use crate::session::one_page::{OnePage, Part};
use crate::session::{format, terms};
use crate::t;
use crate::texts::{self, translated};
use dataset::Ability;
use record::compare::{Against, Disagreement, letter};
use record::metrics::horizon::COLUMNS;
use record::table::{count, p_value, points};
use scoring::Profile;

/// Maximum number of listed disagreements.
const LISTED: usize = 1000;

/// The file of a comparison under a profile. `language` is the tag of the page's language.
pub(super) fn page(of: &Comparison, profile: Profile, language: &str) -> OnePage {
    let titles: Vec<&str> = of.records.iter().map(|record| record.title.as_str()).collect();
    let mut page = OnePage {
        language: language.to_owned(),
        title: t!("Comparison of {records}", records = titles.join(", ")),
        parts: vec![Part::Text(t!(
            "Count as right: {what}",
            what = terms::profile(profile, texts::current())
        ))],
    };
    page.parts.push(records(&of.records));
    page.parts.extend(horizons(&of.records));
    page.parts.push(rates(&of.records));
    if !of.report.pairs.is_empty() {
        page.parts.push(verdicts(of));
        page.parts.extend(of.report.noise.iter().map(|noise| Part::Quiet(pairs::floor(noise))));
    }
    for (index, against) in of.against.iter().enumerate() {
        page.parts.push(paired(index + 1, against));
        page.parts.extend(against.caveats.iter().cloned().map(Part::Quiet));
    }
    if !of.disagreements.is_empty() {
        page.parts.push(differing(of.records.len(), &of.disagreements));
    }
    page.parts.push(Part::Quiet(
        t!("Saved from API-Bank. Anyone can change this file; only the run's record can prove it.")
            .to_owned(),
    ));
    page
}

fn table(caption: String, head: Vec<String>, rows: Vec<Vec<String>>) -> Part {
    Part::Table { caption, head, rows }
}

fn titled(index: usize, record: &Column) -> String {
    format!("{} {}", letter(index), record.title)
}

fn name(ability: Option<Ability>) -> String {
    ability.map_or_else(|| t!("Total"), |it| translated(it.title())).to_owned()
}

fn records(of: &[Column]) -> Part {
    let row = |(index, it): (usize, &Column)| {
        let state = if it.complete { String::new() } else { t!("incomplete").to_owned() };
        vec![titled(index, it), it.protocol.clone(), it.pack.clone(), state]
    };
    let head = [t!("Record"), t!("Protocol"), t!("Data"), t!("State")];
    table(
        t!("Records").to_owned(),
        head.map(str::to_owned).to_vec(),
        of.iter().enumerate().map(row).collect(),
    )
}

/// The horizons; `None` if no record has one.
fn horizons(of: &[Column]) -> Option<Part> {
    let row = |(index, it): (usize, &Column)| {
        let row = it.horizon.as_ref()?;
        let own = [titled(index, it), format::horizon(&row.estimate, texts::current())];
        Some(own.into_iter().chain(COLUMNS.iter().map(|(_, cell)| cell(row))).collect())
    };
    let rows: Vec<Vec<String>> = of.iter().enumerate().filter_map(row).collect();
    let heads = [t!("Record"), t!("Horizon")].into_iter();
    let heads = heads.chain(COLUMNS.iter().map(|(title, _)| translated(title)));
    let heads = heads.map(str::to_owned).collect();
    (!rows.is_empty()).then(|| table(t!("Horizon").to_owned(), heads, rows))
}

fn rates(of: &[Column]) -> Part {
    let mut abilities: Vec<Option<Ability>> = Vec::new();
    for (ability, _) in of.iter().flat_map(|row| &row.rates) {
        if !abilities.contains(ability) {
            abilities.push(*ability);
        }
    }
    // The total comes last.
    abilities.sort_by_key(|ability| (ability.is_none(), *ability));
    let row = |ability: Option<Ability>| {
        let cells = of.iter().map(|record| {
            let rate = record.rates.iter().find(|(known, _)| *known == ability);
            rate.map_or_else(
                || format::NONE.to_owned(),
                |(_, rate)| {
                    let (percent, interval) = (format::percent(rate), format::interval(rate));
                    format!("{percent} ({interval}, n {})", format::count(rate.n))
                },
            )
        });
        std::iter::once(name(ability)).chain(cells).collect()
    };
    let heads = of.iter().enumerate().map(|(index, it)| titled(index, it));
    table(
        t!("Correct, with 95 % interval").to_owned(),
        std::iter::once(t!("Ability").to_owned()).chain(heads).collect(),
        abilities.into_iter().map(row).collect(),
    )
}

fn verdicts(of: &Comparison) -> Part {
    let row = |pair: &record::compare::Pair| {
        vec![
            format!("{} − {}", letter(pair.second), letter(pair.first)),
            pairs::verdict(pair, of.margin),
            points(pair.paired.difference),
            pairs::interval(pair.paired.interval),
            format::count(pair.paired.dialogues),
            p_value(pair.adjusted_p),
        ]
    };
    let head = [
        t!("Pair"),
        t!("Verdict"),
        t!("Difference (percentage points)"),
        t!("95 % interval"),
        t!("Dialogues"),
        "p",
    ];
    table(
        t!("Verdicts on samples scored in both").to_owned(),
        head.map(str::to_owned).to_vec(),
        of.report.pairs.iter().map(row).collect(),
    )
}

fn paired(index: usize, against: &Against) -> Part {
    let row = |it: &record::compare::ComparisonRow| {
        vec![
            name(it.ability),
            format::count(it.paired.samples),
            points(it.paired.difference),
            pairs::interval(it.paired.interval),
            count(it.paired.only_second),
            count(it.paired.only_first),
            p_value(it.paired.p),
        ]
    };
    let head = vec![
        t!("Ability").to_owned(),
        "n".to_owned(),
        t!("Difference (percentage points)").to_owned(),
        t!("95 % interval").to_owned(),
        t!("Only {record} right", record = letter(index)),
        t!("Only A right").to_owned(),
        "p".to_owned(),
    ];
    let caption = t!("{record} minus A, on samples scored in both", record = letter(index));
    table(caption, head, against.rows.iter().map(row).collect())
}

fn differing(records: usize, of: &[Disagreement]) -> Part {
    let row = |it: &Disagreement| {
        let cells = it.trials.iter().map(|trials| share(*trials).0);
        [it.id.clone(), name(Some(it.ability))].into_iter().chain(cells).collect()
    };
    let letters = (0..records).map(|index| letter(index).to_string());
    table(
        t!("Samples with disagreements: {n}", n = format::count(of.len())),
        [t!("Sample").to_owned(), t!("Ability").to_owned()].into_iter().chain(letters).collect(),
        of.iter().take(LISTED).map(row).collect(),
    )
}
