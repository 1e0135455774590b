//! The media that data are kept on.

use std::fmt;

/// The medium that data are kept on. If a device is stacked on several, the greatest counts: one spinning disk makes
/// the whole stack seek.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Medium {
    /// The machine's own memory.
    Memory,
    /// Flash: requests cost the same at any position, and many at a time are served faster.
    Solid,
    /// The disk of a virtual machine. Whether it reports rotation says nothing about the device below it.
    Virtual,
    /// A union of directories whose devices can't be seen.
    Union,
    /// The system does not report the medium.
    Unknown,
    /// Another machine: every request waits for an answer.
    Network,
    /// A spinning disk: every seek costs.
    Rotational,
}

impl Medium {
    /// Returns one word, the same in every output.
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
