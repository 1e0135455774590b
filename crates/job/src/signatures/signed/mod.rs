//! Signatures in a build that can verify and make them.

use super::{name, signer};

mod authority;
pub mod beside;
pub mod guard;
pub mod judge;
pub mod judged;
pub mod keys;
pub mod sign;
pub mod staged;
pub mod trusted;
pub mod verify;

pub use beside::SIGNATURE;
pub use hashmill_sign::Signer;
