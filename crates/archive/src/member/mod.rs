//! The facts about a member of an archive.

pub(crate) mod directory;
pub(crate) mod members;
pub(crate) mod part;

use crate::Problem;
use hashmill_disk::Times;

/// The facts about one member of an archive.
#[derive(Debug)]
pub struct Member {
    /// Its path as the archive has it, in bytes: `./a`, `/a` and `../a` are possible. Formats with names in UTF-16 have them as
    /// UTF-8 (WTF-8 where a surrogate is alone).
    pub path: Vec<u8>,
    /// Its kind.
    pub kind: MemberKind,
    /// The bytes of its content; none if only reading them tells.
    pub size: Option<u64>,
    /// The bytes that it takes in the archive, if that is known before it is read.
    pub stored: Option<u64>,
    /// The zeros of its content that the archive states as holes, and does not have.
    pub holes: u64,
    /// Its times.
    pub times: Times,
    /// The bits of its mode, if the archive has them.
    pub mode: Option<u32>,
    /// Why its content can't be read, if that is known before it is read.
    pub problem: Option<Problem>,
}

impl Member {
    /// Creates a file of which only the path is known.
    pub fn new(path: impl Into<Vec<u8>>) -> Member {
        Member {
            path: path.into(),
            kind: MemberKind::File,
            size: None,
            stored: None,
            holes: 0,
            times: Times::default(),
            mode: None,
            problem: None,
        }
    }

    /// Returns whether bytes of its own are stored for it. They are a file's, whatever its kind: most programs write a file.
    pub fn is_stored(&self) -> bool {
        match self.kind {
            MemberKind::File => true,
            MemberKind::Directory => false,
            _ => self.size != Some(0),
        }
    }
}

/// The kind of a member, as its mode states it. It says nothing of its content ([`Member::is_stored`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberKind {
    /// A file with content.
    File,
    /// A directory.
    Directory,
    /// A symbolic link to this target.
    Link(Vec<u8>),
    /// Another name of the member with this path, which has the content.
    HardLink(Vec<u8>),
    /// A FIFO.
    Fifo,
    /// A socket.
    Socket,
    /// A device.
    Device,
}
