//! Seals: a few lines of text that commit to a whole manifest: its records in order (by the root of a Merkle tree), its
//! case data and its bytes. They are checkpoints in the format of transparency logs.
//!
//! This crate knows nothing of options, or how files are hashed.
//!
//! Hashing is that of RFC 6962: a leaf is `H(0x00 ‖ …)` of one record, a node `H(0x01 ‖ left ‖ right)`, so that no leaf
//! can pass for a node. The content of a leaf is defined in [`leaf`]. With a seal, [`proof`] shows that a record was
//! sealed without disclosing the others, [`consistency`] that a manifest begins with an older one, and [`redact`]
//! discloses a manifest with some records hidden. `outboard` does the same for the bytes of one large file, with
//! BLAKE3's own tree.
//!
//! ```
//! use hashmill_seal::{SealOptions, seal};
//!
//! let list = b"900150983cd24fb0d6963f7d28e17f72  a.txt\n";
//! let seal = seal(Box::new(&list[..]), &SealOptions::default()).unwrap();
//! assert_eq!(seal.records, 1);
//! ```

pub mod consistency;
pub mod diff;
mod error;
pub mod leaf;
mod limits;
#[cfg(feature = "outboards")]
pub mod outboard;
pub mod proof;
pub mod redact;
mod seal;
mod secret;
pub mod tree;

pub use error::{Error, Text};
pub use seal::build::{Built, SealOptions, build, seal};
pub use seal::canonical::Hex;
pub use seal::{ORIGIN, Seal, check_origin};
pub use secret::{Nonce, Salts, Secret};
