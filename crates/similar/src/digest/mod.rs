//! A likeness digest of any algorithm.

pub mod mrsh;
pub mod sdhash;
pub mod ssdeep;
pub mod tlsh;

/// The digest of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LikenessDigest {
    /// By ssdeep.
    Ssdeep(ssdeep::SsdeepDigest),
    /// By TLSH.
    Tlsh(tlsh::TlshDigest),
    /// By sdhash: a single one, or in block mode one for each segment of a long stream.
    Sdhash(Vec<sdhash::SdhashDigest>),
    /// By mrsh-v2.
    Mrsh(mrsh::MrshDigest),
}

/// A digest and the name of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name; empty if unknown.
    pub name: Vec<u8>,
    /// The digest.
    pub digest: LikenessDigest,
}

impl Named {
    /// Splits the digest into segments with names of their own: sdhash splits long streams and compares each segment
    /// separately. Other digests have one segment.
    pub fn segments(self) -> Vec<Named> {
        let LikenessDigest::Sdhash(segments) = self.digest else { return vec![self] };
        let named = |digest: sdhash::SdhashDigest| {
            let name = sdhash::segment_name(&digest, &self.name);
            let whole = sdhash::SdhashDigest { offset: None, ..digest };
            Named { name, digest: LikenessDigest::Sdhash(vec![whole]) }
        };
        segments.into_iter().map(named).collect()
    }

    /// Returns the lines of the reference program, with line ends.
    pub fn lines(&self) -> Vec<u8> {
        let mut lines = match &self.digest {
            LikenessDigest::Ssdeep(digest) => ssdeep::line(digest, &self.name),
            LikenessDigest::Tlsh(digest) => tlsh::line(digest, &self.name),
            LikenessDigest::Sdhash(segments) => return sdhash::lines(segments, &self.name),
            LikenessDigest::Mrsh(digest) => mrsh::line(digest, &self.name),
        };
        lines.push(b'\n');
        lines
    }
}

impl LikenessDigest {
    /// Returns the usual text without a final line end, with the name for sdhash (in a line per segment) and mrsh-v2.
    pub fn text(&self, name: &[u8]) -> Vec<u8> {
        match self {
            LikenessDigest::Ssdeep(digest) => digest.text(),
            LikenessDigest::Tlsh(digest) => digest.text(),
            LikenessDigest::Mrsh(digest) => mrsh::line(digest, name),
            LikenessDigest::Sdhash(segments) => {
                let mut lines = sdhash::lines(segments, name);
                lines.pop();
                lines
            }
        }
    }

    /// Returns whether the digest has so little information that unrelated files may look alike.
    pub fn is_sparse(&self) -> bool {
        match self {
            LikenessDigest::Ssdeep(digest) => digest.is_sparse(),
            LikenessDigest::Tlsh(_) => false,
            LikenessDigest::Sdhash(segments) => segments.iter().all(sdhash::SdhashDigest::is_sparse),
            LikenessDigest::Mrsh(digest) => digest.is_sparse(),
        }
    }
}
