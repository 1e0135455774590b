//! Uploads in parts: nothing is seen of them until they are completed.
//!
//! Source: Amazon S3 API Reference, "CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload"; Cloud Storage, "XML API
//! multipart uploads", which are the same; Blob Service REST API, "Put Block", "Put Block List".

use super::{Replace, conditional, version};
use crate::client::Client;
use crate::client::runtime::runtime;
use crate::provider::azure;
use crate::read::opened::ReadContext;
use crate::request::refusal::word;
use crate::request::text;
use crate::{Cause, Doing, Error, Object, Request, RequestKind, Response, Scheme};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::Method;
use ring::digest;
use serde::Deserialize;
use std::sync::Arc;

/// An upload in parts. Parts may be sent side by side, from any thread, in any order.
#[derive(Debug)]
pub struct PartUpload {
    means: Arc<ReadContext>,
    key: Box<[u8]>,
    /// The store's number of the upload. Azure has none.
    id: Box<str>,
}

/// A part that the store has.
#[derive(Debug, Clone)]
pub struct SentPart {
    number: u32,
    size: u64,
    etag: Box<str>,
    sha256: Box<str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Begun {
    upload_id: String,
}

#[derive(Deserialize)]
struct Completed {
    #[serde(rename = "ETag")]
    e_tag: Option<String>,
}

impl PartUpload {
    /// Begins an upload.
    pub(crate) fn begin(means: &Arc<ReadContext>, key: &[u8]) -> Result<PartUpload, Cause> {
        let id = runtime().block_on(begin(&means.client, key))?;
        Ok(PartUpload { means: Arc::clone(means), key: key.into(), id })
    }

    fn error(&self, cause: Cause) -> Error {
        let location = self.means.location.with_key(&self.key).to_string().into();
        Error { location, doing: Doing::Write, cause }
    }

    fn client(&self) -> &Client {
        &self.means.client
    }

    /// Sends a part. The first has the number 1; all but the last must have the same length.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn send(&self, number: u32, body: Vec<u8>) -> Result<SentPart, Error> {
        let sent = runtime().block_on(self.sent(number, body.into()));
        sent.map_err(|cause| self.error(cause))
    }

    async fn sent(&self, number: u32, body: Bytes) -> Result<SentPart, Cause> {
        let size = body.len() as u64;
        let sha256 = match self.client().provider.scheme {
            Scheme::S3 => STANDARD.encode(digest::digest(&digest::SHA256, &body)),
            _ => String::new(),
        };
        let request = match self.client().provider.scheme {
            Scheme::Az => azure::put_block(&self.key, number, body),
            Scheme::S3 => self.part(number, body).header(super::SHA256, &*sha256),
            _ => self.part(number, body),
        };
        let answer = self.client().whole(&request).await?;
        let etag = match self.client().provider.scheme {
            Scheme::Az => Box::default(),
            _ => {
                let etag = text(&answer.headers, "etag");
                etag.map(Box::from).ok_or_else(|| Cause::Malformed("no ETag of a part".into()))?
            }
        };
        Ok(SentPart { number, size, etag, sha256: sha256.into() })
    }

    fn part(&self, number: u32, body: Bytes) -> Request {
        let length = body.len().to_string();
        self.of_upload(RequestKind::Put, Method::PUT)
            .query("partNumber", number.to_string())
            .header("content-length", length)
            .body(body)
    }

    /// Makes a request about the upload.
    fn of_upload(&self, kind: RequestKind, method: Method) -> Request {
        let request = Request::of_object(kind, method, &self.key).query("uploadId", &*self.id);
        Request { is_xml: true, ..request }
    }

    /// Makes an object of the parts. Returns what the store says of it.
    ///
    /// # Errors
    /// If it can't be written, or an object is there that may not be replaced.
    pub fn complete(&self, mut parts: Vec<SentPart>, replace: Replace) -> Result<Object, Error> {
        parts.sort_by_key(|part| part.number);
        let done = runtime().block_on(self.completed(&parts, replace));
        done.map_err(|cause| self.error(cause))
    }

    async fn completed(&self, parts: &[SentPart], replace: Replace) -> Result<Object, Cause> {
        let size = parts.iter().map(|part| part.size).sum();
        let request = match self.client().provider.scheme {
            Scheme::Az => azure::put_blocks(&self.key, parts.iter().map(|part| part.number)),
            _ => {
                let body = list(parts);
                self.of_upload(RequestKind::Put, Method::POST)
                    .header("content-type", "application/xml")
                    .header("content-length", body.len().to_string())
                    .body(body)
            }
        };
        let answer = conditional(self.client(), &self.key, request, replace).await?;
        let etag = match self.client().provider.scheme {
            Scheme::Az => text(&answer.headers, "etag").map(str::to_owned),
            _ => etag(&answer)?,
        };
        let etag = etag.ok_or_else(|| Cause::Malformed("no ETag of what was written".into()))?;
        let version = version(&answer);
        let written =
            Object { key: self.key.clone(), size, etag: Some(etag.into()), version, ..Object::default() };
        match self.client().provider.scheme {
            // Only its metadata have the digests that Google computes, and the ETag that it is read by.
            Scheme::Gs => Ok(self.looked(written.version.as_deref()).await.unwrap_or(written)),
            _ => Ok(written),
        }
    }

    /// Looks up what was written; `None` if that is not possible.
    async fn looked(&self, version: Option<&str>) -> Option<Object> {
        let found = self.client().look(&self.key, version).await.ok()?;
        Some(Object { exact: false, ..found })
    }

    /// Gives the upload up, with its parts. Azure forgets them by itself, after a week.
    ///
    /// # Errors
    /// If the store refuses: then its parts stay, and cost money.
    pub fn abort(&self) -> Result<(), Error> {
        if self.client().provider.scheme == Scheme::Az {
            return Ok(());
        }
        let request = self.of_upload(RequestKind::Other, Method::DELETE);
        let done = runtime().block_on(self.client().whole(&request));
        done.map(drop).map_err(|cause| self.error(cause))
    }
}

async fn begin(client: &Client, key: &[u8]) -> Result<Box<str>, Cause> {
    let request = Request::of_object(RequestKind::Put, Method::POST, key).query("uploads", "");
    let request = Request { is_xml: true, ..request.header("content-length", "0") };
    let request = match client.provider.scheme {
        Scheme::Az => return Ok(Box::default()),
        // A bucket with Object Lock takes no object without a checksum.
        Scheme::S3 => request.header("x-amz-checksum-algorithm", "SHA256"),
        _ => request,
    };
    let answer = client.whole(&request).await?;
    let begun: Begun = xml(&answer)?;
    Ok(begun.upload_id.into())
}

/// Lists parts for the completion of their upload.
fn list(parts: &[SentPart]) -> String {
    let one = |SentPart { number, etag, sha256, .. }: &SentPart| {
        let etag = etag.replace('&', "&amp;").replace('<', "&lt;");
        let sum = match sha256.is_empty() {
            true => String::new(),
            false => format!("<ChecksumSHA256>{sha256}</ChecksumSHA256>"),
        };
        format!("<Part><ETag>{etag}</ETag><PartNumber>{number}</PartNumber>{sum}</Part>")
    };
    let parts: String = parts.iter().map(one).collect();
    format!("<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>")
}

/// Reads the ETag of a completed upload. An error may come with the status of success, as the answer begins before the parts
/// are put together.
fn etag(answer: &Response) -> Result<Option<String>, Cause> {
    let body = String::from_utf8_lossy(&answer.body);
    if body.contains("<Error>") {
        let word = word(&body).unwrap_or_default();
        return Err(Cause::Status(answer.status, crate::request::refusal::shortened(&word)));
    }
    let completed: Completed = xml(answer)?;
    Ok(completed.e_tag)
}

fn xml<'a, T: Deserialize<'a>>(answer: &'a Response) -> Result<T, Cause> {
    let text = str::from_utf8(&answer.body).ok();
    text.and_then(|text| quick_xml::de::from_str(text).ok())
        .ok_or_else(|| Cause::Malformed("of an upload in parts: other XML than S3's".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_listed_with_what_the_store_said() {
        let part =
            |number, sha256: &str| SentPart { number, size: 1, etag: "\"e&\"".into(), sha256: sha256.into() };
        assert_eq!(
            list(&[part(1, "s="), part(2, "")]),
            "<CompleteMultipartUpload><Part><ETag>\"e&amp;\"</ETag><PartNumber>1</PartNumber>\
             <ChecksumSHA256>s=</ChecksumSHA256></Part><Part><ETag>\"e&amp;\"</ETag><PartNumber>2</PartNumber>\
             </Part></CompleteMultipartUpload>"
        );
    }

    #[test]
    fn an_error_behind_success_is_one() {
        let answer =
            |body: &'static str| Response { status: 200, headers: Default::default(), body: body.into() };
        let error = answer("<?xml version=\"1.0\"?><Error><Code>InternalError</Code></Error>");
        assert_eq!(etag(&error), Err(Cause::Status(200, "InternalError".into())));
        let done =
            answer("<CompleteMultipartUploadResult><ETag>\"x-2\"</ETag></CompleteMultipartUploadResult>");
        assert_eq!(etag(&done).unwrap().as_deref(), Some("\"x-2\""));
    }
}
