//! Writing an object in one request, or in parts that become an object at the end, with what the store says of it.
//!
//! Bytes that are written are in memory, so that a request can be repeated like any other. Outputs, which come from a reader,
//! are written by [`upload`](crate::upload).

pub(crate) mod parts;

use crate::client::Client;
use crate::provider::{Provider, azure, gcs, looks_like_a_page, s3};
use crate::request::text;
use crate::{Cause, Object, Request, Response, Scheme};
use bytes::Bytes;

/// The header with the SHA-256 of what is sent to S3, which the store compares.
const SHA256: &str = "x-amz-checksum-sha256";

/// The treatment of an object in the place of one that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    /// An object that is there stays, and the write fails with [`Cause::Changed`].
    Never,
    /// An object that is there is replaced.
    Always,
}

/// Returns why no object can be written by a key, if so.
pub(crate) fn refusal_of(provider: &Provider, key: &[u8]) -> Option<&'static str> {
    let Ok(key) = str::from_utf8(key) else { return Some("keys are UTF-8, and its name is not") };
    let has_part = |odd: fn(&str) -> bool| key.split('/').any(odd);
    let scheme = provider.scheme;
    match () {
        () if !scheme.has_buckets() => Some("a web server takes no files"),
        () if key.len() > LONGEST_KEY => {
            Some("its key would be longer than the 1,024 bytes that a key may have")
        }
        () if has_part(str::is_empty) => Some("its key would have an empty part: an end with '/', or '//'"),
        () if has_part(|part| part == "." || part == "..") => {
            Some("its key would have a part '.' or '..', which is resolved on the way")
        }
        () if scheme == Scheme::Az && has_part(|part| part.ends_with('.')) => {
            Some("a part of its key would end with '.', which Azure leaves out")
        }
        () if scheme == Scheme::Gs && key.contains(['\r', '\n']) => {
            Some("its key would have the end of a line, which Google refuses")
        }
        () => None,
    }
}

/// The most bytes of a key.
const LONGEST_KEY: usize = 1024;

/// Writes an object, whole, with its SHA-256 in base64 if that is known. Returns what the store says of it.
pub(crate) async fn put(
    client: &Client,
    key: &[u8],
    body: Bytes,
    sha256: Option<&str>,
    replace: Replace,
) -> Result<Object, Cause> {
    let size = body.len() as u64;
    let request = match client.provider.scheme {
        Scheme::Gs => gcs::put(str::from_utf8(key).unwrap_or_default(), body),
        Scheme::Az => azure::put(key, body),
        _ => s3::put(key, body).maybe_header(SHA256, sha256),
    };
    let answer = conditional(client, key, request, replace).await?;
    let said = match client.provider.scheme {
        Scheme::Gs => gcs::looked(&answer)?,
        _ => said(&answer)?,
    };
    Ok(Object { key: key.into(), size, ..said })
}

/// Sends a write that may be restricted to a key without an object. A store that doesn't know the condition is asked before.
async fn conditional(
    client: &Client,
    key: &[u8],
    request: Request,
    replace: Replace,
) -> Result<Response, Cause> {
    if replace == Replace::Always {
        return client.whole(&request).await;
    }
    let restricted = match client.provider.scheme {
        Scheme::Gs if !request.is_xml => gcs::only_new(request.clone()),
        // Its uploads in parts know no conditions.
        Scheme::Gs => {
            check_none(client, key).await?;
            request.clone()
        }
        _ => s3::only_new(request.clone()),
    };
    match client.whole(&restricted).await {
        Err(Cause::Failing(501)) => {
            check_none(client, key).await?;
            client.whole(&request).await
        }
        answer => answer,
    }
}

/// Checks that there is no object of this key.
async fn check_none(client: &Client, key: &[u8]) -> Result<(), Cause> {
    match client.look(key, None).await {
        Err(Cause::NotFound) => Ok(()),
        found => found.and(Err(Cause::Changed)),
    }
}

/// Reads what the answer to a write says of the object, in its headers.
fn said(answer: &Response) -> Result<Object, Cause> {
    if looks_like_a_page(&answer.headers, "") {
        return Err(Cause::NotAStore("HTML".into()));
    }
    let said = s3::of_headers(&answer.headers);
    match said.etag {
        Some(_) => Ok(said),
        None => Err(Cause::Malformed("no ETag of what was written".into())),
    }
}

/// Removes an object if it is still the one that was written or looked up.
pub(crate) async fn remove(client: &Client, object: &Object) -> Result<(), Cause> {
    let scheme = client.provider.scheme;
    if scheme != Scheme::Gs && object.version.is_none() {
        // Not every store knows the condition.
        let now = client.look(&object.key, None).await?;
        if now.etag != object.etag {
            return Err(Cause::Changed);
        }
    }
    let request = match scheme {
        Scheme::Gs => gcs::remove(object),
        Scheme::Az => azure::remove(object),
        _ => s3::remove(object),
    };
    client.whole(&request).await.map(drop)
}

/// Returns the version that an answer names.
fn version(answer: &Response) -> Option<Box<str>> {
    let version = text(&answer.headers, "x-goog-generation").or_else(|| s3::version(&answer.headers));
    version.map(Box::from)
}
