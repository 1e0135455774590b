//! Segment files of EWF version 2 (Ex01, Lx01): sections with descriptors after their data, read backwards from the end
//! of the file.

use super::draft::{Draft, End, Session};
use super::logical;
use super::table::{ChunkTable, Coding, Format, TableCopy};
use crate::bytes::checksums::adler_holds;
use crate::bytes::le::{array, u32_at, u64_at};
use crate::bytes::text;
use crate::claim::{md5_section, sha1_section};
use crate::error::Problem;
use crate::finding::{ImageLocation, ProblemKind, Section, Span};
use crate::inflate::Inflater;
use std::ops::Range;
use std::sync::OnceLock;

/// Bytes of the file header, and of a section descriptor.
pub(crate) const HEADER: u64 = 32;
const DESCRIPTOR: u64 = 64;

/// The maximum size of inflated texts; more is a decompression bomb.
const MOST_TEXT: usize = 16 << 20;

/// The distance from the end of a damaged file in which its last descriptor is searched.
const SEARCH: u64 = 64 << 20;

const NAMES: &[(u32, &str)] = &[
    (1, "device_information"),
    (2, "case_data"),
    (3, "sector_data"),
    (4, "sector_table"),
    (5, "error_table"),
    (6, "session_table"),
    (7, "increment_data"),
    (8, "md5"),
    (9, "sha1"),
    (0xa, "restart_data"),
    (0xb, "encryption_keys"),
    (0xc, "memory_extents"),
    (0xd, "next"),
    (0xe, "final_information"),
    (0xf, "done"),
    (0x10, "analytical_data"),
    (0x20, "single_files_data"),
    (0x21, "single_files_table"),
    (0x22, "single_files_md5"),
    (0x23, "single_files_sha1"),
];

const HAS_MD5: u32 = 1;
const ENCRYPTED: u32 = 2;

struct SectionDescriptor {
    kind: u32,
    flags: u32,
    offset: u64,
    previous: u64,
    size: u64,
    padding: u64,
    md5: [u8; 16],
    whole: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    pub(crate) file: usize,
    pub(crate) size: u64,
    /// The coding of compressed chunks and texts.
    pub(crate) coding: Coding,
}

pub(crate) fn read(draft: &mut Draft, segment: Segment) -> Result<End, Problem> {
    let mut walk = SectionWalk { draft, segment, inflater: Inflater::new() };
    let (descriptors, whole) = walk.descriptors()?;
    let encrypted = |section: &SectionDescriptor| section.kind == 0xb || section.flags & ENCRYPTED != 0;
    if descriptors.iter().any(encrypted) {
        return Err(Problem::Encrypted("EnCase"));
    }
    let end = descriptors.first().map(|last| last.kind);
    for descriptor in descriptors.iter().rev() {
        walk.section(descriptor);
    }
    Ok(match end {
        Some(0xd) if whole => End::Next,
        Some(0xf) if whole => End::Done,
        _ => End::Broken,
    })
}

struct SectionWalk<'a> {
    draft: &'a mut Draft,
    segment: Segment,
    inflater: Inflater,
}

impl SectionWalk<'_> {
    /// Returns all descriptors, the last first, and whether the chain reaches the start.
    fn descriptors(&mut self) -> Result<(Vec<SectionDescriptor>, bool), Problem> {
        let mut found = Vec::new();
        let Some(mut offset) = self.last() else { return Ok((found, false)) };
        loop {
            let Some(descriptor) = self.descriptor(offset) else { return Ok((found, false)) };
            self.draft.count_section()?;
            let place = self.place(&descriptor);
            if !descriptor.whole {
                self.draft.findings.add(ProblemKind::DescriptorChecksum, place.clone());
            }
            let previous = descriptor.previous;
            let fits = descriptor.size <= offset - HEADER;
            let linked = previous == 0 || (previous >= HEADER && previous < offset);
            if !fits || name(descriptor.kind).is_none() && !descriptor.whole {
                self.draft.findings.add(ProblemKind::Malformed, place);
                return Ok((found, false));
            }
            found.push(descriptor);
            if !linked {
                self.draft.findings.add(ProblemKind::BadLink { target: previous }, place);
                return Ok((found, false));
            }
            if previous == 0 {
                return Ok((found, true));
            }
            offset = previous;
        }
    }

    fn place(&self, descriptor: &SectionDescriptor) -> ImageLocation {
        let name =
            name(descriptor.kind).map_or_else(|| format!("section {}", descriptor.kind), str::to_string);
        self.draft.place(self.segment.file, Section { name: name.into(), offset: descriptor.offset })
    }

    fn descriptor(&mut self, offset: u64) -> Option<SectionDescriptor> {
        let mut bytes = [0; DESCRIPTOR as usize];
        match self.draft.files.read_exact_at(self.segment.file, offset, &mut bytes) {
            Ok(()) => Some(parse(&bytes, offset)),
            Err(error) => {
                let place = ImageLocation::file(self.draft.files.path(self.segment.file));
                self.draft.findings.add(super::table::unreadable(&error), place);
                None
            }
        }
    }

    /// Finds the last descriptor: at the end, unless the file was truncated or has grown.
    fn last(&mut self) -> Option<u64> {
        let size = self.segment.size;
        let at_end = size.checked_sub(DESCRIPTOR).filter(|at| *at >= HEADER);
        if let Some(at) = at_end {
            let descriptor = self.descriptor(at)?;
            if descriptor.whole || matches!(descriptor.kind, 0xd | 0xf) && descriptor.previous < at {
                return Some(at);
            }
        }
        let found = self.search();
        let place = ImageLocation::file(self.draft.files.path(self.segment.file));
        let after = found.map_or(HEADER, |at| at + DESCRIPTOR);
        let terminal =
            found.and_then(|at| self.descriptor(at)).is_some_and(|last| matches!(last.kind, 0xd | 0xf));
        let kind = match terminal {
            true => ProblemKind::TrailingBytes { bytes: size - after },
            false => ProblemKind::Truncated { end: size.saturating_add(DESCRIPTOR), size },
        };
        self.draft.findings.add(kind, place);
        found
    }

    /// Searches backwards from the end for a descriptor with the right checksum.
    fn search(&mut self) -> Option<u64> {
        const BLOCK: u64 = 1 << 20;
        let lowest = self.segment.size.saturating_sub(SEARCH).max(HEADER);
        let mut end = self.segment.size;
        while end >= lowest + DESCRIPTOR {
            let start = end.saturating_sub(BLOCK).max(lowest);
            let mut block = vec![0; (end - start) as usize];
            self.draft.files.read_exact_at(self.segment.file, start, &mut block).ok()?;
            let at = block.windows(DESCRIPTOR as usize).rposition(is_descriptor);
            if let Some(at) = at {
                return Some(start + at as u64);
            }
            // A descriptor may cross the border.
            end = if start > lowest { start + DESCRIPTOR - 1 } else { 0 };
        }
        None
    }

    fn section(&mut self, descriptor: &SectionDescriptor) {
        let place = self.place(descriptor);
        let range = descriptor.offset - descriptor.size..descriptor.offset;
        // Chunk data have their own checksums.
        if descriptor.flags & HAS_MD5 != 0 && descriptor.kind != 3 {
            self.check_md5(descriptor, &range, &place);
        }
        match descriptor.kind {
            1 => self.text("device_information", descriptor, &place),
            2 => self.text("case_data", descriptor, &place),
            4 => self.table(&range, &place),
            0x20 => self.tree(&range, &place),
            5 | 6 | 8 | 9 => self.facts(descriptor.kind, &range, &place),
            kind if name(kind).is_none() => self.draft.findings.add(ProblemKind::UnknownSection, place),
            _ => {}
        }
    }

    /// Checks a section's MD5. No documentation says whether it covers the padding, so both are accepted.
    fn check_md5(&mut self, descriptor: &SectionDescriptor, range: &Range<u64>, place: &ImageLocation) {
        let bare = range.start..range.end - descriptor.padding.min(descriptor.size);
        let holds = |range: Range<u64>| {
            let md5 = self.draft.md5(self.segment.file, range);
            md5.is_ok_and(|md5| md5.as_bytes() == descriptor.md5)
        };
        if !holds(range.clone()) && !holds(bare) {
            self.draft.findings.add(ProblemKind::ContentDigest, place.clone());
        }
    }

    fn text(&mut self, name: &'static str, descriptor: &SectionDescriptor, place: &ImageLocation) {
        let range = descriptor.offset - descriptor.size..descriptor.offset;
        let Some(content) = self.draft.content(self.segment.file, &range, place) else { return };
        // Not every writer uses the method of the file header here.
        let bytes = match &content[..] {
            [b'B', b'Z', b'h', ..] => self.inflater.bzip2_text(&content, MOST_TEXT),
            [0xff | 0xfe, ..] => {
                Ok(content[..content.len() - (descriptor.padding as usize).min(content.len())].to_vec())
            }
            _ => self.inflater.zlib_text(&content, MOST_TEXT),
        };
        match bytes {
            Ok(bytes) => self.draft.add_text(name, text::decode(&bytes), place),
            Err(_) => self.draft.findings.add(ProblemKind::Malformed, place.clone()),
        }
    }

    fn table(&mut self, range: &Range<u64>, place: &ImageLocation) {
        let mut header = [0; 32];
        let length = range.end - range.start;
        if length < 36 || self.draft.files.read_exact_at(self.segment.file, range.start, &mut header).is_err()
        {
            return self.draft.findings.add(ProblemKind::Malformed, place.clone());
        }
        let header_whole = adler_holds(&header, 16);
        if !header_whole {
            self.draft.findings.add(ProblemKind::TableHeader, place.clone());
        }
        let (first, count) = (u64_at(&header, 0), u64::from(u32_at(&header, 8)));
        if 32 + count * 16 + 4 > length || first >= 1 << 48 {
            return self.draft.findings.add(ProblemKind::Malformed, place.clone());
        }
        let entries = range.start + 32;
        let copy = TableCopy { place: place.clone(), entries, base: 0, checked: true, header_whole };
        self.draft.tables.push(ChunkTable {
            file: self.segment.file,
            first,
            count,
            copies: vec![copy],
            data_end: range.start,
            format: Format::Ewf2(self.segment.coding),
            health: OnceLock::new(),
        });
    }

    fn facts(&mut self, kind: u32, range: &Range<u64>, place: &ImageLocation) {
        let Some(content) = self.draft.content(self.segment.file, range, place) else { return };
        match kind {
            5 => {
                let entries = self.list(&content, 16, place);
                let span = |entry: &[u8]| Span { first: u64_at(entry, 0), count: u32_at(entry, 8).into() };
                self.draft.add_errors(entries.chunks_exact(16).map(span));
            }
            6 => {
                let entries = self.list(&content, 32, place);
                let session = |entry: &[u8]| Session {
                    first_sector: u64_at(entry, 0),
                    audio: u32_at(entry, 8) & 1 != 0,
                };
                self.draft.sessions.extend(entries.chunks_exact(32).map(session));
            }
            8 => self.draft.add_claims(md5_section(&content), place),
            _ => self.draft.add_claims(sha1_section(&content), place),
        }
    }

    /// Returns the entries of a list: 32 bytes with their count and checksum, entries, and their checksum.
    fn list<'a>(&mut self, content: &'a [u8], width: usize, place: &ImageLocation) -> &'a [u8] {
        let count = if content.len() < 32 { usize::MAX } else { u32_at(content, 0) as usize };
        let bytes = count.saturating_mul(width);
        if content.len() < bytes.saturating_add(36) {
            self.draft.findings.add(ProblemKind::Malformed, place.clone());
            return &[];
        }
        if !adler_holds(content, 16) || !adler_holds(&content[32..], bytes) {
            self.draft.findings.add(ProblemKind::ContentChecksum, place.clone());
        }
        &content[32..32 + bytes]
    }

    /// Reads the tree of single files, in plain text or compressed like other texts.
    fn tree(&mut self, range: &Range<u64>, place: &ImageLocation) {
        let mut start = [0; 2];
        let plain = self.draft.files.read_exact_at(self.segment.file, range.start, &mut start).is_ok()
            && (start == [0xff, 0xfe] || start[1] == 0);
        if plain {
            return self.draft.read_tree(self.segment.file, range.clone(), place);
        }
        let Some(content) = self.draft.content(self.segment.file, range, place) else { return };
        // UTF-16 text compresses to a tenth. Growing far more means a decompression bomb.
        const MOST_TREE: usize = 64 << 20;
        let most = MOST_TREE.min((1 << 20) + 64 * content.len());
        match self.inflater.zlib_text(&content, most) {
            Ok(text) => self.draft.keep_tree(logical::read(&text[..]), place),
            Err(_) => self.draft.findings.add(ProblemKind::Malformed, place.clone()),
        }
    }
}

fn name(kind: u32) -> Option<&'static str> {
    NAMES.iter().find(|(number, _)| *number == kind).map(|(_, name)| *name)
}

fn is_descriptor(bytes: &[u8]) -> bool {
    u32_at(bytes, 24) == DESCRIPTOR as u32 && bytes[48..60] == [0; 12] && adler_holds(bytes, 60)
}

fn parse(bytes: &[u8], offset: u64) -> SectionDescriptor {
    SectionDescriptor {
        kind: u32_at(bytes, 0),
        flags: u32_at(bytes, 4),
        offset,
        previous: u64_at(bytes, 8),
        size: u64_at(bytes, 16),
        padding: u32_at(bytes, 28).into(),
        md5: array(bytes, 32),
        whole: adler_holds(bytes, 60),
    }
}
