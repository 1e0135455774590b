//! Backing files in a build without forensic images.

/// No files.
#[derive(Debug, Clone, Default)]
pub struct BackingFiles {}
