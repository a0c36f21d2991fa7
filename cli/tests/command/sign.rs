//! `record keygen` and `record sign`.

use crate::support::{api_bank, folder, read_record, searchable, small_run, text};
use std::fs;
use std::path::Path;

#[test]
fn a_record_is_signed_and_trusted_by_fingerprint() {
    if !searchable("signatures") {
        return;
    }
    let folder = folder("signatures");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (key, record) = (path("ada.pem"), path("record.json"));
    assert_eq!(small_run(Path::new(&record), &[]).status.code(), Some(0));
    let unsigned = fs::read_to_string(&record).unwrap();

    let made = api_bank(&["record", "keygen", "--out", &key], "");
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let fingerprint = text(&made.stdout).trim().to_owned();
    let secret = fs::read_to_string(&key).unwrap();
    assert!(secret.starts_with("-----BEGIN PRIVATE KEY-----\n"));
    let again = api_bank(&["record", "keygen", "--out", &key], "");
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("stays as it is"), "{}", text(&again.stderr));
    assert_eq!(fs::read_to_string(&key).unwrap(), secret);

    let sign = |more: &[&str]| {
        let arguments = [&["record", "sign", &record, "--key", &key], more].concat();
        api_bank(&arguments, "")
    };
    let verify = |file: &str, more: &[&str]| {
        let found = api_bank(&[&["verify", file], more].concat(), "");
        (found.status.code(), text(&found.stdout) + &text(&found.stderr))
    };
    let (code, printed) = verify(&record, &["--trust", &fingerprint]);
    assert_eq!(code, Some(4), "{printed}");
    assert!(printed.contains("Signatures: none") && printed.contains("Not trusted"), "{printed}");

    let signed = sign(&["--name", "Ada"]);
    assert_eq!(signed.status.code(), Some(0), "{}", text(&signed.stderr));
    let file = fs::read_to_string(&record).unwrap();
    assert!(file.contains("\"signatures\": [\n"));
    let without = record::Record { signatures: Vec::new(), ..read_record(Path::new(&record)) };
    assert_eq!(without.to_json().unwrap(), unsigned);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "only the record and the key are left");
    let line = |known: &str| {
        format!("Signature: valid, {known} key {fingerprint}, which calls itself \"Ada\"")
    };
    let (code, printed) = verify(&record, &[]);
    assert!(code == Some(0) && printed.contains(&line("unknown")), "{printed}");
    let (code, printed) = verify(&record, &["--trust", &fingerprint]);
    assert!(code == Some(0) && printed.contains(&line("trusted")), "{printed}");
    for foreign in ["A".repeat(43), format!("-{}", "A".repeat(42))] {
        let (code, printed) = verify(&record, &["--trust", &foreign]);
        assert!(code == Some(4) && printed.contains("Not trusted"), "{printed}");
    }
    let (code, printed) = verify(&record, &["--trust", "Ada"]);
    assert!(code == Some(2) && printed.contains("expected a fingerprint of 43"), "{printed}");

    // A changed record can't be signed, and its signature is broken.
    let changed = path("changed.json");
    let mut other = read_record(Path::new(&record));
    other.seed += 1;
    fs::write(&changed, other.to_json().unwrap()).unwrap();
    let refused = api_bank(&["record", "sign", &changed, "--key", &key], "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("was changed"), "{}", text(&refused.stderr));
    let (code, printed) = verify(&changed, &["--trust", &fingerprint]);
    assert!(code == Some(4) && printed.contains("Signature: broken, trusted key"), "{printed}");

    let piped = api_bank(&["record", "sign", "-", "--key", &key], &unsigned);
    assert_eq!(piped.status.code(), Some(2), "{}", text(&piped.stderr));
    let piped = api_bank(&["record", "sign", "-", "--key", &key, "--out", "-"], &unsigned);
    assert!(text(&piped.stdout).contains("\"signatures\""), "{}", text(&piped.stderr));
    let no_key = api_bank(&["record", "sign", &record, "--key", &record], "");
    assert_eq!(no_key.status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_signs_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder("key-modes");
    let key = folder.join("key.pem");
    let made = api_bank(&["record", "keygen", "--out", key.to_str().unwrap()], "");
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    for mode in [0o640, 0o604, 0o620] {
        fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
        let file = folder.join("record.json");
        let arguments = ["record", "sign", file.to_str().unwrap(), "--key", key.to_str().unwrap()];
        let refused = api_bank(&arguments, "");
        assert_eq!(refused.status.code(), Some(1));
        assert!(text(&refused.stderr).contains("chmod 600"), "{}", text(&refused.stderr));
    }
}
