//! The sorted entries of a directory in little memory: all names in one block of bytes, plus 16 bytes for each entry.

use crate::deadline::Pulse;
use crate::meta::listed::{EntryType, Listed};
use crate::sys::{self, Directory};
use hashmill_os::Links;
use std::io;

#[derive(Debug, Clone, Copy)]
pub(crate) struct ListOptions<'a> {
    pub(crate) links: Links,
    /// Files (device, inode) to mark.
    pub(crate) marked: &'a [(u64, u64)],
    /// Whether the streams of files are entries, too.
    pub(crate) streams: bool,
    /// The most entries of a directory that is listed to the end.
    pub(crate) most: usize,
    /// Beats with each entry, for a caller that waits for the listing with a time limit.
    pub(crate) pulse: Option<&'a Pulse>,
}

/// The sorted entries of one directory.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The inode number and name of each entry, one after the other. They don't move when entries are sorted. The name
    /// of a directory has a slash at its end, so that it sorts like the paths below it.
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    next: usize,
    /// The number of entries that [`Names::next_directory`] has examined.
    scanned: usize,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    start: usize,
    length: u16,
    kind: EntryType,
    marked: bool,
}

/// One entry, as it is returned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) kind: EntryType,
    pub(crate) ino: u64,
    /// Whether it may be one of the files to mark.
    pub(crate) marked: bool,
}

/// Returns the kind of a listed entry. Asks the system if the listing does not tell, and follows a link whose
/// target decides its place in the order.
fn seen(listed: &Listed<'_>, links: Links) -> EntryType {
    let mut kind = listed.kind;
    if kind == EntryType::Unknown {
        kind = sys::stat_in(listed.directory, listed.name, Links::Stay)
            .map_or(kind, |meta| EntryType::from_meta(&meta));
    }
    if kind == EntryType::Link && links == Links::Follow {
        let target = sys::stat_in(listed.directory, listed.name, Links::Follow);
        if target.is_ok_and(|meta| meta.is_directory()) {
            return EntryType::LinkedDirectory;
        }
    }
    kind
}

impl Names {
    /// Lists a directory. If that fails, the names read so far are kept.
    pub(crate) fn list(mut directory: Directory, options: ListOptions<'_>) -> (Names, io::Result<()>) {
        let mut names = Names::default();
        let result = names.fill(&mut directory, options);
        names.sort();
        (names, result)
    }

    fn fill(&mut self, directory: &mut Directory, options: ListOptions<'_>) -> io::Result<()> {
        let mark_all = !options.marked.is_empty() && !sys::tells_inodes(directory.file());
        while let Some(listed) = directory.next()? {
            options.pulse.inspect(|pulse| pulse.beat());
            if self.entries.len() == options.most {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            let kind = seen(&listed, options.links);
            let marked = mark_all || options.marked.iter().any(|&(_, ino)| ino == listed.ino);
            self.push(listed.name, listed.ino, kind, marked)?;
            if options.streams && matches!(kind, EntryType::File | EntryType::Directory) {
                self.push_streams(&listed, marked)?;
            }
        }
        Ok(())
    }

    /// Adds the streams of an entry beside its content, as `name:stream`.
    fn push_streams(&mut self, of: &Listed<'_>, marked: bool) -> io::Result<()> {
        for stream in sys::streams(of.directory, of.name)? {
            self.push(&[of.name, b":", &stream].concat(), of.ino, EntryType::File, marked)?;
        }
        Ok(())
    }

    fn push(&mut self, name: &[u8], ino: u64, kind: EntryType, marked: bool) -> io::Result<()> {
        self.bytes.extend_from_slice(&ino.to_ne_bytes());
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        if kind.is_directory() {
            self.bytes.push(b'/');
        }
        // The kernel's own records have 16 bits for a length.
        let length = u16::try_from(self.bytes.len() - start).map_err(|_| io::ErrorKind::InvalidData)?;
        self.entries.push(Entry { start, length, kind, marked });
        Ok(())
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.entries.sort_unstable_by(|one, other| one.name(bytes).cmp(other.name(bytes)));
    }

    /// Returns the next entry in order.
    pub(crate) fn next(&mut self) -> Option<Item<'_>> {
        let entry = self.entries.get(self.next)?;
        self.next += 1;
        let name = entry.name(&self.bytes);
        let name = name.strip_suffix(b"/").unwrap_or(name);
        Some(Item { name, kind: entry.kind, ino: entry.ino(&self.bytes), marked: entry.marked })
    }

    /// Returns the number of entries, including those already returned.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the next directory (not a link to one) among the entries not yet returned. Each is returned once.
    pub(crate) fn next_directory(&mut self) -> Option<&[u8]> {
        let start = self.scanned.max(self.next);
        let found = self.entries.get(start..)?.iter().position(|entry| entry.kind == EntryType::Directory);
        let Some(at) = found.map(|found| start + found) else {
            self.scanned = self.entries.len();
            return None;
        };
        self.scanned = at + 1;
        self.entries[at].name(&self.bytes).strip_suffix(b"/")
    }
}

impl Entry {
    /// Reads the inode number, which is stored before the name.
    fn ino(self, bytes: &[u8]) -> u64 {
        bytes[..self.start].last_chunk().map_or(0, |number| u64::from_ne_bytes(*number))
    }

    fn name(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start..self.start + usize::from(self.length)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_small() {
        assert_eq!(size_of::<Entry>(), 16);
    }

    #[test]
    fn directories_sort_as_what_is_in_them() {
        let mut names = Names::default();
        for (name, kind) in [
            (&b"a0"[..], EntryType::File),
            (b"a", EntryType::Directory),
            (b"ab", EntryType::LinkedDirectory),
            (b"a-", EntryType::Link),
            (b"a.", EntryType::Directory),
            (b"\xff", EntryType::File),
        ] {
            names.push(name, 1, kind, false).unwrap();
        }
        names.sort();
        let mut sorted = Vec::new();
        while let Some(item) = names.next() {
            sorted.push(item.name.to_vec());
        }
        assert_eq!(sorted, [&b"a-"[..], b"a.", b"a", b"a0", b"ab", b"\xff"]);
    }
}
