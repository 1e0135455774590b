//! Metadata and owners of files.

use super::process::user_number;
use crate::sys::is_elsewhere;
use crate::{Access, Facts, FileKind, Links, Owner};
use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// The unit of `st_blocks` in bytes.
const BLOCK: u64 = 512;

/// The permissions of users other than the owner.
pub const OTHERS: u32 = 0o077;

/// The user who administers the system.
const ROOT: u32 = 0;

/// That user in messages.
pub const SYSTEM: &str = "number 0";
/// The word before the number of another user in messages.
pub const USER_NUMBER: &str = "number";

pub fn facts(file: &File) -> io::Result<Facts> {
    file.metadata().map(|meta| convert(&meta))
}

pub fn facts_at(path: &Path, links: Links) -> io::Result<Facts> {
    metadata(path, links).map(|meta| convert(&meta))
}

pub fn owner(file: &File) -> io::Result<Owner> {
    file.metadata().map(|meta| owner_of(&meta))
}

pub fn owned_at(path: &Path, links: Links) -> io::Result<(Facts, Owner)> {
    metadata(path, links).map(|meta| (convert(&meta), owner_of(&meta)))
}

pub fn others_may(file: &File) -> io::Result<Access> {
    let mode = file.metadata()?.mode();
    Ok(Access { read: mode & 0o044 != 0, write: mode & 0o022 != 0, everybody_writes: mode & 0o002 != 0 })
}

fn metadata(path: &Path, links: Links) -> io::Result<Metadata> {
    match links {
        Links::Follow => fs::metadata(path),
        Links::Stay => fs::symlink_metadata(path),
    }
}

fn convert(meta: &Metadata) -> Facts {
    // The kernel keeps nanoseconds below one second.
    let nanoseconds = |number: i64| u32::try_from(number).unwrap_or(0);
    Facts {
        id: (meta.dev(), meta.ino().into()),
        kind: kind(meta.file_type()),
        links: meta.nlink(),
        size: meta.size(),
        allocated: meta.blocks().saturating_mul(BLOCK),
        mtime: (meta.mtime(), nanoseconds(meta.mtime_nsec())),
        ctime: (meta.ctime(), nanoseconds(meta.ctime_nsec())),
        atime: (meta.atime(), nanoseconds(meta.atime_nsec())),
        born: (0, 0),
        device: meta.rdev(),
        mode: meta.mode(),
        attributes: 0,
        elsewhere: is_elsewhere(meta),
        tag: 0,
    }
}

fn kind(kind: FileType) -> FileKind {
    match () {
        () if kind.is_dir() => FileKind::Folder,
        () if kind.is_symlink() => FileKind::Link,
        () if kind.is_fifo() => FileKind::Fifo,
        () if kind.is_socket() => FileKind::Socket,
        () if kind.is_block_device() => FileKind::Block,
        () if kind.is_char_device() => FileKind::Character,
        () => FileKind::File,
    }
}

fn owner_of(meta: &Metadata) -> Owner {
    match meta.uid() {
        own if Some(own) == user_number() => Owner::Mine,
        ROOT => Owner::System,
        other => Owner::Other(other.to_string().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn kinds_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("/dev/null", &link).unwrap();
        let kind = |links| facts_at(&link, links).unwrap().kind;
        assert_eq!((kind(Links::Stay), kind(Links::Follow)), (FileKind::Link, FileKind::Character));
        let (reader, _writer) = io::pipe().unwrap();
        let pipe = File::from(std::os::fd::OwnedFd::from(reader));
        assert_eq!(facts(&pipe).unwrap().kind, FileKind::Fifo);
    }

    #[test]
    fn access_follows_the_mode() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::tempfile().unwrap();
        let cases = [
            (0o600, false, false, false),
            (0o640, true, false, false),
            (0o620, false, true, false),
            (0o602, false, true, true),
        ];
        for (mode, read, write, everybody_writes) in cases {
            file.set_permissions(fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(others_may(&file).unwrap(), Access { read, write, everybody_writes });
        }
    }

    #[test]
    fn the_system_owns_its_devices() {
        let (_, owner) = owned_at(Path::new("/dev/null"), Links::Stay).unwrap();
        assert_eq!(owner == Owner::Mine, user_number() == Some(ROOT));
    }
}
