//! A likeness digest of any algorithm.

use crate::{mrsh, sdhash, ssdeep, tlsh};

/// The digest of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Digest {
    /// By ssdeep.
    Ssdeep(ssdeep::Digest),
    /// By TLSH.
    Tlsh(tlsh::Digest),
    /// By sdhash: a single one, or in block mode one for each segment of a long stream.
    Sdhash(Vec<sdhash::Digest>),
    /// By mrsh-v2.
    Mrsh(mrsh::Digest),
}

/// A digest and the name of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name; empty if unknown.
    pub name: Vec<u8>,
    /// The digest.
    pub digest: Digest,
}

impl Named {
    /// Splits the digest into segments with names of their own: sdhash splits long streams and compares each segment
    /// separately. Other digests have one segment.
    pub fn segments(self) -> Vec<Named> {
        let Digest::Sdhash(segments) = self.digest else { return vec![self] };
        let named = |digest: sdhash::Digest| {
            let name = sdhash::segment_name(&digest, &self.name);
            let whole = sdhash::Digest { offset: None, ..digest };
            Named { name, digest: Digest::Sdhash(vec![whole]) }
        };
        segments.into_iter().map(named).collect()
    }

    /// Returns the lines of the reference program, with line ends.
    pub fn lines(&self) -> Vec<u8> {
        let mut lines = match &self.digest {
            Digest::Ssdeep(digest) => ssdeep::line(digest, &self.name),
            Digest::Tlsh(digest) => tlsh::line(digest, &self.name),
            Digest::Sdhash(segments) => return sdhash::lines(segments, &self.name),
            Digest::Mrsh(digest) => mrsh::line(digest, &self.name),
        };
        lines.push(b'\n');
        lines
    }
}

impl Digest {
    /// Returns the usual text without a final line end, with the name for sdhash (in a line per segment) and mrsh-v2.
    pub fn text(&self, name: &[u8]) -> Vec<u8> {
        match self {
            Digest::Ssdeep(digest) => digest.text(),
            Digest::Tlsh(digest) => digest.text(),
            Digest::Mrsh(digest) => mrsh::line(digest, name),
            Digest::Sdhash(segments) => {
                let mut lines = sdhash::lines(segments, name);
                lines.pop();
                lines
            }
        }
    }

    /// Returns whether the digest has so little information that unrelated files may look alike.
    pub fn is_sparse(&self) -> bool {
        match self {
            Digest::Ssdeep(digest) => digest.is_sparse(),
            Digest::Tlsh(_) => false,
            Digest::Sdhash(segments) => segments.iter().all(sdhash::Digest::is_sparse),
            Digest::Mrsh(digest) => digest.is_sparse(),
        }
    }
}
