//! Likeness digests of a record that is being read: their texts and status words come one by one.

use crate::format::Why;
use crate::format::malformed::Bad;
use crate::likeness::{Lack, Likeness, SPARSE};
use hashmill_similar::{LikenessDigest, Similar};

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
