//! Likeness digests of records, and their text form.

use crate::format::Why;
use crate::format::malformed::Bad;
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
const SPARSE: &str = "sparse";

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

/// Likeness digests that are being parsed.
#[derive(Default)]
pub(crate) struct PartialLikenesses(Vec<PartialLikeness>);

struct PartialLikeness {
    algorithm: &'static Similar,
    digest: Option<LikenessDigest>,
    status: Option<Word>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Lack(Lack),
    Sparse,
}

impl PartialLikenesses {
    fn at(&mut self, algorithm: &'static Similar) -> &mut PartialLikeness {
        let known = self.0.iter().position(|coming| coming.algorithm == algorithm);
        let at = known.unwrap_or_else(|| {
            self.0.push(PartialLikeness { algorithm, digest: None, status: None });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// Adds the text of a digest.
    pub(crate) fn digest(&mut self, algorithm: &'static Similar, text: &[u8]) -> Result<(), Bad> {
        let digest = algorithm.read(text).map_err(|bad| Bad::new(algorithm.name, Why::Likeness(bad)))?;
        match self.at(algorithm).digest.replace(digest) {
            None => Ok(()),
            Some(_) => Err(Bad::new(algorithm.name, Why::Twice)),
        }
    }

    /// Adds the status word of a digest.
    pub(crate) fn status(&mut self, algorithm: &'static Similar, word: &[u8]) -> Result<(), Bad> {
        let lack = || Lack::from_word(word).map(Word::Lack).ok_or(Bad::new(algorithm.name, Why::Status));
        let word = if word == SPARSE.as_bytes() { Word::Sparse } else { lack()? };
        match self.at(algorithm).status.replace(word) {
            None => Ok(()),
            Some(_) => Err(Bad::new(algorithm.name, Why::Twice)),
        }
    }

    /// Returns all likeness digests, or an error if text and status contradict each other.
    pub(crate) fn finish(self) -> Result<Vec<Likeness>, Bad> {
        self.0.into_iter().map(PartialLikeness::finish).collect()
    }
}

impl PartialLikeness {
    fn finish(self) -> Result<Likeness, Bad> {
        let algorithm = self.algorithm;
        let digest = match (self.digest, self.status) {
            (Some(digest), None | Some(Word::Sparse)) => Ok(digest),
            (None, Some(Word::Lack(lack))) => Err(lack),
            (Some(_), Some(Word::Lack(_))) => return Err(Bad::new(algorithm.name, Why::Contradicts)),
            (None, None | Some(Word::Sparse)) => return Err(Bad::new(algorithm.name, Why::Missing)),
        };
        Ok(Likeness { algorithm, digest })
    }
}
