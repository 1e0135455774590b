//! Signatures that lie beside a file: where they lie, what they are worth, how they are made with the file.

pub mod beside;
pub mod guard;
pub mod judge;
pub mod judged;
pub mod staged;

pub use crate::error::SignatureError;
