//! Listings: the next page is requested ahead, and objects are given in the order of their keys.

pub(crate) mod level;

use crate::client::Client;
use crate::client::runtime::runtime;
use crate::provider::page::{Depth, Page};
use crate::{Below, Cause, Error, Level, Location, Object};
use std::sync::Arc;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The number of pages that are requested ahead.
const AHEAD: usize = 1;

/// The most pages in a row without an object. Stores send empty pages where much was deleted; one that never ends is
/// faulty.
const EMPTY: usize = 1000;

/// The objects whose keys have a prefix, in the order of their keys. After an error it ends.
#[derive(Debug)]
pub struct Listing(Level);

impl Listing {
    pub(crate) fn start(client: Arc<Client>, location: Location) -> Listing {
        Listing(Level::start(client, location, Depth::All))
    }
}

/// Starts to request one page after another.
pub(crate) fn begin(client: Arc<Client>, prefix: Box<[u8]>, depth: Depth) -> Receiver<Result<Page, Cause>> {
    let (sender, pages) = channel(AHEAD);
    runtime().spawn(async move { pages_of(&client, &prefix, depth, &sender).await });
    pages
}

/// Finds an object in the listing by its exact key. It must have an ETag, as the read depends on that.
pub(crate) async fn look_in_listing(client: Arc<Client>, key: &[u8]) -> Result<Object, Cause> {
    let mut pages = begin(client, key.into(), Depth::All);
    while let Some(page) = pages.recv().await {
        // All other keys with this prefix sort later.
        if let Some(first) = page?.objects.into_iter().next() {
            return match first.strong_etag() {
                _ if *first.key != *key => Err(Cause::NotFound),
                Some(_) => Ok(first),
                None => Err(Cause::DotSegment),
            };
        }
    }
    Err(Cause::NotFound)
}

async fn pages_of(client: &Client, prefix: &[u8], depth: Depth, sender: &Sender<Result<Page, Cause>>) {
    let (mut from, mut empty) = (None, 0);
    loop {
        let page = page(client, prefix, depth, from.as_deref()).await;
        empty = if page.as_ref().is_ok_and(Page::is_empty) { empty + 1 } else { 0 };
        if empty > EMPTY {
            let _ = sender.send(Err(Cause::Malformed("a listing has no end and no objects".into()))).await;
            return;
        }
        let next = match &page {
            Ok(Page { next: Some(next), .. }) if from.as_ref() == Some(next) => {
                let _ =
                    sender.send(Err(Cause::Malformed("a listing comes back to where it was".into()))).await;
                return;
            }
            Ok(page) => page.next.clone(),
            Err(_) => None,
        };
        // The receiver may have been dropped.
        if sender.send(page).await.is_err() || next.is_none() {
            return;
        }
        from = next;
    }
}

async fn page(client: &Client, prefix: &[u8], depth: Depth, from: Option<&str>) -> Result<Page, Cause> {
    let request = client.provider.list(prefix, depth, from)?;
    let answer = client.whole(&request).await?;
    client.provider.page(&answer)
}

impl Iterator for Listing {
    type Item = Result<Object, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.find_map(|entry| match entry {
            Ok(Below::Object(object)) => Some(Ok(object)),
            Ok(Below::Folder(_)) => None,
            Err(error) => Some(Err(error)),
        })
    }
}
