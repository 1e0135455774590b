//! The files in the file systems of a disk image, as entries of the walk.
//!
//! A thread lists the file systems and puts their entries into the order in which they lie on the disk, a portion at a
//! time; the walk passes them on, and the engine reads them as it reads files.

mod bounds;
mod coverage;
mod disk;
mod entry;
mod listing;
mod medium;
mod volumes;

pub use disk::{Disk, DiskEntry};
pub(crate) use medium::Outer;
pub use volumes::{DiskLayout, DiskPart};

use crate::facts::EntryFacts;
use crate::flow::Entries;
use crate::wanted::Inside;
use hashloom_source::WalkItem;
use listing::{Member, MemberListing};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Returns whether media have partitions or something that is known as a file system: other files may have the name of
/// an image.
pub(crate) fn is_disk(outer: &Arc<Outer>) -> bool {
    DiskLayout::read(outer).is_ok_and(|layout| layout.is_known())
}

/// Returns the entries in the file systems of an image's media, with the path of the image before theirs. What is known
/// of them beside their content is noted when they are passed on.
pub(crate) fn entries(outer: &Arc<Outer>, inside: Inside, facts: &EntryFacts) -> Entries {
    let (sender, receiver) = sync_channel(1);
    let listing = MemberListing::new(Arc::clone(outer), inside, facts.clone(), sender);
    let started = thread::Builder::new().name("inside".into()).spawn(move || listing.run());
    match started {
        Ok(_) => Box::new(Passing { receiver, portion: Vec::new().into_iter(), facts: facts.clone() }),
        Err(error) => Box::new(std::iter::once(entry::failed(outer.path(), "error", error.to_string()))),
    }
}

/// Entries that arrive in portions.
struct Passing {
    receiver: Receiver<Vec<Member>>,
    portion: std::vec::IntoIter<Member>,
    facts: EntryFacts,
}

impl Iterator for Passing {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        loop {
            if let Some(Member { item, fact, .. }) = self.portion.next() {
                if let Some(fact) = fact {
                    self.facts.note(entry::path_of(&item), fact);
                }
                return Some(item);
            }
            self.portion = self.receiver.recv().ok()?.into_iter();
        }
    }
}
