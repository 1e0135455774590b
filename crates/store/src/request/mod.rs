//! Requests and answers, before address, signature and retries are added.

pub(crate) mod counts;
pub(crate) mod encode;
pub(crate) mod refusal;

use crate::RequestKind;
use bytes::Bytes;
use http::{HeaderMap, Method};

/// A request to a store, without its address and signature.
#[derive(Debug, Clone)]
pub struct Request {
    /// The kind that it is counted as.
    pub kind: RequestKind,
    /// The method.
    pub method: Method,
    /// The key of the object; none for requests about the bucket.
    pub key: Option<Box<[u8]>>,
    /// Pairs of the query, unescaped.
    pub query: Vec<(String, String)>,
    /// Headers. They are signed where the provider signs headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body that is sent.
    pub body: Bytes,
    /// Whether Google is asked by its XML interface, which has uploads in parts, and not by the JSON one.
    pub is_xml: bool,
}

/// A successful answer with its whole body.
#[derive(Debug, Clone)]
pub struct Response {
    /// The status: 200 to 299.
    pub status: u16,
    /// All headers.
    pub headers: HeaderMap,
    /// The body. The answer to a HEAD has none.
    pub body: Bytes,
}

impl Request {
    /// Makes a request about an object.
    pub fn of_object(kind: RequestKind, method: Method, key: &[u8]) -> Request {
        Request { key: Some(key.into()), ..Request::of_bucket(kind, method) }
    }

    /// Makes a request about the bucket.
    pub fn of_bucket(kind: RequestKind, method: Method) -> Request {
        let (query, headers) = (Vec::new(), Vec::new());
        Request { kind, method, key: None, query, headers, body: Bytes::new(), is_xml: false }
    }

    /// Makes a request that sends a body to an address of a web server.
    pub fn post(key: &[u8], content_type: &str, body: Vec<u8>) -> Request {
        let request =
            Request::of_object(RequestKind::Other, Method::POST, key).header("content-type", content_type);
        Request { body: body.into(), ..request }
    }

    /// Adds a pair to the query.
    pub fn query(mut self, name: &str, value: impl Into<String>) -> Request {
        self.query.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Request {
        self.headers.push((name, value.into()));
        self
    }

    /// Sends these bytes.
    pub(crate) fn body(self, body: impl Into<Bytes>) -> Request {
        Request { body: body.into(), ..self }
    }

    /// Returns whether it is answered only by the object whose ETag it names.
    pub(crate) fn is_conditional_read(&self) -> bool {
        self.method == Method::GET && self.headers.iter().any(|(name, _)| *name == "if-match")
    }

    /// Adds a header, if there is a value.
    pub(crate) fn maybe_header(self, name: &'static str, value: Option<&str>) -> Request {
        match value {
            Some(value) => self.header(name, value),
            None => self,
        }
    }
}

impl Response {
    /// Returns a header, if it exists and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        text(&self.headers, name)
    }
}

/// Returns a header, if it exists and is text.
pub(crate) fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
