//! Operands that mean what is inside of a file: an archive in the place of a folder, and paths inside of images and archives.

pub mod archive_operand;
#[cfg(feature = "images")]
pub mod inner;
