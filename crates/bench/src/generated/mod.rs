//! Generated files for measurements: the same bytes on every machine.

mod mix;
mod noise;
mod texture;
mod tree;

pub use mix::{MIX_BYTES, MIX_FILES, mix};
pub use noise::Noise;
pub use tree::{FileSet, file, tree};
