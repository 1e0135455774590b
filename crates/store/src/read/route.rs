//! How a store would be asked, and its objects read: nothing is asked for that.

use super::opened::{AHEAD, ReadContext};
use super::prefetch::SMALL;
use crate::Scheme;
use serde::{Serialize, Serializer};

/// How a store would be asked, and its objects read. Nothing in it is secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Route {
    /// The kind of store.
    #[serde(rename = "store", serialize_with = "by_name")]
    pub scheme: Scheme,
    /// The name of the service, if it is a remote.
    pub remote: Option<Box<str>>,
    /// The bucket, the container, or the host with its port.
    pub bucket: Box<str>,
    /// The beginning of all addresses of requests.
    pub address: String,
    /// The region that requests are signed for, where they are signed for one.
    pub region: Option<String>,
    /// Where credentials come from, in words.
    pub credentials: Box<str>,
    /// The most requests at a time.
    pub requests: usize,
    /// Bytes of each part of an object, one request each.
    pub part: u64,
    /// Objects of so many bytes at most are asked for before they are opened.
    pub small: u64,
    /// The most bytes of one object that are on their way.
    pub ahead: u64,
}

fn by_name<S: Serializer>(scheme: &Scheme, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(scheme.name())
}

impl Route {
    pub(crate) fn new(means: &ReadContext, requests: usize) -> Route {
        let (provider, location) = (&means.client.provider, &means.location);
        Route {
            scheme: provider.scheme,
            remote: location.remote().map(Box::from),
            bucket: location.bucket().into(),
            address: provider.base(),
            region: provider.signer.region(),
            credentials: provider.origin.clone(),
            requests,
            part: means.budget.part(),
            small: SMALL,
            ahead: AHEAD,
        }
    }
}
