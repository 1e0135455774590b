//! Pages of listings, the same for all providers.

use crate::{Object, Request};

/// A page of a listing.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) objects: Vec<Object>,
    /// The folders of a listing of one level: common prefixes of keys, up to the next slash.
    pub(crate) folders: Vec<Box<[u8]>>,
    /// The marker of the next page, if there is one.
    pub(crate) next: Option<String>,
}

impl Page {
    /// Returns whether nothing is on it.
    pub(crate) fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.folders.is_empty()
    }
}

/// The depth of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// All keys with the prefix.
    All,
    /// Only keys up to the next slash; the others are grouped as folders.
    Level,
}

impl Depth {
    /// Asks for a listing of this depth: all providers use the same parameter.
    pub(crate) fn ask(self, request: Request) -> Request {
        match self {
            Depth::All => request,
            Depth::Level => request.query("delimiter", "/"),
        }
    }
}
