//! Who signed a list, for programs.

use serde::Serialize;

/// The maker of a good signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignedBy {
    /// The name that allowed signers have for the key; none if nobody vouches for it, or if the key itself was given.
    pub name: Option<String>,
    /// The key: `ssh-ed25519 SHA256:…`, or `minisign` and its number.
    pub key: String,
    /// The purpose that a signature of OpenSSH was made for.
    pub namespace: Option<String>,
    /// When it was made, in RFC 3339, where the signature says so.
    pub time: Option<String>,
    /// Somebody vouches for the key. Anybody can make a good signature with a key of their own.
    pub trusted: bool,
}
