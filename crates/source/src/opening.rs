//! The ways to open a path.

/// The purpose for which a path is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// To read it. A FIFO is waited for.
    Read,
    /// To read it, without waiting for the writer of a FIFO or for the holder of a lease.
    ReadNow,
    /// To list it. What is no directory fails.
    Folder,
    /// To look up names in it. What is no directory fails.
    Lookup,
}
