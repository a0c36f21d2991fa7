//! Creates and verifies signatures: Ed25519 in a detached JWS. See [`Signature`] for the format.
//!
//! Verification trusts nothing in the envelope: it uses the digest computed from the record, and a
//! key says nothing about its owner until its fingerprint is trusted.

use super::canonical::canonical;
use super::signature::{
    CheckedSignature, Fingerprint, LONGEST_NAME, MOST_SIGNATURES, Signature, SignatureState,
};
use super::{Record, SCHEMA};
use base64ct::{Base64UrlUnpadded, Encoding as _};
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// Bytes in a public key, and in a secret key (the seed).
pub const KEY_BYTES: usize = 32;
/// Bytes of an Ed25519 signature.
pub const SIGNATURE_BYTES: usize = 64;
/// The maximum length of a signature in its envelope, in characters.
const LONGEST: usize = 4096;

/// Why a record can't be signed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SignError {
    /// The record has no digest.
    #[error(
        "digest: the record has none, because version 1 of the format had none, so there is \
         nothing to sign. Run it again"
    )]
    NoDigest,
    /// The digest does not match the record.
    #[error(
        "digest: the record was changed after it was written, so it is not signed. Verify it to \
         see what differs"
    )]
    Changed,
    /// The signer's name is invalid.
    #[error("name: expected 1 to {LONGEST_NAME} characters without control characters")]
    Name,
    /// The record has the maximum number of signatures.
    #[error("signatures: the record has {MOST_SIGNATURES} already, which is the most it may have")]
    Full,
}

/// A signature's content before signing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsigned {
    header: String,
    input: String,
}

impl Unsigned {
    /// The content that the owner of a public key signs for a digest. The signer chooses the name
    /// freely.
    ///
    /// # Errors
    /// When the digest is missing, or the name is invalid.
    pub fn new(digest: &str, key: &[u8; KEY_BYTES], name: Option<&str>) -> Result<Self, SignError> {
        if digest.is_empty() {
            return Err(SignError::NoDigest);
        }
        let mut header = json!({"alg": "EdDSA", "jwk": jwk(key)});
        if let Some(name) = name {
            let count = name.chars().count();
            if name.trim().is_empty() || count > LONGEST_NAME || name.contains(char::is_control) {
                return Err(SignError::Name);
            }
            header["signer"] = Value::from(name);
        }
        let header = encoded(canonical(&header).as_bytes());
        let input = input(&header, &payload(digest));
        Ok(Unsigned { header, input })
    }

    /// The bytes to sign.
    pub fn bytes(&self) -> &[u8] {
        self.input.as_bytes()
    }

    /// Wraps the signature in its envelope.
    #[must_use]
    pub fn signed(self, signature: &[u8; SIGNATURE_BYTES]) -> Signature {
        Signature(format!("{}..{}", self.header, encoded(signature)))
    }
}

impl Record {
    /// Adds a signature over the record's digest; it replaces an older one by the same key.
    ///
    /// # Errors
    /// When the record has the maximum number of signatures.
    pub fn add_signature(&mut self, new: Signature) -> Result<(), SignError> {
        let key = |it: &Signature| read(it).ok().map(|envelope| envelope.key);
        let by = key(&new);
        let others = self.signatures.iter().filter(|it| by.is_none() || key(it) != by);
        let mut all: Vec<Signature> = others.cloned().collect();
        if all.len() >= MOST_SIGNATURES {
            return Err(SignError::Full);
        }
        all.push(new);
        self.signatures = all;
        Ok(())
    }
}

/// Signs a digest with a secret key.
///
/// # Errors
/// When the digest is missing, or the name is invalid.
pub fn sign(
    digest: &str,
    secret: &[u8; KEY_BYTES],
    name: Option<&str>,
) -> Result<Signature, SignError> {
    let key = SigningKey::from_bytes(secret);
    let unsigned = Unsigned::new(digest, key.verifying_key().as_bytes(), name)?;
    let signature = key.sign(unsigned.bytes()).to_bytes();
    Ok(unsigned.signed(&signature))
}

/// The public key of a secret key.
pub fn public_key(secret: &[u8; KEY_BYTES]) -> [u8; KEY_BYTES] {
    SigningKey::from_bytes(secret).verifying_key().to_bytes()
}

/// Verifies a signature against the record's digest, which must be the computed one, not the one in
/// the file.
pub fn check(signature: &Signature, digest: &str) -> CheckedSignature {
    match read(signature) {
        Ok(envelope) => {
            let bytes = input(envelope.header, &payload(digest));
            let holds = holds(&envelope.key, bytes.as_bytes(), &envelope.signature);
            CheckedSignature {
                state: if holds { SignatureState::Valid } else { SignatureState::Broken },
                signer: envelope.signer.as_deref().map(plain),
                fingerprint: Some(fingerprint(&envelope.key)),
            }
        }
        Err(reason) => CheckedSignature {
            state: SignatureState::Unreadable { reason },
            signer: None,
            fingerprint: None,
        },
    }
}

/// A signer's name without what could pass for more than a name: signs such as ✓, line breaks, quotes
/// and characters that change the order of text.
fn plain(name: &str) -> String {
    let is_sign = |c: char| {
        let alphabetic_or_ascii = c.is_alphanumeric() || c == ' ' || c.is_ascii_graphic();
        !alphabetic_or_ascii && !is_mark(c)
    };
    let kept = |c: char| if is_sign(c) || c == '"' { '?' } else { c };
    name.chars().map(kept).collect()
}

/// Marks that combine with the letter before: of Latin, and of the scripts of India and South-East
/// Asia.
const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{109f}')
}

/// The JWK thumbprint of a public key (RFC 7638).
pub fn fingerprint(key: &[u8; KEY_BYTES]) -> Fingerprint {
    let digest: [u8; 32] = Sha256::digest(canonical(&jwk(key))).into();
    Fingerprint::new(encoded(&digest))
}

/// Verifies strictly: keys of small order, which match any message, are rejected.
fn holds(key: &[u8; KEY_BYTES], message: &[u8], signature: &[u8; SIGNATURE_BYTES]) -> bool {
    let signature = ed25519_dalek::Signature::from_bytes(signature);
    VerifyingKey::from_bytes(key).is_ok_and(|key| key.verify_strict(message, &signature).is_ok())
}

/// A public key as a JWK (RFC 8037), with only the members that a thumbprint covers.
fn jwk(key: &[u8; KEY_BYTES]) -> Value {
    json!({"crv": "Ed25519", "kty": "OKP", "x": encoded(key)})
}

/// The signed payload.
fn payload(digest: &str) -> String {
    canonical(&json!({"digest": digest, "schema": SCHEMA}))
}

/// The signing input of RFC 7515, section 5.1.
fn input(header: &str, payload: &str) -> String {
    format!("{header}.{}", encoded(payload.as_bytes()))
}

fn encoded(bytes: &[u8]) -> String {
    Base64UrlUnpadded::encode_string(bytes)
}

/// A signature parsed from its envelope.
struct Envelope<'a> {
    /// Verbatim, because the signature covers these exact characters.
    header: &'a str,
    key: [u8; KEY_BYTES],
    signer: Option<String>,
    signature: [u8; SIGNATURE_BYTES],
}

/// The protected header. Unknown members are allowed, see RFC 7515.
#[derive(Deserialize)]
struct Header {
    alg: String,
    #[serde(default)]
    crit: Option<Value>,
    jwk: Jwk,
    #[serde(default)]
    signer: Option<String>,
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    crv: String,
    x: String,
}

fn read(signature: &Signature) -> Result<Envelope<'_>, String> {
    let text = signature.0.as_str();
    if text.len() > LONGEST {
        return Err(format!("expected at most {LONGEST} characters, got {}", text.len()));
    }
    let parts: Vec<&str> = text.split('.').collect();
    let [header, "", signature] = parts.as_slice() else {
        return Err("expected a detached JWS: header, two dots, signature".to_owned());
    };
    let json = Base64UrlUnpadded::decode_vec(header)
        .map_err(|_| "the header is not base64url".to_owned())?;
    let read: Header = serde_json::from_slice(&json)
        .map_err(|error| format!("the header is not one of an Ed25519 signature: {error}"))?;
    // RFC 9864 names the same algorithm Ed25519.
    if !["EdDSA", "Ed25519"].contains(&read.alg.as_str()) {
        return Err("alg: expected EdDSA".to_owned());
    }
    if read.crit.is_some() {
        return Err("crit: expected none, this program knows no extension".to_owned());
    }
    if read.jwk.kty != "OKP" || read.jwk.crv != "Ed25519" {
        return Err("jwk: expected kty OKP and crv Ed25519".to_owned());
    }
    let name = |name: &String| name.chars().count() <= LONGEST_NAME;
    if !read.signer.as_ref().is_none_or(name) {
        return Err(format!("signer: expected at most {LONGEST_NAME} characters"));
    }
    Ok(Envelope {
        header,
        key: bytes("jwk.x", &read.jwk.x)?,
        signer: read.signer,
        signature: bytes("the signature", signature)?,
    })
}

/// Decodes N bytes from base64url.
fn bytes<const N: usize>(what: &str, text: &str) -> Result<[u8; N], String> {
    let decoded = Base64UrlUnpadded::decode_vec(text).ok();
    let exact = decoded.and_then(|bytes| <[u8; N]>::try_from(bytes).ok());
    exact.ok_or_else(|| format!("{what}: expected {N} bytes in base64url"))
}

#[cfg(test)]
mod tests {
    //! Test vectors of RFC 8037, appendix A.

    use super::*;

    const SECRET: &str = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
    const PUBLIC: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    const DIGEST: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

    fn secret() -> [u8; KEY_BYTES] {
        bytes("d", SECRET).unwrap()
    }

    #[test]
    fn a_signature_is_that_of_the_rfc() {
        let input = input("eyJhbGciOiJFZERTQSJ9", "Example of Ed25519 signing");
        let expected = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7s\
                        VvpAr_MuM0KAg";
        let signature = SigningKey::from_bytes(&secret()).sign(input.as_bytes()).to_bytes();
        assert_eq!(encoded(&signature), expected);
        assert_eq!(encoded(&public_key(&secret())), PUBLIC);
        assert!(holds(&public_key(&secret()), input.as_bytes(), &signature));
    }

    #[test]
    fn a_fingerprint_is_that_of_the_rfc() {
        let fingerprint = fingerprint(&bytes("x", PUBLIC).unwrap());
        assert_eq!(fingerprint.as_str(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    }

    #[test]
    fn a_signature_says_who_made_it_and_holds_for_its_digest_alone() {
        let signature = sign(DIGEST, &secret(), Some("Ada")).unwrap();
        let found = check(&signature, DIGEST);
        assert_eq!(found.state, SignatureState::Valid);
        assert_eq!(found.signer.as_deref(), Some("Ada"));
        for (name, shown) in [
            (
                "OpenAI \u{2014} trusted key \u{2713} (verified)",
                "OpenAI ? trusted key ? (verified)",
            ),
            ("A\nSignature: valid, trusted", "A?Signature: valid, trusted"),
            ("\u{202e}adA\" by", "?adA? by"),
            ("José, आद्या", "José, आद्या"),
        ] {
            let signature = with_header(&signature, |header| header["signer"] = json!(name));
            assert_eq!(check(&signature, DIGEST).signer.as_deref(), Some(shown));
        }
        assert_eq!(found.fingerprint, Some(fingerprint(&public_key(&secret()))));
        assert_eq!(check(&signature, &DIGEST.replace('9', "8")).state, SignatureState::Broken);
        let [header, payload] = [0, 1].map(|at| {
            let bytes = Unsigned::new(DIGEST, &public_key(&secret()), None).unwrap().input;
            let part = bytes.split('.').nth(at).unwrap().to_owned();
            String::from_utf8(Base64UrlUnpadded::decode_vec(&part).unwrap()).unwrap()
        });
        let jwk = format!("{{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"{PUBLIC}\"}}");
        assert_eq!(header, format!("{{\"alg\":\"EdDSA\",\"jwk\":{jwk}}}"));
        assert_eq!(payload, format!("{{\"digest\":\"{DIGEST}\",\"schema\":\"api-bank-record\"}}"));
    }

    /// The signature with a modified header and the original signature bytes.
    fn with_header(signature: &Signature, change: impl FnOnce(&mut Value)) -> Signature {
        let (header, rest) = signature.0.split_once('.').unwrap();
        let json = Base64UrlUnpadded::decode_vec(header).unwrap();
        let mut header: Value = serde_json::from_slice(&json).unwrap();
        change(&mut header);
        Signature(format!("{}.{rest}", encoded(canonical(&header).as_bytes())))
    }

    #[test]
    fn another_name_or_key_breaks_a_signature() {
        let signature = sign(DIGEST, &secret(), Some("Ada")).unwrap();
        let state = |it: &Signature| check(it, DIGEST).state;
        let renamed = with_header(&signature, |header| header["signer"] = json!("Eve"));
        assert_eq!(state(&renamed), SignatureState::Broken);
        let foreign = encoded(&public_key(&[7; KEY_BYTES]));
        let rekeyed = with_header(&signature, |header| header["jwk"]["x"] = json!(foreign));
        assert_eq!(state(&rekeyed), SignatureState::Broken);
        // A key of small order matches any message unless verification is strict.
        let small = encoded(&[0; KEY_BYTES]);
        let small = with_header(&signature, |header| header["jwk"]["x"] = json!(small));
        assert_eq!(state(&small), SignatureState::Broken);
    }

    #[test]
    fn what_is_no_signature_says_why() {
        let good = sign(DIGEST, &secret(), None).unwrap();
        let attached = good.0.replacen("..", ".e30.", 1);
        let padded = format!("{}==", good.0);
        let long = format!("{}..{}", "A".repeat(LONGEST), "A".repeat(86));
        for (text, reason) in [
            (String::new(), "expected a detached JWS"),
            (attached, "expected a detached JWS"),
            (padded, "the signature: expected 64 bytes"),
            (good.0.replacen("ey", "é", 1), "not base64url"),
            ("e30..AA".to_owned(), "missing field"),
            (with_header(&good, |header| header["alg"] = json!("none")).0, "alg: expected EdDSA"),
            (with_header(&good, |header| header["crit"] = json!(["b64"])).0, "crit: expected none"),
            (with_header(&good, |it| it["jwk"]["crv"] = json!("X25519")).0, "jwk: expected"),
            (with_header(&good, |it| it["jwk"]["x"] = json!("AA")).0, "jwk.x: expected 32 bytes"),
            (with_header(&good, |it| it["signer"] = json!("a".repeat(101))).0, "signer: expected"),
            (long, "at most 4096 characters"),
        ] {
            match check(&Signature(text.clone()), DIGEST).state {
                SignatureState::Unreadable { reason: actual } => {
                    assert!(actual.contains(reason), "{actual:?} does not say {reason:?}");
                }
                other => panic!("{text} is {other:?}"),
            }
        }
        // RFC 9864 introduced a separate name for the algorithm.
        let named = with_header(&good, |header| header["alg"] = json!("Ed25519"));
        assert_eq!(check(&named, DIGEST).state, SignatureState::Broken);
    }

    #[test]
    fn names_and_digests_that_cannot_be_signed_are_refused() {
        let sign = |digest, name| sign(digest, &secret(), Some(name));
        assert_eq!(sign("", "Ada"), Err(SignError::NoDigest));
        for name in ["", "  ", "a\nb", "\u{1b}[31m", &"a".repeat(101)] {
            assert_eq!(sign(DIGEST, name), Err(SignError::Name), "{name:?}");
        }
    }
}
