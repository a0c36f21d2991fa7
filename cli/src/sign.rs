//! `api-bank record`: generates keys and signs records.

use crate::shown::{line, say};
use crate::source::Source;
use crate::{FINISHED, Usage, files, output};
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, KeypairBytes};
use record::jws;
use record::jws::SignError;
use record::{Digester, Fingerprint, Limits, Record, SignatureState, Verification, Writer};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Signing commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Arguments {
    /// Sign a record's digest, so that anyone with your fingerprint can verify that you vouch for it.
    Sign(SignArguments),
    /// Generate a signing key and print its fingerprint.
    Keygen(KeygenArguments),
}

/// What to sign.
#[derive(Debug, Args)]
pub(crate) struct SignArguments {
    /// The record; - is standard input.
    file: PathBuf,
    /// The secret key: Ed25519, PKCS#8, PEM, as written by `record keygen`.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// A name to include in the signature, readable by everyone.
    #[arg(long)]
    name: Option<String>,
    /// The file to write; - is standard output. Defaults to the record itself.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Where the key goes.
#[derive(Debug, Args)]
pub(crate) struct KeygenArguments {
    /// The file to write, readable only by you. An existing file is never overwritten.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    match arguments {
        Arguments::Sign(arguments) => sign(arguments),
        Arguments::Keygen(arguments) => keygen(arguments),
    }
}

fn sign(arguments: &SignArguments) -> Result<u8> {
    let SignArguments { file, key, name, out } = arguments;
    if files::is_standard(file) && out.is_none() {
        let message =
            "a record from standard input can't be signed in place; name a file with --out";
        return Err(Usage(message.to_owned()).into());
    }
    let secret = secret(key)?;
    let source = Source::new(file)?;
    let (context, unsigned) = (|| file.display().to_string(), || unsigned(&source));
    let mut frame = unsigned().with_context(context)?;
    let signature = jws::sign(&frame.digest, &secret, name.as_deref());
    signature.and_then(|signature| frame.add_signature(signature)).with_context(context)?;
    let target = out.as_ref().unwrap_or(file);
    output::write_with(target, |to| {
        let mut writer = Writer::new(to, &frame)?;
        Record::read(source.open()?, &Limits::DISK, |sample| writer.sample(&sample))?;
        Ok(writer.finish().map(drop)?)
    })?;
    let fingerprint = jws::fingerprint(&jws::public_key(&secret));
    eprintln!("Signed with the key {}.", fingerprint.grouped());
    if frame.signatures.len() > 1 {
        eprintln!("The record has {} signatures.", frame.signatures.len());
    }
    Ok(FINISHED)
}

/// The record without its samples, after checking that its digest matches them.
fn unsigned(source: &Source<'_>) -> Result<Record> {
    let mut digester = Digester::default();
    let frame = Record::read(source.open()?, &Limits::DISK, |sample| digester.add(&sample))?;
    if frame.digest.is_empty() {
        return Err(SignError::NoDigest.into());
    }
    if digester.finish(&frame)? != frame.digest {
        return Err(SignError::Changed.into());
    }
    Ok(frame)
}

fn keygen(arguments: &KeygenArguments) -> Result<u8> {
    let path = &arguments.out;
    let mut secret = [0; jws::KEY_BYTES];
    getrandom::fill(&mut secret).context("the system gives no random numbers")?;
    // Without the public key, which the secret key determines: every PKCS#8 reader accepts that.
    let pem = KeypairBytes { secret_key: secret, public_key: None };
    let pem = pem.to_pkcs8_pem(LineEnding::LF).context("the key can't be written as PEM")?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let context = || match path.exists() {
        true => format!(
            "{} is there and stays as it is: a lost key can't be made again. Name another file",
            path.display()
        ),
        false => format!("can't write {}", path.display()),
    };
    let mut file = options.open(path).with_context(context)?;
    file.write_all(pem.as_bytes()).and_then(|()| file.sync_all()).with_context(context)?;
    say!("{}", jws::fingerprint(&jws::public_key(&secret)).grouped());
    eprintln!("This is the key's fingerprint: publish it. Keep {} to yourself.", path.display());
    Ok(FINISHED)
}

/// Reads the secret key; the file must not be accessible to other users.
fn secret(path: &Path) -> Result<[u8; jws::KEY_BYTES]> {
    let shown = path.display();
    let found = fs::metadata(path).with_context(|| format!("can't read {shown}"))?;
    if is_open(&found) {
        bail!("{shown}: others can read this key. Run chmod 600 {shown}, then sign again");
    }
    let text = files::text(path)?;
    let key = SigningKey::from_pkcs8_pem(text.trim()).map_err(|error| {
        anyhow::anyhow!(
            "{shown}: expected an Ed25519 key in PKCS#8 as PEM ({error}). `api-bank record keygen` \
             makes one"
        )
    })?;
    Ok(key.to_bytes())
}

/// Whether other users may read or write a file.
#[cfg(unix)]
fn is_open(file: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.permissions().mode() & 0o077 != 0
}

/// Other platforms protect a user's folder as a whole.
#[cfg(not(unix))]
fn is_open(_: &fs::Metadata) -> bool {
    false
}

/// One line per signature of a verified record.
pub(crate) fn lines(found: &Verification, trusted: &[Fingerprint]) -> String {
    let mut text = String::new();
    if found.signatures.is_empty() {
        text.push_str("Signatures: none\n");
    }
    for signature in &found.signatures {
        let state = signature.state.as_str();
        let detail = match (&signature.state, &signature.fingerprint) {
            (SignatureState::Unreadable { reason }, _) => reason.clone(),
            (_, Some(key)) => {
                let known = if trusted.contains(key) { "trusted" } else { "unknown" };
                format!("{known} key {}", key.grouped())
            }
            (_, None) => String::new(),
        };
        let name = signature.signer.as_ref();
        let name = name.map_or_else(String::new, |name| format!(", which calls itself {name:?}"));
        text.push_str(&line(&format!("Signature: {state}, {detail}{name}")));
        text.push('\n');
    }
    text
}

/// Whether a trusted key made one of the valid signatures.
pub(crate) fn is_trusted(found: &Verification, trusted: &[Fingerprint]) -> bool {
    found.signatures.iter().any(|signature| {
        signature.state == SignatureState::Valid
            && signature.fingerprint.as_ref().is_some_and(|key| trusted.contains(key))
    })
}
