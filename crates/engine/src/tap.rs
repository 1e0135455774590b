//! Receivers of the bytes that are hashed.

use hashmill_digest::About;
use std::fmt::Debug;

/// Receives the bytes of each file as they are hashed, so that they can be written elsewhere without being read again.
pub trait Tap: Debug + Send + Sync {
    /// Begins a file. Whether its bytes are those of a file that was read whole and held still, only its
    /// [`EntryResult`](crate::EntryResult) says, which comes after them.
    fn open(&self, about: &About<'_>) -> Box<dyn TapStream>;
}

/// Receives the bytes of one file. One that is dropped before [`TapStream::end`] was not read to its end.
pub trait TapStream: Send {
    /// Receives the next bytes. It may wait until there is room for them.
    fn write(&mut self, bytes: &[u8]);

    /// Takes note that no bytes follow.
    fn end(self: Box<Self>);
}
