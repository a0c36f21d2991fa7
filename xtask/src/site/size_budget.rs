//! Size budgets of the built site, by file role.
//!
//! Sizes depend only on the code, so a budget holds on every machine; times do not.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};

use super::{
    HASH_DIGITS, Profile, group_digits,
    hosting::{HEADERS_FILE, HOSTING},
};

/// The role of a site file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// index.html.
    Html,
    /// Style sheets.
    Style,
    /// The page's scripts.
    Script,
    /// The page's WebAssembly that the first paint needs.
    Page,
    /// The page's lazily loaded WebAssembly.
    Lazy,
    /// The worker's scripts.
    WorkerScript,
    /// The worker's WebAssembly.
    Worker,
    /// A model in the page: scripts and the engine's WebAssembly, loaded when asked for.
    Engine,
    /// The search model.
    Model,
    /// The search model's vocabulary.
    Vocabulary,
    /// API embeddings.
    Vectors,
    /// Translations.
    Texts,
    /// The leaderboard's table.
    Leaderboard,
    /// The leaderboard's records, loaded one at a time.
    Records,
    /// The training set's tools, a corpus of the Search lab.
    TrainingTools,
    /// The picture for link previews, which visitors don't load.
    Preview,
    /// Icons and everything else.
    Other,
}

/// Maximum bytes of all files of a role, without and with link-time optimization. They leave a few
/// percent of slack; a commit that raises one must justify it.
const BUDGETS: [(Role, u64, u64); 17] = [
    (Role::Html, 6_000, 6_000),
    (Role::Style, 60_000, 60_000),
    (Role::Script, 104_000, 102_000),
    (Role::Page, 1_430_000, 785_000),
    (Role::Lazy, 12_900_000, 3_690_000),
    (Role::WorkerScript, 60_000, 60_000),
    (Role::Worker, 27_600_000, 20_400_000),
    (Role::Engine, 9_400_000, 9_400_000),
    (Role::Model, 18_300_000, 18_300_000),
    (Role::Vocabulary, 240_000, 240_000),
    (Role::Vectors, 330_000, 330_000),
    (Role::Texts, 150_000, 150_000),
    (Role::Leaderboard, 60_000, 60_000),
    (Role::Records, 20_000_000, 20_000_000),
    (Role::TrainingTools, 200_000, 200_000),
    (Role::Preview, 90_000, 90_000),
    (Role::Other, 2_000, 2_000),
];

impl Role {
    /// A file's role by its name in the finished site.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
        let stem = match stem.rsplit_once('-') {
            Some((stem, hash)) if hash.len() == HASH_DIGITS => stem,
            _ => stem,
        };
        match (stem, extension) {
            (_, "html") => Role::Html,
            ("leaderboard", "json") => Role::Leaderboard,
            ("training-tools", "json") => Role::TrainingTools,
            (_, "json.gz") => Role::Records,
            (_, "json") => Role::Texts,
            (_, "css") => Role::Style,
            ("worker_bg", "wasm") => Role::Worker,
            ("split_later", "wasm") => Role::Lazy,
            ("llama" | "llama-library" | "llama-worker" | "llama-thread", _)
            | ("model-host" | "kept-models" | "browser-model" | "browser-model-client", "js") => {
                Role::Engine
            }
            (_, "wasm") => Role::Page,
            ("worker" | "worker-boot", "js") => Role::WorkerScript,
            (_, "js") => Role::Script,
            ("model", _) => Role::Model,
            ("vocab", _) => Role::Vocabulary,
            ("vectors", _) => Role::Vectors,
            ("card", "png") => Role::Preview,
            _ => Role::Other,
        }
    }
}

/// A file of the site with its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizedFile {
    /// The name in the site's folder.
    pub name: String,
    /// The file's role.
    pub role: Role,
    /// The size in bytes.
    pub bytes: u64,
}

/// The files of a built site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteSize {
    /// The files by name.
    pub files: Vec<SizedFile>,
}

impl SiteSize {
    /// Reads the sizes of a built site.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn of(dist: &Path) -> Result<Self> {
        let mut files = Vec::new();
        for entry in fs::read_dir(dist).with_context(|| format!("can't list {}", dist.display()))? {
            let entry = entry.with_context(|| format!("can't list {}", dist.display()))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // Browsers never request host configuration.
            if [HEADERS_FILE, HOSTING].contains(&name.as_str()) {
                continue;
            }
            let size = entry.metadata().with_context(|| format!("can't read the size of {name}"));
            files.push(SizedFile { role: Role::of(&name), bytes: size?.len(), name });
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(SiteSize { files })
    }

    /// The total bytes of a role's files.
    #[must_use]
    pub fn bytes(&self, role: Role) -> u64 {
        self.files.iter().filter(|file| file.role == role).map(|file| file.bytes).sum()
    }

    /// Checks the budgets and prints every role.
    ///
    /// # Errors
    /// When a role exceeds its budget; the error names all of them.
    pub fn check(&self, profile: Profile) -> Result<()> {
        let mut over = Vec::new();
        for (role, fast, release) in BUDGETS {
            let budget = if profile == Profile::Fast { fast } else { release };
            let bytes = self.bytes(role);
            println!("  {:>11} of {:>11} bytes, {role:?}", grouped(bytes), grouped(budget));
            if bytes > budget {
                over.push(format!("{role:?} has {bytes} bytes, its budget is {budget}"));
            }
        }
        ensure!(
            over.is_empty(),
            "the site exceeds its size budgets: {}. Make it smaller, or raise the \
             budget in xtask/src/site/size_budget.rs and say in the commit why it is worth it",
            over.join("; ")
        );
        Ok(())
    }
}

fn grouped(bytes: u64) -> String {
    usize::try_from(bytes).map_or_else(|_| bytes.to_string(), group_digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_names() {
        for (name, role) in [
            ("index.html", Role::Html),
            ("app-0123456789abcdef.css", Role::Style),
            ("app-0123456789abcdef.js", Role::Script),
            ("inline0-0123456789abcdef.js", Role::Script),
            ("app_bg-0123456789abcdef.wasm", Role::Page),
            ("split_later-0123456789abcdef.wasm", Role::Lazy),
            ("worker_bg-0123456789abcdef.wasm", Role::Worker),
            ("llama-0123456789abcdef.wasm", Role::Engine),
            ("llama-worker-0123456789abcdef.js", Role::Engine),
            ("model-host-0123456789abcdef.js", Role::Engine),
            ("kept-models-0123456789abcdef.js", Role::Engine),
            ("browser-model-0123456789abcdef.js", Role::Engine),
            ("worker-0123456789abcdef.js", Role::WorkerScript),
            ("worker-boot-0123456789abcdef.js", Role::WorkerScript),
            ("model-0123456789abcdef.onnx", Role::Model),
            ("vocab-0123456789abcdef.txt", Role::Vocabulary),
            ("vectors-0123456789abcdef.bin", Role::Vectors),
            ("zh-Hans-0123456789abcdef.json", Role::Texts),
            ("leaderboard-0123456789abcdef.json", Role::Leaderboard),
            ("gold-replay-0123456789abcdef.json.gz", Role::Records),
            ("training-tools-0123456789abcdef.json", Role::TrainingTools),
            ("card-0123456789abcdef.png", Role::Preview),
            ("icon-0123456789abcdef.svg", Role::Other),
        ] {
            assert_eq!(Role::of(name), role, "{name}");
        }
    }

    #[test]
    fn every_role_has_a_budget_and_is_held_to_it() -> Result<()> {
        let dir = tempfile::tempdir()?;
        for (role, fast, release) in BUDGETS {
            assert!(release <= fast, "{role:?}: link-time optimisation makes nothing larger");
        }
        fs::write(dir.path().join("index.html"), "<p>small")?;
        fs::create_dir(dir.path().join(HOSTING))?;
        fs::write(dir.path().join(HEADERS_FILE), "x".repeat(1 << 20))?;
        SiteSize::of(dir.path())?.check(Profile::Fast)?;
        fs::write(dir.path().join("vocab-0123456789abcdef.txt"), "x".repeat(1 << 20))?;
        let error = SiteSize::of(dir.path())?.check(Profile::Fast).expect_err("too heavy");
        assert!(error.to_string().contains("Vocabulary has 1048576 bytes"), "{error}");
        Ok(())
    }
}
