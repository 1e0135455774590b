//! The digest of ssdeep, and its line in a file.

/// The length of a run of characters that two parts must share.
pub(crate) const COMMON: usize = 7;

/// A digest: a block size and a character for each piece, at that size and at twice that size.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SsdeepDigest {
    /// The expected length of a piece, in bytes.
    pub block: u64,
    /// The pieces of that size: base64 characters, at most 64 after runs are cut to three.
    pub first: Vec<u8>,
    /// The pieces of twice that size.
    pub second: Vec<u8>,
}

impl SsdeepDigest {
    /// Returns `blocksize:first:second`.
    pub fn text(&self) -> Vec<u8> {
        let mut text = format!("{}:", self.block).into_bytes();
        text.extend_from_slice(&self.first);
        text.push(b':');
        text.extend_from_slice(&self.second);
        text
    }

    /// Returns the digest with every run of one character cut to three, which is the form for comparisons.
    #[must_use]
    pub fn without_runs(&self) -> Self {
        SsdeepDigest { block: self.block, first: cut_runs(&self.first), second: cut_runs(&self.second) }
    }

    /// Returns whether both parts are too short for a run of seven characters, so that only an equal digest can match.
    pub fn is_sparse(&self) -> bool {
        let plain = self.without_runs();
        plain.first.len() < COMMON && plain.second.len() < COMMON
    }
}

/// Returns the line of a file, without its end.
pub fn line(digest: &SsdeepDigest, name: &[u8]) -> Vec<u8> {
    let mut line = digest.text();
    line.extend_from_slice(b",\"");
    for byte in name {
        if *byte == b'"' {
            line.push(b'\\');
        }
        line.push(*byte);
    }
    line.push(b'"');
    line
}

/// Cuts runs of one character to three.
pub(crate) fn cut_runs(part: &[u8]) -> Vec<u8> {
    let mut cut: Vec<u8> = Vec::with_capacity(part.len());
    for character in part {
        if !cut.ends_with(&[*character; 3]) {
            cut.push(*character);
        }
    }
    cut
}
