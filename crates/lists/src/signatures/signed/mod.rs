//! Signatures in a build that can verify and make them.

use super::name;

mod authority;
pub mod beside;
pub mod guard;
pub mod judge;
pub mod keys;
pub mod sign;
pub mod staged;
pub mod trusted;
pub mod verify;

pub use beside::SIGNATURE;
pub use hashmill_sign::Signer;
