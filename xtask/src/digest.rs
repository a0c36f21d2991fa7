//! SHA-256, in hexadecimal for names and checksums and in the format of subresource integrity.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

/// SHA-256 in lower-case hexadecimal, 64 digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 for the `integrity` attribute and `fetch`: `sha256-` and base64.
#[must_use]
pub fn integrity(bytes: &[u8]) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(bytes)))
}

/// Whether a file exists and has this digest.
#[must_use]
pub fn matches(file: &Path, expected: &str) -> bool {
    fs::read(file).is_ok_and(|bytes| hex(&bytes) == expected)
}

/// Reads a file and verifies its digest.
///
/// # Errors
/// When the file can't be read or its SHA-256 differs.
pub fn read_verified(file: &Path, expected: &str) -> Result<Vec<u8>> {
    let bytes = fs::read(file).with_context(|| format!("can't read {}", file.display()))?;
    let found = hex(&bytes);
    ensure!(
        found == expected,
        "{}: expected sha256 {expected}, found {found}: the file is damaged or was replaced",
        file.display()
    );
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_digests() {
        // FIPS 180-2, the one-block example.
        let hexadecimal = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(b"abc"), hexadecimal);
        assert_eq!(integrity(b"abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }

    #[test]
    fn a_changed_file_is_refused() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let file = dir.path().join("model");
        fs::write(&file, "abd")?;
        let error = read_verified(&file, &hex(b"abc")).map(|_| ()).expect_err("another content");
        assert!(error.to_string().contains("expected sha256 ba7816bf"));
        assert!(matches(&file, &hex(b"abd")));
        Ok(())
    }
}
