//! The cache for tools and models: outside `target/`, so that they survive `cargo clean` and a
//! fresh clone.

use std::{env, fs, path::PathBuf};

use anyhow::{Context, Result, bail};

/// The cache folder: `$API_BANK_CACHE`, else `$XDG_CACHE_HOME/api-bank`, else `~/.cache/api-bank`.
#[derive(Debug, Clone)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// Finds the cache folder and creates it.
    ///
    /// # Errors
    /// When there is no home folder, or the cache folder can't be written.
    pub fn open() -> Result<Self> {
        let root = if let Some(own) = non_empty("API_BANK_CACHE") {
            own
        } else if let Some(xdg) = non_empty("XDG_CACHE_HOME") {
            xdg.join("api-bank")
        } else if let Some(home) = env::home_dir() {
            home.join(".cache").join("api-bank")
        } else {
            bail!("no home folder: set API_BANK_CACHE to a folder that can be written");
        };
        Self::at(root)
    }

    /// Uses `root` as the cache folder and creates it.
    ///
    /// # Errors
    /// When the folder can't be created.
    pub fn at(root: PathBuf) -> Result<Self> {
        fs::create_dir_all(&root)
            .with_context(|| format!("can't make the cache folder {}", root.display()))?;
        Ok(Self { root })
    }

    /// The folder of a tool's version; its programs are in `bin`.
    #[must_use]
    pub fn tool(&self, name: &str, version: &str) -> PathBuf {
        self.root.join("tools").join(format!("{name}-{version}"))
    }

    /// The folder of the embedding model as published.
    #[must_use]
    pub fn model(&self) -> PathBuf {
        self.root.join("model")
    }

    /// A folder of API Search files.
    #[must_use]
    pub fn search(&self, name: &str) -> PathBuf {
        self.root.join("search").join(name)
    }

    /// The file that caches the brotli size of content with this digest.
    #[must_use]
    pub fn brotli(&self, digest: &str) -> PathBuf {
        self.root.join("brotli").join(digest)
    }

    /// An empty folder for downloads in progress; existing content is deleted.
    ///
    /// # Errors
    /// When the folder can't be emptied or created.
    pub fn scratch(&self, name: &str) -> Result<PathBuf> {
        let dir = self.root.join("scratch").join(format!("{name}-{}", std::process::id()));
        if dir.exists() {
            fs::remove_dir_all(&dir).with_context(|| format!("can't empty {}", dir.display()))?;
        }
        fs::create_dir_all(&dir).with_context(|| format!("can't make {}", dir.display()))?;
        Ok(dir)
    }
}

fn non_empty(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}
