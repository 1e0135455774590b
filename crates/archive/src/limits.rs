//! The limits of what an archive may take.

/// The limits of what reading an archive may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of memory that a decoder may take for its window or dictionary.
    pub memory: u64,
}

impl Default for Limits {
    /// Allows 256 MiB: more than any program takes by default.
    fn default() -> Limits {
        Limits { memory: 256 << 20 }
    }
}
