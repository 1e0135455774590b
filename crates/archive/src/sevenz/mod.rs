//! 7z (7zFormat.txt of 7-Zip): blocks of compressed bytes, which are called folders there, and a header behind them
//! that says what lies in each.
//!
//! A member of a block can only be read when all before it have been decoded, so that members come one after the
//! other, in the order of the blocks. A block is first decoded when content in it is read, as that of links always
//! is: else, a list of members costs nothing. Members without content come last. Items that stand for a deletion are
//! passed over.

mod bcj2;
mod block;
mod decode;
mod entries;
mod header;
mod input;
mod members;
mod method;
mod start;
mod streams;
mod swap;
#[cfg(test)]
mod tests;

use crate::{Archive, Limits, Medium, Problem, Recognition};
use std::sync::Arc;

/// Returns whether an archive, or a program that unpacks one, begins on the medium.
pub(crate) fn recognizes(medium: &dyn Medium) -> Recognition {
    if start::position(medium).is_some() { Recognition::Yes } else { Recognition::No }
}

/// Returns the number of bytes of the archive that begins the medium, if one does.
pub(crate) fn stated_size(medium: &dyn Medium) -> Option<u64> {
    let start = start::Start::read(medium, start::position(medium).filter(|at| *at == 0)?).ok()?;
    start.offset.checked_add(start.size)?.checked_add(start::LENGTH as u64)
}

/// Opens the archive on a medium.
///
/// # Errors
/// If its header can't be read: without it no member can be found.
pub(crate) fn open(medium: Arc<dyn Medium>, limits: &Limits) -> Result<Archive, Problem> {
    let start = start::position(&*medium).ok_or_else(|| Problem::damaged("there is no 7z archive"))?;
    let contents = header::read(&medium, start, limits)?;
    Ok(Archive::Members(Box::new(members::SevenZip::new(medium, contents, *limits))))
}

/// Returns a problem a second time, for another member that it is the problem of.
fn again(problem: &Problem) -> Problem {
    match problem {
        Problem::Io(error) => Problem::Io(std::io::Error::new(error.kind(), error.to_string())),
        Problem::Truncated => Problem::Truncated,
        Problem::Damaged(what) => Problem::Damaged(what.clone()),
        Problem::Checksum(of) => Problem::Checksum(of),
        Problem::Encrypted => Problem::Encrypted,
        Problem::Unsupported(what) => Problem::Unsupported(what.clone()),
        Problem::Memory(bytes) => Problem::Memory(*bytes),
        Problem::TooMany(of) => Problem::TooMany(of),
        Problem::Ambiguous(what) => Problem::Ambiguous(what.clone()),
    }
}
