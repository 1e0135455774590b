//! Records of what is inside of other files, and of the media of images: whether a run looks there, and what a digest is of.

#[cfg(feature = "images")]
use crate::archives::is_named;
#[cfg(feature = "images")]
use crate::images::nested::is_named as is_named_as_image_alone;
#[cfg(feature = "images")]
use crate::images::{digests_of_image, medium_size};
use crate::operands::archive_operand::is_known;
use crate::resources::Resources;
use crate::wanted::Inside;
#[cfg(not(feature = "images"))]
use hashmill_digest::{Algorithm, Digest};
use hashmill_engine::Cancel;
use hashmill_manifest::audit::Incomparable;
use hashmill_manifest::{Named, Record};
use hashmill_os::names::path_to_try;

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

/// Returns `None`: this build reads no images.
#[cfg(not(feature = "images"))]
fn medium_size(_: &[u8]) -> Option<u64> {
    None
}

/// Returns `None`: this build reads no images.
#[cfg(not(feature = "images"))]
fn digests_of_image(_: &[u8], _: bool, _: &[&'static Algorithm], _: &Cancel) -> Option<(Vec<Digest>, u64)> {
    None
}

/// Returns whether a listed path is that of something inside of a file that is there and that a run doesn't look into.
/// `local` is the path on this machine.
pub fn is_closed(path: &[u8], local: &[u8], inside: &Inside) -> bool {
    let is_file = |path: &&[u8]| path_to_try(path).is_file();
    let outermost = memchr::memmem::find_iter(local, b"!/").map(|end| &local[..end]).find(is_file);
    let Some(outermost) = outermost.filter(|_| !is_file(&local)) else { return false };
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

/// Returns why the digest of an image can't be compared with a record of this size: one is of the medium in the image, the
/// other of the file as it lies.
pub fn other_reading(local: &[u8], recorded: Option<u64>, inside: &Inside) -> Option<Incomparable> {
    let (recorded, medium) = (recorded?, medium_size(local)?);
    let file = path_to_try(local).metadata().ok()?.len();
    match inside.media {
        _ if file == medium => None,
        true => (recorded == file).then_some(Incomparable::AsItLies),
        false => (recorded == medium).then_some(Incomparable::Medium),
    }
}

/// Returns whether a file is an image of a medium of this size. A record of that size may be of the medium.
pub fn is_of_medium(local: &[u8], recorded: Option<u64>) -> bool {
    recorded.is_some() && medium_size(local) == recorded
}

/// Returns whether a file is an image as long as its medium, so that no size tells what a record is of.
pub fn is_as_long_as_medium(local: &[u8]) -> bool {
    is_of_medium(local, path_to_try(local).metadata().ok().map(|meta| meta.len()))
}

/// Reads an image in the other way than it was: its medium if the file was read as it lies, else the file. Returns the
/// record of that, with what it is of; `None` if there is no other way. It serves records whose size doesn't say what they are
/// of.
pub fn read_otherwise(
    local: &[u8],
    record: &Record,
    inside: &Inside,
    cancel: &Cancel,
) -> Option<(Incomparable, Record)> {
    medium_size(local)?;
    let of = if inside.media { Incomparable::AsItLies } else { Incomparable::Medium };
    let algorithms: Vec<_> = record.digests.iter().map(|named| named.algorithm).collect();
    let (digests, size) = digests_of_image(local, !inside.media, &algorithms, cancel)?;
    let digests = record.digests.iter().zip(digests).map(|(named, digest)| Named { digest, ..*named });
    Some((of, Record { digests: digests.collect(), size: Some(size), ..record.clone() }))
}

/// Returns why a piece of an image can't be compared whose record has no size: it may be one of the other reading.
pub fn piece_of_either(local: &[u8]) -> Option<Incomparable> {
    medium_size(local).map(|_| Incomparable::EitherReading)
}

/// Returns why a check, which looks into no file, can't compare a listed path.
pub fn unread_by_check(path: &[u8]) -> Option<&'static str> {
    is_closed(path, path, &Inside::default()).then_some(
        "it is inside of a file, and check looks into none (hashmill audit -k LIST --inside all PATH)",
    )
}
