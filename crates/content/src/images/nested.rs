//! Images in archives and in other images: files themselves, with the files on their media behind them.

use crate::archives::expansion::{Bomb, Expansion};
use crate::archives::held::seekable;
use crate::chosen::{InsideFilter, stand_in};
use crate::entry::facts::EntryFacts;
use crate::entry::portions::failed;
use crate::entry::unread::{NotLookedInto, WhyUnread};
use crate::imaging::{self, OpenOptions};
use crate::inside::glance::Glance;
use crate::inside::site::Site;
use crate::inside::{self, ImageFiles, Outer};
use crate::wanted::{Inside, Wanted};
use hashmill_engine::flow::{Entries, one};
use hashmill_image::{Error as ImageError, Image, Look, is_named_as_image_if, look_by};
use hashmill_os::names;
use hashmill_source::{Entry, Origin, WalkItem};
use std::sync::Arc;

/// One part in this many of the memory keeps the decompressed media of an image: several images may be open at once.
const SHARE: usize = 8;

/// The settings of what lies in archives and images, and the limits of all that is in the outermost one.
#[derive(Debug, Clone)]
pub(crate) struct NestedImages {
    pub(crate) inside: Inside,
    pub(crate) facts: EntryFacts,
    pub(crate) unread: NotLookedInto,
    pub(crate) filter: Option<InsideFilter>,
    pub(crate) memory: usize,
    pub(crate) expansion: Arc<Expansion>,
}

/// A member that is named like an image, and the files on its media.
pub(crate) struct NestedImage {
    pub(crate) item: WalkItem,
    pub(crate) files: Option<Entries>,
}

/// Returns whether a path has a name that only images and disks have. Others (`.bin`, `.raw`, `.001`) are too common.
pub(crate) fn is_named(path: &[u8]) -> bool {
    let path = names::path_to_try(path);
    let extension = path.extension().map(|text| names::bytes(text).to_ascii_lowercase());
    let is_disk = extension.is_some_and(|extension| [&b"dd"[..], b"img", b"iso"].contains(&&*extension));
    is_disk || is_named_as_image_if(&path, &|_| false)
}

/// Returns whether something inside of another file may be an image. Where images were asked for, the bytes decide.
pub(crate) fn is_candidate(entry: &Entry, inside: &Inside) -> bool {
    let is_image = |glance: Glance| glance.is_image() || glance.is_disk();
    let may_be = || inside.files && !is_boot(entry) && Glance::at_member(entry).is_some_and(is_image);
    is_named(&entry.path) || may_be()
}

/// Returns whether a file is the start of the NTFS that it lies in: record 7, whose 8 KiB begin like the file system.
fn is_boot(entry: &Entry) -> bool {
    entry.ino == 7 && entry.size == Some(8192) && entry.path.ends_with(b"/$Boot")
}

impl NestedImages {
    /// Creates the settings for an image that is met in a walk.
    pub(crate) fn of_image(wanted: &Wanted, filter: InsideFilter) -> NestedImages {
        let Wanted { inside, facts, unread, memory, .. } = wanted;
        let expansion = Expansion::new(0, inside.max_members, inside.max_expanded);
        let (facts, unread, filter) = (facts.clone(), unread.clone(), Some(filter));
        NestedImages { inside: *inside, facts, unread, filter, memory: *memory, expansion }
    }

    /// Looks into each image among these files, which lie in `depth` archives or images.
    pub(crate) fn opened(self, files: Entries, depth: u32) -> Entries {
        Box::new(files.flat_map(move |found| match found {
            WalkItem::File(entry) if is_candidate(&entry, &self.inside) => {
                let NestedImage { item, files } = self.look_into(entry, depth);
                let files = files.map(|files| self.clone().opened(files, depth + 1));
                Box::new(std::iter::once(item).chain(files.into_iter().flatten())) as Entries
            }
            other => one(other),
        }))
    }

    /// Looks into a member that lies in `depth` archives or images.
    pub(crate) fn look_into(&self, entry: Entry, depth: u32) -> NestedImage {
        let root = [&entry.path, b"!".as_slice()].concat();
        let refused = |entry, word, why| NestedImage {
            item: WalkItem::File(entry),
            files: Some(one(failed(&root, word, why))),
        };
        if depth >= self.inside.max_nesting {
            let why = format!("it lies in {depth} archives or images already (--max-nesting)");
            return refused(entry, "too-deep", why);
        }
        let (entry, bytes) = match seekable(entry) {
            Ok(opened) => opened,
            Err(item) => return NestedImage { item, files: None },
        };
        let site = Site::of_member(&entry, bytes.into());
        match self.outer(&entry, site) {
            Ok(Some(outer)) => self.files(entry, &outer),
            Ok(None) => {
                if entry.origin == Origin::Path && is_named(&entry.path) {
                    self.unread.add(&entry.path, WhyUnread::Unknown);
                }
                NestedImage { item: WalkItem::File(entry), files: None }
            }
            Err(why) => refused(entry, "nested-image", why),
        }
    }

    /// Opens an image of media; none if nothing is known of what is on them.
    ///
    /// # Errors
    /// The reason why it can't be looked into.
    fn outer(&self, entry: &Entry, site: Site) -> Result<Option<Arc<Outer>>, String> {
        let cause = |error: ImageError| imaging::reason(&error, &site.path);
        let (opener, path) = site.opener().map_err(cause)?;
        let raw = match look_by(&*opener, &path).map_err(cause)? {
            Look::Media => false,
            Look::Other => true,
            Look::Logical | Look::Later { .. } => {
                let what = "logical images and further segments";
                return Err(format!("{what} in archives and images are not looked into (extract it)"));
            }
            Look::Foreign(container) => return Err(format!("{container} can't be read")),
        };
        let image = site.open(&OpenOptions { raw, ..OpenOptions::default() }).map_err(cause)?;
        if let Some(why) = claim(&image, self.inside.max_expanded) {
            return Err(why);
        }
        let own: Arc<[_]> = [site.path.clone()].into();
        let files = ImageFiles { own, ..ImageFiles::default() };
        let (path, image) = (entry.path.clone(), Arc::new(image));
        let outer = Arc::new(Outer::new(path, entry.device, image, site, files, self.memory / SHARE));
        Ok(inside::is_disk(Arc::clone(&outer) as _).unwrap_or(true).then_some(outer))
    }

    /// Returns the files on media behind the file that holds these.
    fn files(&self, entry: Entry, outer: &Arc<Outer>) -> NestedImage {
        let expansion = Arc::clone(&self.expansion);
        let root: Box<[u8]> = [&entry.path, b"!".as_slice()].concat().into();
        let filter = self.filter.as_ref().map(|filter| filter.within(&entry));
        let mut is_ended = false;
        let files = inside::entries(outer, self.inside, &self.facts).map_while(move |found| {
            if is_ended {
                return None;
            }
            let found = match counted(&expansion, &found) {
                Ok(()) => found,
                Err(Bomb(why)) => {
                    is_ended = true;
                    failed(&root, "bomb", why)
                }
            };
            Some(match &filter {
                Some(filter) => filter.choose(&root, found),
                None => found,
            })
        });
        let (is_left_out, files) = stand_in(Box::new(files), self.inside.only);
        let is_passage = entry.is_passage || is_left_out;
        NestedImage { item: WalkItem::File(Entry { is_passage, ..entry }), files: Some(files) }
    }
}

/// Counts a file: images that lie over each other could have any number of them.
fn counted(expansion: &Expansion, found: &WalkItem) -> Result<(), Bomb> {
    let WalkItem::File(entry) = found else { return Ok(()) };
    expansion.member()?;
    expansion.bytes(entry.size.unwrap_or_default())
}

/// Returns why media are not read: they claim more zeros that the image does not have than may be read.
pub(crate) fn claim(image: &Image, most: u64) -> Option<String> {
    let size = image.media_size();
    let held = if size > most { image.held() } else { size };
    (size.saturating_sub(held) > most).then(|| {
        format!(
            "its media claim {size} bytes, of which {held} are stored: {most} zeros would be read at most (--max-expanded reads more)"
        )
    })
}
