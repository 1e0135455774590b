//! The scripts of a delta: the file itself, or those in an archive.

use super::beginning::beginning;
use super::content::{ImportFormat, recognise};
#[cfg(feature = "archives")]
use super::members::Members;
use crate::error::Error;
#[cfg(not(feature = "archives"))]
use crate::error::Why;
use hashmill_os::SharedFile;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A callback for scripts.
pub(super) type TakeScript<'a> = &'a mut dyn FnMut(Box<dyn Read + '_>) -> Result<(), Error>;

/// Passes each script of a delta.
pub(super) fn each_script(path: &Path, take: TakeScript<'_>) -> Result<(), Error> {
    let file = SharedFile::new(File::open(path).map_err(Error::io(path, "open"))?);
    let (first, whole) = beginning(Box::new(file.again())).map_err(Error::io(path, "read"))?;
    match recognise(&first, None) {
        ImportFormat::Zip => each_member(path, &file, take),
        _ => take(whole),
    }
}

#[cfg(feature = "archives")]
fn each_member(path: &Path, file: &SharedFile, take: TakeScript<'_>) -> Result<(), Error> {
    let members = Members::read(path, file, None)?.all;
    members
        .iter()
        .filter(|member| member.is(ImportFormat::Delta))
        .try_for_each(|member| take(member.open(path)?))
}

#[cfg(not(feature = "archives"))]
fn each_member(path: &Path, _: &SharedFile, _: TakeScript<'_>) -> Result<(), Error> {
    Err(Error::new(path, Why::Feature("archives")))
}
