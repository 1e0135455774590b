//! A compressed file as an archive of one member.

use hashmill_archive::{Member, Members, Problem};
use std::io::Read;

/// The only member of a compressed file.
pub(super) struct Single {
    member: Option<Member>,
    bytes: Box<dyn Read + Send>,
}

impl Single {
    /// Creates it, with the name that it had before it was compressed.
    pub(super) fn new(name: Vec<u8>, bytes: Box<dyn Read + Send>) -> Single {
        Single { member: Some(Member::new(name)), bytes }
    }
}

impl Members for Single {
    fn next(&mut self) -> Result<Option<Member>, Problem> {
        Ok(self.member.take())
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        Ok(self.bytes.read(buffer)?)
    }
}
