//! OpenSSH: `sshsig` signatures, keys, agents, files of allowed signers.
//!
//! Format: PROTOCOL.sshsig, PROTOCOL.key and ssh-keygen(1) of OpenSSH.

mod agent;
mod allowed;
mod armour;
mod moment;
mod pattern;
mod sig;

pub use agent::Agent;
pub use allowed::{AllowedSigners, NotAllowed};
pub use moment::{Moment, moment};
pub use sig::SshSignature;
pub(crate) use sig::sign;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ssh_encoding::Decode;
use ssh_key::public::KeyData;

/// The namespace of signed files.
pub const FILE: &str = "file";

pub(crate) const PRIVATE: &str = "-----BEGIN OPENSSH PRIVATE KEY-----";

/// A public key from its two words.
pub(crate) fn key_data(kind: &str, text: &str) -> Result<KeyData, String> {
    if kind.ends_with("-cert-v01@openssh.com") {
        return Err("certificates of OpenSSH are not supported; give the key itself".into());
    }
    let bytes = STANDARD.decode(text).map_err(|error| format!("'{kind}' and no key: {error}"))?;
    let mut rest = bytes.as_slice();
    let key = KeyData::decode(&mut rest).map_err(|error| format!("'{kind}': {error}"))?;
    if !rest.is_empty() || key.algorithm().as_str() != kind {
        return Err(format!("'{kind}' and the key behind it do not go together"));
    }
    Ok(key)
}
