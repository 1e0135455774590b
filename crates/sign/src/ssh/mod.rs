//! OpenSSH: `sshsig` signatures, keys, agents, files of allowed signers.
//!
//! Format: PROTOCOL.sshsig, PROTOCOL.key and ssh-keygen(1) of OpenSSH.

mod agent;
mod allowed;
mod armour;
pub(crate) mod key;
mod moment;
pub(crate) mod pattern;
mod private;
mod sig;
mod wire;

pub use agent::Agent;
pub use allowed::{AllowedSigners, BadLine, NotAllowed};
pub use key::KeyData;
pub use moment::{Moment, moment};
pub use private::SshPrivateKey;
pub use sig::SshSignature;
pub(crate) use sig::sign;
pub(crate) use wire::SshFault;

use crate::error::Text;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The namespace of signed files.
pub const FILE: &str = "file";

/// The suffix of the kinds of certificates, in keys and signatures.
const CERTIFICATE: &str = "-cert-v01@openssh.com";

pub(crate) const PRIVATE: &str = "-----BEGIN OPENSSH PRIVATE KEY-----";

/// Parses a public key from its two words.
pub(crate) fn key_data(kind: &str, text: &str) -> Result<KeyData, Text> {
    if kind.ends_with(CERTIFICATE) {
        return Err("certificates of OpenSSH are not supported; give the key itself".into());
    }
    let bytes = STANDARD.decode(text).map_err(|source| format!("'{kind}' without a key: {source}"))?;
    let key = KeyData::parse(&bytes).map_err(|source| format!("'{kind}': {source}"))?;
    if key.kind() != kind {
        return Err(format!("'{kind}': the key after it is of another kind").into());
    }
    Ok(key)
}
