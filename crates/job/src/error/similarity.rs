//! Errors of reading and comparing similarity digests.

use hashmill_similar::{Foreign, Malformed, index};
use hashmill_terminal::Shown;
use std::fmt;

/// An error of reading or comparing similarity digests.
#[derive(Debug)]
#[non_exhaustive]
pub enum SimilarityError {
    /// A path to compare is a directory.
    Directory(Box<[u8]>),
    /// A file is so long that sdhash cuts it into segments, each with a score of its own.
    Segments {
        /// The path of the file.
        path: Box<[u8]>,
        /// The number of segments.
        segments: usize,
    },
    /// A text is not a digest of the algorithm.
    Digest {
        /// The number of the text among the two, from 0.
        number: usize,
        /// The name of the algorithm.
        algorithm: &'static str,
        /// The place and the defect; `None` if the text has nothing like a digest in it.
        why: Option<Malformed>,
    },
    /// Two digests have no score, because they are of different algorithms.
    NoScore,
    /// A digest to compare is of another algorithm than the others.
    Member(Foreign),
    /// Digests can't be saved in an index.
    Save(index::Error),
}

impl fmt::Display for SimilarityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimilarityError::Directory(path) => write!(f, "{}: is a directory", Shown(path)),
            SimilarityError::Segments { path, segments } => {
                let path = Shown(path);
                write!(f, "{path}: sdhash cuts it into {segments} segments, each with a score of its own")
            }
            SimilarityError::Digest { algorithm, why: Some(why), .. } => {
                write!(f, "not a digest by {algorithm}: {why}")
            }
            SimilarityError::Digest { algorithm, why: None, .. } => write!(f, "no digest by {algorithm}"),
            SimilarityError::NoScore => f.write_str("digests of different algorithms have no score"),
            SimilarityError::Member(foreign) => foreign.fmt(f),
            SimilarityError::Save(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for SimilarityError {}
