//! A bucket or a web server, as callers see it.

use crate::client::Client;
use crate::client::runtime::runtime;
use crate::list::level::Level;
use crate::list::{Listing, look_in_listing};
use crate::provider::Provider;
use crate::provider::page::Depth;
use crate::read::budget::Budget;
use crate::read::opened::{Opened, ReadContext};
use crate::read::prefetch::Prefetcher;
use crate::read::route::Route;
use crate::upload::upload;
use crate::write::parts::PartUpload;
use crate::write::{self, Replace};
use crate::{Access, BadAccess, Cause, Counts, Doing, Error, Location, Object, Request, Response};
use futures_util::StreamExt;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The reason why an object of unknown size is refused where the size must be known.
const NO_SIZE: &str = "the server does not say how large the file is";

/// The key of an object, and a version of it, if one is requested.
pub type ObjectKey = (Box<[u8]>, Option<Box<str>>);

/// A bucket, or a web server. Clones share connections, limits and counts.
#[derive(Debug, Clone)]
pub struct Store {
    means: Arc<ReadContext>,
    requests: usize,
}

impl Store {
    /// Finds out how the bucket of a location is reached, and with which credentials. Nothing is sent yet.
    ///
    /// # Errors
    /// If the access can't be used, or there are no credentials.
    pub fn connect(location: &Location, access: &Access) -> Result<Store, Error> {
        // The HTTP library needs the context of the runtime.
        let _inside = runtime().enter();
        let failed = |cause| Error { location: location.to_string().into(), doing: Doing::Connect, cause };
        let wrong = |error: BadAccess| {
            let what = if error == BadAccess::Region { "the region" } else { "the endpoint" };
            failed(Cause::Unsupported(format!("{what} {error}").into()))
        };
        access.check().map_err(wrong)?;
        let provider = Provider::find(location, access).map_err(failed)?;
        let client = Arc::new(Client::new(provider, access).map_err(failed)?);
        let means = ReadContext { client, budget: Budget::new(access.memory), location: location.clone() };
        Ok(Store { means: Arc::new(means), requests: access.requests.get() })
    }

    /// Lists the objects whose keys have this prefix, in the order of their keys.
    pub fn list(&self, prefix: &[u8]) -> Listing {
        Listing::start(Arc::clone(&self.means.client), self.means.location.with_key(prefix))
    }

    /// Lists the objects whose keys have this prefix and no slash behind it, and the folders of the others.
    pub fn level(&self, prefix: &[u8]) -> Level {
        Level::start(Arc::clone(&self.means.client), self.means.location.with_key(prefix), Depth::Level)
    }

    /// Looks up an object, and requires its size.
    ///
    /// # Errors
    /// If it does not exist, the request fails, or the server does not say how large it is.
    pub fn look(&self, key: &[u8]) -> Result<Object, Error> {
        self.find_sized(&self.means.location.with_key(key))
    }

    /// Looks up the object at a location, or the version that the location names. Its size may be unknown.
    ///
    /// # Errors
    /// If it does not exist, or the request fails.
    pub fn find(&self, location: &Location) -> Result<Object, Error> {
        runtime().block_on(self.look_at(location.key(), location.version()))
    }

    /// Looks up the object at a location like [`Store::find`], and requires its size.
    ///
    /// # Errors
    /// As [`Store::find`], and if the server does not say how large it is.
    pub fn find_sized(&self, location: &Location) -> Result<Object, Error> {
        let found = self.find(location)?;
        match found.delivery.has_size() {
            true => Ok(found),
            false => Err(self.error(location.key(), Doing::Look, Cause::Unsupported(NO_SIZE.into()))),
        }
    }

    /// Looks up many objects, or these versions of them: as many requests at a time as there may be, the answers in the
    /// order of the questions. An object of a version is read as [`Object::exact`] says.
    pub fn look_all(&self, wanted: Vec<ObjectKey>) -> impl Iterator<Item = Result<Object, Error>> + use<> {
        let (sender, mut found) = mpsc::channel(self.requests);
        let (store, requests) = (self.clone(), self.requests);
        runtime().spawn(async move {
            let each = |(key, version): ObjectKey| {
                let store = store.clone();
                async move { store.look_at(&key, version.as_deref()).await }
            };
            let mut going = std::pin::pin!(futures_util::stream::iter(wanted).map(each).buffered(requests));
            while let Some(one) = going.next().await {
                if sender.send(one).await.is_err() {
                    return;
                }
            }
        });
        std::iter::from_fn(move || found.blocking_recv())
    }

    async fn look_at(&self, key: &[u8], version: Option<&str>) -> Result<Object, Error> {
        let client = &self.means.client;
        let looked = match client.provider.may_resolve(key) {
            // Nothing would show whether an answer has the version of this key.
            true if version.is_some() => Err(Cause::DotSegment),
            true => look_in_listing(Arc::clone(client), key).await,
            false => client.look(key, version).await,
        };
        looked.map_err(|cause| self.error(key, Doing::Look, cause))
    }

    /// Opens an object that must stay as it was listed or looked up. Nothing is sent before the first read.
    pub fn open(&self, object: Object) -> Opened {
        Opened::new(Arc::clone(&self.means), object)
    }

    /// Opens an object of which any part may be read first.
    pub fn open_anywhere(&self, object: Object) -> Opened {
        self.open(object).anywhere()
    }

    /// Opens an object as if it had only this range: bytes behind it are not requested ahead.
    pub fn open_range(&self, object: Object, range: Range<u64>) -> Opened {
        Opened::of_range(Arc::clone(&self.means), object, range)
    }

    /// Returns a prefetcher, which requests objects ahead of their readers.
    pub fn ahead(&self) -> Prefetcher {
        Prefetcher::start(Arc::clone(&self.means), self.requests)
    }

    /// Writes an object from a reader that has this many bytes. Afterwards the object is either complete or unchanged.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn upload(&self, key: &[u8], from: &mut dyn Read, size: u64) -> Result<(), Error> {
        let done = runtime().block_on(upload(&self.means.client, key, from, size));
        done.map_err(|cause| self.error(key, Doing::Write, cause))
    }

    /// Returns why no object can be written by this key, if so.
    pub fn refusal_of(&self, key: &[u8]) -> Option<&'static str> {
        write::refusal_of(&self.means.client.provider, key)
    }

    /// Writes an object whose bytes are in memory, in one request, with its SHA-256 in base64 if that is known: where the store
    /// compares it, it refuses other bytes. Returns what the store says of the object.
    ///
    /// # Errors
    /// If it can't be written; [`Cause::Changed`] if an object is there that may not be replaced.
    pub fn put(
        &self,
        key: &[u8],
        body: Vec<u8>,
        sha256: Option<&str>,
        replace: Replace,
    ) -> Result<Object, Error> {
        let done = runtime().block_on(write::put(&self.means.client, key, body.into(), sha256, replace));
        done.map_err(|cause| self.error(key, Doing::Write, cause))
    }

    /// Begins an object that is written in parts.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn begin(&self, key: &[u8]) -> Result<PartUpload, Error> {
        PartUpload::begin(&self.means, key).map_err(|cause| self.error(key, Doing::Write, cause))
    }

    /// Removes an object if it is still the one that was written or looked up.
    ///
    /// # Errors
    /// If it is another one, or can't be removed.
    pub fn remove(&self, object: &Object) -> Result<(), Error> {
        let done = runtime().block_on(write::remove(&self.means.client, object));
        done.map_err(|cause| self.error(&object.key, Doing::Write, cause))
    }

    /// Sends any request, signed, repeated and counted like all others.
    ///
    /// # Errors
    /// If the answer is an error, or none comes.
    pub fn send(&self, request: &Request) -> Result<Response, Error> {
        let key = request.key.clone().unwrap_or_default();
        let answer = runtime().block_on(self.means.client.whole(request));
        answer.map_err(|cause| self.error(&key, Doing::Look, cause))
    }

    /// Sends many requests, as many at a time as there may be; the answers come in the order of the requests. No more
    /// requests are taken from the iterator than may run at a time.
    pub fn send_all<T: Send + 'static>(
        &self,
        questions: impl Iterator<Item = (T, Request)> + Send + 'static,
    ) -> impl Iterator<Item = (T, Result<Response, Error>)> {
        let (sender, mut answers) = mpsc::channel(self.requests);
        let (asked, to_ask) = mpsc::channel(1);
        // The iterator may take its time, or come from a listing, so it does not run on the threads of requests.
        std::thread::spawn(move || {
            let mut questions = questions;
            questions.all(|question| asked.blocking_send(question).is_ok())
        });
        let (store, requests) = (self.clone(), self.requests);
        runtime().spawn(async move {
            let each = |(of, request): (T, Request)| {
                let store = store.clone();
                async move {
                    let answer = store.means.client.whole(&request).await;
                    let key = request.key.unwrap_or_default();
                    (of, answer.map_err(|cause| store.error(&key, Doing::Look, cause)))
                }
            };
            let questions =
                futures_util::stream::unfold(to_ask, async |mut to_ask: mpsc::Receiver<(T, Request)>| {
                    to_ask.recv().await.map(|question| (question, to_ask))
                });
            let mut going = std::pin::pin!(questions.map(each).buffered(requests));
            while let Some(answer) = going.next().await {
                if sender.send(answer).await.is_err() {
                    return;
                }
            }
        });
        std::iter::from_fn(move || answers.blocking_recv())
    }

    /// Returns the requests and bytes so far, of all clones together.
    pub fn counts(&self) -> Counts {
        *self.means.client.counts.lock()
    }

    /// Returns how the store would be asked, and its objects read. Nothing is asked for that.
    pub fn route(&self) -> Route {
        Route::new(&self.means, self.requests)
    }

    /// Returns the location that it was connected to.
    pub fn location(&self) -> &Location {
        &self.means.location
    }

    fn error(&self, key: &[u8], doing: Doing, cause: Cause) -> Error {
        let location =
            if key.is_empty() { self.means.location.clone() } else { self.means.location.with_key(key) };
        Error { location: location.to_string().into(), doing, cause }
    }
}
