//! The JSON interface of Google Cloud Storage.
//!
//! Source: Cloud Storage JSON API, "Objects: list", "Objects: get".

use super::page::{Depth, Page};
use crate::request::encode;
use crate::{Cause, Delivery, Object, Request, RequestKind, Response, Stored, time};
use bytes::Bytes;
use http::Method;
use serde::Deserialize;

/// The address of the service.
pub(crate) const ENDPOINT: &str = "https://storage.googleapis.com";

/// The fields that are requested of each object.
const FIELDS: &str = "name,size,updated,etag,generation,md5Hash,crc32c,contentEncoding,componentCount";

/// Returns the path of a bucket's objects.
pub(crate) fn folder(bucket: &str) -> String {
    format!("/storage/v1/b/{}/o", encode::part(bucket.as_bytes()))
}

/// Asks for a page of the keys with this prefix.
pub(crate) fn list(prefix: &str, depth: Depth, from: Option<&str>) -> Request {
    let request = Request::of_bucket(RequestKind::List, Method::GET)
        .query("prefix", prefix)
        .query("maxResults", "1000")
        .query("fields", format!("nextPageToken,prefixes,items({FIELDS})"));
    let request = depth.ask(request);
    match from {
        Some(token) => request.query("pageToken", token),
        None => request,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    #[serde(default)]
    items: Vec<Item>,
    #[serde(default)]
    prefixes: Vec<String>,
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    name: String,
    size: Number,
    updated: Option<String>,
    etag: Option<String>,
    generation: Option<Number>,
    md5_hash: Option<String>,
    crc32c: Option<String>,
    content_encoding: Option<String>,
    component_count: Option<Number>,
}

/// A number: Google writes it as text, others as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Text(String),
    Number(u64),
}

impl Number {
    fn text(self) -> String {
        match self {
            Number::Text(text) => text,
            Number::Number(number) => number.to_string(),
        }
    }
}

/// Reads a page.
pub(crate) fn page(body: &str) -> Result<Page, Cause> {
    let listed: Listed = serde_json::from_str(body).map_err(malformed)?;
    let objects: Result<Vec<Object>, Cause> = listed.items.into_iter().map(object).collect();
    let folders = listed.prefixes.into_iter().map(|prefix| prefix.into_bytes().into()).collect();
    Ok(Page { objects: objects?, folders, next: listed.next_page_token.filter(|token| !token.is_empty()) })
}

fn malformed(_: serde_json::Error) -> Cause {
    Cause::Malformed("a listing: other JSON than Google's".into())
}

fn object(item: Item) -> Result<Object, Cause> {
    let size =
        item.size.text().parse().map_err(|_| Cause::Malformed("a listing: a size is no number".into()))?;
    let texts = [
        ("md5Hash", item.md5_hash),
        ("crc32c", item.crc32c),
        ("content-encoding", item.content_encoding),
        ("componentCount", item.component_count.map(Number::text)),
    ];
    let stored = texts.into_iter().filter_map(|(name, text)| Some(Stored { name, text: text?.into() }));
    Ok(Object {
        key: item.name.into_bytes().into(),
        size,
        modified: item.updated.as_deref().and_then(time::parse).unwrap_or_default(),
        etag: item.etag.map(Box::from),
        version: item.generation.map(|number| number.text().into()),
        exact: false,
        delivery: Delivery::default(),
        stored: stored.collect(),
    })
}

/// Asks for the metadata of an object.
pub(crate) fn look(key: &[u8]) -> Request {
    Request::of_object(RequestKind::Head, Method::GET, key).query("fields", FIELDS)
}

/// Reads the answer to [`look`].
pub(crate) fn looked(answer: &Response) -> Result<Object, Cause> {
    object(serde_json::from_slice(&answer.body).map_err(malformed)?)
}

/// Asks for the bytes of this generation of an object.
pub(crate) fn get(object: &Object) -> Request {
    let request = Request::of_object(RequestKind::Get, Method::GET, &object.key)
        .query("alt", "media")
        // Otherwise objects with this encoding are decompressed by the server: another size and other bytes than those
        // stored.
        .header("accept-encoding", "gzip");
    match &object.version {
        Some(generation) => {
            request.query("generation", &**generation).query("ifGenerationMatch", &**generation)
        }
        None => request,
    }
}

/// Writes an object, whole: "Objects: insert", as media.
pub(crate) fn put(key: &str, body: impl Into<Bytes>) -> Request {
    let request =
        Request::of_bucket(RequestKind::Put, Method::POST).query("uploadType", "media").query("name", key);
    request.header("content-type", "application/octet-stream").body(body)
}

/// Restricts a write to a key without an object.
pub(crate) fn only_new(request: Request) -> Request {
    request.query("ifGenerationMatch", "0")
}

/// Removes this generation of an object.
pub(crate) fn remove(object: &Object) -> Request {
    let request = Request::of_object(RequestKind::Other, Method::DELETE, &object.key);
    match &object.version {
        Some(generation) => request.query("generation", &**generation),
        None => request,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read() {
        let body = r#"{"nextPageToken":"t","items":[{"name":"a/ä","size":"7","updated":"2026-11-22T20:00:00Z",
            "etag":"CI=","generation":"17","md5Hash":"rL0Y20zC+Fzt72VPzMSk2A==","crc32c":"z8SuHQ=="}]}"#;
        let page = page(body).unwrap();
        assert_eq!(page.next.as_deref(), Some("t"));
        let [object] = page.objects.try_into().unwrap();
        assert_eq!(&*object.key, "a/ä".as_bytes());
        assert_eq!((object.size, object.version.as_deref()), (7, Some("17")));
        assert_eq!(object.stored("crc32c"), Some("z8SuHQ=="));
        let level = super::page(r#"{"prefixes":["a/b/"]}"#).unwrap();
        assert_eq!(level.folders, [Box::from(b"a/b/".as_slice())]);
    }

    #[test]
    fn what_is_no_listing_is_refused() {
        for body in
            ["", "[]", "<a/>", r#"{"items":[{"name":"a"}]}"#, r#"{"items":[{"name":"a","size":"x"}]}"#]
        {
            assert!(matches!(page(body), Err(Cause::Malformed(_))), "{body}");
        }
        assert!(page("{}").unwrap().objects.is_empty());
    }
}
