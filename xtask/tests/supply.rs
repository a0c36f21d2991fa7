//! Every dependency comes from the registry and is held to its digest.

use std::fs;
use std::path::Path;

#[test]
fn every_locked_crate_has_a_checksum_of_the_registry() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    let lock = fs::read_to_string(file).expect("Cargo.lock");
    let mut foreign = 0;
    for package in lock.split("[[package]]").skip(1) {
        let field = |name: &str| {
            package.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "))
        };
        // The workspace's own crates have no source.
        let Some(source) = field("source") else { continue };
        foreign += 1;
        assert_eq!(
            source, "\"registry+https://github.com/rust-lang/crates.io-index\"",
            "{package}"
        );
        assert!(field("checksum").is_some_and(|it| it.len() == 66), "{package}");
    }
    assert!(foreign > 100, "{foreign} dependencies");
}

#[test]
fn tools_are_installed_without_their_scripts() {
    let programs = include_str!("../src/programs.rs");
    let installs = programs.matches("[\"install\", \"--silent\"").count();
    assert_eq!(installs, programs.matches("\"--ignore-scripts\"").count());
    assert!(installs > 0);
}
