//! Chromium and its driver, for the browser tests.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};

use crate::{
    packages::{self, Package},
    process::{on_path, output},
};

const BROWSERS: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const DRIVERS: [&str; 3] =
    ["chromedriver", "/usr/lib/chromium-browser/chromedriver", "/usr/lib/chromium/chromedriver"];

/// A browser and the driver of the same major version.
#[derive(Debug, Clone)]
pub struct Chromium {
    /// The browser.
    pub browser: PathBuf,
    /// Its WebDriver server.
    pub driver: PathBuf,
}

impl Chromium {
    /// Finds both, or installs them with the system's package manager. `$API_BANK_CHROMIUM` and
    /// `$API_BANK_CHROMEDRIVER` take precedence.
    ///
    /// # Errors
    /// When they are missing and can't be installed; the message contains the command to run.
    pub fn ensure() -> Result<Self> {
        if let Some((found, version)) = Self::find() {
            println!("  Chromium {version}: found");
            return Ok(found);
        }
        let installed = packages::install(Package::Chromium);
        if let Some((found, version)) = Self::find() {
            println!("  Chromium {version}: installed");
            return Ok(found);
        }
        let advice = match installed {
            Err(line) => line,
            Ok(()) => "install Chromium and the chromedriver of the same major version".to_owned(),
        };
        bail!(
            "the browser tests need Chromium and a chromedriver of the same major version. Type:\n  \
             {advice}\nor set API_BANK_CHROMIUM and API_BANK_CHROMEDRIVER, or leave the browser \
             out: cargo xtask test --no-browser"
        );
    }

    fn find() -> Option<(Self, u32)> {
        let browser = locate("API_BANK_CHROMIUM", &BROWSERS)?;
        let driver = locate("API_BANK_CHROMEDRIVER", &DRIVERS)?;
        let version = major(&browser)?;
        (major(&driver)? == version).then_some((Self { browser, driver }, version))
    }
}

fn locate(variable: &str, candidates: &[&str]) -> Option<PathBuf> {
    if let Some(own) = env::var_os(variable).filter(|value| !value.is_empty()) {
        return Some(PathBuf::from(own));
    }
    candidates.iter().find_map(|name| {
        let path = Path::new(name);
        if path.is_absolute() { path.is_file().then(|| path.to_path_buf()) } else { on_path(name) }
    })
}

fn major(program: &Path) -> Option<u32> {
    major_of(&output(Command::new(program).arg("--version"))?)
}

/// The major version: the first number of the first dotted version in a program's output.
fn major_of(text: &str) -> Option<u32> {
    text.split_whitespace()
        .filter_map(|word| word.split_once('.'))
        .find_map(|(first, _)| first.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_programs_print() {
        assert_eq!(
            major_of("Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)"),
            Some(156)
        );
        assert_eq!(major_of("ChromeDriver 156.0.8078.79 (0a1b-refs/branch)"), Some(156));
        assert_eq!(major_of("no version here."), None);
    }
}
