//! The end of reading before the end of the lists.

use hashmill_content::output::WriteError;

/// The reason why reading ends early.
#[derive(Debug)]
pub enum Stop {
    /// The manifests have to be read as a whole: one needs more than this module knows, or was changed.
    Whole,
    /// Reading was cancelled.
    Cancelled,
    /// One of them is not in the order of paths, as was assumed.
    Unordered,
    /// There is no room for temporary files.
    Failed(WriteError),
}
