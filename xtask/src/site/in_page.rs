//! The library that runs a model in the page: wllama (llama.cpp in WebAssembly), from npm, pinned by
//! version and digest.
//!
//! As published, the library puts the text of its worker into a blob, which the page's policy
//! forbids (`worker-src 'self'`). Here it is split into files of the site, which are named by their
//! hash like all others:
//!
//! | file | contents |
//! |---|---|
//! | `llama-library.js` | the library without its worker |
//! | `llama-worker.js` | the worker, which loads the program and checks its digest |
//! | `llama-thread.js` | a thread of the worker |
//! | `llama.wasm` | the program |
//!
//! A change is an exact text that must occur once, so another release of the library fails the build
//! instead of changing what is served.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};

use crate::{cache::Cache, digest, programs};

/// A file of the npm package with its SHA-256.
type Pinned = (&'static str, &'static str);

const LIBRARY: Pinned =
    ("esm/index.js", "e5506753e41a59c11f61f2c52422045be9fc76e32a7e47f037aaad5df4ec723e");
const PROGRAM: Pinned =
    ("esm/wasm/wllama.wasm", "551f13439366eff11e057b1b91fe46a7fdac29d56d67372d4c5f19a549dfe70c");
const LOADER: Pinned =
    ("src/wasm/wllama.js", "1cdbb0231eeda4226d56756a6a98815a941b41445c7916dc9c154c0b737cacec");
const WORKER: Pinned = (
    "src/workers-code/llama-cpp.js",
    "25a6c672541fc3056c9b3795eb31ec75c68a7c12c5417b5dd29de57043eba183",
);
const LICENCE: &str = "LICENCE";

/// Addresses of the compatibility build, which would be fetched from another host.
const ELSEWHERE: &str = "https://cdn.jsdelivr.net/npm/@wllama/wllama-compat@3.8.1/wasm/wllama";

/// Writes the library's files to the staged site. Without npm it prints a notice: such a site works,
/// but can't load models.
///
/// # Errors
/// When the package is damaged or is another release.
pub(super) fn stage(cache: &Cache, staging: &Path) -> Result<()> {
    let Some(package) = programs::wllama(cache)? else { return Ok(()) };
    let read = |(file, sha256): Pinned| digest::read_verified(&package.join(file), sha256);
    let text = |pinned: Pinned| -> Result<String> {
        String::from_utf8(read(pinned)?).with_context(|| format!("{} is not UTF-8", pinned.0))
    };
    let licence = package.join(LICENCE);
    let licence = fs::read_to_string(&licence)
        .with_context(|| format!("can't read {}", licence.display()))?;
    let files = Files::of(&text(LIBRARY)?, &text(WORKER)?, &text(LOADER)?)?;
    let head = format!("/*! wllama {}\n{}\n*/\n", programs::WLLAMA.version, licence.trim());
    let write = |name: &str, content: &[u8]| {
        let to = staging.join(name);
        fs::write(&to, content).with_context(|| format!("can't write {}", to.display()))
    };
    for (name, content) in [
        ("llama-library.js", &files.library),
        ("llama-worker.js", &files.worker),
        ("llama-thread.js", &files.thread),
    ] {
        write(name, format!("{head}{content}").as_bytes())?;
    }
    write("llama.wasm", &read(PROGRAM)?)
}

/// The library's scripts as they are served.
struct Files {
    library: String,
    worker: String,
    thread: String,
}

impl Files {
    fn of(library: &str, worker: &str, loader: &str) -> Result<Self> {
        let stub = between(library, "var JSPI_STUB = `\n", "`;\n")?;
        let module = loader.replacen("var Module", "var ___Module", 1);
        let main = format!("{stub}{module}");
        Ok(Files {
            library: own_worker(library)?,
            worker: format!(
                "{START}function wModuleInit() {{ {main}; return Module; }}\n{}",
                own_threads(worker)?
            ),
            thread: format!("{stub}{loader}"),
        })
    }
}

/// The beginning of the worker. It gets its options by its name, because it has no other way to
/// learn them before it starts.
const START: &str = r#"const RUN_OPTIONS = JSON.parse(self.name);
const THREAD = new URL("./llama-thread.js", import.meta.url).href;
// The program is all that this worker fetches.
const unchecked = self.fetch.bind(self);
self.fetch = (address, options) =>
  unchecked(address, { ...options, integrity: "integrity-of:llama.wasm" });
if (RUN_OPTIONS.noWebGPU && self.WorkerNavigator) {
  Object.defineProperty(WorkerNavigator.prototype, "gpu", {
    get: () => ({ requestAdapter: async () => null }),
  });
}
"#;

/// The library, starting its worker from a file.
fn own_worker(library: &str) -> Result<String> {
    let library = without_text(library, "var LLAMA_CPP_WORKER_CODE = ")?;
    let library = without_text(&library, "var WLLAMA_EMSCRIPTEN_CODE = ")?;
    let library = replaced(
        &library,
        "this.worker = createWorker(completeCode);",
        "this.worker = new Worker(new URL(\"./llama-worker.js\", import.meta.url), \
         { type: \"module\", name: JSON.stringify({ ...runOptions, \
         noWebGPU: !!this.resources.noWebGPU }) });",
    )?;
    for ending in [".js", ".wasm"] {
        ensure!(library.contains(&format!("\"{ELSEWHERE}{ending}\"")), "no address {ELSEWHERE}");
    }
    Ok(library.replace(ELSEWHERE, ""))
}

/// The worker's own part, starting its threads from a file. A refused request returns no answer,
/// which the library would read as one of a gigabyte.
fn own_threads(worker: &str) -> Result<String> {
    let worker = replaced(worker, "      ? argMainScriptBlob\n", "      ? THREAD\n")?;
    let call = "const outputPtr = await wllamaAction(argAction, inputPtr);";
    let checked = format!("{call}\n    if (!outputPtr) throw new Error(\"refused\");");
    replaced(&worker, call, &checked)
}

/// Replaces a text that occurs once.
fn replaced(text: &str, from: &str, to: &str) -> Result<String> {
    let count = text.matches(from).count();
    ensure!(count == 1, "wllama: expected {from:?} once, found it {count} times: another release?");
    Ok(text.replacen(from, to, 1))
}

/// Empties a variable whose value is a text on one line.
fn without_text(text: &str, start: &str) -> Result<String> {
    let value = between(text, start, ";\n")?;
    replaced(text, &format!("{start}{value};\n"), &format!("{start}\"\";\n"))
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Result<&'a str> {
    let rest = text.split_once(start).map(|(_, rest)| rest);
    let found = rest.and_then(|rest| rest.split_once(end)).map(|(found, _)| found);
    found.with_context(|| format!("wllama: expected {start:?}: another release?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &str = "var LLAMA_CPP_WORKER_CODE = \"a;\\nb\";\nvar X = 1;\n\
        var WLLAMA_EMSCRIPTEN_CODE = 'c;';\nvar JSPI_STUB = `\nstub\n`;\n\
        this.worker = createWorker(completeCode);\n\
        a = \"https://cdn.jsdelivr.net/npm/@wllama/wllama-compat@3.8.1/wasm/wllama.js\";\n\
        b = \"https://cdn.jsdelivr.net/npm/@wllama/wllama-compat@3.8.1/wasm/wllama.wasm\";\n";
    const WORKER: &str = "mainScriptUrlOrBlob: x\n      ? argMainScriptBlob\n : '',\n\
        const outputPtr = await wllamaAction(argAction, inputPtr);\n";

    #[test]
    fn the_worker_and_its_threads_are_files_of_the_site() -> Result<()> {
        let files = Files::of(LIBRARY, WORKER, "var Module = 1; var Module2;")?;
        assert!(files.library.contains("new URL(\"./llama-worker.js\", import.meta.url)"));
        assert!(files.library.contains("var LLAMA_CPP_WORKER_CODE = \"\";\nvar X = 1;"));
        assert!(!files.library.contains("https://") && !files.library.contains("createWorker("));
        assert!(files.worker.contains("stub\nvar ___Module = 1; var Module2;; return Module;"));
        assert!(files.worker.contains("? THREAD") && files.worker.contains("if (!outputPtr)"));
        assert!(files.worker.contains("\"integrity-of:llama.wasm\""));
        assert_eq!(files.thread, "stub\nvar Module = 1; var Module2;");
        Ok(())
    }

    #[test]
    fn another_release_fails_the_build() {
        let twice = WORKER.repeat(2);
        assert!(Files::of(LIBRARY, &twice, "").is_err());
        assert!(Files::of("", WORKER, "").is_err());
        let changed = LIBRARY.replace("createWorker", "startWorker");
        let error = Files::of(&changed, WORKER, "").err().map(|it| it.to_string());
        assert!(error.is_some_and(|error| error.contains("another release?")));
    }

    /// The list of architectures is the program's, apart from models that generate no text.
    #[test]
    fn the_architectures_are_those_of_the_program() -> Result<()> {
        let Some(package) = programs::wllama(&Cache::open()?)? else { return Ok(()) };
        let program = digest::read_verified(&package.join(PROGRAM.0), PROGRAM.1)?;
        let text = String::from_utf8_lossy(&program);
        let known = |name: &str| text.contains(&format!("llama_model_{name}"));
        let plain: String = text.chars().filter(|letter| *letter != '_').collect();
        for name in gguf::architectures() {
            let class = match name {
                "gptoss" => "openaimoe",
                "panguembedded" => "panguembed",
                other => other,
            };
            assert!(plain.contains(&format!("llamamodel{class}")), "{name} is not in the program");
        }
        assert!(known("llama") && !known("nothing"));
        Ok(())
    }
}
