//! Loads a sentence-embedding model from a folder in the layout of sentence-transformers.

use anyhow::{Context, Result, bail};
use runner::{ModelFiles, NamedFile, UserModel};
use std::fs;
use std::path::Path;

/// The places of the ONNX file, the first that is there.
const ONNX: [&str; 3] = ["model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx"];
/// The other files of a model.
const OTHERS: [&str; 6] = [
    "tokenizer.json",
    "vocab.txt",
    "modules.json",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
];

/// Loads the ONNX file, `tokenizer.json` or `vocab.txt`, and the configuration files that are there.
pub(crate) fn load(folder: &Path) -> Result<UserModel> {
    let Some(onnx) = ONNX.into_iter().find(|name| folder.join(name).is_file()) else {
        bail!(
            "expected builtin, bm25, oracle, random or a folder with {}, got {}: export the model \
             with `optimum-cli export onnx`",
            ONNX.join(" or "),
            folder.display()
        );
    };
    let others = OTHERS.into_iter().filter(|name| folder.join(name).is_file());
    let paths: Vec<String> = std::iter::once(onnx).chain(others).map(str::to_owned).collect();
    let can_t_use = || format!("can't use the model in {}", folder.display());
    let files = ModelFiles::among(&paths).with_context(can_t_use)?;
    let mut contents = vec![Vec::new(); paths.len()];
    for at in files.indices() {
        if let (Some(path), Some(content)) = (paths.get(at), contents.get_mut(at)) {
            let path = folder.join(path);
            *content = fs::read(&path).with_context(|| format!("can't read {}", path.display()))?;
        }
    }
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let name = whole.file_name().map_or("model".into(), |name| name.to_string_lossy().into_owned());
    let file = |at: usize| {
        let (path, bytes) = (paths.get(at)?, contents.get(at)?);
        Some(NamedFile { path, bytes })
    };
    UserModel::load(&name, &files, file).with_context(can_t_use)
}
