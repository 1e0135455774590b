//! Signatures and time stamps of files, in formats that other programs make and verify.
//!
//! * [`ssh`]: OpenSSH's `sshsig` (`ssh-keygen -Y sign` and `verify`): Ed25519 keys from files, keys in an agent, files
//!   of allowed signers.
//! * [`mini`]: minisign, prehashed.
//! * [`bundle`]: bundles of Sigstore around a statement, with keys, as used by OpenSSF model signing.
//! * [`stamp`]: time stamps of an authority (RFC 3161), verified offline against given roots.
//!
//! The crate takes bytes and keys, and returns signatures and verdicts; files, terminals and the choice of the message
//! are up to the caller. A [`Message`] of any length is read in pieces, once for each hash that is needed. [`Signer`]
//! makes signatures, [`Signature`] is a parsed one, [`Trust`] decides which signers count. Libraries compute on curves, with
//! large numbers, hashes and ciphers; this crate combines them as the formats require.

mod asn1;
mod broken;
pub mod bundle;
mod count;
mod cryptography;
mod error;
mod key;
mod message;
pub mod mini;
mod signature;
mod signer;
pub mod ssh;
pub mod stamp;
#[cfg_attr(unix, path = "sys/unix.rs")]
#[cfg_attr(windows, path = "sys/windows.rs")]
mod sys;
mod trust;

pub use broken::Broken;
pub(crate) use cryptography::ecdsa::Curve;
pub use error::{Error, Text};
pub use key::{KeyId, PublicKey};
pub use message::{Hash, Message, MessageSource};
pub use signature::Signature;
pub use signer::{Format, KeyFile, Signer};
pub use ssh::{Agent, KeyData};
pub use trust::{Good, SignatureVerdict, Trust, Voucher};
pub use zeroize::Zeroizing;
