//! Likeness digests of records, and their text form.

use hashmill_similar::{LikenessDigest, Refusal, Similar};

/// The result of a likeness algorithm for a file or piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Likeness {
    /// The algorithm.
    pub algorithm: &'static Similar,
    /// The digest, or why the content has none (which is not a failure).
    pub digest: Result<LikenessDigest, Lack>,
}

/// The reason why there is no likeness digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// Fewer bytes than the algorithm needs.
    TooSmall,
    /// The stream is longer than the algorithm supports.
    TooLarge,
    /// The bytes vary too little.
    TooPlain,
}

/// The word for a digest with too little information to be reliable.
pub(crate) const SPARSE: &str = "sparse";

impl Lack {
    const ALL: [Lack; 3] = [Lack::TooSmall, Lack::TooLarge, Lack::TooPlain];

    /// Returns the word used in manifests.
    pub fn word(self) -> &'static str {
        match self {
            Lack::TooSmall => "too-small",
            Lack::TooLarge => "too-large",
            Lack::TooPlain => "too-little-variation",
        }
    }

    /// Parses the word used in manifests.
    pub fn from_word(word: &[u8]) -> Option<Self> {
        Lack::ALL.into_iter().find(|lack| lack.word().as_bytes() == word)
    }
}

impl From<Refusal> for Lack {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooSmall { .. } => Lack::TooSmall,
            Refusal::TooLarge { .. } => Lack::TooLarge,
            Refusal::TooPlain => Lack::TooPlain,
        }
    }
}

impl Likeness {
    /// Returns the algorithm's usual text of the digest. A name in it is the path, converted to UTF-8 with losses.
    pub fn text(&self, path: &[u8]) -> Option<String> {
        let digest = self.digest.as_ref().ok()?;
        let name = String::from_utf8_lossy(path).replace(['\n', '\r'], "\u{fffd}");
        Some(String::from_utf8_lossy(&digest.text(name.as_bytes())).into_owned())
    }

    /// Returns the word for a remark on the digest: why there is none, or that it is sparse.
    pub fn status(&self) -> Option<&'static str> {
        match &self.digest {
            Ok(digest) => digest.is_sparse().then_some(SPARSE),
            Err(lack) => Some(lack.word()),
        }
    }
}
