//! Events that are reported by a search.

use crate::notice::Notice;

/// A step of a search.
#[derive(Debug)]
pub enum DupesEvent<'a> {
    /// A file could not be read.
    Failed(&'a hashmill_source::Error),
    /// An input has no size: standard input, or the FIFO or device at this path.
    NoSize(Option<&'a [u8]>),
    /// All files were read.
    AllRead,
    /// A notice for the user.
    Notice(Notice<'a>),
}

/// Receives events.
pub type DupesObserver<'a> = dyn FnMut(DupesEvent<'_>) + 'a;
