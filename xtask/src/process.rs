//! Runs other programs: lookup, output, failures.

use std::{
    env,
    ffi::OsStr,
    fmt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result};

/// A program that failed. `main` exits with the same code.
#[derive(Debug)]
pub struct Failed {
    /// The command line.
    pub command: String,
    /// The exit code; 1 if a signal ended the program.
    pub code: i32,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ended with code {}", self.command, self.code)
    }
}

impl std::error::Error for Failed {}

/// The workspace folder.
#[must_use]
pub fn root() -> PathBuf {
    // Cargo sets the variable when it runs this program; otherwise use the compiled-in value.
    let manifest = env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .filter(|dir| dir.ends_with("xtask"))
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    manifest.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Cargo's target folder.
#[must_use]
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// The cargo that runs this program, in the workspace folder.
#[must_use]
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    // Set by the cargo that runs this program, and only meant for it.
    for variable in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "CARGO_PKG_VERSION"] {
        command.env_remove(variable);
    }
    command
}

/// Runs a command with inherited input and output.
///
/// # Errors
/// [`Failed`] when it exits with an error; also when it can't be started.
pub fn run(command: &mut Command) -> Result<()> {
    let line = describe(command);
    let status = command.status().with_context(|| format!("can't start `{line}`"))?;
    if status.success() {
        return Ok(());
    }
    Err(Failed { command: line, code: status.code().unwrap_or(1) }.into())
}

/// Runs a command silently and returns its standard output; `None` when it is missing or fails.
#[must_use]
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// Finds a program on the search path.
#[must_use]
pub fn on_path(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?)
        .map(|dir| dir.join(&file))
        .find(|candidate| candidate.is_file())
}

/// The command line, for display.
#[must_use]
pub fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut line = program.file_name().unwrap_or(OsStr::new("?")).to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("index.html").is_file());
    }

    #[test]
    fn the_alias_shows_what_cargo_compiles() {
        let config = root().join(".cargo/config.toml");
        let config = std::fs::read_to_string(config).expect("cargo's configuration");
        let alias = config.lines().find(|line| line.starts_with("xtask = ")).expect("the alias");
        assert!(
            !alias.contains("--quiet") && !alias.contains("-q "),
            "minutes of silence: {alias}"
        );
    }

    #[test]
    fn a_failure_keeps_its_code() {
        let error = run(Command::new("sh").args(["-c", "exit 3"])).expect_err("it fails");
        let failed = error.downcast_ref::<Failed>().expect("a `Failed`");
        assert_eq!(failed.code, 3);
        assert_eq!(failed.to_string(), "`sh -c exit 3` ended with code 3");
    }

    #[test]
    fn a_missing_program_is_none() {
        assert_eq!(on_path("no-such-program-anywhere"), None);
        assert_eq!(output(&mut Command::new("no-such-program-anywhere")), None);
    }
}
