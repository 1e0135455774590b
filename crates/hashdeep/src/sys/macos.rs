//! macOS.

mod unix;

pub(crate) use crate::plain_path::SystemPath;
pub(crate) use unix::*;

/// The number of `/dev/null`: major 3, minor 2.
const NULL: u64 = 3 << 24 | 2;
