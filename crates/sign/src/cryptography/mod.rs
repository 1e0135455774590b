//! Curves, ciphers and keys from passphrases, by libraries.

pub(crate) mod cipher;
pub(crate) mod ecdsa;
pub(crate) mod ed25519;
pub(crate) mod kdf;
