//! Finds the commands in the documents.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TextMergeWithOffset};
use std::fs;
use std::path::{Path, PathBuf};

/// A command in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documented {
    /// `README.md:12`.
    pub place: String,
    /// Its words, with placeholders replaced by values.
    pub words: Vec<String>,
    /// Whether it is complete, as in a code block. In running text a command may lack required
    /// arguments: "`api-bank run --shard PART/PARTS` runs one part".
    pub whole: bool,
}

/// The languages of code blocks that hold commands.
const SHELLS: [&str; 4] = ["sh", "bash", "shell", "console"];

/// Placeholders and the values that replace them.
const PLACEHOLDERS: [(&str, &str); 8] = [
    ("PART/PARTS", "1/2"),
    ("<slug>", "already-covered"),
    ("<domain>", "schedule"),
    ("<Name>", "AddAlarm"),
    ("<ability>", "call"),
    ("FILE", "record.json"),
    ("PATH", "data"),
    ("NAME", "recovery"),
];

/// The repository's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All commands of all documents. `is_subcommand` recognizes the subcommands of `api-bank`.
pub fn all(is_subcommand: impl Fn(&str) -> bool) -> Vec<Documented> {
    let mut files = Vec::new();
    for file in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        files.push(PathBuf::from(file));
    }
    for folder in ["dataset", "dataset/training", "xtask/src/package"] {
        files.push(Path::new(folder).join("README.md"));
    }
    list(Path::new("docs"), &mut files);
    let mut commands = Vec::new();
    for file in files {
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if !["md", "sh", "yml", "yaml"].contains(&ending) {
            continue;
        }
        let text = fs::read_to_string(root().join(&file)).unwrap();
        let found = match ending {
            "md" => in_markdown(&text, &is_subcommand),
            _ => in_script(&text, &is_subcommand),
        };
        commands.extend(found.into_iter().map(|(line, words, whole)| {
            let place = format!("{}:{line}", file.display());
            Documented { place, words, whole }
        }));
    }
    commands
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let path = folder.join(entry.unwrap().file_name());
        if root().join(&path).is_dir() { list(&path, files) } else { files.push(path) }
    }
}

type Found = Vec<(usize, Vec<String>, bool)>;

/// Every line of a shell code block, and inline code that starts with one of the project's
/// programs.
fn in_markdown(text: &str, is_subcommand: &dyn Fn(&str) -> bool) -> Found {
    let mut found = Found::new();
    let mut is_shell = false;
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    for (event, range) in TextMergeWithOffset::new(events) {
        let line = text[..range.start].matches('\n').count() + 1;
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                is_shell = SHELLS.contains(&&*language);
            }
            Event::Text(code) if is_shell => {
                let commands = continued(&code);
                found.extend(commands.into_iter().filter_map(|(offset, command)| {
                    words(&command).map(|words| (line + offset, words, true))
                }));
            }
            Event::End(_) => is_shell = false,
            Event::Code(code) => {
                let Some(words) = words(&code) else { continue };
                let first = words.first().map_or("", String::as_str);
                // A program's name alone is not a command.
                if words.len() == 1 || words == ["cargo", "xtask"] {
                } else if ["cargo", "api-bank"].contains(&first) {
                    found.push((line, words, false));
                } else if is_subcommand(first) {
                    let words = [vec!["api-bank".to_owned()], words].concat();
                    found.push((line, words, false));
                }
            }
            _ => {}
        }
    }
    found.into_iter().flat_map(alternatives).collect()
}

/// The lines of a script with their offsets; a line that ends in a backslash is joined with the
/// next.
fn continued(code: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (offset, line) in code.lines().enumerate() {
        let (part, more) = line.strip_suffix('\\').map_or((line, false), |part| (part, true));
        match lines.last_mut() {
            Some((_, last)) if goes_on => last.push_str(part),
            _ => lines.push((offset, part.to_owned())),
        }
        goes_on = more;
    }
    lines
}

/// Calls of the project's programs in scripts and their comments.
fn in_script(text: &str, is_subcommand: &dyn Fn(&str) -> bool) -> Found {
    let mut found = Found::new();
    for (offset, line) in continued(text) {
        let starts = ["api-bank ", "cargo "].iter().flat_map(|name| line.match_indices(name));
        for (at, name) in starts {
            let before = line[..at].chars().next_back();
            let command = line[at..].split(" || ").next().unwrap_or_default();
            let command = command.split('`').next().unwrap_or_default();
            // A comment may also mention the program in prose.
            let next = command[name.len()..].split(' ').next().unwrap_or_default();
            let is_prose =
                line.trim_start().starts_with('#') && name == "api-bank " && !is_subcommand(next);
            if before.is_none_or(|it| it.is_whitespace() || it == '`') && !is_prose {
                found.extend(words(&assigned(command)).map(|words| (offset + 1, words, true)));
            }
        }
    }
    found
}

/// Replaces each variable by a value: `$part`, `$((…))`, `${{ … }}`.
fn assigned(command: &str) -> String {
    let mut out = String::new();
    let mut rest = command;
    while let Some((before, from)) = rest.split_once('$') {
        out.push_str(before);
        out.push('1');
        let name = |it: &char| it.is_ascii_alphanumeric() || *it == '_';
        rest = if let Some(from) = from.strip_prefix("{{") {
            from.split_once("}}").map_or("", |(_, rest)| rest)
        } else {
            &from[from.chars().take_while(name).count()..]
        };
    }
    out + rest
}

/// A command's words without comments and leading variable assignments; `None` if none are left.
fn words(command: &str) -> Option<Vec<String>> {
    let words = shlex::split(command)?;
    let is_set = |word: &String| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        })
    };
    let words: Vec<String> = words.into_iter().skip_while(is_set).map(filled).collect();
    (!words.is_empty()).then_some(words)
}

fn filled(word: String) -> String {
    PLACEHOLDERS
        .iter()
        .find_map(|(placeholder, value)| (word == *placeholder).then(|| (*value).to_owned()))
        .unwrap_or(word)
}

/// Expands `a|b` to two commands.
fn alternatives((line, words, whole): (usize, Vec<String>, bool)) -> Found {
    let Some(at) = words.iter().position(|word| word.contains('|')) else {
        return vec![(line, words, whole)];
    };
    let with = |word: &str| {
        let mut words = words.clone();
        word.clone_into(&mut words[at]);
        (line, words, whole)
    };
    words[at].split('|').map(with).collect()
}

#[test]
fn commands_are_found_in_blocks_and_in_running_text() {
    let text = "Say `API_BANK_CACHE=x cargo xtask serve`, `score --pack PATH` or `score`.\n\n\
                ```sh\nKEY=… cargo xtask \\\n  model   # once\nls\n```\n\n```json\n{}\n```\n\
                `cargo xtask bench native|sizes`";
    let found = in_markdown(text, &|word| word == "score");
    let lines: Vec<String> = found
        .iter()
        .map(|(line, words, whole)| format!("{line} {whole} {}", words.join(" ")))
        .collect();
    assert_eq!(
        lines,
        [
            "1 false cargo xtask serve",
            "1 false api-bank score --pack data",
            "4 true cargo xtask model",
            "6 true ls",
            "12 false cargo xtask bench native",
            "12 false cargo xtask bench sizes",
        ]
    );
}

#[test]
fn commands_are_found_in_scripts() {
    let text = "# Then: api-bank merge a.json\n# holds api-bank and more\n  - run: cargo xtask model\n\
                api-bank run --shard \"$part/${{ x }}\" \\\n  --out \"$out\" || true\n";
    let found = in_script(text, &|word| word == "merge");
    let lines: Vec<String> =
        found.iter().map(|(line, words, _)| format!("{line} {}", words.join(" "))).collect();
    assert_eq!(
        lines,
        ["1 api-bank merge a.json", "3 cargo xtask model", "4 api-bank run --shard 1/1 --out 1",]
    );
}
