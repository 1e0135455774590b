//! Signatures beside a file: their names, verifying them, and making them with the file or later.

pub(crate) mod name;
mod open;
pub mod signer;

#[cfg(feature = "sign")]
mod authority;
#[cfg(feature = "sign")]
pub mod beside;
#[cfg(feature = "sign")]
pub mod guard;
#[cfg(feature = "sign")]
pub mod judge;
#[cfg(feature = "sign")]
pub mod judged;
#[cfg(feature = "sign")]
pub mod keys;
#[cfg(feature = "sign")]
pub mod sign;
#[cfg(feature = "sign")]
pub mod staged;
#[cfg(feature = "sign")]
pub mod trusted;
#[cfg(feature = "sign")]
pub mod verify;
#[cfg(feature = "sign")]
pub use beside::SIGNATURE;
#[cfg(feature = "sign")]
pub use hashmill_sign::Signer;

#[cfg(not(feature = "sign"))]
mod left_out;
#[cfg(not(feature = "sign"))]
pub use left_out::{SIGNATURE, Signer, guard, judged, staged};

pub use crate::error::SignatureError;
