//! The objects of a pack: where each lies, and of which other it is a delta.

use super::entry::{self, EntryHead, EntryKind, LONGEST_HEAD};
use super::{PackFault, PackIndex};
use std::io;
use std::ops::Range;

/// Reads parts of a pack.
pub trait PackReader: Sync {
    /// Fills a buffer from an offset on.
    ///
    /// # Errors
    /// If the pack ends too early, or can't be read.
    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

/// The objects of a pack, numbered in their order in the pack.
pub struct PackObjects<'a> {
    index: &'a PackIndex,
    reader: &'a dyn PackReader,
    digest: usize,
    /// Their places in the index.
    places: Vec<u32>,
    /// Where they begin, and where the last ends.
    offsets: Vec<u64>,
    /// The number of the object of which each is a delta.
    bases: Vec<u32>,
    /// The deltas of each object, one object after the other, and where those of an object begin.
    deltas: Vec<u32>,
    starts: Vec<u32>,
}

/// The base of what is no delta, or whose base is not there.
const NONE: u32 = u32::MAX;

/// The bytes before the first object: a mark, the version and the number of objects.
const BEFORE: usize = 12;

/// The bytes that are read at a time to find the heads of objects.
const WINDOW: usize = 64 << 10;

impl<'a> PackObjects<'a> {
    /// Finds the objects of a pack of this length, which ends with a digest.
    ///
    /// # Errors
    /// If the pack can't be read, or is not the one of the index.
    pub fn find(
        index: &'a PackIndex,
        reader: &'a dyn PackReader,
        digest: usize,
        length: u64,
    ) -> Result<PackObjects<'a>, PackFault> {
        let end = check_ends(index, reader, digest, length)?;
        let (places, offsets) = order(index, end)?;
        let mut objects = PackObjects {
            index,
            reader,
            digest,
            places,
            offsets,
            bases: Vec::new(),
            deltas: Vec::new(),
            starts: Vec::new(),
        };
        objects.bases = objects.find_bases()?;
        (objects.deltas, objects.starts) = objects.group();
        Ok(objects)
    }

    /// Returns the number of objects.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Returns the name of an object.
    pub fn name(&self, number: usize) -> &[u8] {
        self.index.name(self.places[number] as usize)
    }

    /// Finds an object by its name.
    pub fn find_name(&self, name: &[u8]) -> Option<usize> {
        let offset = self.index.offset(self.index.find(name)?)?;
        self.offsets[..self.count()].binary_search(&offset).ok()
    }

    /// Returns the object of which this one is a delta.
    pub(super) fn base_of(&self, number: usize) -> Option<usize> {
        (self.bases[number] != NONE).then(|| self.bases[number] as usize)
    }

    /// Returns the objects that are no deltas of others of the pack: each other one is a delta of one of these, of a
    /// delta of it, and so on.
    pub fn roots(&self) -> Vec<usize> {
        (0..self.count()).filter(|number| self.bases[*number] == NONE).collect()
    }

    /// Returns the objects that are deltas of each other in a circle, or of one in a circle.
    pub fn circular(&self) -> Vec<usize> {
        let mut reached = vec![false; self.count()];
        let mut queue = self.roots();
        while let Some(number) = queue.pop() {
            reached[number] = true;
            queue.extend(self.deltas(number).iter().map(|delta| *delta as usize));
        }
        (0..self.count()).filter(|number| !reached[*number]).collect()
    }

    /// Returns the deltas of an object.
    pub(super) fn deltas(&self, number: usize) -> &[u32] {
        &self.deltas[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    /// Returns the checksum of the stored bytes that the index has.
    pub(super) fn crc(&self, number: usize) -> Option<u32> {
        self.index.crc(self.places[number] as usize)
    }

    pub(super) fn part(&self, number: usize) -> Range<u64> {
        self.offsets[number]..self.offsets[number + 1]
    }

    pub(super) fn reader(&self) -> &'a dyn PackReader {
        self.reader
    }

    /// Reads the head of an object: the type, if it is no delta, the size, and the length of the head.
    pub(super) fn head(&self, number: usize) -> Result<(Option<&'static str>, u64, usize), PackFault> {
        let mut bytes = [0; LONGEST_HEAD];
        let part = self.part(number);
        let length = LONGEST_HEAD.min((part.end - part.start) as usize);
        self.reader.read(&mut bytes[..length], part.start).map_err(PackFault::Unreadable)?;
        let entry = entry::parse(&bytes[..length], self.digest);
        let EntryHead { kind, size, length } = entry.ok_or(PackFault::Damaged("has no head of an object"))?;
        let word = if let EntryKind::Whole(word) = kind { Some(word) } else { None };
        Ok((word, size, length))
    }

    /// Finds the base of each object. What has no head, or no base, has none here, which is told when it is unpacked.
    fn find_bases(&self) -> Result<Vec<u32>, PackFault> {
        let mut window =
            Window { reader: self.reader, bytes: Vec::new(), start: 0, end: self.offsets[self.count()] };
        let mut bases = Vec::with_capacity(self.count());
        for number in 0..self.count() {
            let part = self.part(number);
            let bytes = window.get(part.start, LONGEST_HEAD.min((part.end - part.start) as usize));
            let entry = entry::parse(bytes.map_err(PackFault::Unreadable)?, self.digest);
            bases.push(entry.and_then(|entry| self.base(number, entry.kind)).unwrap_or(NONE));
        }
        Ok(bases)
    }

    fn base(&self, number: usize, kind: EntryKind<'_>) -> Option<u32> {
        let offset = match kind {
            EntryKind::Whole(_) => return None,
            EntryKind::Before(distance) => self.offsets[number].checked_sub(distance)?,
            EntryKind::Named(name) => self.index.offset(self.index.find(name)?)?,
        };
        let base = self.offsets[..self.count()].binary_search(&offset).ok()?;
        u32::try_from(base).ok()
    }

    /// Groups the objects by their bases.
    fn group(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0; self.count() + 1];
        for base in self.bases.iter().filter(|base| **base != NONE) {
            starts[*base as usize + 1] += 1;
        }
        for number in 0..self.count() {
            starts[number + 1] += starts[number];
        }
        let mut next = starts.clone();
        let mut deltas = vec![0; starts[self.count()] as usize];
        for (number, base) in self.bases.iter().enumerate().filter(|(_, base)| **base != NONE) {
            deltas[next[*base as usize] as usize] = number as u32;
            next[*base as usize] += 1;
        }
        (deltas, starts)
    }
}

impl std::fmt::Debug for PackObjects<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PackObjects({})", self.count())
    }
}

/// Compares start and end of a pack with the index, and returns where its objects end.
fn check_ends(
    index: &PackIndex,
    reader: &dyn PackReader,
    digest: usize,
    length: u64,
) -> Result<u64, PackFault> {
    let end = length.checked_sub(digest as u64).filter(|end| *end >= BEFORE as u64);
    let end = end.ok_or(PackFault::Damaged("is too short for a pack"))?;
    let mut before = [0; BEFORE];
    reader.read(&mut before, 0).map_err(PackFault::Unreadable)?;
    if !before.starts_with(b"PACK\0\0\0\x02") && !before.starts_with(b"PACK\0\0\0\x03") {
        return Err(PackFault::Damaged("is no pack of git"));
    }
    if before[8..] != (index.count() as u32).to_be_bytes() {
        return Err(PackFault::Damaged("has another number of objects than its index"));
    }
    let mut trailer = vec![0; digest];
    reader.read(&mut trailer, end).map_err(PackFault::Unreadable)?;
    if trailer != index.pack() {
        return Err(PackFault::Damaged("has another digest than its index says"));
    }
    Ok(end)
}

/// Returns the places in the index of all objects in the order of the pack, and where each begins and the last ends.
fn order(index: &PackIndex, end: u64) -> Result<(Vec<u32>, Vec<u64>), PackFault> {
    let wrong = || PackFault::Damaged("has an index with wrong offsets");
    let mut found = Vec::with_capacity(index.count());
    for place in 0..index.count() {
        found.push((index.offset(place).ok_or_else(wrong)?, place as u32));
    }
    found.sort_unstable();
    let (mut offsets, places): (Vec<u64>, Vec<u32>) = found.into_iter().unzip();
    offsets.push(end);
    let begins = offsets[0] == BEFORE as u64;
    if !begins || !offsets.is_sorted_by(|one, next| one < next) && !places.is_empty() {
        return Err(wrong());
    }
    Ok((places, offsets))
}

/// The part of a pack that was read last.
struct Window<'a> {
    reader: &'a dyn PackReader,
    bytes: Vec<u8>,
    start: u64,
    /// The end of the pack.
    end: u64,
}

impl Window<'_> {
    fn get(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        let inside = offset.checked_sub(self.start).and_then(|at| usize::try_from(at).ok());
        if let Some(at) = inside.filter(|at| at + length <= self.bytes.len()) {
            return Ok(&self.bytes[at..at + length]);
        }
        let size = WINDOW.min(usize::try_from(self.end - offset).unwrap_or(WINDOW));
        self.bytes.resize(size, 0);
        self.start = offset;
        self.reader.read(&mut self.bytes, offset)?;
        Ok(&self.bytes[..length])
    }
}
