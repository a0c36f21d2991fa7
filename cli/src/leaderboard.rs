//! `api-bank leaderboard`: verifies the records of a folder and prints their table.

use crate::choice::one_of;
use crate::shown::{shown, tell};
use crate::{BELOW, FINISHED, output, run, table};
use ::record::leaderboard::{ENDING, Entry, Kind, Leaderboard, PROFILES, Row, Score};
use anyhow::{Context, Result, bail};
use clap::Args;
use dataset::{Ability, HardKind};
use exchange::protocol::Protocol;
use runner::benchmark::Benchmark;
use runner::results;
use scoring::Profile;
use std::fs;
use std::path::{Path, PathBuf};

/// Which records.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder with the records, NAME.json.gz.
    folder: PathBuf,
    /// Verify only these files. The others are taken as they are.
    #[arg(long, value_name = "FILE")]
    only: Vec<PathBuf>,
    /// The profile of the printed table.
    #[arg(long, value_parser = one_of(&PROFILES, Profile::as_str), default_value = "execution")]
    profile: Profile,
    /// Write the table as JSON.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults to the cache.
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
    print!("{}", shown(&text(&board, arguments.profile)));
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
    let bytes = fs::read(path).with_context(|| format!("can't read {}", path.display()))?;
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
    let mut text = format!(
        "{} {}, profile {}\n",
        board.pack.name,
        board.pack.version,
        profile.as_str()
    );
    for protocol in Protocol::ALL {
        let rows: Vec<&Row> = board.rows.iter().filter(|it| it.protocol == protocol).collect();
        if !rows.is_empty() {
            text.push_str(&format!("\n{}\n{}", protocol.as_str(), of_protocol(&rows, profile)));
        }
    }
    text
}

fn of_protocol(rows: &[&Row], profile: Profile) -> String {
    let mut head: Vec<String> =
        ["", "rank", "right", "95 % interval", "n"].map(str::to_owned).to_vec();
    head.extend(Ability::ALL.map(|it| it.title().to_owned()));
    head.push("Hard".to_owned());
    head.extend(HardKind::ALL.map(|it| it.title().to_owned()));
    let mut lines = vec![head];
    for row in rows {
        let Some(scores) = row.scores(profile) else { continue };
        let total = &scores.total.0;
        let mut line = vec![
            format!("{}{}", row.model, kind(row.kind)),
            scores.rank.to_string(),
            table::percent(total),
            table::interval(total),
            total.n.to_string(),
        ];
        let percent = |score: Option<&Score>| {
            score.map_or_else(|| "-".to_owned(), |it| table::percent(&it.0))
        };
        let ability = |it: Ability| scores.abilities.iter().find(|(of, _)| *of == it);
        let kind = |it: HardKind| scores.kinds.iter().find(|(of, _)| *of == it);
        line.extend(Ability::ALL.map(|it| percent(ability(it).map(|(_, score)| score))));
        line.push(percent(scores.hard.as_ref()));
        line.extend(HardKind::ALL.map(|it| percent(kind(it).map(|(_, score)| score))));
        lines.push(line);
    }
    table::aligned(&lines)
}

const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Model => "",
        Kind::Reference => " (reference)",
        Kind::Trivial => " (trivial)",
    }
}
