//! tar in all its dialects: Seventh Edition, ustar and pax (POSIX.1-2017, pax), GNU tar and star.
//!
//! Programs disagree on damaged or crafted archives, so that one shows members that another takes for
//! content. Such a member is [`Problem::Ambiguous`]. Some end at the first block of zeros or at a damaged header, others read
//! on: members behind it are listed, and that is told after the last one.

mod blocks;
mod body;
mod extensions;
mod header;
mod number;
mod records;
mod sparse;
#[cfg(test)]
mod tests;

use crate::{Limits, Member, MemberKind, Members, Problem};
use blocks::{BLOCK, BlockSource, is_zero};
use body::{Body, Shape};
use extensions::Extensions;
use hashmill_disk::Times;
use header::{Dialect, Header};
use records::Fault;
use std::io::Read;

/// The blocks behind the end, or behind a damaged header, in which further members are searched: what was compressed may go on without end.
const BEHIND: u32 = 2 << 20;

/// Returns whether bytes begin with a header.
pub(crate) fn recognizes(first: &[u8]) -> bool {
    first.first_chunk::<BLOCK>().is_some_and(|&block| Header::new(block).is_some())
}

/// Opens an archive.
///
/// # Errors
/// Never; they are those of its members.
pub(crate) fn open(source: Box<dyn Read + Send>, limits: &Limits) -> Result<Box<dyn Members>, Problem> {
    Ok(Box::new(Tar {
        blocks: BlockSource::new(source),
        limits: *limits,
        extensions: Extensions::default(),
        body: Body::default(),
        doubt: None,
        is_over: false,
    }))
}

/// An archive.
struct Tar {
    blocks: BlockSource,
    limits: Limits,
    extensions: Extensions,
    /// The content of the member that was met last.
    body: Body,
    /// Why programs disagree on which members it has.
    doubt: Option<Problem>,
    /// Whether there are no more members.
    is_over: bool,
}

impl Members for Tar {
    fn next(&mut self) -> Result<Option<Member>, Problem> {
        if self.is_over {
            return Ok(None);
        }
        let next = self.member();
        self.is_over = !matches!(next, Ok(Some(_)));
        next
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        self.body.read(&mut self.blocks, buffer)
    }
}

impl Tar {
    /// Reads headers up to that of a member.
    fn member(&mut self) -> Result<Option<Member>, Problem> {
        loop {
            std::mem::take(&mut self.body).pass(&mut self.blocks)?;
            let Some(header) = self.header()? else { return Ok(None) };
            let size = header.size()?;
            if self.extensions.take(header.letter(), size, &mut self.blocks, &self.limits)? {
                continue;
            }
            // The label of a volume, which is no member.
            if header.letter() == b'V' && size == 0 {
                self.extensions.pass_label();
                continue;
            }
            let member = self.describe(&header, size)?;
            self.extensions.close();
            return Ok(Some(member));
        }
    }

    /// Reads the next header; `None` at the end.
    fn header(&mut self) -> Result<Option<Header>, Problem> {
        match self.blocks.block()? {
            Some(block) if !is_zero(&block) => match Header::new(block) {
                Some(header) => Ok(Some(header)),
                None => self.behind_damage(),
            },
            _ if self.extensions.is_open => Err(Problem::Truncated),
            None => self.finish(),
            Some(_) => self.behind_end(),
        }
    }

    /// Searches for a header behind half of an end; one that is there is told.
    fn behind_end(&mut self) -> Result<Option<Header>, Problem> {
        let Some((header, passed)) = self.search()? else { return self.finish() };
        let why = match passed {
            1 => "a single block of zeros is not the end of the archive",
            _ => "members follow the end of the archive",
        };
        self.doubt.get_or_insert_with(|| Problem::Ambiguous(why.into()));
        Ok(Some(header))
    }

    /// Searches for a header behind a damaged one, as GNU tar does: what it was of is lost, the members behind it are not.
    fn behind_damage(&mut self) -> Result<Option<Header>, Problem> {
        self.extensions.close();
        self.doubt.get_or_insert(Problem::Checksum("a tar header"));
        match self.search()? {
            Some((header, _)) => Ok(Some(header)),
            None => self.finish(),
        }
    }

    /// Returns the next header, and how many blocks it is away; `None` if there is none.
    fn search(&mut self) -> Result<Option<(Header, u32)>, Problem> {
        for passed in 1..BEHIND {
            let Some(block) = self.blocks.whole_block()? else { return Ok(None) };
            if let Some(header) = Header::new(block) {
                return Ok(Some((header, passed)));
            }
        }
        Err(Problem::TooMany("bytes in which no tar header is"))
    }

    fn finish(&mut self) -> Result<Option<Header>, Problem> {
        self.doubt.take().map_or(Ok(None), Err)
    }

    /// Describes the member of a header, and prepares to read its content.
    fn describe(&mut self, header: &Header, stated: u64) -> Result<Member, Problem> {
        let mut member = Member::new(self.extensions.path(header.name()));
        let size = self.extensions.size(stated);
        member.mode = header.mode();
        member.times = self.times(header);
        let stored = self.kind(&mut member, header, size)?;
        member.stored = Some(stored);
        self.body = Body::new(stored);
        let fault = self.extensions.fault().map(Fault::problem);
        let shape = self.shape(&mut member, header)?;
        match shape {
            Ok(shape) => {
                if let Shape::Sparse(expansion) = &shape {
                    member.holes = expansion.holes;
                }
                self.body.shape = shape;
            }
            Err(problem) => {
                member.problem.get_or_insert(problem);
                self.body.shape = Shape::Unreadable;
            }
        }
        member.problem = fault.or(member.problem);
        Ok(member)
    }

    fn times(&self, header: &Header) -> Times {
        let (own, global, header) = (self.extensions.own.times, self.extensions.global.times, header.times());
        Times {
            modified: own.modified.or(global.modified).or(header.modified),
            accessed: own.accessed.or(global.accessed).or(header.accessed),
            changed: own.changed.or(global.changed).or(header.changed),
            created: own.created.or(global.created),
        }
    }

    /// Sets the kind and the size of a member. Returns the bytes that it has in the archive.
    fn kind(&mut self, member: &mut Member, header: &Header, size: u64) -> Result<u64, Problem> {
        let has_slash = member.path.ends_with(b"/");
        let (kind, stored) = match header.letter() {
            b'1' => {
                let target = self.extensions.link(header.link());
                (MemberKind::HardLink(target), self.linked(header, size)?)
            }
            b'2' => (MemberKind::Link(self.extensions.link(header.link())), 0),
            b'3' | b'4' => (MemberKind::Device, 0),
            b'6' => (MemberKind::Fifo, 0),
            // The size is that which the directory may have.
            b'5' => (MemberKind::Directory, 0),
            // The content is a list of the names in it.
            b'D' => (MemberKind::Directory, size),
            b'M' => {
                self.continues(member);
                (MemberKind::File, size)
            }
            // Programs of old had no letter for directories.
            b'0' | b'\0' | b'7' if has_slash => (MemberKind::Directory, size),
            _ => (MemberKind::File, size),
        };
        if self.extensions.own.continues {
            self.continues(member);
        }
        let is_disputed = match header.letter() {
            b'2' | b'3' | b'4' | b'6' | b'V' => size > 0,
            b'5' => self.extensions.own.size.is_some_and(|size| size > 0),
            b'D' => !is_list_of_names(self.blocks.peek()?, size),
            _ => kind == MemberKind::Directory && stored > 0,
        };
        if is_disputed {
            self.extensions.own.fault(Fault::Ambiguous("whether it has content"));
        }
        member.size = Some(if kind == MemberKind::Directory { 0 } else { stored });
        member.kind = kind;
        Ok(stored)
    }

    fn continues(&self, member: &mut Member) {
        member.problem = Some(Problem::Unsupported("a file that begins on another volume".into()));
    }

    /// Returns the bytes of content that a hard link has. pax may give it some; programs of old stated the
    /// size of the file and gave it none.
    fn linked(&mut self, header: &Header, size: u64) -> Result<u64, Problem> {
        if size == 0 || (!self.extensions.is_pax && matches!(header.dialect(), Dialect::V7 | Dialect::Gnu)) {
            return Ok(0);
        }
        let ahead = self.blocks.peek()?;
        let (is_end, is_header) = match ahead.first_chunk::<BLOCK>() {
            Some(&block) => (is_zero(&block), Header::new(block).is_some()),
            None => (ahead.is_empty(), false),
        };
        if !is_end && !is_header {
            return Ok(size);
        }
        if !self.extensions.is_pax {
            return Ok(0);
        }
        // Most programs take the header for that of a member. Zeros may be content as well as the end.
        self.extensions.own.fault(Fault::Ambiguous("whether the hard link has content"));
        Ok(if is_header { 0 } else { size })
    }

    /// Returns how the content is made of the bytes in the archive. The inner error is only of this member.
    fn shape(&mut self, member: &mut Member, header: &Header) -> sparse::OfMember<Shape> {
        let records = std::mem::take(&mut self.extensions.own.sparse);
        if member.kind != MemberKind::File {
            let shape = if member.kind == MemberKind::Directory { Shape::Empty } else { Shape::Plain };
            return Ok(Ok(shape));
        }
        let memory = self.limits.memory;
        let found = if header.letter() == b'S' {
            if records.is_used() || matches!(header.dialect(), Dialect::V7 | Dialect::Posix) {
                return Ok(Err(Problem::Ambiguous("the parts of a sparse file".into())));
            }
            sparse::old(header, &mut self.blocks, memory)?
        } else if !records.is_used() {
            return Ok(Ok(Shape::Plain));
        } else {
            let Some(size) = records.size else {
                return Ok(Err(Problem::damaged("a sparse file has no size")));
            };
            let parts = match (records.major, records.minor) {
                (None | Some(0), _) => records.parts(),
                (Some(1), Some(0)) => sparse::map(&mut self.body.stored, &mut self.blocks, memory)?,
                _ => Err(Problem::Unsupported("this version of sparse files".into())),
            };
            parts.map(|parts| (parts, size))
        };
        Ok(found.and_then(|(parts, size)| {
            member.size = Some(size);
            sparse::Expansion::new(parts, size, self.body.stored).map(Shape::Sparse)
        }))
    }
}

/// Returns whether content of this size begins as the list of names that GNU tar keeps of a directory: each has a letter
/// before it and NUL behind it. Other programs take anything for a file.
fn is_list_of_names(ahead: &[u8], size: u64) -> bool {
    let size = usize::try_from(size).unwrap_or(usize::MAX).min(ahead.len());
    let mut names = ahead[..size].split(|byte| *byte == 0);
    names.all(|name| name.first().is_none_or(|letter| b"DNRTXY".contains(letter)))
}
