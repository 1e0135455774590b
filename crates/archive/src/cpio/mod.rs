//! cpio archives: headers in POSIX.1-1988 ("File Interchange Format"), System V Release 4 and Version 7, alone or
//! one after the other as in an initial RAM file system of Linux
//! (`Documentation/driver-api/early-userspace/buffer-format`).
//!
//! A name `TRAILER!!!` ends an archive. Zeros after it are passed over; another archive goes on with further
//! members, also if it is compressed. Anything else after it is told.
//!
//! The content of a symbolic link is its target. Modes have their bits for permissions here; the other bits
//! became the kind of the member.

mod contents;
mod header;
mod links;
pub(crate) mod source;

pub(crate) use header::{Header, HeaderForm};

use crate::{Compression, Limits, Member, MemberKind, Members, Problem, Time, Times, decoder};
use header::FileType;
use links::{LinkNames, ReadyMember};
use source::Source;
use std::collections::VecDeque;
use std::io::{Cursor, Read, empty};

/// The name of a member that ends an archive.
const TRAILER: &[u8] = b"TRAILER!!!";
/// The most bytes of the target of a symbolic link. A longer one is a file.
const TARGET: u64 = 64 << 10;
/// The most bytes that names of files with several names may take.
const NAMES: u64 = 64 << 20;
/// How often a compressed archive may follow another one.
const COMPRESSED: u32 = 4;

/// The headers of files that an archive only refers to by an index.
pub(crate) trait StrippedHeaders: Send {
    /// Returns the path and the header of a file.
    fn header(&mut self, index: u32) -> Result<(Vec<u8>, Header), Problem>;
}

/// Returns whether an archive begins so.
pub(crate) fn recognizes(first: &[u8]) -> bool {
    let Some(form) = HeaderForm::new(first) else { return false };
    let Some(header) = Header::parse(form, first.get(..form.length()).unwrap_or_default()) else {
        return false;
    };
    let name = first.get(form.length()..).unwrap_or_default();
    let end = usize::try_from(header.name).map_or(usize::MAX, |length| length.saturating_sub(1));
    // The magic of binary headers is just two bytes: the name must make sense, too.
    (1..=header::NAME).contains(&header.name)
        && !name.iter().take(end).any(|byte| *byte == 0)
        && name.get(end).is_none_or(|byte| *byte == 0)
}

/// Opens an archive.
pub(crate) fn open(bytes: Box<dyn Read + Send>, limits: &Limits) -> Result<Box<dyn Members>, Problem> {
    Ok(Box::new(Cpio::new(Source::new(bytes), None, limits)))
}

/// An open archive.
pub(crate) struct Cpio {
    source: Source,
    limits: Limits,
    stripped: Option<Box<dyn StrippedHeaders>>,
    links: LinkNames,
    /// The members that come next. Only the first has content that is not read yet.
    ready: VecDeque<ReadyMember>,
    content: Content,
    /// The target of the link that was met last, which is its content, too.
    target: Cursor<Vec<u8>>,
    /// Whether a member or trailer must follow.
    is_open: bool,
    compressed: u32,
    is_over: bool,
    fault: Option<Problem>,
}

/// The content of a member, as far as it is not read.
#[derive(Debug, Default)]
struct Content {
    left: u64,
    padding: u64,
    /// The sum of the bytes that were read, and the sum that they must have.
    sum: u32,
    check: Option<u32>,
}

impl Members for Cpio {
    fn next(&mut self) -> Result<Option<Member>, Problem> {
        if let Err(problem) = self.pass_content() {
            self.give_up(problem);
        }
        while self.ready.is_empty() && !self.is_over {
            if let Err(problem) = self.advance() {
                self.give_up(problem);
            }
        }
        match self.ready.pop_front() {
            Some(member) => Ok(Some(member.into_member())),
            None => self.fault.take().map_or(Ok(None), Err),
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        match self.target.read(buffer)? {
            0 => {}
            read => return Ok(read),
        }
        let content = &mut self.content;
        if content.left == 0 {
            let is_intact = content.check.is_none_or(|check| check == content.sum);
            return if is_intact { Ok(0) } else { Err(Problem::Checksum("the content")) };
        }
        let room = usize::try_from(content.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let buffer = buffer.get_mut(..room).unwrap_or_default();
        let read = self.source.some(buffer)?;
        if read == 0 && room > 0 {
            return Err(Problem::Truncated);
        }
        content.left = content.left.saturating_sub(read as u64);
        if content.check.is_some() {
            content.sum =
                buffer.iter().take(read).fold(content.sum, |sum, byte| sum.wrapping_add((*byte).into()));
        }
        Ok(read)
    }
}

impl Cpio {
    /// Creates an archive, whose members may refer to other headers.
    pub(crate) fn new(source: Source, stripped: Option<Box<dyn StrippedHeaders>>, limits: &Limits) -> Cpio {
        Cpio {
            source,
            limits: *limits,
            stripped,
            links: LinkNames::new(NAMES.min(limits.memory)),
            ready: VecDeque::new(),
            content: Content::default(),
            target: Cursor::default(),
            is_open: true,
            compressed: 0,
            is_over: false,
            fault: None,
        }
    }

    /// Passes over the content of the last member, as far as it was not read.
    fn pass_content(&mut self) -> Result<(), Problem> {
        self.target = Cursor::default();
        let content = std::mem::take(&mut self.content);
        if self.is_over {
            return Ok(());
        }
        self.source.pass(content.left)?;
        self.source.pass(content.padding)
    }

    /// Ends the archive where it can't be read further.
    fn give_up(&mut self, problem: Problem) {
        self.ready.extend(self.links.take_lost());
        self.content = Content::default();
        self.fault = Some(problem);
        self.is_over = true;
    }

    /// Reads one header, and what belongs to it but for the content of a file.
    fn advance(&mut self) -> Result<(), Problem> {
        if !self.is_open && !self.source.pass_zeros()? {
            self.is_over = true;
            return Ok(());
        }
        let mut first = [0; HeaderForm::FIRST];
        let filled = self.source.fill(&mut first)?;
        let first_bytes = first.get(..filled).unwrap_or_default();
        let Some(form) = HeaderForm::new(first_bytes) else {
            return if self.is_open { Err(no_header(first_bytes)) } else { self.decompress(first_bytes) };
        };
        self.is_open = true;
        let (path, header) = match form {
            HeaderForm::Stripped => self.stripped_header()?,
            _ if filled < first.len() => return Err(Problem::Truncated),
            _ => self.plain_header(form, first)?,
        };
        if path == TRAILER && header.size == 0 {
            self.is_open = false;
            self.ready.extend(self.links.take_empty());
            return Ok(());
        }
        self.add(path, &header)
    }

    /// Goes on with a compressed archive that follows the trailer.
    fn decompress(&mut self, start: &[u8]) -> Result<(), Problem> {
        let mut first = [0; Compression::FIRST];
        let (begun, rest) = first.split_at_mut_checked(start.len()).ok_or(Problem::Truncated)?;
        begun.copy_from_slice(start);
        let filled = start.len() + self.source.fill(rest)?;
        let first = first.get(..filled).unwrap_or_default();
        let Some(compression) = Compression::of(first).filter(|_| self.compressed < COMPRESSED) else {
            return Err(Problem::damaged("something follows the trailer that is no archive"));
        };
        self.compressed += 1;
        let source =
            std::mem::replace(&mut self.source, Source::new(Box::new(empty()) as Box<dyn Read + Send>));
        let bytes = Box::new(Cursor::new(first.to_vec()).chain(source.into_rest()));
        self.source = Source::new(decoder(compression, bytes, &self.limits)?);
        self.is_open = true;
        Ok(())
    }

    /// Reads a header with its name.
    fn plain_header(
        &mut self,
        form: HeaderForm,
        first: [u8; HeaderForm::FIRST],
    ) -> Result<(Vec<u8>, Header), Problem> {
        let header = Header::read(form, first, &mut self.source)?;
        let path = until_zero(self.source.vec(header.name)?);
        self.source.pass(form.padding(form.length() as u64 + header.name))?;
        Ok((path, header))
    }

    /// Reads an index, and returns the header that it stands for.
    fn stripped_header(&mut self) -> Result<(Vec<u8>, Header), Problem> {
        let mut digits = [0; 8];
        self.source.exact(&mut digits)?;
        self.source.pass(HeaderForm::Stripped.padding(HeaderForm::Stripped.length() as u64))?;
        let digits = std::str::from_utf8(&digits).ok().filter(|digits| !digits.starts_with('+'));
        let index = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let index = index.ok_or_else(|| Problem::damaged("a header without numbers"))?;
        let unknown = || Problem::damaged("a header that is left out without another list of files");
        self.stripped.as_mut().ok_or_else(unknown)?.header(index)
    }

    /// Adds a member.
    fn add(&mut self, path: Vec<u8>, header: &Header) -> Result<(), Problem> {
        let mut member = Member::new(path);
        let modified = Time { seconds: header.modified.into(), nanoseconds: 0 };
        member.times = Times { modified: Some(modified), ..Times::default() };
        member.mode = Some(header.mode & 0o7777);
        member.size = Some(header.size);
        member.stored = member.size;
        if header.is_empty_name() {
            self.ready.extend(self.links.meet_empty(header.inode, member).map(ReadyMember::from));
            return Ok(());
        }
        let padding = header.form.padding(header.size);
        self.content = Content { left: header.size, padding, ..Content::default() };
        member.kind = match header.file_type() {
            FileType::File => MemberKind::File,
            FileType::Directory => MemberKind::Directory,
            FileType::Link => self.target(&mut member)?,
            FileType::Fifo => MemberKind::Fifo,
            FileType::Socket => MemberKind::Socket,
            FileType::Device => MemberKind::Device,
        };
        if member.kind == MemberKind::Directory && header.size > 0 {
            let what = "it is a directory, and it has content";
            member.problem = Some(Problem::Ambiguous(what.into()));
        }
        let is_file = member.kind == MemberKind::File;
        self.content.check = Some(header.check).filter(|_| is_file && header.form == HeaderForm::Crc);
        let has_names = is_file && header.links > 1 && header.form.has_empty_names();
        let links = has_names.then(|| self.links.meet_content(header.inode, &member.path, header.links));
        self.ready.push_back(member.into());
        self.ready.extend(links.into_iter().flatten());
        Ok(())
    }

    /// Reads the target of a symbolic link, which is its content.
    fn target(&mut self, member: &mut Member) -> Result<MemberKind, Problem> {
        let length = self.content.left;
        if length > TARGET {
            return Ok(MemberKind::File);
        }
        if length == 0 {
            member.problem = Some(Problem::damaged("a symbolic link without a target"));
            return Ok(MemberKind::Link(Vec::new()));
        }
        let target = self.source.vec(length)?;
        self.content.left = 0;
        self.target = Cursor::new(target.clone());
        Ok(MemberKind::Link(until_zero(target)))
    }
}

/// Returns the problem of bytes in the place of a header.
fn no_header(first: &[u8]) -> Problem {
    if first.len() < HeaderForm::FIRST {
        Problem::Truncated
    } else {
        Problem::damaged("no header is where a member must follow")
    }
}

/// Returns a name up to the zero that ends it.
fn until_zero(mut name: Vec<u8>) -> Vec<u8> {
    if let Some(end) = name.iter().position(|byte| *byte == 0) {
        name.truncate(end);
    }
    name
}

#[cfg(test)]
mod tests;
