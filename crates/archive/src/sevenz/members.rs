//! The members of an archive, one after the other.

use super::again;
use super::decode::{Decoded, decode};
use super::header::Contents;
use super::streams::Part;
use crate::{Limits, Medium, Member, MemberKind, Members, Problem};
use hashmill_digest::Crc32;
use std::io::{Cursor, Read};
use std::sync::Arc;

/// The bytes of the longest target of a link that is read as such.
const TARGET: u64 = 32 << 10;
/// The bytes that are passed over at once.
const SKIP: usize = 64 << 10;

/// The members of an archive: first those with content, in the order of the blocks, then the others.
pub(super) struct SevenZip {
    medium: Arc<dyn Medium>,
    contents: Contents,
    limits: Limits,
    /// The next entry, and whether those without content are met.
    entry: usize,
    without_content: bool,
    /// The next part of all blocks, the block that it lies in, and how many parts of that were met.
    part: usize,
    block: usize,
    parts_met: usize,
    state: BlockState,
    /// The bytes of the block before the content of the member that was met last.
    skip: u64,
    current: Option<Content>,
    /// The target of the link that was met last, which is its content, too.
    target: Cursor<Vec<u8>>,
}

/// The state of the block that the member that was met last lies in.
enum BlockState {
    /// Nothing of it was decoded.
    New,
    Open(Decoded),
    /// It can't be decoded further.
    Failed(Problem),
}

/// The content of the member that was met last.
struct Content {
    left: u64,
    crc: Crc32,
    expected: Option<u32>,
}

impl SevenZip {
    /// Creates the members of an archive.
    pub(super) fn new(medium: Arc<dyn Medium>, contents: Contents, limits: Limits) -> SevenZip {
        SevenZip {
            medium,
            contents,
            limits,
            entry: 0,
            without_content: false,
            part: 0,
            block: 0,
            parts_met: 0,
            state: BlockState::New,
            skip: 0,
            current: None,
            target: Cursor::default(),
        }
    }

    /// Returns the place of the next entry.
    fn next_entry(&mut self) -> Option<usize> {
        loop {
            let Some(entry) = self.contents.entries.get(self.entry) else {
                if std::mem::replace(&mut self.without_content, true) {
                    return None;
                }
                self.entry = 0;
                continue;
            };
            let at = self.entry;
            self.entry = self.entry.saturating_add(1);
            if entry.has_content != self.without_content && !(self.without_content && entry.is_anti) {
                return Some(at);
            }
        }
    }

    /// Goes on to the next part, which may lie in another block.
    fn next_part(&mut self) -> Option<Part> {
        let part = *self.contents.streams.parts.get(self.part)?;
        self.part = self.part.saturating_add(1);
        while self.contents.streams.blocks.get(self.block)?.parts <= self.parts_met {
            self.block = self.block.saturating_add(1);
            self.parts_met = 0;
        }
        if self.parts_met == 0 {
            let problem = self.contents.streams.blocks.get(self.block)?.problem(&self.limits);
            self.state = problem.map_or(BlockState::New, BlockState::Failed);
            self.skip = 0;
        }
        self.parts_met = self.parts_met.saturating_add(1);
        Some(part)
    }

    /// Returns the member with content, and begins with that.
    fn with_content(&mut self, mut member: Member) -> Result<Member, Problem> {
        let part = self.next_part().ok_or_else(|| Problem::damaged("a member has no content"))?;
        self.current = Some(Content { left: part.size, crc: Crc32::new(), expected: part.crc });
        member.size = Some(part.size);
        member.stored = self.stored();
        // An empty member needs no byte of its block.
        if let BlockState::Failed(problem) = &self.state
            && part.size > 0
        {
            member.problem = Some(again(problem));
        } else if matches!(member.kind, MemberKind::Link(_)) {
            self.link(&mut member, part.size);
        }
        Ok(member)
    }

    /// Returns the bytes that the block takes, if it has one member.
    fn stored(&self) -> Option<u64> {
        let streams = &self.contents.streams;
        let block = streams.blocks.get(self.block).filter(|block| block.parts == 1)?;
        Some(streams.packs_of(block).iter().fold(0, |sum, pack| pack.size.saturating_add(sum)))
    }

    /// Reads the target of a link, which stays its content. One that is too long for a target is a file.
    fn link(&mut self, member: &mut Member, size: u64) {
        if size > TARGET {
            member.kind = MemberKind::File;
            return;
        }
        let mut target = vec![0; usize::try_from(size).unwrap_or_default()];
        let mut done = 0;
        let result = loop {
            match self.read(target.get_mut(done..).unwrap_or_default()) {
                Ok(0) => break self.finish(),
                Ok(read) => done = read.saturating_add(done),
                Err(problem) => break Err(problem),
            }
        };
        match result {
            Ok(()) => {
                member.kind = MemberKind::Link(target.clone());
                self.target = Cursor::new(target);
            }
            Err(problem) => member.problem = Some(problem),
        }
    }

    /// Checks the checksum of the member that was met last, whose content was read to the end.
    fn finish(&mut self) -> Result<(), Problem> {
        let Some(content) = self.current.take() else { return Ok(()) };
        match content.expected {
            Some(crc) if crc != content.crc.sum() => Err(Problem::Checksum("the content")),
            _ => Ok(()),
        }
    }

    /// Reads bytes of the block.
    fn read_block(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        if let BlockState::New = self.state {
            self.state = self.open().map_or_else(BlockState::Failed, BlockState::Open);
        }
        let decoded = match &mut self.state {
            BlockState::Open(decoded) => decoded,
            BlockState::Failed(problem) => return Err(again(problem)),
            BlockState::New => return Ok(0),
        };
        let problem = match decoded.reader.read(buffer) {
            Ok(0) => Problem::damaged("a block is shorter than stated"),
            Ok(read) => return Ok(read),
            Err(error) => decoded.explain(error),
        };
        self.state = BlockState::Failed(again(&problem));
        Err(problem)
    }

    /// Begins to decode the block.
    fn open(&self) -> Result<Decoded, Problem> {
        let streams = &self.contents.streams;
        let block =
            streams.blocks.get(self.block).ok_or_else(|| Problem::damaged("a member has no block"))?;
        decode(&self.medium, self.contents.base, block, streams.packs_of(block), &self.limits)
    }

    /// Passes over bytes of the block that were not read.
    fn pass_over(&mut self) -> Result<(), Problem> {
        let mut bytes = vec![0; self.skip.min(SKIP as u64) as usize];
        while self.skip > 0 {
            let length = self.skip.min(bytes.len() as u64) as usize;
            let read = self.read_block(bytes.get_mut(..length).unwrap_or_default())?;
            self.skip = self.skip.saturating_sub(read as u64);
        }
        Ok(())
    }
}

impl Members for SevenZip {
    fn next(&mut self) -> Result<Option<Member>, Problem> {
        self.target = Cursor::default();
        if let Some(content) = self.current.take() {
            self.skip = self.skip.saturating_add(content.left);
        }
        let Some(at) = self.next_entry() else { return Ok(None) };
        let Some(entry) = self.contents.entries.get(at) else { return Ok(None) };
        let member = entry.member(&self.contents.header);
        if entry.has_content { self.with_content(member).map(Some) } else { Ok(Some(member)) }
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        let Some(content) = &self.current else { return Ok(self.target.read(buffer)?) };
        let left = content.left;
        if left == 0 {
            return self.finish().map(|()| 0);
        }
        if let BlockState::Failed(problem) = &self.state {
            return Err(again(problem));
        }
        let length = left.min(buffer.len() as u64) as usize;
        if length == 0 {
            return Ok(0);
        }
        self.pass_over()?;
        let bytes = buffer.get_mut(..length).unwrap_or_default();
        let read = self.read_block(bytes)?;
        if let Some(content) = &mut self.current {
            content.crc.update(bytes.get(..read).unwrap_or_default());
            content.left = content.left.saturating_sub(read as u64);
        }
        Ok(read)
    }
}
