//! Signatures beside a file: their names, verifying them, and making them with the file or later.

pub(crate) mod name;
mod open;

#[cfg_attr(not(feature = "sign"), path = "left_out.rs")]
mod signed;

pub use signed::*;

pub use crate::error::SignatureError;
