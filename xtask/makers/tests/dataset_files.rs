//! Runs `dataset-files`, the program behind `cargo xtask dataset check` and `bless`, on a copy of
//! the pack.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const DIALOGUE: &str = "dialogues/call/already-covered.jsonl";

/// A copy of the pack, and the folder of the search files; `None` if those are missing.
fn copy() -> Option<(tempfile::TempDir, PathBuf)> {
    let search = fixtures::search_files("the replay of the pack's dialogues")?;
    let folder = tempfile::tempdir().unwrap();
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dataset");
    for part in ["manifest.json", "databases", "dialogues", "hard", "errata", "search"] {
        copy_tree(&pack.join(part), &folder.path().join(part));
    }
    Some((folder, search))
}

fn copy_tree(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        copy_tree(&path, &to.join(path.file_name().unwrap()));
    }
}

fn dataset_files(pack: &Path, search: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dataset-files"))
        .arg(pack)
        .args([search.join("model.onnx"), search.join("vocab.txt")])
        .args(more)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

#[test]
fn a_wrong_result_is_named_and_bless_corrects_it() {
    let Some((pack, search)) = copy() else { return };
    let file = pack.path().join(DIALOGUE);
    let recorded = fs::read_to_string(&file).unwrap();
    let spoilt = recorded.replace("\"output\":\"success\"", "\"output\":\"failure\"");
    assert_ne!(spoilt, recorded, "{DIALOGUE} records no success");
    fs::write(&file, &spoilt).unwrap();

    let check = dataset_files(pack.path(), &search, &["already-covered"]);
    assert!(!check.status.success(), "{}", said(&check));
    assert!(said(&check).contains("already-covered turn "), "{}", said(&check));

    let bless = dataset_files(pack.path(), &search, &["--bless", "already-covered"]);
    assert!(bless.status.success(), "{}", said(&bless));
    assert_eq!(fs::read_to_string(&file).unwrap(), recorded);
    let check = dataset_files(pack.path(), &search, &["already-covered"]);
    assert!(check.status.success(), "{}", said(&check));
    assert!(said(&check).contains("1 dialogues replayed"), "{}", said(&check));
}

#[test]
fn a_slug_of_no_dialogue_is_refused() {
    let Some((pack, search)) = copy() else { return };
    let check = dataset_files(pack.path(), &search, &["no-such-dialogue"]);
    assert!(!check.status.success(), "{}", said(&check));
    assert!(said(&check).contains("\"no-such-dialogue\""), "{}", said(&check));
}

#[test]
fn a_missing_folder_is_named() {
    let Some((pack, search)) = copy() else { return };
    fs::remove_dir_all(pack.path().join("hard")).unwrap();
    let check = dataset_files(pack.path(), &search, &[]);
    assert!(!check.status.success());
    assert!(said(&check).contains("hard"), "{}", said(&check));
}
