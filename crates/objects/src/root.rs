//! The folders in which a store may lie.

/// A folder that may be a store.
#[derive(Debug, Clone, Copy)]
pub struct Root {
    /// Its path below the folder that was named; empty for that folder.
    pub path: &'static str,
    /// Files or folders that must be in the folder that was named.
    pub marks: &'static [&'static str],
    /// Files or folders that can't be in the folder that was named.
    pub others: &'static [&'static str],
}
