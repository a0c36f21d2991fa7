//! Exit codes and messages for invalid arguments.

use crate::support::{api_bank, started, text};
use std::io::Read as _;

#[test]
fn bad_usage_ends_with_two_and_says_what_to_do() {
    for (arguments, part) in [
        (vec!["run", "--model", "gpt", "--out", "-"], "--endpoint"),
        (vec!["run", "--model", "m", "--endpoint", "nope", "--out", "-"], "http://"),
        (
            vec![
                "run",
                "--model",
                "m",
                "--endpoint",
                "http://h/v1",
                "--temperature",
                "9",
                "--out",
                "-",
            ],
            "0 to 2",
        ),
        (vec!["run", "--model", "m", "--abilities", "cook", "--out", "-"], "call, retrieve, plan"),
        (vec!["score", "--profile", "best"], "execution"),
    ] {
        let output = api_bank(&arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(part), "{}", text(&output.stderr));
    }
    let none = api_bank(
        &["run", "--model", "gold-replay", "--out", "-", "--search-files", "/nowhere"],
        "",
    );
    assert_eq!(none.status.code(), Some(1));
    assert_eq!(text(&none.stderr).lines().count(), 1);
    assert!(text(&none.stderr).contains("cargo xtask model"));
}

/// As when its output goes to `head`.
#[test]
fn a_reader_that_goes_does_not_end_the_program_with_a_panic() {
    let arguments = ["run", "--model", "gold-replay", "--subset", "5%", "--estimate"];
    let mut child = started(&arguments);
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}
