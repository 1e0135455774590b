//! Changes in an open folder: none so far.

use crate::Attribute;
use std::fs::File;
use std::io;

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

pub fn copy_attributes(_: &File, _: &File) -> io::Result<Vec<Attribute>> {
    Err(none())
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
