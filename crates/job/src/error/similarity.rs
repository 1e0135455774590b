//! Why similarity digests can't be read or compared.

use crate::shown::Shown;
use hashloom_similar::{Foreign, Malformed, index};
use std::fmt;

/// Why similarity digests can't be read or compared.
#[derive(Debug)]
#[non_exhaustive]
pub enum SimilarityError {
    /// One of two files to compare is a directory.
    Directory(Box<[u8]>),
    /// sdhash cuts a long file into segments, each with a score of its own.
    Segments {
        /// The file.
        path: Box<[u8]>,
        /// How many.
        segments: usize,
    },
    /// A text is not a digest by the algorithm.
    Digest {
        /// Which of the two, from 0.
        number: usize,
        /// The algorithm.
        algorithm: &'static str,
        /// Where, and what is wrong; none if there is nothing like a digest in it.
        why: Option<Malformed>,
    },
    /// Two digests have no score: they are by different algorithms.
    NoScore,
    /// A list or an index has digests by another algorithm.
    Foreign {
        /// The list.
        list: Box<[u8]>,
        /// The algorithm of its digests.
        found: &'static str,
        /// The one that is wanted.
        wanted: &'static str,
    },
    /// A list has no digest by the algorithm, but other parts.
    None {
        /// The list.
        list: Box<[u8]>,
        /// The algorithm.
        algorithm: &'static str,
    },
    /// A digest that is compared is by another algorithm than the others.
    Member(Foreign),
    /// A saved index is not usable.
    Index {
        /// The index.
        path: Box<[u8]>,
        /// Why not.
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
