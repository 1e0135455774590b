//! Compact storage for the records of manifests.
//!
//! A record takes its path and its digests, 22 bytes beside them (span 8, size 8, group 2, row 4), and its slot in the
//! index of paths (a `u32` and a byte of the hash in an open-addressing table that is between 7/16 and 7/8 full: 6 to
//! 12 bytes); 24 bytes more if any record is of a piece, and 4 more if any path has several records (a list with a line
//! for each algorithm, several manifests). While an [`Audit`](super::Audit) runs, the index of digests takes 6 to 12
//! bytes more, and links and marks take 6. Records with equal paths share the path's bytes.

use super::comparison::{Line, fits};
use super::digests::{Group, Stored};
use super::learner::Learner;
use super::paths::{Style, parts, same};
use super::sides::Content;
use crate::stored::Strength;
use crate::{Named, Piece, Record, Status, Time};
use hashbrown::{DefaultHashBuilder, HashSet, HashTable};
use hashmill_digest::{Algorithm, Digest};
use std::fmt;
use std::hash::{BuildHasher, Hasher};

/// The records of one or more manifests.
#[derive(Default)]
pub struct Known {
    manifests: Vec<Manifest>,
    /// The bytes of all paths.
    paths: Vec<u8>,
    spans: Vec<Span>,
    /// Sizes; [`NO_SIZE`] if the manifest has none.
    sizes: Vec<u64>,
    group: Vec<u16>,
    row: Vec<u32>,
    /// Pieces; empty while no record has one.
    pieces: Vec<Option<Piece>>,
    /// Strengths of stored records; empty while there is none.
    strengths: Vec<Option<Strength>>,
    /// Times of the last modification, if they are kept.
    times: Option<Vec<Option<Time>>>,
    groups: Vec<Group>,
    /// The first record of each path and piece.
    by_path: HashTable<u32>,
    /// The next record of the same path and piece, or [`NONE`]; empty while no path has two records.
    next: Vec<u32>,
    hasher: DefaultHashBuilder,
    wholes: u64,
    longest_piece: Option<u64>,
    /// Records with backslashes as separators, once that was decided for each path.
    windows: Option<HashSet<u32>>,
    /// Whether paths are keys of a store, which are never normalised.
    keys: bool,
    /// Whether two paths of one manifest differ only in spelling.
    respelled: bool,
}

/// The records of one manifest.
struct Manifest {
    first: u32,
    slashes: bool,
    backslashes: bool,
}

/// The position of a path in the arena: 40 bits of start, 24 bits of length.
#[derive(Clone, Copy)]
struct Span(u64);

/// The limits are exceeded: 2^32 records, 65,536 sets of algorithms, or 2^40 bytes of paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full;

const NO_SIZE: u64 = u64::MAX;
const NONE: u32 = u32::MAX;

impl Span {
    fn new(start: usize, length: usize) -> Option<Self> {
        let fits = start < 1 << 40 && length < 1 << 24;
        fits.then_some(Span((start as u64) << 24 | length as u64))
    }

    fn slice(self, paths: &[u8]) -> &[u8] {
        let (start, length) = ((self.0 >> 24) as usize, (self.0 & 0xff_ffff) as usize);
        &paths[start..start + length]
    }
}

impl Known {
    /// Creates an empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts another manifest. Whether backslashes are separators is decided for each manifest separately.
    pub fn next_manifest(&mut self) {
        let first = self.spans.len() as u32;
        self.manifests.push(Manifest { first, slashes: false, backslashes: false });
    }

    /// Keeps the times of the following records, which take 24 bytes each.
    pub fn keep_times(&mut self) {
        self.times.get_or_insert_default().resize(self.spans.len(), None);
    }

    /// Treats paths as keys of a store from now on. Keys are bytes: `a//b` and `./a` are not other spellings of `a/b`
    /// and `a`, and a backslash is no separator.
    pub fn take_as_keys(&mut self) {
        self.keys = true;
    }

    /// Returns whether two paths of one manifest differ only in spelling, which only keys of a store do.
    pub fn is_respelled(&self) -> bool {
        self.respelled
    }

    /// Adds a record. Returns false if it was ignored, because it is not completely hashed or has no path. A stored
    /// object needs no digests.
    ///
    /// # Errors
    /// [`Full`].
    pub fn add(&mut self, record: &Record) -> Result<bool, Full> {
        let silent = record.digests.is_empty() && record.status.strength().is_none();
        if !record.is_sound() || silent || record.path.is_empty() {
            return Ok(false);
        }
        self.push(record).map(|()| true)
    }

    /// Adds a file whose digests can't be computed here. It counts as known, so it can be missing but never new, and
    /// nothing is equal to it. A record without a path is ignored.
    ///
    /// # Errors
    /// [`Full`].
    pub fn add_unsupported(&mut self, path: &[u8]) -> Result<(), Full> {
        if path.is_empty() { Ok(()) } else { self.push(&Record::hashed(path.into(), None, Vec::new())) }
    }

    fn push(&mut self, record: &Record) -> Result<(), Full> {
        if self.spans.len() >= NONE as usize {
            return Err(Full);
        }
        let group = self.group_of(record)?;
        let head = self.head(&record.path, record.piece.map(|piece| piece.offset));
        if head.is_some_and(|head| self.is_repeated(head, group, record)) {
            return Ok(());
        }
        let span = self.span(&record.path, head)?;
        self.note_style(&record.path);
        self.note_piece(record.piece);
        self.note_strength(record.status.strength());
        self.spans.push(span);
        self.sizes.push(record.size.unwrap_or(NO_SIZE));
        self.times.iter_mut().for_each(|times| times.push(record.mtime));
        self.group.push(group);
        self.row.push(self.groups[usize::from(group)].push(&record.digests));
        self.index(record, head);
        Ok(())
    }

    /// Returns whether the first or the last record of a path in this manifest states the same. Without this, a line that is
    /// repeated a million times would be compared a million times.
    fn is_repeated(&self, head: u32, group: u16, record: &Record) -> bool {
        let last = self.next.get(head as usize).copied().filter(|last| *last != NONE);
        let first = self.manifests.last().map_or(0, |manifest| manifest.first);
        let is_same = |entry: u32| {
            let (digests, times) = (self.digests(entry).map(|stored| stored.bytes), self.times.as_ref());
            let facts = (self.group(entry), self.size(entry), self.piece(entry), self.strength(entry));
            facts == (group, record.size, record.piece, record.status.strength())
                && self.path(entry) == &*record.path
                && times.is_none_or(|times| times[entry as usize] == record.mtime)
                && digests.eq(record.digests.iter().map(|named| named.digest.as_bytes()))
        };
        [Some(head), last].into_iter().flatten().filter(|entry| *entry >= first).any(is_same)
    }

    /// Adds the last record to the index of paths; `head` is the first record of its path.
    fn index(&mut self, record: &Record, head: Option<u32>) {
        let entry = (self.spans.len() - 1) as u32;
        let offset = record.piece.map(|piece| piece.offset);
        let Some(head) = head else {
            let Known { by_path, spans, paths, pieces, hasher, .. } = self;
            let offset_of =
                |entry: u32| pieces.get(entry as usize).copied().flatten().map(|piece| piece.offset);
            let rehash =
                |entry: &u32| hash_parts(hasher, spans[*entry as usize].slice(paths), offset_of(*entry));
            by_path.insert_unique(hash_parts(hasher, &record.path, offset), entry, rehash);
            if !self.next.is_empty() {
                self.next.push(NONE);
            }
            return;
        };
        let is_of_manifest = self.manifests.last().is_some_and(|manifest| manifest.first <= head);
        self.respelled |= is_of_manifest
            && self.path(head) != self.path(entry)
            && same(self.path(head), Style::Unix, self.path(entry));
        self.next.resize(self.spans.len(), NONE);
        self.next[entry as usize] = std::mem::replace(&mut self.next[head as usize], entry);
    }

    fn group_of(&mut self, record: &Record) -> Result<u16, Full> {
        // Nearly all records of one manifest have the same algorithms.
        let list = self.manifests.len().saturating_sub(1);
        let fits = |group: &Group| group.fits(&record.digests, list);
        let last = self.group.last().filter(|last| fits(&self.groups[usize::from(**last)]));
        let found = last.map(|last| usize::from(*last));
        let found = found.or_else(|| self.groups.iter().position(fits));
        let group = found.unwrap_or(self.groups.len());
        let index = u16::try_from(group).map_err(|_| Full)?;
        if group == self.groups.len() {
            self.groups.push(Group::new(&record.digests, list));
        }
        Ok(index)
    }

    /// Returns the span of the path's bytes; adds them unless the previous record or `head` has the same path.
    fn span(&mut self, path: &[u8], head: Option<u32>) -> Result<Span, Full> {
        let last = (self.spans.len() as u32).checked_sub(1);
        if let Some(entry) = last.into_iter().chain(head).find(|entry| self.path(*entry) == path) {
            return Ok(self.spans[entry as usize]);
        }
        let span = Span::new(self.paths.len(), path.len()).ok_or(Full)?;
        self.paths.extend_from_slice(path);
        Ok(span)
    }

    fn note_style(&mut self, path: &[u8]) {
        if self.manifests.is_empty() {
            self.next_manifest();
        }
        if let Some(manifest) = self.manifests.last_mut() {
            manifest.slashes |= memchr::memchr(b'/', path).is_some();
            manifest.backslashes |= memchr::memchr(b'\\', path).is_some();
        }
    }

    fn note_piece(&mut self, piece: Option<Piece>) {
        self.wholes += u64::from(piece.is_none());
        if let Some(piece) = piece {
            self.pieces.resize(self.spans.len(), None);
            self.longest_piece = self.longest_piece.max(Some(piece.length));
        }
        if piece.is_some() || !self.pieces.is_empty() {
            self.pieces.push(piece);
        }
    }

    fn note_strength(&mut self, strength: Option<Strength>) {
        if strength.is_some() {
            self.strengths.resize(self.spans.len(), None);
        }
        if strength.is_some() || !self.strengths.is_empty() {
            self.strengths.push(strength);
        }
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns all algorithms that the records have or may have, without duplicates: a run that computes them all can
    /// compare every record in full.
    pub fn algorithms(&self) -> Vec<&'static Algorithm> {
        let mut all: Vec<&'static Algorithm> = Vec::new();
        for algorithm in
            self.groups.iter().flat_map(|group| &group.columns).flat_map(|column| column.may_be())
        {
            if !all.contains(algorithm) {
                all.push(algorithm);
            }
        }
        all
    }

    /// Settles unnamed digests of one manifest, counted from 0, with what was learnt about it.
    pub fn settle(&mut self, manifest: usize, learner: &Learner) {
        self.groups.iter_mut().for_each(|group| group.settle(manifest, learner));
    }

    /// Settles unnamed digests of all manifests with another one's only named algorithm of their length.
    pub fn settle_like(&mut self, other: &Known) {
        let named = other.groups.iter().flat_map(|group| &group.columns).filter_map(|column| column.named());
        let mut named: Vec<&'static Algorithm> = named.collect();
        named.sort_by_key(|algorithm| (algorithm.bits, algorithm.name));
        named.dedup();
        for algorithm in &named {
            if named.iter().filter(|other| other.bits == algorithm.bits).count() == 1 {
                self.groups.iter_mut().for_each(|group| group.name(algorithm));
            }
        }
    }

    /// Settles unnamed digests by length and position alone, to compare them with those of another manifest.
    pub fn assume(&mut self) {
        self.groups.iter_mut().for_each(Group::assume);
    }

    /// Returns whether there are records of whole files.
    pub fn has_wholes(&self) -> bool {
        self.wholes > 0
    }

    /// Returns the length of the longest piece, which is the piece length of the manifest.
    pub fn piece_length(&self) -> Option<u64> {
        self.longest_piece
    }

    /// Returns the known paths in this machine's notation, in manifest order, without duplicates.
    pub fn local_paths(&self) -> impl Iterator<Item = Vec<u8>> {
        (0..self.len() as u32).filter(|entry| self.is_first_of_path(*entry)).map(|entry| self.local(entry))
    }

    /// Returns a record for each path and piece, with all its digests in the manifests, in the order of first
    /// appearance. If manifests contradict each other, all their digests are included.
    pub fn records(&self) -> impl Iterator<Item = Record> {
        (0..self.len() as u32).filter(|entry| self.is_first(*entry)).map(|entry| self.record(entry))
    }

    fn record(&self, entry: u32) -> Record {
        let piece = self.piece(entry);
        let all = match self.has_one_each() {
            true => vec![entry],
            false => self.matching(&self.local(entry), piece.map(|piece| piece.offset)),
        };
        let Content { size, mtime, digests } = self.content(&all);
        let status = self.strength(entry).map_or(Status::Hashed, Status::Stored);
        Record { size, mtime, piece, digests, ..Record::bare(self.local(entry).into(), status) }
    }

    /// Returns the content that these records describe. If they contradict each other, all their digests are included.
    pub(super) fn content(&self, entries: &[u32]) -> Content {
        let mut digests: Vec<Named> = Vec::new();
        for stored in entries.iter().flat_map(|entry| self.digests(*entry)) {
            let Some(algorithm) = stored.may_be.first() else { continue };
            let named = Named { algorithm, digest: Digest::new(stored.bytes), guessed: stored.open };
            if !digests.contains(&named) {
                digests.push(named);
            }
        }
        let size = entries.iter().find_map(|entry| self.size(*entry));
        let mtime = entries.iter().find_map(|entry| self.times.as_ref()?[*entry as usize]);
        Content { size, mtime, digests }
    }

    /// Returns whether a path or its first piece is known.
    pub fn names(&self, path: &[u8]) -> bool {
        [None, Some(0)].into_iter().any(|offset| self.with_path(path, offset).next().is_some())
    }

    /// Returns up to `most` of the paths, evenly spread, in this machine's notation.
    pub fn sample(&self, most: usize) -> Vec<Vec<u8>> {
        let step = self.len().div_ceil(most.max(1)).max(1);
        (0..self.len()).step_by(step).map(|entry| self.local(entry as u32)).collect()
    }

    pub(super) fn local(&self, entry: u32) -> Vec<u8> {
        let mut path = self.path(entry).to_vec();
        if self.style(entry) == Style::Windows {
            path.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
        }
        path
    }

    /// Returns the paths with backslashes as separators, in this machine's notation.
    pub fn divided_paths(&self) -> impl Iterator<Item = Vec<u8>> {
        let divided = |entry: &u32| self.style(*entry) == Style::Windows;
        (0..self.len() as u32).filter(divided).map(|entry| self.local(entry))
    }

    /// Converts a path of a manifest to this machine's notation.
    pub fn local_of(&self, path: &[u8]) -> Vec<u8> {
        let entry = [None, Some(0)].into_iter().find_map(|offset| {
            let after = |entry: &u32| self.next.get(*entry as usize).copied().filter(|next| *next != NONE);
            let mut all = std::iter::successors(self.head(path, offset), after);
            all.find(|entry| self.path(*entry) == path)
        });
        entry.map_or_else(|| path.to_vec(), |entry| self.local(entry))
    }

    /// Returns whether this is the only or first record for its path: there is no earlier one of the same piece, and
    /// for a piece none of the whole file or of the first piece.
    fn is_first_of_path(&self, entry: u32) -> bool {
        let Some(piece) = self.piece(entry) else { return self.is_first(entry) };
        let path = self.local(entry);
        let first_piece = piece.offset > 0 && self.with_path(&path, Some(0)).next().is_some();
        !first_piece && self.with_path(&path, None).next().is_none() && self.is_first(entry)
    }

    /// Returns whether no two records have the same path and piece, in any spelling.
    fn has_one_each(&self) -> bool {
        self.next.is_empty()
    }

    /// Returns whether no earlier record has the same path and piece.
    pub(super) fn is_first(&self, entry: u32) -> bool {
        if self.has_one_each() {
            return true;
        }
        let offset = self.piece(entry).map(|piece| piece.offset);
        let path = self.local(entry);
        !self.with_path(&path, offset).any(|other| other < entry)
    }

    /// Returns the records of a path, in any spelling unless it is a key; for a piece, those of its offset.
    pub(super) fn matching(&self, path: &[u8], offset: Option<u64>) -> Vec<u32> {
        self.with_path(path, offset).collect()
    }

    /// Returns the same records, but no more than this many.
    pub(super) fn matching_at_most(&self, path: &[u8], offset: Option<u64>, most: usize) -> Vec<u32> {
        self.with_path(path, offset).take(most).collect()
    }

    fn with_path<'a>(&'a self, path: &'a [u8], offset: Option<u64>) -> impl Iterator<Item = u32> + 'a {
        let equal = move |entry: u32, style: Style| {
            let known = self.path(entry);
            let spelled = || !self.keys && same(known, style, path);
            self.style(entry) == style && (known == path || spelled())
        };
        let after = |entry: &u32| self.next.get(*entry as usize).copied().filter(|next| *next != NONE);
        let all = move || std::iter::successors(self.head(path, offset), after);
        // A record with exactly this name is of another file than one with backslashes as separators.
        let style = if all().any(|entry| equal(entry, Style::Unix)) { Style::Unix } else { Style::Windows };
        all().filter(move |entry| equal(*entry, style))
    }

    /// Returns the first record of a path; slashes and backslashes are equal.
    fn head(&self, path: &[u8], offset: Option<u64>) -> Option<u32> {
        let equal = |entry: &u32| {
            let known = self.path(*entry);
            let same_piece = self.piece(*entry).map(|piece| piece.offset) == offset;
            same_piece && (known == path || parts(known, Style::Windows).eq(parts(path, Style::Windows)))
        };
        self.by_path.find(hash_parts(&self.hasher, path, offset), equal).copied()
    }

    /// Decides, for each path with backslashes in a manifest without slashes, whether the backslashes are part of a name (`is_name`
    /// returns true) or separators.
    pub fn decide_styles(&mut self, is_name: &mut dyn FnMut(&[u8]) -> bool) {
        let divided = |entry: &u32| {
            let path = self.path(*entry);
            let has_slashes = self.manifest(*entry).is_some_and(|manifest| manifest.slashes);
            memchr::memchr(b'\\', path).is_some() && !has_slashes && !is_name(path)
        };
        self.windows = Some((0..self.len() as u32).filter(divided).collect());
    }

    /// Returns the separator style of a record's path. If it was not decided by
    /// [`decide_styles`](Known::decide_styles), a manifest with backslashes and no slashes uses backslashes as
    /// separators.
    fn style(&self, entry: u32) -> Style {
        if let Some(windows) = &self.windows {
            return if windows.contains(&entry) { Style::Windows } else { Style::Unix };
        }
        match self.manifest(entry) {
            Some(manifest) if manifest.backslashes && !manifest.slashes && !self.keys => Style::Windows,
            _ => Style::Unix,
        }
    }

    /// Returns the manifest of a record.
    fn manifest(&self, entry: u32) -> Option<&Manifest> {
        let after = self.manifests.partition_point(|manifest| manifest.first <= entry);
        self.manifests.get(after.wrapping_sub(1))
    }

    /// Returns the path as the manifest writes it.
    pub(super) fn path(&self, entry: u32) -> &[u8] {
        self.spans[entry as usize].slice(&self.paths)
    }

    pub(super) fn piece(&self, entry: u32) -> Option<Piece> {
        self.pieces.get(entry as usize).copied().flatten()
    }

    /// Returns the strength of a record's digests as evidence, if they are only stored.
    pub(super) fn strength(&self, entry: u32) -> Option<Strength> {
        self.strengths.get(entry as usize).copied().flatten()
    }

    pub(super) fn size(&self, entry: u32) -> Option<u64> {
        Some(self.sizes[entry as usize]).filter(|size| *size != NO_SIZE)
    }

    pub(super) fn group(&self, entry: u32) -> u16 {
        self.group[entry as usize]
    }

    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Returns the digests of a record.
    pub(super) fn digests(&self, entry: u32) -> impl Iterator<Item = Stored<'_>> {
        self.groups[usize::from(self.group(entry))].row(self.row[entry as usize])
    }

    /// Returns the algorithms by which a file has the digests of a record that nothing names, each with the number of the
    /// list. An empty file reveals none, as several algorithms may share its digest.
    pub(super) fn revealed_by<'a>(
        &'a self,
        entry: u32,
        observed: &'a Record,
    ) -> impl Iterator<Item = (usize, &'static Algorithm)> + 'a {
        let list = self.groups[usize::from(self.group(entry))].list.filter(|_| observed.size != Some(0));
        let open = list.into_iter().flat_map(move |list| {
            self.digests(entry).filter(|stored| stored.open).map(move |stored| (list, stored))
        });
        open.filter_map(move |(list, stored)| {
            let mut all = stored.may_be.iter().copied();
            Some((list, all.find(|algorithm| fits(algorithm, stored.bytes, observed))?))
        })
    }

    /// Returns a record as a line to compare.
    pub(super) fn line(&self, entry: u32) -> Line<impl Iterator<Item = Stored<'_>>> {
        Line { size: self.size(entry), strength: self.strength(entry), digests: self.digests(entry) }
    }
}

/// Hashes a path so that all its spellings, with slashes or backslashes, have the same hash.
fn hash_parts(hasher: &DefaultHashBuilder, path: &[u8], offset: Option<u64>) -> u64 {
    let mut state = hasher.build_hasher();
    state.write_u64(offset.map_or(u64::MAX, |offset| offset));
    for part in parts(path, Style::Windows) {
        state.write(part);
        state.write_u8(b'/');
    }
    state.finish()
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Known({} records)", self.len())
    }
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("more records than can be held")
    }
}

impl std::error::Error for Full {}
