//! A location in a store, and how the store would be asked.

use crate::amount::BinaryBytes;
use crate::message::count;
use hashloom_job::{is_location, stores, without_secrets};
use hashloom_source::{Error, Problem};
use hashloom_store::{Location, Route, Scheme};
use serde::Serialize;
use std::borrow::Cow;

/// A location in a store. Nothing is asked for it, and nothing in it is secret.
#[derive(Serialize)]
pub struct Stored {
    /// The location as it was typed, without secrets.
    pub location: String,
    /// `s3`, `gs`, `az`, `https`, `http`.
    pub store: &'static str,
    /// The name of the remote, if it is one.
    pub remote: Option<Box<str>>,
    /// The bucket, the container, or the host with its port.
    pub bucket: Box<str>,
    /// The provider's word for a bucket.
    #[serde(skip)]
    pub container: &'static str,
    /// The beginning of all addresses of requests.
    pub address: String,
    /// The region that requests are signed for.
    pub region: Option<String>,
    /// Where credentials come from, in words.
    pub credentials: Box<str>,
    /// Whether it is walked like a directory.
    pub listed: bool,
    /// The most requests at a time.
    pub requests: usize,
    /// Bytes of each part of an object, one request each.
    pub part: u64,
    /// Objects of so many bytes at most are asked for before they are opened.
    pub small: u64,
    /// The most bytes of one object that are on their way.
    pub ahead: u64,
}

/// An operand, as it is explained.
pub enum Operand<'t> {
    /// The path of a file or directory.
    Path(Cow<'t, [u8]>),
    /// A location in a store.
    Store(Box<Stored>),
}

impl Operand<'_> {
    /// Tells paths and locations apart, and finds out how the store of a location would be asked.
    ///
    /// # Errors
    /// If a location is none, or there are no credentials.
    pub fn parse(typed: &[u8]) -> Result<Operand<'_>, Error> {
        if !is_location(typed) {
            return Ok(Operand::Path(Cow::Borrowed(typed)));
        }
        let shown = without_secrets(typed);
        let failed = |source| Error { path: shown.as_ref().into(), problem: Problem::Stat(source) };
        let location = stores::location(typed).map_err(failed)?;
        if location.scheme() == Scheme::File {
            return Ok(Operand::Path(Cow::Owned(location.key().into())));
        }
        let store = stores::store(&location).map_err(|error| failed(error.into()))?;
        let shown = String::from_utf8_lossy(&shown).into_owned();
        Ok(Operand::Store(Box::new(Stored::new(shown, &location, store.route()))))
    }
}

impl Stored {
    fn new(shown: String, location: &Location, route: Route) -> Stored {
        Stored {
            location: shown,
            store: route.scheme.name(),
            remote: route.remote,
            bucket: route.bucket,
            container: route.scheme.container(),
            address: route.address,
            region: route.region,
            credentials: route.credentials,
            listed: location.is_folder(),
            requests: route.requests,
            part: route.part,
            small: route.small,
            ahead: route.ahead,
        }
    }
    /// Returns the location as it is shown.
    pub fn shown(&self) -> &str {
        &self.location
    }

    /// Returns the explanation for people: words, and the text of each.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let remote = self.remote.as_ref();
        let remote = remote.map(|name| ("remote", format!("{name}, a name of your settings or of rclone's")));
        let store = ("store", format!("{}: {} {}", self.store, self.container, self.bucket));
        let address = ("address", self.address.clone());
        let region = self.region.clone().map(|region| ("region", region));
        let credentials = ("credentials", self.credentials.to_string());
        let last = [credentials, ("objects", self.objects().into()), ("reading", self.parts())];
        remote.into_iter().chain([store, address]).chain(region).chain(last).collect()
    }

    fn objects(&self) -> &'static str {
        match self.listed {
            true => "listed by their keys, up to 1,000 with each request",
            false => "one, which is looked up by a request",
        }
    }

    fn parts(&self) -> String {
        format!(
            "{} at a time; parts of {}, one request each; objects of up to {} are asked for ahead, of larger ones up to {}",
            count(self.requests as u64, "request", "requests"),
            BinaryBytes(self.part),
            BinaryBytes(self.small),
            BinaryBytes(self.ahead),
        )
    }
}
