//! Archives with a directory.

use crate::{Member, Problem};
use std::fmt::Debug;
use std::io::{self, Read};
use std::sync::Arc;

/// An archive with a directory, of which any member can be read at any time.
pub trait Directory: Debug + Send + Sync {
    /// Returns the members in the order of the directory. After an error there are no more.
    fn members(&self) -> Box<dyn Iterator<Item = Result<DirectoryMember, Problem>> + Send + '_>;
}

/// A member in a directory.
#[derive(Debug)]
pub struct DirectoryMember {
    /// The facts about it.
    pub member: Member,
    /// The position of its bytes in the archive: in this order they are best read.
    pub place: u64,
    /// Its bytes.
    pub bytes: Arc<dyn MemberBytes>,
}

/// The bytes of a member, which can be read again and again, by many threads at once.
pub trait MemberBytes: Debug + Send + Sync {
    /// Returns a reader of the content. Its errors carry a [`Problem`].
    ///
    /// # Errors
    /// If it can't be read, as an error that carries a [`Problem`].
    fn open(&self) -> io::Result<Box<dyn Read + Send>>;
}
