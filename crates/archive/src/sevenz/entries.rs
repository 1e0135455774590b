//! The list of members ("FilesInfo").

use super::input::{Bits, Input};
use crate::{Member, MemberKind, Problem, Time, Times};
use hashmill_disk::utf16_le;
use std::ops::Range;

/// The numbers of properties.
const END: u64 = 0;
const EMPTY_STREAM: u64 = 14;
const EMPTY_FILE: u64 = 15;
const ANTI: u64 = 16;
const NAMES: u64 = 17;
const CREATED: u64 = 18;
const ACCESSED: u64 = 19;
const MODIFIED: u64 = 20;
const ATTRIBUTES: u64 = 21;

/// The attribute of a directory, and that which says that the upper half is a mode of Unix.
const DIRECTORY: u32 = 0x10;
const UNIX: u32 = 0x8000;

/// A member.
#[derive(Debug, Default)]
pub(super) struct FileEntry {
    /// The place of its name in the header.
    name: Range<usize>,
    created: Option<u64>,
    accessed: Option<u64>,
    modified: Option<u64>,
    attributes: Option<u32>,
    pub(super) has_content: bool,
    is_directory: bool,
    /// Whether it stands for the deletion of something.
    pub(super) is_anti: bool,
}

/// Reads the list of members.
pub(super) fn read(input: &mut Input<'_>) -> Result<Vec<FileEntry>, Problem> {
    let count = input.count(size_of::<FileEntry>(), "members")?;
    let mut entries: Vec<FileEntry> = Vec::new();
    entries.resize_with(count, || FileEntry { has_content: true, ..FileEntry::default() });
    let (mut empty_files, mut anti) = (Bits::None, Bits::None);
    loop {
        let property = input.number()?;
        if property == END {
            break;
        }
        let length = input.number()?;
        let base = input.position();
        let mut property_input = input.part(length)?;
        let part = &mut property_input;
        match property {
            EMPTY_STREAM => {
                let empty = part.bits(count)?;
                each(&mut entries, |at, entry| entry.has_content = !empty.is_set(at));
            }
            EMPTY_FILE => empty_files = part.all_bits(),
            ANTI => anti = part.all_bits(),
            NAMES => names(part, base, &mut entries)?,
            CREATED => times(part, &mut entries, |entry| &mut entry.created)?,
            ACCESSED => times(part, &mut entries, |entry| &mut entry.accessed)?,
            MODIFIED => times(part, &mut entries, |entry| &mut entry.modified)?,
            ATTRIBUTES => attributes(part, &mut entries)?,
            // Others are of no use, or only make room.
            _ => {}
        }
    }
    for (at, entry) in entries.iter_mut().filter(|entry| !entry.has_content).enumerate() {
        entry.is_directory = !empty_files.is_set(at);
        entry.is_anti = anti.is_set(at);
    }
    Ok(entries)
}

/// Calls a function with each entry and its place.
fn each(entries: &mut [FileEntry], mut call: impl FnMut(usize, &mut FileEntry)) {
    entries.iter_mut().enumerate().for_each(|(at, entry)| call(at, entry));
}

/// Reads that a property lies here, and not in a stream of its own, which nothing writes.
fn check_here(part: &mut Input<'_>) -> Result<(), Problem> {
    match part.byte()? {
        0 => Ok(()),
        _ => Err(Problem::Unsupported("a 7z archive with members that are listed elsewhere".into())),
    }
}

/// Reads names in UTF-16, each of which ends with a zero.
fn names(part: &mut Input<'_>, base: usize, entries: &mut [FileEntry]) -> Result<(), Problem> {
    check_here(part)?;
    for entry in entries {
        let start = part.position();
        let end = loop {
            let end = part.position();
            if part.bytes(2)? == [0, 0] {
                break end;
            }
        };
        entry.name = base.saturating_add(start)..base.saturating_add(end);
    }
    Ok(())
}

/// Reads times, which not all members need to have.
fn times(
    part: &mut Input<'_>,
    entries: &mut [FileEntry],
    time: impl Fn(&mut FileEntry) -> &mut Option<u64>,
) -> Result<(), Problem> {
    let defined = part.bits_or_all(entries.len())?;
    check_here(part)?;
    for (at, entry) in entries.iter_mut().enumerate() {
        *time(entry) = defined.is_set(at).then(|| part.u64()).transpose()?;
    }
    Ok(())
}

fn attributes(part: &mut Input<'_>, entries: &mut [FileEntry]) -> Result<(), Problem> {
    let defined = part.bits_or_all(entries.len())?;
    check_here(part)?;
    for (at, entry) in entries.iter_mut().enumerate() {
        entry.attributes = defined.is_set(at).then(|| part.u32()).transpose()?;
    }
    Ok(())
}

impl FileEntry {
    /// Returns the facts about the member, as far as the list has them.
    pub(super) fn member(&self, header: &[u8]) -> Member {
        Member {
            kind: self.kind(),
            size: Some(0),
            times: Times {
                modified: self.modified.map(Time::from_filetime),
                accessed: self.accessed.map(Time::from_filetime),
                changed: None,
                created: self.created.map(Time::from_filetime),
            },
            mode: self.mode().map(|mode| mode & 0o7777),
            ..Member::new(utf16_le(header.get(self.name.clone()).unwrap_or_default()))
        }
    }

    /// Returns its mode, with the bits of its type.
    fn mode(&self) -> Option<u32> {
        self.attributes.filter(|attributes| attributes & UNIX != 0).map(|attributes| attributes >> 16)
    }

    /// Returns its kind. The target of a link is its content. Without content, programs write an empty file for links and all
    /// that is special.
    fn kind(&self) -> MemberKind {
        match self.mode().map(|mode| mode & 0o17_0000) {
            _ if self.is_directory => MemberKind::Directory,
            mode if !self.has_content => {
                let has_attribute = self.attributes.is_some_and(|attributes| attributes & DIRECTORY != 0);
                if has_attribute || mode == Some(0o4_0000) { MemberKind::Directory } else { MemberKind::File }
            }
            Some(0o12_0000) => MemberKind::Link(Vec::new()),
            Some(0o1_0000) => MemberKind::Fifo,
            Some(0o14_0000) => MemberKind::Socket,
            Some(0o2_0000 | 0o6_0000) => MemberKind::Device,
            _ => MemberKind::File,
        }
    }
}

/// Returns the facts about the members of a list, for tests.
#[cfg(test)]
fn members(list: &[u8]) -> Result<Vec<Member>, Problem> {
    let entries = read(&mut Input::new(list, &crate::Limits::default()))?;
    Ok(entries.iter().map(|entry| entry.member(list)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_what_is_stated() {
        let names = [17, 13, 0, b'a', 0, 0, 0, b'b', 0, 0, 0, b'c', 0, 0, 0];
        let times = [20, 11, 0, 0b0100_0000, 0, 0, 0x80, 0x3e, 0xd5, 0xde, 0xb1, 0x9d, 1];
        let list =
            [&[3, 14, 1, 0b1100_0000, 15, 1, 0b0100_0000, 25, 2, 9, 9][..], &names, &times, &[0]].concat();
        let members = members(&list).unwrap();
        let kinds: Vec<&MemberKind> = members.iter().map(|member| &member.kind).collect();
        assert_eq!(kinds, [&MemberKind::Directory, &MemberKind::File, &MemberKind::File]);
        let paths: Vec<&[u8]> = members.iter().map(|member| &*member.path).collect();
        assert_eq!(paths, [b"a", b"b", b"c"]);
        let modified: Vec<Option<Time>> = members.iter().map(|member| member.times.modified).collect();
        assert_eq!(modified, [None, Some(Time { seconds: 0, nanoseconds: 0 }), None]);
    }

    #[test]
    fn a_list_that_is_cut_or_elsewhere_is_a_problem() {
        let list = [1, 17, 5, 0, b'a', 0, 0, 0, 0];
        assert_eq!(members(&list).unwrap().len(), 1);
        for length in 0..list.len() {
            assert_eq!(members(&list[..length]).unwrap_err().word(), "damaged", "{length}");
        }
        assert_eq!(members(&[1, 17, 1, 1, 0]).unwrap_err().word(), "unsupported-method");
        // A name that has no end, and one that another property would have to end.
        assert!(members(&[1, 17, 4, 0, b'a', 0, 0, 0, 0]).is_err());
    }
}
