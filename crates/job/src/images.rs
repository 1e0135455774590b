//! Forensic images among the files of a walk. An image of media becomes one entry with the bytes of the media, a
//! logical image becomes one entry for each file in it, and further segments are left out as parts of the first.

use crate::flow::Entries;
use crate::imaging::{self, place};
use crate::location::is_location;
use crate::misfit::Misfit;
use crate::stated::{Stated, of_file, of_media};
use crate::stores;
use hashloom_image::{
    Entry as Single, Error as ImageError, Image, Look, Opener, Problem as ImageProblem, SharedFile,
};
use hashloom_image::{Severity, Window, is_named_as_image_if, look_by, open_image};
use hashloom_os::names;
use hashloom_source::{
    Bytes, Entry, EntryContent, Error, Meta, OperandDirectory, Origin, Problem, Skip, WalkItem,
};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Replaces each image among the entries by its contents.
///
/// # Errors
/// None in this build; without the feature `images`, the call always fails.
pub(crate) fn opened(
    entries: impl Iterator<Item = WalkItem> + Send + 'static,
    stated: &Stated,
) -> Result<Entries, Misfit> {
    let (stated, inside) = (stated.clone(), Box::new(std::iter::empty()));
    Ok(Box::new(Opened { entries, stated, firsts: HashSet::new(), inside }))
}

struct Opened<I> {
    entries: I,
    /// The digests that images state are recorded here.
    stated: Stated,
    /// The objects of stores with names of first segments. Stores list them before the further segments.
    firsts: HashSet<PathBuf>,
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
                    self.inside = resolve(entry, &self.stated)
                }
                other => return Some(other),
            }
        }
    }
}

impl<I> Opened<I> {
    /// Returns whether a file's first bytes are to be examined. For an object of a store, the name decides, so that no
    /// request is needed.
    fn is_candidate(&mut self, entry: &Entry) -> bool {
        if entry.content.is_none() {
            return is_candidate(entry);
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

/// The place of an image: the path by which its files are opened (that of the entry, or its location), and the operand
/// below which the walk found it.
#[derive(Debug, Clone)]
struct Site {
    path: PathBuf,
    operand: Option<Arc<OperandDirectory>>,
}

/// An opener of image files below an operand. Like a walk, it follows no symbolic link.
#[derive(Debug)]
struct BelowOperand(Arc<OperandDirectory>);

impl Site {
    fn from_entry(entry: &Entry) -> Site {
        let place = entry.content.as_ref().and_then(|content| content.place());
        let path = names::path_to_try(&place.unwrap_or_else(|| entry.path.clone())).into_owned();
        Site { path, operand: entry.operand.clone() }
    }

    fn opener(&self) -> Result<(Arc<dyn Opener>, PathBuf), ImageError> {
        match &self.operand {
            None => place::opener(&self.path),
            Some(operand) => Ok((Arc::new(BelowOperand(Arc::clone(operand))), self.path.clone())),
        }
    }

    fn open(&self, raw: bool) -> Result<Image, ImageError> {
        let (opener, path) = self.opener()?;
        imaging::open_by(&opener, &path, raw)
    }

    /// Opens one of the image's files, unless it is in a store.
    fn file(&self, path: &Path) -> io::Result<Option<File>> {
        match &self.operand {
            Some(operand) => open_below(operand, path).map(Some),
            None if is_location(&names::path_bytes(path)) => Ok(None),
            None => open_image(path).map(Some),
        }
    }

    /// Returns the metadata of one of the image's files.
    fn meta(&self, path: &Path) -> io::Result<Meta> {
        match &self.operand {
            Some(operand) => operand.meta(&names::path_bytes(path)),
            None => place::meta(path),
        }
    }
}

impl Opener for BelowOperand {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn SharedFile>> {
        Ok(Arc::new(open_below(&self.0, path)?))
    }

    fn beside(&self, path: &Path, start: &[u8]) -> io::Result<Vec<OsString>> {
        let folder = &*names::path_bytes(path.parent().unwrap_or(Path::new("")));
        let mut found = self.0.names(folder)?;
        found.retain(|name| names::bytes(name).starts_with(start));
        Ok(found)
    }
}

/// Opens a regular file below an operand. It was a regular file when it was listed, but may have been replaced since.
fn open_below(operand: &OperandDirectory, path: &Path) -> io::Result<File> {
    let path = &*names::path_bytes(path);
    let file = || io::Error::new(io::ErrorKind::Unsupported, "it is no longer a regular file");
    // Checked before opening, because opening a FIFO alone wakes its writer.
    let meta = operand.meta(path)?;
    if !meta.is_file() && !meta.is_link() {
        return Err(file());
    }
    let opened = operand.open_file(path)?;
    if opened.metadata()?.is_file() { Ok(opened) } else { Err(file()) }
}

fn path_of(entry: &Entry) -> Cow<'_, Path> {
    names::path_to_try(&entry.path)
}

/// Returns whether a file's first bytes are to be examined. The name decides for files that a walk found; operands and
/// listed files may have any name.
fn is_candidate(entry: &Entry) -> bool {
    match entry.origin {
        Origin::Stdin => false,
        Origin::Path => {
            let site = Site::from_entry(entry);
            is_named_as_image_if(&path_of(entry), &|first| site.meta(first).is_ok_and(|meta| meta.is_file()))
        }
        // Examining a FIFO would consume its bytes.
        Origin::Operand | Origin::Listed => path_of(entry).metadata().is_ok_and(|meta| meta.is_file()),
    }
}

fn one(found: WalkItem) -> Entries {
    Box::new(std::iter::once(found))
}

/// Returns the entries that take the place of a file that may be an image.
fn resolve(entry: Entry, stated: &Stated) -> Entries {
    match Site::from_entry(&entry).opener().and_then(|(opener, path)| look_by(&*opener, &path)) {
        // An image that can't be read fails like any other file.
        Ok(Look::Other) | Err(ImageError { problem: ImageProblem::Io(_), .. }) => one(WalkItem::File(entry)),
        Ok(Look::Media) => one(media(entry, false, stated)),
        Ok(Look::Logical) => singles(entry, stated),
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
        Err(error) => one(failed(&entry, Problem::Open(cause(error.problem)))),
    }
}

fn failed(entry: &Entry, problem: Problem) -> WalkItem {
    WalkItem::Failed(Error { path: entry.path.clone(), problem })
}

fn cause(problem: ImageProblem) -> io::Error {
    match problem {
        ImageProblem::Io(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

/// Returns the entry of an image that was given as an operand: a path, or the location of an object.
pub fn operand(path: &Path) -> Entry {
    let typed = &*names::path_bytes(path);
    stores::named(typed).unwrap_or_else(|| Entry::new(typed.into(), Origin::Operand))
}

/// Returns the media of an image of any kind as one entry. With `raw`, the file is read as raw media, whatever it looks
/// like. The digests that the image states for the media are recorded when they are read.
pub fn media(entry: Entry, raw: bool, stated: &Stated) -> WalkItem {
    let (name, stated) = (entry.path.clone(), stated.clone());
    let content: Arc<dyn EntryContent> =
        Arc::new(Media { site: Site::from_entry(&entry), name, raw, stated });
    WalkItem::File(Entry { size: None, content: Some(content), ..entry })
}

/// Returns the files in a logical image, in the order of the image. The digests that the image states for them are
/// recorded.
pub fn singles(entry: Entry, stated: &Stated) -> Entries {
    let stated = stated.clone();
    let site = Site::from_entry(&entry);
    let image = match site.open(false) {
        Ok(image) => Arc::new(image),
        Err(error) => return one(failed(&entry, Problem::Open(cause(error.problem)))),
    };
    // If the image has defects, its list of files may be incomplete.
    let wrong = image.findings().iter().find(|finding| finding.kind.severity() > Severity::Note);
    let wrong = wrong.map(|finding| failed(&entry, Problem::List(io::Error::other(finding.to_string()))));
    let files = image.entries().iter().enumerate().filter(|(_, single)| !single.folder);
    let places: Vec<usize> = files.map(|(place, _)| place).collect();
    let held = held(&image, &site.path);
    let files = places.into_iter().map(move |place| {
        let single = &image.entries()[place];
        let path: Box<[u8]> = [&entry.path, b"/".as_slice(), &single.path].concat().into();
        stated.note(&path, of_file(single));
        let content: Arc<dyn EntryContent> = Arc::new(Inside {
            image: Arc::clone(&image),
            place,
            site: site.clone(),
            held: Arc::clone(&held),
        });
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
    raw: bool,
    stated: Stated,
}

impl EntryContent for Media {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        let image = self.site.open(self.raw).map_err(|error| cause(error.problem))?;
        self.stated.note(&self.name, of_media(&image, self.site.path.clone(), self.raw));
        let (site, held) = (self.site.clone(), held(&image, &self.site.path));
        Ok(Box::new(Reading { image: Arc::new(image), place: None, site, held, windows: Mutex::default() }))
    }
}

/// A file in a logical image.
struct Inside {
    image: Arc<Image>,
    place: usize,
    site: Site,
    held: Arc<[PathBuf]>,
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

impl EntryContent for Inside {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        let (image, place) = (Arc::clone(&self.image), Some(self.place));
        let (site, held) = (self.site.clone(), Arc::clone(&self.held));
        Ok(Box::new(Reading { image, place, site, held, windows: Mutex::default() }))
    }
}

/// An open image, or a file in it.
struct Reading {
    image: Arc<Image>,
    place: Option<usize>,
    site: Site,
    /// The files that the image consists of, the first one first.
    held: Arc<[PathBuf]>,
    /// One window for each thread that is reading.
    windows: Mutex<Vec<Window>>,
}

impl Reading {
    fn single(&self) -> Option<&Single> {
        self.place.and_then(|place| self.image.entries().get(place))
    }

    /// Takes a window, if possible one that has the bytes at this offset already, which helps where chunks are large.
    fn window(&self, offset: u64) -> Window {
        let mut windows = self.windows.lock();
        let found = windows.iter().position(|window| window.holds(&self.image, offset));
        match found {
            Some(found) => windows.swap_remove(found),
            None => windows.pop().unwrap_or_default(),
        }
    }

    fn give_back(&self, window: Window) {
        self.windows.lock().push(window);
    }
}

impl Bytes for Reading {
    fn file(&self) -> io::Result<Option<File>> {
        let first = self.held.first().ok_or(io::ErrorKind::NotFound)?;
        self.site.file(first)
    }

    fn meta(&self) -> io::Result<Meta> {
        let mut newest: Option<Meta> = None;
        for path in self.held.iter() {
            let meta = self.site.meta(path)?;
            let first = newest.get_or_insert(meta);
            first.mtime = first.mtime.max(meta.mtime);
            first.ctime = first.ctime.max(meta.ctime);
        }
        let meta = newest.ok_or(io::ErrorKind::NotFound)?;
        let written = self.single().and_then(|single| single.times.written).map(|seconds| (seconds, 0));
        let size = self.single().map_or(self.image.media_size(), |single| single.size);
        Ok(Meta { size, mtime: written.unwrap_or(meta.mtime), ..meta })
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut window = self.window(offset);
        let read = match self.single() {
            Some(single) => self.image.read_entry_at(single, offset, buffer, &mut window),
            None => self.image.read_at(offset, buffer, &mut window).map_err(io::Error::from),
        };
        self.give_back(window);
        read
    }
}

impl fmt::Debug for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Inside({})", self.place)
    }
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reading({:?})", self.place)
    }
}
