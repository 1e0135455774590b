//! Segment files of EWF version 1 (E01, S01, L01): a chain of sections, each after its descriptor.

use super::draft::{Draft, End, Session};
use super::geometry::Geometry;
use super::table::{ChunkTable, Format, TableCopy};
use crate::bytes::checksums::adler_holds;
use crate::bytes::le::{array, u32_at, u64_at};
use crate::bytes::text;
use crate::claim::{digest_section, hash_section, xhash_text};
use crate::error::Problem;
use crate::finding::{ImageLocation, ProblemKind, Section, Span};
use crate::inflate::Inflater;
use hashmill_digest::Adler32;
use std::ops::Range;
use std::sync::OnceLock;

/// Bytes of the file header, of a section descriptor, and of the type in it.
const HEADER: u64 = 13;
pub(crate) const DESCRIPTOR: u64 = 76;
const NAME: usize = 16;

/// Bytes of the header of `error2`, with its checksum.
pub(crate) const ERRORS_HEADER: usize = 520;

/// Bytes of the header of `session`, with its checksum.
const SESSIONS_HEADER: usize = 36;

/// The maximum size of inflated header texts; more is a decompression bomb.
const MOST_TEXT: usize = 16 << 20;

/// The known section types. They are read even if the descriptor's checksum is wrong.
const KNOWN: &[&str] = &[
    "header",
    "header2",
    "xheader",
    "volume",
    "disk",
    "data",
    "sectors",
    "table",
    "table2",
    "error2",
    "session",
    "hash",
    "digest",
    "xhash",
    "ltypes",
    "ltree",
    "map",
    "next",
    "done",
    "incomplete",
];

struct SectionDescriptor {
    name: String,
    offset: u64,
    next: u64,
    size: u64,
    whole: bool,
    /// The stored type, if `name` was corrected.
    stored: Option<Box<str>>,
}

impl SectionDescriptor {
    /// Whether the size and the position of the next section agree.
    fn is_consistent(&self) -> bool {
        self.size >= DESCRIPTOR && self.offset.checked_add(self.size) == Some(self.next)
    }
}

pub(crate) fn read(draft: &mut Draft, file: usize, size: u64) -> Result<End, Problem> {
    SectionWalk { draft, file, size, sectors: None, table: None, inflater: Inflater::new() }.run()
}

struct SectionWalk<'a> {
    draft: &'a mut Draft,
    file: usize,
    size: u64,
    /// The data of the last `sectors` section.
    sectors: Option<Range<u64>>,
    /// The index of the table whose copy may follow.
    table: Option<usize>,
    inflater: Inflater,
}

impl SectionWalk<'_> {
    fn run(&mut self) -> Result<End, Problem> {
        let mut offset = HEADER;
        loop {
            let Some(descriptor) = self.descriptor(offset) else { return Ok(End::Broken) };
            self.draft.count_section()?;
            let place = self.place(&descriptor);
            let known = KNOWN.contains(&descriptor.name.as_str());
            if let Some(stored) = &descriptor.stored {
                self.draft.findings.add(ProblemKind::SectionType { stored: stored.clone() }, place.clone());
            } else if !descriptor.whole {
                self.draft.findings.add(ProblemKind::DescriptorChecksum, place.clone());
                // The type is unknown, but the position of the next section may still be certain.
                let certain = descriptor.is_consistent() && descriptor.next < self.size;
                match (known, certain) {
                    (true, _) => {}
                    (false, true) => self.skip_damaged(),
                    (false, false) => return Ok(End::Broken),
                }
            }
            if let Some(end) = self.terminal(&descriptor) {
                return Ok(end);
            }
            let (end, linked) = self.end(&descriptor, &place);
            self.section(&descriptor.name, offset + DESCRIPTOR..end, &place);
            if !linked {
                return Ok(End::Broken);
            }
            offset = end;
        }
    }

    /// Notes that chunks or a table may have been lost.
    fn skip_damaged(&mut self) {
        self.sectors = None;
        self.draft.mark_break();
    }

    fn place(&self, descriptor: &SectionDescriptor) -> ImageLocation {
        let section = Section { name: descriptor.name.as_str().into(), offset: descriptor.offset };
        self.draft.place(self.file, section)
    }

    fn descriptor(&mut self, offset: u64) -> Option<SectionDescriptor> {
        let mut bytes = [0; DESCRIPTOR as usize];
        let path = self.draft.path(self.file);
        match self.draft.files.read_at(self.file, offset, &mut bytes) {
            Ok(read) if read == bytes.len() => Some(parse(&bytes, offset)),
            Ok(_) => {
                let kind = ProblemKind::Truncated { end: offset + DESCRIPTOR, size: self.size };
                self.draft.findings.add(kind, ImageLocation::file(&path));
                None
            }
            Err(error) => {
                self.draft.findings.add(super::table::unreadable(&error), ImageLocation::file(&path));
                None
            }
        }
    }

    /// Handles the sections that end a segment.
    fn terminal(&mut self, descriptor: &SectionDescriptor) -> Option<End> {
        let end = match descriptor.name.as_str() {
            "done" => End::Done,
            "next" => End::Next,
            _ => return None,
        };
        let own_end = descriptor.offset + DESCRIPTOR;
        let bytes = self.size.saturating_sub(own_end);
        if bytes > 0 {
            let place = self.place(descriptor);
            self.draft.findings.add(ProblemKind::TrailingBytes { bytes }, place);
        }
        // It points to itself; in libewf's files for other formats, to its end.
        if ![descriptor.offset, own_end].contains(&descriptor.next) {
            let place = self.place(descriptor);
            self.draft.findings.add(ProblemKind::BadLink { target: descriptor.next }, place);
        }
        Some(end)
    }

    /// Returns the end of a section, and whether another follows.
    fn end(&mut self, descriptor: &SectionDescriptor, place: &ImageLocation) -> (u64, bool) {
        let SectionDescriptor { offset, next, size, .. } = *descriptor;
        let by_size = offset.checked_add(size).filter(|end| size >= DESCRIPTOR && *end <= self.size);
        let linked = next >= offset + DESCRIPTOR && next <= self.size;
        let findings = &mut self.draft.findings;
        match by_size {
            _ if linked => {
                // Expert Witness 1.35 sets no size.
                let distance = next - offset;
                if size != 0 && size != distance {
                    findings.add(ProblemKind::SizeDisagrees { size, distance }, place.clone());
                }
                (next, true)
            }
            Some(end) => {
                findings.add(ProblemKind::BadLink { target: next }, place.clone());
                (end, true)
            }
            None => {
                let beyond = next > self.size;
                let kind = match beyond {
                    true => ProblemKind::Truncated { end: next, size: self.size },
                    false => ProblemKind::BadLink { target: next },
                };
                findings.add(kind, place.clone());
                (self.size.max(offset + DESCRIPTOR), false)
            }
        }
    }

    fn section(&mut self, name: &str, range: Range<u64>, place: &ImageLocation) {
        match name {
            "sectors" => {
                self.sectors = Some(range);
                self.table = None;
            }
            "table" => self.table(&range, place),
            "table2" => self.table_copy(&range, place),
            "ltree" => self.tree(range, place),
            "incomplete" => self.draft.findings.add(ProblemKind::Incomplete, place.clone()),
            "ltypes" | "map" => {}
            _ if KNOWN.contains(&name) => self.facts(name, &range, place),
            _ => self.draft.findings.add(ProblemKind::UnknownSection, place.clone()),
        }
    }

    fn facts(&mut self, name: &str, range: &Range<u64>, place: &ImageLocation) {
        let Some(content) = self.draft.content(self.file, range, place) else { return };
        match name {
            "header" => self.text("header", &content, place),
            "header2" => self.text("header2", &content, place),
            "xheader" => self.text("xheader", &content, place),
            "volume" | "disk" | "data" => match Geometry::ewf1(&content) {
                Some((geometry, trust)) => self.draft.add_geometry(name, geometry, trust, place),
                None => self.draft.findings.add(ProblemKind::Malformed, place.clone()),
            },
            "hash" => self.draft.add_claims(hash_section(&content), place),
            "digest" => self.draft.add_claims(digest_section(&content), place),
            "xhash" => match self.inflater.zlib_text(&content, MOST_TEXT) {
                Ok(text) => self.draft.add_claims(xhash_text(&text), place),
                Err(_) => self.draft.findings.add(ProblemKind::Malformed, place.clone()),
            },
            "error2" => self.errors(&content, place),
            _ => self.sessions(&content, place),
        }
    }

    fn text(&mut self, name: &'static str, content: &[u8], place: &ImageLocation) {
        match self.inflater.zlib_text(content, MOST_TEXT) {
            Ok(bytes) => self.draft.add_text(name, text::decode(&bytes), place),
            Err(_) => self.draft.findings.add(ProblemKind::Malformed, place.clone()),
        }
    }

    fn errors(&mut self, content: &[u8], place: &ImageLocation) {
        let entries = self.list(content, place, ERRORS_HEADER, 8);
        let span = |entry: &[u8]| Span { first: u32_at(entry, 0).into(), count: u32_at(entry, 4).into() };
        self.draft.add_errors(entries.chunks_exact(8).map(span));
    }

    fn sessions(&mut self, content: &[u8], place: &ImageLocation) {
        let entries = self.list(content, place, SESSIONS_HEADER, 32);
        let session = |entry: &[u8]| Session {
            first_sector: u32_at(entry, 4).into(),
            audio: u32_at(entry, 0) & 1 != 0,
        };
        self.draft.sessions.extend(entries.chunks_exact(32).map(session));
    }

    /// Returns the entries of a list: a header of this length that ends in its checksum, entries of this width, and
    /// their checksum.
    fn list<'a>(
        &mut self,
        content: &'a [u8],
        place: &ImageLocation,
        header: usize,
        width: usize,
    ) -> &'a [u8] {
        let count = if content.len() < header { usize::MAX } else { u32_at(content, 0) as usize };
        let end = count.saturating_mul(width).saturating_add(header);
        if content.len() < end.saturating_add(4) {
            self.draft.findings.add(ProblemKind::Malformed, place.clone());
            return &[];
        }
        let body = &content[header..];
        if !adler_holds(content, header - 4) || !adler_holds(body, end - header) {
            self.draft.findings.add(ProblemKind::ContentChecksum, place.clone());
        }
        &body[..end - header]
    }

    fn table(&mut self, range: &Range<u64>, place: &ImageLocation) {
        let Some((count, copy)) = self.copy(range, place) else {
            // Its copy may still have the number of chunks.
            self.table = Some(self.draft.tables.len());
            self.draft.tables.push(self.new_table(range, 0, Vec::new()));
            return;
        };
        self.table = Some(self.draft.tables.len());
        self.draft.tables.push(self.new_table(range, count, vec![copy]));
        self.draft.next_chunk += count;
    }

    fn new_table(&self, range: &Range<u64>, count: u64, copies: Vec<TableCopy>) -> ChunkTable {
        ChunkTable {
            file: self.file,
            first: self.draft.next_chunk,
            count,
            copies,
            data_end: self.sectors.as_ref().map_or(range.end, |sectors| sectors.end),
            format: Format::Ewf1,
            health: OnceLock::new(),
        }
    }

    /// Adds a copy to the table before it. Without a table, the copy replaces it.
    fn table_copy(&mut self, range: &Range<u64>, place: &ImageLocation) {
        let Some(number) = self.table.take() else { return self.table(range, place) };
        let Some((count, copy)) = self.copy(range, place) else { return };
        let table = &mut self.draft.tables[number];
        let first_holds = table.copies.first().is_some_and(|first| first.header_whole);
        if table.count == count {
            table.copies.push(copy);
        } else if !first_holds {
            table.copies = vec![copy];
            table.count = count;
            self.draft.next_chunk = table.first + count;
            self.draft.findings.add(ProblemKind::TableCopyUsed, place.clone());
        } else {
            self.draft
                .findings
                .add(ProblemKind::TableCopyDiffers { entry: count.min(table.count) }, place.clone());
        }
    }

    /// Reads the header of a table. Returns the number of entries and their position.
    fn copy(&mut self, range: &Range<u64>, place: &ImageLocation) -> Option<(u64, TableCopy)> {
        let mut bytes = [0; 28];
        let length = (range.end - range.start).min(28);
        let entries = range.start + 24;
        let read = self.draft.files.read_exact_at(self.file, range.start, &mut bytes[..length as usize]);
        if length < 24 || read.is_err() {
            self.draft.findings.add(ProblemKind::Malformed, place.clone());
            return None;
        }
        let header_whole = adler_holds(&bytes, 20);
        if !header_whole {
            self.draft.findings.add(ProblemKind::TableHeader, place.clone());
        }
        let (count, base) = (u64::from(u32_at(&bytes, 0)), u64_at(&bytes, 8));
        let end = entries + count * 4;
        if end > range.end {
            self.draft.findings.add(ProblemKind::Malformed, place.clone());
            return None;
        }
        // If chunks follow their table, the position of the first one shows whether there is a checksum before it.
        let first_chunk = base.saturating_add(u64::from(u32_at(&bytes, 24) & 0x7fff_ffff));
        let room = end + 4 <= range.end;
        let checked = room && (self.sectors.is_some() || count == 0 || first_chunk >= end + 4);
        Some((count, TableCopy { place: place.clone(), entries, base, checked, header_whole }))
    }

    /// Reads `ltree`: the MD5 and length of the text, a checksum of these 48 bytes, and the text.
    fn tree(&mut self, range: Range<u64>, place: &ImageLocation) {
        let mut header = [0; 48];
        let start = range.start + 48;
        let read = self.draft.files.read_exact_at(self.file, range.start, &mut header);
        if read.is_err() || start > range.end {
            return self.draft.findings.add(ProblemKind::Malformed, place.clone());
        }
        let checksum = u32_at(&header, 24);
        header[24..28].fill(0);
        if Adler32::sum_of(&header) != checksum {
            self.draft.findings.add(ProblemKind::ContentChecksum, place.clone());
        }
        let end = start.saturating_add(u64_at(&header, 16));
        if end > range.end {
            self.draft.findings.add(ProblemKind::Malformed, place.clone());
        }
        let text = start..end.min(range.end);
        let md5 = self.draft.md5(self.file, text.clone());
        if md5.is_ok_and(|md5| md5.as_bytes() != array::<16>(&header, 0)) {
            self.draft.findings.add(ProblemKind::ContentDigest, place.clone());
        }
        self.draft.read_tree(self.file, text, place);
    }
}

fn parse(bytes: &[u8; DESCRIPTOR as usize], offset: u64) -> SectionDescriptor {
    let name = bytes[..NAME].split(|byte| *byte == 0).next().unwrap_or_default();
    let stored: String = name.iter().map(|byte| char::from(*byte)).collect();
    let whole = adler_holds(bytes, 72);
    let taken = if whole { None } else { by_checksum(bytes) };
    SectionDescriptor {
        name: taken.map_or_else(|| stored.clone(), str::to_string),
        offset,
        next: u64_at(bytes, 16),
        size: u64_at(bytes, 24),
        whole,
        stored: taken.map(|_| stored.into()),
    }
}

/// Returns the descriptor of a section, with the offset of the next one and its size.
pub(crate) fn descriptor(name: &str, next: u64, size: u64) -> [u8; DESCRIPTOR as usize] {
    let mut bytes = [0; DESCRIPTOR as usize];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    bytes[16..24].copy_from_slice(&next.to_le_bytes());
    bytes[24..32].copy_from_slice(&size.to_le_bytes());
    let sum = Adler32::sum_of(&bytes[..72]);
    bytes[72..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Finds the type of a section by its descriptor's checksum: the only known type that fits.
fn by_checksum(bytes: &[u8; DESCRIPTOR as usize]) -> Option<&'static str> {
    let mut tried = *bytes;
    let mut holding = KNOWN.iter().filter(|name| {
        tried[..NAME].fill(0);
        tried[..name.len()].copy_from_slice(name.as_bytes());
        adler_holds(&tried, 72)
    });
    let name = holding.next()?;
    holding.next().is_none().then_some(*name)
}
