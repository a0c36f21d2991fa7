//! Signatures of a record, and the result of verifying one.
//!
//! The cryptography is in [`super::jws`], which the page does not link.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use strum::IntoStaticStr;
use thiserror::Error;

/// The maximum number of signatures in a record.
pub const MOST_SIGNATURES: usize = 32;
/// The maximum length of a signer's name, in characters.
pub const LONGEST_NAME: usize = 100;

/// A signature over a record's digest: a detached JWS in compact serialization (RFC 7515,
/// appendix F) with the algorithm `EdDSA` over Ed25519 (RFC 8037), the public key as `jwk` in its
/// protected header and, if the signer gave one, a name as `signer`. The payload is
/// `{"digest":"<the record's digest>","schema":"api-bank-record"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Signature(pub String);

/// The result of verifying a signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedSignature {
    /// Whether the signature is valid.
    pub state: SignatureState,
    /// The name that the signer chose. Names are not verified: the fingerprint identifies the signer.
    pub signer: Option<String>,
    /// The key's fingerprint; `None` if the signature can't be parsed.
    pub fingerprint: Option<Fingerprint>,
}

/// Whether a signature is valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum SignatureState {
    /// Made with the key over this record's digest.
    Valid,
    /// Not made with the key that it names, or made over a different record.
    Broken,
    /// Not a signature that this program supports.
    Unreadable {
        /// The reason.
        reason: String,
    },
}

impl SignatureState {
    /// The state's identifier.
    pub fn as_str(&self) -> &'static str {
        self.into()
    }
}

/// The fingerprint of a public key in 43 characters: its JWK thumbprint (RFC 7638), SHA-256 in
/// base64url.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

/// A text that is not a fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "expected a fingerprint of 43 letters, digits, - and _, as `api-bank verify` prints it, \
     got {0:?}"
)]
pub struct NoFingerprint(String);

impl Fingerprint {
    /// The length of a SHA-256 in base64url without padding.
    const LENGTH: usize = 43;
    /// The size of a group in the readable form.
    const GROUP: usize = 4;

    #[cfg(feature = "signatures")]
    pub(super) const fn new(text: String) -> Self {
        Fingerprint(text)
    }

    /// The 43 characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The fingerprint in groups of four, for people to compare.
    pub fn grouped(&self) -> String {
        let characters: Vec<char> = self.0.chars().collect();
        let groups = characters.chunks(Self::GROUP).map(|group| group.iter().collect::<String>());
        groups.collect::<Vec<_>>().join(" ")
    }
}

/// Writes the fingerprint without groups.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Parses a fingerprint, with or without groups.
impl FromStr for Fingerprint {
    type Err = NoFingerprint;

    fn from_str(text: &str) -> Result<Self, NoFingerprint> {
        let plain: String = text.split_whitespace().collect();
        let known = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if plain.len() == Self::LENGTH && plain.chars().all(known) {
            return Ok(Fingerprint(plain));
        }
        Err(NoFingerprint(exchange::shorten(text, 80)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_read_in_groups_and_in_one_piece() {
        let whole = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
        let fingerprint: Fingerprint = whole.parse().unwrap();
        let grouped = fingerprint.grouped();
        assert_eq!(grouped, "kPrK _qmx VWaY VA9w wBF6 Iuo3 vVzz 7TxH CTwX Bygr S4k");
        assert_eq!(grouped.parse(), Ok(fingerprint));
        for bad in ["", "kPrK", &whole.replace('_', "/"), &format!("{whole}A")] {
            assert!(bad.parse::<Fingerprint>().is_err(), "{bad}");
        }
    }
}
