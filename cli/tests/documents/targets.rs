//! Checks that the packages, targets and features of documented `cargo` commands exist.

use crate::found::root;
use serde_json::Value;
use std::process::Command;
use std::sync::OnceLock;

/// The packages of the workspace, from `cargo metadata`.
fn packages() -> &'static [Value] {
    static PACKAGES: OnceLock<Vec<Value>> = OnceLock::new();
    PACKAGES.get_or_init(|| {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
            .current_dir(root())
            .output()
            .unwrap();
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        metadata["packages"].as_array().unwrap().clone()
    })
}

fn package(name: &str) -> Result<&'static Value, String> {
    let found = packages().iter().find(|package| package["name"] == name);
    found.ok_or_else(|| format!("there is no package {name}"))
}

/// Checks `cargo test …`.
pub fn test(words: &[String]) -> Result<(), String> {
    let mut words = words.iter().map(String::as_str);
    let (mut name, mut targets, mut features) = (None, Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} lacks its value"));
        match word {
            "-p" | "--package" => name = Some(value()?),
            "--test" => targets.push(value()?),
            "--features" => features.extend(value()?.split(',')),
            "--release" => {}
            // The rest are arguments of the test program.
            "--" => break,
            word if word.starts_with('-') => return Err(format!("unknown flag {word}")),
            _ => {}
        }
    }
    let Some(name) = name else {
        return match (targets.as_slice(), features.as_slice()) {
            ([], []) => Ok(()),
            _ => Err("--test and --features need a package: add -p".to_owned()),
        };
    };
    let package = package(name)?;
    for feature in &features {
        if package["features"].get(feature).is_none() {
            return Err(format!("{name} has no feature {feature}"));
        }
    }
    for target in targets {
        has_test(package, target, &features).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

fn has_test(package: &Value, name: &str, features: &[&str]) -> Result<(), String> {
    let targets = package["targets"].as_array().into_iter().flatten();
    let target = targets.into_iter().find(|it| it["kind"][0] == "test" && it["name"] == name);
    let target = target.ok_or_else(|| format!("there is no test target {name}"))?;
    let on = |feature: &Value| {
        let defaults = package["features"]["default"].as_array().into_iter().flatten();
        defaults.into_iter().any(|default| default == feature)
            || feature.as_str().is_some_and(|feature| features.contains(&feature))
    };
    let required = target["required-features"].as_array().into_iter().flatten();
    match required.into_iter().find(|feature| !on(feature)) {
        Some(feature) => Err(format!("the test target {name} needs --features {feature}")),
        None => Ok(()),
    }
}

/// Checks `cargo build --release -p NAME`, which must build `api-bank`.
pub fn build(words: &[String]) -> Result<(), String> {
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--release", "-p", name] => binary(package(name)?),
        _ => Err("expected --release -p NAME".to_owned()),
    }
}

/// Checks `cargo run -p NAME --features FEATURE --example EXAMPLE …`.
pub fn example(words: &[String]) -> Result<(), String> {
    let ["-p", name, "--features", feature, "--example", example, ..] =
        words.iter().map(String::as_str).collect::<Vec<_>>()[..]
    else {
        return Err("expected -p NAME --features FEATURE --example EXAMPLE".to_owned());
    };
    let package = package(name)?;
    if package["features"].get(feature).is_none() {
        return Err(format!("{name} has no feature {feature}"));
    }
    let mut targets = package["targets"].as_array().into_iter().flatten();
    match targets.any(|target| target["kind"][0] == "example" && target["name"] == example) {
        true => Ok(()),
        false => Err(format!("{name} has no example {example}")),
    }
}

/// The text of a file of the repository.
pub fn file(path: &str) -> Result<String, String> {
    std::fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}

/// Checks a Python script and its options, which it declares with `argparse`.
pub fn script(words: &[String]) -> Result<(), String> {
    let (script, arguments) = words.split_first().ok_or("expected a script")?;
    let text = file(script)?;
    let mut options = arguments.iter().filter(|word| word.starts_with("--"));
    match options.find(|option| !text.contains(&format!("add_argument(\"{option}\""))) {
        Some(option) => Err(format!("{script} has no option {option}")),
        None => Ok(()),
    }
}

/// Checks `cargo install --path PATH`, which must install `api-bank`.
pub fn install(words: &[String]) -> Result<(), String> {
    let ["--path", path, "--locked"] = words.iter().map(String::as_str).collect::<Vec<_>>()[..]
    else {
        return Err("expected --path PATH --locked".to_owned());
    };
    let manifest = root().join(path).join("Cargo.toml");
    let manifest = manifest.canonicalize().map_err(|error| format!("{path}: {error}"))?;
    let here = |package: &&Value| package["manifest_path"] == manifest.to_string_lossy().as_ref();
    let package = packages().iter().find(here).ok_or(format!("{path} is no package"))?;
    binary(package)
}

/// Checks that `cargo run -p NAME` starts `api-bank`.
pub fn run(name: &str) -> Result<(), String> {
    binary(package(name)?)
}

fn binary(package: &Value) -> Result<(), String> {
    let targets = package["targets"].as_array().into_iter().flatten();
    let programs: Vec<_> = targets.filter(|target| target["kind"][0] == "bin").collect();
    match programs.as_slice() {
        [program] if program["name"] == "api-bank" => Ok(()),
        _ => Err(format!("{} does not have api-bank as its only program", package["name"])),
    }
}

#[test]
fn what_does_not_exist_is_named() {
    let check = |line: &str| {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        test(&words)
    };
    assert_eq!(check("-p runner --test search_quality -- --nocapture"), Ok(()));
    assert_eq!(check("--release -p runner --test variants"), Ok(()));
    for (line, part) in [
        ("-p motor", "no package motor"),
        ("-p runner --test nothing", "no test target nothing"),
        ("-p runner --test record_schema", "needs --features \"schema\""),
        ("-p runner --features fast", "no feature fast"),
        ("--tests", "unknown flag --tests"),
        ("--test e2e", "need a package"),
    ] {
        let error = check(line).unwrap_err();
        assert!(error.contains(part), "{line}: {error}");
    }
}

#[test]
fn a_script_without_the_option_is_named() {
    let check = |line: &str| {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        script(&words)
    };
    assert_eq!(check("training/finetune.py --prompts p.jsonl --out o"), Ok(()));
    assert!(check("training/finetune.py --epochs 3").unwrap_err().contains("no option --epochs"));
    assert!(check("training/nothing.py").unwrap_err().contains("training/nothing.py"));
    let words = ["-p", "gguf", "--features", "tiny", "--example", "huge"].map(str::to_owned);
    assert!(example(&words).unwrap_err().contains("no example huge"));
}
