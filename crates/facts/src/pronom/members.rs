//! The members of a container, as far as the first and last bytes have them.

use super::compound::Compound;
use super::zip::Archive;
use crate::limits::END_BYTES;

/// A kind of container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContainerKind {
    Zip,
    Compound,
}

/// The members of one container.
pub(super) enum Members<'a> {
    Zip(Archive<'a>),
    Compound(Compound<'a>),
    /// A container whose directory is not among the known bytes.
    Unknown,
}

/// The first bytes of a member.
pub(super) struct MemberBytes {
    pub(super) bytes: Vec<u8>,
    pub(super) is_whole: bool,
}

impl<'a> Members<'a> {
    /// Lists the members of a container with these first and last bytes, and this size.
    pub(super) fn new(kind: ContainerKind, (head, tail, size): (&'a [u8], &'a [u8], u64)) -> Members<'a> {
        match kind {
            ContainerKind::Zip => Members::Zip(Archive::new(head, tail, size)),
            ContainerKind::Compound => {
                Compound::new(head, tail, size).map_or(Members::Unknown, Members::Compound)
            }
        }
    }

    /// Returns whether there is a member of this path.
    pub(super) fn has(&self, path: &str) -> bool {
        match self {
            Members::Zip(archive) => archive.has(path),
            Members::Compound(file) => file.has(path),
            Members::Unknown => false,
        }
    }

    /// Returns the first bytes of a member; `None` if they are not known.
    pub(super) fn bytes(&self, path: &str) -> Option<MemberBytes> {
        match self {
            Members::Zip(archive) => archive.bytes(path),
            Members::Compound(file) => file.bytes(path),
            Members::Unknown => None,
        }
    }
}

impl MemberBytes {
    /// Returns the first bytes that signatures look at.
    pub(super) fn head(&self) -> &[u8] {
        &self.bytes[..self.bytes.len().min(END_BYTES)]
    }

    /// Returns the last bytes; none of a member whose end is not known.
    pub(super) fn tail(&self) -> &[u8] {
        if self.is_whole { self.head() } else { &[] }
    }
}
