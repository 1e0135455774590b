//! Forensic images among the files of a walk. An image of media becomes one entry with the bytes of the media, and on
//! request one for each file on them; a logical image becomes one entry for each file in it, and further segments are
//! left out as parts of the first.

pub mod nested;
use crate::archives;
use crate::archives::Surroundings;
use crate::archives::Watched;
use crate::chosen::{stand_in, without_passages};
use crate::entry::facts::EntryFacts;
use crate::entry::portions;
use crate::entry::stated::Stated;
use crate::entry::unread::WhyUnread;
use crate::images::nested::{NestedImages, claim};
use crate::imaging::{self, BackingFiles, OpenOptions, of_file, of_media};
use crate::inside::glance::Glance;
pub use crate::inside::site::operand;
use crate::inside::site::{Site, known};
use crate::inside::{self, Disk, ImageFiles, Outer};
use crate::resources::Resources;
use crate::stores::Stores;
use crate::wanted::{Inside, Wanted};
use hashmill_digest::hashes::{AT_ONCE, Hashes};
use hashmill_digest::{About, Algorithm, Digest};
use hashmill_engine::Cancel;
use hashmill_engine::flow::{Entries, one};
use hashmill_image::{
    Entry as Single, Error as ImageError, Finding, Image, Look, Problem as ImageProblem, ProblemKind,
};
use hashmill_image::{Severity, is_named_as_image_if, look, look_by};
use hashmill_os::{names, open_to_read};
use hashmill_source::{Bytes, Entry, EntryContent, Error, Meta, Origin, Problem, Skip, WalkItem};
use std::any::Any;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Replaces each image among the entries by its contents, and adds the members of archives behind them, if that is wanted.
pub(crate) fn opened(entries: Entries, wanted: Wanted) -> Entries {
    let archives = wanted.inside.archives.then(|| Surroundings::new(&wanted));
    let is_filtered = may_contain(&wanted.inside);
    let inside = Box::new(std::iter::empty());
    let entries: Entries = match wanted.inside.media {
        true => Box::new(Opened { entries, wanted, firsts: HashSet::new(), foreign: None, inside }),
        false => entries,
    };
    let entries = match archives {
        Some(surroundings) => archives::opened(entries, surroundings),
        None => entries,
    };
    if is_filtered { Box::new(entries.map(without_passages)) } else { entries }
}

/// Adds what is inside of the files of an archive or image that takes the place of a folder, and of which `root` is the path.
/// It counts as the outermost one; `is_far` if it is in a store.
pub(crate) fn opened_below(files: Entries, root: &[u8], is_far: bool, wanted: &Wanted) -> Entries {
    match wanted.inside {
        Inside { archives: true, .. } => {
            archives::opened_below(files, root, is_far, Surroundings::new(wanted))
        }
        Inside { files: true, .. } => NestedImages::of_image(wanted, wanted.filter.clone()).opened(files, 1),
        _ => files,
    }
}

/// Returns whether a file may contain files that are read. Any may: a name proves nothing.
pub(crate) fn may_contain(inside: &Inside) -> bool {
    inside.archives || inside.files
}

/// Returns whether a file has a usual name of an image or a disk.
pub(crate) fn is_named_as_media(path: &[u8]) -> bool {
    let path = names::path_to_try(path);
    is_named_as_disk(&path) || is_named_as_image_if(&path, &|_| false)
}

struct Opened<I> {
    entries: I,
    wanted: Wanted,
    /// The objects of stores with names of first segments. Stores list them before the further segments.
    firsts: HashSet<PathBuf>,
    /// The image whose segments were left out last, and the files beside it that are none of it.
    foreign: Option<(PathBuf, Vec<PathBuf>)>,
    /// The remaining entries of the current logical image.
    inside: Entries,
}

impl<I: Iterator<Item = WalkItem> + Send> Iterator for Opened<I> {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        loop {
            if let Some(found) = self.inside.next() {
                return Some(found);
            }
            match self.entries.next()? {
                WalkItem::File(entry) if self.is_candidate(&entry) => {
                    self.inside = self.resolve(entry);
                }
                WalkItem::File(entry) => return Some(WalkItem::File(self.watched(entry))),
                other => return Some(other),
            }
        }
    }
}

impl<I> Opened<I> {
    /// Returns the entries that take the place of a file that may be an image.
    fn resolve(&mut self, entry: Entry) -> Entries {
        match Site::from_entry(&entry).opener().and_then(|(opener, path)| look_by(&*opener, &path)) {
            Ok(Look::Later { first: Some(first) }) if self.is_foreign(&entry, &first) => {
                let why = format!("is beside {}, and is no segment of it", first.display());
                one(portions::failed(&entry.path, "ambiguous", why))
            }
            look => resolve(entry, look, &self.wanted),
        }
    }

    /// Returns an object that is watched while it is hashed, as only its bytes tell whether it is an image. Where archives are
    /// looked into, all objects are watched.
    fn watched(&self, entry: Entry) -> Entry {
        let Wanted { inside, unread, .. } = &self.wanted;
        let is_wanted = inside.files && !inside.archives && entry.is_remote();
        let content = entry.content.clone().filter(|_| is_wanted);
        let watched = content.map(|content| Watched::new(content, entry.path.clone(), *inside, unread));
        match watched {
            Some(watched) => Entry { content: Some(Arc::new(watched)), ..entry },
            None => entry,
        }
    }

    /// Returns whether a file that is named like a later segment of an image is none of it. Where files on media are
    /// read, the image tells it itself.
    fn is_foreign(&mut self, entry: &Entry, first: &Path) -> bool {
        let site = Site::from_entry(entry);
        if self.wanted.inside.files || site.is_remote() {
            return false;
        }
        if self.foreign.as_ref().is_none_or(|(known, _)| known != first) {
            let site = Site { path: first.to_path_buf(), ..site.clone() };
            let foreign =
                site.open(&layers(&self.wanted)).map_or(Vec::new(), |image| foreign_segments(&image));
            self.foreign = Some((first.to_path_buf(), foreign));
        }
        self.foreign.iter().any(|(_, foreign)| foreign.contains(&site.path))
    }

    /// Returns whether a file's first bytes are to be examined. For an object of a store, the name decides, so that no
    /// request is needed.
    fn is_candidate(&mut self, entry: &Entry) -> bool {
        if entry.content.is_none() {
            return is_candidate(entry, self.wanted.inside.files);
        }
        let Some(place) = entry.content.as_ref().and_then(|content| content.place()) else { return false };
        let place = names::path_to_try(&place).into_owned();
        let named = is_named_as_image_if(&place, &|first| self.firsts.contains(first));
        if named && names::path_bytes(&place).ends_with(b"01") {
            self.firsts.insert(place);
        }
        named
    }
}

fn path_of(entry: &Entry) -> Cow<'_, Path> {
    names::path_to_try(&entry.path)
}

/// Returns whether all ways to read a file as an image are tried. `with_disks` if it may be one without a mark.
fn is_candidate(entry: &Entry, with_disks: bool) -> bool {
    match entry.origin {
        Origin::Stdin => false,
        Origin::Path => {
            let site = Site::from_entry(entry);
            let is_there = |first: &Path| site.meta(first).is_ok_and(|meta| meta.is_file());
            let is_named = is_named_as_image_if(&path_of(entry), &is_there)
                || with_disks && is_named_as_disk(&path_of(entry));
            let is_known = |glance: Glance| glance.is_image() || with_disks && glance.is_disk();
            is_named || Glance::at(entry).is_some_and(is_known)
        }
        // A disk is media itself. Examining a FIFO would consume its bytes.
        Origin::Operand | Origin::Listed => {
            Meta::at(&path_of(entry)).is_ok_and(|meta| meta.is_file() || meta.is_block_device())
        }
    }
}

/// Returns whether a file has a usual name of a disk image without a format, which its first bytes don't tell.
fn is_named_as_disk(path: &Path) -> bool {
    const NAMES: [&str; 8] = ["dd", "raw", "img", "ima", "iso", "001", "bin", "dsk"];
    let extension = path.extension().map(|text| names::bytes(text).to_ascii_lowercase());
    extension.is_some_and(|extension| NAMES.iter().any(|name| name.as_bytes() == extension))
}

/// Returns the entries that take the place of a file that looks like this.
fn resolve(entry: Entry, look: Result<Look, ImageError>, wanted: &Wanted) -> Entries {
    match look {
        Ok(Look::Other) if wanted.inside.files && entry.origin != Origin::Stdin => {
            with_files(entry, OpenOptions { raw: true, ..OpenOptions::default() }, wanted)
        }
        // An image that can't be read fails like any other file.
        Ok(Look::Other) | Err(ImageError { problem: ImageProblem::Io(_), .. }) => one(WalkItem::File(entry)),
        Ok(Look::Media) if wanted.inside.files => with_files(entry, layers(wanted), wanted),
        Ok(Look::Media) => one(media(entry, layers(wanted), &wanted.stated)),
        Ok(Look::Logical) => singles(entry, &wanted.stated),
        Ok(Look::Later { first: Some(_) }) => one(WalkItem::Skipped { path: entry.path, why: Skip::Part }),
        Ok(Look::Later { first: None }) => {
            let cause = io::Error::other("is a further segment of an image whose first is not beside it");
            one(failed(&entry, Problem::Open(cause)))
        }
        Ok(Look::Foreign(container)) => {
            // The digests of the container's bytes would be taken for those of the media.
            let what = ImageProblem::Container(container);
            let cause = io::Error::other(format!("{what}; without --images the file itself is read"));
            one(failed(&entry, Problem::Open(cause)))
        }
        Err(error) => one(failed(&entry, Problem::Open(cause(error, &path_of(&entry))))),
    }
}

/// Returns the files beside an image that are named like its segments, and are none.
fn foreign_segments(image: &Image) -> Vec<PathBuf> {
    let is_foreign = |finding: &&Finding| {
        let kind = &finding.kind;
        matches!(
            kind,
            ProblemKind::ForeignSegment | ProblemKind::ExtraSegment | ProblemKind::DuplicateSegment { .. }
        )
    };
    let found = image.findings().iter().filter(is_foreign);
    found.filter_map(|finding| finding.place.segment.as_ref().map(|path| path.to_path_buf())).collect()
}

/// Returns the way to open an image whose kind is known by its bytes.
fn layers(wanted: &Wanted) -> OpenOptions {
    OpenOptions { raw: false, backing: wanted.backing.clone() }
}

fn failed(entry: &Entry, problem: Problem) -> WalkItem {
    WalkItem::Failed(Error { path: entry.path.clone(), problem })
}

/// Returns why an image with this path can't be opened.
fn cause(error: ImageError, path: &Path) -> io::Error {
    match error.problem {
        ImageProblem::Io(source) if error.path == path => source,
        _ => io::Error::other(imaging::reason(&error, path)),
    }
}

/// Returns whether a file that is named nothing like a disk may be the image of one without a format: some sectors, and no
/// remainder.
fn has_size_of_disk(path: &Path) -> bool {
    const SMALLEST: u64 = 64 << 10;
    Meta::at(path).is_ok_and(|meta| meta.size >= SMALLEST && meta.size.is_multiple_of(512))
}

/// Returns whether a file or device on this machine is an image that can be looked into. Where that was asked for, one of a
/// disk of which nothing is known is none, and one that can't be read is one, as it fails by itself.
pub(crate) fn is_image(path: &[u8], is_asked: bool, resources: &Resources) -> bool {
    let path = names::path_to_try(path);
    let has_known = |raw| {
        let open = OpenOptions { raw, ..OpenOptions::default() };
        let disk = imaging::open(&path, &open).ok().map(|image| Disk::new(&path, image, &resources.stores));
        disk.map_or(is_asked && !raw, |disk| disk.map_or(is_asked, |disk| disk.is_known()))
    };
    match look(&path) {
        Ok(Look::Logical | Look::Later { .. }) => true,
        Ok(Look::Media) => !is_asked || has_known(false),
        Ok(Look::Other) => {
            (is_asked || is_named_as_disk(&path) || has_size_of_disk(&path)) && has_known(true)
        }
        Ok(Look::Foreign(_)) | Err(_) => is_asked,
    }
}

/// Returns the size of the medium in an image on this machine or in a store, if the file is one.
pub(crate) fn medium_size(path: &[u8], stores: &Stores) -> Option<u64> {
    let site = Site::from_entry(&operand(&names::path_to_try(path), stores));
    let is_there = site.is_remote() || Meta::at(&site.path).is_ok_and(|meta| meta.is_file());
    let (opener, path) = is_there.then(|| site.opener().ok())??;
    let is_media = matches!(look_by(&*opener, &path), Ok(Look::Media));
    Some(is_media.then(|| site.open(&OpenOptions::default()).ok())??.media_size())
}

/// Returns the size of a file on this machine or in a store, as it lies.
pub(crate) fn size_of(path: &[u8], stores: &Stores) -> Option<u64> {
    let site = Site::from_entry(&operand(&names::path_to_try(path), stores));
    site.meta(&site.path).ok().map(|meta| meta.size)
}

/// Returns whether a folder is not there because a logical image is in its place: its files are listed as if they were in
/// a folder.
pub(crate) fn is_in_logical(folder: &[u8]) -> bool {
    let folder = names::path_to_try(folder);
    let there = folder.ancestors().find_map(|above| Some((above, Meta::at(above).ok()?)));
    there.is_some_and(|(above, meta)| meta.is_file() && matches!(look(above), Ok(Look::Logical)))
}

/// Returns the digests and the size of an image on this machine or in a store: of the medium in it, or of the file as it
/// lies. `None` if it can't be read, or the run was cancelled.
pub(crate) fn digests_of_image(
    path: &[u8],
    is_medium: bool,
    algorithms: &[&'static Algorithm],
    stores: &Stores,
    cancel: &Cancel,
) -> Option<(Vec<Digest>, u64)> {
    let entry = operand(&names::path_to_try(path), stores);
    let content = match is_medium {
        true => match media(entry, OpenOptions::default(), &Stated::default()) {
            WalkItem::File(Entry { content, .. }) => content,
            _ => None,
        },
        false => entry.content,
    };
    let (read, size): (Box<ReadAt>, _) = match content {
        Some(content) => {
            let bytes = content.open().ok()?;
            let size = bytes.meta().ok()?.size;
            (Box::new(move |offset, buffer| bytes.read_at(offset, buffer)), size)
        }
        None => {
            let file = open_to_read(&names::path_to_try(path)).ok()?;
            let size = file.metadata().ok()?.len();
            (Box::new(move |offset, buffer| hashmill_os::read_at(&file, buffer, offset)), size)
        }
    };
    let mut hashes = Hashes::new(algorithms, &About::file(path, Some(size)));
    let (mut buffer, mut offset) = (vec![0; AT_ONCE], 0);
    while offset < size && !cancel.is_set() {
        let read = read(offset, &mut buffer).ok().filter(|read| *read > 0)?;
        hashes.update(&buffer[..read]);
        offset += read as u64;
    }
    (offset == size).then(|| (hashes.end(), size))
}

/// Reads at an offset.
type ReadAt = dyn Fn(u64, &mut [u8]) -> io::Result<usize>;

/// Returns the media of an image of any kind as one entry. The digests that the image states for the media are recorded
/// when they are read.
pub fn media(entry: Entry, open: OpenOptions, stated: &Stated) -> WalkItem {
    let (name, stated) = (entry.path.clone(), stated.clone());
    let content: Arc<dyn EntryContent> =
        Arc::new(Media { site: Site::from_entry(&entry), name, open, stated });
    WalkItem::File(Entry { size: None, content: Some(content), ..entry })
}

/// Returns the media of an image, and the entries of the file systems on them.
fn with_files(entry: Entry, open: OpenOptions, wanted: &Wanted) -> Entries {
    let (site, raw) = (Site::from_entry(&entry), open.raw);
    let image = match site.open(&open) {
        Ok(image) => Arc::new(image),
        // A file that can't be read, and an image that can't, fail as they do without their files.
        Err(_) if raw => return one(WalkItem::File(entry)),
        Err(_) => return one(media(entry, open, &wanted.stated)),
    };
    let files = image_files(&image, &site.path, &open.backing);
    let outer = Arc::new(Outer::new(
        entry.path.clone(),
        entry.device,
        Arc::clone(&image),
        site.clone(),
        files,
        wanted.memory,
    ));
    // Media that can't be read are told with the files.
    let is_known = inside::is_disk(Arc::clone(&outer) as _).unwrap_or(!raw);
    if !is_known && entry.origin == Origin::Path && is_named_as_media(&entry.path) {
        wanted.unread.add(&entry.path, WhyUnread::Unknown);
    }
    if raw && !is_known {
        return one(WalkItem::File(entry));
    }
    let filter = wanted.filter.within(&entry);
    let root = [&entry.path, b"!".as_slice()].concat();
    let files = inside::entries(&outer, wanted.inside, &wanted.facts);
    let files = files.map(move |found| filter.choose(&root, found));
    let files = NestedImages::of_image(wanted, wanted.filter.within(&entry)).opened(Box::new(files), 1);
    wanted.stated.note(&entry.path, of_media(&image, site.path.clone(), open));
    let (is_left_out, files) = stand_in(files, wanted.inside.only);
    let is_passage = entry.is_passage || is_left_out;
    if let Some(why) = claim(&image, wanted.inside.max_expanded).filter(|_| !is_passage) {
        return Box::new(std::iter::once(failed(&entry, Problem::Open(io::Error::other(why)))).chain(files));
    }
    let media = if raw && entry.content.is_none() && outer.is_one_file() {
        // The media are the file, which is read best as any other.
        entry
    } else {
        let content: Arc<dyn EntryContent> = Arc::new(ReadingMedia(outer));
        Entry { size: None, content: Some(content), ..entry }
    };
    Box::new(std::iter::once(WalkItem::File(Entry { is_passage, ..media })).chain(files))
}

/// Returns whether content is that of a medium, which is no archive even if one lies at its start or end.
pub(crate) fn is_medium(content: &dyn EntryContent) -> bool {
    let content: &dyn Any = content;
    content.is::<Media>() || content.is::<ReadingMedia>()
}

/// Opens an image, and returns the path that stands before those of the files in it, with these files: those in the file
/// systems on its media, or those of a logical image. There are none if nothing is known of the media.
pub(crate) fn files_in(
    entry: Entry,
    open: &OpenOptions,
    inside: Inside,
    memory: usize,
    facts: &EntryFacts,
    stated: &Stated,
) -> Result<(Box<[u8]>, Option<Entries>), ImageError> {
    let site = Site::from_entry(&entry);
    let image = Arc::new(site.open(open)?);
    if image.is_logical() {
        return Ok((entry.path.clone(), Some(singles(entry, stated))));
    }
    let files = image_files(&image, &site.path, &open.backing);
    let root = [&entry.path, b"!".as_slice()].concat().into();
    let outer = Arc::new(Outer::new(entry.path, entry.device, image, site, files, memory));
    let is_known = inside::is_disk(Arc::clone(&outer) as _).unwrap_or(true);
    Ok((root, is_known.then(|| inside::entries(&outer, inside, facts))))
}

/// The media of an image that is open.
#[derive(Debug, Clone)]
struct ReadingMedia(Arc<Outer>);

impl EntryContent for ReadingMedia {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        Ok(Box::new(self.clone()))
    }

    fn known(&self) -> Option<Meta> {
        known(self)
    }
}

impl Bytes for ReadingMedia {
    fn file(&self) -> io::Result<Option<File>> {
        self.0.file()
    }

    fn meta(&self) -> io::Result<Meta> {
        Ok(Meta { size: self.0.image.media_size(), stamp: self.0.stamp(0), ..self.0.meta()? })
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(offset, buffer)
    }
}

/// Returns the files in a logical image, in the order of the image. The digests that the image states for them are
/// recorded.
pub fn singles(entry: Entry, stated: &Stated) -> Entries {
    let stated = stated.clone();
    let site = Site::from_entry(&entry);
    let image = match site.open(&OpenOptions::default()) {
        Ok(image) => Arc::new(image),
        Err(error) => return one(failed(&entry, Problem::Open(cause(error, &site.path)))),
    };
    // If the image has defects, its list of files may be incomplete.
    let wrong = image.findings().iter().find(|finding| finding.kind.severity() > Severity::Note);
    let wrong = wrong.map(|finding| failed(&entry, Problem::List(io::Error::other(finding.to_string()))));
    let files = image.entries().iter().enumerate().filter(|(_, single)| !single.folder);
    let places: Vec<usize> = files.map(|(place, _)| place).collect();
    let parts = image_files(&image, &site.path, &BackingFiles::default());
    let outer = Arc::new(Outer::new(entry.path.clone(), entry.device, Arc::clone(&image), site, parts, 0));
    let files = places.into_iter().map(move |place| {
        let single = &image.entries()[place];
        let path: Box<[u8]> = [&entry.path, b"/".as_slice(), &single.path].concat().into();
        stated.note(&path, of_file(single));
        let content: Arc<dyn EntryContent> = Arc::new(LogicalFile { outer: Arc::clone(&outer), place });
        WalkItem::File(Entry { path, size: Some(single.size), content: Some(content), ..entry.clone() })
    });
    Box::new(wrong.into_iter().chain(files))
}

/// The content of an image of media, which is opened later.
#[derive(Debug)]
struct Media {
    site: Site,
    /// The path of the entry.
    name: Box<[u8]>,
    open: OpenOptions,
    stated: Stated,
}

impl EntryContent for Media {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        let image = self.site.open(&self.open).map_err(|error| cause(error, &self.site.path))?;
        // A damaged log of a virtual disk: the bytes can be read, but may be older than the media.
        let damage = image.findings().iter().find(|finding| finding.kind.severity() == Severity::Damage);
        if let Some(damage) = damage {
            return Err(io::Error::other(damage.to_string()));
        }
        self.stated.note(&self.name, of_media(&image, self.site.path.clone(), self.open.clone()));
        let (site, files) = (self.site.clone(), image_files(&image, &self.site.path, &self.open.backing));
        Ok(Box::new(ReadingMedia(Arc::new(Outer::new(
            self.name.clone(),
            0,
            Arc::new(image),
            site,
            files,
            0,
        )))))
    }

    fn known(&self) -> Option<Meta> {
        known(&*self.open().ok()?)
    }
}

/// Returns the files that the media of an image are read from.
fn image_files(image: &Image, typed: &Path, backing: &BackingFiles) -> ImageFiles {
    ImageFiles { own: held(image, typed), below: backing.below(image), stores: backing.stores().clone() }
}

/// Returns the files that an image consists of. For an image on a web server, this is the address as it was typed,
/// because the address as it is shown opens nothing.
fn held(image: &Image, typed: &Path) -> Arc<[PathBuf]> {
    if imaging::shown(typed) != typed {
        return Arc::new([typed.to_path_buf()]);
    }
    let paths = image.segments().iter().filter_map(|segment| segment.path.as_ref());
    paths.map(|path| path.to_path_buf()).collect()
}

/// A file in a logical image.
#[derive(Debug, Clone)]
struct LogicalFile {
    outer: Arc<Outer>,
    place: usize,
}

impl LogicalFile {
    fn single(&self) -> io::Result<&Single> {
        self.outer.image.entries().get(self.place).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl EntryContent for LogicalFile {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        Ok(Box::new(self.clone()))
    }

    fn known(&self) -> Option<Meta> {
        known(self)
    }
}

impl Bytes for LogicalFile {
    fn file(&self) -> io::Result<Option<File>> {
        self.outer.file()
    }

    fn meta(&self) -> io::Result<Meta> {
        let (single, meta) = (self.single()?, self.outer.meta()?);
        let written = single.times.written.map(|seconds| (seconds, 0));
        let (mtime, stamp) = (written.unwrap_or(meta.mtime), self.outer.stamp(self.place as u64));
        Ok(Meta { size: single.size, mtime, stamp, ..meta })
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let single = self.single()?;
        self.outer
            .with_window(offset, |window| self.outer.image.read_entry_at(single, offset, buffer, window))
    }
}
