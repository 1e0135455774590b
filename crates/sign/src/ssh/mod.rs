//! OpenSSH: `sshsig` signatures, keys, agents, files of allowed signers.
//!
//! Format: PROTOCOL.sshsig, PROTOCOL.key and ssh-keygen(1) of OpenSSH.

mod agent;
mod allowed;
mod armour;
mod moment;
pub(crate) mod pattern;
mod sig;

pub use agent::Agent;
pub use allowed::{AllowedSigners, BadLine, NotAllowed};
pub use moment::{Moment, moment};
pub use sig::SshSignature;
pub(crate) use sig::sign;

use crate::KeyFault;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ssh_encoding::{Decode, Encode};
use ssh_key::public::KeyData;

/// The namespace of signed files.
pub const FILE: &str = "file";

/// The suffix of the kinds of certificates, in keys and signatures.
const CERTIFICATE: &str = "-cert-v01@openssh.com";

pub(crate) const PRIVATE: &str = "-----BEGIN OPENSSH PRIVATE KEY-----";

/// Parses a public key from its two words.
pub(crate) fn key_data(kind: &str, text: &str) -> Result<KeyData, KeyFault> {
    if kind.ends_with(CERTIFICATE) {
        return Err(KeyFault::Certificate);
    }
    let bytes = STANDARD.decode(text).map_err(|source| KeyFault::Base64 { kind: kind.into(), source })?;
    let mut rest = bytes.as_slice();
    let key = KeyData::decode(&mut rest).map_err(|source| KeyFault::Public { kind: kind.into(), source })?;
    if !rest.is_empty() || key.algorithm().as_str() != kind {
        return Err(KeyFault::Kind(kind.into()));
    }
    if !is_canonical(&key, &bytes) {
        return Err(KeyFault::NotCanonical(kind.into()));
    }
    Ok(key)
}

/// Returns whether a key has its canonical encoding, the only one that OpenSSH accepts: uncompressed points of curves,
/// and correct lengths.
fn is_canonical(key: &KeyData, bytes: &[u8]) -> bool {
    let full = match key {
        KeyData::Ecdsa(key) => key.as_sec1_bytes().first() == Some(&FULL),
        KeyData::SkEcdsaSha2NistP256(key) => key.ec_point().as_bytes().first() == Some(&FULL),
        _ => true,
    };
    let mut again = Vec::new();
    full && key.encode(&mut again).is_ok() && again == bytes
}

/// The first byte of an uncompressed point of a curve (SEC 1, 2.3.3).
const FULL: u8 = 4;
