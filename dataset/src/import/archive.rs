//! Zip archives that an import can read back.

use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;

/// Packs files, given as path and text. Deterministic: writes no timestamps.
///
/// # Errors
/// If a path occurs twice, or the archive exceeds the format's limits.
pub fn archive(files: &[(String, String)]) -> ZipResult<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, text) in files {
        zip.start_file(path.as_str(), SimpleFileOptions::default())?;
        zip.write_all(text.as_bytes())?;
    }
    Ok(zip.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Intake, Limits};

    #[test]
    fn an_import_reads_back_what_was_packed() {
        let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let files = [file("init_database/b.json", "{}"), file("pools.json", "[1, \"ä\"]")];
        let bytes = archive(&files).unwrap();
        assert_eq!(bytes, archive(&files).unwrap());
        let mut intake = Intake::new(Limits::default());
        intake.add("pack.zip", bytes);
        assert_eq!(intake.files, files);
        assert!(archive(&[file("a", ""), file("a", "")]).is_err());
    }
}
