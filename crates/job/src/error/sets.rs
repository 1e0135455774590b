//! Errors of building and querying sets of known digests.

use hashmill_terminal::Shown;
use std::fmt;

/// An error of building or querying sets of known digests. Defects of an index itself are
/// [`Error::Known`](super::Error::Known).
#[derive(Debug)]
#[non_exhaustive]
pub enum SetsError {
    /// There is no input to build an index from.
    NoInputs,
    /// Standard input is given twice as an input.
    StdinTwice,
    /// A list has a line that is too long for a list of digests.
    LongLine {
        /// The path of the list.
        list: Box<[u8]>,
        /// The maximum length in bytes.
        most: usize,
    },
}

impl fmt::Display for SetsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetsError::NoInputs => f.write_str("nothing to build from"),
            SetsError::StdinTwice => f.write_str("standard input can be read only once"),
            SetsError::LongLine { list, most } => {
                let list = Shown(list);
                write!(f, "{list}: is not a list of digests: a line is longer than {most} bytes")
            }
        }
    }
}

impl std::error::Error for SetsError {}
