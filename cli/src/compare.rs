//! `api-bank compare`: compares records on the same samples, like the page.

use crate::choice::one_of;
use crate::shown::{line, shown};
use crate::{FINISHED, Usage, output, table};
use ::record::compare::{
    self, Against, MARGIN, MAX_RECORDS, MOST_MARGIN, Noise, Pair, Paired, Report, Source, letter,
};
use ::record::table::{count, ends, p_value, points};
use ::record::{Rate, Record, differing};
use anyhow::Result;
use clap::Args;
use dataset::Ability;
use scoring::{Interval, Profile};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What to compare.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Two to eight records; the first is the base.
    #[arg(required = true, num_args = 2..=MAX_RECORDS)]
    files: Vec<PathBuf>,
    /// The profile that judges calls.
    #[arg(long, value_name = "PROFILE", value_parser = one_of(&Profile::ALL, Profile::as_str), default_value = "execution")]
    profile: Profile,
    /// Percentage points below which models count as equal. Choose them before you look.
    #[arg(long, value_name = "POINTS", value_parser = margin, default_value_t = 100.0 * MARGIN)]
    margin: f64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn margin(text: &str) -> Result<f64, String> {
    let most = 100.0 * MOST_MARGIN;
    let known = text.parse().ok().filter(|points| *points > 0.0 && *points <= most);
    known.ok_or_else(|| format!("expected percentage points above 0, at most {most}"))
}

/// Prints rates, pairs, differences by ability, and the noise floor.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    let records = arguments.files.iter().map(|path| crate::source::whole(path));
    let records = records.collect::<Result<Vec<Record>>>()?;
    let all: Vec<&Record> = records.iter().collect();
    let (profile, points) = (arguments.profile, arguments.margin);
    let report = compare::report(&all, profile, points / 100.0);
    let (base, others) = (all[0], &all[1..]);
    let against: Vec<Against> =
        others.iter().map(|other| compare::against(base, other, profile)).collect();
    // Horizons are compared across seeds, too.
    if report.pairs.is_empty() && against.iter().all(|other| other.horizon.is_none()) {
        let reason = "the records share no sample with a verdict in both. Compare runs of the same \
                      data and protocol";
        return Err(Usage(reason.to_owned()).into());
    }
    let text = match arguments.json {
        true => as_json(arguments, &all, &report, &against),
        false => shown(&as_text(points, profile, &all, &report, &against)),
    };
    output::write(Path::new("-"), &text)?;
    Ok(FINISHED)
}

fn as_json(
    arguments: &Arguments,
    records: &[&Record],
    report: &Report,
    against: &[Against],
) -> String {
    let record = |(path, record): (&PathBuf, &&Record)| {
        let rate =
            |(ability, rate): (Option<Ability>, Rate)| json!({"ability": ability, "rate": rate});
        let rates = compare::rates(record, arguments.profile).into_iter().map(rate);
        json!({
            "file": path.display().to_string(),
            "model": record.model.title(),
            "digest": record.digest,
            "settings": differing(record),
            "rates": rates.collect::<Vec<_>>(),
        })
    };
    let records: Vec<_> = arguments.files.iter().zip(records).map(record).collect();
    let all = json!({
        "profile": arguments.profile.as_str(),
        "margin": arguments.margin / 100.0,
        "records": records,
        "pairs": report.pairs,
        "noise": report.noise,
        "against": against,
    });
    format!("{all:#}\n")
}

fn as_text(
    margin: f64,
    profile: Profile,
    records: &[&Record],
    report: &Report,
    against: &[Against],
) -> String {
    let mut text = String::new();
    for (index, record) in records.iter().enumerate() {
        let (pack, model) = (line(&record.pack.title()), line(record.model.title()));
        let letter = letter(index);
        text.push_str(&format!("{letter}   {model}, {}, {pack}\n", record.protocol.as_str()));
        for setting in differing(record) {
            text.push_str(&format!("    {}\n", line(&setting.to_string())));
        }
    }
    text.push_str(&format!("\nRight under {}, with 95 % interval\n", profile.as_str()));
    text.push_str(&rates(records, profile));
    text.push_str("\nPairs\n");
    let mut rows = vec![
        [
            "",
            "dialogues",
            "difference",
            "95 % interval",
            "only first",
            "only second",
            "p",
            "Holm p",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    rows.extend(report.pairs.iter().map(pair));
    text.push_str(&table::aligned(&rows));
    text.push('\n');
    for pair in &report.pairs {
        text.push_str(&format!("{}\n", pair.sentence(margin / 100.0)));
    }
    text.push_str(&noise(&report.noise));
    for (index, against) in against.iter().enumerate() {
        text.push_str(&by_ability(index + 1, against));
    }
    text
}

fn title(ability: Option<Ability>) -> String {
    ability.map_or("All", Ability::title).to_owned()
}

fn rates(records: &[&Record], profile: Profile) -> String {
    let columns: Vec<Vec<_>> =
        records.iter().map(|record| compare::rates(record, profile)).collect();
    let mut head = vec![String::new()];
    head.extend((0..records.len()).map(|index| letter(index).to_string()));
    let mut rows = vec![head];
    let abilities = Ability::ALL.into_iter().map(Some).chain([None]);
    for ability in abilities {
        let cell = |column: &Vec<(Option<Ability>, Rate)>| {
            let known = column.iter().find(|(it, _)| *it == ability);
            known.map(|(_, rate)| {
                let (share, interval) = (table::percent(rate), table::interval(rate));
                format!("{share} ({interval}, n {})", rate.n)
            })
        };
        let cells: Vec<Option<String>> = columns.iter().map(cell).collect();
        if cells.iter().any(Option::is_some) {
            let cells = cells.into_iter().map(|cell| cell.unwrap_or_else(|| "-".to_owned()));
            rows.push([title(ability)].into_iter().chain(cells).collect());
        }
    }
    table::aligned(&rows)
}

fn interval(it: &Interval) -> String {
    let (low, high) = ends(*it);
    format!("{low} to {high}")
}

fn pair(pair: &Pair) -> Vec<String> {
    let dialogues = pair.paired.dialogues.to_string();
    let mut cells = vec![format!("{} - {}", letter(pair.second), letter(pair.first)), dialogues];
    cells.extend(difference(&pair.paired));
    cells.push(p_value(pair.adjusted_p));
    cells
}

/// The difference, its interval, the flips in both directions, and p.
fn difference(paired: &Paired) -> [String; 5] {
    [
        points(paired.difference),
        interval(&paired.interval),
        count(paired.only_first),
        count(paired.only_second),
        p_value(paired.p),
    ]
}

fn noise(known: &[Noise]) -> String {
    if known.is_empty() {
        let hint = "Noise floor unknown: add a second run of a model, or a run with trials.\n";
        return hint.to_owned();
    }
    known.iter().map(noise_line).collect()
}

fn noise_line(noise: &Noise) -> String {
    let source = match noise.source {
        Source::Trials { run } => format!("Trials of {}", letter(run)),
        Source::Runs { runs: [first, second] } => {
            format!("{} and {}, runs of one model", letter(first), letter(second))
        }
    };
    format!(
        "Noise floor ({source}): {:.1} % of {} samples flip; two runs differ by at most {:.1} points \
         in 95 % of cases.\n",
        100.0 * noise.flips,
        noise.samples,
        100.0 * noise.difference
    )
}

fn by_ability(index: usize, against: &Against) -> String {
    let (other, base) = (letter(index), letter(0));
    let mut rows = vec![vec![
        format!("{other} - {base}"),
        "samples".to_owned(),
        "difference".to_owned(),
        "95 % interval".to_owned(),
        format!("only {base}"),
        format!("only {other}"),
        "p".to_owned(),
    ]];
    rows.extend(against.rows.iter().map(|row| {
        let mut cells = vec![title(row.ability), row.paired.samples.to_string()];
        cells.extend(difference(&row.paired));
        cells
    }));
    let mut text = format!("\n{}", table::aligned(&rows));
    if against.unmatched > 0 {
        text.push_str(&format!("{} samples are scored in only one.\n", against.unmatched));
    }
    if let Some(horizon) = &against.horizon {
        text.push_str(&format!("{}\n", horizon.sentence(base, other)));
    }
    against.caveats.iter().for_each(|caveat| text.push_str(&format!("Caveat: {}\n", line(caveat))));
    text
}
