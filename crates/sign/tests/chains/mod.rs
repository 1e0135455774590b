//! Chains of certificates and stamps by them, made up field by field.

pub mod der;
pub mod keys;
pub mod stamp;
