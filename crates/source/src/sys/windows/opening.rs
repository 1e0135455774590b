//! Opening and metadata, from the working directory and from an open directory.

use super::calls::handle;
use crate::meta::mode;
use crate::opening::Want;
use crate::{Meta, identity};
use hashmill_os::error::{Meaning, make};
use hashmill_os::{FileKind, Links, facts, facts_at, names};
use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::FromRawHandle;
use std::ptr;
use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_DIRECTORY_FILE, FILE_OPEN, FILE_OPEN_FOR_BACKUP_INTENT, FILE_OPEN_REPARSE_POINT,
    FILE_SYNCHRONOUS_IO_NONALERT, NtCreateFile,
};
use windows_sys::Win32::Foundation::{HANDLE, OBJ_CASE_INSENSITIVE, RtlNtStatusToDosError, UNICODE_STRING};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_GENERIC_READ, FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES, FILE_SHARE_DELETE, FILE_SHARE_READ,
    FILE_SHARE_WRITE, FILE_TRAVERSE, SYNCHRONIZE,
};
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

/// The longest path of the system, in units of 16 bits.
const LONGEST_PATH: usize = 32_767;

/// Opens a path for reading. Others may read, write and delete it meanwhile.
pub(crate) fn open(path: &[u8], want: Want, links: Links) -> io::Result<File> {
    let path = names::exact_path(path)?;
    match want {
        Want::Read | Want::ReadNow => hashmill_os::open_now(&path, links),
        Want::Folder | Want::Lookup => hashmill_os::open_folder(&path, links),
    }
}

/// Opens a path below a directory for reading, one directory after the other. What stands for another name, on the way or
/// at the end, fails as [`Meaning::Link`] says.
pub(crate) fn open_below(start: &File, path: &[u8], want: Want) -> io::Result<File> {
    let (rights, options) = match want {
        Want::Read | Want::ReadNow => (FILE_GENERIC_READ, 0),
        Want::Folder => (FILE_LIST_DIRECTORY, FILE_DIRECTORY_FILE),
        Want::Lookup => (FILE_TRAVERSE, FILE_DIRECTORY_FILE),
    };
    let mut names = names_of(path).peekable();
    let mut at: Option<File> = None;
    while let Some(name) = names.next() {
        let is_last = names.peek().is_none();
        let (rights, options) =
            if is_last { (rights, options) } else { (FILE_TRAVERSE, FILE_DIRECTORY_FILE) };
        let next = open_name(at.as_ref().unwrap_or(start), name, rights, options | FILE_OPEN_REPARSE_POINT)?;
        if facts(&next)?.kind == FileKind::Link {
            return Err(make(Meaning::Link));
        }
        at = Some(next);
    }
    at.map_or_else(|| open_name(start, b"", rights, options), Ok)
}

/// Returns the metadata of the file at a path.
pub(crate) fn stat(path: &[u8], links: Links) -> io::Result<Meta> {
    facts_at(&names::exact_path(path)?, links).map(meta)
}

/// Returns the metadata of an entry of an open directory.
pub(crate) fn stat_in(directory: &File, name: &[u8], links: Links) -> io::Result<Meta> {
    let options = if links == Links::Stay { FILE_OPEN_REPARSE_POINT } else { 0 };
    stat_open(&open_name(directory, name, FILE_READ_ATTRIBUTES, options)?)
}

/// Returns the metadata of an open file.
pub(crate) fn stat_open(file: &File) -> io::Result<Meta> {
    facts(file).map(meta)
}

fn meta(facts: hashmill_os::Facts) -> Meta {
    let hashmill_os::Facts { id, size, mtime, ctime, allocated, attributes, elsewhere, .. } = facts;
    let mode = facts.mode | if elsewhere { mode::ELSEWHERE } else { 0 };
    let (dev, ino) = identity(id);
    Meta { dev, ino, size, mtime, ctime, blocks: allocated / 512, mode, attributes, stamp: 0 }
}

/// Returns the names of a path, without those that stand for the same directory.
fn names_of(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|name| !matches!(*name, b"" | b"."))
}

/// Opens an open file once more for reading, with other options.
///
/// # Errors
/// If the system can't, or finds another file: Wine takes the name that the file had.
pub(super) fn open_again(file: &File, options: u32) -> io::Result<File> {
    let again = open_name(file, b"", FILE_GENERIC_READ, options)?;
    if facts(&again)?.id == facts(file)?.id { Ok(again) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// Opens an entry of a directory, by the name that it has there: no name is reserved, and none is cut.
/// An empty name is the directory itself.
pub(super) fn open_name(directory: &File, name: &[u8], rights: u32, options: u32) -> io::Result<File> {
    if name == b".." || name.contains(&b'/') {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut name: Vec<u16> = names::name(name)?.encode_wide().collect();
    // A backslash would lead into a directory. One colon leads to a stream of content; two would name other parts of a file,
    // or the file itself.
    let is_colon = |unit: &&u16| **unit == u16::from(b':');
    let is_odd = [name.first(), name.last()].into_iter().flatten().any(|unit| is_colon(&unit))
        || name.iter().filter(is_colon).count() > 1;
    if name.len() > LONGEST_PATH || is_odd || name.contains(&u16::from(b'\\')) {
        return Err(io::ErrorKind::InvalidFilename.into());
    }
    let length = (2 * name.len()) as u16;
    let text = UNICODE_STRING { Length: length, MaximumLength: length, Buffer: name.as_mut_ptr() };
    let object = OBJECT_ATTRIBUTES {
        Length: size_of::<OBJECT_ATTRIBUTES>() as u32,
        RootDirectory: handle(directory),
        ObjectName: &raw const text,
        Attributes: OBJ_CASE_INSENSITIVE as _,
        SecurityDescriptor: ptr::null(),
        SecurityQualityOfService: ptr::null(),
    };
    let (mut opened, mut state): (HANDLE, _) = (ptr::null_mut::<c_void>(), IO_STATUS_BLOCK::default());
    // SAFETY: all structures outlive the call, with the lengths that they state.
    let status = unsafe {
        NtCreateFile(
            &raw mut opened,
            rights | SYNCHRONIZE | FILE_READ_ATTRIBUTES,
            &raw const object,
            &raw mut state,
            ptr::null(),
            0,
            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
            FILE_OPEN,
            options | FILE_SYNCHRONOUS_IO_NONALERT | FILE_OPEN_FOR_BACKUP_INTENT,
            ptr::null(),
            0,
        )
    };
    if status < 0 {
        // SAFETY: converts a number.
        return Err(io::Error::from_raw_os_error(unsafe { RtlNtStatusToDosError(status) }.cast_signed()));
    }
    // SAFETY: the handle is new and has no other owner.
    Ok(unsafe { File::from_raw_handle(opened) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_os::read_at;
    use std::fs;
    use windows_sys::Wdk::Storage::FileSystem::FILE_NO_INTERMEDIATE_BUFFERING;

    #[test]
    fn a_file_that_is_opened_again_is_the_same_one() {
        let folder = std::env::temp_dir().join(format!("hashmill-again-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let (old, new) = (folder.join("old"), folder.join("new"));
        fs::write(&old, "right").unwrap();
        let file = hashmill_os::open_now(&old, Links::Stay).unwrap();
        let read = |file: &File| {
            let mut bytes = [0; 4096];
            let read = read_at(file, &mut bytes, 0).unwrap();
            bytes[..read].to_vec()
        };
        assert_eq!(read(&open_again(&file, FILE_NO_INTERMEDIATE_BUFFERING).unwrap()), b"right");
        // Nor is another one taken that has its name meanwhile.
        fs::rename(&old, &new).unwrap();
        fs::write(&old, "wrong").unwrap();
        if let Ok(again) = open_again(&file, FILE_NO_INTERMEDIATE_BUFFERING) {
            assert_eq!(read(&again), b"right");
        }
        drop(file);
        fs::remove_dir_all(&folder).unwrap();
    }
}
