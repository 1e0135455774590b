//! Checks of devices before the first byte is read.

use super::super::{CopyJob, inner};
use crate::error::Error;
use crate::media::disks::lies_on;
use hashmill_content::selection::path_of;
use hashmill_os::names::path_bytes;
use hashmill_os::{DISKS_ARE_BLOCKS, FileKind, Links, device_size, facts_at};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Returns whether a destination is a disk or a part of one.
pub(in super::super) fn is_device(to: &Path) -> bool {
    facts_at(to, Links::Follow).is_ok_and(|facts| match facts.kind {
        FileKind::Block => true,
        FileKind::Character => !DISKS_ARE_BLOCKS,
        _ => false,
    })
}

/// Checks that these devices can take the only source, which doesn't lie on one of them.
///
/// # Errors
/// If that is not so.
pub(in super::super) fn check(job: &CopyJob, to: &[&PathBuf]) -> Result<(), Error> {
    let sources = &job.selection.paths;
    let mut numbers = Vec::new();
    for path in to {
        let unfit = |why: &str| Err(Error::of_place(path_bytes(path), why));
        let Ok(number) = facts_at(path, Links::Follow).map(|facts| facts.device) else { continue };
        match () {
            () if numbers.contains(&number) => return unfit("is named twice as a destination"),
            () if !job.manifests.is_empty() => {
                return unfit("is a device, which has no place for a manifest: leave --manifest out");
            }
            () if sources.len() != 1 || sources.iter().any(|source| is_folder(source)) => {
                return unfit("is a device, which takes one file: name a file as the only source");
            }
            () => numbers.push(number),
        }
        let stores = &job.resources.stores;
        for source in sources.iter().filter(|source| !stores.is_location(source)) {
            let source = inner::file_of(source).unwrap_or_else(|| path_of(source));
            let is_it =
                facts_at(&source, Links::Follow).is_ok_and(|facts| facts.device == number && number != 0);
            if is_it || lies_on(&source, path) || is_device(&source) && lies_on(path, &source) {
                return unfit("is a device that the source lies on, or a part of it");
            }
            if let Some((size, room)) = size_of(&source).zip(size_of(path)).filter(|(size, room)| size > room)
            {
                let why = format!("is a device of {room} bytes, too small for a source of {size}");
                return unfit(&why);
            }
        }
    }
    Ok(())
}

/// Returns whether a source is known to be a folder, or its content is meant.
fn is_folder(source: &[u8]) -> bool {
    source.ends_with(b"/") || path_of(source).is_dir()
}

/// Returns the number of bytes of a file or device, if it is one.
fn size_of(path: &Path) -> Option<u64> {
    match facts_at(path, Links::Follow).ok()? {
        facts if facts.is_file() => Some(facts.size),
        _ if is_device(path) => File::open(path).and_then(|device| device_size(&device)).ok(),
        _ => None,
    }
}
