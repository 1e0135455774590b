//! The files that a header lists: paths, and what a payload leaves out that has only indexes into the list.

use super::table::{TagTable, tag};
use crate::cpio::{Header, StrippedHeaders};
use crate::{Limits, Problem};
use std::collections::HashMap;

/// The bits of a mode that tell the type of a file, and those of files and symbolic links.
const TYPE: u32 = 0o170_000;
const FILE: u32 = 0o100_000;
const LINK: u32 = 0o120_000;
/// The flag of a file that is not in the payload.
const GHOST: u64 = 1 << 6;

/// The bytes that a listed file takes in memory besides its path, at most.
const TAKEN: u64 = 200;
/// The most bytes of a path.
const PATH: usize = 64 << 10;

/// The paths of the files in a header, by their index.
#[derive(Debug)]
pub(super) struct FilePaths {
    /// The offset of each name, and the index of its directory.
    names: Vec<(usize, usize)>,
    directories: Vec<usize>,
}

impl FilePaths {
    /// Reads the places of the paths, if the files do not take more memory than the limit.
    pub(super) fn new(table: &TagTable, limits: &Limits) -> Result<FilePaths, Problem> {
        let most = usize::try_from(limits.memory / TAKEN).unwrap_or(usize::MAX);
        let offsets = |tag: u32| {
            let strings = table.strings(tag).into_iter().flatten();
            let offsets: Vec<usize> =
                strings.map(|(offset, _)| offset).take(most.saturating_add(1)).collect();
            if offsets.len() > most { Err(Problem::TooMany("files in the header")) } else { Ok(offsets) }
        };
        let directories = offsets(tag::DIRECTORY_NAMES)?;
        let names = offsets(tag::BASE_NAMES)?;
        if names.is_empty() {
            // Before rpm 4 the header had whole paths.
            let whole = offsets(tag::OLD_FILE_NAMES)?;
            let names = whole.into_iter().map(|offset| (offset, usize::MAX)).collect();
            return Ok(FilePaths { names, directories });
        }
        let indexes = table.numbers(tag::DIRECTORY_INDEXES);
        let index = |at| indexes.and_then(|indexes| indexes.get(at)).and_then(|index| index.try_into().ok());
        let indexed = |(at, offset)| Some((offset, index(at).filter(|index| *index < directories.len())?));
        let names: Option<Vec<_>> = names.into_iter().enumerate().map(indexed).collect();
        let names = names.ok_or_else(|| Problem::damaged("a file in no directory of the header"))?;
        Ok(FilePaths { names, directories })
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns a path as the header has it.
    pub(super) fn get(&self, table: &TagTable, index: usize) -> Result<Vec<u8>, Problem> {
        let unknown = || Problem::damaged(format!("no file {index} is in the header"));
        let (name, directory) = *self.names.get(index).ok_or_else(unknown)?;
        let directory = self.directories.get(directory).and_then(|offset| table.string_at(*offset));
        let directory = directory.unwrap_or_default();
        let name = table.string_at(name).ok_or_else(unknown)?;
        let is_long = directory.len().saturating_add(name.len()) > PATH;
        if is_long { Err(Problem::TooMany("bytes of a path")) } else { Ok([directory, name].concat()) }
    }
}

/// Returns the size of a file as the header has it.
pub(super) fn size(table: &TagTable, index: usize) -> Option<u64> {
    let sizes = table.numbers(tag::LONG_FILE_SIZES).or_else(|| table.numbers(tag::FILE_SIZES));
    sizes.and_then(|sizes| sizes.get(index))
}

/// Returns whether a package owns a file without bringing it.
pub(super) fn is_ghost(table: &TagTable, index: usize) -> bool {
    let flags = table.numbers(tag::FILE_FLAGS).and_then(|flags| flags.get(index));
    flags.is_some_and(|flags| flags & GHOST != 0)
}

/// The files of a payload that has only indexes.
pub(super) struct StrippedFiles {
    table: TagTable,
    limits: Limits,
    listed: Option<ListedFiles>,
}

/// The list, as it is read when the first index is met.
struct ListedFiles {
    paths: FilePaths,
    /// The number of names of each inode, and the index of the last one.
    links: HashMap<[u32; 3], (u32, usize)>,
}

impl StrippedFiles {
    pub(super) fn new(table: TagTable, limits: &Limits) -> StrippedFiles {
        StrippedFiles { table, limits: *limits, listed: None }
    }

    fn number(&self, tag: u32, index: usize) -> Option<u32> {
        self.table.numbers(tag)?.get(index)?.try_into().ok()
    }

    fn mode(&self, index: usize) -> u32 {
        self.number(tag::FILE_MODES, index).unwrap_or(0)
    }

    fn inode(&self, index: usize) -> [u32; 3] {
        let number = |tag| self.number(tag, index).unwrap_or(0);
        [0, number(tag::FILE_DEVICES), number(tag::FILE_INODES)]
    }

    fn list(&self) -> Result<ListedFiles, Problem> {
        let paths = FilePaths::new(&self.table, &self.limits)?;
        let mut links = HashMap::new();
        for index in 0..paths.len() {
            if self.mode(index) & TYPE == FILE && !is_ghost(&self.table, index) {
                let (names, last) = links.entry(self.inode(index)).or_insert((0, index));
                *names += 1;
                *last = index;
            }
        }
        Ok(ListedFiles { paths, links })
    }
}

impl StrippedHeaders for StrippedFiles {
    fn header(&mut self, index: u32) -> Result<(Vec<u8>, Header), Problem> {
        let index = index as usize;
        let (mode, inode) = (self.mode(index), self.inode(index));
        let modified = self.number(tag::FILE_TIMES, index);
        let listed = match self.listed.take() {
            Some(listed) => listed,
            None => self.list()?,
        };
        let listed = self.listed.insert(listed);
        let mut path = listed.paths.get(&self.table, index)?;
        if path.starts_with(b"/") {
            path.insert(0, b'.');
        }
        let (links, last) = listed.links.get(&inode).copied().unwrap_or((1, index));
        // Only files and links have content, and of the names of a file only the last.
        let has_content = mode & TYPE == LINK || mode & TYPE == FILE && (links == 1 || last == index);
        let lacking = || Problem::damaged("the header has no sizes of files");
        let size = if has_content { size(&self.table, index).ok_or_else(lacking)? } else { 0 };
        Ok((path, Header::stripped(inode, mode, links, modified.unwrap_or(0), size)))
    }
}
