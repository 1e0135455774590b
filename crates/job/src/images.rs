//! Forensic images among the files of a walk: an image of media becomes one entry with the media's bytes,
//! a logical one an entry for each file in it, and further segments are left out as parts of the first.

use crate::flow::Entries;
use crate::imaging::{self, place};
use crate::location::is_location;
use crate::misfit::Misfit;
use crate::stated::{Stated, of_file, of_media};
use crate::stores;
use hashloom_image::{Entry as Single, Error as ImageError, Image, Look, Problem as ImageProblem};
use hashloom_image::{Severity, Window, is_named_as_image, is_named_as_image_if, look_by, open_image};
use hashloom_source::{Bytes, Content, Entry, Error, Found, Meta, Origin, Problem, Skip};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The same entries, with images as what is in them.
///
/// # Errors
/// None; a build without the feature `images` has no images.
pub(crate) fn opened(
    entries: impl Iterator<Item = Found> + Send + 'static,
    stated: &Stated,
) -> Result<Entries, Misfit> {
    let (stated, inside) = (stated.clone(), Box::new(std::iter::empty()));
    Ok(Box::new(Opened { entries, stated, firsts: HashSet::new(), inside }))
}

struct Opened<I> {
    entries: I,
    /// Where it is noted what images state.
    stated: Stated,
    /// What is named as a first segment in stores, which list it before the others.
    firsts: HashSet<PathBuf>,
    /// What is in the logical image at hand.
    inside: Entries,
}

impl<I: Iterator<Item = Found> + Send> Iterator for Opened<I> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            if let Some(found) = self.inside.next() {
                return Some(found);
            }
            match self.entries.next()? {
                Found::File(entry) if self.is_candidate(&entry) => self.inside = resolve(entry, &self.stated),
                other => return Some(other),
            }
        }
    }
}

impl<I> Opened<I> {
    /// Whether it is worth looking at a file's first bytes. In a store nobody is asked for that.
    fn is_candidate(&mut self, entry: &Entry) -> bool {
        if entry.content.is_none() {
            return is_candidate(entry);
        }
        let Some(place) = entry.content.as_ref().and_then(|content| content.place()) else { return false };
        let place = PathBuf::from(OsString::from_vec(place.into()));
        let named = is_named_as_image_if(&place, &|first| self.firsts.contains(first));
        if named && place.as_os_str().as_bytes().ends_with(b"01") {
            self.firsts.insert(place);
        }
        named
    }
}

/// The path by which the files of an image are opened: that of the entry, or its location.
fn place_of(entry: &Entry) -> PathBuf {
    let place = entry.content.as_ref().and_then(|content| content.place());
    PathBuf::from(OsString::from_vec(place.unwrap_or_else(|| entry.path.clone()).into()))
}

fn path_of(entry: &Entry) -> &Path {
    Path::new(std::ffi::OsStr::from_bytes(&entry.path))
}

/// Whether it is worth looking at a file's first bytes. One that was named may have any name.
fn is_candidate(entry: &Entry) -> bool {
    match entry.origin {
        Origin::Stdin => false,
        Origin::Path => is_named_as_image(path_of(entry)),
        // Looking into a FIFO would take bytes out of it.
        Origin::Operand | Origin::Listed => path_of(entry).metadata().is_ok_and(|meta| meta.is_file()),
    }
}

fn one(found: Found) -> Entries {
    Box::new(std::iter::once(found))
}

/// What a file that may be an image stands for.
fn resolve(entry: Entry, stated: &Stated) -> Entries {
    let place = place_of(&entry);
    match place::opener(&place).and_then(|(opener, path)| look_by(&*opener, &path)) {
        // What can't be read fails as any file does.
        Ok(Look::Other) | Err(ImageError { problem: ImageProblem::Io(_), .. }) => one(Found::File(entry)),
        Ok(Look::Media) => one(media(entry, false, stated)),
        Ok(Look::Logical) => singles(entry, stated),
        Ok(Look::Later { first: Some(_) }) => one(Found::Skipped { path: entry.path, why: Skip::Part }),
        Ok(Look::Later { first: None }) => {
            let cause = io::Error::other("is a further segment of an image whose first is not beside it");
            one(failed(&entry, Problem::Open(cause)))
        }
        Ok(Look::Foreign(container)) => {
            // The digests of its own bytes would pass for those of the media.
            let what = ImageProblem::Container(container);
            let cause = io::Error::other(format!("{what}; without --images the file itself is read"));
            one(failed(&entry, Problem::Open(cause)))
        }
        Err(error) => one(failed(&entry, Problem::Open(cause(error.problem)))),
    }
}

fn failed(entry: &Entry, problem: Problem) -> Found {
    Found::Failed(Error { path: entry.path.clone(), problem })
}

fn cause(problem: ImageProblem) -> io::Error {
    match problem {
        ImageProblem::Io(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

/// An image that was named: its path, or the name of an object.
pub fn operand(path: &Path) -> Entry {
    let typed = path.as_os_str().as_bytes();
    stores::named(typed).unwrap_or_else(|| Entry::new(typed.into(), Origin::Operand))
}

/// The media of an image, of any kind; raw media whatever it looks like, if that is insisted on. What the image states of
/// them is noted when they are read.
pub fn media(entry: Entry, raw: bool, stated: &Stated) -> Found {
    let (name, stated) = (entry.path.clone(), stated.clone());
    let content: Arc<dyn Content> = Arc::new(Media { path: place_of(&entry), name, raw, stated });
    Found::File(Entry { size: None, content: Some(content), ..entry })
}

/// The files in a logical image, in its own order. What the image states of them is noted.
pub fn singles(entry: Entry, stated: &Stated) -> Entries {
    let stated = stated.clone();
    let image = match imaging::open(&place_of(&entry), false) {
        Ok(image) => Arc::new(image),
        Err(error) => return one(failed(&entry, Problem::Open(cause(error.problem)))),
    };
    // If something is wrong with it, its list of files may not be all of it.
    let wrong = image.findings().iter().find(|finding| finding.kind.severity() > Severity::Note);
    let wrong = wrong.map(|finding| failed(&entry, Problem::List(io::Error::other(finding.to_string()))));
    let files = image.entries().iter().enumerate().filter(|(_, single)| !single.folder);
    let places: Vec<usize> = files.map(|(place, _)| place).collect();
    let held = held(&image, &place_of(&entry));
    let files = places.into_iter().map(move |place| {
        let single = &image.entries()[place];
        let path: Box<[u8]> = [&entry.path, b"/".as_slice(), &single.path].concat().into();
        stated.note(&path, of_file(single));
        let content: Arc<dyn Content> =
            Arc::new(Inside { image: Arc::clone(&image), place, held: Arc::clone(&held) });
        Found::File(Entry { path, size: Some(single.size), content: Some(content), ..entry.clone() })
    });
    Box::new(wrong.into_iter().chain(files))
}

/// An image of media, to be opened.
#[derive(Debug)]
struct Media {
    path: PathBuf,
    /// The path of the entry.
    name: Box<[u8]>,
    raw: bool,
    stated: Stated,
}

impl Content for Media {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        let image = imaging::open(&self.path, self.raw).map_err(|error| cause(error.problem))?;
        self.stated.note(&self.name, of_media(&image, self.path.clone(), self.raw));
        let held = held(&image, &self.path);
        Ok(Box::new(Reading { image: Arc::new(image), place: None, held, windows: Mutex::default() }))
    }
}

/// A file in a logical image.
struct Inside {
    image: Arc<Image>,
    place: usize,
    held: Arc<[PathBuf]>,
}

/// The files that hold an image. Of a web server the address as it was typed: what is shown of it opens nothing.
fn held(image: &Image, typed: &Path) -> Arc<[PathBuf]> {
    if imaging::shown(typed) != typed {
        return Arc::new([typed.to_path_buf()]);
    }
    let paths = image.segments().iter().filter_map(|segment| segment.path.as_ref());
    paths.map(|path| path.to_path_buf()).collect()
}

impl Content for Inside {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        let (image, place) = (Arc::clone(&self.image), Some(self.place));
        let held = Arc::clone(&self.held);
        Ok(Box::new(Reading { image, place, held, windows: Mutex::default() }))
    }
}

/// An open image, or a file in it.
struct Reading {
    image: Arc<Image>,
    place: Option<usize>,
    /// The files that hold it, the first one first.
    held: Arc<[PathBuf]>,
    /// One for each thread that reads at a time.
    windows: Mutex<Vec<Window>>,
}

impl Reading {
    fn single(&self) -> Option<&Single> {
        self.place.and_then(|place| self.image.entries().get(place))
    }

    /// A window, best the one that was here last: where chunks are large it has the bytes already.
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
    fn file(&self) -> io::Result<File> {
        let first = self.held.first().ok_or(io::ErrorKind::NotFound)?;
        if is_location(first.as_os_str().as_bytes()) { File::open("/dev/null") } else { open_image(first) }
    }

    fn meta(&self) -> io::Result<Meta> {
        let mut newest: Option<Meta> = None;
        for path in self.held.iter() {
            let meta = place::meta(path)?;
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
