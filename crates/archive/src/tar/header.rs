//! A header: one block before every member (POSIX.1-2017, pax, "ustar Interchange Format"; GNU tar manual,
//! "Basic Tar Format").

use super::blocks::BLOCK;
use super::number;
use crate::Problem;
use hashmill_disk::{Time, Times};
use std::ops::Range;

const NAME: Range<usize> = 0..100;
const MODE: Range<usize> = 100..108;
const SIZE: Range<usize> = 124..136;
const MODIFIED: Range<usize> = 136..148;
const CHECKSUM: Range<usize> = 148..156;
const TYPE: usize = 156;
const LINK: Range<usize> = 157..257;
const MAGIC: Range<usize> = 257..265;
const PREFIX: Range<usize> = 345..500;
/// star ends the prefix earlier, and marks the end of the block.
const STAR_PREFIX: Range<usize> = 345..476;
const STAR_MAGIC: Range<usize> = 508..512;

/// The dialects that lay out the rest of a header differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Seventh Edition: nothing follows after the link's target.
    V7,
    /// ustar and pax: a prefix of the name.
    Posix,
    /// star: a shorter prefix and two times.
    Star,
    /// GNU tar: two times and the first parts of a sparse file.
    Gnu,
}

/// A header with a valid checksum.
pub(super) struct Header(pub(super) [u8; BLOCK]);

impl Header {
    /// Takes a block for a header if its checksum is right: the sum of all its bytes, with spaces for the
    /// checksum itself. Some old programs took the bytes for signed.
    pub(super) fn new(block: [u8; BLOCK]) -> Option<Header> {
        let header = Header(block);
        let stated = header.field(CHECKSUM);
        if !number::is_set(stated.trim_ascii_start()) {
            return None;
        }
        let stated = number::field(stated)?;
        let (mut unsigned, mut signed) = (0, 0);
        for (at, &byte) in header.0.iter().enumerate() {
            let byte = if CHECKSUM.contains(&at) { b' ' } else { byte };
            unsigned += i64::from(byte);
            signed += i64::from(byte.cast_signed());
        }
        (stated == unsigned || stated == signed).then_some(header)
    }

    pub(super) fn field(&self, range: Range<usize>) -> &[u8] {
        self.0.get(range).unwrap_or_default()
    }

    /// Returns the letter of the kind of member.
    pub(super) fn letter(&self) -> u8 {
        self.0[TYPE]
    }

    pub(super) fn dialect(&self) -> Dialect {
        match self.field(MAGIC) {
            b"ustar  \0" => Dialect::Gnu,
            magic if !magic.starts_with(b"ustar") => Dialect::V7,
            _ if self.field(STAR_MAGIC) == b"tar\0" => Dialect::Star,
            _ => Dialect::Posix,
        }
    }

    /// Returns the name, after the prefix if there is one.
    pub(super) fn name(&self) -> Vec<u8> {
        let prefix = match self.dialect() {
            Dialect::V7 | Dialect::Gnu => &[],
            Dialect::Posix => text(self.field(PREFIX)),
            Dialect::Star => text(self.field(STAR_PREFIX)),
        };
        let name = text(self.field(NAME));
        if prefix.is_empty() { name.into() } else { [prefix, name].join(&b'/') }
    }

    /// Returns the target of a link.
    pub(super) fn link(&self) -> Vec<u8> {
        text(self.field(LINK)).into()
    }

    /// Returns the size of the content.
    ///
    /// # Errors
    /// If it makes no sense.
    pub(super) fn size(&self) -> Result<u64, Problem> {
        let size = number::field(self.field(SIZE)).and_then(|size| u64::try_from(size).ok());
        size.ok_or_else(|| Problem::damaged("the size in a header is no number"))
    }

    pub(super) fn mode(&self) -> Option<u32> {
        let mode = number::field(self.field(MODE)).filter(|_| number::is_set(self.field(MODE)))?;
        u32::try_from(mode & 0o7777).ok()
    }

    pub(super) fn times(&self) -> Times {
        let (accessed, changed) = match self.dialect() {
            Dialect::V7 | Dialect::Posix => (None, None),
            Dialect::Gnu => (self.time(345..357), self.time(357..369)),
            Dialect::Star => (self.time(476..488), self.time(488..500)),
        };
        Times { modified: self.time(MODIFIED), accessed, changed, created: None }
    }

    fn time(&self, range: Range<usize>) -> Option<Time> {
        let field = self.field(range);
        let seconds = number::field(field).filter(|_| number::is_set(field))?;
        Some(Time { seconds, nanoseconds: 0 })
    }
}

/// Returns the bytes up to the first zero.
pub(super) fn text(field: &[u8]) -> &[u8] {
    field.split(|&byte| byte == 0).next().unwrap_or_default()
}
