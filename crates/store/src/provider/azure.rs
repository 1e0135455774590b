//! The interface of Azure Blob Storage, where it differs from that of S3.
//!
//! Source: Blob Service REST API, "List Blobs".

use super::page::{Depth, Page};
use crate::request::encode;
use crate::{Cause, Delivery, Object, Request, RequestKind, Stored, time};
use bytes::Bytes;
use http::Method;
use serde::Deserialize;

/// Returns the address of an account at an endpoint: emulators have the account in the path, the service has it in the
/// host's name.
pub(crate) fn service(endpoint: &str, account: &str) -> String {
    let address = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    let (host, path) = address.split_once('/').unwrap_or((address, ""));
    let named = host.split('.').next() == Some(account) || path.split('/').next() == Some(account);
    if named { endpoint.to_owned() } else { format!("{endpoint}/{account}") }
}

/// Asks for a page of the keys with this prefix.
pub(crate) fn list(prefix: &str, depth: Depth, from: Option<&str>) -> Request {
    let request = Request::of_bucket(RequestKind::List, Method::GET)
        .query("restype", "container")
        .query("comp", "list")
        .query("maxresults", "5000")
        .query("prefix", prefix);
    let request = depth.ask(request);
    match from {
        Some(marker) => request.query("marker", marker),
        None => request,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listed {
    blobs: Blobs,
    next_marker: Option<String>,
}

#[derive(Deserialize)]
struct Blobs {
    #[serde(rename = "$value", default)]
    all: Vec<Node>,
}

/// An entry of a listing. Blobs and folders are mixed.
#[derive(Deserialize)]
enum Node {
    Blob(Box<Blob>),
    BlobPrefix(Folder),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Folder {
    name: Name,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Blob {
    name: Name,
    version_id: Option<String>,
    properties: Properties,
}

/// A name. It is escaped if it has characters that XML can't have.
#[derive(Deserialize)]
struct Name {
    #[serde(rename = "@Encoded", default)]
    encoded: bool,
    #[serde(rename = "$text", default)]
    text: String,
}

#[derive(Deserialize)]
struct Properties {
    #[serde(rename = "Content-Length")]
    length: u64,
    #[serde(rename = "Last-Modified")]
    modified: Option<String>,
    #[serde(rename = "Etag", alias = "ETag")]
    etag: Option<String>,
    #[serde(rename = "Content-MD5")]
    md5: Option<String>,
    #[serde(rename = "Content-CRC64")]
    crc64: Option<String>,
    #[serde(rename = "ResourceType")]
    resource: Option<String>,
}

/// Reads a page. Folders of accounts with a hierarchical namespace are not objects.
pub(crate) fn page(body: &str) -> Result<Page, Cause> {
    // It may begin with a byte order mark.
    let listed: Listed = quick_xml::de::from_str(body.trim_start_matches('\u{feff}'))
        .map_err(|_| Cause::Malformed("a listing: other XML than Azure's".into()))?;
    let (mut objects, mut folders) = (Vec::new(), Vec::new());
    for node in listed.blobs.all {
        match node {
            Node::Blob(blob) if blob.properties.resource.as_deref() == Some("directory") => {}
            Node::Blob(blob) => objects.push(object(*blob)),
            Node::BlobPrefix(folder) => folders.push(folder.name.bytes()),
        }
    }
    Ok(Page { objects, folders, next: listed.next_marker.filter(|marker| !marker.is_empty()) })
}

impl Name {
    fn bytes(self) -> Box<[u8]> {
        match self.encoded {
            // Azure escapes like an address: a plus sign is a plus sign.
            true => encode::unescaped(&self.text.replace('+', "%2B")),
            false => self.text.into_bytes().into(),
        }
    }
}

fn object(blob: Blob) -> Object {
    let Properties { length, modified, etag, md5, crc64, .. } = blob.properties;
    let texts = [("Content-MD5", md5), ("Content-CRC64", crc64)];
    let stored = texts.into_iter().filter_map(|(name, text)| Some(Stored { name, text: text?.into() }));
    Object {
        key: blob.name.bytes(),
        size: length,
        modified: modified.as_deref().and_then(time::parse).unwrap_or_default(),
        etag: etag.map(Box::from),
        version: blob.version_id.map(Box::from),
        exact: false,
        delivery: Delivery::default(),
        stored: stored.filter(|stored| !stored.text.is_empty()).collect(),
    }
}

/// Writes a blob, whole: "Put Blob". The service computes its MD5.
pub(crate) fn put(key: &[u8], body: Bytes) -> Request {
    let request = Request::of_object(RequestKind::Put, Method::PUT, key);
    let request = request.header("content-length", body.len().to_string());
    request.header("x-ms-blob-type", "BlockBlob").body(body)
}

/// Writes a block that is no part of a blob yet: "Put Block".
pub(crate) fn put_block(key: &[u8], number: u32, body: Bytes) -> Request {
    let request = Request::of_object(RequestKind::Put, Method::PUT, key);
    let request = request.query("comp", "block").query("blockid", block(number));
    request.header("content-length", body.len().to_string()).body(body)
}

/// Makes a blob of these blocks: "Put Block List".
pub(crate) fn put_blocks(key: &[u8], numbers: impl Iterator<Item = u32>) -> Request {
    let listed: String =
        numbers.map(|number| format!("<Uncommitted>{}</Uncommitted>", block(number))).collect();
    let body = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>{listed}</BlockList>");
    let request = Request::of_object(RequestKind::Put, Method::PUT, key).query("comp", "blocklist");
    request.header("content-length", body.len().to_string()).body(body)
}

/// Returns the name of a block, which must be base64, and of the same length for all blocks of a blob: twelve digits are.
fn block(number: u32) -> String {
    format!("{number:012}")
}

/// Removes a blob while it is this one.
pub(crate) fn remove(object: &Object) -> Request {
    let request = Request::of_object(RequestKind::Other, Method::DELETE, &object.key);
    request.maybe_header("if-match", object.strong_etag())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read() {
        let body = "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults \
            ServiceEndpoint=\"http://h/\" ContainerName=\"c\"><Blobs><Blob><Name>a/b &amp; c</Name><Properties>\
            <Last-Modified>Sun, 22 Nov 2026 20:00:00 GMT</Last-Modified><Etag>0x8D</Etag>\
            <Content-Length>9</Content-Length><Content-MD5>rL0Y20zC+Fzt72VPzMSk2A==</Content-MD5></Properties></Blob>\
            <Blob><Name Encoded=\"true\">d%01+e</Name><Properties><Content-Length>0</Content-Length><Content-MD5/>\
            </Properties></Blob></Blobs><NextMarker>m</NextMarker></EnumerationResults>";
        let page = page(body).unwrap();
        assert_eq!(page.next.as_deref(), Some("m"));
        let [first, second] = page.objects.try_into().unwrap();
        assert_eq!(&*first.key, b"a/b & c");
        assert_eq!((first.size, first.modified), (9, (1_795_377_600, 0)));
        assert_eq!(first.stored("Content-MD5"), Some("rL0Y20zC+Fzt72VPzMSk2A=="));
        assert_eq!((&*second.key, second.stored.len()), (b"d\x01+e".as_slice(), 0));
    }

    #[test]
    fn folders_of_a_level_stand_among_blobs() {
        let blob = |name| {
            format!(
                "<Blob><Name>{name}</Name><Properties><Content-Length>1</Content-Length></Properties></Blob>"
            )
        };
        let body = format!(
            "<EnumerationResults><Blobs>{}<BlobPrefix><Name>b/</Name></BlobPrefix>{}<BlobPrefix>\
            <Name Encoded=\"true\">d%01/</Name></BlobPrefix></Blobs><NextMarker /></EnumerationResults>",
            blob("a"),
            blob("c")
        );
        let page = page(&body).unwrap();
        assert_eq!(page.folders, [Box::from(b"b/".as_slice()), Box::from(b"d\x01/".as_slice())]);
        assert_eq!(page.objects.len(), 2);
    }

    #[test]
    fn an_empty_container_has_an_empty_page() {
        let body = "<EnumerationResults><Blobs /><NextMarker /></EnumerationResults>";
        assert!(page(body).unwrap().objects.is_empty());
        assert!(matches!(page("<a/>"), Err(Cause::Malformed(_))));
    }

    #[test]
    fn accounts_are_in_the_host_or_in_the_path() {
        assert_eq!(service("http://127.0.0.1:1", "a"), "http://127.0.0.1:1/a");
        assert_eq!(service("http://127.0.0.1:1/a", "a"), "http://127.0.0.1:1/a");
        assert_eq!(service("https://a.blob.example", "a"), "https://a.blob.example");
    }
}
