//! Problems of signature files.

use std::fmt;

/// A problem of a signature file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureError {
    line: usize,
    what: String,
}

impl SignatureError {
    pub(crate) fn new(line: usize, what: String) -> SignatureError {
        SignatureError { line, what }
    }
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SignatureError { line, what } = self;
        write!(f, "line {line}: {what} (get the signature file of DROID again, or correct the line)")
    }
}

impl std::error::Error for SignatureError {}
