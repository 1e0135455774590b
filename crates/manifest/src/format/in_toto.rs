//! `in-toto`: the subjects of an in-toto Statement. Only read: who says so is said by the signature around it.
//!
//! Source: in-toto Attestation Framework, "Statement" v1 and v0.1, "ResourceDescriptor", "DigestSet".

use super::malformed::Bad;
use super::naming::Naming;
use super::objects::{Objects, has_keys, map, text};
use super::several::without_digest;
use super::{Hint, Reader};
use crate::Record;
use serde_json::Value;
use std::io::Read;

pub(super) fn sniff(first: &[u8]) -> bool {
    has_keys(first, &["_type", "subject"]) && memchr::memmem::find(first, b"in-toto.io/Statement").is_some()
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"subject", read: |subject, naming| vec![read(subject, naming)] }.reader(input)
}

fn read(subject: &Value, naming: &mut Naming) -> Result<Record, Bad> {
    let path = text(subject, "name")?.as_bytes();
    let several = subject.get("digest").map(|digests| map(digests, naming)).transpose()?.unwrap_or_default();
    if several.is_empty() { Ok(without_digest(path)) } else { several.record(path, None) }
}
