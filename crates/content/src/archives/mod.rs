//! The members of archives, as entries of the walk after the archive itself.
//!
//! An archive with a directory (zip) gives an entry for each member, and whoever reads one decodes it: many threads do at
//! once. All others are decoded by a thread, one member after the other: small ones wait in memory, and a long one is
//! handed on while it is decoded (`pipe`). Meanwhile the walk goes on, and the archive is hashed like any other file.

mod archive_file;
mod budget;
mod candidate;
mod directory;
pub(crate) mod expansion;
pub(crate) mod held;
mod items;
mod links;
mod names;
mod overlaps;
mod pipe;
mod resolve;
mod shared;
mod single;
mod spooled;
mod stream;
mod volumes;
mod watched;

use crate::chosen::stand_in;
use crate::entry::facts::EntryFacts;
use crate::entry::portions::failed;
use crate::entry::unread::WhyUnread;
use crate::images::nested::{self, NestedImage};
use crate::inside::site::operand;
use crate::resources::Resources;
use crate::wanted::Inside;
use candidate::candidate;
use hashmill_engine::flow::{Entries, one};
use hashmill_os::names as os_names;
use hashmill_source::{Entry, WalkItem};
pub use names::is_named;
pub use overlaps::plain;
use resolve::{Resolved, resolve};
pub use resolve::{Surroundings, is_known, open_folder, part, unpacked};
pub(crate) use watched::Watched;

/// Adds the members of each archive among the entries behind it, and those of archives in it.
pub fn opened(entries: Entries, surroundings: Surroundings) -> Entries {
    Box::new(Opened { entries, surroundings, open: Vec::new() })
}

/// Adds the members of each archive among the files of an archive or image that takes the place of a folder, and of which `root`
/// is the path. It counts as the outermost one; `is_far` if it is in a store.
pub(crate) fn opened_below(
    members: Entries,
    root: &[u8],
    is_far: bool,
    surroundings: Surroundings,
) -> Entries {
    let outermost = OpenArchive { members, surroundings: surroundings.limited(), root: root.into(), is_far };
    Box::new(Opened { entries: Box::new(std::iter::empty()), surroundings, open: vec![outermost] })
}

/// Returns an archive and its members, with those of archives in it to a depth. Paths are those of `--inside archives`.
pub fn members_of(path: &[u8], resources: &Resources, nesting: u32) -> Entries {
    let entry = operand(&os_names::path_to_try(path), &resources.stores);
    opened(one(WalkItem::File(entry)), Surroundings::of_one(resources.memory, nesting))
}

/// Returns the members of an archive, without those of archives in it; none if the file is no archive.
pub(crate) fn members_alone(
    entry: Entry,
    inside: Inside,
    memory: usize,
    facts: &EntryFacts,
) -> Option<Entries> {
    resolve(entry, &Surroundings::of_file(inside, memory, facts)).members
}

struct Opened {
    entries: Entries,
    surroundings: Surroundings,
    /// The archives that are open, the outermost first.
    open: Vec<OpenArchive>,
}

/// An archive whose members are passed on.
struct OpenArchive {
    members: Entries,
    surroundings: Surroundings,
    /// The path that stands for its members.
    root: Box<[u8]>,
    /// Whether it is in a store.
    is_far: bool,
}

impl OpenArchive {
    /// Returns the next member, as far as filters want it.
    fn next(&mut self) -> Option<WalkItem> {
        let found = self.members.next()?;
        Some(match &self.surroundings.filter {
            Some(filter) => filter.choose(&self.root, found),
            None => found,
        })
    }
}

impl Iterator for Opened {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        loop {
            let found = match self.open.last_mut() {
                None => self.entries.next()?,
                Some(archive) => match archive.next() {
                    Some(WalkItem::File(entry))
                        if nested::is_candidate(&entry, &self.surroundings.inside) =>
                    {
                        return Some(self.image(entry));
                    }
                    Some(found) => found,
                    None => {
                        self.open.pop();
                        continue;
                    }
                },
            };
            return Some(match found {
                WalkItem::File(entry) => self.member(entry),
                other => other,
            });
        }
    }
}

impl Opened {
    /// Returns whether members are those of an archive in a store.
    fn is_far(&self) -> bool {
        self.open.first().is_some_and(|archive| archive.is_far)
    }

    /// Looks into a member that is named like an image, or notes it where images were not asked for. Returns its own item.
    fn image(&mut self, entry: Entry) -> WalkItem {
        if !self.surroundings.inside.files {
            self.surroundings.unread.add(&entry.path, WhyUnread::InArchive);
            return self.member(entry);
        }
        self.open_image(entry).unwrap_or_else(|entry| self.member(entry))
    }

    /// Opens a member that may be an image. Returns its own item, or the member if it is none.
    fn open_image(&mut self, entry: Entry) -> Result<WalkItem, Entry> {
        let around = self.open.last().map_or(&self.surroundings, |archive| &archive.surroundings);
        let surroundings = around.within(&entry);
        let root = [&entry.path, b"!".as_slice()].concat().into_boxed_slice();
        match surroundings.images().look_into(entry, self.open.len() as u32) {
            NestedImage { item: WalkItem::File(entry), files: None } => Err(entry),
            NestedImage { item, files } => {
                let is_far = self.is_far();
                self.open.extend(files.map(|members| OpenArchive { members, surroundings, root, is_far }));
                Ok(item)
            }
        }
    }

    /// Returns a file, and opens it if it may be an archive.
    fn member(&mut self, entry: Entry) -> WalkItem {
        match candidate(entry, self.is_far(), self.surroundings.inside, &self.surroundings.unread) {
            Ok(entry) => self.enter(entry),
            Err(entry) => WalkItem::File(entry),
        }
    }

    /// Returns a file that is no archive, or opens it if it is an image: of a member that was copied for its name, only the
    /// first bytes were seen before.
    fn no_archive(&mut self, item: WalkItem) -> WalkItem {
        match item {
            WalkItem::File(entry)
                if held::is_copy(&entry) && nested::is_candidate(&entry, &self.surroundings.inside) =>
            {
                self.open_image(entry).unwrap_or_else(WalkItem::File)
            }
            other => other,
        }
    }

    /// Opens a file that may be an archive. Returns its own item; those of its members follow.
    fn enter(&mut self, entry: Entry) -> WalkItem {
        let (depth, is_far) = (self.open.len() as u32, entry.is_remote());
        let most = self.surroundings.inside.max_nesting;
        let around = self.open.last().map_or(&self.surroundings, |archive| &archive.surroundings);
        let around = around.within(&entry);
        let root = [&entry.path, b"!".as_slice()].concat().into_boxed_slice();
        let Resolved { item, members } = match depth < most {
            false if !self.surroundings.tells_depth => return WalkItem::File(entry),
            _ => resolve(entry, &around),
        };
        let Some(mut members) = members else { return self.no_archive(item) };
        if depth >= most {
            let why = format!("it lies in {most} archives already (--max-nesting)");
            members = one(failed(&root, "too-deep", why));
        }
        let (is_left_out, members) = stand_in(members, self.surroundings.inside.only && depth < most);
        self.open.push(OpenArchive { members, surroundings: around, root, is_far });
        match item {
            WalkItem::File(entry) if is_left_out => WalkItem::File(Entry { is_passage: true, ..entry }),
            item => item,
        }
    }
}
