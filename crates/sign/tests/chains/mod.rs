//! Artificial certificate chains and time stamps, encoded field by field.

pub mod der;
pub mod keys;
pub mod stamp;
