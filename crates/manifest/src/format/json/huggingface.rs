//! `huggingface`: the files of a repository of Hugging Face, as its interface answers about a tree
//! (`/api/models/NAME/tree/main`) or a repository with `blobs=true`. Only read.
//!
//! A file in Git LFS has its SHA-256; the object of its pointer says nothing of it. All others are blobs of Git.

use super::objects::{ObjectRecords, Objects, has_key, text};
use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::values::naming::{Naming, named_as};
use crate::format::{Hint, Reader};
use serde_json::Value;
use std::io::Read;

/// The list in the answer about a repository.
const SIBLINGS: &str = "siblings";

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let is_tree = || ["type", "oid", "size", "path"].iter().all(|key| has_key(first, key));
    match first.trim_ascii_start().first() {
        Some(b'[') => is_tree(),
        Some(b'{') => has_key(first, SIBLINGS) && has_key(first, "rfilename") && has_key(first, "blobId"),
        _ => false,
    }
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    let (first, input) = crate::format::read::lines::peek(input);
    match first.trim_ascii_start().first() {
        Some(b'{') => Objects { list: SIBLINGS.as_bytes(), read: sibling }.reader(input),
        _ => Objects { list: b"", read: entry }.reader(input),
    }
}

fn entry(object: &Value, _: &mut Naming) -> ObjectRecords {
    match object.get("type").and_then(Value::as_str) {
        Some("directory") => Vec::new(),
        _ => vec![file(object, ["path", "oid", "oid"])],
    }
}

fn sibling(object: &Value, _: &mut Naming) -> ObjectRecords {
    vec![file(object, ["rfilename", "blobId", "sha256"])]
}

/// Returns the record of a file, with the keys of its name, its object, and its SHA-256 in Git LFS.
fn file(object: &Value, [name, blob, sha256]: [&'static str; 3]) -> Result<Record, Bad> {
    let path = text(object, name)?;
    let stored = object.get("lfs").filter(|lfs| !lfs.is_null());
    let size = stored.and_then(|lfs| lfs.get("size")).or(object.get("size"));
    let size = size.map(|size| size.as_u64().ok_or(Bad::new("size", Why::Number))).transpose()?;
    let named = match stored {
        Some(lfs) => named_as("sha256", text(lfs, sha256)?.trim_start_matches("sha256:").as_bytes()),
        None => named_as("git-blob", text(object, blob)?.as_bytes()),
    };
    Ok(Record::hashed(
        path.as_bytes().into(),
        size,
        vec![named.map_err(|bad| bad.with_file(path.as_bytes()))?],
    ))
}
