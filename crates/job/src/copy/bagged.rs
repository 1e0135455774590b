//! The bags that destinations become, as a caller gives and gets them.

/// The fields of `bag-info.txt` that a caller gives: labels and values.
pub type BagFields = Vec<(String, String)>;

/// The result of a destination that is a bag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopiedBag {
    /// It was made.
    Made,
    /// It was there, and is as it says, with the copies of this run.
    Valid,
    /// It was there, or a part of it, and says something else than what was copied.
    Differs,
    /// It was there, and could not be read or understood.
    Unread,
    /// There is none, as copies are missing.
    Unmade,
}

impl CopiedBag {
    /// Returns the word for programs.
    pub const fn word(self) -> &'static str {
        match self {
            CopiedBag::Made => "made",
            CopiedBag::Valid => "valid",
            CopiedBag::Differs => "differs",
            CopiedBag::Unread => "unread",
            CopiedBag::Unmade => "not made",
        }
    }
}
