//! What is told while files are compared.

use crate::notice::Notice;

/// One step of a search.
#[derive(Debug)]
pub enum Event<'a> {
    /// A file could not be read.
    Failed(&'a hashloom_source::Error),
    /// Something without a size: standard input, or the FIFO or device at this path.
    NoSize(Option<&'a [u8]>),
    /// All files were read.
    AllRead,
    /// Something that is worth a line.
    Notice(Notice<'a>),
}

/// Hears of events.
pub type Observer<'a> = dyn FnMut(Event<'_>) + 'a;
