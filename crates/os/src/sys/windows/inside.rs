//! Changes in an open folder: none so far.

use crate::Attribute;
use std::fs::{File, FileTimes};
use std::io;
use std::os::windows::fs::FileTimesExt;
use std::path::Path;

fn none() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "replacing files in an open folder is not there on Windows")
}

pub fn create_in(_: &File, _: &[u8]) -> io::Result<File> {
    Err(none())
}

pub fn exchange_in(_: &File, _: &[u8], _: &[u8]) -> io::Result<()> {
    Err(none())
}

pub fn link_in(_: &File, _: &[u8], _: &[u8]) -> io::Result<()> {
    Err(none())
}

pub fn rename_in(_: &File, _: &[u8], _: &[u8]) -> io::Result<()> {
    Err(none())
}

pub fn remove_in(_: &File, _: &[u8]) -> io::Result<()> {
    Err(none())
}

pub fn sync_in(_: &File) -> io::Result<()> {
    Err(none())
}

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

pub fn attributes(_: &File) -> io::Result<Attributes> {
    Err(no_attributes())
}

pub fn attributes_in(_: &File, _: &[u8]) -> io::Result<Attributes> {
    Err(no_attributes())
}

fn no_attributes() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "Windows has no owners and attributes as Unix has them")
}
