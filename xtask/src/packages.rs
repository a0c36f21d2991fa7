//! System packages: uses the machine's package manager for programs that cargo can't install.

use std::process::Command;

use crate::process::{on_path, output, run};

/// A package manager: its commands and package names.
struct Manager {
    program: &'static str,
    refresh: &'static [&'static str],
    install: &'static [&'static str],
    /// Whether installing needs root. Homebrew refuses to run as root; the others require it.
    as_root: bool,
    chromium: &'static [&'static str],
    python: &'static [&'static str],
}

const MANAGERS: [Manager; 5] = [
    Manager {
        program: "apt-get",
        refresh: &["update", "-q"],
        install: &["install", "-y", "-q", "--no-install-recommends"],
        as_root: true,
        chromium: &["chromium", "chromium-driver"],
        python: &["python3", "python3-pip"],
    },
    Manager {
        program: "dnf",
        refresh: &[],
        install: &["install", "-y"],
        as_root: true,
        chromium: &["chromium", "chromedriver"],
        python: &["python3", "python3-pip"],
    },
    Manager {
        program: "pacman",
        refresh: &[],
        install: &["-S", "--noconfirm", "--needed"],
        as_root: true,
        chromium: &["chromium"],
        python: &["python", "python-pip"],
    },
    Manager {
        program: "apk",
        refresh: &[],
        install: &["add"],
        as_root: true,
        chromium: &["chromium", "chromium-chromedriver"],
        python: &["python3", "py3-pip"],
    },
    Manager {
        program: "brew",
        refresh: &[],
        install: &["install"],
        as_root: false,
        chromium: &["google-chrome", "chromedriver"],
        python: &["python"],
    },
];

/// A package to install.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Package {
    /// Chromium and the driver of the same version.
    Chromium,
    /// Python with pip.
    Python,
}

impl Manager {
    fn names(&self, package: Package) -> &'static [&'static str] {
        match package {
            Package::Chromium => self.chromium,
            Package::Python => self.python,
        }
    }

    fn command(&self, arguments: &[&str], root: Rights) -> Command {
        let mut command = if self.as_root && root == Rights::Sudo {
            let mut sudo = Command::new("sudo");
            // Never ask for a password: the session may be unattended.
            sudo.args(["-n", self.program]);
            sudo
        } else {
            Command::new(self.program)
        };
        command.args(arguments);
        command
    }

    fn line(&self, package: Package) -> String {
        let sudo = if self.as_root { "sudo " } else { "" };
        let words = [self.install, self.names(package)].concat().join(" ");
        format!("{sudo}{} {words}", self.program)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rights {
    Root,
    Sudo,
    None,
}

fn rights() -> Rights {
    if output(Command::new("id").arg("-u")).as_deref() == Some("0") {
        Rights::Root
    } else if output(Command::new("sudo").args(["-n", "true"])).is_some() {
        Rights::Sudo
    } else {
        Rights::None
    }
}

/// Tries to install a package. `Err` contains the command to run, or the program to look for if no
/// package manager is known.
pub fn install(package: Package) -> Result<(), String> {
    let Some(manager) = MANAGERS.iter().find(|m| on_path(m.program).is_some()) else {
        return Err(match package {
            Package::Chromium => "install Chromium and the chromedriver of the same version".into(),
            Package::Python => "install Python 3 with pip".into(),
        });
    };
    let line = manager.line(package);
    let rights = rights();
    if manager.as_root && rights == Rights::None {
        return Err(line);
    }
    println!("  installing: {line}");
    if !manager.refresh.is_empty() {
        // The install may succeed despite an outdated package list, so ignore this result.
        let _ = run(&mut manager.command(manager.refresh, rights));
    }
    let arguments = [manager.install, manager.names(package)].concat();
    run(&mut manager.command(&arguments, rights)).map_err(|_| line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_to_type_is_complete() {
        assert_eq!(
            MANAGERS[0].line(Package::Chromium),
            "sudo apt-get install -y -q --no-install-recommends chromium chromium-driver"
        );
        assert_eq!(MANAGERS[4].line(Package::Chromium), "brew install google-chrome chromedriver");
    }
}
