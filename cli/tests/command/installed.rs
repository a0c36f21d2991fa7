//! The command line installed as a wheel and as npm packages, without a network.

#![cfg(unix)]

use crate::support::{folder, read_record, text};
use std::fs;
use std::path::Path;
use std::process::Command;
use xtask::package::{Platform, Program, npm_program, npm_starter, wheel};
use xtask::search::SearchFiles;

/// The program of this machine as a release has it, and the version that it prints.
fn program(folder: &Path) -> Option<(Program, String)> {
    let search = fixtures::search_files("an installed program")?;
    let platform = Platform::host()?;
    let target = folder.join(platform.target);
    fs::create_dir(&target).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_api-bank"), target.join("api-bank")).unwrap();
    let program = Program::new(platform, folder, &SearchFiles::of(&search)).unwrap();
    Some((program, format!("api-bank {}\n", env!("CARGO_PKG_VERSION"))))
}

/// Whether a program is there. CI must have it.
fn has(program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).arg("--version").output();
    let found = output.is_ok_and(|output| output.status.success());
    assert!(found || !fixtures::is_ci(), "no {program} {arguments:?}");
    found
}

fn stdout(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs samples by an installed program, which finds no search files but its own.
fn runs(folder: &Path, mut program: impl FnMut() -> Command, version: &str) {
    assert_eq!(stdout(program().arg("--version")), version);
    let record = folder.join("record.json");
    let mut run = program();
    run.args(["run", "--model", "keyword-baseline", "--subset", "1", "--out"]).arg(&record);
    stdout(run.env("API_BANK_CACHE", folder.join("empty")));
    assert!(!read_record(&record).samples.is_empty());
    let status = program().arg("no-such-command").output().unwrap().status;
    assert_eq!(status.code(), Some(2), "the status of the program is that of its starter");
}

#[test]
fn a_wheel_runs_where_pip_installs_it() {
    let folder = folder("wheel");
    let Some((program, version)) = program(&folder) else { return };
    if !has("python3", &["-m", "pip"]) {
        return;
    }
    let wheel = wheel(&program, None, &folder).unwrap();
    let installed = folder.join("installed");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--no-index", "--disable-pip-version-check", "--target"]);
    stdout(pip.arg(&installed).arg(wheel));
    let start = || {
        let mut command = Command::new(installed.join("bin/api-bank"));
        command.env("PYTHONPATH", &installed);
        command
    };
    runs(&folder, start, &version);
}

#[test]
fn npm_packages_run_where_npm_installs_them() {
    let folder = folder("npm");
    let Some((program, version)) = program(&folder) else { return };
    if !has("npm", &[]) {
        return;
    }
    let mut npm = Command::new("npm");
    npm.args(["install", "--offline", "--no-audit", "--no-fund", "--prefix"]).arg(&folder);
    npm.arg("--cache").arg(folder.join("cache")).current_dir(&folder);
    npm.arg(npm_program(&program, None, &folder).unwrap());
    stdout(npm.arg(npm_starter(None, &folder).unwrap()));
    let start = || Command::new(folder.join("node_modules/.bin/api-bank"));
    runs(&folder, start, &version);
    let platform = Platform::host().unwrap();
    let package = format!("api-bank-{}-{}", platform.os, platform.cpu);
    fs::remove_dir_all(folder.join("node_modules").join(&package)).unwrap();
    let output = start().output().unwrap();
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains(&package), "{said}");
}
