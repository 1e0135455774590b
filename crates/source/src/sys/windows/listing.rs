//! Listings of directories.

use super::calls::{check, handle, number};
use super::opening::open_name;
use crate::meta::listed::{EntryType, Listed};
use crate::meta::skip::Skip;
use hashmill_os::{FileKind, names, reparse};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStringExt;
use windows_sys::Wdk::Storage::FileSystem::FILE_OPEN_REPARSE_POINT;
use windows_sys::Win32::Foundation::{
    ERROR_CALL_NOT_IMPLEMENTED, ERROR_HANDLE_EOF, ERROR_INSUFFICIENT_BUFFER, ERROR_INVALID_FUNCTION,
    ERROR_INVALID_LEVEL, ERROR_INVALID_PARAMETER, ERROR_MORE_DATA, ERROR_NO_MORE_FILES, ERROR_NOT_SUPPORTED,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_READ_ATTRIBUTES, FileIdBothDirectoryInfo, FileStreamInfo, GetFileInformationByHandleEx,
};

/// The number of bytes of a part of a listing.
const PART: usize = 64 << 10;

/// Places of fields in `FILE_ID_BOTH_DIR_INFO`. The field for the size of extended attributes has the tag of a reparse
/// point.
const ATTRIBUTES: usize = 56;
const NAME_BYTES: usize = 60;
const TAG: usize = 64;
const FILE_ID: usize = 96;
const NAME: usize = 104;

/// The place of the name in `FILE_STREAM_INFO`.
const STREAM_NAME: usize = 24;

/// The most bytes of a list of streams; NTFS has fewer.
const MOST_STREAMS: usize = 16 << 20;

/// An open directory and a part of its listing.
pub(crate) struct Directory {
    file: File,
    /// Numbers of 64 bits, for the alignment.
    part: Vec<u64>,
    /// The place of the next entry in the part; `None` at its end.
    next: Option<usize>,
    name: Vec<u8>,
}

impl Directory {
    /// Takes ownership of an open directory.
    pub(crate) fn new(file: File) -> io::Result<Directory> {
        Ok(Directory { file, part: vec![0; PART / 8], next: None, name: Vec::new() })
    }

    /// Returns the directory itself.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Returns the next entry, skipping `.` and `..`.
    pub(crate) fn next(&mut self) -> io::Result<Option<Listed<'_>>> {
        loop {
            let Some(at) = self.next.take() else {
                if !self.fill()? {
                    return Ok(None);
                }
                self.next = Some(0);
                continue;
            };
            let bytes = bytes_of(&self.part);
            let field = |place: usize| number(bytes, at + place) as u32;
            let after = field(0) as usize;
            let (attributes, tag, ino) = (field(ATTRIBUTES), field(TAG), number(bytes, at + FILE_ID));
            let name = bytes.get(at + NAME..).and_then(|rest| rest.get(..field(NAME_BYTES) as usize));
            let name = name.ok_or(io::ErrorKind::InvalidData)?;
            let name = wide_name(name);
            self.next = (after > 0).then_some(at + after);
            self.name = names::into_bytes(name);
            if self.name != b"." && self.name != b".." {
                let kind = kind(attributes, tag);
                return Ok(Some(Listed { directory: &self.file, name: &self.name, kind, ino }));
            }
        }
    }

    /// Reads the next part; returns false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        let place = self.part.as_mut_ptr().cast();
        // SAFETY: the handle is open, and the part has room for as many bytes as the call is told.
        let listed = check(unsafe {
            GetFileInformationByHandleEx(handle(&self.file), FileIdBothDirectoryInfo, place, PART as u32)
        });
        match listed {
            Err(error) if error.raw_os_error() == Some(ERROR_NO_MORE_FILES as i32) => Ok(false),
            other => other.map(|()| true),
        }
    }
}

/// Returns the type of an entry.
fn kind(attributes: u32, tag: u32) -> EntryType {
    match reparse::kind(attributes, tag) {
        FileKind::Socket => EntryType::Special(Skip::Socket),
        FileKind::Link => EntryType::Link,
        FileKind::Folder => EntryType::Directory,
        _ if reparse::is_elsewhere(attributes) => EntryType::Elsewhere,
        _ => EntryType::File,
    }
}

/// Returns the names of the streams of an entry, but for that of its content; none where the file system has no streams.
pub(crate) fn streams(directory: &File, name: &[u8]) -> io::Result<Vec<Vec<u8>>> {
    let file = open_name(directory, name, FILE_READ_ATTRIBUTES, FILE_OPEN_REPARSE_POINT)?;
    let mut answer = vec![0_u64; PART / 8];
    loop {
        let length = answer.len() * 8;
        // SAFETY: the handle is open, and the answer has room for as many bytes as the call is told.
        let asked = check(unsafe {
            GetFileInformationByHandleEx(
                handle(&file),
                FileStreamInfo,
                answer.as_mut_ptr().cast(),
                length as u32,
            )
        });
        match asked.map_err(|error| (error.raw_os_error().map(i32::cast_unsigned), error)) {
            Ok(()) => return stream_names(bytes_of(&answer)),
            Err((Some(ERROR_MORE_DATA | ERROR_INSUFFICIENT_BUFFER), _)) if length < MOST_STREAMS => {
                answer.resize(2 * answer.len(), 0);
            }
            // A folder without any has no list, and file systems without streams don't know the question.
            Err((
                Some(
                    ERROR_HANDLE_EOF
                    | ERROR_INVALID_PARAMETER
                    | ERROR_INVALID_FUNCTION
                    | ERROR_NOT_SUPPORTED
                    | ERROR_CALL_NOT_IMPLEMENTED
                    | ERROR_INVALID_LEVEL,
                ),
                _,
            )) => return Ok(Vec::new()),
            Err((_, error)) => return Err(error),
        }
    }
}

/// Returns the names in a list of `FILE_STREAM_INFO`, which are those of content (`:name:$DATA`).
fn stream_names(list: &[u8]) -> io::Result<Vec<Vec<u8>>> {
    let (mut found, mut at) = (Vec::new(), 0);
    loop {
        let field = |place: usize| number(list, at + place) as u32 as usize;
        let (after, length) = (field(0), field(4));
        let name = list.get(at + STREAM_NAME..).and_then(|rest| rest.get(..length));
        let name = names::into_bytes(wide_name(name.ok_or(io::ErrorKind::InvalidData)?));
        // That of the file itself has no name.
        if let Some(name) = name.strip_prefix(b":").and_then(|name| name.strip_suffix(b":$DATA"))
            && !name.is_empty()
        {
            found.push(name.to_vec());
        }
        if after == 0 {
            return Ok(found);
        }
        at += after;
    }
}

fn wide_name(bytes: &[u8]) -> OsString {
    let units: Vec<u16> = bytes.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    OsString::from_wide(&units)
}

fn bytes_of(numbers: &[u64]) -> &[u8] {
    // SAFETY: the numbers are as many bytes, of which every pattern is valid.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an entry of a list of streams.
    fn entry(name: &str, is_last: bool) -> Vec<u8> {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let length = (STREAM_NAME + name.len()).next_multiple_of(8);
        let mut entry = vec![0; length];
        entry[..4].copy_from_slice(&(if is_last { 0 } else { length as u32 }).to_le_bytes());
        entry[4..8].copy_from_slice(&(name.len() as u32).to_le_bytes());
        entry[STREAM_NAME..STREAM_NAME + name.len()].copy_from_slice(&name);
        entry
    }

    #[test]
    fn streams_of_content_have_names() {
        let list = [entry("::$DATA", false), entry(":Zone.Identifier:$DATA", false), entry(":é:$DATA", true)]
            .concat();
        assert_eq!(stream_names(&list).unwrap(), [b"Zone.Identifier".to_vec(), "é".into()]);
        assert!(stream_names(&entry("::$DATA", true)).unwrap().is_empty());
        let mut lying = entry(":a:$DATA", true);
        lying[4] = 200;
        assert!(stream_names(&lying).is_err(), "a name that goes beyond the list");
        assert!(stream_names(&entry(":a:$DATA", false)).is_err(), "a list that goes on beyond its end");
    }

    #[test]
    fn what_a_cloud_has_is_no_file_until_it_was_downloaded() {
        let (folder, reparse_point, offline, recall) = (0x10, 0x400, 0x1000, 0x40_0000);
        assert_eq!(kind(recall, 0), EntryType::Elsewhere);
        assert_eq!(kind(reparse_point | offline, 0x9000_101a), EntryType::Elsewhere);
        assert_eq!(kind(reparse_point, 0x9000_101a), EntryType::File);
        assert_eq!(kind(reparse_point | recall, reparse::SYMLINK), EntryType::Link);
        assert_eq!(kind(folder | recall, 0), EntryType::Directory);
    }
}
