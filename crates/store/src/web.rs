//! Files of web servers: no listing, and only as much proof as the server gives.
//!
//! Source: RFC 9110, sections 8.8 (validators), 13.1 (preconditions), 14 (ranges).

use crate::request::text;
use crate::{Cause, Delivery, Kind, Object, Request, Response, s3, time};
use http::{HeaderMap, Method};

/// What a file is: by its first byte, as not every server answers HEAD, and only this tells whether it sends ranges.
pub(crate) fn look(key: &[u8]) -> Request {
    plain(Request::of_object(Kind::Head, Method::GET, key)).header("range", "bytes=0-0")
}

/// What the answer to [`look`] says.
pub(crate) fn looked(key: &[u8], answer: &Response) -> Result<Object, Cause> {
    let whole = answer.header("content-range").and_then(|range| range.rsplit('/').next());
    let (told, delivery) = match (answer.status, answer.header("content-length")) {
        // It is made as it is sent, so nobody knows yet how long it is.
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

/// Bytes of a file that must still be the same.
pub(crate) fn get(object: &Object) -> Request {
    plain(Request::of_object(Kind::Get, Method::GET, &object.key))
        .maybe_header("if-match", object.strong_etag())
}

/// Bytes as they are stored, not packed for the way.
fn plain(request: Request) -> Request {
    request.header("accept-encoding", "identity")
}

/// Without an ETag, the time of the last change must do.
pub(crate) fn is_same(object: &Object, headers: &HeaderMap) -> Result<(), Cause> {
    let now = text(headers, "last-modified").and_then(time::parse).unwrap_or_default();
    // Headers have whole seconds.
    if now.0 == object.modified.0 { Ok(()) } else { Err(Cause::Changed) }
}
