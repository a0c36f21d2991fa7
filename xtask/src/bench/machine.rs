//! The machine that the figures were measured on, without its name.

use std::{fs, process::Command, thread};

use crate::process::{output, root};

/// Facts for comparing machines, as name and value.
pub(super) fn describe() -> Vec<(String, String)> {
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let mut facts = vec![
        ("processor", processor()),
        ("cores", Some(cores.to_string())),
        ("memory", memory()),
        ("system", Some(format!("{} {}", std::env::consts::OS, std::env::consts::ARCH))),
        ("compiler", output(Command::new("rustc").arg("--version").current_dir(root()))),
        ("Node", output(Command::new("node").arg("--version"))),
    ];
    facts.retain(|(_, value)| value.is_some());
    let known =
        |(name, value): (&str, Option<String>)| (name.to_owned(), value.unwrap_or_default());
    facts.into_iter().map(known).collect()
}

/// The load average of the last 1, 5 and 15 minutes: other work on the machine.
pub(super) fn load() -> Option<String> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    Some(text.split(' ').take(3).collect::<Vec<_>>().join(" "))
}

fn processor() -> Option<String> {
    if cfg!(target_os = "macos") {
        return output(Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]));
    }
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    value(&text, "model name").map(str::to_owned)
}

fn memory() -> Option<String> {
    let bytes: u64 = if cfg!(target_os = "macos") {
        output(Command::new("sysctl").args(["-n", "hw.memsize"]))?.parse().ok()?
    } else {
        let text = fs::read_to_string("/proc/meminfo").ok()?;
        let kilobytes = value(&text, "MemTotal")?.strip_suffix(" kB")?;
        kilobytes.trim().parse::<u64>().ok()? * 1024
    };
    Some(format!("{:.1} GB", bytes as f64 / 1e9))
}

/// The value after `name:` in the first line that starts with it.
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_by_name() {
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\nMemTotal:       24000 kB\n";
        assert_eq!(value(text, "model name"), Some("Some CPU @ 2.00GHz"));
        assert_eq!(value(text, "MemTotal"), Some("24000 kB"));
        assert_eq!(value(text, "flags"), None);
    }
}
