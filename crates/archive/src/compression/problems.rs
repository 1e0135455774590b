//! Problems of several formats.

use crate::{Limits, Problem};

/// Returns the problem of bytes behind the end of the last member.
pub(super) fn trailing() -> Problem {
    Problem::damaged("other bytes follow the compressed ones")
}

/// Refuses what takes more memory than the limit.
pub(super) fn within(limits: &Limits, bytes: u64) -> Result<(), Problem> {
    if bytes > limits.memory { Err(Problem::Memory(bytes)) } else { Ok(()) }
}
