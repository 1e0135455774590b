//! The entries below a path inside of an image or an archive: `case.E01!/p1/Users`, `a.zip!/b.tar!/c`, `case.L01/c`. Archives
//! are only looked into where the path leads into them.

use crate::archive_folder::ArchiveFolder;
use crate::archives::{is_known, members_alone, plain};
use crate::entry::facts::EntryFacts;
use crate::entry::portions::{failed, path_of};
use crate::entry::stated::Stated;
use crate::images::{files_in, is_image};
use crate::imaging::{self, OpenOptions};
use crate::inside::site::{Site, operand};
use crate::resources::Resources;
use crate::wanted::{BackingFiles, Inside, cached};
use hashmill_engine::flow::{Entries, one};
use hashmill_image::{Error as ImageError, Look, look, look_by};
use hashmill_os::names;
use hashmill_source::{Entry, Error, InsideFailure, Meta, Problem, WalkItem};
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// A path inside of a file that has a path of its own.
#[derive(Debug, Clone)]
pub struct InnerPath {
    outer: PathBuf,
    /// The rest of the path: empty, or with a slash before it.
    rest: Box<[u8]>,
}

/// The way to look into files, and the memory for what is decompressed.
#[derive(Debug, Clone, Default)]
pub struct InnerOptions {
    /// The way to open images.
    pub open: OpenOptions,
    /// The limits of what is inside, and whether deleted files are among them.
    pub inside: Inside,
    /// The most bytes to keep of what is decompressed.
    pub memory: usize,
}

/// The reason why nothing inside of a file can be listed.
#[derive(Debug)]
pub enum InnerError {
    /// It can't be opened as an image.
    Image(ImageError),
    /// It is no archive, and has no partitions and no file system that is known.
    Unknown,
}

/// The entries below a path.
pub struct Inner {
    /// The path.
    pub place: InnerPlace,
    /// The entry at the path or those below it, and failures that may hide some.
    pub entries: Entries,
    /// Whether they may be deleted.
    pub is_medium: bool,
    /// The facts about the last entry.
    pub facts: EntryFacts,
    /// The digests that an image states of them.
    pub stated: Stated,
}

/// A path as those of the entries of a file begin.
#[derive(Debug, Clone)]
pub struct InnerPlace {
    /// The beginning of the paths of all entries.
    start: Box<[u8]>,
    /// The rest, without empty and `.` parts; empty for all entries.
    rest: Box<[u8]>,
}

impl InnerPlace {
    /// Returns the path of an entry below this one, empty for the one at it. It begins with a slash if it is absolute.
    pub fn below<'p>(&self, path: &'p [u8]) -> Option<Cow<'p, [u8]>> {
        let path = path.strip_prefix(&*self.start)?;
        if self.rest.is_empty() {
            return Some(Cow::Borrowed(path.strip_prefix(b"/").unwrap_or(path)));
        }
        match plain(path).strip_prefix(&*self.rest)? {
            [] => Some(Cow::default()),
            [b'/', below @ ..] => Some(Cow::Owned(below.to_vec())),
            _ => None,
        }
    }

    /// Returns whether this path is within that of an entry.
    pub fn is_within(&self, path: &[u8]) -> bool {
        self.behind(path).is_some_and(|rest| rest.starts_with(b"/"))
    }

    /// Returns what this path has behind that of an entry.
    fn behind(&self, path: &[u8]) -> Option<&[u8]> {
        let path = plain(path.strip_prefix(&*self.start)?);
        if path.is_empty() { Some(b"/") } else { self.rest.strip_prefix(&*path) }
    }
}

impl InnerPath {
    /// Takes a path apart; `None` if it is that of a file outside, which may have `!/` in its name.
    pub fn new(path: &Path) -> Option<InnerPath> {
        let whole = names::path_bytes(path);
        if path.symlink_metadata().is_ok() {
            return None;
        }
        let ends = memchr::memchr_iter(b'!', &whole);
        let ends: Vec<_> = ends.filter(|end| matches!(whole.get(end + 1), None | Some(b'/'))).collect();
        let found = ends.iter().find(|end| is_file(&names::path_to_try(&whole[..**end])));
        if let Some(end) = found.or(ends.first()) {
            let outer = names::path_to_try(&whole[..*end]).into_owned();
            return Some(InnerPath { outer, rest: without_slashes(&whole[end + 1..]) });
        }
        let outer = path.ancestors().skip(1).find(|path| is_file(path))?;
        if !matches!(look(outer), Ok(Look::Logical)) {
            return None;
        }
        let rest = without_slashes(&whole[names::path_bytes(outer).len()..]);
        Some(InnerPath { outer: outer.to_path_buf(), rest })
    }

    /// Creates the path of all that is inside of a file.
    pub fn whole(outer: &Path) -> InnerPath {
        InnerPath { outer: outer.to_path_buf(), rest: Box::default() }
    }

    /// Returns the file that has a path of its own.
    pub fn outer(&self) -> &Path {
        &self.outer
    }

    /// Returns whether it is all that is inside of the file.
    pub fn is_whole(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the path as it is typed.
    pub fn path(&self) -> PathBuf {
        let whole = [&*names::path_bytes(&self.outer), b"!", &self.rest].concat();
        names::path_to_try(&whole).into_owned()
    }

    /// Returns the path as those of entries begin, all of which have this beginning.
    pub fn place_from(&self, start: &[u8]) -> InnerPlace {
        InnerPlace { start: start.into(), rest: plain(&self.rest).into() }
    }

    /// Looks into the file, and begins to list what is at the path or below it.
    ///
    /// # Errors
    /// If the file can't be opened, or nothing is known that could be inside.
    pub fn open(&self, options: &InnerOptions) -> Result<Inner, InnerError> {
        let entry = operand(&self.outer, options.open.backing.stores());
        let look = Site::from_entry(&entry).opener().and_then(|(opener, path)| look_by(&*opener, &path));
        let is_marked =
            options.open.raw || matches!(look, Ok(Look::Media | Look::Logical | Look::Later { .. }));
        let (facts, stated) = (EntryFacts::taken(), Stated::default());
        let members =
            || members_alone(entry.clone(), options.inside, options.memory, &facts).filter(|_| !is_marked);
        let (start, entries, is_medium): (Box<[u8]>, _, _) = match members() {
            Some(members) => ([&entry.path, b"!".as_slice()].concat().into(), members, false),
            None => {
                let InnerOptions { open, inside, memory, .. } = options;
                let opened = files_in(entry, open, *inside, *memory, &facts, &stated);
                let (start, files) = opened.map_err(InnerError::Image)?;
                (start, files.ok_or(InnerError::Unknown)?, true)
            }
        };
        let place = self.place_from(&start);
        let below = Below { place: place.clone(), options: options.clone(), facts: facts.clone() };
        Ok(Inner { place, entries: below.choose(entries), is_medium, facts, stated })
    }
}

/// The choice of what is at a path or below it.
#[derive(Clone)]
struct Below {
    place: InnerPlace,
    options: InnerOptions,
    facts: EntryFacts,
}

impl Below {
    fn choose(self, entries: Entries) -> Entries {
        Box::new(entries.flat_map(move |found| self.within(found)))
    }

    /// Returns what an entry has at the path or below it: itself, or members of the archive that it is.
    fn within(&self, found: WalkItem) -> Entries {
        let path = path_of(&found);
        if self.place.below(path).is_some() {
            return one(found);
        }
        match (self.place.behind(path), found) {
            (Some(b"!" | [b'!', b'/', ..]), WalkItem::File(entry)) => self.members(entry),
            // It may hide what is looked for.
            (Some([b'/', ..]), found @ WalkItem::Failed(_)) => one(found),
            (_, found) => {
                self.facts.drop_last(path_of(&found));
                Box::new(std::iter::empty())
            }
        }
    }

    fn members(&self, entry: Entry) -> Entries {
        let (path, InnerOptions { inside, memory, .. }) = (entry.path.clone(), &self.options);
        match members_alone(entry, *inside, *memory, &self.facts) {
            Some(members) => self.clone().choose(members),
            None => one(failed(&path, "unsupported-method", "is no archive that is known".into())),
        }
    }
}

/// Opens an operand that takes the place of a folder and is an image, or a path inside of an image or archive. Returns the
/// path of this folder, and a function that lists its files each time it is called; `None` if it is neither.
pub(crate) fn open_folder(
    path: &[u8],
    inside: &Inside,
    backing: &BackingFiles,
    resources: &Resources,
) -> Option<(Box<[u8]>, Box<ArchiveFolder>)> {
    if resources.stores.is_location(path) {
        return None;
    }
    let typed = names::path_to_try(path);
    let place = match InnerPath::new(&typed) {
        Some(place) => Some(place).filter(|place| is_file(&place.outer)),
        None => is_folder(path, resources).then(|| InnerPath::whole(&typed)),
    }?;
    let root: Box<[u8]> = [&*names::path_bytes(&place.outer), b"!", &place.rest].concat().into();
    let open = OpenOptions { raw: false, backing: backing.clone().with_stores(&resources.stores) };
    let memory = cached(resources.memory);
    let options = InnerOptions { open, inside: *inside, memory };
    let start = root.clone();
    Some((root, Box::new(move |_| listed(&place, &options, &start))))
}

/// Returns whether a file is an image that takes the place of a folder: one with a mark, or a disk in which something is
/// known.
fn is_folder(path: &[u8], resources: &Resources) -> bool {
    match look(&names::path_to_try(path)) {
        Ok(Look::Media | Look::Logical) => true,
        Ok(Look::Other) => {
            let is_asked = true;
            !is_known(path, resources) && is_image(path, is_asked, resources)
        }
        _ => false,
    }
}

/// Lists what is at a path or below it, as the files of a folder.
fn listed(path: &InnerPath, options: &InnerOptions, root: &[u8]) -> Entries {
    let Inner { place, entries, .. } = match path.open(options) {
        Ok(inner) => inner,
        Err(error) => return one(as_listing(failed(root, "error", error.to_string()))),
    };
    let (start, mut is_met): (Box<[u8]>, _) = (root.into(), path.is_whole());
    let mut entries = entries.map(move |found| relocated(found, &place, &start));
    let why = "there is no such file in the image or archive";
    let mut end = Some(as_listing(failed(root, "missing", why.into())));
    Box::new(std::iter::from_fn(move || {
        let found = entries.next();
        is_met |= found.is_some();
        found.or_else(|| end.take().filter(|_| !is_met))
    }))
}

/// Returns an entry with its path below `start` in the place of that in its file; failures are those of a listing.
fn relocated(found: WalkItem, place: &InnerPlace, start: &[u8]) -> WalkItem {
    let path = match place.below(path_of(&found)).as_deref() {
        None | Some(b"") => start.into(),
        Some(below) => [start, b"/", below].concat().into(),
    };
    match found {
        WalkItem::File(entry) => WalkItem::File(Entry { path, ..entry }),
        WalkItem::Skipped { why, .. } => WalkItem::Skipped { path, why },
        WalkItem::Failed(Error { problem, .. }) => as_listing(WalkItem::Failed(Error { path, problem })),
    }
}

/// Makes a failure inside of a file one of its listing: below its path more may be than was listed.
fn as_listing(found: WalkItem) -> WalkItem {
    match found {
        WalkItem::Failed(Error { path, problem: Problem::Inside { word, why } }) => {
            WalkItem::Failed(Error { path, problem: Problem::List(InsideFailure { word, why }.into()) })
        }
        found => found,
    }
}

impl fmt::Display for InnerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InnerError::Image(error) => f.write_str(&imaging::reason(error, &error.path)),
            InnerError::Unknown => {
                f.write_str("has no partitions, no file system that is known, and is no archive")
            }
        }
    }
}

fn is_file(path: &Path) -> bool {
    Meta::at(path).is_ok_and(|meta| meta.is_file() || meta.is_block_device())
}

fn without_slashes(path: &[u8]) -> Box<[u8]> {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    path[..end].into()
}
