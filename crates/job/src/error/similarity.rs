//! Errors of reading and comparing similarity digests.

use crate::shown::Shown;
use hashmill_similar::{Foreign, Malformed, index};
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
    /// A list or an index has digests of another algorithm.
    Foreign {
        /// The path of the list.
        list: Box<[u8]>,
        /// The algorithm of its digests.
        found: &'static str,
        /// The algorithm that is wanted.
        wanted: &'static str,
    },
    /// A list has no digest of the algorithm, but other parts.
    None {
        /// The path of the list.
        list: Box<[u8]>,
        /// The name of the algorithm.
        algorithm: &'static str,
    },
    /// A digest to compare is of another algorithm than the others.
    Member(Foreign),
    /// A saved index is not usable.
    Index {
        /// The path of the index.
        path: Box<[u8]>,
        /// The reason.
        why: index::Error,
    },
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
            SimilarityError::Foreign { list, found, wanted } => {
                write!(f, "{}: holds digests by {found}, not by {wanted}", Shown(list))
            }
            SimilarityError::None { list, algorithm } => {
                write!(f, "{}: no digest by {algorithm}", Shown(list))
            }
            SimilarityError::Member(foreign) => foreign.fmt(f),
            SimilarityError::Index { path, why } => write!(f, "{}: {why}", Shown(path)),
            SimilarityError::Save(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for SimilarityError {}
