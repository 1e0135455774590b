//! Checks before the first byte is read: the source, and the place of the image.

use crate::error::Error;
use crate::media::disks::{is_block, lies_on};
use crate::misfit::Misfit;
use hashmill_content::output::{OutputPath, directory, replaces};
use hashmill_image::{ImageForm, ImageSettings, segments_beside};
use hashmill_os::names::path_bytes;
use hashmill_os::{DISKS_ARE_BLOCKS, FileKind, Links, facts_at};
use hashmill_source::{self as source, Entry, Origin, Problem, Reader, Reading};
use std::io;
use std::path::{Path, PathBuf};

fn unfit(path: &Path, why: &str) -> Error {
    Misfit::of_place(path_bytes(path), why).into()
}

/// Returns the form that the name of the image implies.
///
/// # Errors
/// If it implies none, or is no name of a file.
pub(super) fn form(to: &OutputPath) -> Result<ImageForm, Error> {
    to.check_no_directory().map_err(Misfit::from)?;
    let form = ImageForm::from_name(&to.path);
    let form = form.ok_or_else(|| {
        unfit(&to.path, "the name does not say what to write: end it in .E01, or for raw media in .dd, .raw, .img, .bin or .001")
    })?;
    match replaces(to) {
        true => Ok(form),
        false => Err(unfit(&to.path, "an image can only be written to files of this machine")),
    }
}

/// The source, its size, and whether it is a device.
type Source = (Entry, u64, bool);

/// Opens the source. Returns it, or why it can't be read.
///
/// # Errors
/// If it is neither a file nor a device with a size.
pub(super) fn source(path: &Path, reading: &Reading) -> Result<Result<Source, source::Error>, Error> {
    let failed =
        |source: io::Error| source::Error { path: path_bytes(path).into(), problem: Problem::Open(source) };
    // A FIFO is not even opened: it may never have a writer.
    match facts_at(path, Links::Follow).map(|facts| facts.kind) {
        Err(error) => return Ok(Err(failed(error))),
        Ok(FileKind::File | FileKind::Block) => {}
        Ok(FileKind::Character) if !DISKS_ARE_BLOCKS => {}
        Ok(_) => return Err(unfit(path, "is neither a file nor a disk")),
    }
    let entry = Entry::new(path_bytes(path).into(), Origin::Operand);
    let reader = match Reader::open(&entry, reading) {
        Ok(reader) => reader,
        Err(error) => return Ok(Err(error)),
    };
    if !reader.has_size() {
        return Err(unfit(path, "is a device without a size"));
    }
    let (size, is_physical) = (reader.meta().size, !reader.meta().is_file());
    Ok(Ok((Entry { size: Some(size), ..entry }, size, is_physical)))
}

/// Checks that the image can be written there. Returns the files of an old one, which may be replaced.
///
/// # Errors
/// If files have its names that are not to be replaced, the source is among them, or it has more segments than names.
pub(super) fn check_output(
    to: &OutputPath,
    source: &Path,
    settings: &ImageSettings,
) -> Result<Vec<PathBuf>, Error> {
    if !settings.fits(&to.path) {
        return Err(unfit(
            &to.path,
            "the media are too large for segments of this size: there are not enough names",
        ));
    }
    let old =
        segments_beside(&to.path).map_err(Error::at(directory(&to.path), hashmill_content::File::Read))?;
    let own = facts_at(source, Links::Follow).ok().map(|facts| facts.id);
    let is_source = |path: &&PathBuf| facts_at(path, Links::Follow).ok().map(|facts| facts.id) == own;
    if let Some(path) = old.iter().find(is_source).filter(|_| own.is_some()) {
        return Err(unfit(path, "is what would be acquired: name another file"));
    }
    if let Some(path) = old.first().filter(|_| !to.force) {
        let why = match *path == to.path {
            true => "not replaced: it is there; --force replaces it",
            false => "not replaced: it is a file of an image with this name; --force replaces it",
        };
        return Err(unfit(path, why));
    }
    if is_block(source) && lies_on(directory(&to.path), source) {
        return Err(unfit(
            &to.path,
            "lies on the device that would be acquired: name a place on another one",
        ));
    }
    Ok(old)
}
