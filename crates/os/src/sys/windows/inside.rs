//! Changes in an open folder: none so far.

use crate::{Attribute, Facts, Owner};
use std::fs::{File, FileTimes};
use std::io;
use std::os::windows::fs::FileTimesExt;
use std::path::{Path, PathBuf};

/// Whether the system has calls for an open folder and a name in it.
pub const HAS_CALLS_IN_FOLDERS: bool = false;

fn none<T>() -> io::Result<T> {
    let why = "changes in an open folder are not there on Windows";
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}

/// Defines calls that are not there.
macro_rules! missing {
    ($($call:ident($($type:ty),*) -> $result:ty;)*) => {
        $(pub fn $call($(_: $type),*) -> io::Result<$result> {
            none()
        })*
    };
}

missing! {
    open_to_look_up(&Path) -> File;
    open_beneath(&File, &[u8], i32) -> File;
    facts_in(&File, &[u8]) -> Facts;
    owned_in(&File, &[u8]) -> (Facts, Owner);
    create_in(&File, &[u8]) -> File;
    open_now_in(&File, &[u8]) -> File;
    open_to_change_in(&File, &[u8]) -> File;
    open_folder_in(&File, &[u8]) -> File;
    create_folder_in(&File, &[u8]) -> ();
    make_link_in(&Path, &File, &[u8]) -> ();
    read_link_in(&File, &[u8]) -> PathBuf;
    exchange_in(&File, &[u8], &[u8]) -> ();
    link_in(&File, &[u8], &File, &[u8]) -> ();
    rename_in(&File, &[u8], &[u8]) -> ();
    rename_new_in(&File, &[u8], &[u8]) -> ();
    remove_in(&File, &[u8]) -> ();
    sync_in(&File) -> ();
    attributes(&File) -> Attributes;
    attributes_in(&File, &[u8]) -> Attributes;
}

/// The flags for opening a folder for lookups in it.
pub const LOOKUP: i32 = 0;

pub fn make_link(target: &Path, place: &Path) -> io::Result<()> {
    // There are two kinds, by what they lead to.
    match place.parent().is_some_and(|folder| folder.join(target).is_dir()) {
        true => std::os::windows::fs::symlink_dir(target, place),
        false => std::os::windows::fs::symlink_file(target, place),
    }
}

pub fn copy_attributes(from: &File, to: &File) -> io::Result<Vec<Attribute>> {
    let meta = from.metadata()?;
    let times = FileTimes::new().set_accessed(meta.accessed()?).set_modified(meta.modified()?);
    to.set_times(times.set_created(meta.created()?))?;
    to.set_permissions(meta.permissions())?;
    // Lists of access rights and streams are not copied so far.
    Ok(vec![Attribute::Owner, Attribute::Extended])
}

/// User, group and mode of a file, and names and values of its extended attributes.
pub type Attributes = ((u32, u32, u32), Vec<(Vec<u8>, Vec<u8>)>);
