//! Metadata of files.

use super::calls::{BACKUP, check, handle, share_all, size};
use crate::{Facts, FileId, FileKind, Links, reparse};
use std::fs::{File, OpenOptions};
use std::io;
use std::mem::MaybeUninit;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_READONLY, FILE_ATTRIBUTE_TAG_INFO, FILE_BASIC_INFO,
    FILE_FLAG_OPEN_REPARSE_POINT, FILE_ID_INFO, FILE_INFO_BY_HANDLE_CLASS, FILE_READ_ATTRIBUTES,
    FILE_STANDARD_INFO, FILE_TYPE_CHAR, FILE_TYPE_PIPE, FileAttributeTagInfo, FileBasicInfo, FileIdInfo,
    FileStandardInfo, GetFileInformationByHandle, GetFileInformationByHandleEx, GetFileType,
};

/// Units of a time of a file: 100 ns, since 1601.
const TICKS: i64 = 10_000_000;
const SECONDS_TO_1970: i64 = 11_644_473_600;

/// The mode bits that tell about the access of other users: none.
pub const OTHERS: u32 = 0;

/// Mode bits of a folder, a file, and a file that is read-only, as a file system without modes has them on Linux.
const FOLDER_MODE: u32 = 0o040_755;
const FILE_MODE: u32 = 0o100_644;
const READ_ONLY_MODE: u32 = 0o100_444;

pub fn facts_at(path: &Path, links: Links) -> io::Result<Facts> {
    facts(&look(path, links, FILE_READ_ATTRIBUTES)?)
}

/// Opens a file or folder with these rights, or a link itself.
pub(super) fn look(path: &Path, links: Links, rights: u32) -> io::Result<File> {
    let link = if links == Links::Stay { FILE_FLAG_OPEN_REPARSE_POINT } else { 0 };
    let mut options = OpenOptions::new();
    share_all(&mut options).access_mode(rights).custom_flags(BACKUP | link).open(path)
}

#[allow(unsafe_code)]
pub fn facts(file: &File) -> io::Result<Facts> {
    // SAFETY: the call takes an open handle and touches no memory.
    match unsafe { GetFileType(handle(file)) } {
        FILE_TYPE_PIPE => Ok(stream(FileKind::Fifo)),
        FILE_TYPE_CHAR => Ok(stream(FileKind::Character)),
        _ => of_disk(file),
    }
}

/// Returns the metadata of a stream, which has none but its type.
fn stream(kind: FileKind) -> Facts {
    let never = (0, 0);
    Facts {
        id: (0, 0),
        kind,
        links: 1,
        size: 0,
        allocated: 0,
        mtime: never,
        ctime: never,
        atime: never,
        born: never,
        device: 0,
        mode: 0,
        attributes: 0,
        tag: 0,
        elsewhere: false,
    }
}

fn of_disk(file: &File) -> io::Result<Facts> {
    let Ok(basic) = ask::<FILE_BASIC_INFO>(file, FileBasicInfo) else {
        // A disk or a volume as a whole has a type only.
        return Ok(stream(FileKind::Block));
    };
    let standard = ask::<FILE_STANDARD_INFO>(file, FileStandardInfo)?;
    let tag = tag(file, basic.FileAttributes);
    let kind = reparse::kind(basic.FileAttributes, tag);
    Ok(Facts {
        id: id(file)?,
        kind,
        links: standard.NumberOfLinks.into(),
        size: standard.EndOfFile.cast_unsigned(),
        allocated: standard.AllocationSize.cast_unsigned(),
        mtime: time(basic.LastWriteTime),
        ctime: time(basic.ChangeTime),
        atime: time(basic.LastAccessTime),
        born: time(basic.CreationTime),
        device: 0,
        mode: mode(kind, basic.FileAttributes),
        attributes: basic.FileAttributes,
        elsewhere: reparse::is_elsewhere(basic.FileAttributes),
        tag,
    })
}

/// Returns the tag of a reparse point; 0 for other files.
fn tag(file: &File, attributes: u32) -> u32 {
    if !reparse::is_reparse_point(attributes) {
        return 0;
    }
    ask::<FILE_ATTRIBUTE_TAG_INFO>(file, FileAttributeTagInfo).map_or(0, |found| found.ReparseTag)
}

/// Returns the volume and the number of a file. File systems without numbers of 128 bits have some of 64.
#[allow(unsafe_code)]
fn id(file: &File) -> io::Result<FileId> {
    if let Ok(found) = ask::<FILE_ID_INFO>(file, FileIdInfo) {
        return Ok((found.VolumeSerialNumber, u128::from_le_bytes(found.FileId.Identifier)));
    }
    let mut found = MaybeUninit::<BY_HANDLE_FILE_INFORMATION>::uninit();
    // SAFETY: the handle is open, and `found` has room for what the call writes.
    check(unsafe { GetFileInformationByHandle(handle(file), found.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it wrote the whole structure.
    let found = unsafe { found.assume_init_ref() };
    let number = u64::from(found.nFileIndexHigh) << 32 | u64::from(found.nFileIndexLow);
    Ok((found.dwVolumeSerialNumber.into(), number.into()))
}

/// The structures of integers that a class of information consists of.
trait Information: Copy {}
impl Information for FILE_BASIC_INFO {}
impl Information for FILE_STANDARD_INFO {}
impl Information for FILE_ID_INFO {}
impl Information for FILE_ATTRIBUTE_TAG_INFO {}

#[allow(unsafe_code)]
fn ask<T: Information>(file: &File, class: FILE_INFO_BY_HANDLE_CLASS) -> io::Result<T> {
    let mut found = MaybeUninit::<T>::zeroed();
    // SAFETY: the handle is open, and `found` has room for as many bytes as it is told.
    check(unsafe {
        GetFileInformationByHandleEx(handle(file), class, found.as_mut_ptr().cast(), size::<T>())
    })?;
    // SAFETY: the structure was all zeros, a valid value of integers, before the call wrote to it.
    Ok(unsafe { found.assume_init() })
}

fn mode(kind: FileKind, attributes: u32) -> u32 {
    match kind {
        FileKind::Folder => FOLDER_MODE,
        _ if attributes & FILE_ATTRIBUTE_READONLY != 0 => READ_ONLY_MODE,
        _ => FILE_MODE,
    }
}

/// Converts a time. A file system without such a time has 0, and so has the result.
fn time(ticks: i64) -> (i64, u32) {
    if ticks <= 0 {
        return (0, 0);
    }
    (ticks.div_euclid(TICKS) - SECONDS_TO_1970, ticks.rem_euclid(TICKS) as u32 * 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_unix() {
        assert_eq!(time(0), (0, 0));
        assert_eq!(time(116_444_736_000_000_000), (0, 0));
        assert_eq!(time(116_444_736_000_000_001), (0, 100));
        assert_eq!(time(116_444_735_999_999_999), (-1, 999_999_900));
    }
}
