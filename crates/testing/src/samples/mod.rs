//! Generated files in the formats of other programs.

pub mod ewf;
mod media;
pub mod rds;
pub mod zip;

pub use media::mixed;
