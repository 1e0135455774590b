//! The content that both sides of a verdict have. It is kept on request: nobody who only reads counts and paths pays for it.

use crate::{Named, Record, Time};

/// The content of a file, or of a piece of one, as one side has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content {
    /// Bytes, where known.
    pub size: Option<u64>,
    /// When it last changed, where known.
    pub mtime: Option<Time>,
    /// Its digests. Manifests that contradict each other give several of one algorithm.
    pub digests: Vec<Named>,
}

/// The two sides of a verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sides {
    /// The content that manifests have for the path, or for the content of a moved file.
    pub expected: Option<Content>,
    /// The content that is there, as far as it could be read.
    pub actual: Option<Content>,
    /// Why it could not be read whole: the name of an error of the system (`EACCES`), or `timeout`.
    pub reason: Option<Box<str>>,
}

impl Content {
    /// Copies what a record says of the content; nothing of one that says nothing.
    pub fn of(record: &Record) -> Option<Content> {
        let content = Content { size: record.size, mtime: record.mtime, digests: record.digests.clone() };
        (content != Content::default()).then_some(content)
    }
}
