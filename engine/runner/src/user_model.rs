//! A user's sentence-embedding model: which of some files belong to it, and what they make.

use record::EmbeddingModel;
use retrieval::{
    ConfigError, ConfigFiles, Encoder, EncoderConfig, ModelError, Pooling, RetrievalError,
    TokenizerError, WordPiece, sha256_hex,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The names of the ONNX file, the preferred one first. Any other name will do if it is the only one.
const ONNX: [&str; 2] = ["model.onnx", "model_quantized.onnx"];
/// What the texts are made of that show whether the model runs: a word, a few, and more than it takes.
const PROBE: &str = "set an alarm";
const LONGEST_PROBE: usize = 1_000;

/// Why files are no usable model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UserModelError {
    /// No ONNX file.
    #[error(
        "expected model.onnx, found {found}: export the model with `optimum-cli export onnx`, and \
         give all files of its folder"
    )]
    NoOnnx {
        /// The names of the files.
        found: String,
    },
    /// Several ONNX files, none with a usual name.
    #[error(
        "expected one .onnx file, found {found}: give the one to use alone, or call it model.onnx"
    )]
    SeveralOnnx {
        /// Their names.
        found: String,
    },
    /// No tokenizer.
    #[error(
        "expected tokenizer.json or vocab.txt beside {onnx}, found neither: give it together with \
         the model; it is in the model's folder"
    )]
    NoTokenizer {
        /// The ONNX file.
        onnx: String,
    },
    /// A configuration file that can't be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An unusable `tokenizer.json`.
    #[error("{file}: {reason}")]
    Tokenizer {
        /// The file.
        file: String,
        /// Why.
        reason: TokenizerError,
    },
    /// An unusable `vocab.txt`.
    #[error("{file}: {reason}; give the model's tokenizer.json instead")]
    Vocabulary {
        /// The file.
        file: String,
        /// Why.
        reason: TokenizerError,
    },
    /// The program that runs models panicked on an ONNX file.
    #[error("{file}: tract, which runs the model, panicked: its graph is damaged or unusual")]
    Panicked {
        /// The file.
        file: String,
    },
    /// An unusable ONNX file, or one that does not fit the tokenizer.
    #[error("{file}: {reason}")]
    Model {
        /// The file.
        file: String,
        /// Why.
        reason: RetrievalError,
    },
}

/// A file with its content.
#[derive(Debug, Clone, Copy)]
pub struct NamedFile<'a> {
    /// The path.
    pub path: &'a str,
    /// The content.
    pub bytes: &'a [u8],
}

/// The files of a model, as indices into a list of paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelFiles {
    /// The ONNX file.
    pub onnx: usize,
    /// `tokenizer.json`, or else `vocab.txt`.
    pub tokenizer: usize,
    /// `modules.json`, if there.
    pub modules: Option<usize>,
    /// `1_Pooling/config.json`, or a `config.json` without a folder, which may be that file.
    pub pooling: Option<usize>,
    /// `sentence_bert_config.json`, if there.
    pub transformer: Option<usize>,
    /// `config_sentence_transformers.json`, if there.
    pub prompts: Option<usize>,
}

impl ModelFiles {
    /// Finds the files of a model among paths, with `/` between folders. Of two files with one name,
    /// the one in fewer folders counts.
    ///
    /// # Errors
    /// Which file is missing, and the remedy.
    pub fn among(paths: &[String]) -> Result<Self, UserModelError> {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let depth = |path: &str| path.matches('/').count();
        let of = |wanted: &str| {
            let named = paths.iter().enumerate().filter(|(_, path)| name(path) == wanted);
            named.min_by_key(|(_, path)| depth(path)).map(|(at, _)| at)
        };
        let is_onnx = |path: &&String| path.ends_with(".onnx");
        let onnx = match ONNX.into_iter().find_map(of) {
            Some(at) => at,
            None => {
                let all: Vec<&str> = paths.iter().filter(is_onnx).map(String::as_str).collect();
                match all.as_slice() {
                    [] => return Err(UserModelError::NoOnnx { found: listed(paths) }),
                    [_] => paths.iter().position(|path| is_onnx(&path)).unwrap_or_default(),
                    _ => return Err(UserModelError::SeveralOnnx { found: all.join(", ") }),
                }
            }
        };
        let tokenizer = of("tokenizer.json").or_else(|| of("vocab.txt"));
        let tokenizer = tokenizer.ok_or_else(|| {
            let onnx = paths.get(onnx).map(|path| name(path)).unwrap_or_default();
            UserModelError::NoTokenizer { onnx }
        })?;
        let pooling = paths.iter().position(|path| path.ends_with("1_Pooling/config.json"));
        let alone = || paths.iter().position(|path| path == "config.json");
        Ok(ModelFiles {
            onnx,
            tokenizer,
            modules: of("modules.json"),
            pooling: pooling.or_else(alone),
            transformer: of("sentence_bert_config.json"),
            prompts: of("config_sentence_transformers.json"),
        })
    }

    /// The indices of all files.
    pub fn indices(&self) -> Vec<usize> {
        let optional = [self.modules, self.pooling, self.transformer, self.prompts];
        [self.onnx, self.tokenizer].into_iter().chain(optional.into_iter().flatten()).collect()
    }
}

/// The first names of a list.
fn listed(paths: &[String]) -> String {
    match paths {
        [] => "no file".to_owned(),
        [first, second, third, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second}, {third} and {} more", rest.len())
        }
        _ => paths.join(", "),
    }
}

/// A user's model, ready to embed.
#[derive(Debug)]
pub struct UserModel {
    /// Name, digests and settings, for a record.
    pub model: EmbeddingModel,
    /// The encoder.
    pub encoder: Encoder,
    /// The length of its vectors.
    pub dimensions: usize,
}

impl UserModel {
    /// Loads a model from its files, by their index in [`ModelFiles`]. A model that outputs one vector
    /// per text needs no pooling.
    ///
    /// # Errors
    /// The file that can't be used, and why. A graph on which `tract` panics is such a file where
    /// panics unwind; elsewhere, try it in a process or worker of its own.
    pub fn load<'a>(
        name: &str,
        files: &ModelFiles,
        file: impl Fn(usize) -> Option<NamedFile<'a>>,
    ) -> Result<Self, UserModelError> {
        let loaded =
            catch_unwind(AssertUnwindSafe(|| UserModel::load_unguarded(name, files, &file)));
        loaded.unwrap_or_else(|_| {
            let path = file(files.onnx).map_or_else(String::new, |file| file.path.to_owned());
            Err(UserModelError::Panicked { file: path })
        })
    }

    fn load_unguarded<'a>(
        name: &str,
        files: &ModelFiles,
        file: &impl Fn(usize) -> Option<NamedFile<'a>>,
    ) -> Result<Self, UserModelError> {
        let empty = NamedFile { path: "", bytes: &[] };
        let bytes = |at: Option<usize>| at.and_then(file).map(|file| file.bytes);
        let pooling = bytes(files.pooling)
            .filter(|_| files.pooling.and_then(file).is_some_and(|pooling| is_pooling(&pooling)));
        let mut config = EncoderConfig::from_files(ConfigFiles {
            modules: bytes(files.modules),
            pooling,
            transformer: bytes(files.transformer),
            prompts: bytes(files.prompts),
        })?;
        let tokenizer = file(files.tokenizer).unwrap_or(empty);
        let words = word_piece(tokenizer, config.max_tokens)?;
        let onnx = file(files.onnx).unwrap_or(empty);
        let failed = |reason: RetrievalError| {
            let file = onnx.path.to_owned();
            UserModelError::Model { file, reason }
        };
        let read = |pooling| retrieval::EmbeddingModel::read(onnx.bytes.to_vec(), pooling);
        let mut model = read(config.pooling);
        if matches!(model, Err(ModelError::Output { .. })) {
            config.pooling = Pooling::Model;
            model = read(config.pooling);
        }
        let model = model.map_err(|error| failed(error.into()))?;
        let encoder = Encoder::new(words, model)
            .with_prefixes(config.query_prefix.clone(), config.passage_prefix.clone());
        let dimensions = encoder.encode_query(PROBE).map_err(failed)?.len();
        for probe in ["a".to_owned(), format!("{PROBE} ").repeat(LONGEST_PROBE)] {
            encoder.encode_query(&probe).map_err(failed)?;
        }
        let model = EmbeddingModel {
            name: name.to_owned(),
            digest: encoder.digest().to_owned(),
            tokenizer_digest: sha256_hex(tokenizer.bytes),
            pooling: config.pooling.as_str().to_owned(),
            max_tokens: config.max_tokens,
            query_prefix: config.query_prefix,
            passage_prefix: config.passage_prefix,
        };
        Ok(UserModel { model, encoder, dimensions })
    }
}

/// Whether a file is a pooling layer's: a model's folder has another `config.json`.
fn is_pooling(file: &NamedFile<'_>) -> bool {
    let says = || file.bytes.windows(12).any(|it| it == b"pooling_mode");
    file.path.ends_with("1_Pooling/config.json") || says()
}

fn word_piece(file: NamedFile<'_>, max_tokens: usize) -> Result<WordPiece, UserModelError> {
    let path = || file.path.to_owned();
    if file.path.ends_with(".json") {
        let words = WordPiece::from_json(file.bytes, max_tokens);
        return words.map_err(|reason| UserModelError::Tokenizer { file: path(), reason });
    }
    let no = |reason| UserModelError::Vocabulary { file: path(), reason };
    let text = dataset::encoding::text(file.bytes)
        .map_err(|error| no(TokenizerError::Vocabulary(error.to_string())))?;
    Ok(WordPiece::new(&text).map_err(no)?.with_max_tokens(max_tokens))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn among(paths: &[&str]) -> Result<ModelFiles, String> {
        let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
        ModelFiles::among(&paths).map_err(|error| error.to_string())
    }

    #[test]
    fn files_are_found_by_name() {
        let found = among(&[
            "m/config.json",
            "m/onnx/model_quantized.onnx",
            "m/onnx/model.onnx",
            "m/1_Pooling/config.json",
            "m/vocab.txt",
            "m/tokenizer.json",
            "m/modules.json",
        ]);
        let expected = ModelFiles {
            onnx: 2,
            tokenizer: 5,
            modules: Some(6),
            pooling: Some(3),
            ..ModelFiles::default()
        };
        assert_eq!(found, Ok(expected));
        assert_eq!(among(&["vocab.txt", "e5.onnx"]).map(|it| (it.onnx, it.tokenizer)), Ok((1, 0)));
    }

    #[test]
    fn missing_files_are_named() {
        for (paths, expected) in [
            (&[][..], "expected model.onnx, found no file"),
            (&["a", "b", "c", "d", "e"], "expected model.onnx, found a, b, c and 2 more"),
            (&["a.onnx", "b.onnx"], "expected one .onnx file, found a.onnx, b.onnx"),
            (&["m/model.onnx"], "expected tokenizer.json or vocab.txt beside model.onnx"),
        ] {
            let found = among(paths).unwrap_err();
            assert!(found.starts_with(expected), "{found}");
        }
    }

    /// Loads files that are all in one folder.
    fn load(files: &[(&str, &[u8])]) -> Result<UserModel, String> {
        let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let found = ModelFiles::among(&paths).map_err(|error| error.to_string())?;
        let file = |at: usize| files.get(at).map(|(path, bytes)| NamedFile { path, bytes });
        UserModel::load("mine", &found, file).map_err(|error| error.to_string())
    }

    #[test]
    fn a_vocabulary_stands_for_the_tokenizer_and_errors_name_the_file() {
        let Some(folder) = fixtures::search_files("a user's model") else { return };
        let onnx = fs::read(folder.join("model.onnx")).unwrap();
        let vocabulary = fs::read(folder.join("vocab.txt")).unwrap();
        let whole = [("model.onnx", onnx.as_slice()), ("vocab.txt", vocabulary.as_slice())];
        let loaded = load(&whole).unwrap();
        assert_eq!((loaded.dimensions, loaded.model.pooling.as_str()), (384, "mean"));
        assert_eq!(loaded.model.digest, sha256_hex(&onnx));
        let own = Encoder::load(&onnx, str::from_utf8(&vocabulary).unwrap()).unwrap();
        assert_eq!(loaded.encoder.encode_query("wake me"), own.encode("wake me"));

        let short: &[u8] = br#"{"max_seq_length": 4}"#;
        let cut = load(&[whole[0], whole[1], ("sentence_bert_config.json", short)]).unwrap();
        assert_eq!(cut.encoder.encode("wake me up"), own.encode("wake me"));
        let pooling: &[u8] = br#"{"pooling_mode_cls_token": true}"#;
        let first = load(&[whole[0], whole[1], ("config.json", pooling)]).unwrap();
        assert_eq!(first.model.pooling, "cls");
        let other = load(&[whole[0], whole[1], ("config.json", b"{}")]).unwrap();
        assert_eq!(other.model.pooling, "mean");

        let broken = load(&[("m/model.onnx", &onnx[..9_999]), whole[1]]).unwrap_err();
        assert!(broken.starts_with("m/model.onnx: "), "{broken}");
        let words = load(&[whole[0], ("vocab.txt", b"one\ntwo")]).unwrap_err();
        assert!(words.starts_with("vocab.txt: ") && words.contains("tokenizer.json"), "{words}");
        let json = load(&[whole[0], ("tokenizer.json", b"{")]).unwrap_err();
        assert!(json.starts_with("tokenizer.json: expected a tokenizer.json"), "{json}");
    }
}
