//! From a file with the name of an archive to its members.

use super::archive_file::{ArchiveBytes, ArchiveFile, FromStart};
use super::directory::DirectoryListing;
use super::expansion::Expansion;
use super::held::seekable;
use super::items::failure;
use super::names;
use super::overlaps::Overlaps;
use super::shared::{DecodingSide, HashedContent, SharedBytes, Side};
use super::single::Single;
use super::stream::{ListingBounds, Reopen, StreamListing, StreamedArchive};
use super::volumes;
use crate::archive_folder::{ArchiveFolder, LinkTexts};
use crate::chosen::InsideFilter;
use crate::entry::facts::EntryFacts;
use crate::entry::portions::{Arriving, ListedItem, Portions, failed};
use crate::entry::unread::{NotLookedInto, WhyUnread};
use crate::images::nested::NestedImages;
use crate::inside::site::{Site, operand};
use crate::resources::Resources;
use crate::wanted::{Inside, Wanted, cached};
use hashmill_archive::{
    Archive, ArchiveFormat, Compression, DecodingPlace, Limits, Medium, MemberBytes, Members,
    Problem as ArchiveProblem, Recognition, StreamFormat, archives, decoder, decoder_of_parts, foreign,
    stream,
};
use hashmill_engine::flow::{Entries, one};
use hashmill_source::{Entry, Origin, WalkItem};
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

/// The part of the memory that each archive's waiting members may take: archives in archives wait together.
const SHARE: usize = 8;

/// The least memory for the bytes of an object that is hashed and decoded at once. With less it is fetched twice.
const LEAST_SHARED: usize = 1 << 20;

/// The settings, and the limits of the archives around.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub(super) inside: Inside,
    facts: EntryFacts,
    /// The files that were not looked into.
    pub(super) unread: NotLookedInto,
    memory: usize,
    /// The threads that decode parts of a file ahead. One finds the same as many; none might find some bytes more or
    /// less in front of damage.
    threads: usize,
    /// Whether files are hashed as soon as they are met.
    is_read_at_once: bool,
    /// The limits of the outermost archive.
    expansion: Option<Arc<Expansion>>,
    /// The filters of what is in archives.
    pub(super) filter: Option<InsideFilter>,
    /// Whether archives that lie too deep are told.
    pub(super) tells_depth: bool,
    /// Whether each path must stand for one member.
    is_strict: bool,
}

/// A file, and the members behind it if it is an archive.
pub(super) struct Resolved {
    pub(super) item: WalkItem,
    pub(super) members: Option<Entries>,
}

/// All ways to read a file.
type Ways = Arc<[ArchiveReading]>;

/// A way to read an archive.
#[derive(Clone, Copy)]
enum ArchiveReading {
    /// At any position.
    Anywhere(&'static ArchiveFormat),
    /// From the start, after decompression.
    FromStart(Option<Compression>, Option<&'static StreamFormat>),
}

impl Surroundings {
    /// Creates those of a walk.
    pub fn new(wanted: &Wanted) -> Surroundings {
        let Wanted { inside, facts, unread, memory, threads, is_read_at_once, .. } = wanted;
        Surroundings {
            inside: *inside,
            facts: facts.clone(),
            unread: unread.clone(),
            memory: *memory,
            threads: *threads,
            is_read_at_once: *is_read_at_once,
            expansion: None,
            filter: Some(wanted.filter.clone()),
            tells_depth: true,
            is_strict: false,
        }
    }

    /// Returns those within an archive: its limits are for all archives in it.
    pub(super) fn within(&self, archive: &Entry) -> Surroundings {
        let filter = self.filter.as_ref().map(|filter| filter.within(archive));
        Surroundings { filter, ..self.limited() }
    }

    /// Returns those with the limits of one archive.
    pub(super) fn limited(&self) -> Surroundings {
        Surroundings { expansion: Some(self.expansion()), ..self.clone() }
    }

    fn expansion(&self) -> Arc<Expansion> {
        let Inside { max_ratio, max_members, max_expanded, .. } = self.inside;
        let new = || Expansion::new(max_ratio, max_members, max_expanded);
        self.expansion.clone().unwrap_or_else(new)
    }

    /// Returns those of images in the archives. The files on their media are chosen as members are.
    pub(super) fn images(&self) -> NestedImages {
        NestedImages {
            inside: self.inside,
            facts: self.facts.clone(),
            unread: self.unread.clone(),
            filter: None,
            memory: self.memory,
            expansion: self.expansion(),
        }
    }

    /// Returns those of one archive, whose archives are read to a depth.
    pub(super) fn of_one(memory: usize, nesting: u32) -> Surroundings {
        let inside = Inside { archives: true, max_nesting: nesting, ..Inside::default() };
        Surroundings { tells_depth: false, ..Surroundings::plain(inside, memory) }
    }

    /// Returns those of a file whose members alone are read, with these limits.
    pub(super) fn of_file(inside: Inside, memory: usize, facts: &EntryFacts) -> Surroundings {
        let plain = Surroundings::plain(inside, memory);
        Surroundings { facts: facts.clone(), ..plain }.limited()
    }

    /// Returns those of an archive alone.
    fn plain(inside: Inside, memory: usize) -> Surroundings {
        let facts = EntryFacts::default();
        Surroundings {
            inside,
            facts,
            unread: NotLookedInto::default(),
            memory: cached(memory),
            threads: 0,
            is_read_at_once: false,
            expansion: None,
            filter: None,
            tells_depth: true,
            is_strict: true,
        }
    }

    fn limits(&self) -> Limits {
        // The rest is for members that wait, and for bytes of an object.
        Limits { memory: (self.memory - 2 * (self.memory / SHARE)) as u64 }
    }
}

/// Looks into a file, and begins to list its members if it is an archive.
pub(super) fn resolve(entry: Entry, around: &Surroundings) -> Resolved {
    if entry.content.as_ref().is_some_and(|content| content.is_in_order()) {
        let root = [&entry.path, b"!".as_slice()].concat();
        let what = "an archive on a server that does not send parts of a file";
        let failed = failure(&root, &ArchiveProblem::Unsupported(what.into()));
        return Resolved { item: WalkItem::File(entry), members: Some(one(failed)) };
    }
    let opened = if entry.is_remote() { remote(entry, around) } else { open(entry) };
    let (entry, file) = match opened {
        Ok(opened) => opened,
        Err(item) => return Resolved { item, members: None },
    };
    let file = Arc::new(volumes::joined(file));
    let members: Entries = match ways(&file, &around.limits()) {
        Ok(ways) if ways.is_empty() => {
            // Operands are told one by one.
            if entry.origin == Origin::Path && names::is_named(&entry.path) {
                around.unread.add(&entry.path, WhyUnread::Unknown);
            }
            return Resolved { item: WalkItem::File(entry), members: None };
        }
        Ok(ways) => members_by(&entry, file, ways, around),
        // It fails by itself.
        Err(ArchiveProblem::Io(_)) if !names::is_named(&entry.path) => {
            return Resolved { item: WalkItem::File(entry), members: None };
        }
        Err(problem) => one(failure(&file.root, &problem)),
    };
    Resolved { item: WalkItem::File(entry), members: Some(members) }
}

/// Begins to list an archive beside the entry that it is.
fn members_by(entry: &Entry, file: Arc<ArchiveFile>, ways: Ways, around: &Surroundings) -> Entries {
    let is_anywhere = ways.iter().any(|way| matches!(way, ArchiveReading::Anywhere(_)));
    let Some(shared) = file.shared().filter(|_| is_anywhere) else {
        return begin(file, ways, around, None);
    };
    // Its members are read by ranges.
    shared.leave(Side::Decoding);
    match by_path(entry.clone()) {
        Ok((_, file)) => begin(Arc::new(file), ways, around, None),
        Err(_) => {
            let why = ArchiveProblem::Io(io::Error::other("the object can't be opened again"));
            one(failure(&file.root, &why))
        }
    }
}

/// Opens an archive that takes the place of a folder; `None` if the file is none. What was compressed without an archive
/// is none.
pub fn open_folder(path: &[u8], resources: &Resources) -> Option<Box<ArchiveFolder>> {
    let (file, ways, around) = folder(path, resources)?;
    Some(Box::new(move |texts| begin(Arc::clone(&file), ways.clone(), &around.limited(), texts)))
}

/// Returns whether a file is an archive or compressed, whatever its name.
pub fn is_known(path: &[u8], resources: &Resources) -> bool {
    let entry = operand(&hashmill_os::names::path_to_try(path), &resources.stores);
    let limits = Surroundings::plain(Inside::default(), resources.memory).limits();
    // One that can't be decompressed is known, too.
    let is_known =
        |file| ways(&Arc::new(volumes::joined(file)), &limits).map_or(true, |ways| !ways.is_empty());
    open(entry).is_ok_and(|(_, file)| is_known(file))
}

/// Returns a file as an entry that can be read again, and what it decompresses to, with this path; none if it is not
/// compressed.
pub fn unpacked(entry: Entry, path: Box<[u8]>, memory: usize) -> (WalkItem, Option<WalkItem>) {
    let (entry, file) = match open(entry) {
        Ok(opened) => opened,
        Err(item) => return (item, None),
    };
    let file = Arc::new(file);
    let limits = Limits { memory: cached(memory) as u64 };
    let first = start(&mut FromStart::new(Arc::clone(&file)));
    let compression = first.ok().and_then(|first| Compression::of(&first));
    let content = compression.map(|compression| {
        let range = 0..u64::MAX;
        PartBytes { file, range, compression: Some(compression), limits }.content()
    });
    let other = content.map(|content| {
        WalkItem::File(Entry { content: Some(content), ..Entry::new(path, hashmill_source::Origin::Path) })
    });
    (WalkItem::File(entry), other)
}

/// Returns the bytes of a file between two positions as an entry with this path, decompressed if that is wanted.
pub fn part(
    file: &[u8],
    path: Box<[u8]>,
    range: Range<u64>,
    is_unpacked: bool,
    resources: &Resources,
) -> Option<WalkItem> {
    let (_, file) = open(operand(&hashmill_os::names::path_to_try(file), &resources.stores)).ok()?;
    let file = Arc::new(file);
    let limits = Limits { memory: cached(resources.memory) as u64 };
    let compression = match is_unpacked {
        true => Compression::of(&start(&mut between(&file, range.clone())).ok()?),
        false => None,
    };
    let content = PartBytes { file, range, compression, limits }.content();
    Some(WalkItem::File(Entry { content: Some(content), ..Entry::new(path, hashmill_source::Origin::Path) }))
}

/// The bytes between two positions, or what they decompress to.
#[derive(Debug)]
struct PartBytes {
    file: Arc<ArchiveFile>,
    range: Range<u64>,
    compression: Option<Compression>,
    limits: Limits,
}

impl MemberBytes for PartBytes {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let bytes = Box::new(between(&self.file, self.range.clone()));
        Ok(match self.compression {
            None => bytes,
            Some(compression) => decoder(compression, bytes, &self.limits)?,
        })
    }
}

impl PartBytes {
    fn content(self) -> Arc<dyn hashmill_source::EntryContent> {
        super::directory::content(Arc::clone(&self.file), Arc::new(self))
    }
}

/// Returns the bytes between two positions.
fn between(file: &Arc<ArchiveFile>, range: Range<u64>) -> io::Take<io::BufReader<FromStart>> {
    FromStart::at(Arc::clone(file), range.start).take(range.end.saturating_sub(range.start))
}

fn folder(path: &[u8], resources: &Resources) -> Option<(Arc<ArchiveFile>, Ways, Surroundings)> {
    let path = hashmill_os::names::path_to_try(path);
    if !names::is_named(&hashmill_os::names::path_bytes(&path)) {
        return None;
    }
    let (_, file) = open(operand(&path, &resources.stores)).ok()?;
    let file = Arc::new(volumes::joined(file).into_folder());
    let around = Surroundings::plain(Inside::default(), resources.memory);
    let ways = ways(&file, &around.limits()).ok()?;
    let is_archive = ways.iter().any(|way| !matches!(way, ArchiveReading::FromStart(_, None)));
    is_archive.then_some((file, ways, around))
}

/// Begins to list an archive.
fn begin(file: Arc<ArchiveFile>, ways: Ways, around: &Surroundings, texts: Option<LinkTexts>) -> Entries {
    let (path, facts, around) = (file.path.clone(), around.facts.clone(), around.clone());
    let decoding = file.shared().map(|shared| DecodingSide::begin(Arc::clone(shared)));
    let list = move |sender: Portions| {
        for way in &*ways {
            list(Arc::clone(&file), *way, &around, texts.clone(), sender.clone());
        }
        if let [first, other, ..] = &*ways {
            let (first, other) = (first.container(), other.container());
            let why = format!(
                "it is {first}, and {other} as well: some programs see the members of one, others of the other"
            );
            let item = failed(&file.root, "ambiguous", why);
            let _ = sender.send(vec![ListedItem { item, fact: None }]);
        }
        drop(decoding);
    };
    Arriving::from_thread(&path, facts, list)
}

/// Lists an archive.
fn list(
    file: Arc<ArchiveFile>,
    way: ArchiveReading,
    around: &Surroundings,
    texts: Option<LinkTexts>,
    sender: Portions,
) {
    let limits = around.limits();
    let expansion = around.expansion();
    // Whoever wants the texts of links compares the paths of members itself.
    let overlaps = texts.is_none().then(|| Overlaps::new(around.memory / SHARE, around.is_strict));
    let mut first = None;
    if let ArchiveReading::Anywhere(format) = way {
        let opened =
            file.lack().map_or_else(|| (format.open)(Arc::clone(&file) as Arc<dyn Medium>, &limits), Err);
        match opened {
            Ok(Archive::Directory(directory)) => {
                let (container, links) = (format.name, texts);
                let listing = DirectoryListing { archive: file, container, expansion, links, overlaps };
                return listing.run(&*directory, &sender);
            }
            Ok(Archive::Members(members)) => first = Some(Ok(members)),
            Err(problem) => first = Some(Err(problem)),
        }
    }
    let taken = Arc::new(DecodingPlace::default());
    let (archive, place, threads) = (Arc::clone(&file), Arc::clone(&taken), around.threads);
    let reopen: Reopen = Box::new(move || match first.take() {
        Some(opened) => opened,
        None => members(&archive, way, &limits, threads, &place),
    });
    let archive = StreamedArchive { file, container: way.container(), taken };
    let bounds = ListingBounds { expansion, memory: around.memory / SHARE };
    StreamListing::new(archive, bounds, texts, overlaps, sender).run(reopen);
}

impl ArchiveReading {
    /// Returns whether another format at the end is one of a member, or what was compressed: everything up to the end is read.
    fn reaches_end(self, file: &dyn Medium) -> bool {
        match self {
            ArchiveReading::Anywhere(_) => false,
            ArchiveReading::FromStart(Some(compression), _) => compression.reaches_end(file),
            ArchiveReading::FromStart(None, format) => format.is_some_and(|format| format.reaches_end),
        }
    }

    fn container(self) -> &'static str {
        match self {
            ArchiveReading::Anywhere(format) => format.name,
            ArchiveReading::FromStart(_, Some(format)) => format.name,
            ArchiveReading::FromStart(compression, None) => compression.map_or("archive", Compression::word),
        }
    }
}

/// Opens an archive whose members come one after the other.
fn members(
    file: &Arc<ArchiveFile>,
    way: ArchiveReading,
    limits: &Limits,
    threads: usize,
    place: &Arc<DecodingPlace>,
) -> Result<Box<dyn Members>, ArchiveProblem> {
    match way {
        ArchiveReading::Anywhere(format) => match (format.open)(Arc::clone(file) as Arc<dyn Medium>, limits)?
        {
            Archive::Members(members) => Ok(members),
            Archive::Directory(_) => Err(ArchiveProblem::Unsupported("an archive that changed".into())),
        },
        ArchiveReading::FromStart(compression, format) => {
            let packed =
                || Counted { bytes: FromStart::new(Arc::clone(file)), taken: 0, place: Arc::clone(place) };
            let bytes: Box<dyn Read + Send> = match compression {
                None => Box::new(packed()),
                Some(compression) if threads > 0 && file.is_near => {
                    let medium = Arc::clone(file) as Arc<dyn Medium>;
                    decoder_of_parts(compression, medium, 0..u64::MAX, limits, threads, place)?
                }
                Some(compression) => decoder(compression, Box::new(packed()), limits)?,
            };
            match format {
                Some(format) => (format.open)(bytes, limits),
                None => Ok(Box::new(Single::new(names::unpacked(&file.path), bytes))),
            }
        }
    }
}

/// Returns the ways to read a file; none if it is no archive. What several formats recognise is read in each of them.
fn ways(file: &Arc<ArchiveFile>, limits: &Limits) -> Result<Ways, ArchiveProblem> {
    let (sure, by_end): (Vec<_>, Vec<_>) =
        archives(&**file).partition(|(_, recognition)| *recognition == Recognition::Yes);
    let mut ways: Vec<_> = sure.into_iter().map(|(format, _)| ArchiveReading::Anywhere(format)).collect();
    let first = match file.shared().is_some() && ways.is_empty() {
        true => start(&mut FromStart::new(Arc::clone(file)))?,
        // Of an object with a directory, no more is fetched than is needed.
        false => {
            let mut first = vec![0; Medium::size(&**file).min(StreamFormat::FIRST as u64) as usize];
            file.read_at(0, &mut first)?;
            first
        }
    };
    match from_start(file, &first, limits)? {
        Some(way) if way.reaches_end(&**file) => ways = vec![way],
        Some(way) => ways.push(way),
        None if ways.is_empty() => {
            ways.extend(by_end.into_iter().map(|(format, _)| ArchiveReading::Anywhere(format)));
        }
        None => {}
    }
    if let Some(name) = foreign(&first).filter(|_| ways.is_empty()) {
        return Err(ArchiveProblem::Unsupported(name.into()));
    }
    Ok(ways.into())
}

/// Returns the way to read a file that begins so from its start, if there is one.
fn from_start(
    file: &Arc<ArchiveFile>,
    first: &[u8],
    limits: &Limits,
) -> Result<Option<ArchiveReading>, ArchiveProblem> {
    let Some(compression) = Compression::of(first) else {
        return Ok(stream(first).map(|format| ArchiveReading::FromStart(None, Some(format))));
    };
    let packed = Box::new(FromStart::new(Arc::clone(file)));
    let unpacked = start(&mut *decoder(compression, packed, limits)?);
    // Bytes that can't be decoded are told by their member.
    let format = unpacked.ok().and_then(|first| stream(&first));
    Ok(Some(ArchiveReading::FromStart(Some(compression), format)))
}

/// Reads the bytes that tell a format.
fn start(bytes: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    bytes.take(StreamFormat::FIRST as u64).read_to_end(&mut first)?;
    Ok(first)
}

/// Opens the bytes of a file; a member that can only be read in order is copied, and the copy takes its place.
///
/// # Errors
/// The item of a file that can't be looked into.
fn open(entry: Entry) -> Result<(Entry, ArchiveFile), WalkItem> {
    let Some(content) = &entry.content else { return by_path(entry) };
    if content.place().is_some() {
        return by_path(entry);
    }
    let (entry, bytes) = seekable(entry)?;
    let bytes = ArchiveBytes::Given(bytes);
    match ArchiveFile::new(entry.path.clone(), bytes) {
        Ok(file) => Ok((entry, file)),
        Err(_) => Err(WalkItem::File(entry)),
    }
}

/// Opens an object in a store, whose bytes are hashed and decoded at once.
fn remote(mut entry: Entry, around: &Surroundings) -> Result<(Entry, ArchiveFile), WalkItem> {
    let most = around.memory / SHARE;
    let is_shared = around.is_read_at_once && !around.inside.only && most >= LEAST_SHARED;
    let Some(content) = entry.content.clone().filter(|_| is_shared) else { return by_path(entry) };
    // One that can't be read fails by itself.
    let Ok(bytes) = content.open() else { return Err(WalkItem::File(entry)) };
    let shared = SharedBytes::new(bytes, most, around.threads > 1);
    let Ok(file) = ArchiveFile::new(entry.path.clone(), ArchiveBytes::Shared(Arc::clone(&shared))) else {
        return Err(WalkItem::File(entry));
    };
    shared.fill_if_small();
    entry.content = Some(Arc::new(HashedContent::new(content, shared)));
    Ok((entry, file))
}

fn by_path(entry: Entry) -> Result<(Entry, ArchiveFile), WalkItem> {
    let site = Site::from_entry(&entry);
    let file = site.opener().map_err(|error| io::Error::other(error.to_string()));
    let file = file.and_then(|(opener, path)| opener.open(&path));
    let archive = file.and_then(|file| ArchiveFile::new(entry.path.clone(), ArchiveBytes::File(file, site)));
    match archive {
        Ok(archive) => Ok((entry, archive)),
        // It fails by itself.
        Err(_) => Err(WalkItem::File(entry)),
    }
}

/// Counts the bytes that a decoder takes.
struct Counted<R> {
    bytes: R,
    taken: u64,
    place: Arc<DecodingPlace>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.taken += read as u64;
        self.place.set(self.taken..self.taken);
        Ok(read)
    }
}
