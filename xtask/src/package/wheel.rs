//! Packs the command line as a Python wheel: the program, its search files, and a Python module that
//! starts it.
//!
//! Source: the packaging specifications (binary distribution format, core metadata 2.4).

use std::path::{Path, PathBuf};

use anyhow::Result;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use super::{DESCRIPTION, Program, VERSION, archive::Entry, archive::zip};
use crate::process::root;

/// Starts the program.
const PACKAGE: &str = include_str!("api_bank.py");
/// The page on PyPI.
const README: &str = include_str!("README.md");

/// Packs a program; `repository` is `OWNER/NAME` on GitHub.
///
/// # Errors
/// When a file can't be read or written.
pub fn wheel(program: &Program, repository: Option<&str>, out: &Path) -> Result<PathBuf> {
    let tag = format!("py3-none-{}", program.platform.wheel);
    let about = format!("api_bank-{VERSION}.dist-info");
    let mut entries: Vec<Entry> =
        program.files().into_iter().map(|file| file.in_folder("api_bank")).collect();
    entries.extend([
        Entry::text("api_bank/__init__.py", PACKAGE),
        Entry::text(&format!("{about}/METADATA"), metadata(repository)),
        Entry::text(
            &format!("{about}/WHEEL"),
            format!("Wheel-Version: 1.0\nGenerator: xtask\nRoot-Is-Purelib: false\nTag: {tag}\n"),
        ),
        Entry::text(
            &format!("{about}/entry_points.txt"),
            "[console_scripts]\napi-bank = api_bank:main\n",
        ),
        Entry::file(&format!("{about}/licenses/LICENSE"), &root().join("LICENSE")),
    ]);
    let record = format!("{about}/RECORD");
    let mut lines = format!("{record},,\n");
    for entry in &entries {
        let bytes = entry.read()?;
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(&bytes));
        lines.push_str(&format!("{},sha256={digest},{}\n", entry.name, bytes.len()));
    }
    entries.push(Entry::text(&record, lines));
    zip(out.join(format!("api_bank-{VERSION}-{tag}.whl")), entries)
}

fn metadata(repository: Option<&str>) -> String {
    let link = repository
        .map(|name| format!("Project-URL: Repository, https://github.com/{name}\n"))
        .unwrap_or_default();
    format!(
        "Metadata-Version: 2.4\nName: api-bank\nVersion: {VERSION}\nSummary: {DESCRIPTION}\n\
         License-Expression: Apache-2.0\nLicense-File: LICENSE\n{link}Requires-Python: >=3.8\n\
         Description-Content-Type: text/markdown\n\n{README}"
    )
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs::File, io::Read};

    use super::*;
    use crate::{package::PLATFORMS, search::SearchFiles};

    #[test]
    fn the_record_has_every_file_with_its_digest() -> Result<()> {
        let dir = tempfile::tempdir()?;
        // The search files are whatever there is: the test packs a text three times.
        let text = root().join("LICENSE");
        let search =
            SearchFiles { model: text.clone(), vocab: text.clone(), vectors: text.clone() };
        let program = Program { platform: PLATFORMS[4], path: text, search };
        let mut zip = zip::ZipArchive::new(File::open(wheel(&program, Some("a/b"), dir.path())?)?)?;
        let (mut found, mut record) = (BTreeSet::new(), String::new());
        for index in 0..zip.len() {
            let (mut file, mut bytes) = (zip.by_index(index)?, Vec::new());
            file.read_to_end(&mut bytes)?;
            let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(&bytes));
            let name = file.name()?.into_owned();
            if name.ends_with("RECORD") {
                record = String::from_utf8(bytes)?;
                found.insert(format!("{name},,"));
            } else {
                found.insert(format!("{name},sha256={digest},{}", bytes.len()));
            }
        }
        assert_eq!(record.lines().map(str::to_owned).collect::<BTreeSet<_>>(), found);
        assert!(found.iter().any(|line| line.starts_with("api_bank/search/model.onnx,")));
        Ok(())
    }
}
