//! The contents of sections of EWF-E01 that hold numbers.

use super::settings::MediaEnd;
use crate::bytes::checksums::add_adler;
use crate::ewf::ewf1::ERRORS_HEADER;
use std::ops::Range;

/// Returns the content of `table` and `table2`: offsets of chunks from a base.
pub(super) fn table(base: u64, entries: &[u32]) -> Vec<u8> {
    let mut content = Vec::with_capacity(28 + 4 * entries.len());
    // A table is closed long before it has as many entries as 32 bits count.
    content.extend_from_slice(&(entries.len() as u32).to_le_bytes());
    content.extend_from_slice(&[0; 4]);
    content.extend_from_slice(&base.to_le_bytes());
    content.extend_from_slice(&[0; 4]);
    add_adler(&mut content, 0);
    let start = content.len();
    content.extend(entries.iter().flat_map(|entry| entry.to_le_bytes()));
    add_adler(&mut content, start);
    content
}

/// Returns the bytes that a table of this many entries takes.
pub(super) fn table_size(entries: usize) -> u64 {
    28 + 4 * entries as u64
}

/// Returns the content of `error2`, with the number of ranges that don't fit into 32 bits. `None` without ranges.
pub(super) fn errors(unreadable: &[Range<u64>], sector: u64) -> Option<(Vec<u8>, u64)> {
    let mut entries = Vec::new();
    let mut unlisted = 0;
    for range in unreadable {
        let (first, end) = (range.start / sector, range.end.div_ceil(sector));
        match (u32::try_from(first), u32::try_from(end - first)) {
            (Ok(first), Ok(count)) => {
                entries.extend([first, count].iter().flat_map(|part| part.to_le_bytes()))
            }
            _ => unlisted += 1,
        }
    }
    if unreadable.is_empty() {
        return None;
    }
    let mut content = vec![0; ERRORS_HEADER - 4];
    content[..4].copy_from_slice(&((entries.len() / 8) as u32).to_le_bytes());
    add_adler(&mut content, 0);
    content.extend_from_slice(&entries);
    add_adler(&mut content, ERRORS_HEADER);
    Some((content, unlisted))
}

/// Returns the content of `digest`: MD5 and SHA-1.
pub(super) fn digest(end: &MediaEnd) -> Vec<u8> {
    let mut content = [end.md5.as_bytes(), end.sha1.as_bytes(), &[0; 40]].concat();
    add_adler(&mut content, 0);
    content
}

/// Returns the content of `hash`: MD5.
pub(super) fn hash(end: &MediaEnd) -> Vec<u8> {
    let mut content = [end.md5.as_bytes(), &[0; 16]].concat();
    add_adler(&mut content, 0);
    content
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::le::u32_at;

    #[test]
    fn errors_name_whole_sectors() {
        assert_eq!(errors(&[], 512), None);
        let far = (1 << 41)..(1 << 41) + 512;
        let (content, unlisted) = errors(&[512..1024, 1536..2560, far], 512).unwrap();
        assert_eq!((u32_at(&content, 0), content.len(), unlisted), (2, 520 + 16 + 4, 1));
        let numbers: Vec<u32> = (0..4).map(|place| u32_at(&content, 520 + 4 * place)).collect();
        assert_eq!(numbers, [1, 1, 3, 2]);
    }

    #[test]
    fn the_size_of_a_table_is_known_before() {
        for entries in [0, 1, 1000] {
            assert_eq!(table(7, &vec![0; entries]).len() as u64, table_size(entries));
        }
    }
}
