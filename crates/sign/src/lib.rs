//! Signatures and time stamps of files, in formats that other programs make and verify.
//!
//! * [`ssh`]: OpenSSH's `sshsig` (`ssh-keygen -Y sign` and `verify`): Ed25519 keys from files, keys in an
//!   agent, files of allowed signers.
//! * [`mini`]: minisign, prehashed.
//! * [`bundle`]: bundles of Sigstore around a statement, by keys: what OpenSSF model signing uses.
//! * [`stamp`]: time stamps of an authority (RFC 3161), verified offline against given roots.
//!
//! Bytes and keys go in, signatures and verdicts come out: files, terminals and what is signed are the
//! caller's. A [`Message`] is read once for each hash that is needed, in pieces, however long it is.
//! [`Signer`] makes signatures, [`Signature`] is one that was read, [`Trust`] says whose count. All
//! cryptography is done by libraries; this crate puts their parts in the order that the formats ask for.

mod broken;
pub mod bundle;
mod count;
mod error;
mod key;
mod message;
pub mod mini;
mod signature;
mod signer;
pub mod ssh;
pub mod stamp;
mod trust;

pub use broken::{Broken, CertificateFault, Malformed, Unfit, Unsupported};
pub use error::{AgentTask, Error, KeyFault, LineFault, RequestFault, RootsFault, SignFault};
pub use key::{KeyId, PublicKey};
pub use message::{Hash, Message, Source};
pub use signature::Signature;
pub use signer::{Format, KeyFile, Signer};
pub use ssh::Agent;
/// A public key of OpenSSH.
pub use ssh_key::public::KeyData;
pub use trust::{Good, Trust, Verdict, Voucher};
pub use zeroize::Zeroizing;
