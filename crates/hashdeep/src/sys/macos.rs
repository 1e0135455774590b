//! macOS.

mod unix;

pub(crate) use crate::plain_path::SystemPath;
use std::io;

pub(crate) use unix::*;

/// The number of `/dev/null`: major 3, minor 2.
const NULL: u64 = 3 << 24 | 2;

/// Returns the text of an error, if it is not that of the standard library.
pub(crate) fn reason(_: &io::Error) -> Option<&'static str> {
    None
}
