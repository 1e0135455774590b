//! The digest of sdhash, and its lines in a file.

use crate::bloom::Filter;
use base64::prelude::{BASE64_STANDARD, Engine as _};

/// The maximum number of elements in a filter of a whole stream.
pub(crate) const FULL: u8 = 160;
/// The maximum number of elements in a filter of a block.
pub(crate) const BLOCK_FULL: u8 = 192;

/// The division of the stream into filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// The stream as a whole: `sdbf`.
    Whole,
    /// One filter for each block of this many bytes: `sdbf-dd`.
    Blocks(u32),
}

/// A digest of sdhash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SdhashDigest {
    /// The division of the stream into filters.
    pub layout: Layout,
    /// The length of the stream or segment, in bytes.
    pub size: u64,
    /// The offset of the segment in MiB, if the stream was cut into segments.
    pub offset: Option<u64>,
    /// The filters, at least one.
    pub filters: Vec<Filter>,
    /// The number of elements in each filter.
    pub counts: Vec<u8>,
}

/// The number of elements below which two unrelated digests may score high.
const SPARSE: u64 = 64;

impl SdhashDigest {
    /// Returns whether its filters and numbers are valid.
    pub(crate) fn is_whole(&self) -> bool {
        let most = if self.layout == Layout::Whole { FULL } else { BLOCK_FULL };
        !self.filters.is_empty()
            && self.filters.len() == self.counts.len()
            && self.counts.iter().all(|count| *count <= most)
    }

    /// Returns whether it has so few elements that unrelated files may score high.
    pub fn is_sparse(&self) -> bool {
        self.counts.iter().map(|count| u64::from(*count)).sum::<u64>() < SPARSE
    }
}

/// Returns the lines of a stream's digests with line ends. The offset of a segment in MiB is appended to the name.
pub fn lines(segments: &[SdhashDigest], name: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    for digest in segments {
        lines.extend_from_slice(&line(digest, &segment_name(digest, name)));
        lines.push(b'\n');
    }
    lines
}

pub(crate) fn segment_name(digest: &SdhashDigest, name: &[u8]) -> Vec<u8> {
    let offset = digest.offset.map_or_else(String::new, |offset| format!(".{offset:04}M"));
    [name, offset.as_bytes()].concat()
}

fn line(digest: &SdhashDigest, name: &[u8]) -> Vec<u8> {
    let magic = if digest.layout == Layout::Whole { "sdbf" } else { "sdbf-dd" };
    let mut line = format!("{magic}:03:{}:", name.len()).into_bytes();
    line.extend_from_slice(name);
    line.extend_from_slice(format!(":{}:sha1:256:5:7ff:", digest.size).as_bytes());
    let filters = digest.filters.len();
    match digest.layout {
        Layout::Whole => {
            let last = digest.counts.last().copied().unwrap_or(0);
            line.extend_from_slice(format!("{FULL}:{filters}:{last}:").as_bytes());
            let bytes: Vec<u8> = digest.filters.iter().flat_map(Filter::to_bytes).collect();
            line.extend_from_slice(BASE64_STANDARD.encode(&bytes).as_bytes());
        }
        Layout::Blocks(block) => {
            line.extend_from_slice(format!("{BLOCK_FULL}:{filters}:{block}").as_bytes());
            for (filter, count) in digest.filters.iter().zip(&digest.counts) {
                line.extend_from_slice(format!(":{count:02x}:").as_bytes());
                line.extend_from_slice(BASE64_STANDARD.encode(filter.to_bytes()).as_bytes());
            }
        }
    }
    line
}
