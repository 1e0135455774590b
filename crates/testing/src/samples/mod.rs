//! Files of other programs, made up.

pub mod ewf;
mod media;
pub mod rds;
pub mod zip;

pub use media::mixed;
