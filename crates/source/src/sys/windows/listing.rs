//! Listings of directories.

use super::calls::{check, handle, number};
use crate::listed::{EntryType, Listed};
use crate::skip::Skip;
use hashloom_os::names;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStringExt;
use windows_sys::Win32::Foundation::ERROR_NO_MORE_FILES;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT, FileIdBothDirectoryInfo,
    GetFileInformationByHandleEx,
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

/// The bit of a reparse tag for what stands for another name, and the tag of sockets.
const SURROGATE: u32 = 0x2000_0000;
const SOCKET: u32 = 0x8000_0023;

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
            let bytes = self.bytes();
            let field = |place: usize| number(bytes, at + place) as u32;
            let after = field(0) as usize;
            let (attributes, tag, ino) = (field(ATTRIBUTES), field(TAG), number(bytes, at + FILE_ID));
            let name = bytes.get(at + NAME..).and_then(|rest| rest.get(..field(NAME_BYTES) as usize));
            let name = name.ok_or(io::ErrorKind::InvalidData)?;
            let units: Vec<u16> = name.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
            self.next = (after > 0).then_some(at + after);
            self.name = names::into_bytes(OsString::from_wide(&units));
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

    fn bytes(&self) -> &[u8] {
        // SAFETY: the numbers are as many bytes, of which every pattern is valid.
        unsafe { std::slice::from_raw_parts(self.part.as_ptr().cast(), PART) }
    }
}

/// Returns the type of an entry.
fn kind(attributes: u32, tag: u32) -> EntryType {
    let is_reparsed = attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0;
    match tag {
        SOCKET if is_reparsed => EntryType::Special(Skip::Socket),
        tag if is_reparsed && tag & SURROGATE != 0 => EntryType::Link,
        _ if attributes & FILE_ATTRIBUTE_DIRECTORY != 0 => EntryType::Directory,
        _ => EntryType::File,
    }
}
