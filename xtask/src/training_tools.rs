//! The training set's APIs by domain, as names and descriptions: a corpus of the Search lab, which
//! fetches it when asked for.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::process::root;

/// The list's name in the site before hashing.
pub const TRAINING_TOOLS: &str = "training-tools.json";

/// A domain; other fields of the file are left out.
#[derive(Debug, Deserialize, Serialize)]
struct Domain {
    domain: String,
    apis: Vec<Api>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Api {
    name: String,
    description: String,
}

/// Writes the list into a folder.
///
/// # Errors
/// When a domain can't be read.
pub fn write(to: &Path) -> Result<()> {
    let text = list(&root().join("dataset/training/domains"))?;
    let file = to.join(TRAINING_TOOLS);
    fs::write(&file, text).with_context(|| format!("can't write {}", file.display()))
}

fn list(folder: &Path) -> Result<String> {
    let context = || format!("can't list {}", folder.display());
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).with_context(context)? {
        let path = entry.with_context(context)?.path();
        if path.extension().is_some_and(|it| it == "json") {
            files.push(path);
        }
    }
    // Folders have no order; the command line has this one too.
    files.sort();
    ensure!(!files.is_empty(), "{} has no domains", folder.display());
    let mut domains = Vec::new();
    for file in files {
        let context = || format!("can't read {}", file.display());
        let text = fs::read_to_string(&file).with_context(context)?;
        domains.push(serde_json::from_str::<Domain>(&text).with_context(context)?);
    }
    Ok(serde_json::to_string(&domains)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn the_list_has_names_and_descriptions_in_the_order_of_the_files() -> Result<()> {
        let dir = tempfile::tempdir()?;
        for name in ["b", "a"] {
            let domain = json!({"domain": name, "apis": [
                {"name": "X", "description": "Y.", "input_parameters": {}}]});
            fs::write(dir.path().join(format!("{name}.json")), domain.to_string())?;
        }
        fs::write(dir.path().join("notes.md"), "")?;
        let apis = json!([{"name": "X", "description": "Y."}]);
        let expected = json!([{"domain": "a", "apis": apis}, {"domain": "b", "apis": apis}]);
        assert_eq!(serde_json::from_str::<Value>(&list(dir.path())?)?, expected);
        fs::write(dir.path().join("c.json"), "{}")?;
        let error = list(dir.path()).expect_err("not a domain").to_string();
        assert!(error.contains("c.json"), "{error}");
        Ok(())
    }
}
