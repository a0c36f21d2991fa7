//! Runs `cargo xtask new` on a copy of the folders that it writes to.

use crate::found::root;
use dataset::{Ability, Dialogue};
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use xtask::new::{self, MARKER};

/// Copies the files that `new` reads: domains' lists of APIs, and the template.
fn copy() -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    let domains = Path::new("apis/src/domains");
    for file in ["scaffold.rs", "smart_home/mod.rs", "schedule/mod.rs"] {
        let to = copy.path().join(domains).join(file);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(root().join(domains).join(file), to).unwrap();
    }
    for ability in Ability::ALL {
        fs::create_dir_all(copy.path().join("dataset/dialogues").join(ability.as_str())).unwrap();
    }
    copy
}

#[test]
fn a_new_api_is_formatted_listed_and_to_be_filled() {
    let copy = copy();
    for (domain, name, module) in [
        ("smart_home", "DimLights", "dim_lights"),
        ("schedule", "WorldClockUTC", "world_clock_utc"),
    ] {
        let file = new::api(copy.path(), domain, name).unwrap();
        assert!(file.ends_with(format!("{domain}/{module}.rs")), "{}", file.display());
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(&format!("name: \"{name}\"")) && text.contains(MARKER), "{text}");
        assert!(!text.contains("NewApi"), "{text}");
        let list = file.with_file_name("mod.rs");
        let listed = fs::read_to_string(&list).unwrap();
        assert!(listed.contains(&format!("mod {module};")), "{listed}");
        assert!(listed.contains(&format!("&{module}::API,")), "{listed}");
        // The template itself is compiled with the tests of `apis`; this parses the copies.
        let config = root().join("rustfmt.toml");
        let formatted = Command::new("rustfmt")
            .args(["--check", "--edition", "2024", "--config", "skip_children=true"])
            .arg("--config-path")
            .arg(&config)
            .arg(&file)
            .output()
            .unwrap();
        assert!(formatted.status.success(), "{formatted:?}");
        let again = new::api(copy.path(), domain, name).unwrap_err().to_string();
        assert!(again.contains("exists already"), "{again}");
    }
}

#[test]
fn a_new_api_needs_a_domain_and_a_name_in_camel_case() {
    let copy = copy();
    let refused = |domain, name| new::api(copy.path(), domain, name).unwrap_err().to_string();
    assert!(
        refused("weather", "Rain").contains("schedule, smart_home"),
        "{}",
        refused("weather", "Rain")
    );
    for name in ["rain", "", "Rain_Gauge", "../Rain"] {
        assert!(refused("schedule", name).contains("camel case"), "{name}");
    }
}

#[test]
fn a_new_dialogue_loads_and_is_to_be_filled() {
    let copy = copy();
    for ability in Ability::ALL {
        let file = new::dialogue(copy.path(), ability.as_str(), "tea-at-four").unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(MARKER), "{text}");
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let dialogue = match ability {
            Ability::Plan => Dialogue::read_plan(&name, &text),
            _ => Dialogue::read_lines(&name, ability, &text),
        };
        assert!(dialogue.unwrap().calls().count() > 0);
        let again = new::dialogue(copy.path(), ability.as_str(), "tea-at-four");
        assert!(again.unwrap_err().to_string().contains("exists already"));
    }
    let refused =
        |ability, slug| new::dialogue(copy.path(), ability, slug).unwrap_err().to_string();
    assert!(refused("hard", "tea").contains("call, retrieve or plan"));
    assert!(refused("call", "Tea at four").contains("hyphens"));
}
