//! Records of what is inside of other files, and of the media of images: whether a run looks there, and what a digest is of.

#[cfg(feature = "images")]
use crate::archives::is_named;
#[cfg(feature = "images")]
use crate::images::nested::is_named as is_named_as_image_alone;
#[cfg(feature = "images")]
use crate::images::{digests_of_image, is_in_logical, medium_size, size_of};
use crate::operands::archive_operand::is_known;
use crate::resources::Resources;
use crate::stores::Stores;
use crate::wanted::Inside;
#[cfg(not(feature = "images"))]
use hashmill_digest::{Algorithm, Digest};
use hashmill_engine::Cancel;
use hashmill_manifest::audit::Incomparable;
use hashmill_manifest::{Named, Record};
use hashmill_os::names::path_to_try;
use std::cell::RefCell;

/// Returns false: this build looks into no archives.
#[cfg(not(feature = "images"))]
fn is_named(_: &[u8]) -> bool {
    false
}

/// Returns false: this build reads no images.
#[cfg(not(feature = "images"))]
fn is_named_as_image_alone(_: &[u8]) -> bool {
    false
}

/// Returns false: this build reads no images.
#[cfg(not(feature = "images"))]
fn is_in_logical(_: &[u8]) -> bool {
    false
}

/// Returns `None`: this build reads no images.
#[cfg(not(feature = "images"))]
fn medium_size(_: &[u8], _: &Stores) -> Option<u64> {
    None
}

/// Returns `None`: it is compared with the size of a medium, and this build reads no images.
#[cfg(not(feature = "images"))]
fn size_of(_: &[u8], _: &Stores) -> Option<u64> {
    None
}

/// Returns `None`: this build reads no images.
#[cfg(not(feature = "images"))]
fn digests_of_image(
    _: &[u8],
    _: bool,
    _: &[&'static Algorithm],
    _: &Stores,
    _: &Cancel,
) -> Option<(Vec<Digest>, u64)> {
    None
}

/// Tells listed paths that lead into logical images, whose files are listed as if they were in a folder. What was found of
/// the last folder is kept.
#[derive(Debug, Default)]
pub struct LogicalImages(RefCell<Option<(Box<[u8]>, bool)>>);

impl LogicalImages {
    /// Returns whether a path on this machine leads into one.
    pub fn have(&self, local: &[u8]) -> bool {
        let Some(slash) = memchr::memrchr(b'/', local) else { return false };
        let folder = &local[..slash];
        let mut last = self.0.borrow_mut();
        match &*last {
            Some((known, is_in)) if **known == *folder => *is_in,
            _ => last.insert((folder.into(), is_in_logical(folder))).1,
        }
    }
}

/// Returns the outermost file that is there and that a path is inside of, as paths in containers are written.
fn outermost(local: &[u8]) -> Option<&[u8]> {
    let is_file = |path: &&[u8]| path_to_try(path).is_file();
    memchr::memmem::find_iter(local, b"!/").map(|end| &local[..end]).find(is_file)
}

/// Returns whether a listed path is that of something inside of a file that is there and that a run doesn't look into.
/// `local` is the path on this machine.
pub fn is_closed(path: &[u8], local: &[u8], inside: &Inside) -> bool {
    let is_there = || path_to_try(local).is_file();
    let Some(outermost) = outermost(local).filter(|_| !is_there()) else { return false };
    let mut around = memchr::memmem::find_iter(path, b"!/").map(|end| &path[..end]);
    let Some(first) = around.next() else { return false };
    if inside.archives == inside.files {
        return !inside.archives;
    }
    let is_archive = is_named(first) || is_known(outermost, &Resources::default());
    // The name is all there is of others in it.
    let other = if inside.archives { is_named_as_image_alone } else { is_named };
    is_archive != inside.archives || around.any(other)
}

/// Returns why the digest of an image on this machine or in a store can't be compared with a record of this size: one is of
/// the medium in the image, the other of the file as it lies.
pub fn other_reading(
    path: &[u8],
    recorded: Option<u64>,
    inside: &Inside,
    stores: &Stores,
) -> Option<Incomparable> {
    let (recorded, medium) = (recorded?, medium_size(path, stores)?);
    let file = size_of(path, stores)?;
    match inside.media {
        _ if file == medium => None,
        true => (recorded == file).then_some(Incomparable::AsItLies),
        false => (recorded == medium).then_some(Incomparable::Medium),
    }
}

/// The bytes of a sector, of which media consist.
const SECTOR: u64 = 512;

/// Returns whether a record and an object of these sizes may be of one image, read in two ways. To look at an object costs
/// requests, and of most that have other content the sizes tell.
pub fn may_be_of_image(recorded: Option<u64>, actual: Option<u64>) -> bool {
    let (Some(recorded), Some(actual)) = (recorded, actual) else { return true };
    recorded != actual && [recorded, actual].iter().any(|size| size.is_multiple_of(SECTOR))
}

/// Returns whether a file or object is an image of a medium of this size. A record of that size may be of the medium.
pub fn is_of_medium(path: &[u8], recorded: Option<u64>, stores: &Stores) -> bool {
    recorded.is_some() && medium_size(path, stores) == recorded
}

/// Returns whether a file or object is an image as long as its medium, so that no size tells what a record is of.
pub fn is_as_long_as_medium(path: &[u8], stores: &Stores) -> bool {
    is_of_medium(path, size_of(path, stores), stores)
}

/// Reads an image in the other way than it was: its medium if the file was read as it lies, else the file. Returns the
/// record of that, with what it is of; `None` if there is no other way. It serves records whose size doesn't say what they are
/// of.
pub fn read_otherwise(
    path: &[u8],
    record: &Record,
    inside: &Inside,
    stores: &Stores,
    cancel: &Cancel,
) -> Option<(Incomparable, Record)> {
    medium_size(path, stores)?;
    let of = if inside.media { Incomparable::AsItLies } else { Incomparable::Medium };
    let algorithms: Vec<_> = record.digests.iter().map(|named| named.algorithm).collect();
    let (digests, size) = digests_of_image(path, !inside.media, &algorithms, stores, cancel)?;
    let digests = record.digests.iter().zip(digests).map(|(named, digest)| Named { digest, ..*named });
    Some((of, Record { digests: digests.collect(), size: Some(size), ..record.clone() }))
}

/// Returns why an image on this machine or in a store can't be compared with a record without a size, or with one of a piece:
/// it may be of the other reading.
pub fn of_either_reading(path: &[u8], stores: &Stores) -> Option<Incomparable> {
    medium_size(path, stores).map(|_| Incomparable::EitherReading)
}

/// Returns why a check, which looks into no file, can't compare a listed path. A file with that path may have been put there in
/// the place of what is inside.
pub fn unread_by_check(path: &[u8], logical: &LogicalImages) -> Option<&'static str> {
    (outermost(path).is_some() || logical.have(path)).then_some(
        "it is inside of a file, and check looks into none (hashmill audit -k LIST --inside all PATH)",
    )
}
