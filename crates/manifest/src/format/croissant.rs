//! `croissant`: the files of a data set as Croissant (JSON-LD) describes them. Only read.
//!
//! A `FileObject` lies where its `contentUrl` says: at that path, or under the last part of an address. `sha256` and
//! `md5` are digests; a size counts where it is exact (a number, or `123 B`). Source: the Croissant Format
//! Specification 1.0, "FileObject".

use super::malformed::Bad;
use super::naming::{Naming, number};
use super::objects::{Found, Objects, has_keys, text};
use super::several::{Several, without_digest};
use super::{Hint, Reader};
use crate::Record;
use serde_json::Value;
use std::io::Read;

pub(super) fn sniff(first: &[u8]) -> bool {
    let has = |part: &[u8]| memchr::memmem::find(first, part).is_some();
    has_keys(first, &["distribution"])
        && (has(b"mlcommons.org/croissant") || has(b"cr:FileObject") || has(b"sc:FileObject"))
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"distribution", read }.reader(input)
}

fn read(object: &Value, naming: &mut Naming) -> Found {
    let kind = object.get("@type").and_then(Value::as_str).unwrap_or_default();
    // A file inside another (`containedIn`) lies in an archive or a folder, which has the digest.
    let inside = object.get("containedIn").is_some() && object.get("sha256").is_none();
    if kind.rsplit(':').next() != Some("FileObject") || inside {
        return Vec::new();
    }
    vec![file(object, naming)]
}

fn file(object: &Value, naming: &mut Naming) -> Result<Record, Bad> {
    let path = path(text(object, "contentUrl")?);
    let mut several = Several::default();
    for name in ["sha256", "md5"] {
        let digest = object.get(name).and_then(Value::as_str);
        // Where there is none, some catalogues have an address or a blank.
        if let Some(digest) =
            digest.filter(|digest| digest.bytes().all(|byte| byte.is_ascii_hexdigit()) && !digest.is_empty())
        {
            several.add(naming.tagged(name.as_bytes(), digest.as_bytes()))?;
        }
    }
    let size = object.get("contentSize").and_then(size);
    if several.is_empty() {
        return Ok(Record { size, ..without_digest(&path) });
    }
    several.record(&path, size)
}

fn size(value: &Value) -> Option<u64> {
    let text =
        || value.as_str()?.strip_suffix('B').map(str::trim_end).and_then(|digits| number(digits.as_bytes()));
    value.as_u64().or_else(text)
}

/// The path of a file: of an address the last part, its letters decoded.
fn path(url: &str) -> Vec<u8> {
    let Some((_, rest)) = url.split_once("://") else { return url.as_bytes().to_vec() };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let name = rest.rsplit('/').find(|part| !part.is_empty()).unwrap_or(rest);
    super::percent::decoded(name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_last_part_of_its_address() {
        for (url, wanted) in [
            ("data/a b.csv", "data/a b.csv"),
            ("https://example.com/x/a%20b.csv?download=1#top", "a b.csv"),
            ("https://example.com/x/", "x"),
        ] {
            assert_eq!(String::from_utf8(path(url)).unwrap(), wanted);
        }
    }
}
