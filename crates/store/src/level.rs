//! One level of a listing: objects, and the folders in which more of them are.

use crate::client::Client;
use crate::list::begin;
use crate::page::{Depth, Page};
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
    pub(crate) fn start(client: Arc<Client>, location: Location) -> Level {
        let pages = begin(client, location.key().into(), Depth::Level);
        Level { location, pages, page: VecDeque::new(), last: Default::default(), ended: false }
    }

    /// Takes the entries of a page, if all of them were requested.
    fn take(&mut self, page: Page) -> Result<(), Cause> {
        let prefix = self.location.key();
        let is_below = |key: &[u8]| key.len() > prefix.len() && key.starts_with(prefix);
        let fits = page.objects.iter().all(|object| object.key.starts_with(prefix))
            && page.folders.iter().all(|folder| is_below(folder) && folder.ends_with(b"/"));
        if !fits {
            return Err(Cause::Malformed("a listing has keys that were not asked for".into()));
        }
        let keys = page.objects.iter().map(|object| &object.key);
        go_on(&mut self.last[0], keys)?;
        go_on(&mut self.last[1], page.folders.iter())?;
        self.page.extend(page.objects.into_iter().map(Below::Object));
        self.page.extend(page.folders.into_iter().map(Below::Folder));
        Ok(())
    }
}

/// Checks that keys continue in order: a listing that repeats a key may never end, or give an object twice.
fn go_on<'k>(last: &mut Box<[u8]>, keys: impl Iterator<Item = &'k Box<[u8]>>) -> Result<(), Cause> {
    for key in keys {
        if !last.is_empty() && **last >= **key {
            return Err(Cause::Unordered);
        }
        last.clone_from(key);
    }
    Ok(())
}

impl Iterator for Level {
    type Item = Result<Below, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended && self.page.is_empty() {
            let page = self.pages.blocking_recv();
            self.ended = page.is_none();
            if let Err(cause) = page?.and_then(|page| self.take(page)) {
                self.ended = true;
                return Some(Err(Error {
                    location: self.location.to_string().into(),
                    doing: Doing::List,
                    cause,
                }));
            }
        }
        self.page.pop_front().map(Ok)
    }
}
