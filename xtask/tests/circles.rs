//! Inside a crate, files import each other without circles. A file may use its parents and its children.
//! The documents that map the code name what exists.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

/// A module's path in its crate; the root's is empty.
type Module = Vec<String>;

/// The sources of each crate, by module, without tests and comments.
fn crates() -> BTreeMap<String, BTreeMap<Module, String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let listed = Command::new("git").args(["ls-files", "*.rs"]).current_dir(&root).output();
    let listed = String::from_utf8(listed.expect("git runs").stdout).expect("paths are UTF-8");
    let mut crates: BTreeMap<String, BTreeMap<Module, String>> = BTreeMap::new();
    for path in listed.lines() {
        let Some((package, file)) = path.split_once("src/") else { continue };
        let mut module: Module =
            file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        if module.last().is_some_and(|it| ["mod", "lib", "main"].contains(&it.as_str())) {
            module.pop();
        }
        if module.iter().any(|part| part.contains("tests") || part == "bin") {
            continue;
        }
        // A file that is deleted but not committed is listed, too.
        let Ok(text) = fs::read_to_string(root.join(path)) else { continue };
        crates.entry(package.to_owned()).or_default().insert(module, plain(&text));
    }
    crates
}

fn plain(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The modules that a source names by paths from `crate` or `super`.
fn named(module: &Module, code: &str, modules: &BTreeSet<Module>) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || "_:".contains(c)) {
                continue;
            }
            let (mut base, mut rest) = (module.clone(), &code[at..]);
            match start {
                "crate::" => {
                    base.clear();
                    rest = &rest[start.len()..];
                }
                _ => {
                    while let Some(behind) = rest.strip_prefix("super::") {
                        base.pop();
                        rest = behind;
                    }
                }
            }
            paths(&base, rest, &mut found);
        }
    }
    let known = found.into_iter().filter_map(|mut path| {
        while !path.is_empty() && !modules.contains(&path) {
            path.pop();
        }
        (!path.is_empty()).then_some(path)
    });
    known.collect()
}

/// The paths in a use tree such as `a::{b::C, d}`, relative to `base`.
fn paths(base: &Module, tree: &str, found: &mut BTreeSet<Module>) {
    let end = tree.find(|c: char| !(c.is_alphanumeric() || "_:".contains(c))).unwrap_or(tree.len());
    let (head, rest) = tree.split_at(end);
    let mut path = base.clone();
    path.extend(head.split("::").filter(|part| !part.is_empty()).map(str::to_owned));
    let Some(group) = rest.strip_prefix('{').filter(|_| head.is_empty() || head.ends_with("::"))
    else {
        found.insert(path);
        return;
    };
    let (mut depth, mut begin) = (0_usize, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                paths(&path, group[begin..at].trim(), found);
                begin = at + 1;
                if c == '}' {
                    return;
                }
            }
            _ => {}
        }
    }
}

/// A circle of modules, if there is one: each names the next.
fn circle(uses: &BTreeMap<Module, BTreeSet<Module>>) -> Option<Vec<Module>> {
    fn follow(
        module: &Module,
        uses: &BTreeMap<Module, BTreeSet<Module>>,
        way: &mut Vec<Module>,
        done: &mut BTreeSet<Module>,
    ) -> Option<Vec<Module>> {
        if let Some(at) = way.iter().position(|it| it == module) {
            return Some(way[at..].to_vec());
        }
        if done.contains(module) {
            return None;
        }
        way.push(module.clone());
        let found = uses[module].iter().find_map(|next| follow(next, uses, way, done));
        way.pop();
        done.insert(module.clone());
        found
    }
    let (mut way, mut done) = (Vec::new(), BTreeSet::new());
    uses.keys().find_map(|module| follow(module, uses, &mut way, &mut done))
}

fn uses(sources: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let modules: BTreeSet<Module> = sources.keys().cloned().collect();
    let of = |(module, code): (&Module, &String)| {
        let mut named = named(module, code, &modules);
        named.retain(|other| !module.starts_with(other));
        (module.clone(), named)
    };
    sources.iter().map(of).collect()
}

#[test]
fn no_crate_has_a_circle_of_files() {
    let crates = crates();
    assert!(crates.len() > 15 && crates.values().all(|it| !it.is_empty()));
    for (package, sources) in crates {
        let circle = circle(&uses(&sources)).unwrap_or_default();
        let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
        assert!(names.is_empty(), "{package}src: each uses the next: {}", names.join(", "));
    }
}

#[test]
fn a_circle_is_found_in_every_way_to_name_a_module() {
    let module = |name: &str| name.split("::").map(str::to_owned).collect::<Module>();
    let of = |sources: &[(&str, &str)]| {
        let sources = sources.iter().map(|(name, code)| (module(name), plain(code))).collect();
        circle(&uses(&sources)).map(|circle| circle.len())
    };
    let there = ("a", "use crate::b::{c::D, E};");
    assert_eq!(of(&[there, ("b", "fn f() { crate::a::g() }"), ("b::c", "")]), Some(2));
    assert_eq!(of(&[there, ("b", ""), ("b::c", "use super::super::a;")]), Some(2));
    assert_eq!(of(&[there, ("b", "// crate::a"), ("b::c", "use super::E;")]), None);
    assert_eq!(
        of(&[there, ("b", "#[cfg(test)]\nmod tests { use crate::a; }"), ("b::c", "")]),
        None
    );
}

/// Whether a code declares a name with one of these keywords.
fn declares(code: &str, keywords: &[&str], name: &str) -> bool {
    keywords.iter().any(|keyword| {
        code.match_indices(&format!("{keyword} {name}")).any(|(at, start)| {
            !code[at + start.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    })
}

/// Whether a path such as `runner::verify` or `Api::call` leads anywhere: from a crate, a module or a type to a
/// module, an item, or what a type has.
fn leads(crates: &BTreeMap<String, BTreeMap<Module, String>>, path: &str) -> bool {
    let (first, rest) = path.split_once("::").unwrap_or((path, ""));
    let types = ["struct", "enum", "trait", "type"];
    crates.iter().any(|(package, sources)| {
        let is_crate = package.trim_end_matches('/').rsplit('/').next() == Some(first);
        let is_type = sources.values().any(|code| declares(code, &types, first));
        let own: Vec<(&Module, &String)> = sources
            .iter()
            .filter(|(module, _)| is_crate || is_type || module.iter().any(|it| it == first))
            .collect();
        rest.split("::").all(|name| {
            own.iter().any(|(module, code)| {
                let field = is_type && code.contains(&format!("pub {name}: "));
                let variant = is_type && code.contains(&format!("    {name}"));
                let items = [&types[..], &["fn", "const", "static"]].concat();
                field
                    || variant
                    || module.iter().any(|it| it == name)
                    || declares(code, &items, name)
            })
        })
    })
}

#[test]
fn the_maps_of_the_code_name_what_exists() {
    let crates = crates();
    for stale in ["scoring::declared", "dataset::tools", "Api::shout", "runner::Nothing"] {
        assert!(!leads(&crates, stale), "{stale} exists");
    }
    let mut paths = 0;
    for file in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let text = fs::read_to_string(root.join(file)).expect("the document is there");
        let is_path = |c: char| c.is_alphanumeric() || "_:".contains(c);
        let quoted = text.split('`').skip(1).step_by(2);
        for path in quoted.filter(|it| it.contains("::") && it.chars().all(is_path)) {
            paths += 1;
            assert!(leads(&crates, path), "{file}: `{path}` does not exist");
        }
    }
    assert!(paths > 40, "{paths} paths");
}
