//! Files of web servers. There is no listing, and only as much evidence as the server gives.
//!
//! Source: RFC 9110, sections 8.8 (validators), 13.1 (preconditions), 14 (ranges).

use super::s3;
use crate::request::text;
use crate::{Cause, Delivery, Object, Request, RequestKind, Response, time};
use http::{HeaderMap, Method};

/// Asks for the first byte of a file: not every server answers HEAD, and only this shows whether the server supports
/// ranges.
pub(crate) fn look(key: &[u8]) -> Request {
    plain(Request::of_object(RequestKind::Head, Method::GET, key)).header("range", "bytes=0-0")
}

/// Reads the answer to [`look`].
pub(crate) fn looked(key: &[u8], answer: &Response) -> Result<Object, Cause> {
    let whole = answer.header("content-range").and_then(|range| range.rsplit('/').next());
    let (told, delivery) = match (answer.status, answer.header("content-length")) {
        // The content is generated while it is sent, so its length is not known yet.
        (206, _) if whole.is_some_and(|size| size.trim() == "*") => (Some("0"), Delivery::Unsized),
        (206, _) => (whole, Delivery::Parts),
        (_, Some(length)) => (Some(length), Delivery::Whole),
        (_, None) => (Some("0"), Delivery::Unsized),
    };
    let size = told.and_then(|size| size.parse().ok());
    let size =
        size.ok_or_else(|| Cause::Unsupported("the server does not say how large the file is".into()))?;
    Ok(Object { key: key.into(), size, version: None, delivery, ..s3::of_headers(&answer.headers) })
}

/// Asks for the bytes of a file that must not have changed.
pub(crate) fn get(object: &Object) -> Request {
    plain(Request::of_object(RequestKind::Get, Method::GET, &object.key))
        .maybe_header("if-match", object.strong_etag())
}

/// Asks for bytes as they are stored, without compression for the transfer.
fn plain(request: Request) -> Request {
    request.header("accept-encoding", "identity")
}

/// Checks that an answer is about the same file. Without an ETag, the modification time decides.
pub(crate) fn check_same(object: &Object, headers: &HeaderMap) -> Result<(), Cause> {
    let now = text(headers, "last-modified").and_then(time::parse).unwrap_or_default();
    // Headers have whole seconds.
    if now.0 == object.modified.0 { Ok(()) } else { Err(Cause::Changed) }
}
