//! The members of archives, as entries of the walk after the archive itself.
//!
//! An archive with a directory (zip) gives an entry for each member, and whoever reads one decodes it: many threads do at
//! once. All others are decoded by a thread, one member after the other: small ones wait in memory, and a long one is
//! handed on while it is decoded ([`pipe`]). Meanwhile the walk goes on, and the archive is hashed like any other file.

mod archive_file;
mod budget;
mod directory;
mod expansion;
mod held;
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

use crate::chosen::stand_in;
use crate::facts::EntryFacts;
use crate::flow::{Entries, one};
use crate::images::refused_image;
use crate::portions::{failed, path_of};
use crate::resources::Resources;
use crate::site::operand;
use crate::unread::WhyUnread;
use crate::wanted::Inside;
use hashmill_os::names as os_names;
use hashmill_source::{Entry, WalkItem};
pub(crate) use names::is_named;
pub(crate) use overlaps::plain;
use resolve::{Resolved, resolve};
pub(crate) use resolve::{Surroundings, is_known, open_folder, part, unpacked};

/// Adds the members of each archive among the entries behind it, and those of archives in it.
pub(crate) fn opened(entries: Entries, surroundings: Surroundings) -> Entries {
    Box::new(Opened { entries, surroundings, open: Vec::new(), refused: None })
}

/// Returns an archive and its members, with those of archives in it to a depth. Paths are those of `--inside archives`.
pub(crate) fn members_of(path: &[u8], resources: &Resources, nesting: u32) -> Entries {
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
    /// The failure to look into the last member.
    refused: Option<WalkItem>,
}

/// An archive whose members are passed on.
struct OpenArchive {
    members: Entries,
    surroundings: Surroundings,
    /// The path that stands for its members.
    root: Box<[u8]>,
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
            if let Some(refused) = self.refused.take() {
                return Some(refused);
            }
            let found = match self.open.last_mut() {
                None => self.entries.next()?,
                Some(archive) => match archive.next() {
                    Some(found) => {
                        self.note_image(&found);
                        found
                    }
                    None => {
                        self.open.pop();
                        continue;
                    }
                },
            };
            return Some(match found {
                WalkItem::File(entry) if names::is_candidate(&entry, !self.open.is_empty()) => {
                    self.enter(entry)
                }
                other => other,
            });
        }
    }
}

impl Opened {
    /// Notes a member that is named like an image, as images in archives are not looked into. Where images were asked for,
    /// it fails.
    fn note_image(&mut self, found: &WalkItem) {
        let Some(refused) = refused_image(found) else { return };
        match self.surroundings.inside.files {
            true => self.refused = Some(refused),
            false => self.surroundings.unread.add(path_of(found), WhyUnread::InArchive),
        }
    }

    /// Opens a file that may be an archive. Returns its own item; those of its members follow.
    fn enter(&mut self, entry: Entry) -> WalkItem {
        let depth = self.open.len() as u32;
        let most = self.surroundings.inside.max_nesting;
        let around = self.open.last().map_or(&self.surroundings, |archive| &archive.surroundings);
        let around = around.within(&entry);
        let root = [&entry.path, b"!".as_slice()].concat().into_boxed_slice();
        let Resolved { item, members } = if depth < most {
            resolve(entry, &around)
        } else if !self.surroundings.tells_depth {
            Resolved { item: WalkItem::File(entry), members: None }
        } else {
            let why = format!("it lies in {most} archives already (--max-nesting)");
            let deep = std::iter::once(failed(&root, "too-deep", why));
            Resolved { item: WalkItem::File(entry), members: Some(Box::new(deep)) }
        };
        let Some(members) = members else { return item };
        let (is_left_out, members) = stand_in(members, self.surroundings.inside.only && depth < most);
        self.open.push(OpenArchive { members, surroundings: around, root });
        match item {
            WalkItem::File(entry) if is_left_out => WalkItem::File(Entry { is_passage: true, ..entry }),
            item => item,
        }
    }
}
