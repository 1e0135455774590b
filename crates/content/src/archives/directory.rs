//! Archives with a directory: whoever reads a member decodes it.

use super::archive_file::ArchiveFile;
use super::expansion::Expansion;
use super::items::{self, MemberPart, Own, fact, failure, file, part_of};
use super::overlaps::Overlaps;
use crate::archive_folder::LinkTexts;
use crate::entry::portions::{ListedItem, Portions, failed};
use hashmill_archive::{Directory, DirectoryMember, MemberBytes, Problem};
use hashmill_source::{Bytes, EntryContent, Meta};
use parking_lot::Mutex;
use std::any::Any;
use std::io::{self, Read};
use std::sync::Arc;

/// The number of members that are put into the order of their bytes at a time.
const PORTION: usize = 4 << 10;

/// A listing of an archive with a directory.
pub(super) struct DirectoryListing {
    pub(super) archive: Arc<ArchiveFile>,
    pub(super) container: &'static str,
    pub(super) expansion: Arc<Expansion>,
    pub(super) links: Option<LinkTexts>,
    pub(super) overlaps: Option<Overlaps>,
}

impl DirectoryListing {
    /// Lists everything, until nobody wants more.
    pub(super) fn run(mut self, directory: &dyn Directory, sender: &Portions) {
        let mut portion = Vec::new();
        let mut overlaps = self.overlaps.take();
        for (number, listed) in directory.members().enumerate() {
            if let Ok(DirectoryMember { member, place, .. }) = &listed {
                let overlap = items::overlap(&mut overlaps, member, &self.archive.root);
                portion.extend(overlap.map(|item| (*place, ListedItem { item, fact: None })));
            }
            let (place, item, is_last) = self.item(listed, number as u64);
            portion.extend(item.map(|item| (place, item)));
            if is_last || portion.len() >= PORTION && !send(&mut portion, sender) {
                break;
            }
        }
        send(&mut portion, sender);
    }

    /// Returns the place and the item of a member, and whether it is the last.
    fn item(&self, listed: Result<DirectoryMember, Problem>, number: u64) -> (u64, Option<ListedItem>, bool) {
        let root = &self.archive.root;
        let bare = |item| Some(ListedItem { item, fact: None });
        let DirectoryMember { member, place, bytes } = match listed {
            Ok(listed) => listed,
            Err(problem) => return (u64::MAX, bare(failure(root, &problem)), false),
        };
        if let Err(bomb) = self.expansion.member() {
            return (u64::MAX, bare(failed(root, "bomb", bomb.0)), true);
        }
        let path = items::path(root, &member.path);
        match part_of(&member, &path, &self.links) {
            MemberPart::Nothing => return (place, None, false),
            MemberPart::Item(item) => return (place, bare(item), false),
            MemberPart::Content => {}
        }
        let claimed = member.size.unwrap_or(0);
        let fits = self.expansion.ratio(claimed, member.stored.unwrap_or(u64::MAX));
        if let Err(bomb) = fits.and_then(|()| self.expansion.bytes(claimed)) {
            return (place, bare(failed(&path, "bomb", bomb.0)), false);
        }
        let fact = fact(&member, self.container);
        let (archive, own) = (Arc::clone(&self.archive), Own::of(&member, number));
        let content: Arc<dyn EntryContent> = Arc::new(Unpacked { archive, bytes, size: member.size, own });
        (place, Some(file(path, member.size, fact, content)), false)
    }
}

/// Sends members in the order of their places; false if nobody wants more.
fn send(portion: &mut Vec<(u64, ListedItem)>, sender: &Portions) -> bool {
    let mut members = std::mem::take(portion);
    members.sort_by_key(|(place, _)| *place);
    sender.send(members.into_iter().map(|(_, item)| item).collect()).is_ok()
}

/// The content of a member that is decoded when it is read.
#[derive(Debug, Clone)]
struct Unpacked {
    archive: Arc<ArchiveFile>,
    bytes: Arc<dyn MemberBytes>,
    size: Option<u64>,
    own: Own,
}

impl EntryContent for Unpacked {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        if self.archive.is_changed()? {
            return Err(io::Error::other("the archive was changed since its members were listed"));
        }
        let reader = self.bytes.open().map_err(told)?;
        Ok(Box::new(Unpacking { member: self.clone(), state: Mutex::new((reader, 0)) }))
    }

    fn known(&self) -> Option<Meta> {
        let meta = self.own.meta(&self.archive, self.size?).ok()?;
        (meta.stamp != 0).then_some(meta)
    }
}

/// A member that is being decoded.
struct Unpacking {
    member: Unpacked,
    /// The decoder, and how many bytes came out of it.
    state: Mutex<(Box<dyn Read + Send>, u64)>,
}

impl std::fmt::Debug for Unpacking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.member.fmt(f)
    }
}

impl Bytes for Unpacking {
    fn meta(&self) -> io::Result<Meta> {
        self.member.own.meta(&self.member.archive, self.member.size.unwrap_or(0))
    }

    fn has_size(&self) -> bool {
        self.member.size.is_some()
    }

    fn is_in_order(&self) -> bool {
        true
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.state.lock();
        let (reader, at) = &mut *state;
        if offset != *at {
            return Err(io::Error::other("a member of this archive can be read only in order"));
        }
        let read = reader.read(buffer).map_err(told)?;
        *at += read as u64;
        if read > 0 && Some(*at) == self.member.size {
            // Whoever knows the size may not ask for more: the checksum counts before the last bytes do.
            match reader.read(&mut [0]).map_err(told)? {
                0 => {}
                _ => {
                    return Err(items::error(Problem::Ambiguous(
                        "its content is longer than its size".into(),
                    )));
                }
            }
        }
        Ok(read)
    }
}

/// Returns whether content is that of a member that is decoded when it is read.
pub(super) fn is_unpacked(content: &dyn EntryContent) -> bool {
    let content: &dyn Any = content;
    content.is::<Unpacked>()
}

/// Returns bytes of an archive as content of unknown size.
pub(super) fn content(archive: Arc<ArchiveFile>, bytes: Arc<dyn MemberBytes>) -> Arc<dyn EntryContent> {
    Arc::new(Unpacked { archive, bytes, size: None, own: Own::default() })
}

/// Returns the error of a decoder with its word.
fn told(error: io::Error) -> io::Error {
    items::error(Problem::from(error))
}
