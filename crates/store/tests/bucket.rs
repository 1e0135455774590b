//! A bucket in memory with the interface of S3.

use crate::server::{Answer, Asked, Server, unescaped};
use hashmill_store::{Access, Environment, Location, Store};
use std::collections::{BTreeMap, BTreeSet};

/// Objects by key. Pages are short.
#[derive(Debug, Clone, Default)]
pub struct Bucket {
    pub objects: BTreeMap<String, Vec<u8>>,
    pub page: usize,
}

impl Bucket {
    pub fn with_objects<'k>(keys: impl IntoIterator<Item = (&'k str, Vec<u8>)>) -> Bucket {
        let objects = keys.into_iter().map(|(key, content)| (key.to_owned(), content)).collect();
        Bucket { objects, page: 2 }
    }

    /// Answers a request as a store would.
    pub fn answer(&self, asked: &Asked) -> Answer {
        let Some(key) = asked.path.strip_prefix("/b/").filter(|key| !key.is_empty()) else {
            return self.list(asked);
        };
        let key = unescaped(key);
        let Some(content) = self.objects.get(&key) else { return Answer::error(404, "NoSuchKey") };
        let etag = etag(content);
        if asked.headers.get("if-match").is_some_and(|wanted| *wanted != etag) {
            return Answer::error(412, "PreconditionFailed");
        }
        let whole = Answer::new(200, content.clone())
            .header("etag", &etag)
            .header("last-modified", "Sun, 22 Nov 2026 20:00:00 GMT");
        match asked.headers.get("range").and_then(|range| range_of(range, content.len())) {
            Some((start, end)) => Answer {
                status: 206,
                body: content[start..end].to_vec(),
                ..whole.header("content-range", format!("bytes {start}-{}/{}", end - 1, content.len()))
            },
            None => whole,
        }
    }

    fn list(&self, asked: &Asked) -> Answer {
        let prefix = asked.query.get("prefix").cloned().unwrap_or_default();
        let after = asked.query.get("continuation-token").cloned().unwrap_or_default();
        let cut = |key: &String| match key[prefix.len()..].split_once('/') {
            Some((name, _)) if asked.query.contains_key("delimiter") => format!("{prefix}{name}/"),
            _ => key.clone(),
        };
        // A folder is listed once, in place of all keys below it.
        let names: BTreeSet<String> =
            self.objects.keys().filter(|key| key.starts_with(&prefix)).map(cut).collect();
        let mut names = names.into_iter().filter(|name| **name > *after);
        let page: Vec<String> = names.by_ref().take(self.page).collect();
        let more = names.next().is_some();
        let mut text = "<ListBucketResult><Name>b</Name><EncodingType>url</EncodingType>".to_owned();
        text += &format!("<IsTruncated>{more}</IsTruncated>");
        for key in &page {
            let escaped: String = key.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let Some(content) = self.objects.get(key) else {
                text += &format!("<CommonPrefixes><Prefix>{escaped}</Prefix></CommonPrefixes>");
                continue;
            };
            let etag = etag(content).replace('"', "&quot;");
            text += &format!("<Contents><Key>{escaped}</Key><Size>{}</Size>", content.len());
            text +=
                &format!("<LastModified>2026-11-22T20:00:00Z</LastModified><ETag>{etag}</ETag></Contents>");
        }
        if more {
            text +=
                &format!("<NextContinuationToken>{}</NextContinuationToken>", escape(&page[page.len() - 1]));
        }
        Answer::new(200, text + "</ListBucketResult>").header("content-type", "application/xml")
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Returns an ETag of these bytes, which tells contents apart.
pub fn etag(content: &[u8]) -> String {
    let sum = content.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte) + 1));
    format!("\"{sum:016x}\"")
}

/// Reads the first and the last byte of `bytes=1-2`.
pub fn range_of(text: &str, size: usize) -> Option<(usize, usize)> {
    let (start, end) = text.strip_prefix("bytes=")?.split_once('-')?;
    let start = start.parse().ok().filter(|start| *start < size)?;
    Some((start, end.parse::<usize>().map_or(size, |end| (end + 1).min(size))))
}

/// Returns an access to the server, with credentials that must not be shown.
pub fn access(server: &Server) -> Access {
    let variables = [("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"), ("AWS_SECRET_ACCESS_KEY", SECRET)];
    Access {
        endpoint: Some(server.endpoint()),
        environment: Environment::from_variables(variables),
        ..Access::default()
    }
}

/// A secret that must never be shown.
pub const SECRET: &str = "wJalrXUtnFEMIsecret";

/// The store of a server, by the bucket `b`.
pub fn store(server: &Server) -> Store {
    Store::connect(&location("s3://b"), &access(server)).unwrap()
}

pub fn location(text: &str) -> Location {
    Location::parse(text.as_bytes()).unwrap().unwrap()
}

/// Reads all bytes of an object in order, with buffers of this size.
pub fn read_all(opened: &hashmill_store::Opened, buffer: usize) -> Result<Vec<u8>, hashmill_store::Error> {
    let (mut all, mut buffer) = (Vec::new(), vec![0; buffer]);
    loop {
        match opened.read_at(all.len() as u64, &mut buffer)? {
            0 => return Ok(all),
            read => all.extend_from_slice(&buffer[..read]),
        }
    }
}

/// Returns bytes that don't repeat soon.
pub fn bytes(size: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..size).map(next).collect()
}
