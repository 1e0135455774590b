//! ar archives, as of libraries and Debian packages: the format of System V and GNU (`ar.h`, ELF generic ABI 7
//! "Archive File") with a table of long names and symbol tables, and that of BSD (`ar(5)`) with long names before
//! contents.
//!
//! Tables of symbols and of names are no members. Thin archives hold nothing but names of files elsewhere: they
//! are told.

mod header;
mod names;

use crate::cpio::source::Source;
use crate::{Limits, Member, Members, Problem};
use header::Header;
use names::{LongNames, StoredName};
use std::io::Read;

const MAGIC: [u8; 8] = *b"!<arch>\n";
const THIN: [u8; 8] = *b"!<thin>\n";

/// The most bytes of a table of long names.
const TABLE: u64 = 64 << 20;

/// Returns whether an archive begins so.
pub(crate) fn recognizes(first: &[u8]) -> bool {
    first.starts_with(&MAGIC) || first.starts_with(&THIN)
}

/// Opens an archive.
pub(crate) fn open(bytes: Box<dyn Read + Send>, limits: &Limits) -> Result<Box<dyn Members>, Problem> {
    let mut source = Source::new(bytes);
    let mut magic = [0; 8];
    source.exact(&mut magic)?;
    match magic {
        MAGIC => Ok(Box::new(Ar {
            source,
            table_limit: TABLE.min(limits.memory),
            long_names: None,
            has_members: false,
            left: 0,
            padding: 0,
            is_over: false,
        })),
        THIN => Err(Problem::Unsupported("a thin archive, which has only names of files,".into())),
        _ => Err(Problem::damaged("the first bytes are not those of an ar archive")),
    }
}

/// An open archive.
struct Ar {
    source: Source,
    table_limit: u64,
    long_names: Option<LongNames>,
    has_members: bool,
    /// The bytes of the content that are not read yet, and those between it and the next header.
    left: u64,
    padding: u64,
    is_over: bool,
}

impl Members for Ar {
    fn next(&mut self) -> Result<Option<Member>, Problem> {
        if self.is_over {
            return Ok(None);
        }
        let found = self.find();
        if !matches!(found, Ok(Some(_))) {
            self.is_over = true;
            self.left = 0;
        }
        found
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        let room = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let buffer = buffer.get_mut(..room).unwrap_or_default();
        let read = self.source.some(buffer)?;
        self.left = self.left.saturating_sub(read as u64);
        if read == 0 && room > 0 { Err(Problem::Truncated) } else { Ok(read) }
    }
}

impl Ar {
    /// Returns the next member, passing over tables.
    fn find(&mut self) -> Result<Option<Member>, Problem> {
        loop {
            self.source.pass(std::mem::take(&mut self.left))?;
            let Some(header) = self.header()? else { return Ok(None) };
            self.left = header.size;
            self.padding = header.size % 2;
            match StoredName::new(&header.name) {
                StoredName::Symbols if !self.has_members => {}
                StoredName::Table if !self.has_members => self.read_table()?,
                name => {
                    let path = self.path(name, &header)?;
                    // BSD's symbol table may have a long name.
                    if self.has_members || !names::is_symbols(&path) {
                        self.has_members = true;
                        return Ok(Some(header.member(path, self.left)));
                    }
                }
            }
        }
    }

    /// Reads the next header, after the byte that makes a length even; none at the end, where that may be missing.
    fn header(&mut self) -> Result<Option<Header>, Problem> {
        let mut bytes = [0; 1 + Header::LENGTH];
        let padding = usize::from(std::mem::take(&mut self.padding) != 0);
        let bytes = bytes.get_mut(..padding + Header::LENGTH).unwrap_or_default();
        let filled = self.source.fill(bytes)?;
        match filled {
            _ if filled <= padding => Ok(None),
            _ if filled < bytes.len() => Err(Problem::Truncated),
            _ => Header::parse(bytes.get(padding..).unwrap_or_default()).map(Some),
        }
    }

    /// Reads the table of long names.
    fn read_table(&mut self) -> Result<(), Problem> {
        if self.long_names.is_some() {
            return Err(Problem::damaged("a second table of names"));
        }
        if self.left > self.table_limit {
            return Err(Problem::TooMany("bytes of names"));
        }
        let table = self.source.vec(std::mem::take(&mut self.left))?;
        self.long_names = Some(LongNames::new(table));
        Ok(())
    }

    /// Returns the path of a member, which may be elsewhere or before its content.
    fn path(&mut self, name: StoredName, header: &Header) -> Result<Vec<u8>, Problem> {
        match name {
            StoredName::Short(name) => Ok(name),
            StoredName::InTable(offset) => {
                let name = self.long_names.as_ref().and_then(|table| table.name(offset));
                name.ok_or_else(|| Problem::damaged(format!("no long name is at byte {offset} of the table")))
            }
            StoredName::BeforeContent(length) => {
                let left = self.left.checked_sub(length);
                self.left = left.ok_or_else(|| Problem::damaged("a name that is longer than its member"))?;
                if length > names::LONGEST_NAME {
                    return Err(Problem::TooMany("bytes of a name"));
                }
                Ok(names::without_zeros(self.source.vec(length)?))
            }
            StoredName::Symbols | StoredName::Table => Ok(header.name.trim_ascii_end().to_vec()),
        }
    }
}

#[cfg(test)]
mod tests;
