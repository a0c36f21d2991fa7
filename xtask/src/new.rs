//! `cargo xtask new`: scaffolds of an API and of a dialogue.
//!
//! A scaffold compiles and loads; the tests of registry and dataset reject it while it contains
//! `TODO`.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// Marks the places to fill in.
pub const MARKER: &str = "TODO";

/// The template of an API. The tests of `apis` compile it.
const API: &str = "apis/src/domains/scaffold.rs";
/// Maximum length of an API's or dialogue's name, in bytes.
const LONGEST_NAME: usize = 60;

/// Writes an API's file and lists it in its domain. Returns the file.
///
/// # Errors
/// When the domain is unknown, the name is not in camel case, or the API exists.
pub fn api(root: &Path, domain: &str, name: &str) -> Result<PathBuf> {
    let domains = domains(root)?;
    if !domains.iter().any(|known| known == domain) {
        bail!("domain: expected one of {}, got {domain:?}", domains.join(", "));
    }
    let camel = name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric())
        && name.len() <= LONGEST_NAME;
    if !camel {
        bail!("name: expected camel case, such as AddAlarm, got {name:?}");
    }
    let module = snake_case(name);
    let file = root.join("apis/src/domains").join(domain).join(&module).with_extension("rs");
    let text = read(&root.join(API))?
        .replace("NewApi", name)
        .replace("Domain::Information", &format!("Domain::{}", camel_case(domain)));
    let list = root.join("apis/src/domains").join(domain).join("mod.rs");
    let listed = listed(&read(&list)?, &module)
        .with_context(|| format!("{} has no list of APIs to add to", list.display()))?;
    create(&file, &text)?;
    fs::write(&list, listed).with_context(|| format!("can't write {}", list.display()))?;
    Ok(file)
}

/// Writes a dialogue's file. Returns it.
///
/// # Errors
/// When the ability is unknown, the slug is not in lower case with hyphens, or the file exists.
pub fn dialogue(root: &Path, ability: &str, slug: &str) -> Result<PathBuf> {
    let fits =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    if slug.is_empty() || slug.len() > LONGEST_NAME || !slug.chars().all(fits) {
        bail!("slug: expected lower case and hyphens, such as tea-at-four, got {slug:?}");
    }
    let (name, text) = match ability {
        "call" => (format!("{slug}.jsonl"), lines(&[user(), call("GetToday", json!({})), reply()])),
        "retrieve" => {
            let search = call("ToolSearcher", json!({"keywords": "TODO: what to search for"}));
            let turns = [user(), search, call("GetToday", json!({})), reply()];
            (format!("{slug}.jsonl"), lines(&turns))
        }
        "plan" => (format!("{slug}.json"), format!("{:#}\n", plan())),
        other => bail!("ability: expected call, retrieve or plan, got {other:?}"),
    };
    let file = root.join("dataset/dialogues").join(ability).join(name);
    create(&file, &text)?;
    Ok(file)
}

fn user() -> Value {
    json!({"role": "User", "text": "TODO: what the user asks for."})
}

fn reply() -> Value {
    json!({"role": "AI", "text": "TODO: what the assistant says about the result."})
}

/// A call with an empty result, which `cargo xtask dataset bless` replaces.
fn call(name: &str, arguments: Value) -> Value {
    let result = result(name, &arguments);
    json!({"role": "API", "api_name": name, "param_dict": arguments, "result": result})
}

fn result(name: &str, arguments: &Value) -> Value {
    json!({"api_name": name, "input": arguments, "output": null, "exception": null})
}

fn plan() -> Value {
    let step = |name: &str, arguments: Value| {
        let output = result(name, &arguments);
        json!({"api_name": name, "input": arguments, "output": output})
    };
    json!({
        "requirement": "TODO: what the user wants, in one text.",
        "response": "TODO: what the assistant says at the end.",
        "apis": [
            step("ToolSearcher", json!({"keywords": "TODO: what to search for"})),
            step("Calculator", json!({"formula": "1 + 1"})),
        ],
    })
}

fn lines(turns: &[Value]) -> String {
    turns.iter().map(|turn| format!("{turn}\n")).collect()
}

/// The folders of the domains, sorted.
fn domains(root: &Path) -> Result<Vec<String>> {
    let folder = root.join("apis/src/domains");
    let entries =
        fs::read_dir(&folder).with_context(|| format!("can't list {}", folder.display()))?;
    let mut domains = Vec::new();
    for entry in entries {
        let entry = entry.with_context(|| format!("can't list {}", folder.display()))?;
        if entry.path().is_dir() {
            domains.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    domains.sort();
    Ok(domains)
}

/// Adds a module to the text of a domain's `mod.rs`: its declaration in alphabetical order, its API
/// at the end of the list. `None` if the text has no list.
fn listed(text: &str, module: &str) -> Option<String> {
    let declared = format!("mod {module};\n");
    let is_later = |line: &&str| line.starts_with("mod ") && **line > *declared;
    let mut mods = text.split_inclusive('\n').filter(|line| line.starts_with("mod "));
    let next = text.split_inclusive('\n').find(is_later).or_else(|| mods.next_back())?;
    let at = text.find(next)?;
    let at = if is_later(&next) { at } else { at + next.len() };
    let mut text = format!("{}{declared}{}", &text[..at], &text[at..]);
    let list = text.find("pub const APIS")?;
    let end = list + text[list..].find("];")?;
    text.insert_str(end, &format!("    &{module}::API,\n"));
    Some(text)
}

/// `DocumentQA` becomes `document_qa`, the file name that the registry's tests expect.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let after_lower = index > 0 && letters[index - 1].is_ascii_lowercase();
        let before_lower = letters.get(index + 1).is_some_and(char::is_ascii_lowercase);
        if letter.is_ascii_uppercase() && index > 0 && (after_lower || before_lower) {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// `smart_home` becomes `SmartHome`.
fn camel_case(name: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    };
    name.split('_').map(word).collect()
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("can't read {}", file.display()))
}

/// Writes a file that does not exist yet.
fn create(file: &Path, text: &str) -> Result<()> {
    let context =
        || format!("can't create {}: if it exists already, choose another name", file.display());
    let mut created = fs::File::create_new(file).with_context(context)?;
    created.write_all(text.as_bytes()).with_context(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_the_registry_expects() {
        assert_eq!(snake_case("DocumentQA"), "document_qa");
        assert_eq!(snake_case("AddAlarm"), "add_alarm");
        assert_eq!(camel_case("smart_home"), "SmartHome");
    }

    #[test]
    fn a_module_is_listed_in_both_places() {
        let text =
            "mod a;\nmod c;\n\npub const APIS: &[&Api] = &[\n    &a::API,\n    &c::API,\n];\n";
        let with = |module| listed(text, module).unwrap_or_default();
        assert!(with("b").starts_with("mod a;\nmod b;\nmod c;\n"), "{}", with("b"));
        assert!(with("d").starts_with("mod a;\nmod c;\nmod d;\n"), "{}", with("d"));
        assert!(with("d").ends_with("    &c::API,\n    &d::API,\n];\n"), "{}", with("d"));
        assert_eq!(listed("nothing here", "b"), None);
    }
}
