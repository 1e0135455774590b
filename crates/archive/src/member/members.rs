//! Members that come one after the other.

use crate::{Member, Problem};

/// The members of an archive in its order. The content of one is read before the next is met.
pub trait Members: Send {
    /// Returns the next member, passing over what was not read of the one before; `None` at the end.
    ///
    /// # Errors
    /// If no further member can be found.
    fn next(&mut self) -> Result<Option<Member>, Problem>;

    /// Reads content of the member that was met last. Fewer bytes than there is room for do not mean the end; no bytes
    /// do.
    ///
    /// # Errors
    /// If not all of its content can be read intact; at its end also if its checksum is wrong.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Problem>;
}
