//! The answer to whether bytes are an archive.

/// The answer to whether bytes are an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recognition {
    /// Nothing looks like it.
    No,
    /// One ends somewhere near the end of the bytes, with something before and behind it: it counts if nothing else does.
    ByEnd,
    /// They begin or end like one.
    Yes,
}
