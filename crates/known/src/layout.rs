//! The header of an index file: the positions of its sections, and their checksums. `docs/known-format.md` has the
//! whole format; this is its first two pages.

use crate::error::Why;
use hashmill_digest::{Algorithm, MessageHasher, find};
use std::ops::Range;

/// The version that this build writes and reads.
pub const VERSION: u32 = 2;

/// Like PNG's: a byte that is not ASCII and both line ends, so that a text-mode transfer breaks it visibly.
const MAGIC: [u8; 8] = *b"\x89HMK\r\n\x1a\n";

/// The size of the header in bytes: the first two pages of the file.
pub(crate) const HEADER: usize = 8192;

/// The size of a checksum in bytes: XXH128.
pub(crate) const SUM: usize = 16;

const FIRST_ROW: usize = 32;
const ROW: usize = 64;

/// The most sections that the header has room for.
pub(crate) const MOST_SECTIONS: usize = (HEADER - SUM - FIRST_ROW) / ROW;

/// The content of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectionKind {
    /// JSON for people and programs: counts, sources, dates.
    About = 1,
    /// The details of digests.
    Dictionary = 2,
    /// The digests of one length, sorted, each with the number of its detail.
    Entries = 3,
    /// The position in the entries where each pattern of leading bits starts.
    Fences = 4,
    /// The sizes of the files with these digests.
    Sizes = 5,
    /// Checksums of the blocks of entries and of sizes.
    Checks = 6,
}

/// A row of the header: one section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    pub kind: SectionKind,
    /// The length of a digest in bytes; 0 if the section belongs to no table.
    pub digest: u32,
    pub offset: u64,
    pub length: u64,
    pub count: u64,
    /// Entries: omitted leading bytes. Fences: distinguished leading bits. Sizes: bytes of a size.
    pub first: u32,
    /// Entries: bytes of a detail's number.
    pub second: u32,
    pub sum: [u8; SUM],
}

impl Section {
    pub fn range(&self) -> Range<usize> {
        self.offset as usize..(self.offset + self.length) as usize
    }
}

/// Encodes the header. There are at most [`MOST_SECTIONS`].
pub(crate) fn encode(sections: &[Section], file_length: u64) -> [u8; HEADER] {
    let mut page = [0; HEADER];
    page[..8].copy_from_slice(&MAGIC);
    page[8..12].copy_from_slice(&VERSION.to_le_bytes());
    page[12..16].copy_from_slice(&(sections.len() as u32).to_le_bytes());
    page[16..24].copy_from_slice(&file_length.to_le_bytes());
    for (row, section) in page[FIRST_ROW..HEADER - SUM].chunks_exact_mut(ROW).zip(sections) {
        encode_row(section, row);
    }
    let sum = checksum(&page[..HEADER - SUM]);
    page[HEADER - SUM..].copy_from_slice(&sum);
    page
}

fn encode_row(section: &Section, row: &mut [u8]) {
    row[..4].copy_from_slice(&(section.kind as u32).to_le_bytes());
    row[4..8].copy_from_slice(&section.digest.to_le_bytes());
    row[8..16].copy_from_slice(&section.offset.to_le_bytes());
    row[16..24].copy_from_slice(&section.length.to_le_bytes());
    row[24..32].copy_from_slice(&section.count.to_le_bytes());
    row[32..36].copy_from_slice(&section.first.to_le_bytes());
    row[36..40].copy_from_slice(&section.second.to_le_bytes());
    row[40..56].copy_from_slice(&section.sum);
}

pub(crate) fn decode(file: &[u8]) -> Result<Vec<Section>, Why> {
    if !file.starts_with(&MAGIC) {
        return Err(Why::NotAnIndex);
    }
    // Another version has its checksum elsewhere, so the version is checked first.
    if let Some(version) = other_version(file) {
        return Err(Why::Version(version));
    }
    let page = file.get(..HEADER).ok_or(Why::Damaged("the header is cut short"))?;
    let (body, sum) = page.split_at(HEADER - SUM);
    if checksum(body) != sum || word(page, 8) != VERSION {
        return Err(Why::Damaged("the header's checksum"));
    }
    if long(page, 16) != file.len() as u64 {
        return Err(Why::Damaged("the file is not as long as its header says"));
    }
    let rows = body[FIRST_ROW..].chunks_exact(ROW);
    rows.take(word(page, 12) as usize).map(|row| decode_row(row, file.len() as u64)).collect()
}

/// Returns the version of a likely index of another version than [`VERSION`].
fn other_version(file: &[u8]) -> Option<u32> {
    let version = word(file.get(..12)?, 8);
    (version != VERSION && (1..1000).contains(&version)).then_some(version)
}

fn decode_row(row: &[u8], file_length: u64) -> Result<Section, Why> {
    let kinds = [
        SectionKind::About,
        SectionKind::Dictionary,
        SectionKind::Entries,
        SectionKind::Fences,
        SectionKind::Sizes,
        SectionKind::Checks,
    ];
    let number = word(row, 0);
    let kind = kinds.into_iter().find(|kind| *kind as u32 == number);
    let (offset, length) = (long(row, 8), long(row, 16));
    let inside = offset.checked_add(length).is_some_and(|end| end <= file_length);
    let mut sum = [0; SUM];
    sum.copy_from_slice(&row[40..56]);
    Ok(Section {
        kind: kind.ok_or(Why::Damaged("an unknown section"))?,
        digest: word(row, 4),
        offset,
        length: inside.then_some(length).ok_or(Why::Damaged("a section outside the file"))?,
        count: long(row, 24),
        first: word(row, 32),
        second: word(row, 36),
        sum,
    })
}

/// Returns the next possible start of a section: sections start on cache lines.
pub(crate) fn aligned(place: u64) -> u64 {
    place.next_multiple_of(64)
}

/// Returns whether the sections follow each other with only zeros between them.
pub(crate) fn is_padded_with_zeros(file: &[u8], sections: &[Section]) -> bool {
    let mut end = HEADER as u64;
    let follows = |section: &Section| {
        let follows = section.offset == aligned(end);
        let gap = file.get(end as usize..section.offset as usize).unwrap_or_default();
        end = section.offset + section.length;
        follows && gap.iter().all(|byte| *byte == 0)
    };
    let all = sections.iter().all(follows);
    all && end == file.len() as u64
}

/// Reads the four bytes at this position, which must exist, as a number.
pub(crate) fn word(bytes: &[u8], at: usize) -> u32 {
    let mut value = [0; 4];
    value.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(value)
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}

pub(crate) fn checksum(bytes: &[u8]) -> [u8; SUM] {
    let mut sum = Checksum::new();
    sum.update(bytes);
    sum.finish()
}

/// The checksum of bytes that arrive in parts.
pub(crate) struct Checksum(MessageHasher);

impl Checksum {
    pub fn new() -> Self {
        Checksum(MessageHasher::new(xxh128()))
    }

    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub fn finish(self) -> [u8; SUM] {
        let mut sum = [0; SUM];
        sum.copy_from_slice(self.0.finish().as_bytes());
        sum
    }
}

fn xxh128() -> &'static Algorithm {
    find("xxh128").expect("the registry has xxh128: a test of this module holds it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section() -> Section {
        let sum = checksum(b"abc");
        Section {
            kind: SectionKind::Sizes,
            digest: 20,
            offset: HEADER as u64,
            length: 3,
            count: 1,
            first: 3,
            second: 0,
            sum,
        }
    }

    #[test]
    fn a_header_reads_back() {
        let mut file = encode(&[section(), section()], HEADER as u64 + 3).to_vec();
        file.extend(b"abc");
        assert_eq!(decode(&file).unwrap(), [section(), section()]);
    }

    #[test]
    fn a_version_from_the_future_is_named() {
        let mut file = encode(&[], HEADER as u64).to_vec();
        file[8] = 3;
        assert!(matches!(decode(&file), Err(Why::Version(3))));
    }

    #[test]
    fn an_older_version_is_named_though_its_header_is_shorter() {
        let mut file = encode(&[], 4096)[..4096].to_vec();
        file[8] = 1;
        assert!(matches!(decode(&file), Err(Why::Version(1))));
        assert!(Why::Version(1).to_string().contains("build it again"), "{}", Why::Version(1));
    }

    #[test]
    fn checksums_in_parts_are_those_at_once() {
        let mut sum = Checksum::new();
        sum.update(b"a");
        sum.update(b"bc");
        assert_eq!(sum.finish(), checksum(b"abc"));
        assert_eq!(checksum(b"").len(), SUM);
    }
}
