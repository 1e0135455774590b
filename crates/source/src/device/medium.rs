//! What data are kept on.

use std::fmt;

/// What data are kept on. If a device stacks on several, the greatest counts: one spinning disk makes the whole stack
/// seek.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Medium {
    /// The machine's own memory.
    Memory,
    /// Flash: requests at any place cost the same, and many at a time are served faster.
    Solid,
    /// The disk of a virtual machine. It says that it rotates, or nothing, whatever is below it.
    Virtual,
    /// A union of directories whose devices can't be seen.
    Union,
    /// The system does not tell.
    Unknown,
    /// Another machine: every request waits for an answer.
    Network,
    /// A spinning disk: every seek costs.
    Rotational,
}

impl Medium {
    /// The greatest of several; unknown if there are none.
    pub(super) fn of_all(mediums: impl Iterator<Item = Medium>) -> Medium {
        mediums.max().unwrap_or(Medium::Unknown)
    }

    /// One word, the same in every output.
    pub fn name(self) -> &'static str {
        match self {
            Medium::Memory => "memory",
            Medium::Solid => "solid",
            Medium::Virtual => "virtual",
            Medium::Union => "union",
            Medium::Unknown => "unknown",
            Medium::Network => "network",
            Medium::Rotational => "rotational",
        }
    }
}

impl fmt::Display for Medium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
