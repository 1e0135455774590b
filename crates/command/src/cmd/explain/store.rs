//! A location in a store, and how the store would be asked.

use crate::access;
use crate::words::amount::BinaryBytes;
use crate::words::message::count;
use hashmill_source::{Error, Problem};
use hashmill_store::{Route, Scheme};
use serde::Serialize;
use std::borrow::Cow;

/// A location in a store. Nothing is asked for it, and nothing in it is secret.
#[derive(Serialize)]
pub struct Stored {
    /// The location as it was typed, without secrets.
    location: String,
    /// Whether it is walked like a directory.
    listed: bool,
    #[serde(flatten)]
    route: Route,
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
        let stores = access::stores();
        if !stores.is_location(typed) {
            return Ok(Operand::Path(Cow::Borrowed(typed)));
        }
        let shown = stores.without_secrets(typed);
        let failed = |source| Error { path: shown.as_ref().into(), problem: Problem::Stat(source) };
        let location = stores.location(typed).map_err(failed)?;
        if location.scheme() == Scheme::File {
            return Ok(Operand::Path(Cow::Owned(location.key().into())));
        }
        let store = stores.store(&location).map_err(|error| failed(error.into()))?;
        let shown = String::from_utf8_lossy(&shown).into_owned();
        let stored = Stored { location: shown, listed: location.is_folder(), route: store.route() };
        Ok(Operand::Store(Box::new(stored)))
    }
}

impl Stored {
    /// Returns the location as it is shown.
    pub fn shown(&self) -> &str {
        &self.location
    }

    /// Returns the explanation for people: words, and the text of each.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let Route { scheme, remote, bucket, address, region, credentials, .. } = &self.route;
        let named = |name| ("remote", format!("{name}, a name of your settings or of rclone's"));
        let store = format!("{}: {} {bucket}", scheme.name(), scheme.container());
        let region = region.clone().map(|region| ("region", region));
        let first = [("store", store), ("address", address.clone())];
        let last = [
            ("credentials", credentials.to_string()),
            ("objects", self.objects().into()),
            ("reading", self.parts()),
        ];
        remote.iter().map(named).chain(first).chain(region).chain(last).collect()
    }

    fn objects(&self) -> &'static str {
        match self.listed {
            true => "listed by their keys, up to 1,000 with each request",
            false => "one, which is looked up by a request",
        }
    }

    fn parts(&self) -> String {
        let Route { requests, part, small, ahead, .. } = self.route;
        format!(
            "{} at a time; parts of {}, one request each; objects of up to {} are asked for ahead, of larger ones up to {}",
            count(requests as u64, "request", "requests"),
            BinaryBytes(part),
            BinaryBytes(small),
            BinaryBytes(ahead),
        )
    }
}
