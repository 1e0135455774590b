//! Object stores as places of a walk: objects become entries with a `EntryContent` of their own; lists are copied from
//! stores, and outputs are written to them.
//!
//! How stores are reached is a setting of the job ([`Stores`]); the credentials may be in the environment.

pub mod location;
pub mod remotes;

use crate::misfit::Misfit;
use crate::output::Destination;
use crate::stores::location::{Naming, with_slash};
use crate::stores::remotes::{RemoteTable, Remotes};
use hashmill_digest::{find, hash};
use hashmill_engine::flow::{Entries, one};
use hashmill_os::names;
use hashmill_source::{
    Bytes, Choice, Entry, EntryContent, Error, Meta, Origin, Problem, Skip, WalkItem, WalkOptions, mode, walk,
};
use hashmill_store::{
    Access, Cause, Coming, Counts, Listing, Location, Object, Opened, Prefetcher, Scheme, Store,
};
use hashmill_terminal::masked_word;
use parking_lot::{Mutex, MutexGuard};
use std::any::Any;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::{mem, process};

/// Number of bytes of a list that are copied at a time.
const COPY: usize = 1 << 20;

/// A job's access to stores: its settings, the services that it knows by name, and the connections that it opened.
/// Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Stores(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    remotes: Arc<Remotes>,
    open: Mutex<OpenStores>,
    /// The number of objects that were met, as each has a number of its own: no two are links to one file.
    met: AtomicU64,
}

#[derive(Debug, Default)]
struct OpenStores {
    access: Access,
    all: Vec<Store>,
    /// Counts of the stores that were reached with earlier settings.
    past: Counts,
    /// The process that opened them: after a fork, the child can't use the connections of its parent.
    process: u32,
}

/// An object that was listed or looked up.
#[derive(Debug, Clone)]
pub struct StoreObject {
    /// Its location.
    pub location: Location,
    /// The properties that the store stated.
    pub object: Object,
}

impl OpenStores {
    fn counts(&self) -> Counts {
        self.all.iter().fold(self.past, |all, store| all.and(store.counts()))
    }
}

impl Stores {
    /// Makes an access with these settings. The services are read when the first operand looks like a location of one.
    pub fn new(access: Access, remotes: impl Fn() -> RemoteTable + Send + Sync + 'static) -> Stores {
        let stores =
            Stores(Arc::new(Shared { remotes: Arc::new(Remotes::new(remotes)), ..Shared::default() }));
        stores.configure(access);
        stores
    }

    /// Returns another access with these settings, and the services of this one.
    pub fn with_access(&self, access: Access) -> Stores {
        let stores = Stores(Arc::new(Shared { remotes: Arc::clone(&self.0.remotes), ..Shared::default() }));
        stores.configure(access);
        stores
    }

    /// Replaces the settings, for all clones from now on.
    pub fn configure(&self, access: Access) {
        let mut open = self.open();
        open.past = open.counts();
        open.all.clear();
        open.access = access;
    }

    /// Returns the connections of this process.
    fn open(&self) -> MutexGuard<'_, OpenStores> {
        let mut open = self.0.open.lock();
        if open.process != process::id() {
            // Ending these connections is the business of the other process.
            mem::forget(mem::take(&mut open.all));
            (open.past, open.process) = (Counts::default(), process::id());
        }
        open
    }

    /// Returns the store of a location. All readers and writers of a store share it.
    ///
    /// # Errors
    /// If there are no credentials, or the settings are invalid.
    pub fn store(&self, location: &Location) -> Result<Store, hashmill_store::Error> {
        let mut open = self.open();
        if let Some(store) = open.all.iter().find(|store| store.location().is_in_store_of(location)) {
            return Ok(store.clone());
        }
        let store = Store::connect(location, &self.0.remotes.access(location, &open.access))?;
        open.all.push(store.clone());
        Ok(store)
    }

    /// Returns the counts of requests so far, of all stores together.
    pub fn counts(&self) -> Counts {
        self.open().counts()
    }

    /// Returns the part after the name of a service and its colon.
    pub(crate) fn of_remote<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        self.0.remotes.find(text).map(|named| named.rest)
    }

    /// Returns a hint for a path that is not there, and looks like a location of a service with a name.
    pub fn remote_hint(&self, typed: &[u8]) -> Option<String> {
        self.0.remotes.hint(typed)
    }

    /// Makes entries of objects, with the keys as paths. They are requested ahead, like those of a folder.
    pub fn told(&self, objects: Vec<StoreObject>) -> Entries {
        let mut open: Vec<(Store, Prefetcher)> = Vec::new();
        let stores = self.clone();
        let mut announced = move |told: StoreObject| {
            let known = open.iter().position(|(store, _)| store.location().is_in_store_of(&told.location));
            let at = match known {
                Some(at) => at,
                None => {
                    let store = stores.store(&told.location)?;
                    let ahead = store.ahead();
                    open.push((store, ahead));
                    open.len() - 1
                }
            };
            Ok::<_, hashmill_store::Error>(
                stores.entry(told.object.key.clone(), open[at].1.announce(told.object)),
            )
        };
        Box::new(objects.into_iter().map(move |told| {
            let path: Box<[u8]> = told.object.key.clone();
            match announced(told) {
                Ok(entry) => entry,
                Err(error) => failed(&path, Problem::Stat(error.into())),
            }
        }))
    }

    /// Parses a typed location.
    ///
    /// # Errors
    /// If it is not a location.
    pub fn location(&self, typed: &[u8]) -> io::Result<Location> {
        if let Some(named) = self.0.remotes.find(typed) {
            return named.location().map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        match Location::parse(typed) {
            Some(Ok(location)) => Ok(location),
            Some(Err(bad)) => Err(io::Error::new(io::ErrorKind::InvalidInput, bad)),
            None => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// Parses a location that is an operand.
    ///
    /// # Errors
    /// If it is not a location.
    pub fn operand(&self, typed: &[u8]) -> Result<Location, Misfit> {
        self.location(typed).map_err(|why| Misfit::of_place(shown(typed), &why.to_string()))
    }

    /// Checks an operand that looks like a location.
    ///
    /// # Errors
    /// If it is not a location.
    pub fn check(&self, typed: &[u8]) -> Result<(), Misfit> {
        self.operand(typed).map(drop)
    }

    /// Lists the objects at or below a location. Paths are the keys relative to the operand; if `naming` says so, the
    /// operand itself comes first.
    pub fn entries(&self, typed: &[u8], options: &WalkOptions, naming: Naming) -> Entries {
        let location = match self.location(typed) {
            Ok(location) => location,
            Err(bad) => return one(failed(&shown(typed), Problem::Stat(bad))),
        };
        let located = naming == Naming::Located;
        if location.scheme() == Scheme::File {
            return Box::new(walk(std::iter::once(location.key().into()), options.clone()));
        }
        let store = match self.store(&location) {
            Ok(store) => store,
            Err(error) => return one(failed(&shown(typed), Problem::Stat(error.into()))),
        };
        if location.is_folder() {
            let (listing, ahead) = (store.list(location.key()), store.ahead());
            let before = if located { folder(typed) } else { Box::default() };
            let pending = Pending::default();
            return Box::new(Walk {
                stores: self.clone(),
                listing,
                ahead,
                location,
                before,
                options: options.clone(),
                met: false,
                pending,
            });
        }
        match store.find(&location) {
            Ok(object) => {
                let coming = store.ahead().note(object);
                let path = if located { shown(typed) } else { location.name().into() };
                let mut pending = Pending(Some(Arc::downgrade(&coming)));
                let mut found = Some(self.named_object(location.name(), path, coming, options));
                Box::new(std::iter::from_fn(move || found.take().or_else(|| pending.expect())))
            }
            Err(error) => one(failed(&shown(typed), Problem::Stat(advised(error, &location).into()))),
        }
    }

    /// Makes an entry of a file that a list names, with the location as its path. It is looked up when it is opened.
    pub fn file(&self, typed: &[u8]) -> WalkItem {
        match self.location(typed) {
            Ok(location) if location.scheme() == Scheme::File => {
                WalkItem::File(Entry::new(location.key().into(), Origin::Listed))
            }
            Ok(location) => {
                let path = shown(typed);
                WalkItem::File(Entry { content: self.content(location), ..Entry::new(path, Origin::Path) })
            }
            Err(bad) => failed(&shown(typed), Problem::Stat(bad)),
        }
    }

    /// Checks that names can be appended to a location: a bucket, a prefix of keys in one, or a folder of a web server.
    ///
    /// # Errors
    /// If names can't be appended.
    pub fn check_base(&self, typed: &[u8], is_listed: bool) -> Result<(), Misfit> {
        let location = self.operand(typed)?;
        let refuse = |why: &str| Err(Misfit::of_place(shown(typed), why));
        match location.scheme() {
            Scheme::Https | Scheme::Http if location.key().iter().any(|byte| matches!(byte, b'?' | b'#')) => {
                refuse("names can't be appended to a query")
            }
            Scheme::Https | Scheme::Http if is_listed => {
                refuse("a web server can't be listed, so new files can't be found")
            }
            _ => Ok(()),
        }
    }

    /// Returns the folder that a `file:` location names; `None` for other locations.
    pub fn folder_here(&self, typed: &[u8]) -> Option<PathBuf> {
        let location = self.location(typed).ok().filter(|location| location.scheme() == Scheme::File)?;
        names::path(location.key()).ok().map(Cow::into_owned)
    }

    /// Looks up these names below a location, which ends with a slash. Paths begin with that location. Many names are
    /// requested at a time, ahead of the reader.
    pub fn below(&self, typed: &[u8], names: Vec<Box<[u8]>>) -> Entries {
        let before = shown(typed);
        let path = move |name: &[u8]| -> Box<[u8]> { [&*before, name].concat().into() };
        let (store, base) = match self.location(typed).and_then(|base| Ok((self.store(&base)?, base))) {
            Ok(base) => base,
            Err(error) => {
                let (kind, text) = (error.kind(), error.to_string());
                let again = move || Problem::Stat(io::Error::new(kind, text.clone()));
                return Box::new(names.into_iter().map(move |name| failed(&path(&name), again())));
            }
        };
        let places: Vec<Option<Location>> = names.iter().map(|name| base.below(name)).collect();
        let wanted = places.iter().flatten().map(|place| (place.key().into(), None)).collect();
        let (mut looked, ahead, stores) = (store.look_all(wanted), store.ahead(), self.clone());
        Box::new(names.into_iter().zip(places).map(move |(name, place)| {
            let found = place.map(|_| looked.next());
            let problem = match found {
                Some(Some(Ok(object))) => return stores.entry(path(&name), ahead.announce(object)),
                Some(Some(Err(error))) => error.into(),
                Some(None) => io::ErrorKind::UnexpectedEof.into(),
                None => io::Error::new(io::ErrorKind::InvalidInput, Cause::DotSegment),
            };
            failed(&path(&name), Problem::Stat(problem))
        }))
    }

    /// Looks up one of the names below a location, before each of many fails for a reason that is the same for all.
    /// Returns that reason.
    pub fn why_unreached(&self, typed: &[u8], name: &[u8]) -> Option<Box<hashmill_store::Error>> {
        let base = self.location(typed).ok()?;
        let place = base.below(name)?;
        let looked = self.store(&base).and_then(|store| store.look(place.key()));
        looked.err().filter(|error| error.cause.is_of_access()).map(Box::new)
    }

    /// Makes an entry of a named object; returns `None` if the name is not that of an object.
    pub(crate) fn named(&self, typed: &[u8]) -> Option<Entry> {
        let location = self.location(typed).ok().filter(|location| location.scheme() != Scheme::File)?;
        let path = location.name().into();
        Some(Entry { content: self.content(location), ..Entry::new(path, Origin::Path) })
    }

    /// Returns the properties of an object in the form of file metadata.
    ///
    /// # Errors
    /// If the object can't be looked up.
    pub(crate) fn meta(&self, location: &Location) -> io::Result<Meta> {
        Ok(meta_of(&self.store(location)?.look(location.key())?))
    }

    /// Returns the names of objects in a folder of a store that begin with `start`.
    ///
    /// # Errors
    /// If the folder can't be listed.
    pub fn names(&self, folder: &[u8], start: &str) -> io::Result<Vec<String>> {
        let location = self.location(folder)?;
        let from = [location.key(), start.as_bytes()].concat();
        let mut names = Vec::new();
        for object in self.store(&location)?.list(&from) {
            let name = object?.key[location.key().len()..].to_vec();
            names.extend(String::from_utf8(name).ok().filter(|name| !name.contains('/')));
        }
        Ok(names)
    }

    /// Returns whether any key begins with this location.
    ///
    /// # Errors
    /// If the store can't be listed.
    pub fn has_any(&self, folder: &[u8]) -> io::Result<bool> {
        let location = self.location(folder)?;
        Ok(self.store(&location)?.list(location.key()).next().transpose()?.is_some())
    }

    /// Returns whether there is an object at a location.
    pub fn exists(&self, typed: &[u8]) -> bool {
        let looked = self.location(typed).and_then(|location| Ok(self.store(&location)?.find(&location)?));
        looked.is_ok()
    }

    /// Copies a list to a local temporary file, and returns it from its beginning.
    ///
    /// # Errors
    /// If it can't be read, or there is no room for the copy.
    pub fn copied(&self, typed: &[u8]) -> io::Result<File> {
        let location = self.location(typed)?;
        let mut copy = tempfile::tempfile()?;
        if location.scheme() == Scheme::File {
            io::copy(&mut File::open(names::path(location.key())?)?, &mut copy)?;
            copy.rewind()?;
            return Ok(copy);
        }
        let store = self.store(&location)?;
        let opened = store.open(store.find(&location).map_err(|error| advised(error, &location))?);
        let (mut buffer, mut at) = (vec![0; COPY], 0);
        loop {
            let read = opened.read_at(at, &mut buffer)?;
            if read == 0 {
                break;
            }
            copy.write_all(&buffer[..read])?;
            at += read as u64;
        }
        copy.rewind()?;
        Ok(copy)
    }

    /// Makes an entry of an announced object, with this path.
    pub fn entry(&self, path: Box<[u8]>, coming: Arc<Coming>) -> WalkItem {
        let (size, ino) = (Some(coming.object().size), 1 + self.0.met.fetch_add(1, Ordering::Relaxed));
        let content: Arc<dyn EntryContent> = Arc::new(Listed(coming, self.clone()));
        WalkItem::File(Entry { size, ino, content: Some(content), ..Entry::new(path, Origin::Path) })
    }

    fn named_object(
        &self,
        name: &[u8],
        path: Box<[u8]>,
        coming: Arc<Coming>,
        options: &WalkOptions,
    ) -> WalkItem {
        // A named file has no depth.
        let options = WalkOptions { max_depth: None, ..options.clone() };
        match options.choose(name, &meta_of(coming.object())) {
            Choice::LeftOut => WalkItem::Skipped { path, why: Skip::Filtered },
            choice => chosen(self.entry(path, coming), choice),
        }
    }

    /// Returns the object at a location as the content of an entry.
    fn content(&self, location: Location) -> Option<Arc<dyn EntryContent>> {
        Some(Arc::new(Named { location, stores: self.clone(), opened: OnceLock::new() }))
    }
}

/// Returns the access to stores by which this content is read; `None` if it is in no store.
pub(crate) fn stores_of(content: &dyn EntryContent) -> Option<&Stores> {
    let content: &dyn Any = content.behind().unwrap_or(content);
    let listed = || content.downcast_ref::<Listed>().map(|Listed(_, stores)| stores);
    content.downcast_ref::<Named>().map(|named| &named.stores).or_else(listed)
}

/// Returns whether a failure concerns the connection to a store, not an object: a later try may succeed.
pub fn may_pass(error: &io::Error) -> bool {
    let cause = error.get_ref().and_then(|inner| inner.downcast_ref::<Cause>());
    cause.is_some_and(|cause| {
        matches!(
            cause,
            Cause::Connection(..)
                | Cause::Timeout
                | Cause::Throttled
                | Cause::Failing(_)
                | Cause::GaveUp(_)
                | Cause::Expired
                | Cause::Unknown(_)
        )
    })
}

/// An output on its way to a store.
#[derive(Debug)]
pub(crate) struct Upload {
    location: Location,
    store: Store,
}

impl Upload {
    /// Prepares an upload, so that an output that can't be written is refused before anything is read.
    ///
    /// # Errors
    /// If it does not name an object that can be written, or there are no credentials.
    pub(crate) fn prepare(stores: &Stores, typed: &[u8]) -> io::Result<Upload> {
        let location = stores.location(typed)?;
        let refuse = |why| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        if !location.scheme().has_buckets() {
            return refuse("nothing can be written there: write to a file, or to a bucket");
        }
        if location.is_folder() {
            return refuse("names a folder: write the key of an object");
        }
        Ok(Upload { store: stores.store(&location)?, location })
    }
}

impl Destination for Upload {
    fn take(self: Box<Self>, mut file: &File) -> io::Result<()> {
        let size = file.seek(io::SeekFrom::End(0))?;
        file.rewind()?;
        Ok(self.store.upload(self.location.key(), &mut file, size)?)
    }
}

/// The objects below a location.
struct Walk {
    stores: Stores,
    listing: Listing,
    ahead: Prefetcher,
    location: Location,
    /// The beginning of each path, before the relative key.
    before: Box<[u8]>,
    options: WalkOptions,
    /// Whether the listing has given anything yet: an object or an error.
    met: bool,
    pending: Pending,
}

/// The object that a walk returned last. It is requested when the next one is wanted: by then, the consumer has dropped
/// it if it will not be read.
#[derive(Default)]
struct Pending(Option<Weak<Coming>>);

impl Pending {
    /// Requests the object, if anybody still holds it. Returns no entry.
    fn expect(&mut self) -> Option<WalkItem> {
        self.0.take().and_then(|last| last.upgrade()).iter().for_each(Coming::expect);
        None
    }
}

impl Iterator for Walk {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        self.pending.expect();
        let next = self.listing.next();
        let first = !std::mem::replace(&mut self.met, true);
        Some(match next {
            Some(Ok(object)) => self.found(object),
            Some(Err(error)) => failed(self.location.to_string().as_bytes(), Problem::List(error.into())),
            // A bucket may be empty; a folder in a bucket exists only if there is an object in it.
            None if first && !self.location.key().is_empty() => {
                failed(self.location.to_string().as_bytes(), Problem::Stat(nothing_below()))
            }
            None => return None,
        })
    }
}

impl Walk {
    fn found(&mut self, object: Object) -> WalkItem {
        let below = &object.key[self.location.key().len()..];
        let path: Box<[u8]> = [&self.before, below].concat().into();
        // Consoles create an empty object with the name of a folder, so that they can show the folder.
        if object.size == 0 && object.key.ends_with(b"/") {
            let path = if path.is_empty() { b"./".as_slice().into() } else { path };
            return WalkItem::Skipped { path, why: Skip::EmptyFolder };
        }
        match self.options.choose(below, &meta_of(&object)) {
            Choice::LeftOut => WalkItem::Skipped { path, why: Skip::Filtered },
            choice => {
                let coming = self.ahead.note(object);
                self.pending = Pending(Some(Arc::downgrade(&coming)));
                chosen(self.stores.entry(path, coming), choice)
            }
        }
    }
}

/// Returns the beginning of paths below a location.
fn folder(typed: &[u8]) -> Box<[u8]> {
    with_slash(&shown(typed))
}

impl Stores {
    /// Returns why there is nothing below a location, as its store says it; `None` if there is something, or it can't be
    /// listed by its kind.
    pub fn why_nothing(&self, typed: &[u8]) -> Option<String> {
        let location = self.location(typed).ok().filter(|location| location.scheme().has_buckets())?;
        let first = self.store(&location).map(|store| store.list(location.key()).next());
        match first {
            Ok(Some(Ok(_))) => None,
            Ok(None) => Some(format!("{location}: {}", Cause::NothingBelow)),
            Ok(Some(Err(error))) | Err(error) => Some(error.to_string()),
        }
    }
}

/// Makes the error for a prefix that no key has.
fn nothing_below() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, Cause::NothingBelow)
}

/// Hides the secrets of a location for messages and records.
fn shown(typed: &[u8]) -> Box<[u8]> {
    masked_word(typed).into()
}

fn failed(path: &[u8], problem: Problem) -> WalkItem {
    WalkItem::Failed(Error { path: path.into(), problem })
}

/// Adds advice to the error of an object that was not found, such as to append a slash.
pub fn advised(error: hashmill_store::Error, location: &Location) -> hashmill_store::Error {
    let advice = match location.version() {
        _ if error.cause != Cause::NotFound => return error,
        Some(_) => "there is no such version of the object".to_owned(),
        None if location.scheme().has_buckets() => {
            format!("there is no object of this key; what is below it has {location}/")
        }
        None => return error,
    };
    hashmill_store::Error { cause: Cause::NotWhole(advice.into()), ..error }
}

/// Marks an entry of which only the files inside may be wanted.
fn chosen(found: WalkItem, choice: Choice) -> WalkItem {
    match found {
        WalkItem::File(entry) => WalkItem::File(Entry { is_passage: choice == Choice::Passage, ..entry }),
        other => other,
    }
}

/// Returns the properties of an object in the form of file metadata.
fn meta_of(object: &Object) -> Meta {
    let (size, mode) = (object.size, mode::FILE | 0o644);
    let (mtime, blocks) = (object.modified, size.div_ceil(512));
    Meta { dev: 0, ino: 0, size, mtime, ctime: mtime, blocks, mode, attributes: 0, stamp: 0 }
}

/// Returns a digest of the properties of an object that file metadata lack: location, ETag and version. Returns `None`
/// if the store states neither ETag nor version: then another object may look the same.
fn stamp(opened: &Opened) -> Option<u128> {
    let (object, place) = (opened.object(), opened.location().typed());
    let etag = object.etag.as_deref().filter(|etag| !etag.starts_with("W/"));
    etag.or(object.version.as_deref())?;
    let parts = [
        &*place,
        etag.unwrap_or_default().as_bytes(),
        object.version.as_deref().unwrap_or_default().as_bytes(),
    ];
    let lengths = parts.iter().flat_map(|part| (part.len() as u64).to_le_bytes());
    let bytes: Vec<u8> = lengths.chain(parts.concat()).collect();
    let digest = hash(find("blake3").ok()?, &bytes);
    Some(u128::from_le_bytes(digest.as_bytes().get(..16)?.try_into().ok()?))
}

/// A listed object.
#[derive(Debug)]
struct Listed(Arc<Coming>, Stores);

/// An object, or a file on a web server, that was named. It is looked up once.
#[derive(Debug)]
struct Named {
    location: Location,
    stores: Stores,
    opened: OnceLock<Opened>,
}

impl EntryContent for Listed {
    fn place(&self) -> Option<Box<[u8]>> {
        Some(self.0.place())
    }

    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        Ok(Box::new(Remote::new(self.0.open())))
    }

    fn known(&self) -> Option<Meta> {
        let opened = self.0.opened();
        Some(Meta { stamp: stamp(opened)?, ..meta_of(opened.object()) })
    }

    fn start_at(&self, offset: u64) {
        self.0.opened().start_at(offset);
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn is_in_order(&self) -> bool {
        self.0.object().delivery.is_in_order()
    }
}

impl EntryContent for Named {
    fn place(&self) -> Option<Box<[u8]>> {
        Some(self.location.typed())
    }

    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        if let Some(opened) = self.opened.get() {
            return Ok(Box::new(Remote::new(opened.clone())));
        }
        let store = self.stores.store(&self.location)?;
        let looked = store.find(&self.location).map_err(|error| advised(error, &self.location))?;
        Ok(Box::new(Remote::new(self.opened.get_or_init(|| store.open(looked)).clone())))
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn is_in_order(&self) -> bool {
        self.open().is_ok_and(|bytes| bytes.is_in_order())
    }
}

impl Remote {
    fn new(opened: Opened) -> Remote {
        Remote { opened, changed: AtomicBool::new(false) }
    }
}

/// An object that is being read.
#[derive(Debug)]
struct Remote {
    opened: Opened,
    /// Whether the object is not the listed one any more.
    changed: AtomicBool,
}

impl Bytes for Remote {
    fn meta(&self) -> io::Result<Meta> {
        let mut meta = meta_of(self.opened.object());
        // An object that changed has another time.
        meta.ctime.0 += i64::from(self.changed.load(Ordering::Acquire));
        Ok(Meta { stamp: stamp(&self.opened).unwrap_or(0), ..meta })
    }

    fn prepare(&self, wait: bool) -> bool {
        self.opened.prepare(wait)
    }

    fn is_in_order(&self) -> bool {
        self.opened.object().delivery.is_in_order()
    }

    fn has_size(&self) -> bool {
        self.opened.object().delivery.has_size()
    }

    fn version(&self) -> Option<Box<str>> {
        self.opened.version().map(Box::from)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match self.opened.read_at(offset, buffer) {
            // The content ends here. The metadata will then show that the object changed.
            Err(error) if matches!(error.cause, Cause::Changed | Cause::IgnoresConditions) => {
                self.changed.store(true, Ordering::Release);
                Ok(0)
            }
            Err(error) => Err(error.into()),
            Ok(read) => Ok(read),
        }
    }
}
