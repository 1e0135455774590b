//! The trait of all readers.

use super::malformed::Malformed;
use crate::Record;
use crate::case::Case;
use hashmill_digest::Algorithm;
use hashmill_similar::Similar;

/// An iterator over the records of a file. It continues after a [`Malformed`] part.
pub trait Reader: Iterator<Item = Result<Record, Malformed>> {
    /// Returns the algorithms in the file's header, complete after the first record. Empty if the format has no header.
    fn columns(&self) -> &[&'static Algorithm] {
        &[]
    }

    /// Returns the likeness algorithms in the file's header, each with its index among all digests.
    fn likeness(&self) -> &[(usize, &'static Similar)] {
        &[]
    }

    /// Returns the case data read so far: its start is available after the first record, its end after the last.
    fn case(&self) -> &Case {
        &Case::NONE
    }

    /// Returns the list's exclusion patterns in gitignore syntax, relative to its folder; complete after the last
    /// record.
    fn patterns(&self) -> &[Box<[u8]>] {
        &[]
    }
}
