//! Likeness digests in records, and their text form.

use crate::format::Why;
use crate::format::malformed::Bad;
use hashloom_similar::{Digest, Refusal, Similar};

/// What a likeness algorithm gave for a file or piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Likeness {
    /// Which algorithm.
    pub algorithm: &'static Similar,
    /// Its digest, or why there is none: a property of the bytes, not a failure.
    pub digest: Result<Digest, Lack>,
}

/// Why there is no likeness digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// Fewer bytes than the algorithm needs.
    TooSmall,
    /// The stream is longer than the algorithm supports.
    TooLarge,
    /// The bytes vary too little.
    TooPlain,
}

/// The word for a digest that holds too little to mean much.
const SPARSE: &str = "sparse";

impl Lack {
    const ALL: [Lack; 3] = [Lack::TooSmall, Lack::TooLarge, Lack::TooPlain];

    /// The word in manifests.
    pub fn word(self) -> &'static str {
        match self {
            Lack::TooSmall => "too-small",
            Lack::TooLarge => "too-large",
            Lack::TooPlain => "too-little-variation",
        }
    }

    /// What this word stands for.
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
    /// The algorithm's usual text of the digest. Where a name belongs to it, that is the path, as far as
    /// text can hold it: the path itself stands beside it.
    pub fn text(&self, path: &[u8]) -> Option<String> {
        let digest = self.digest.as_ref().ok()?;
        let name = String::from_utf8_lossy(path).replace(['\n', '\r'], "\u{fffd}");
        Some(String::from_utf8_lossy(&digest.text(name.as_bytes())).into_owned())
    }

    /// The word for what is noteworthy about the digest: why there is none, or that it is sparse.
    pub fn status(&self) -> Option<&'static str> {
        match &self.digest {
            Ok(digest) => digest.is_sparse().then_some(SPARSE),
            Err(lack) => Some(lack.word()),
        }
    }
}

/// Likeness digests whose fields are being read.
#[derive(Default)]
pub(crate) struct PartialLikenesses(Vec<PartialLikeness>);

struct PartialLikeness {
    algorithm: &'static Similar,
    digest: Option<Digest>,
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

    /// Takes the text of a digest.
    pub(crate) fn digest(&mut self, algorithm: &'static Similar, text: &[u8]) -> Result<(), Bad> {
        let digest = algorithm.read(text).map_err(|bad| Bad::new(algorithm.name, Why::Likeness(bad)))?;
        match self.at(algorithm).digest.replace(digest) {
            None => Ok(()),
            Some(_) => Err(Bad::new(algorithm.name, Why::Twice)),
        }
    }

    /// Takes the word beside it.
    pub(crate) fn status(&mut self, algorithm: &'static Similar, word: &[u8]) -> Result<(), Bad> {
        let lack = || Lack::from_word(word).map(Word::Lack).ok_or(Bad::new(algorithm.name, Why::Status));
        let word = if word == SPARSE.as_bytes() { Word::Sparse } else { lack()? };
        match self.at(algorithm).status.replace(word) {
            None => Ok(()),
            Some(_) => Err(Bad::new(algorithm.name, Why::Twice)),
        }
    }

    /// All that came in, if it fits together.
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
