//! One level of a listing: objects, and the folders in which more of them are.

use crate::client::Client;
use crate::list::begin;
use crate::provider::page::{Depth, Page};
use crate::{Cause, Doing, Error, Location, Object};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc::Receiver;

/// An entry of a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Below {
    /// An object.
    Object(Object),
    /// A folder: the common prefix of the keys of more objects, up to a slash.
    Folder(Box<[u8]>),
}

/// The entries between a prefix and the next slash, page by page. After an error it ends.
#[derive(Debug)]
pub struct Level {
    location: Location,
    pages: Receiver<Result<Page, Cause>>,
    page: VecDeque<Below>,
    /// The last key and the last folder: both come in order.
    last: [Box<[u8]>; 2],
    ended: bool,
}

impl Level {
    pub(crate) fn start(client: Arc<Client>, location: Location, depth: Depth) -> Level {
        let pages = begin(client, location.key().into(), depth);
        Level { location, pages, page: VecDeque::new(), last: Default::default(), ended: false }
    }

    /// Checks that an entry was requested, and comes after the one before: a listing that repeats a key may never end,
    /// or give an object twice.
    fn check(&mut self, entry: &Below) -> Result<(), Cause> {
        let (key, last) = match entry {
            Below::Object(object) => (&object.key, &mut self.last[0]),
            Below::Folder(folder) => (folder, &mut self.last[1]),
        };
        let below = key.strip_prefix(self.location.key());
        let fits = below.is_some_and(|below| matches!(entry, Below::Object(_)) || below.ends_with(b"/"));
        if !fits {
            return Err(Cause::Malformed("a listing has keys that were not asked for".into()));
        }
        if !last.is_empty() && *last >= *key {
            return Err(Cause::Unordered);
        }
        last.clone_from(key);
        Ok(())
    }

    fn fail(&mut self, cause: Cause) -> Error {
        self.ended = true;
        self.page.clear();
        Error { location: self.location.to_string().into(), doing: Doing::List, cause }
    }
}

impl Iterator for Level {
    type Item = Result<Below, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended && self.page.is_empty() {
            match self.pages.blocking_recv() {
                None => self.ended = true,
                Some(Err(cause)) => return Some(Err(self.fail(cause))),
                Some(Ok(page)) => {
                    self.page.extend(page.objects.into_iter().map(Below::Object));
                    self.page.extend(page.folders.into_iter().map(Below::Folder));
                }
            }
        }
        let entry = self.page.pop_front()?;
        Some(self.check(&entry).map(|()| entry).map_err(|cause| self.fail(cause)))
    }
}
