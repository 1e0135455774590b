//! The files in the file systems of a disk image, as entries of the walk.
//!
//! A thread lists the file systems and puts their entries into the order in which they lie on the disk, a portion at a
//! time; the walk passes them on, and the engine reads them as it reads files.

mod bounds;
mod coverage;
mod disk;
mod entry;
pub mod glance;
mod listing;
mod medium;
pub mod site;
mod volumes;

pub use disk::{Disk, DiskEntry};
pub(crate) use medium::{ImageFiles, Outer};
pub use volumes::{DiskLayout, DiskPart};

use crate::entry::facts::EntryFacts;
use crate::entry::portions::Arriving;
use crate::wanted::Inside;
use hashmill_disk::Medium;
use hashmill_engine::flow::Entries;
use listing::MemberListing;
use std::sync::Arc;

/// Returns whether media have partitions or something that is known as a file system: other files may have the name of
/// an image. Returns `None` where not even the place of a partition table can be read.
pub(crate) fn is_disk(medium: Arc<dyn Medium>) -> Option<bool> {
    DiskLayout::read(medium).ok().map(|layout| layout.is_known())
}

/// Returns the entries in the file systems of an image's media, with the path of the image before theirs. What is known
/// of them beside their content is noted when they are passed on.
pub(crate) fn entries(outer: &Arc<Outer>, inside: Inside, facts: &EntryFacts) -> Entries {
    let (path, noted, outer) = (outer.path.to_vec(), facts.clone(), Arc::clone(outer));
    let list = move |sender| MemberListing::new(outer, inside, noted, sender).run();
    Arriving::from_thread(&path, facts.clone(), list)
}
