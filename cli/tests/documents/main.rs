//! Every command of the documents works: runs those that are quick and need no setup, and parses
//! the others with their program's grammar.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]

mod figures;
mod found;
mod scaffolds;
mod targets;

use clap::error::ErrorKind;
use found::{Documented, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// How the test checks a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Treatment {
    /// Runs it if it is complete, and expects exit code 0.
    Run,
    /// Only parses it, for the given reason.
    Parse(&'static str),
}

use Treatment::{Parse, Run};

/// Treatments by a command's first words; the first match counts.
const TREATMENTS: [(&str, Treatment); 50] = [
    ("cargo xtask serve", Parse("runs until it is stopped")),
    ("cargo xtask build", Parse("takes minutes; the browser tests build the site")),
    ("cargo xtask package", Parse("needs binaries of five targets; unit tests pack samples")),
    ("cargo xtask test", Parse("runs this test")),
    ("cargo xtask bench", Parse("takes minutes")),
    ("cargo xtask model", Parse("`cargo xtask test` makes the files before the tests")),
    ("cargo xtask new", Parse("changes the tree; `scaffolds` runs it on a copy")),
    ("cargo xtask dataset check", Parse("a step of `cargo xtask test`")),
    ("cargo xtask dataset bless", Parse("changes the dataset; makers test it on a copy")),
    ("cargo test", Parse("takes minutes; package, target and features have to exist")),
    ("cargo install", Parse("compiles; the package has to exist")),
    ("cargo build", Parse("compiles; the package has to exist")),
    ("cargo run -p gguf", Parse("compiles; the example has to exist")),
    ("python3 -m venv", Parse("makes a folder")),
    ("lynx/bin/pip", Parse("installs gigabytes; the file has to exist")),
    ("lynx/bin/python", Parse("fine-tunes for hours; the script has to have the options")),
    ("api-bank run --model keyword-baseline", Run),
    ("api-bank run --model gold-replay", Parse("trials take minutes in a test build")),
    ("api-bank run", Parse("needs an endpoint")),
    ("api-bank check", Parse("needs an endpoint")),
    ("api-bank generate", Parse("needs an endpoint")),
    ("api-bank mcp", Parse("serves an agent; a test plays with a client")),
    ("api-bank tools example", Run),
    ("api-bank tools check", Run),
    ("api-bank tools write", Run),
    ("api-bank tools accept", Parse("needs drafts; a test accepts its own")),
    ("api-bank tools add", Parse("needs a log; unit tests read logs")),
    ("api-bank tools describe", Run),
    ("api-bank verify before.json", Run),
    ("api-bank report before.json", Run),
    ("api-bank report", Parse("needs records of several seeds; a test pools its own")),
    ("api-bank compare before.json", Run),
    ("api-bank audit --pack shop/shop.json", Run),
    ("api-bank verify", Parse("needs records of a run in parts")),
    ("api-bank compare training/records/base.json.gz", Run),
    ("api-bank compare", Parse("needs two records")),
    ("api-bank compare-endpoints", Parse("needs endpoints; a test compares two servers")),
    ("api-bank leaderboard", Parse("replays whole runs; a test does the same for built-in models")),
    ("api-bank merge", Parse("needs records of a run in parts")),
    ("api-bank export", Parse("needs records of a run in parts")),
    ("api-bank audit", Parse("needs the original's data")),
    (
        "api-bank retriever",
        Parse("takes minutes with the search model; a test evaluates small lists"),
    ),
    ("api-bank score", Parse("needs the original's data")),
    ("api-bank record keygen", Parse("writes a key; tests make keys of their own")),
    ("api-bank record sign", Parse("needs a key; tests make keys of their own")),
    ("api-bank samples", Parse("prints every prompt; tests of the Inspect task run it")),
    ("api-bank stats", Run),
    ("api-bank training check", Run),
    ("api-bank training stats", Run),
    ("api-bank training export", Run),
];

/// Other ways to start the program, which `documented` replaces by `api-bank`.
const STARTS: [&str; 4] =
    ["cargo run --release -p cli -- ", "cargo run -p cli -- ", "npx api-bank ", "uvx api-bank "];

fn documented() -> Vec<Documented> {
    let grammar = cli::grammar();
    let mut commands = found::all(|word| grammar.find_subcommand(word).is_some());
    for command in &mut commands {
        let line = command.words.join(" ") + " ";
        if let Some(prefix) = STARTS.iter().find(|prefix| line.starts_with(**prefix)) {
            targets::run("cli").unwrap();
            let count = prefix.split_whitespace().count();
            command.words.splice(..count, ["api-bank".to_owned()]);
        }
    }
    commands
}

fn treatment(words: &[String]) -> Option<usize> {
    TREATMENTS.iter().position(|(start, _)| {
        let start: Vec<&str> = start.split(' ').collect();
        words.len() >= start.len() && words.iter().zip(start).all(|(word, start)| word == start)
    })
}

/// Parses a command with its program's grammar.
fn parse(command: &Documented) -> Result<(), String> {
    let words = &command.words;
    let grammar = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["cargo", "xtask", ..] => return fits(xtask::arguments::grammar(), &words[1..], command),
        ["cargo", "test", ..] => return targets::test(&words[2..]),
        ["cargo", "install", ..] => return targets::install(&words[2..]),
        ["cargo", "build", ..] => return targets::build(&words[2..]),
        ["cargo", "run", "-p", ..] => return targets::example(&words[2..]),
        ["python3", "-m", "venv", _] => return Ok(()),
        ["lynx/bin/pip", "install", "-r", file] => return targets::file(file).map(drop),
        ["lynx/bin/python", ..] => return targets::script(&words[1..]),
        _ => cli::grammar(),
    };
    fits(grammar, words, command)
}

fn fits(grammar: clap::Command, words: &[String], command: &Documented) -> Result<(), String> {
    match grammar.try_get_matches_from(words) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::MissingRequiredArgument && !command.whole => {
            Ok(())
        }
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn every_command_is_one_that_its_program_takes() {
    let commands = documented();
    let mut wrong = Vec::new();
    for command in &commands {
        let line = format!("{}: `{}`", command.place, command.words.join(" "));
        if treatment(&command.words).is_none() {
            wrong.push(format!("{line}: no row of TREATMENTS says how to check it"));
        } else if let Err(error) = parse(command) {
            wrong.push(format!("{line}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (index, (start, _)) in TREATMENTS.iter().enumerate() {
        let used = commands.iter().any(|command| treatment(&command.words) == Some(index));
        assert!(used, "no document has a command that starts with `{start}`: remove its row");
    }
}

#[test]
fn commands_that_need_nothing_run_as_they_stand() {
    if fixtures::search_files("the commands of the documents").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    set_up(folder.path());
    let is_run = |command: &&Documented| {
        let treatment = treatment(&command.words).map(|index| TREATMENTS[index].1);
        treatment == Some(Run) && parse(command).is_ok() && is_complete(command)
    };
    let commands = documented();
    let mut commands: Vec<&Documented> = commands.iter().filter(is_run).collect();
    // Documents repeat commands; each runs once, in the order of its first mention.
    let mut seen = BTreeSet::new();
    commands.retain(|command| seen.insert(&command.words));
    assert!(commands.iter().any(|command| command.words[1] == "run"), "no `run` command is run");
    for command in commands {
        let output = Command::new(env!("CARGO_BIN_EXE_api-bank"))
            .args(&command.words[1..])
            .current_dir(folder.path())
            .env_remove("API_BANK_KEY")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{}: `{}` ended with {}: {said}",
            command.place,
            command.words.join(" "),
            output.status
        );
    }
}

/// Whether no required argument is missing: running text may mention a subcommand alone.
fn is_complete(command: &Documented) -> bool {
    let grammar = cli::grammar();
    command.whole || grammar.try_get_matches_from(&command.words).is_ok()
}

/// Creates the files that the commands read: a part of the training sample and the records of the
/// fine-tuning at their paths in the repository, and a smaller part in place of `generate`'s output. The
/// whole sample would be embedded for a minute.
fn set_up(folder: &Path) {
    fs::create_dir_all(folder.join("training/records")).unwrap();
    for name in ["base", "lynx"] {
        let path = format!("training/records/{name}.json.gz");
        fs::copy(root().join(&path), folder.join(&path)).unwrap();
    }
    let sample = root().join("dataset/training");
    for (kind, count) in [("domains", 3), ("rejected", 0)] {
        let mut files: Vec<_> = fs::read_dir(sample.join(kind))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        files.sort();
        for (to, count) in [("dataset/training", 10 * count), ("generated", count)] {
            let to = folder.join(to).join(kind);
            fs::create_dir_all(&to).unwrap();
            for file in files.iter().take(count) {
                fs::copy(sample.join(kind).join(file), to.join(file)).unwrap();
            }
        }
    }
}

#[test]
fn a_flag_that_does_not_exist_is_refused() {
    let command = |line: &str, whole| Documented {
        place: String::new(),
        words: line.split(' ').map(str::to_owned).collect(),
        whole,
    };
    let good = command("api-bank run --model m --endpoint http://h/v1 --out r.json", true);
    assert_eq!(parse(&good), Ok(()));
    for line in ["api-bank run --modell m", "cargo xtask serve --fast", "cargo xtask dataset mend"]
    {
        assert!(parse(&command(line, false)).is_err(), "{line}");
    }
    let part = "api-bank run --shard 1/2";
    assert_eq!(parse(&command(part, false)), Ok(()));
    assert!(parse(&command(part, true)).is_err(), "a whole command lacks --model");
    assert_eq!(treatment(&command("ls -l", true).words), None);
}
