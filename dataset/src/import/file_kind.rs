//! Kinds of files, by name.

/// The kind of a file, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// JSON or JSON lines.
    Json,
    /// Python source.
    Python,
    /// A zip or tar archive.
    Archive,
    /// Any other file.
    Other,
}

impl FileKind {
    /// The kind of a path. Hidden files, and those that macOS adds to archives, are
    /// [`FileKind::Other`].
    pub fn of(path: &str) -> Self {
        let path = path.replace('\\', "/");
        let hidden = |part: &str| {
            (part.starts_with('.') && !matches!(part, "." | "..")) || part == "__MACOSX"
        };
        if path.split('/').any(hidden) {
            return FileKind::Other;
        }
        let path = path.to_ascii_lowercase();
        let ends = |ends: &[&str]| ends.iter().any(|end| path.ends_with(end));
        if ends(&[".json", ".jsonl"]) {
            FileKind::Json
        } else if ends(&[".py"]) {
            FileKind::Python
        } else if ends(&[".zip", ".tar", ".tgz", ".tar.gz"]) {
            FileKind::Archive
        } else {
            FileKind::Other
        }
    }
}
