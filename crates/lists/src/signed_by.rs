//! Description of a list's signer, for programs.

use serde::Serialize;

/// The maker of a good signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignedBy {
    /// The name of the key in the allowed signers; `None` if no name is trusted, or if the key itself was given.
    pub name: Option<String>,
    /// The key: `ssh-ed25519 SHA256:…`, or `minisign` and its number.
    pub key: String,
    /// The purpose that a signature of OpenSSH was made for.
    pub namespace: Option<String>,
    /// Time of the signature in RFC 3339, if the signature states it.
    pub time: Option<String>,
    /// Whether the key is trusted. Anybody can make a good signature with a key of their own.
    pub trusted: bool,
    /// An algorithm of the signed list that anybody can forge, if files have no other digest: the signature then proves
    /// nothing about them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forgeable: Option<&'static str>,
}
