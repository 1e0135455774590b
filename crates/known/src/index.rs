//! An index file, open for look-ups.

use crate::bytes::Bytes;
use crate::checks::Mismatch;
use crate::detail::dictionary;
use crate::error::{Error, Why};
use crate::layout::{self, Checksum, Section, SectionKind};
use crate::table::DetailTable;
use crate::{About, Detail};
use hashmill_digest::{Digest, MAX_BYTES};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The number of digests in a batched lookup: the memory accesses that a core can have in flight, and some more so that
/// prefetches complete in time.
const GROUP: usize = 32;

const NO_TABLE: u8 = u8::MAX;

/// An index, open for lookups. All answers are exact: every byte of a digest is compared.
pub struct Index {
    path: PathBuf,
    bytes: Bytes,
    sections: Vec<Section>,
    tables: Vec<DetailTable>,
    /// The table for each length of digest in bytes.
    by_length: [u8; MAX_BYTES + 1],
    dictionary: usize,
    about: About,
}

/// The position of a digest that was found. Only valid for the index that returned it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    table: u8,
    place: u32,
}

impl Index {
    /// Maps an index. Detects damage to the header, the fences and the dictionary; lookups detect damage to the blocks
    /// that they read, and [`Index::verify`] detects all. The file must not be written in place while it is open; if it
    /// is truncated, [`Index::check`] reports it.
    ///
    /// # Errors
    /// If it can't be read, is not an index, has another version, or is damaged.
    pub fn open(path: &Path) -> Result<Self, Error> {
        // Opening a pipe would block.
        let plain = std::fs::metadata(path).map_err(Error::io(path, "open"))?.is_file();
        if !plain {
            return Err(Error::new(path, Why::NotAnIndex));
        }
        let file = File::open(path).map_err(Error::io(path, "open"))?;
        let length = file.metadata().map_err(Error::io(path, "open"))?.len();
        // Some systems can't map an empty file.
        let bytes = match length {
            0 => Bytes::Held(Vec::new()),
            _ => Bytes::map(file, length).map_err(Error::io(path, "map"))?,
        };
        let index = Self::new(path, bytes);
        // An index that was truncated meanwhile must not be reported as damaged.
        index.and_then(|index| index.check().map(|()| index))
    }

    /// Checks that the file is as long as when it was opened. If it is not, answers may be wrong: call this after
    /// lookups, and discard their answers on an error.
    ///
    /// # Errors
    /// [`Why::Shrunk`].
    pub fn check(&self) -> Result<(), Error> {
        if self.bytes.is_whole() { Ok(()) } else { Err(Error::new(&self.path, Why::Shrunk)) }
    }

    /// Reads an index into memory, for files that others may write to while they are open.
    ///
    /// # Errors
    /// Like [`Index::open`].
    pub fn load(path: &Path) -> Result<Self, Error> {
        let bytes = hashmill_os::read_file(path).map_err(Error::io(path, "read"))?;
        Self::from_bytes(path, bytes)
    }

    /// Opens an index in memory; the path is only for messages.
    ///
    /// # Errors
    /// Like [`Index::open`].
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self, Error> {
        Self::new(path, Bytes::Held(bytes))
    }

    fn new(path: &Path, bytes: Bytes) -> Result<Self, Error> {
        let fail = |why| Error::new(path, why);
        let sections = layout::decode(&bytes).map_err(fail)?;
        for kind in [SectionKind::About, SectionKind::Dictionary, SectionKind::Fences] {
            check(&sections, kind, &bytes, &|| false).map_err(fail)?;
        }
        let about = about(&sections, &bytes).map_err(fail)?;
        let dictionary = dictionary(&sections, &bytes).map_err(fail)?;
        let tables = tables(&sections, &bytes).map_err(fail)?;
        let mut by_length = [NO_TABLE; MAX_BYTES + 1];
        for (number, table) in tables.iter().enumerate() {
            by_length[table.shape.digest] = number as u8;
        }
        Ok(Index { path: path.to_path_buf(), bytes, sections, tables, by_length, dictionary, about })
    }

    /// Reads and checks every byte, and the order of the entries.
    ///
    /// # Errors
    /// [`Why::Damaged`], with the damaged part.
    pub fn verify(&self) -> Result<(), Error> {
        self.verify_until(&|| false)
    }

    /// Verifies like [`Index::verify`], but ends soon after `is_over` returns true.
    ///
    /// # Errors
    /// Like [`Index::verify`], and [`Why::Cancelled`] if it was ended.
    pub fn verify_until(&self, is_over: &dyn Fn() -> bool) -> Result<(), Error> {
        let fail = |why| Error::new(&self.path, why);
        for kind in [SectionKind::Entries, SectionKind::Sizes, SectionKind::Checks] {
            check(&self.sections, kind, &self.bytes, is_over).map_err(fail)?;
        }
        if !layout::is_padded_with_zeros(&self.bytes, &self.sections) {
            return Err(fail(Why::Damaged("the space between sections")));
        }
        let sorted = self.tables.iter().all(|table| table.is_sorted(&self.bytes, is_over));
        let checked = self.tables.iter().all(|table| table.is_checked(&self.bytes, is_over));
        self.check()?;
        if is_over() {
            return Err(fail(Why::Cancelled));
        }
        let damaged = |part| Err(fail(Why::Damaged(part)));
        match (sorted, checked) {
            (false, _) => damaged("the order of the entries"),
            (_, false) => damaged("the checksums of its blocks"),
            _ => Ok(()),
        }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the index's description of itself: counts, sources, dates.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Returns the checksum of the header, which covers the checksums of all parts: indexes with the same identity have
    /// the same content.
    pub fn identity(&self) -> String {
        let sum = &self.bytes[layout::HEADER - layout::SUM..layout::HEADER];
        sum.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the size of the file in bytes.
    pub fn file_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Returns the size in bytes of the sections for digests of this length, without the dictionary.
    pub fn table_bytes(&self, digest_bytes: usize) -> u64 {
        self.table(digest_bytes).map_or(0, |(_, table)| table.bytes())
    }

    /// Returns the number of digests of this length.
    pub fn count(&self, digest_bytes: usize) -> usize {
        self.table(digest_bytes).map_or(0, |(_, table)| table.count)
    }

    /// Asks the system to read the whole file ahead.
    pub fn populate(&self) {
        self.bytes.populate();
    }

    /// Looks up a digest.
    ///
    /// # Errors
    /// [`Why::Damaged`] if the digest would be in a damaged part of the index.
    pub fn find(&self, digest: &Digest) -> Result<Option<Hit>, Error> {
        let digest = digest.as_bytes();
        let Some((table, rows)) = self.table(digest.len()) else { return Ok(None) };
        let place =
            rows.find(&self.bytes, digest).map_err(|Mismatch| self.damaged("a block of the entries"))?;
        Ok(place.map(|place| Hit { table, place: place as u32 }))
    }

    /// Looks up many digests, several times as fast as one by one. Returns one answer for each, in order.
    ///
    /// # Errors
    /// Like [`Index::find`], for any of them.
    pub fn find_all(&self, digests: &[Digest]) -> Result<Vec<Option<Hit>>, Error> {
        let mut hits = Vec::with_capacity(digests.len());
        let mut groups = digests.chunks(GROUP);
        let found = groups.try_for_each(|group| self.find_group(group, &mut hits));
        found.map_err(|Mismatch| self.damaged("a block of the entries"))?;
        Ok(hits)
    }

    /// Returns the error of a part that does not match its checksum, or of truncation if that is the reason.
    #[cold]
    fn damaged(&self, part: &'static str) -> Error {
        self.check().err().unwrap_or_else(|| Error::new(&self.path, Why::Damaged(part)))
    }

    /// Looks up a group in three rounds, so that its memory accesses overlap.
    fn find_group(&self, group: &[Digest], hits: &mut Vec<Option<Hit>>) -> Result<(), Mismatch> {
        let mut probes = [None; GROUP];
        for digest in group {
            if let Some((_, table)) = self.table(digest.as_bytes().len()) {
                table.approach(&self.bytes, digest.as_bytes());
            }
        }
        for (probe, digest) in probes.iter_mut().zip(group) {
            *probe = self.table(digest.as_bytes().len()).map(|(number, table)| {
                let probe = table.probe(&self.bytes, digest.as_bytes());
                table.fetch(&self.bytes, &probe);
                (number, probe)
            });
        }
        for probe in &probes[..group.len()] {
            let hit = match *probe {
                Some((table, probe)) => self.tables[usize::from(table)]
                    .search(&self.bytes, probe)?
                    .map(|place| Hit { table, place: place as u32 }),
                None => None,
            };
            hits.push(hit);
        }
        Ok(())
    }

    #[inline]
    fn table(&self, digest_bytes: usize) -> Option<(u8, &DetailTable)> {
        let number = *self.by_length.get(digest_bytes)?;
        self.tables.get(usize::from(number)).map(|table| (number, table))
    }

    /// Returns the number of a hit's detail: hits with the same number have the same detail.
    pub fn detail_number(&self, hit: Hit) -> u32 {
        self.tables[usize::from(hit.table)].number(&self.bytes, hit.place as usize)
    }

    /// Returns the detail of a digest that was found.
    ///
    /// # Errors
    /// [`Why::Damaged`] if the entry refers to a detail that does not exist.
    pub fn detail(&self, hit: Hit) -> Result<Detail, Error> {
        let detail = self.dictionary().and_then(|all| all.detail(self.detail_number(hit)));
        detail.ok_or_else(|| Error::new(&self.path, Why::Damaged("the detail of an entry")))
    }

    /// Returns the application types that products of this index have.
    pub fn types(&self) -> BTreeSet<Box<str>> {
        self.dictionary().map_or_else(BTreeSet::new, |all| all.types())
    }

    /// Returns the size of the file with a digest that was found, if the source had it.
    ///
    /// # Errors
    /// [`Why::Damaged`] if it is in a damaged part of the index.
    pub fn size(&self, hit: Hit) -> Result<Option<u64>, Error> {
        let size = self.tables[usize::from(hit.table)].size(&self.bytes, hit.place as usize);
        size.map_err(|Mismatch| self.damaged("a block of the sizes"))
    }

    fn dictionary(&self) -> Option<dictionary::Reader<'_>> {
        dictionary::Reader::new(&self.bytes[self.sections[self.dictionary].range()])
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Index({})", self.path.display())
    }
}

/// Bytes of a section between two checks of `is_over`: some milliseconds.
const PART: usize = 16 << 20;

fn check(
    sections: &[Section],
    kind: SectionKind,
    file: &[u8],
    is_over: &dyn Fn() -> bool,
) -> Result<(), Why> {
    let mut whole = true;
    for section in sections.iter().filter(|section| section.kind == kind) {
        let mut sum = Checksum::new();
        for part in file[section.range()].chunks(PART) {
            if is_over() {
                return Err(Why::Cancelled);
            }
            sum.update(part);
        }
        whole &= sum.finish() == section.sum;
    }
    whole.then_some(()).ok_or(Why::Damaged(match kind {
        SectionKind::About => "the checksum of its own description",
        SectionKind::Dictionary => "the checksum of the dictionary",
        SectionKind::Entries => "the checksum of the entries",
        SectionKind::Fences => "the checksum of the fences",
        SectionKind::Sizes => "the checksum of the sizes",
        SectionKind::Checks => "the checksum of the checksums of blocks",
    }))
}

fn about(sections: &[Section], file: &[u8]) -> Result<About, Why> {
    let section = sections.iter().find(|section| section.kind == SectionKind::About);
    let parsed = section.and_then(|section| serde_json::from_slice(&file[section.range()]).ok());
    parsed.ok_or(Why::Damaged("its own description"))
}

fn dictionary(sections: &[Section], file: &[u8]) -> Result<usize, Why> {
    let place = sections.iter().position(|section| section.kind == SectionKind::Dictionary);
    let sound = |place: &usize| dictionary::Reader::new(&file[sections[*place].range()]).is_some();
    place.filter(sound).ok_or(Why::Damaged("the dictionary"))
}

fn tables(sections: &[Section], file: &[u8]) -> Result<Vec<DetailTable>, Why> {
    let entries = sections.iter().filter(|section| section.kind == SectionKind::Entries);
    let tables: Vec<DetailTable> =
        entries.map(|section| DetailTable::new(section, sections)).collect::<Result<_, _>>()?;
    let fenced = tables.len() < usize::from(NO_TABLE) && tables.iter().all(|table| table.is_fenced(file));
    fenced.then_some(tables).ok_or(Why::Damaged("the fences of a table"))
}
