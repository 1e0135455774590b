//! A page of a listing, whoever has it.

use crate::{Object, Request};

/// A page of a listing.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) objects: Vec<Object>,
    /// What keys below begin with, up to the next slash: of a listing of one level only.
    pub(crate) folders: Vec<Box<[u8]>>,
    /// Where the next one begins, if there is one.
    pub(crate) next: Option<String>,
}

impl Page {
    /// Whether there is nothing on it.
    pub(crate) fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.folders.is_empty()
    }
}

/// How far down a listing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// All keys that begin so.
    All,
    /// Up to the next slash: what goes on behind it is a folder.
    Level,
}

impl Depth {
    /// Asks for a listing of this depth: all providers have the same word for it.
    pub(crate) fn ask(self, request: Request) -> Request {
        match self {
            Depth::All => request,
            Depth::Level => request.query("delimiter", "/"),
        }
    }
}
