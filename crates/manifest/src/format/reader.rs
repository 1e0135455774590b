//! What every reader of a format does.

use super::malformed::Malformed;
use crate::Record;
use crate::case::Case;
use hashloom_digest::Algorithm;
use hashloom_similar::Similar;

/// Records out of a file. After a [`Malformed`] it continues with what follows.
pub trait Reader: Iterator<Item = Result<Record, Malformed>> {
    /// The algorithms that the file's header names, as far as it was read: all of them once the first
    /// record is out. Empty where the format has no header.
    fn columns(&self) -> &[&'static Algorithm] {
        &[]
    }

    /// The likeness algorithms that the file's header names, each with its place among all digests.
    fn likeness(&self) -> &[(usize, &'static Similar)] {
        &[]
    }

    /// What the file says of the run that wrote it, as far as it was read: its start once the first record is
    /// out, its end once all are.
    fn case(&self) -> &Case {
        &Case::NONE
    }

    /// The patterns of files that the list leaves out, as gitignore has them, from the folder of its paths down: those that
    /// were read so far, all of them once the last record is out.
    fn patterns(&self) -> &[Box<[u8]>] {
        &[]
    }
}
