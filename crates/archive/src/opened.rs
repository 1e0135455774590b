//! An archive that was opened.

use crate::{Directory, Members};
use std::sync::Arc;

/// An open archive.
pub enum Archive {
    /// Its members come one after the other.
    Members(Box<dyn Members>),
    /// It has a directory.
    Directory(Arc<dyn Directory>),
}
