//! The content on both sides of a verdict; kept on request, because it takes memory.

use crate::{Named, Record, Time};

/// The content of a file or piece on one side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content {
    /// The size in bytes, if known.
    pub size: Option<u64>,
    /// The time of the last modification, if known.
    pub mtime: Option<Time>,
    /// The digests. Manifests that contradict each other give several of one algorithm.
    pub digests: Vec<Named>,
}

/// The two sides of a verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sides {
    /// The content in the manifests, found by the path or, for a moved file, by content.
    pub expected: Option<Content>,
    /// The observed content, as much as could be read.
    pub actual: Option<Content>,
    /// The reason why it could not be read completely: a system error (`EACCES`) or `timeout`.
    pub reason: Option<Box<str>>,
}

impl Content {
    /// Copies a record's content; returns `None` if it has no size, time or digest.
    pub fn from_record(record: &Record) -> Option<Content> {
        let content = Content { size: record.size, mtime: record.mtime, digests: record.digests.clone() };
        (content != Content::default()).then_some(content)
    }
}
