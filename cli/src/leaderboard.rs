//! `api-bank leaderboard`: verifies the records of a folder and prints their table.

use crate::choice::one_of;
use crate::shown::{line, put, shown, tell};
use crate::{BELOW, FINISHED, files, output, run, table};
use ::record::Setting;
use ::record::leaderboard::{
    ENDING, Entry, HorizonEntry, Kind, Leaderboard, LeaderboardRow, Score,
};
use ::record::metrics::horizon::{COLUMNS, words};
use ::record::table::SecondaryMetric;
use anyhow::{Context, Result, bail};
use clap::Args;
use dataset::{Ability, HardKind, Language, Tier};
use exchange::protocol::Protocol;
use runner::benchmark::Benchmark;
use runner::results;
use scoring::Profile;
use std::fs;
use std::path::{Path, PathBuf};

/// The most bytes of a compressed record.
const MOST_BYTES: u64 = 256 << 20;

/// Which records.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder with the records, NAME.json.gz.
    folder: PathBuf,
    /// Verify only these files; accept the others unverified.
    #[arg(long, value_name = "FILE")]
    only: Vec<PathBuf>,
    /// The profile of the printed table.
    #[arg(long, value_parser = one_of(&Profile::ALL, Profile::as_str), default_value = "execution")]
    profile: Profile,
    /// Write the table as JSON.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults as for run.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
}

/// Verifies every record, prints the table and every refusal.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    let files = list(&arguments.folder)?;
    let bench = run::bench(&[], arguments.search_files.as_deref())?;
    let mut refused = 0;
    let mut entries = Vec::new();
    for file in &files {
        match entry(arguments, &bench, file) {
            Ok(entry) => entries.push(entry),
            Err(error) => {
                refused += 1;
                tell!("{error:#}");
            }
        }
    }
    let board = match Leaderboard::of(bench.pack.source(), entries) {
        Ok(board) => board,
        Err(error) => {
            tell!("{error}");
            return Ok(BELOW);
        }
    };
    put(&shown(&text(&board, arguments.profile)));
    if refused > 0 {
        tell!("Refused: {refused} of {} records.", files.len());
        return Ok(BELOW);
    }
    if let Some(out) = &arguments.out {
        output::write(out, &(serde_json::to_string(&board)? + "\n"))?;
    }
    Ok(FINISHED)
}

/// The records of a folder, by name.
fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let shown = folder.display();
    let entries = fs::read_dir(folder).with_context(|| format!("can't list {shown}"))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("can't list {shown}"))?.path();
        if name(&path).ends_with(ENDING) {
            files.push(path);
        } else {
            bail!("{}: expected only records, NAME{ENDING}", path.display());
        }
    }
    files.sort();
    Ok(files)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn entry(arguments: &Arguments, bench: &Benchmark, path: &Path) -> Result<Entry> {
    // A pull request may have a link to anything.
    if !fs::symlink_metadata(path).is_ok_and(|it| it.is_file()) {
        bail!("{}: expected a file, no link or pipe", path.display());
    }
    let bytes = files::bounded(path, MOST_BYTES)?;
    let name = name(path);
    let record = results::read(&name, &bytes)?;
    let only = &arguments.only;
    let is_checked = only.is_empty() || only.iter().any(|it| crate::resume::same_file(it, path));
    Ok(match is_checked {
        true => results::verified(bench, &name, bytes.len(), record)?,
        false => results::trusted(&name, bytes.len(), &record)?,
    })
}

/// One table per protocol.
fn text(board: &Leaderboard, profile: Profile) -> String {
    let (pack, version) = (line(&board.pack.name), line(&board.pack.version));
    let mut text = format!("{pack} {version}, profile {}\n", profile.as_str());
    for protocol in Protocol::ALL {
        let rows: Vec<&LeaderboardRow> =
            board.rows.iter().filter(|row| row.protocol == protocol).collect();
        if !rows.is_empty() {
            text.push_str(&format!("\n{}\n{}", protocol.as_str(), of_protocol(&rows, profile)));
        }
    }
    if !board.horizons.is_empty() {
        text.push_str(&format!("\nhorizon\n{}", horizons(&board.horizons)));
    }
    text
}

/// The horizons over all tasks, then by tier.
fn horizons(rows: &[HorizonEntry]) -> String {
    let heads = ["", "rank", "Horizon"].into_iter().chain(Tier::ALL.map(Tier::title));
    let heads = heads.chain(COLUMNS.iter().map(|(title, _)| *title)).chain(["Seeds"]);
    let mut lines: Vec<Vec<String>> = vec![heads.map(str::to_owned).collect()];
    lines.extend(rows.iter().filter_map(|row| {
        let all = row.total()?;
        let name = format!("{}{}{}", row.model, kind(row.kind), asked(row.adaptive));
        let tiers = Tier::ALL.map(|tier| row.horizons.iter().find(|it| it.tier == Some(tier)));
        let tiers = tiers.map(|tier| tier.map_or_else(none, |entry| words(&entry.estimate)));
        let mut cells = vec![name, rank(row.rank), words(&all.estimate)];
        cells.extend(tiers);
        cells.extend(COLUMNS.iter().map(|(_, cell)| cell(all)));
        let seeds = row.seeds.iter().map(u32::to_string).chain(all.pass_of_all());
        cells.push(seeds.collect::<Vec<_>>().join(", "));
        Some(cells)
    }));
    let mut text = table::aligned(&lines);
    for row in rows.iter().filter(|row| !row.settings.is_empty()) {
        text.push_str(&listed(&row.model, &row.settings));
    }
    text
}

fn rank(of: Option<usize>) -> String {
    of.map_or_else(none, |rank| rank.to_string())
}

fn none() -> String {
    table::NONE.to_owned()
}

const fn asked(adaptive: bool) -> &'static str {
    if adaptive { " (adaptive)" } else { "" }
}

fn listed(model: &str, settings: &[Setting]) -> String {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    format!("Settings of {}: {}\n", line(model), line(&settings.join(", ")))
}

fn of_protocol(rows: &[&LeaderboardRow], profile: Profile) -> String {
    let mut head: Vec<String> =
        ["", "rank", "right", "95 % interval", "n"].map(str::to_owned).to_vec();
    head.extend(Ability::ALL.map(|ability| ability.title().to_owned()));
    head.extend(SecondaryMetric::ALL.map(|metric| metric.title().to_owned()));
    head.push("Hard".to_owned());
    head.extend(HardKind::ALL.map(|kind| kind.title().to_owned()));
    let has = |language: &Language| {
        let scores = rows.iter().filter_map(|row| row.scores(profile));
        scores.flat_map(|score| &score.languages).any(|(of, _)| of == language)
    };
    let languages: Vec<Language> = Language::ALL.into_iter().filter(has).collect();
    head.extend(languages.iter().map(|language| language.title().to_owned()));
    let mut lines = vec![head];
    for row in rows {
        let Some(scores) = row.scores(profile) else { continue };
        let total = &scores.total.0;
        let mut cells = vec![
            format!("{}{}{}", row.model, kind(row.kind), part(row.percent)),
            rank(scores.rank),
            table::percent(total),
            table::interval(total),
            total.n.to_string(),
        ];
        let percent = |score: Option<&Score>| {
            score.map_or_else(|| table::NONE.to_owned(), |score| table::percent(&score.0))
        };
        let ability = |it: Ability| scores.abilities.iter().find(|(of, _)| *of == it);
        let kind = |it: HardKind| scores.kinds.iter().find(|(of, _)| *of == it);
        cells.extend(Ability::ALL.map(|it| percent(ability(it).map(|(_, score)| score))));
        let secondary = |it: SecondaryMetric| scores.secondary.iter().find(|(of, _)| *of == it);
        cells.extend(SecondaryMetric::ALL.map(|it| percent(secondary(it).map(|(_, score)| score))));
        cells.push(percent(scores.hard.as_ref()));
        cells.extend(HardKind::ALL.map(|it| percent(kind(it).map(|(_, score)| score))));
        let language = |it: &Language| scores.languages.iter().find(|(of, _)| of == it);
        cells.extend(languages.iter().map(|it| percent(language(it).map(|(_, score)| score))));
        lines.push(cells);
    }
    let mut text = table::aligned(&lines);
    for row in rows.iter().filter(|row| !row.settings.is_empty()) {
        text.push_str(&listed(&row.model, &row.settings));
    }
    text
}

const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Model => "",
        Kind::Reference => " (reference)",
        Kind::Trivial => " (trivial)",
    }
}

fn part(percent: Option<u8>) -> String {
    percent.map_or_else(String::new, |it| format!(" ({it} %)"))
}

#[cfg(test)]
mod tests {
    use crate::{Command, run};
    use ::record::leaderboard::command;
    use ::record::{Baseline, Model, Record, RunSettings, Shard, Shards, Subset};
    use clap::Parser as _;
    use dataset::{Ability, Source, Split};
    use exchange::protocol::{DescribedApis, Protocol, Steps};
    use provider::{Endpoint, Preset, ToolChoice, WireFormat};
    use serde_json::json;

    const VERSION_1: &str = include_str!("../../engine/record/tests/data/record_v1.json");

    /// A record with these settings, without samples.
    fn record(settings: RunSettings) -> Record {
        let frame = Record::from_json(VERSION_1).unwrap();
        Record {
            split: settings.split,
            abilities: settings.abilities,
            model: settings.model,
            subset: settings.subset,
            seed: settings.seed,
            shard: settings.shard.map(Shards::from),
            protocol: settings.protocol,
            steps: settings.steps,
            search: ::record::SearchSource { results: settings.search_results, ..frame.search },
            trials: settings.trials,
            turn_limit: settings.protocol.is_agent().then_some(settings.turn_limit),
            samples: Vec::new(),
            ..frame
        }
    }

    /// The settings that a command line asks for.
    fn parsed(line: &str) -> RunSettings {
        let words = shlex::split(line).unwrap();
        match crate::Arguments::try_parse_from(words).map(|it| it.command) {
            Ok(Command::Run(arguments)) => run::settings(&arguments).unwrap(),
            other => panic!("{line}: {:?}", other.map(|_| "another command")),
        }
    }

    fn round_trips(settings: RunSettings) {
        let record = record(settings);
        let line = command(&record, "it's a file.json");
        let Model::Endpoint(endpoint) = &record.model else { return given(&record, &line) };
        let is_preset = endpoint.base_url == endpoint.preset.facts().address;
        assert!(!line.contains(&endpoint.base_url), "{line}");
        assert_eq!(line.contains("--endpoint ADDRESS"), !is_preset, "{line}");
        given(&record, &line.replace("ADDRESS", &endpoint.base_url));
    }

    /// Checks that a command line has a record's settings.
    fn given(record: &Record, line: &str) {
        let RunSettings { concurrency, retries, backoff_ms, timeouts, .. } = parsed(line);
        let expected =
            RunSettings { concurrency, retries, backoff_ms, timeouts, ..record.settings() };
        assert_eq!(parsed(line), expected, "{line}");
    }

    #[test]
    fn the_command_of_a_record_has_its_settings() {
        let new = |name| RunSettings::new(Model::Builtin { name });
        Baseline::ALL.into_iter().for_each(|name| round_trips(new(name)));
        let gold = new(Baseline::GoldReplay);
        round_trips(RunSettings { split: Split::Hard, ..gold.clone() });
        round_trips(RunSettings {
            abilities: vec![Ability::Call, Ability::Plan],
            subset: Subset::Percent(10),
            seed: 7,
            shard: Some(Shard { part: 2, of: 5 }),
            protocol: Protocol::Tools,
            steps: Steps::First,
            described_apis: DescribedApis::All,
            search_results: apis::search::SearchResults::One,
            trials: 3,
            ..gold.clone()
        });
        let ids = ["call/already-covered", "plan/scary-movie-shed"].map(str::to_owned).to_vec();
        round_trips(RunSettings {
            subset: Subset::Dialogues(ids),
            protocol: Protocol::Agent,
            turn_limit: 12,
            ..gold.clone()
        });
        let mut horizon = RunSettings { seed: 3, subset: Subset::PerAbility(16), ..gold };
        horizon.play_horizon();
        let record = Record {
            pack: Source { horizon: Some(3), ..record(horizon.clone()).pack },
            ..record(horizon)
        };
        given(&record, &command(&record, "h.json"));
    }

    #[test]
    fn the_command_of_an_endpoint_has_its_settings() {
        let plain = Endpoint {
            preset: Preset::Ollama,
            format: Preset::Ollama.facts().format,
            base_url: Preset::Ollama.facts().address.to_owned(),
            model: "qwen3:8b".to_owned(),
            temperature: Some(0.0),
            max_tokens: Some(4096),
            num_ctx: (Preset::Ollama.facts().format == WireFormat::Ollama).then_some(16_384),
            streaming: true,
            ..Endpoint::default()
        };
        let unusual = Endpoint {
            format: WireFormat::ChatCompletions,
            base_url: "http://10.0.0.7:8000/v1".to_owned(),
            model: "it's; a \"model\" $HOME".to_owned(),
            preset: Preset::of_address("http://10.0.0.7:8000/v1"),
            temperature: None,
            top_p: Some(0.9),
            seed: Some(7),
            max_tokens: None,
            num_ctx: None,
            streaming: false,
            tool_choice: ToolChoice::Required,
            constrained: true,
            grammar: true,
            extra: json!({"reasoning_effort": "it's low"}).as_object().unwrap().clone(),
            fold_roles: true,
            // Whoever repeats the run has other hardware.
            hardware: None,
            in_page: None,
        };
        for endpoint in [plain, unusual] {
            round_trips(RunSettings::new(Model::Endpoint(endpoint)));
        }
    }
}
