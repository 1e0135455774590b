//! Why sets of known digests can't be built or asked.

use crate::shown::Shown;
use std::fmt;

/// Why sets of known digests can't be built or asked. What is wrong with an index itself is
/// [`Error::Known`](super::Error::Known).
#[derive(Debug)]
#[non_exhaustive]
pub enum SetsError {
    /// There is no input to build an index from.
    NoInputs,
    /// Standard input is an input twice.
    StdinTwice,
    /// A list has a line that is too long for one of a list of digests.
    LongLine {
        /// The list.
        list: Box<[u8]>,
        /// The most bytes.
        most: usize,
    },
}

impl fmt::Display for SetsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetsError::NoInputs => f.write_str("nothing to build from"),
            SetsError::StdinTwice => f.write_str("standard input can be read once only"),
            SetsError::LongLine { list, most } => {
                let list = Shown(list);
                write!(f, "{list}: is not a list of digests: a line is longer than {most} bytes")
            }
        }
    }
}

impl std::error::Error for SetsError {}
