//! Collects the files of an import: unpacks archives, enforces limits, decodes UTF-8.
//!
//! Refused files are listed with the reason and don't stop the others. Nested archives are refused.

use super::file_kind::FileKind;
use super::files::is_part;
use super::report::Problem;
use crate::encoding;
use flate2::read::MultiGzDecoder;
use std::io::{self, Cursor, Read};
use zip::ZipArchive;

/// Limits of an import. The original is 5 MB in about 400 files, but GitHub's archives contain the
/// whole repository, hundreds of megabytes, of which everything outside API-Bank is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Number of files.
    pub files: usize,
    /// Bytes of one file, unpacked.
    pub file_bytes: u64,
    /// Bytes of all files, unpacked.
    pub total_bytes: u64,
    /// Folders above a file.
    pub depth: usize,
    /// Bytes of an archive.
    pub archive_bytes: u64,
    /// Files in an archive, including skipped ones.
    pub entries: usize,
    /// Unpacked bytes of a tar archive, including skipped files.
    pub unpacked_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            files: 5000,
            file_bytes: 16 << 20,
            total_bytes: 64 << 20,
            depth: 12,
            archive_bytes: 256 << 20,
            entries: 100_000,
            unpacked_bytes: 2 << 30,
        }
    }
}

/// Maximum bytes read from a tar extension header with a file name.
const LONGEST_HEADER: u64 = 64 << 10;

/// The files of an import.
#[derive(Debug, Clone, Default)]
pub struct Intake {
    limits: Limits,
    /// Path and text of every accepted file.
    pub files: Vec<(String, String)>,
    /// Refused files, with the reason.
    pub refused: Vec<Problem>,
    /// Number of files outside API-Bank, by kind, name and folder.
    pub ignored: usize,
    /// Accepted bytes.
    pub bytes: u64,
    /// Bytes unpacked but refused. They count against the limit too.
    wasted: u64,
}

impl Intake {
    /// An empty intake.
    pub fn new(limits: Limits) -> Self {
        Intake { limits, ..Intake::default() }
    }

    /// An intake of generated files, without limit checks.
    pub fn of(files: Vec<(String, String)>) -> Self {
        let bytes = files.iter().map(|(_, text)| text.len() as u64).sum();
        Intake { files, bytes, ..Intake::default() }
    }

    /// Whether a file of this path and size would be accepted. Records the refusal, so that the
    /// caller need not read the file first.
    pub fn accepts(&mut self, path: &str, bytes: u64) -> bool {
        let Limits { files, file_bytes, total_bytes, depth, archive_bytes, .. } = self.limits;
        let archive = FileKind::of(path) == FileKind::Archive;
        if !archive && !is_part(path) {
            self.ignored += 1;
            return false;
        }
        let largest = if archive { archive_bytes } else { file_bytes };
        let folders = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | ".")).count();
        let reason = if folders > depth + 1 {
            format!("expected at most {depth} folders above a file, got {}", folders - 1)
        } else if bytes > largest {
            format!("expected at most {} MB, got {}", largest >> 20, megabytes(bytes))
        } else if self.files.len() >= files {
            format!("more than {files} files came in: leave out what is no part of API-Bank")
        } else if self.spent().saturating_add(bytes) > total_bytes && !archive {
            format!("all files together have more than {} MB", total_bytes >> 20)
        } else {
            return true;
        };
        self.refuse(path, reason);
        false
    }

    /// Adds a text file, or the files of an archive.
    pub fn add(&mut self, path: &str, bytes: Vec<u8>) {
        if !self.accepts(path, bytes.len() as u64) {
            return;
        }
        if FileKind::of(path) == FileKind::Archive {
            self.unpack(path, bytes);
            return;
        }
        let size = bytes.len() as u64;
        match encoding::text(&bytes) {
            Ok(text) => {
                self.bytes += size;
                self.files.push((path.to_owned(), text.into_owned()));
            }
            Err(error) => self.refuse(path, error.to_string()),
        }
    }

    /// Records a refused file.
    pub fn refuse(&mut self, path: &str, reason: String) {
        // An archive could cause any number of refusals.
        if self.refused.len() < self.limits.files {
            self.refused.push(Problem { file: path.to_owned(), line: None, reason });
        }
    }

    /// Unpacks an archive. Its magic bytes determine the format, not its name.
    fn unpack(&mut self, path: &str, bytes: Vec<u8>) {
        match bytes.get(..2) {
            Some([0x1f, 0x8b]) => self.unpack_tar(path, MultiGzDecoder::new(Cursor::new(bytes))),
            Some(b"PK") => self.unpack_zip(path, bytes),
            _ if bytes.get(257..262) == Some(b"ustar") => self.unpack_tar(path, Cursor::new(bytes)),
            _ => self.refuse(path, "this is neither a zip nor a tar archive".to_owned()),
        }
    }

    fn unpack_zip(&mut self, path: &str, bytes: Vec<u8>) {
        let mut archive = match ZipArchive::new(Cursor::new(bytes)) {
            Ok(archive) => archive,
            Err(error) => {
                return self
                    .refuse(path, format!("this is no zip archive that can be read: {error}"));
            }
        };
        if archive.len() > self.limits.entries {
            let (count, most) = (archive.len(), self.limits.entries);
            return self.refuse(path, format!("expected at most {most} files in it, got {count}"));
        }
        for index in 0..archive.len() {
            match archive.by_index(index) {
                Ok(entry) => match entry.name().map(|name| name.into_owned()) {
                    Ok(_) if entry.is_dir() => {}
                    Ok(name) => self.entry(&name, entry.size(), entry),
                    Err(error) => self.refuse(path, format!("file {index} in it: {error}")),
                },
                Err(error) => self.refuse(path, format!("file {index} in it: {error}")),
            }
        }
    }

    fn unpack_tar(&mut self, path: &str, tar: impl Read) {
        let most = self.limits.unpacked_bytes;
        let mut tar = tar.take(most);
        let read = self.tar_entries(&mut tar);
        if tar.limit() == 0 {
            self.refuse(path, format!("unpacks to more than {}", megabytes(most)));
        } else if let Err(error) = read {
            self.refuse(path, format!("this is no tar archive that can be read: {error}"));
        }
    }

    fn tar_entries(&mut self, tar: impl Read) -> io::Result<()> {
        let most = self.limits.entries;
        let mut long_name = None;
        // Raw, because the crate would read extension headers of any length.
        for (index, entry) in tar::Archive::new(tar).entries()?.raw(true).enumerate() {
            let entry = entry?;
            let kind = entry.header().entry_type();
            if index >= most {
                return Err(io::Error::other(format!("expected at most {most} files in it")));
            } else if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
                long_name = name_in(entry)?;
            } else {
                let short = || String::from_utf8_lossy(&entry.path_bytes()).into_owned();
                let name = long_name.take().unwrap_or_else(short);
                if kind.is_file() {
                    self.entry(&name, entry.size(), entry);
                }
            }
        }
        Ok(())
    }

    /// Adds a file of an archive.
    fn entry(&mut self, path: &str, size: u64, entry: impl Read) {
        if FileKind::of(path) == FileKind::Archive {
            return self.refuse(path, "an archive in an archive: unpack it first".to_owned());
        }
        if !self.accepts(path, size) {
            return;
        }
        // The declared size may be wrong, so the limits also apply to the unpacked bytes.
        let left = self.limits.total_bytes.saturating_sub(self.spent());
        let most = self.limits.file_bytes.min(left);
        let size = size.min(most);
        let mut bytes = Vec::new();
        let read = entry.take(most + 1).read_to_end(&mut bytes);
        // A failed entry may have unpacked up to its declared size.
        let (count, taken) = (size.max(bytes.len() as u64), self.bytes);
        match read {
            Ok(_) if bytes.len() as u64 > most => {
                self.refuse(path, format!("unpacks to more than {}", megabytes(most)));
            }
            Ok(_) => self.add(path, bytes),
            Err(error) => self.refuse(path, format!("cannot be unpacked: {error}")),
        }
        if self.bytes == taken {
            self.wasted += count;
        }
    }

    /// Bytes read or unpacked, accepted or not.
    fn spent(&self) -> u64 {
        self.bytes.saturating_add(self.wasted)
    }
}

/// The file name in a GNU or PAX extension header, used for names too long for the normal header.
fn name_in(entry: tar::Entry<'_, impl Read>) -> io::Result<Option<String>> {
    let gnu = entry.header().entry_type().is_gnu_longname();
    let mut bytes = Vec::new();
    entry.take(LONGEST_HEADER).read_to_end(&mut bytes)?;
    if gnu {
        let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        return Ok(Some(String::from_utf8_lossy(name).into_owned()));
    }
    for field in tar::PaxExtensions::new(&bytes) {
        let field = field?;
        if field.key_bytes() == b"path" {
            return Ok(Some(String::from_utf8_lossy(field.value_bytes()).into_owned()));
        }
    }
    Ok(None)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, bytes) in files {
            zip.start_file(*path, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    fn small() -> Limits {
        Limits {
            files: 3,
            file_bytes: 1000,
            total_bytes: 1500,
            depth: 2,
            archive_bytes: 4000,
            entries: 20,
            unpacked_bytes: 6000,
        }
    }

    fn reasons(intake: &Intake) -> String {
        intake.refused.iter().map(|file| format!("{file}\n")).collect()
    }

    #[test]
    fn archives_are_unpacked_and_other_files_left_alone() {
        let mut intake = Intake::new(Limits::default());
        let zip = archive(&[
            ("top/pools.json", b"{}"),
            ("top/README.md", b"x"),
            ("__MACOSX/pools.json", b""),
        ]);
        intake.add("data.zip", zip);
        intake.add("a-level-1-1.jsonl", b"[]".to_vec());
        assert_eq!(
            intake.files,
            [
                ("top/pools.json".to_owned(), "{}".to_owned()),
                ("a-level-1-1.jsonl".to_owned(), "[]".to_owned())
            ]
        );
        assert_eq!((intake.ignored, intake.refused.len(), intake.bytes), (2, 0, 4));
    }

    /// A gzipped tar archive in GitHub's format.
    fn tarball(files: &[(&str, &[u8])]) -> Vec<u8> {
        let gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let mut tar = tar::Builder::new(gz);
        for (path, bytes) in files {
            let mut header = tar::Header::new_ustar();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            tar.append_data(&mut header, path, *bytes).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn tar_archives_are_unpacked_as_zip_archives_are() {
        let long = format!("{}/lv3_apis/a.py", "long-".repeat(60));
        let files: [(&str, &[u8]); 4] = [
            ("top/init_database/Stock.json", b"{}"),
            (&long, b"x = 1"),
            ("top/evaluator.py", b"no part"),
            ("top/inner.tgz", b""),
        ];
        for name in ["main.tar.gz", "main.TGZ", "renamed.zip"] {
            let mut intake = Intake::new(Limits::default());
            intake.add(name, tarball(&files));
            let paths: Vec<&str> = intake.files.iter().map(|(path, _)| path.as_str()).collect();
            assert_eq!(paths, [files[0].0, files[1].0], "{}", reasons(&intake));
            assert_eq!((intake.ignored, intake.refused.len()), (1, 1), "{}", reasons(&intake));
        }
        assert!(is_part("./api-bank/./apis/a.py") && !is_part("api-bank/.git/apis/a.py"));
    }

    #[test]
    fn a_tar_archive_that_is_cut_or_swells_is_refused_where_it_ends() {
        let whole = tarball(&[("pools.json", b"{}"), ("planning-tables.json", &[b' '; 900])]);
        let mut intake = Intake::new(Limits::default());
        intake.add("cut.tar.gz", whole[..whole.len() / 2].to_vec());
        assert!(reasons(&intake).contains("cut.tar.gz: this is no tar archive"), "{intake:?}");
        for passed_over in ["README.md", "pools.json"] {
            let mut intake = Intake::new(small());
            let files: [(&str, &[u8]); 2] = [(passed_over, &[b' '; 50_000]), ("pools.json", b"{}")];
            intake.add("bomb.tar.gz", tarball(&files));
            assert!(reasons(&intake).contains("bomb.tar.gz: unpacks to more"), "{intake:?}");
            assert!(intake.files.is_empty());
        }
        let mut intake = Intake::new(small());
        let names: Vec<String> = (0..30).map(|index| format!("{index}.md")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|it| (it.as_str(), &b""[..])).collect();
        intake.add("many.tgz", tarball(&files));
        assert!(!intake.refused.is_empty() && intake.ignored <= 20, "{intake:?}");
    }

    #[test]
    fn a_bomb_does_not_unpack() {
        let mut intake = Intake::new(small());
        intake.add("bomb.zip", archive(&[("pools.json", &[b' '; 200_000])]));
        assert!(
            reasons(&intake).contains("pools.json: expected at most 0 MB, got 0.2 MB"),
            "{}",
            reasons(&intake)
        );
        assert!(intake.files.is_empty());
        let inner = archive(&[("pools.json", b"{}")]);
        intake.add("outer.zip", archive(&[("inner.zip", &inner)]));
        assert!(reasons(&intake).contains("inner.zip: an archive in an archive"));
    }

    #[test]
    fn a_size_that_lies_is_found_out() {
        let mut zip = archive(&[("pools.json", &[b' '; 3000])]);
        // The unpacked size occurs twice: in the file's header and in the index at the end.
        for at in 0..zip.len() - 4 {
            if zip[at..at + 4] == 3000_u32.to_le_bytes() {
                zip[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
            }
        }
        let mut intake = Intake::new(small());
        intake.add("liar.zip", zip);
        assert!(intake.files.is_empty() && intake.refused.len() == 1, "{intake:?}");
    }

    #[test]
    fn what_is_unpacked_in_vain_counts_against_the_limit() {
        // Correct sizes of files that are not UTF-8, and wrong sizes.
        for (size, told_size) in [(900, 900), (3000, 900)] {
            let broken = vec![0xff; size];
            let names: Vec<String> =
                (0..9).map(|index| format!("init_database/{index}.json")).collect();
            let mut files: Vec<(&str, &[u8])> =
                names.iter().map(|name| (name.as_str(), &broken[..])).collect();
            files.push(("init_database/z.json", &[b' '; 700]));
            let mut zip = archive(&files);
            for at in 0..zip.len() - 4 {
                if zip[at..at + 4] == u32::try_from(size).unwrap().to_le_bytes() {
                    zip[at..at + 4].copy_from_slice(&u32::to_le_bytes(told_size));
                }
            }
            let mut intake = Intake::new(Limits { files: 20, ..small() });
            intake.add("broken.zip", zip);
            assert!(intake.files.is_empty(), "{intake:?}");
            assert!(intake.spent() <= small().total_bytes, "{}", intake.spent());
            let message = reasons(&intake);
            assert!(message.contains("z.json: all files together"), "{message}");
        }
    }

    #[test]
    fn counts_sizes_and_depth_are_limited() {
        let mut intake = Intake::new(small());
        intake.add("a/b/init_database/d.json", b"{}".to_vec());
        for index in 0..5 {
            intake.add(&format!("init_database/{index}.json"), vec![b' '; 400]);
        }
        let reasons = reasons(&intake);
        assert!(reasons.contains("at most 2 folders above a file, got 3"), "{reasons}");
        assert!(reasons.contains("more than 3 files"), "{reasons}");
        assert_eq!(intake.files.len(), 3);
        let mut intake = Intake::new(small());
        intake.add("x.zip", b"PK no".to_vec());
        assert!(super::tests::reasons(&intake).contains("x.zip: this is no zip archive"));
        intake.add("y.zip", b"nothing".to_vec());
        assert!(super::tests::reasons(&intake).contains("y.zip: this is neither a zip nor a tar"));
        intake.add("pools.json", vec![b'"', 0xe9, b'"']);
        assert!(super::tests::reasons(&intake).contains("at offset 1: save the file as UTF-8"));
    }
}
