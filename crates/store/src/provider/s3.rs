//! The interface of Amazon S3: listings, look-ups, reads. Azure has the same requests for objects.
//!
//! Source: Amazon S3 API Reference, "ListObjectsV2", "HeadObject", "GetObject".

use super::page::{Depth, Page};
use crate::request::encode;
use crate::request::text;
use crate::{Cause, Object, Request, RequestKind, Response, Stored, time};
use bytes::Bytes;
use http::{HeaderMap, Method};
use serde::Deserialize;

/// Headers of objects that are kept, as they describe the content.
const STORED: [&str; 23] = [
    "content-encoding",
    "content-md5",
    "x-amz-checksum-crc32",
    "x-amz-checksum-crc32c",
    "x-amz-checksum-crc64nvme",
    "x-amz-checksum-md5",
    "x-amz-checksum-sha1",
    "x-amz-checksum-sha256",
    "x-amz-checksum-sha512",
    "x-amz-checksum-xxhash128",
    "x-amz-checksum-xxhash3",
    "x-amz-checksum-xxhash64",
    "x-amz-checksum-type",
    "x-amz-meta-md5chksum",
    "x-amz-mp-parts-count",
    "x-amz-server-side-encryption",
    "x-amz-storage-class",
    "x-goog-hash",
    "x-ms-blob-content-md5",
    "x-ms-content-crc64",
    "repr-digest",
    "content-digest",
    "digest",
];

/// Returns the address of a bucket. A name with dots does not fit the certificate.
pub(crate) fn base(bucket: &str, region: &str) -> String {
    let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    match bucket.contains('.') {
        true => format!("https://s3.{region}.{domain}/{bucket}"),
        false => format!("https://{bucket}.s3.{region}.{domain}"),
    }
}

/// Asks for a page of the keys with this prefix. Keys come escaped, as XML can't have all their characters.
pub(crate) fn list(prefix: &str, depth: Depth, from: Option<&str>) -> Request {
    let request = Request::of_bucket(RequestKind::List, Method::GET)
        .query("list-type", "2")
        .query("encoding-type", "url")
        .query("max-keys", "1000")
        .query("prefix", prefix);
    let request = depth.ask(request);
    match from {
        Some(token) => request.query("continuation-token", token),
        None => request,
    }
}

#[derive(Deserialize)]
#[serde(rename = "ListBucketResult", rename_all = "PascalCase")]
struct Listed {
    #[serde(default)]
    contents: Vec<Contents>,
    #[serde(default)]
    common_prefixes: Vec<CommonPrefix>,
    #[serde(default)]
    is_truncated: bool,
    next_continuation_token: Option<String>,
    encoding_type: Option<String>,
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Contents {
    key: String,
    size: u64,
    last_modified: Option<String>,
    #[serde(rename = "ETag")]
    e_tag: Option<String>,
    #[serde(default)]
    checksum_algorithm: Vec<String>,
    checksum_type: Option<String>,
    storage_class: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CommonPrefix {
    prefix: String,
}

/// Reads a page.
pub(crate) fn page(body: &str) -> Result<Page, Cause> {
    let malformed = |what: &str| Cause::Malformed(format!("a listing: {what}").into());
    let listed: Listed = quick_xml::de::from_str(body).map_err(|_| malformed("other XML than S3's"))?;
    if listed.name.is_none() && listed.contents.is_empty() {
        return Err(malformed("it names no bucket"));
    }
    let escaped = listed.encoding_type.as_deref() == Some("url");
    if listed.is_truncated && listed.next_continuation_token.is_none() {
        return Err(malformed("it goes on, but does not say where"));
    }
    let next = listed.next_continuation_token.filter(|_| listed.is_truncated);
    let folders = listed.common_prefixes.into_iter().map(|one| bytes(one.prefix, escaped)).collect();
    Ok(Page { objects: listed.contents.into_iter().map(|one| object(one, escaped)).collect(), folders, next })
}

fn bytes(key: String, escaped: bool) -> Box<[u8]> {
    if escaped { encode::unescaped(&key) } else { key.into_bytes().into() }
}

fn object(one: Contents, escaped: bool) -> Object {
    let key = bytes(one.key, escaped);
    let mut stored = Vec::new();
    let mut keep = |name, text: String| stored.push(Stored { name, text: text.into() });
    one.checksum_algorithm.into_iter().for_each(|algorithm| keep("ChecksumAlgorithm", algorithm));
    one.checksum_type.into_iter().for_each(|kind| keep("ChecksumType", kind));
    one.storage_class.into_iter().for_each(|class| keep("StorageClass", class));
    Object {
        key,
        size: one.size,
        modified: one.last_modified.as_deref().and_then(time::parse).unwrap_or_default(),
        etag: one.e_tag.as_deref().and_then(etag),
        version: None,
        exact: false,
        stored,
        ..Object::default()
    }
}

/// Reads an ETag. Stores on top of file systems have none for files that were written by other means.
fn etag(text: &str) -> Option<Box<str>> {
    Some(text).filter(|text| !text.trim_matches('"').is_empty()).map(Box::from)
}

/// Asks for the metadata of an object.
pub(crate) fn look(key: &[u8]) -> Request {
    Request::of_object(RequestKind::Head, Method::HEAD, key)
}

/// Reads the answer to [`look`].
pub(crate) fn looked(key: &[u8], answer: &Response) -> Result<Object, Cause> {
    let size = answer.header("content-length").and_then(|size| size.parse().ok());
    let size = size.ok_or_else(|| Cause::Malformed("no size of the object".into()))?;
    Ok(Object { key: key.into(), size, ..of_headers(&answer.headers) })
}

/// Returns the version that headers name. Objects from before versioning was enabled have none.
pub(crate) fn version(headers: &HeaderMap) -> Option<&str> {
    let version = text(headers, "x-amz-version-id").or_else(|| text(headers, "x-ms-version-id"));
    version.filter(|version| *version != "null")
}

/// Reads all that headers say of an object except key and size.
pub(crate) fn of_headers(headers: &HeaderMap) -> Object {
    let stored = STORED.iter().filter_map(|name| Some(Stored { name, text: text(headers, name)?.into() }));
    Object {
        modified: text(headers, "last-modified").and_then(time::parse).unwrap_or_default(),
        etag: text(headers, "etag").and_then(etag),
        version: version(headers).map(Box::from),
        stored: stored.collect(),
        ..Object::default()
    }
}

/// Asks for the bytes of an object that must not have changed.
pub(crate) fn get(object: &Object) -> Request {
    Request::of_object(RequestKind::Get, Method::GET, &object.key)
        .maybe_header("if-match", object.strong_etag())
}

/// Writes an object, whole.
pub(crate) fn put(key: &[u8], body: impl Into<Bytes>) -> Request {
    Request::of_object(RequestKind::Put, Method::PUT, key).body(body)
}

/// Restricts a write to a key without an object.
pub(crate) fn only_new(request: Request) -> Request {
    request.header("if-none-match", "*")
}

/// Removes this version of an object, or the object while it is this one.
pub(crate) fn remove(object: &Object) -> Request {
    let request = Request::of_object(RequestKind::Other, Method::DELETE, &object.key);
    match &object.version {
        Some(version) => request.query("versionId", &**version),
        None => request.maybe_header("if-match", object.strong_etag()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>b</Name><Prefix></Prefix>\
        <KeyCount>2</KeyCount><MaxKeys>1000</MaxKeys><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>\
        <Contents><Key>a%2F%2Fb+c%01</Key><LastModified>2026-11-22T20:00:00.000Z</LastModified>\
        <ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag><ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm>\
        <ChecksumType>FULL_OBJECT</ChecksumType><Size>0</Size><StorageClass>STANDARD</StorageClass></Contents>\
        <Contents><Key>b</Key><Size>5</Size></Contents>\
        <NextContinuationToken>t/1=</NextContinuationToken></ListBucketResult>";

    #[test]
    fn pages_are_read() {
        let page = page(PAGE).unwrap();
        assert_eq!(page.next.as_deref(), Some("t/1="));
        let [first, second] = page.objects.try_into().unwrap();
        assert_eq!(&*first.key, b"a//b c\x01");
        assert_eq!(first.etag.as_deref(), Some("\"d41d8cd98f00b204e9800998ecf8427e\""));
        assert_eq!(first.modified, (1_795_377_600, 0));
        assert_eq!(first.stored("ChecksumAlgorithm"), Some("CRC64NVME"));
        assert_eq!((second.size, second.etag), (5, None));
    }

    #[test]
    fn folders_of_a_level_are_read() {
        let body = "<ListBucketResult><Name>b</Name><EncodingType>url</EncodingType>\
            <Contents><Key>a%2Fk</Key><Size>5</Size></Contents><CommonPrefixes><Prefix>a%2Fb+c%2F</Prefix>\
            </CommonPrefixes><CommonPrefixes><Prefix>a%2Fd%2F</Prefix></CommonPrefixes></ListBucketResult>";
        let page = page(body).unwrap();
        assert_eq!(page.folders, [Box::from(b"a/b c/".as_slice()), Box::from(b"a/d/".as_slice())]);
        assert_eq!(page.objects.len(), 1);
    }

    #[test]
    fn what_is_no_listing_is_refused() {
        for body in [
            "",
            "<a/>",
            "<ListBucketResult><Name>b</Name><IsTruncated>true</IsTruncated></ListBucketResult>",
            "<ListBucketResult><Name>b</Name><Contents><Key>k</Key></Contents></ListBucketResult>",
            "<ListBucketResult><Name>b</Name><Contents><Key>k</Key><Size>-1</Size></Contents></ListBucketResult>",
            "{}",
        ] {
            assert!(matches!(page(body), Err(Cause::Malformed(_))), "{body}");
        }
        assert!(page("<ListBucketResult><Name>b</Name></ListBucketResult>").unwrap().objects.is_empty());
    }

    #[test]
    fn buckets_with_dots_are_parts_of_the_path() {
        assert_eq!(base("b", "eu-west-1"), "https://b.s3.eu-west-1.amazonaws.com");
        assert_eq!(base("b.c", "cn-north-1"), "https://s3.cn-north-1.amazonaws.com.cn/b.c");
    }
}
