//! Signatures of a record: what stands in it, and what checking one gives.
//!
//! The cryptography is in [`super::jws`], which the page's program goes without.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Signatures that a record may have.
pub const MOST_SIGNATURES: usize = 32;
/// Characters that a signer's name may have.
pub const LONGEST_NAME: usize = 100;

/// A signature over a record's digest: a detached JWS in compact serialization (RFC 7515,
/// appendix F) with the algorithm `EdDSA` over Ed25519 (RFC 8037), the public key as `jwk` in its
/// protected header and, if the signer gave one, a name as `signer`. The payload is
/// `{"digest":"<the record's digest>","schema":"api-bank-record"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Signature(pub String);

/// What checking a signature against the record gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedSignature {
    /// Whether it holds.
    pub state: SignatureState,
    /// What the signer calls themselves. Anybody can take any name: the fingerprint tells who.
    pub signer: Option<String>,
    /// The key; `None` where the signature cannot be read.
    pub fingerprint: Option<Fingerprint>,
}

/// Whether a signature holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum SignatureState {
    /// Made with the key over the digest of this very record.
    Valid,
    /// It was not made with the key that it names, or over another record than this one.
    Broken,
    /// No signature of a kind that this program checks.
    Unreadable {
        /// Why.
        reason: String,
    },
}

impl SignatureState {
    /// The state as a word.
    pub const fn as_str(&self) -> &'static str {
        match self {
            SignatureState::Valid => "valid",
            SignatureState::Broken => "broken",
            SignatureState::Unreadable { .. } => "unreadable",
        }
    }
}

/// A public key in 43 characters: its JWK thumbprint (RFC 7638), SHA-256 in base64url.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

/// A text that is no fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "expected a fingerprint of 43 letters, digits, - and _, as `api-bank verify` prints it, \
     got {0:?}"
)]
pub struct NoFingerprint(String);

impl Fingerprint {
    /// Characters of a SHA-256 in base64url without padding.
    const LENGTH: usize = 43;
    /// Characters that stand together where a person reads them.
    const GROUP: usize = 4;

    #[cfg(feature = "signatures")]
    pub(super) const fn new(text: String) -> Self {
        Fingerprint(text)
    }

    /// The 43 characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// In groups of four, for people to compare.
    pub fn grouped(&self) -> String {
        let characters: Vec<char> = self.0.chars().collect();
        let groups = characters.chunks(Self::GROUP).map(|group| group.iter().collect::<String>());
        groups.collect::<Vec<_>>().join(" ")
    }
}

/// As it is written in one piece.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reads a fingerprint, in groups or in one piece.
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
