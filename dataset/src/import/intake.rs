//! Files on their way in: unpacked, held to limits, read as text.
//!
//! Everything that is not taken is noted with its reason; nothing stops the rest. An archive in an
//! archive is not opened.

use super::report::Problem;
use std::io::{Cursor, Read};
use zip::ZipArchive;
use zip::read::ZipFile;

/// How much is taken. The whole original is 5 MB in about 300 files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Files in all.
    pub files: usize,
    /// Bytes of one file, unpacked.
    pub file_bytes: u64,
    /// Bytes of all files, unpacked.
    pub total_bytes: u64,
    /// Folders above a file.
    pub depth: usize,
    /// Bytes of an archive.
    pub archive_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            files: 5000,
            file_bytes: 16 << 20,
            total_bytes: 64 << 20,
            depth: 12,
            archive_bytes: 64 << 20,
        }
    }
}

/// What came in.
#[derive(Debug, Clone, Default)]
pub struct Intake {
    limits: Limits,
    /// Path and text of every file that was taken.
    pub files: Vec<(String, String)>,
    /// What was refused, with the reason.
    pub refused: Vec<Problem>,
    /// Files that are of no kind that is read: neither JSON, JSONL nor archive.
    pub ignored: usize,
    /// Bytes that were taken.
    pub bytes: u64,
    /// Bytes that were unpacked and not taken. They count against the limit as well.
    wasted: u64,
}

/// What a file is by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// JSON or JSON lines.
    Json,
    /// A zip archive.
    Archive,
    /// Nothing that is read.
    Other,
}

impl FileKind {
    /// The kind of a path. Hidden files, and those that macOS adds to archives, are not read.
    pub fn of(path: &str) -> Self {
        let path = path.replace('\\', "/");
        let hidden = |part: &str| part.starts_with('.') || part == "__MACOSX";
        if path.split('/').any(hidden) {
            return FileKind::Other;
        }
        match path.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).as_deref() {
            Some("json" | "jsonl") => FileKind::Json,
            Some("zip") => FileKind::Archive,
            _ => FileKind::Other,
        }
    }
}

impl Intake {
    /// Nothing yet.
    pub fn new(limits: Limits) -> Self {
        Intake { limits, ..Intake::default() }
    }

    /// Files that the program has made itself.
    pub fn of(files: Vec<(String, String)>) -> Self {
        let bytes = files.iter().map(|(_, text)| text.len() as u64).sum();
        Intake { files, bytes, ..Intake::default() }
    }

    /// Whether a file of this path and size would be taken. If not, that is noted, so that nobody
    /// has to read it first.
    pub fn accepts(&mut self, path: &str, bytes: u64) -> bool {
        let Limits { files, file_bytes, total_bytes, depth, archive_bytes } = self.limits;
        let kind = FileKind::of(path);
        if kind == FileKind::Other {
            self.ignored += 1;
            return false;
        }
        let largest = if kind == FileKind::Archive { archive_bytes } else { file_bytes };
        let folders = path.split(['/', '\\']).filter(|part| !part.is_empty()).count();
        let reason = if folders > depth + 1 {
            format!("expected at most {depth} folders above a file, got {}", folders - 1)
        } else if bytes > largest {
            format!("expected at most {} MB, got {}", largest >> 20, megabytes(bytes))
        } else if self.files.len() >= files {
            format!("more than {files} files came in: leave out what is no part of API-Bank")
        } else if self.spent().saturating_add(bytes) > total_bytes && kind == FileKind::Json {
            format!("all files together have more than {} MB", total_bytes >> 20)
        } else {
            return true;
        };
        self.refuse(path, reason);
        false
    }

    /// Takes a file: a text, or an archive of them.
    pub fn add(&mut self, path: &str, bytes: Vec<u8>) {
        if !self.accepts(path, bytes.len() as u64) {
            return;
        }
        if FileKind::of(path) == FileKind::Archive {
            self.unpack(path, bytes);
            return;
        }
        let size = bytes.len() as u64;
        match String::from_utf8(bytes) {
            Ok(text) => {
                self.bytes += size;
                self.files.push((path.to_owned(), text));
            }
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                self.refuse(path, format!("expected UTF-8, got another byte at {at}"));
            }
        }
    }

    /// Notes that a file was not taken.
    pub fn refuse(&mut self, path: &str, reason: String) {
        // A bomb of refusals is one too.
        if self.refused.len() < self.limits.files {
            self.refused.push(Problem { file: path.to_owned(), line: None, reason });
        }
    }

    fn unpack(&mut self, path: &str, bytes: Vec<u8>) {
        let mut archive = match ZipArchive::new(Cursor::new(bytes)) {
            Ok(archive) => archive,
            Err(error) => {
                return self
                    .refuse(path, format!("this is no zip archive that can be read: {error}"));
            }
        };
        if archive.len() > self.limits.files {
            let (count, most) = (archive.len(), self.limits.files);
            return self.refuse(path, format!("expected at most {most} files in it, got {count}"));
        }
        for index in 0..archive.len() {
            match archive.by_index(index) {
                Ok(entry) => match entry.name().map(|name| name.into_owned()) {
                    Ok(name) => self.entry(name, entry),
                    Err(error) => self.refuse(path, format!("file {index} in it: {error}")),
                },
                Err(error) => self.refuse(path, format!("file {index} in it: {error}")),
            }
        }
    }

    fn entry(&mut self, path: String, entry: ZipFile<'_, Cursor<Vec<u8>>>) {
        if entry.is_dir() {
            return;
        }
        if FileKind::of(&path) == FileKind::Archive {
            return self.refuse(&path, "an archive in an archive: unpack it first".to_owned());
        }
        if !self.accepts(&path, entry.size()) {
            return;
        }
        // The size in the archive's index may lie: what is read is held to the limits as well.
        let left = self.limits.total_bytes.saturating_sub(self.spent());
        let most = self.limits.file_bytes.min(left);
        let size = entry.size().min(most);
        let mut bytes = Vec::new();
        let read = entry.take(most + 1).read_to_end(&mut bytes);
        // What fails was unpacked as far as its size goes, for all that is known.
        let (count, taken) = (size.max(bytes.len() as u64), self.bytes);
        match read {
            Ok(_) if bytes.len() as u64 > most => {
                self.refuse(&path, format!("unpacks to more than {}", megabytes(most)));
            }
            Ok(_) => self.add(&path, bytes),
            Err(error) => self.refuse(&path, format!("cannot be unpacked: {error}")),
        }
        if self.bytes == taken {
            self.wasted += count;
        }
    }

    /// Bytes that were read or unpacked, whatever became of them.
    fn spent(&self) -> u64 {
        self.bytes.saturating_add(self.wasted)
    }
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
        Limits { files: 3, file_bytes: 1000, total_bytes: 1500, depth: 2, archive_bytes: 4000 }
    }

    fn reasons(intake: &Intake) -> String {
        intake.refused.iter().map(|it| format!("{it}\n")).collect()
    }

    #[test]
    fn archives_are_unpacked_and_other_files_left_alone() {
        let mut intake = Intake::new(Limits::default());
        let zip =
            archive(&[("top/a.json", b"{}"), ("top/README.md", b"x"), ("__MACOSX/b.json", b"")]);
        intake.add("data.zip", zip);
        intake.add("b.jsonl", b"[]".to_vec());
        assert_eq!(
            intake.files,
            [("top/a.json".to_owned(), "{}".to_owned()), ("b.jsonl".to_owned(), "[]".to_owned())]
        );
        assert_eq!((intake.ignored, intake.refused.len(), intake.bytes), (2, 0, 4));
    }

    #[test]
    fn a_bomb_does_not_unpack() {
        let mut intake = Intake::new(small());
        intake.add("bomb.zip", archive(&[("a.json", &[b' '; 200_000])]));
        assert!(
            reasons(&intake).contains("a.json: expected at most 0 MB, got 0.2 MB"),
            "{}",
            reasons(&intake)
        );
        assert!(intake.files.is_empty());
        let inner = archive(&[("a.json", b"{}")]);
        intake.add("outer.zip", archive(&[("inner.zip", &inner)]));
        assert!(reasons(&intake).contains("inner.zip: an archive in an archive"));
    }

    #[test]
    fn a_size_that_lies_is_found_out() {
        let mut zip = archive(&[("a.json", &[b' '; 3000])]);
        // Both places of the unpacked size: the file's own header and the index at the end.
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
        // Honest sizes that no text comes of, and sizes that lie.
        for (size, told_size) in [(900, 900), (3000, 900)] {
            let broken = vec![0xff; size];
            let names: Vec<String> = (0..9).map(|index| format!("{index}.json")).collect();
            let mut files: Vec<(&str, &[u8])> =
                names.iter().map(|name| (name.as_str(), &broken[..])).collect();
            files.push(("z.json", &[b' '; 700]));
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
            let told = reasons(&intake);
            assert!(told.contains("z.json: all files together"), "{told}");
        }
    }

    #[test]
    fn counts_sizes_and_depth_are_limited() {
        let mut intake = Intake::new(small());
        intake.add("a/b/c/d.json", b"{}".to_vec());
        for index in 0..5 {
            intake.add(&format!("{index}.json"), vec![b' '; 400]);
        }
        let reasons = reasons(&intake);
        assert!(reasons.contains("at most 2 folders above a file, got 3"), "{reasons}");
        assert!(reasons.contains("more than 3 files"), "{reasons}");
        assert_eq!(intake.files.len(), 3);
        let mut intake = Intake::new(small());
        intake.add("x.zip", b"PK no".to_vec());
        assert!(super::tests::reasons(&intake).contains("x.zip: this is no zip archive"));
        intake.add("latin.json", vec![b'"', 0xe9, b'"']);
        assert!(super::tests::reasons(&intake).contains("expected UTF-8, got another byte at 1"));
    }
}
